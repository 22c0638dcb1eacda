// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/e2b/api_operation.hpp"
#include "protocol/wire/e2b.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>
#include <string>
#include <unordered_map>

namespace agentpool::net {

/// The calls of `ports::sandbox_api` on the thread of `io`. Remembers which generation of create and connect
/// the provider serves: the newer one is asked first, and what a 404 or 405 means is known once the newer one
/// has worked.
class api_core : public std::enable_shared_from_this<api_core> {
public:
  api_core(boost::asio::io_context& io, e2b_options options);

  void create(ports::operation_id id, ports::sandbox_spec spec, ports::call_limits limits,
    ports::completion<ports::sandbox_access> done);
  void connect(ports::operation_id id, std::string sandbox, std::chrono::seconds timeout,
    ports::call_limits limits, ports::completion<ports::sandbox_connected> done);
  void info(ports::operation_id id, std::string sandbox, ports::call_limits limits,
    ports::completion<std::optional<ports::sandbox_info>> done);
  void list(ports::operation_id id, ports::sandbox_query query, ports::call_limits limits,
    ports::completion<ports::sandbox_page> done);
  void kill(
    ports::operation_id id, std::string sandbox, ports::call_limits limits, ports::completion<bool> done);
  void set_timeout(ports::operation_id id, std::string sandbox, std::chrono::seconds timeout,
    ports::call_limits limits, ports::completion<void> done);
  void refresh(ports::operation_id id, std::string sandbox, std::chrono::seconds timeout,
    ports::call_limits limits, ports::completion<void> done);
  void pause(ports::operation_id id, std::string sandbox, bool keep_memory, ports::call_limits limits,
    ports::completion<bool> done);
  void cancel(ports::operation_id id);
  void close();

private:
  using operation = std::shared_ptr<api_operation>;
  enum class generation : uint8_t { unknown, v1, v2 };

  operation begin(ports::operation_id id, const ports::call_limits& limits, effect what,
    std::function<void(failure)> failed);
  /// Sends to the newer path and, where that is not served, to the older one.
  void send_either(const operation& op, generation api_core::*known, api_request newer, api_request older,
    api_operation::next then);
  void connect_steps(
    const operation& op, const std::string& sandbox, std::chrono::seconds timeout, api_operation::next then);
  /// A connect that says nothing of the sandbox: it was told the timeout, and is asked what it is.
  void confirm(const operation& op, const std::string& sandbox, std::chrono::seconds timeout,
    std::function<void()> runs);
  void timeout_steps(const operation& op, const std::string& sandbox, std::chrono::seconds timeout,
    ports::completion<void> done);
  void explain_timeout(const operation& op, const std::string& sandbox, std::chrono::seconds timeout,
    ports::completion<void> done);
  void kill_steps(
    const operation& op, const std::string& sandbox, bool resumed, ports::completion<bool> done);

  boost::asio::io_context& io_;
  e2b_options options_;
  std::shared_ptr<ports::http_client> client_;
  std::unordered_map<ports::operation_id, operation> operations_;
  generation create_;
  generation connect_;
  bool closed_ = false;
};

} // namespace agentpool::net
