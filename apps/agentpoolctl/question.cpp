// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoolctl/question.hpp"

#include "protocol/wire/text.hpp"

#include <algorithm>

namespace agentpool::ctl {

namespace {

constexpr size_t line_bytes = 200;

std::string option_of_kind(const json& options, std::string_view kind) {
  for (size_t i = 0; i < options.size(); ++i)
    if (options.at(i)["kind"].text() == kind)
      return options.at(i)["optionId"].text_or("");
  return {};
}

std::string joined(std::initializer_list<std::string> words) {
  std::string out;
  for (const auto& word : words)
    if (!word.empty())
      out += (out.empty() ? "" : " ") + word;
  return out;
}

} // namespace

question question_of(const json& event) {
  auto call = event["tool_call"];
  question out;
  out.request = event["request_id"].text_or("");
  out.turn = event["turn_id"].text_or("");
  out.text = joined({call["kind"].text_or(""), call["title"].text_or("a tool")});
  if (auto subject = subject_of(call); !subject.empty())
    out.text += ": " + subject;
  out.text = one_line(out.text);
  out.allow = option_of_kind(event["options"], "allow_once");
  out.reject = option_of_kind(event["options"], "reject_once");
  return out;
}

std::optional<bool> yes_or_no(std::string_view line) {
  while (!line.empty() && (line.back() == '\r' || line.back() == ' '))
    line.remove_suffix(1);
  if (line == "y" || line == "Y" || line == "yes")
    return true;
  if (line == "n" || line == "N" || line == "no")
    return false;
  return std::nullopt;
}

std::string one_line(std::string_view text) {
  std::string flat{text};
  std::ranges::replace(flat, '\n', ' ');
  return printable(flat, line_bytes);
}

std::string subject_of(const json& tool_call) {
  for (auto name : {"command", "file_path", "path", "pattern"})
    if (auto value = tool_call["raw_input"][name].text())
      return std::string{*value};
  return {};
}

} // namespace agentpool::ctl
