// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/protojson.hpp"

#include "protocol/wire/base64.hpp"

#include <algorithm>
#include <charconv>

namespace agentpool::protojson {

namespace {

bool absent(const json& value) {
  return value.missing() || value.is_null();
}

} // namespace

reader::reader(std::string_view text) {
  auto parsed = json::parse(text);
  if (!parsed)
    fault_ = connect::error{connect::code::invalid_argument, "unmarshal message: " + parsed.error().detail};
  else if (!parsed->is_object())
    wrong("message", "an object");
  else
    root_ = *parsed;
}

json reader::member(const json& object, std::string_view camel, std::string_view snake) {
  auto found = object[camel];
  if (absent(found) && !snake.empty())
    found = object[snake];
  return absent(found) ? json{} : found;
}

void reader::wrong(std::string_view name, std::string_view expected) {
  if (!fault_)
    fault_ = connect::error{connect::code::invalid_argument,
      "unmarshal message: " + std::string{name} + " is not " + std::string{expected}};
}

std::optional<std::string> reader::text(const json& value, std::string_view name) {
  if (absent(value))
    return std::nullopt;
  if (auto found = value.text())
    return std::string{*found};
  wrong(name, "a string");
  return std::nullopt;
}

std::optional<bool> reader::boolean(const json& value, std::string_view name) {
  if (absent(value))
    return std::nullopt;
  auto found = value.boolean();
  if (!found)
    wrong(name, "a boolean");
  return found;
}

std::optional<int64_t> reader::integer(
  const json& value, std::string_view name, int64_t least, int64_t most) {
  if (absent(value))
    return std::nullopt;
  auto found = value.integer();
  if (auto text = value.text(); text && !text->empty()) {
    int64_t number = 0;
    auto end = std::from_chars(text->data(), text->data() + text->size(), number);
    if (end.ec == std::errc{} && end.ptr == text->data() + text->size())
      found = number;
  }
  if (found && *found >= least && *found <= most)
    return found;
  wrong(name, "an integer in its range");
  return std::nullopt;
}

std::optional<std::string> reader::bytes(const json& value, std::string_view name) {
  if (absent(value))
    return std::nullopt;
  auto text = value.text();
  auto decoded = text ? base64_decode(*text) : std::nullopt;
  if (!decoded)
    wrong(name, "base64");
  return decoded;
}

std::vector<std::string> reader::texts(const json& value, std::string_view name) {
  std::vector<std::string> out;
  if (list(value, name))
    for (size_t i = 0; i < value.size(); ++i) {
      if (auto one = value.at(i).text())
        out.emplace_back(*one);
      else
        wrong(name, "an array of strings");
    }
  return out;
}

std::vector<std::pair<std::string, std::string>> reader::map(const json& value, std::string_view name) {
  std::vector<std::pair<std::string, std::string>> out;
  if (!message(value, name))
    return out;
  auto names = value.keys();
  std::ranges::sort(names);
  auto twice = std::ranges::unique(names);
  names.erase(twice.begin(), twice.end());
  for (auto& key : names) {
    if (auto one = value[key].text())
      out.emplace_back(std::move(key), std::string{*one});
    else
      wrong(name, "an object of strings");
  }
  return out;
}

bool reader::message(const json& value, std::string_view name) {
  if (!absent(value) && !value.is_object())
    wrong(name, "an object");
  return value.is_object();
}

bool reader::list(const json& value, std::string_view name) {
  if (!absent(value) && !value.is_array())
    wrong(name, "an array");
  return value.is_array();
}

} // namespace agentpool::protojson
