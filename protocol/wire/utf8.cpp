// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/utf8.hpp"

#include "protocol/wire/text.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace agentpool {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

unsigned char byte(std::string_view text, size_t index) {
  return static_cast<unsigned char>(text[index]);
}

// Eight bytes at a time: nearly all text is ASCII, and every event passes here.
size_t skip_ascii(std::string_view text, size_t at) {
  for (uint64_t word; at + sizeof word <= text.size(); at += sizeof word) {
    std::memcpy(&word, text.data() + at, sizeof word);
    if (word & 0x8080808080808080U)
      break;
  }
  while (at < text.size() && byte(text, at) < 0x80)
    ++at;
  return at;
}

} // namespace

utf8_step next_utf8(std::string_view text) noexcept {
  auto lead = byte(text, 0);
  if (lead < 0x80)
    return {1, true};
  if (lead < 0xC2 || lead > 0xF4)
    return {1, false};
  size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  for (size_t i = 1; i < length; ++i, low = 0x80, high = 0xBF)
    if (i >= text.size() || byte(text, i) < low || byte(text, i) > high)
      return {i, false};
  return {length, true};
}

size_t find_invalid_utf8(std::string_view text) noexcept {
  for (size_t at = skip_ascii(text, 0); at < text.size(); at = skip_ascii(text, at)) {
    auto step = next_utf8(text.substr(at));
    if (!step.valid)
      return at;
    at += step.bytes;
  }
  return std::string_view::npos;
}

bool is_utf8(std::string_view text) noexcept {
  return find_invalid_utf8(text) == std::string_view::npos;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    auto step = next_utf8(text.substr(at));
    out += step.valid ? text.substr(at, step.bytes) : replacement;
    at += step.bytes;
  }
  return out;
}

std::string_view utf8_prefix(std::string_view text, size_t bytes) {
  auto end = std::min(bytes, text.size());
  for (size_t back = 1; back <= std::min<size_t>(3, end); ++back) {
    auto lead = byte(text, end - back);
    if (lead < 0x80)
      break;
    if (lead < 0xC0)
      continue;
    auto step = next_utf8(text.substr(end - back));
    auto open = !step.valid && end - back + step.bytes == text.size() && lead >= 0xC2 && lead <= 0xF4;
    return text.substr(0, step.bytes > back || (open && step.bytes == back) ? end - back : end);
  }
  return text.substr(0, end);
}

} // namespace agentpool
