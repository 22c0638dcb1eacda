// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/protocol/wire/hostile_texts.hpp"

#include "protocol/wire/json.hpp"

namespace agentpool::tests {

namespace {

std::string repeated(std::string_view text, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i)
    out += text;
  return out;
}

std::string replaced(const json& value, std::string_view path, std::string_view with) {
  if (path.empty())
    return std::string{with};
  auto dot = path.find('.');
  auto head = path.substr(0, dot);
  auto tail = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
  json_object out;
  for (const auto& key : value.keys())
    if (key != head)
      out.add_raw(key, value[key].dump());
  if (!(tail.empty() && with.empty()))
    out.add_raw(head, replaced(value[head], tail, with));
  return out.str();
}

} // namespace

const std::vector<std::string>& hostile_texts() {
  using namespace std::string_literals;
  static const std::vector<std::string> texts{
    " ",
    "{",
    "}",
    "{}}",
    "{} {}",
    "{,}",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\":1,}",
    "{a:1}",
    "{'a':1}",
    "[1,]",
    "nul",
    "NaN",
    "Infinity",
    "// note\n{}",
    "01",
    "1.",
    ".5",
    "+1",
    "1e",
    "\"",
    "\"\\x\"",
    "\"\\u12\"",
    "\"line\nbreak\"",
    "\xEF\xBB\xBF{}",
    "{}\0"s,
    "\0{}"s,
    "{\"a\":\"b\0c\"}"s,
    "{\"a\":\"\xFF\"}",
    "{\"a\":\"\xC0\x80\"}",
    "{\"a\":\"\xE0\x80\x80\"}",
    "{\"a\":\"\xED\xA0\x80\"}",
    "{\"a\":\"\xF4\x90\x80\x80\"}",
    "{\"\xE2\x82\":1}",
    "1e400",
    "{\"a\":-1e999999999}",
    repeated("[", 100'000),
    repeated("{\"a\":", 100'000),
    repeated("[", 100'000) + repeated("]", 100'000),
    repeated("[{\"a\":", 50'000) + "1" + repeated("}]", 50'000),
  };
  return texts;
}

const std::vector<std::string>& values_of_all_types() {
  static const std::vector<std::string> values{
    "null", "true", "false", "0", "-1", "1.5", "1e300", "18446744073709551616", "\"\"", "\"x\"", "[]", "{}"};
  return values;
}

std::string with_member(std::string_view object, std::string_view path, std::string_view value) {
  return replaced(*json::parse(object), path, value);
}

void for_each_prefix(std::string_view valid, const std::function<void(std::string_view)>& decode) {
  for (size_t size = 0; size < valid.size(); ++size)
    decode(std::string{valid.substr(0, size)}); // a copy, so that the sanitizer sees a read past the end
}

void for_each_byte_change(std::string_view valid, const std::function<void(std::string_view)>& decode) {
  constexpr std::string_view bytes{"\0\x01\n\"\\{}[],:0-.etu \x7f\x80\xC0\xE2\xED\xF4\xFF", 26};
  for (size_t i = 0; i < valid.size(); ++i)
    for (char c : bytes) {
      std::string changed{valid};
      changed[i] = c;
      decode(changed);
    }
}

} // namespace agentpool::tests
