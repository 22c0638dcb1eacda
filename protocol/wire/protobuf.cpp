// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/protobuf.hpp"

#include "protocol/wire/utf8.hpp"

#include <array>
#include <limits>

namespace agentpool::protobuf {

namespace {

enum wire_type : uint8_t { varint, fixed64, delimited, group_begin, group_end, fixed32 };

constexpr size_t varint_bytes = 10; // of 64 bits
constexpr uint64_t largest_number = (1u << 29) - 1;
constexpr size_t group_depth = 64; // of unknown groups; deeper: a fault

} // namespace

// -- reading

bool reader::broken(std::string_view why) {
  if (!*fault_)
    *fault_ = connect::error{connect::code::invalid_argument, "unmarshal message: " + std::string{why}};
  rest_ = {};
  return false;
}

bool reader::take_varint(uint64_t& out) {
  out = 0;
  for (size_t i = 0; i < varint_bytes && i < rest_.size(); ++i) {
    auto byte = static_cast<unsigned char>(rest_[i]);
    if (i + 1 == varint_bytes && byte > 1)
      break; // more than 64 bits
    out |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      rest_.remove_prefix(i + 1);
      return true;
    }
  }
  return broken("a varint is cut off or too long");
}

bool reader::take_bytes(uint64_t size) {
  if (size > rest_.size())
    return broken("a field is longer than its message");
  bytes_ = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return true;
}

// Groups are not used any more, but a message of another version may have one.
bool reader::skip_group(uint64_t tag) {
  std::array<uint64_t, group_depth> open{};
  size_t depth = 0;
  open[depth++] = tag >> 3;
  while (depth > 0) {
    uint64_t inner = 0;
    if (!take_varint(inner))
      return false;
    if ((inner & 7) == group_begin) {
      if (depth == group_depth)
        return broken("groups are nested too deep");
      open[depth++] = inner >> 3;
    } else if ((inner & 7) == group_end) {
      if (open[--depth] != inner >> 3)
        return broken("a group ends that did not begin");
    } else if (!take_value(inner)) {
      return false;
    }
  }
  return true;
}

bool reader::take_value(uint64_t tag) {
  if (tag >> 3 == 0 || tag >> 3 > largest_number)
    return broken("a field has no number");
  switch (tag & 7) {
  case varint: return take_varint(number_);
  case fixed64: return take_bytes(8);
  case fixed32: return take_bytes(4);
  case delimited: return take_varint(number_) && take_bytes(number_);
  case group_begin: return skip_group(tag);
  default: return broken("a field has no wire type");
  }
}

bool reader::next() {
  if (rest_.empty() || *fault_)
    return false;
  return take_varint(tag_) && take_value(tag_);
}

int32_t reader::zigzag32() const {
  auto value = number32();
  return static_cast<int32_t>((value >> 1) ^ (~(value & 1) + 1));
}

std::string reader::text() {
  if (is_utf8(bytes_))
    return std::string{bytes_};
  broken("a text is not UTF-8");
  return {};
}

// -- writing

size_t varint_size(uint64_t value) noexcept {
  size_t out = 1;
  for (; value >= 0x80; value >>= 7)
    ++out;
  return out;
}

void append_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

writer& writer::number(uint32_t field, uint64_t value) {
  append_varint(out_, varint_field(field));
  append_varint(out_, value);
  return *this;
}

writer& writer::zigzag_if(uint32_t field, int32_t value) {
  auto bits = static_cast<uint32_t>(value);
  return number_if(field, (bits << 1) ^ (value < 0 ? std::numeric_limits<uint32_t>::max() : 0));
}

writer& writer::bytes(uint32_t field, std::string_view value) {
  append_varint(out_, bytes_field(field));
  append_varint(out_, value.size());
  out_ += value;
  return *this;
}

writer& writer::entry(uint32_t field, std::string_view name, std::string_view value) {
  return bytes(field, writer{}.bytes_if(1, name).bytes_if(2, value).str());
}

} // namespace agentpool::protobuf
