// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

struct z_stream_s; // of zlib

/// gzip (RFC 1952) in pieces, without waiting.
namespace agentpool::envd {

/// Inflates a text that comes in pieces. It may be made of several members, as gzip(1) says.
class gzip_reader {
public:
  gzip_reader();
  ~gzip_reader();

  /// Takes what it can from the front of `in`, writes to `out`, answers how much it wrote. Nothing when the
  /// text is no gzip; then the reader is of no more use. It wants more input when `out` was not filled.
  std::optional<size_t> read(std::string_view& in, std::span<char> out);
  /// A member ended and no other one began: the text may end here.
  bool complete() const { return at_end_; }

private:
  std::unique_ptr<z_stream_s> zlib_;
  bool at_end_ = false;
};

/// Deflates at the fastest level.
class gzip_writer {
public:
  gzip_writer();
  ~gzip_writer();

  /// Takes what it can from the front of `in`, writes to `out`, answers how much it wrote. With `last`, `in`
  /// is the rest of the text: call it until `complete`.
  size_t write(std::string_view& in, std::span<char> out, bool last);
  bool complete() const { return at_end_; }

private:
  std::unique_ptr<z_stream_s> zlib_;
  bool at_end_ = false;
};

enum class gzip_fault : uint8_t {
  malformed, ///< no gzip, or cut off
  too_large  ///< more than `limit` bytes come out
};

/// The whole of `text`, in `out`; nothing when it went well.
std::optional<gzip_fault> gunzip(std::string_view text, size_t limit, std::string& out);

} // namespace agentpool::envd
