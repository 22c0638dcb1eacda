// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandboxd/envd/gzip.hpp"
#include "sandboxd/envd/http_call.hpp"
#include "sandboxd/envd/upload.hpp"

#include <memory>
#include <string_view>
#include <vector>

namespace agentpool::envd {

/// The body of an upload without its content coding, in steps: however much comes out of it, no more than two
/// of them are in memory.
class upload_body {
public:
  upload_body(http_call& call, asio::thread_pool& pool) : call_(call), pool_(pool) {}

  /// Before the first `read`: 400 for a coding that is unknown, and for what is not in it from the start.
  awaitable<plain<void>> begin();
  /// Valid until the next call; empty at the end. Status 0: the peer is gone, nothing can be answered.
  awaitable<plain<std::string_view>> read();

private:
  awaitable<plain<std::string_view>> inflate();

  http_call& call_;
  asio::thread_pool& pool_;
  std::unique_ptr<gzip_reader> gzip_;
  std::vector<char> step_;
  std::string_view packed_, first_;
  bool at_end_ = false;
};

} // namespace agentpool::envd
