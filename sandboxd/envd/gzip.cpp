// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/gzip.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <utility>
#include <zlib.h>

namespace agentpool::envd {

namespace {

constexpr int gzip_window = 15 + 16; // the largest window; a header and a trailer of gzip
constexpr int memory_level = 8;      // zlib's own default

// zlib counts in `unsigned`: the rest of a larger text waits for the next call.
uInt clipped(size_t size) {
  return static_cast<uInt>(std::min<size_t>(size, std::numeric_limits<uInt>::max()));
}

void offer(z_stream& zlib, std::string_view in, std::span<char> out) {
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data())); // which it does not change
  zlib.avail_in = clipped(in.size());
  zlib.next_out = reinterpret_cast<Bytef*>(out.data());
  zlib.avail_out = clipped(out.size());
}

} // namespace

// -- reading

gzip_reader::gzip_reader() : zlib_(std::make_unique<z_stream>()) {
  if (::inflateInit2(zlib_.get(), gzip_window) != Z_OK)
    throw std::bad_alloc{};
}

gzip_reader::~gzip_reader() {
  ::inflateEnd(zlib_.get());
}

// With neither input nor anything held back, inflate says Z_BUF_ERROR.
std::optional<size_t> gzip_reader::read(std::string_view& in, std::span<char> out) {
  size_t written = 0;
  int said = Z_OK;
  while (written < out.size() && said != Z_BUF_ERROR && !(at_end_ && in.empty())) {
    if (std::exchange(at_end_, false) && ::inflateReset(zlib_.get()) != Z_OK)
      return std::nullopt;
    offer(*zlib_, in, out.subspan(written));
    auto offered = zlib_->avail_in, space = zlib_->avail_out;
    said = ::inflate(zlib_.get(), Z_NO_FLUSH);
    if (said != Z_OK && said != Z_STREAM_END && said != Z_BUF_ERROR)
      return std::nullopt;
    in.remove_prefix(offered - zlib_->avail_in);
    written += space - zlib_->avail_out;
    at_end_ = said == Z_STREAM_END;
  }
  return written;
}

// -- writing

gzip_writer::gzip_writer() : zlib_(std::make_unique<z_stream>()) {
  if (::deflateInit2(zlib_.get(), Z_BEST_SPEED, Z_DEFLATED, gzip_window, memory_level, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    throw std::bad_alloc{};
}

gzip_writer::~gzip_writer() {
  ::deflateEnd(zlib_.get());
}

size_t gzip_writer::write(std::string_view& in, std::span<char> out, bool last) {
  if (at_end_)
    return 0;
  offer(*zlib_, in, out);
  auto offered = zlib_->avail_in, space = zlib_->avail_out;
  bool all = last && offered == in.size();
  at_end_ = ::deflate(zlib_.get(), all ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_END;
  in.remove_prefix(offered - zlib_->avail_in);
  return space - zlib_->avail_out;
}

// -- whole texts

std::optional<gzip_fault> gunzip(std::string_view text, size_t limit, std::string& out) {
  gzip_reader reader;
  std::array<char, 16 * 1024> step{};
  for (;;) {
    auto size = reader.read(text, step);
    if (!size)
      return gzip_fault::malformed;
    if (*size > limit - out.size())
      return gzip_fault::too_large;
    out.append(step.data(), *size);
    if (text.empty() && *size < step.size())
      return reader.complete() ? std::nullopt : std::optional{gzip_fault::malformed};
  }
}

} // namespace agentpool::envd
