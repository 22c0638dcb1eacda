// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/upload_body.hpp"

#include "net/http/ascii.hpp"
#include "sandboxd/envd/limits.hpp"

#include <utility>

namespace agentpool::envd {

namespace {

tl::unexpected<plain_error> fail(int status, std::string message) {
  return tl::unexpected<plain_error>{plain_error{status, std::move(message)}};
}

} // namespace

awaitable<plain<void>> upload_body::begin() {
  std::string coding{call_.request().header("Content-Encoding").value_or("identity")};
  if (coding.empty() || net::iequals(coding, "identity"))
    co_return plain<void>{};
  if (!net::iequals(coding, "gzip"))
    co_return fail(400, "unsupported Content-Encoding: " + coding);
  gzip_ = std::make_unique<gzip_reader>();
  step_.resize(limits::io_bytes);
  auto first = co_await inflate();
  if (!first)
    co_return tl::unexpected<plain_error>{first.error()};
  first_ = *first;
  co_return plain<void>{};
}

awaitable<plain<std::string_view>> upload_body::read() {
  if (auto first = std::exchange(first_, {}); !first.empty())
    co_return first;
  if (gzip_) {
    auto out = co_await inflate();
    co_return out;
  }
  auto bytes = co_await call_.read(true);
  if (!bytes)
    co_return fail(0, {});
  co_return *bytes;
}

awaitable<plain<std::string_view>> upload_body::inflate() {
  for (;;) {
    if (packed_.empty() && !at_end_) {
      auto bytes = co_await call_.read(true);
      if (!bytes)
        co_return fail(0, {});
      packed_ = *bytes;
      at_end_ = packed_.empty();
    }
    auto job = [this] { return gzip_->read(packed_, step_); };
    auto size = co_await offload(pool_, std::move(job));
    if (!size)
      co_return fail(400, "error decompressing request body: gzip: invalid data");
    if (*size > 0)
      co_return std::string_view{step_.data(), *size};
    if (at_end_ && gzip_->complete())
      co_return std::string_view{};
    if (at_end_)
      co_return fail(400, "error decompressing request body: unexpected EOF");
  }
}

} // namespace agentpool::envd
