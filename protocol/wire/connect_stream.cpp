// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/connect_stream.hpp"

#include "protocol/wire/json.hpp"

#include <algorithm>
#include <utility>

namespace agentpool::connect {

void append_envelope(std::string& out, std::string_view payload, uint8_t flags) {
  auto size = static_cast<uint32_t>(payload.size());
  const std::array<unsigned char, 5> head{flags, static_cast<unsigned char>(size >> 24),
    static_cast<unsigned char>(size >> 16), static_cast<unsigned char>(size >> 8),
    static_cast<unsigned char>(size)};
  out.append(head.begin(), head.end());
  out.append(payload);
}

std::string envelope_bytes(std::string_view payload, uint8_t flags) {
  std::string out;
  out.reserve(payload.size() + 5);
  append_envelope(out, payload, flags);
  return out;
}

std::vector<envelope> envelope_reader::feed(std::string_view bytes) {
  std::vector<envelope> out;
  while (!fault_ && !ended_) {
    if (head_size_ < head_.size()) {
      auto part = bytes.substr(0, head_.size() - head_size_);
      std::copy(part.begin(), part.end(), head_.begin() + static_cast<ptrdiff_t>(head_size_));
      head_size_ += part.size();
      bytes.remove_prefix(part.size());
      if (head_size_ < head_.size() || !take_head())
        break;
    }
    auto part = bytes.substr(0, wanted_ - current_.payload.size());
    current_.payload += part;
    bytes.remove_prefix(part.size());
    if (current_.payload.size() < wanted_)
      break;
    head_size_ = 0;
    ended_ = current_.end();
    out.push_back(std::exchange(current_, {}));
  }
  return out;
}

bool envelope_reader::take_head() {
  current_.flags = head_[0];
  wanted_ = static_cast<size_t>(head_[1]) << 24 | static_cast<size_t>(head_[2]) << 16 |
            static_cast<size_t>(head_[3]) << 8 | head_[4];
  if ((current_.flags & ~known_flags_ & envelope::compressed_flag) != 0)
    fault_ = error{code::internal, "protocol error: sent compressed message without compression support"};
  else if ((current_.flags & ~known_flags_) != 0)
    fault_ =
      error{code::internal, "protocol error: invalid envelope flags " + std::to_string(current_.flags)};
  else if (wanted_ > max_payload_)
    fault_ = error{code::resource_exhausted,
      "message size " + std::to_string(wanted_) + " is larger than " + std::to_string(max_payload_)};
  return !fault_;
}

std::optional<error> envelope_reader::at_end_of_body() const {
  if (ended_)
    return std::nullopt;
  if (fault_)
    return fault_;
  if (head_size_ == head_.size())
    return error{code::invalid_argument, "protocol error: promised " + std::to_string(wanted_) +
                                           " bytes in enveloped message, got " +
                                           std::to_string(current_.payload.size()) + " bytes"};
  if (head_size_ > 0)
    return error{code::invalid_argument, "protocol error: incomplete envelope: unexpected EOF"};
  return error{code::unknown, "missing end of stream"};
}

std::string end_payload(const std::optional<error>& failure) {
  if (!failure)
    return "{}";
  json_object body;
  body.add_raw("error", error_body(*failure));
  return body.str();
}

std::string end_of_stream(const std::optional<error>& failure) {
  return envelope_bytes(end_payload(failure), envelope::end_flag);
}

std::optional<error> read_end(std::string_view payload) {
  auto parsed = json::parse(payload);
  if (!parsed || !parsed->is_object())
    return error{code::unknown, "malformed end of stream"};
  auto failure = (*parsed)["error"];
  if (failure.missing() || failure.is_null())
    return std::nullopt;
  auto named = code_from(failure["code"].text_or(""));
  return error{named.value_or(code::unknown), failure["message"].text_or("")};
}

} // namespace agentpool::connect
