// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/workers/acp_client.hpp"
#include "protocol/ports/process.hpp"

#include <caf/typed_response_promise.hpp>

#include <variant>

/// Everything that can happen to a worker: each state has one function that says what it makes of each.
namespace agentpool::worker_event {

// -- steps that others did for us; `why` has code `none` when it worked
struct prepared {
  home_paths home;
};
struct unprepared {
  failure why;
};
struct granted {
  failure why;
};
struct opened {
  failure why;
};
struct discarded {
  failure why;
};
struct moved_in {
  failure why;
};
struct bound {
  failure why;
};
struct moved_out {
  brain_session_id brain;
  failure why;
};
struct erased {
  failure why;
};

// -- the process
struct started {
  int32_t pid;
};
struct not_started {
  failure why;
};
struct stderr_line {
  std::string text;
};
struct stdout_ended {
  ports::stdout_end why;
};
struct exited {
  ports::exit_status how;
};

// -- the agent
using answered = acp_answer;
using updated = acp::update;
using asked = acp::permission;
struct broke_protocol {
  failure why;
};

// -- requests; each is answered once
struct assign {
  assignment what;
  session_actor session;
  caf::typed_response_promise<brain_session_id> reply;
};
struct prompt {
  brain_session_id brain;
  turn_id turn;
  std::string blocks;
  caf::typed_response_promise<void> reply;
};
struct cancel {
  brain_session_id brain;
  caf::typed_response_promise<void> reply;
};
struct release {
  brain_session_id brain;
  caf::typed_response_promise<void> reply;
};
struct decide {
  std::string request_id;
  std::string option;
  caf::typed_response_promise<void> reply;
};
struct kill {
  failure why;
};

// -- the rest
struct stop {}; ///< the supervisor wants us to end
struct session_gone {
  caf::actor_addr who;
};
struct tick {
  std::string purpose;
};

using any = std::variant<prepared, unprepared, granted, opened, discarded, moved_in, bound, moved_out, erased,
  started, not_started, stderr_line, stdout_ended, exited, answered, updated, asked, broke_protocol, assign,
  prompt, cancel, release, decide, kill, stop, session_gone, tick>;

} // namespace agentpool::worker_event
