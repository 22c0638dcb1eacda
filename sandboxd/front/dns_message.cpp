// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/front/dns_message.hpp"

namespace agentpool::sandboxd {

namespace {

constexpr size_t header_bytes = 12, question_tail = 4, record_tail = 10;
constexpr uint16_t type_a = 1, class_in = 1;
constexpr uint8_t response_bit = 0x80, opcode_bits = 0x78, refused = 5;
constexpr uint8_t pointer_bits = 0xc0;

uint8_t byte_at(std::string_view text, size_t at) {
  return static_cast<uint8_t>(text[at]);
}

uint16_t number_at(std::string_view text, size_t at) {
  return static_cast<uint16_t>(byte_at(text, at) << 8 | byte_at(text, at + 1));
}

// Behind the name at `at`; a pointer ends a name. Nothing when the message ends first.
std::optional<size_t> skip_name(std::string_view text, size_t at) {
  while (at < text.size()) {
    auto size = byte_at(text, at);
    if ((size & pointer_bits) == pointer_bits)
      return at + 2 <= text.size() ? std::optional{at + 2} : std::nullopt;
    if ((size & pointer_bits) != 0)
      return std::nullopt;
    at += size + size_t{1};
    if (size == 0)
      return at;
  }
  return std::nullopt;
}

} // namespace

std::optional<std::string> queried_name(std::string_view query) {
  if (query.size() < header_bytes || (byte_at(query, 2) & (response_bit | opcode_bits)) != 0 ||
      number_at(query, 4) != 1)
    return std::nullopt;
  std::string out;
  for (size_t at = header_bytes; at < query.size();) {
    auto size = byte_at(query, at++);
    if (size == 0)
      return at + question_tail <= query.size() ? std::optional{out} : std::nullopt;
    auto label = query.substr(at, size);
    // A dot inside a label would make another name of it.
    if ((size & pointer_bits) != 0 || label.size() != size || label.find('.') != std::string_view::npos)
      return std::nullopt;
    (out.empty() ? out : out += '.').append(label);
    at += size;
  }
  return std::nullopt;
}

std::vector<uint32_t> answered_addresses(std::string_view response) {
  std::vector<uint32_t> out;
  if (response.size() < header_bytes || (byte_at(response, 2) & response_bit) == 0)
    return {};
  std::optional<size_t> at = header_bytes;
  for (int left = number_at(response, 4); left > 0 && at; --left)
    if ((at = skip_name(response, *at)))
      *at += question_tail;
  for (int left = number_at(response, 6); left > 0; --left) {
    at = at ? skip_name(response, *at) : at;
    if (!at || *at + record_tail > response.size())
      return {};
    auto type = number_at(response, *at), kind = number_at(response, *at + 2);
    auto data = *at + record_tail;
    auto size = number_at(response, *at + 8);
    if (data + size > response.size())
      return {};
    if (type == type_a && kind == class_in && size == 4)
      out.push_back(uint32_t{number_at(response, data)} << 16 | number_at(response, data + 2));
    at = data + size;
  }
  return out;
}

std::string refusal(std::string_view query) {
  if (query.size() < header_bytes || (byte_at(query, 2) & response_bit) != 0)
    return {};
  auto question = number_at(query, 4) == 1 ? skip_name(query, header_bytes) : std::nullopt;
  auto end = question && *question + question_tail <= query.size() ? *question + question_tail : header_bytes;
  std::string out{query.substr(0, end)};
  out[2] = static_cast<char>(byte_at(query, 2) | response_bit);
  out[3] = static_cast<char>(refused);
  for (size_t i = 4; i < header_bytes; ++i)
    out[i] = 0;
  out[5] = end > header_bytes ? 1 : 0;
  return out;
}

} // namespace agentpool::sandboxd
