// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/marker_scanner.hpp"

#include <algorithm>
#include <charconv>

namespace agentpool::world {

namespace {

constexpr char separator = '\x1e';
constexpr size_t longest_words = 32; // "x 255 0 12345678", "p 4194304 12345678"

template <class Number>
bool read(std::string_view text, Number& out) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size() && out >= Number{};
}

std::string_view take_word(std::string_view& words) {
  auto end = std::min(words.find(' '), words.size());
  auto word = words.substr(0, end);
  words.remove_prefix(std::min(end + 1, words.size()));
  return word;
}

} // namespace

marker_scanner::marker_scanner(std::string nonce) : head_{separator + std::move(nonce) + ' '} {}

void marker_scanner::feed(std::string_view chunk, std::string& out) {
  if (held_.empty()) {
    held_ = chunk.substr(take(chunk, out));
    return;
  }
  held_ += chunk;
  held_.erase(0, take(held_, out));
}

void marker_scanner::flush(std::string& out) {
  out += held_;
  held_.clear();
}

// Takes what is decided from `text`: how many bytes.
size_t marker_scanner::take(std::string_view text, std::string& out) {
  size_t at = 0;
  while (at < text.size()) {
    auto next = text.find(separator, at);
    if (next == std::string_view::npos)
      next = text.size();
    out.append(text, at, next - at);
    at = next;
    auto rest = text.substr(at);
    if (rest.size() < head_.size() && head_.starts_with(rest))
      return at; // empty, or a beginning of the head
    if (!rest.starts_with(head_)) {
      out += rest.front();
      ++at;
      continue;
    }
    auto words = rest.substr(head_.size());
    auto end = words.substr(0, longest_words + 1).find(separator);
    if (end == std::string_view::npos && words.size() <= longest_words)
      return at;
    if (end == std::string_view::npos || !accept(words.substr(0, end))) {
      out += rest.front();
      ++at;
      continue;
    }
    at += head_.size() + end + 1;
  }
  return at;
}

bool marker_scanner::accept(std::string_view words) {
  marker found;
  auto kind = take_word(words);
  found.exited = kind == "x";
  if ((!found.exited && kind != "p") || !read(take_word(words), found.value))
    return false;
  if (found.exited) {
    auto alone = take_word(words);
    if (found.value > 255 || (alone != "0" && alone != "1"))
      return false;
    found.alone = alone == "1";
  } else if (found.value == 0)
    return false;
  if (!words.empty() && !read(words, found.since))
    return false;
  (found.exited ? exited_ : begun_) = found;
  return true;
}

} // namespace agentpool::world
