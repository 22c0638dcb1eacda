// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/connect.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The wire format of protocol buffers (version 3), as much of it as messages of known, fixed depth need:
/// varints and length-delimited fields. Other fields are unknown and are skipped.
namespace agentpool::protobuf {

/// A field's number and wire type in one, as on the wire.
constexpr uint64_t varint_field(uint32_t number) {
  return uint64_t{number} << 3;
}
constexpr uint64_t bytes_field(uint32_t number) {
  return uint64_t{number} << 3 | 2;
}

/// Walks over the fields of one message, which stays where it is. A field of another wire type than expected
/// has another tag, so it is unknown. The first malformed byte, of this message or one inside of it, ends all
/// walks with a common `fault`.
class reader {
public:
  explicit reader(std::string_view bytes, std::optional<connect::error>& fault)
      : rest_(bytes), fault_(&fault) {}

  /// Goes to the next field; false at the end or after a fault.
  bool next();
  uint64_t tag() const { return tag_; }

  // -- the value of the current field, which has the wire type that the function needs
  uint64_t number() const { return number_; }
  uint32_t number32() const { return static_cast<uint32_t>(number_); } ///< as a uint32 or int32 is cut
  int32_t zigzag32() const;                                            ///< a sint32
  bool boolean() const { return number_ != 0; }
  std::string_view bytes() const { return bytes_; }
  std::string text(); ///< UTF-8; else a fault
  reader message() const { return reader{bytes_, *fault_}; }

private:
  bool broken(std::string_view why);
  bool take_varint(uint64_t& out);
  bool take_bytes(uint64_t size);
  bool skip_group(uint64_t tag);
  bool take_value(uint64_t tag);

  std::string_view rest_, bytes_;
  uint64_t tag_ = 0, number_ = 0;
  std::optional<connect::error>* fault_;
};

/// Appends the fields of one message.
class writer {
public:
  writer& number(uint32_t field, uint64_t value); ///< also when it is zero
  writer& number_if(uint32_t field, uint64_t value) { return value == 0 ? *this : number(field, value); }
  writer& zigzag_if(uint32_t field, int32_t value);
  writer& bytes(uint32_t field, std::string_view value); ///< a text, bytes, or a message; also when empty
  writer& bytes_if(uint32_t field, std::string_view value) {
    return value.empty() ? *this : bytes(field, value);
  }
  /// One entry of a map of texts.
  writer& entry(uint32_t field, std::string_view name, std::string_view value);

  const std::string& str() const& { return out_; }
  std::string str() && { return std::move(out_); }

private:
  std::string out_;
};

/// How many bytes the varint of `value` has.
size_t varint_size(uint64_t value) noexcept;
void append_varint(std::string& out, uint64_t value);

} // namespace agentpool::protobuf
