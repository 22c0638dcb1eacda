// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/actors/interfaces.hpp"

#include <caf/typed_response_promise.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace agentpool {

/// What a worker is doing with a session that it holds.
enum class hold_step : uint8_t {
  moving_in,  ///< homes renames the log into our home
  binding,    ///< the broker learns who may speak for it
  opening,    ///< session/new, resume or load is in the brain
  replaying,  ///< the brain resumed it and may still repeat old updates
  ready,      ///< prompts can come
  closing,    ///< session/close is in the brain
  moving_out, ///< homes renames the log back to rest
};

/// One session that a worker holds.
struct held_session {
  assignment what;
  session_actor session;
  brain_session_id brain; ///< empty until a new one has its name
  hold_step step = hold_step::moving_in;
  bool log_inside = false; ///< its log is, or may be, in our home
  bool bound = false;
  bool replayed = false;                  ///< the brain repeated old updates
  bool quiet = false;                     ///< repeated updates are dropped
  size_t tries = 0;                       ///< of session/resume
  turn_id turn;                           ///< the prompt in flight; empty: none
  caf::actor_clock::time_point last_sign; ///< when something last happened in it
  bool cancelled = false;
  bool told = false;                 ///< the session knows that this worker is no longer its own
  std::set<std::string> permissions; ///< raw ids of undecided requests
  caf::typed_response_promise<brain_session_id> opened;
  std::optional<caf::typed_response_promise<void>> released;
};

} // namespace agentpool
