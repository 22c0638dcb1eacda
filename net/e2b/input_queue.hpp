// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/e2b/link_state.hpp"
#include "net/http/client/collector.hpp"
#include "protocol/ports/http_client.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>

namespace agentpool::net {

/// Input of processes: one request at a time per process, in the order of the calls. On the thread of `io`.
class input_queue : public std::enable_shared_from_this<input_queue> {
public:
  input_queue(std::weak_ptr<ports::http_client> client, std::shared_ptr<const link_state> state)
      : client_{std::move(client)}, state_{std::move(state)} {}

  /// `process` names the lane.
  void push(ports::operation_id id, std::string process, ports::http_call call, ports::completion<void> done);
  void cancel(ports::operation_id id);
  /// Ends all that waits; what runs ends with its client.
  void close();

private:
  using clock = std::chrono::steady_clock;

  struct item {
    ports::operation_id id;
    ports::http_call call;
    ports::completion<void> done;
    clock::time_point since;
  };
  struct lane {
    std::deque<item> waiting;
    size_t bytes = 0; ///< of what waits
    ports::operation_id running = 0;
    ports::operation_id exchange = 0;
  };

  void run_next(const std::string& process);
  void answered(const std::string& process, const http_answer& answer, const ports::completion<void>& done);
  void refuse(const item& one, failure why);

  std::weak_ptr<ports::http_client> client_;
  std::shared_ptr<const link_state> state_;
  std::unordered_map<std::string, lane> lanes_;
  bool closed_ = false;
};

} // namespace agentpool::net
