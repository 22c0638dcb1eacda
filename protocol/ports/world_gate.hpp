// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/errors.hpp"
#include "protocol/wire/ids.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace agentpool::ports {

/// Opens and closes the workers' world sockets. Every call returns at once; callbacks come on an unspecified
/// thread.
class world_gate {
public:
  virtual ~world_gate() = default;

  /// Listens on the unix socket `path`, which only `uid` may connect to, and takes requests on it for calls
  /// of `worker`.
  virtual void open(const worker_id& worker, const std::string& path, std::optional<uint32_t> uid,
    std::function<void(result<void>)> done) = 0;

  /// Closes the listener and every connection on it.
  virtual void close(const worker_id& worker) = 0;
};

} // namespace agentpool::ports
