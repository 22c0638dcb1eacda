// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/edit_text.hpp"

#include "protocol/wire/text.hpp"
#include "protocol/wire/utf8.hpp"

namespace agentpool::world {

namespace {

constexpr std::string_view mark = "\xef\xbb\xbf";
constexpr size_t sampled_characters = 4096;

size_t replace(std::string& text, std::string_view from, std::string_view to, bool all) {
  std::string out;
  size_t at = 0, count = 0;
  for (auto next = text.find(from); next != std::string::npos; next = text.find(from, at)) {
    ++count;
    out.append(text, at, next - at).append(to);
    at = next + from.size();
    if (!all && count > 1)
      break;
  }
  text = out.append(text, at);
  return count;
}

// The bytes of the first characters.
std::string_view sample(std::string_view text) {
  size_t bytes = 0;
  for (size_t i = 0; i < sampled_characters && bytes < text.size(); ++i)
    bytes += next_utf8(text.substr(bytes)).bytes;
  return text.substr(0, bytes);
}

bool mostly_crlf(std::string_view text) {
  size_t crlf = 0, lf = 0;
  auto part = sample(text);
  for (size_t i = 0; i < part.size(); ++i)
    if (part[i] == '\n')
      ++(i > 0 && part[i - 1] == '\r' ? crlf : lf);
  return crlf > lf;
}

std::string with_crlf(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  for (auto c : text) {
    if (c == '\n')
      out += '\r';
    out += c;
  }
  return out;
}

} // namespace

std::string to_lf(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n')
      out += text[i];
  return out;
}

std::optional<std::string> text_of(std::string_view content) {
  if (content.find('\0') != std::string_view::npos || !is_utf8(content))
    return std::nullopt;
  if (content.starts_with(mark))
    content.remove_prefix(mark.size());
  return to_lf(content);
}

edit_result edit_text(
  std::string_view content, std::string_view old_text, std::string_view new_text, bool all) {
  auto text = text_of(content);
  if (!text)
    return {std::nullopt, edit_problem::not_text};
  auto from = to_lf(old_text);
  if (from.empty())
    return {std::nullopt, edit_problem::not_found};
  edited out{{}, *text, std::move(*text)};
  auto count = replace(out.after, from, to_lf(new_text), all);
  if (count == 0)
    return {std::nullopt, edit_problem::not_found};
  if (count > 1 && !all)
    return {std::nullopt, edit_problem::ambiguous};
  if (content.starts_with(mark))
    out.content = mark;
  out.content += mostly_crlf(content) ? with_crlf(out.after) : out.after;
  return {std::move(out)};
}

} // namespace agentpool::world
