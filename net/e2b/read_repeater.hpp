// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/e2b/limits.hpp"
#include "net/e2b/options.hpp"
#include "net/http/client/collector.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace agentpool::net {

/// Sends calls that change nothing, and sends them again at once when a gateway failed them or their
/// connection broke: proxies that kept the route of an earlier sandbox fail a share of all calls. Safe from
/// any thread.
class read_repeater : public std::enable_shared_from_this<read_repeater> {
public:
  read_repeater(std::weak_ptr<ports::http_client> client, std::shared_ptr<e2b_counters> counters)
      : client_{std::move(client)}, counters_{std::move(counters)} {}

  /// `done` gets the last answer. The id is good for `cancel`; 0 = the client is gone.
  ports::operation_id send(ports::http_call call, std::function<void(http_answer)> done);
  /// The id by which the client knows it now.
  ports::operation_id current(ports::operation_id id) const;

private:
  struct read;

  ports::operation_id attempt(const std::shared_ptr<read>& one);
  void answered(const std::shared_ptr<read>& one, http_answer answer);
  bool again(read& one, const http_answer& answer);

  std::weak_ptr<ports::http_client> client_;
  std::shared_ptr<e2b_counters> counters_;
  mutable std::mutex mutex_;
  std::unordered_map<ports::operation_id, ports::operation_id> repeated_; ///< by the id that was given out
};

} // namespace agentpool::net
