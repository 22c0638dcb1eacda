// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "gateway/query.hpp"

#include "net/http/ascii.hpp"
#include "protocol/wire/text.hpp"

#include <algorithm>
#include <charconv>

namespace agentpool {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  auto lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::optional<std::string> decode(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    auto high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    auto low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0)
      return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

bool in_range(char c, char low, char high) {
  return c >= low && c <= high;
}

bool token_character(char c) {
  return in_range(c, 'a', 'z') || in_range(c, 'A', 'Z') || in_range(c, '0', '9') ||
         std::string_view{"-._~+/="}.find(c) != std::string_view::npos;
}

// Appended piece by piece: GCC 12 takes the sum of a literal and a temporary for an overflow
// (-Wstringop-overflow).
tl::unexpected<failure> bad_value(std::string_view name, std::string_view what) {
  std::string text{"The query's '"};
  text.append(name).append("' ").append(what);
  return fail(errc::bad_request, std::move(text));
}

bool is_listed(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    auto end = std::min(list.find(", "), list.size());
    if (list.substr(0, end) == name)
      return true;
    list.remove_prefix(std::min(end + 2, list.size()));
  }
  return false;
}

std::string unknown_text(std::string_view name, std::string_view known) {
  constexpr size_t shown_bytes = 100;
  std::string text{"The query's '"};
  text.append(printable(name, shown_bytes)).append("' is unknown; ");
  if (known.empty())
    return text.append("this path takes none.");
  return text.append("the known ones are: ").append(known).append(".");
}

} // namespace

result<query> query::parse(std::string_view text) {
  query out;
  while (!text.empty()) {
    auto end = text.find('&');
    auto member = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (member.empty())
      continue;
    auto equals = member.find('=');
    auto name = decode(member.substr(0, equals));
    auto value = decode(equals == std::string_view::npos ? std::string_view{} : member.substr(equals + 1));
    if (!name || !value)
      return fail(errc::bad_request, "The query has a '%' without two hex digits; encode it as %25.");
    out.members_.emplace_back(std::move(*name), std::move(*value));
  }
  return out;
}

result<void> query::only(std::string_view known) const {
  for (const auto& [name, value] : members_)
    if (!is_listed(known, name))
      return fail(errc::bad_request, unknown_text(name, known));
  return {};
}

result<std::optional<std::string>> query::value(std::string_view name) const {
  std::optional<std::string> found;
  for (const auto& [key, value] : members_) {
    if (key != name)
      continue;
    if (found)
      return bad_value(name, "is given twice; give it once.");
    found = value;
  }
  return found;
}

result<uint64_t> query::number(std::string_view name, uint64_t min, uint64_t max, uint64_t fallback) const {
  auto text = value(name);
  if (!text)
    return tl::unexpected{text.error()};
  if (!*text)
    return fallback;
  uint64_t number = 0;
  const auto* end = (*text)->data() + (*text)->size();
  auto [stop, error] = std::from_chars((*text)->data(), end, number);
  if (error != std::errc{} || stop != end || number < min || number > max)
    return bad_value(
      name, "must be a number from " + std::to_string(min) + " to " + std::to_string(max) + ".");
  return number;
}

std::optional<std::string_view> bearer_credentials(const net::http_request& request) {
  constexpr std::string_view scheme = "Bearer ";
  auto value = request.header("authorization");
  if (!value || !net::iequals(value->substr(0, scheme.size()), scheme))
    return std::nullopt;
  return value->substr(scheme.size());
}

std::optional<std::string> bearer_token(const net::http_request& request) {
  constexpr size_t longest = 512;
  auto token = bearer_credentials(request).value_or("");
  if (token.empty() || token.size() > longest || !std::ranges::all_of(token, token_character))
    return std::nullopt;
  return std::string{token};
}

result<void> check_coding(const net::http_request& request) {
  for (const auto& [name, value] : request.headers)
    if (net::iequals(name, "content-encoding") && !value.empty() && !net::iequals(value, "identity"))
      return fail(errc::unsupported_encoding);
  return {};
}

result<std::string> idempotency_key(const net::http_request& request) {
  constexpr size_t longest = 255;
  if (request.count("idempotency-key") == 0)
    return std::string{};
  auto key = request.header("idempotency-key");
  if (!key || key->empty() || key->size() > longest ||
      !std::ranges::all_of(*key, [](char c) { return in_range(c, ' ', '~'); }))
    return fail(
      errc::bad_request, "Idempotency-Key must be given once, with 1 to 255 printable ASCII characters.");
  return std::string{*key};
}

bool looks_like_id(std::string_view prefix, std::string_view text) {
  constexpr size_t random_characters = 26;
  return text.size() == prefix.size() + random_characters && text.starts_with(prefix) &&
         std::ranges::all_of(
           text.substr(prefix.size()), [](char c) { return in_range(c, 'a', 'z') || in_range(c, '2', '7'); });
}

} // namespace agentpool
