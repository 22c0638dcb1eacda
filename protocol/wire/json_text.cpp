// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/json_text.hpp"

#include "protocol/wire/json.hpp"
#include "protocol/wire/text.hpp"
#include "protocol/wire/utf8.hpp"

#include <charconv>

namespace agentpool {

namespace {

template <class Number>
void append_number(std::string& out, Number value) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void append_escaped(std::string& out, char c) {
  static constexpr std::string_view hex = "0123456789abcdef";
  static constexpr std::string_view special = "\b\f\n\r\t\"\\";
  static constexpr std::string_view letters = "bfnrt\"\\";
  out += '\\';
  if (auto at = special.find(c); at != std::string_view::npos)
    out += letters[at];
  else {
    out += "u00";
    out += hex[static_cast<unsigned char>(c) >> 4];
    out += hex[static_cast<unsigned char>(c) & 15];
  }
}

} // namespace

void append_json_string(std::string& out, std::string_view text) {
  if (!is_utf8(text))
    return append_json_string(out, valid_utf8(text));
  out += '"';
  size_t plain = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (static_cast<unsigned char>(text[i]) >= 0x20 && text[i] != '"' && text[i] != '\\')
      continue;
    out.append(text, plain, i - plain);
    append_escaped(out, text[i]);
    plain = i + 1;
  }
  out.append(text, plain);
  out += '"';
}

void append_json_number(std::string& out, int64_t value) {
  append_number(out, value);
}

void append_json_number(std::string& out, uint64_t value) {
  append_number(out, value);
}

std::string json_quote(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  append_json_string(out, text);
  return out;
}

void json_object::key(std::string_view name) {
  if (text_.size() > 1)
    text_ += ',';
  append_json_string(text_, name);
  text_ += ':';
}

json_object& json_object::add(std::string_view name, std::string_view value) {
  key(name);
  append_json_string(text_, value);
  return *this;
}

json_object& json_object::add(std::string_view name, bool value) {
  return add_raw(name, value ? "true" : "false");
}

json_object& json_object::add(std::string_view name, int64_t value) {
  key(name);
  append_number(text_, value);
  return *this;
}

json_object& json_object::add(std::string_view name, uint64_t value) {
  key(name);
  append_number(text_, value);
  return *this;
}

json_object& json_object::add_raw(std::string_view name, std::string_view json_text) {
  key(name);
  text_ += json_text;
  return *this;
}

json_object& json_object::add_if(std::string_view name, std::string_view value) {
  return value.empty() ? *this : add(name, value);
}

json_array& json_array::add(std::string_view value) {
  if (!empty())
    text_ += ',';
  append_json_string(text_, value);
  return *this;
}

json_array& json_array::add_raw(std::string_view json_text) {
  if (!empty())
    text_ += ',';
  text_ += json_text;
  return *this;
}

} // namespace agentpool
