// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/text_stream.hpp"

#include "protocol/wire/text.hpp"
#include "protocol/wire/utf8.hpp"

#include <array>

namespace agentpool::world {

namespace {

constexpr size_t longest_character = 4;

// Some continuation makes a character of it.
bool may_go_on(std::string_view beginning) {
  constexpr std::array<char, 4> second{'\x80', '\x90', '\xa0', '\xbf'};
  for (auto c : second) {
    std::string whole{beginning};
    while (whole.size() < longest_character) {
      whole += whole.size() == 1 ? c : '\x80';
      if (auto step = next_utf8(whole); step.valid && step.bytes == whole.size())
        return true;
    }
  }
  return false;
}

// Bytes at the end that are the beginning of a character.
size_t cut_tail(std::string_view text) {
  for (size_t back = 1; back < longest_character && back <= text.size(); ++back) {
    auto tail = text.substr(text.size() - back);
    if ((static_cast<unsigned char>(tail.front()) & 0xc0) == 0x80)
      continue;
    return static_cast<unsigned char>(tail.front()) >= 0xc2 && may_go_on(tail) ? back : 0;
  }
  return 0;
}

} // namespace

std::string text_stream::feed(std::string_view chunk) {
  std::string text = std::move(held_);
  text += chunk;
  auto whole = text.size() - cut_tail(text);
  held_ = text.substr(whole);
  text.resize(whole);
  return valid_utf8(text);
}

std::string text_stream::finish() {
  auto rest = valid_utf8(held_);
  held_.clear();
  return rest;
}

} // namespace agentpool::world
