// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/e2b/faults.hpp"
#include "net/e2b/options.hpp"
#include "protocol/ports/sandbox.hpp"

#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace agentpool::net {

/// One request of the control plane.
struct api_request {
  std::string method = "GET";
  std::string path; ///< below the API's URL
  std::string body; ///< JSON; empty = none
  bool repeatable = true;
  /// Whether a refusal that looks passing is the last word all the same; null = it is not.
  bool (*settled)(const http_answer&) = nullptr;
};

/// One call of the control plane from its start to its end: requests one after another, each repeated where
/// that is safe, all within the call's deadline. Used on one thread.
class api_operation : public std::enable_shared_from_this<api_operation> {
public:
  using next = std::function<void(http_answer)>;

  api_operation(boost::asio::io_context& io, const e2b_options& options,
    std::shared_ptr<ports::http_client> client, ports::call_limits limits, effect what,
    std::function<void(failure)> failed);

  /// Sends `request`; `then` gets the last answer, good or bad. Not called any more after the end.
  void send(api_request request, next then);
  void cancel();

  effect what() const { return what_; }
  bool ended() const { return ended_; }
  /// Marks the end; true for the first caller, who then calls the completion.
  bool finish();
  void fail(failure why);
  void fail(const http_answer& answer) { fail(api_failure(answer, what_)); }

  std::function<void()> on_finished; ///< set by the owner

private:
  using clock = std::chrono::steady_clock;

  void attempt();
  void answered(http_answer answer);
  std::optional<std::chrono::milliseconds> pause_before_repeat(const http_answer& answer) const;
  std::optional<std::chrono::milliseconds> left() const;
  ports::http_call make_call() const;

  const e2b_options& options_;
  std::shared_ptr<ports::http_client> client_;
  ports::call_limits limits_;
  effect what_;
  std::function<void(failure)> failed_;
  clock::time_point started_ = clock::now();
  boost::asio::steady_timer timer_;
  api_request request_;
  next then_;
  size_t tries_ = 0;
  ports::operation_id exchange_ = 0;
  bool ended_ = false;
};

} // namespace agentpool::net
