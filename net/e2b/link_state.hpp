// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/ports/http_client.hpp"

#include <mutex>
#include <optional>

namespace agentpool::net {

/// Why a link was closed, for the calls that this ended.
class link_state {
public:
  /// The first reason stays.
  void close(failure why) {
    std::scoped_lock guard{mutex_};
    if (!why_)
      why_ = std::move(why);
  }

  /// `seen`, or the reason of the close when the call ended by it.
  failure explain(failure seen) const {
    std::scoped_lock guard{mutex_};
    return seen.code == errc::cancelled && why_ ? *why_ : seen;
  }

private:
  mutable std::mutex mutex_;
  std::optional<failure> why_;
};

} // namespace agentpool::net
