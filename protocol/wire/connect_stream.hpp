// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/connect.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace agentpool::connect {

/// One message of a stream: 1 byte flags, 4 bytes length (big endian), payload.
struct envelope {
  static constexpr uint8_t compressed_flag = 0x01;
  static constexpr uint8_t end_flag = 0x02;

  uint8_t flags = 0;
  std::string payload;

  bool compressed() const { return (flags & compressed_flag) != 0; }
  bool end() const { return (flags & end_flag) != 0; } ///< end of stream; nothing may follow
};

/// Appends an envelope to `out`.
void append_envelope(std::string& out, std::string_view payload, uint8_t flags = 0);
/// One envelope as bytes.
std::string envelope_bytes(std::string_view payload, uint8_t flags = 0);

/// One envelope whose payload `write` appends to the string that it is given; about `expected` bytes.
template <class Write>
std::string make_envelope(size_t expected, Write write) {
  constexpr size_t head = 5;
  std::string out;
  out.reserve(head + expected);
  out.append(head, '\0');
  write(out);
  auto size = static_cast<uint32_t>(out.size() - head);
  for (size_t i = 1; i < head; ++i)
    out[i] = static_cast<char>(size >> (8 * (head - 1 - i)));
  return out;
}

/// Reads envelopes from bytes cut anywhere. Holds at most one unfinished envelope.
class envelope_reader {
public:
  /// A larger payload breaks the stream before it is stored.
  static constexpr size_t default_max_payload = 64u << 20;

  /// `compressed`: payloads may be compressed, which their flags say.
  explicit envelope_reader(size_t max_payload = default_max_payload, bool compressed = false)
      : max_payload_(max_payload), known_flags_(compressed ? 3 : envelope::end_flag) {}

  /// The envelopes that `bytes` completed, in order. A broken stream, and one that ended, gives none any
  /// more.
  std::vector<envelope> feed(std::string_view bytes);

  /// Why the stream is of no more use: too large a payload (resource_exhausted), compressed payloads
  /// (internal: none was offered), unknown flags (internal).
  const std::optional<error>& fault() const { return fault_; }
  /// The end of stream came.
  bool ended() const { return ended_; }
  /// What to say when the body is over now: nothing after an end of stream; else the fault, or
  /// `invalid_argument` for an unfinished envelope, or `unknown` "missing end of stream".
  std::optional<error> at_end_of_body() const;
  /// Some bytes of an unfinished envelope are there.
  bool partial() const { return head_size_ > 0; }
  /// What the unfinished envelope promised and what of it came (0, 0 without a whole head).
  size_t promised() const { return head_size_ == head_.size() ? wanted_ : 0; }
  size_t received() const { return current_.payload.size(); }

private:
  bool take_head();

  size_t max_payload_;
  uint8_t known_flags_;
  std::array<unsigned char, 5> head_{};
  size_t head_size_ = 0;
  size_t wanted_ = 0;
  envelope current_;
  std::optional<error> fault_;
  bool ended_ = false;
};

/// The payload of an end-of-stream envelope: `{}` or `{"error":{…}}`.
std::string end_payload(const std::optional<error>& failure = std::nullopt);
/// The whole envelope.
std::string end_of_stream(const std::optional<error>& failure = std::nullopt);

/// What an end of stream says: nothing = success. A payload that is no JSON object is an `unknown` error; an
/// error without a known code is `unknown`.
std::optional<error> read_end(std::string_view payload);

} // namespace agentpool::connect
