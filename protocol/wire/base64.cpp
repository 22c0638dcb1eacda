// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/base64.hpp"

#include <array>
#include <cstdint>
#include <cstring>

namespace agentpool {

namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t no_digit = 0xff;

constexpr std::array<uint8_t, 256> make_digits() {
  std::array<uint8_t, 256> digits{};
  digits.fill(no_digit);
  for (uint8_t i = 0; i < 64; ++i)
    digits[static_cast<unsigned char>(alphabet[i])] = i;
  digits['-'] = digits['+'];
  digits['_'] = digits['/'];
  return digits;
}

constexpr auto digits = make_digits();

// Two characters for every twelve bits: half the look-ups.
constexpr std::array<std::array<char, 2>, 4096> make_pairs() {
  std::array<std::array<char, 2>, 4096> pairs{};
  for (size_t i = 0; i < pairs.size(); ++i)
    pairs[i] = {alphabet[i >> 6], alphabet[i & 63]};
  return pairs;
}

constexpr auto pairs = make_pairs();

} // namespace

void append_base64(std::string& out, std::string_view bytes) {
  auto at = out.size();
  out.resize(at + (bytes.size() + 2) / 3 * 4);
  auto* to = out.data() + at;
  auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(bytes[i])); };
  size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3, to += 4) {
    auto group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    std::memcpy(to, pairs[group >> 12].data(), 2);
    std::memcpy(to + 2, pairs[group & 4095].data(), 2);
  }
  if (i == bytes.size())
    return;
  bool two = i + 2 == bytes.size();
  auto group = byte(i) << 16 | (two ? byte(i + 1) << 8 : 0);
  to[0] = alphabet[group >> 18];
  to[1] = alphabet[group >> 12 & 63];
  to[2] = two ? alphabet[group >> 6 & 63] : '=';
  to[3] = '=';
}

std::string base64_encode(std::string_view bytes) {
  std::string out;
  append_base64(out, bytes);
  return out;
}

std::optional<std::string> base64_decode(std::string_view text) {
  if (text.size() % 4 == 0 && text.ends_with('='))
    text.remove_suffix(text.ends_with("==") ? 2 : 1);
  if (text.size() % 4 == 1)
    return std::nullopt;
  std::string out;
  out.reserve(text.size() / 4 * 3 + 2);
  uint32_t group = 0;
  unsigned bits = 0;
  for (unsigned char c : text) {
    auto digit = digits[c];
    if (digit == no_digit)
      return std::nullopt;
    group = group << 6 | digit;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out.push_back(static_cast<char>(group >> bits & 0xff));
    }
  }
  return out;
}

} // namespace agentpool
