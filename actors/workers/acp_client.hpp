// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/timers.hpp"
#include "protocol/wire/acp.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace agentpool {

/// What came of a call of ours: a result, an error of the agent, or nothing in time.
struct acp_answer {
  std::string method;
  brain_session_id session; ///< as given to `call`
  bool ok = false;
  bool timed_out = false;
  json result;
  int64_t error_code = 0; ///< JSON-RPC's, when the agent sent one
  std::string error_text; ///< of an operator's log: the agent's words, or that it was silent
};

/// The client's side of one ACP connection: gives ids, keeps a deadline per call in the actor's timers, and
/// answers by the book what the agent asks and we do not offer.
class acp_client {
public:
  using timers = timer_set<worker_actor::pointer>;
  /// Writes one line to the agent; false when it takes no more.
  using writer = std::function<bool(std::string line)>;
  /// What one line meant; `monostate`: nothing that concerns the worker.
  using incoming = std::variant<std::monostate, acp_answer, acp::update, acp::permission>;

  acp_client(timers& deadlines, std::string owner, writer write)
      : deadlines_{deadlines}, owner_{std::move(owner)}, write_{std::move(write)} {}

  /// False when the line could not be written: then no answer follows. Without a deadline the caller bounds
  /// the call.
  bool call(std::string_view method, std::string_view params, std::optional<caf::timespan> deadline,
    const brain_session_id& session = {});
  bool notify(std::string_view method, std::string_view params);
  bool respond(std::string_view raw_id, std::string_view result);

  /// Takes one line apart. Fails with protocol_error when it is no JSON-RPC message.
  result<incoming> receive(std::string_view line);

  /// The call whose deadline this timer was, as an answer that did not come.
  std::optional<acp_answer> expired(const std::string& purpose);

private:
  struct pending {
    std::string method;
    brain_session_id session;
    std::string purpose; ///< its timer's
  };

  incoming settle(const acp::message& answer);
  incoming notified(const acp::message& note);
  incoming asked(const acp::message& request);

  timers& deadlines_;
  std::string owner_;
  writer write_;
  int64_t last_id_ = 0;
  std::map<int64_t, pending> pending_;
};

} // namespace agentpool
