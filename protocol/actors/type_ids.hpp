// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/actors/interfaces.hpp"

#include <caf/all.hpp>

// The types of our messages. Their numbers travel between nodes: append only, never reorder, never remove.
// The block starts 300 above the atoms, so that both can grow.
CAF_BEGIN_TYPE_ID_BLOCK(agentpool, caf::first_custom_type_id + 300)

  CAF_ADD_TYPE_ID(agentpool, (agentpool::errc))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::failure))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::device_id))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::session_id))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::turn_id))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::worker_id))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::brain_session_id))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::event_row))
  CAF_ADD_TYPE_ID(agentpool, (std::vector<agentpool::event_row>))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::device_row))
  CAF_ADD_TYPE_ID(agentpool, (std::vector<agentpool::device_row>))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::session_row))
  CAF_ADD_TYPE_ID(agentpool, (std::vector<agentpool::session_row>))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::turn_phase))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::turn_row))
  CAF_ADD_TYPE_ID(agentpool, (std::vector<agentpool::turn_row>))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::idempotency_row))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::session_write))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::session_claim))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::event_page))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::session_page))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::live_frame))
  CAF_ADD_TYPE_ID(agentpool, (std::vector<agentpool::live_frame>))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::create_request))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::timer_status))
  CAF_ADD_TYPE_ID(agentpool, (std::vector<agentpool::timer_status>))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::actor_status))
  CAF_ADD_TYPE_ID(agentpool, (std::vector<agentpool::actor_status>))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::world::call))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::world::reply))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::acp::update))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::acp::permission))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::caller))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::idempotency))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::session_view))
  CAF_ADD_TYPE_ID(agentpool, (std::vector<agentpool::session_view>))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::session_list))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::prompt_order))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::prompt_accepted))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::device_created))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::subscribed))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::event_batch))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::take_request))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::assignment))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::prompt_outcome))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::worker_grant))
  CAF_ADD_TYPE_ID(agentpool, (std::vector<agentpool::session_id>))
  CAF_ADD_TYPE_ID(agentpool, (std::optional<agentpool::turn_row>))
  CAF_ADD_TYPE_ID(agentpool, (std::optional<agentpool::brain_session_id>))
  CAF_ADD_TYPE_ID(agentpool, (std::optional<agentpool::idempotency_row>))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::home_paths))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::worker_actor))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::session_actor))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::viewer_actor))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::viewer_order))
  CAF_ADD_TYPE_ID(agentpool, (std::shared_ptr<agentpool::ports::event_sink>))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::hand_use))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::hand_lease))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::hand_outcome))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::hand_report))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::hand_row))
  CAF_ADD_TYPE_ID(agentpool, (std::vector<agentpool::hand_row>))
  CAF_ADD_TYPE_ID(agentpool, (std::optional<agentpool::hand_row>))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::intent_row))
  CAF_ADD_TYPE_ID(agentpool, (std::vector<agentpool::intent_row>))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::intent_write))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::hand_write))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::hand_claim))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::hand_book))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::hand_actor))
  CAF_ADD_TYPE_ID(agentpool, (agentpool::world_actor))
  CAF_ADD_TYPE_ID(agentpool, (std::shared_ptr<agentpool::ports::world_stream>))
  CAF_ADD_TYPE_ID(agentpool, (std::shared_ptr<agentpool::provider_event>))
  CAF_ADD_TYPE_ID(agentpool, (std::shared_ptr<agentpool::world::job>))

CAF_END_TYPE_ID_BLOCK(agentpool)

CAF_ERROR_CODE_ENUM(agentpool::errc)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(std::shared_ptr<agentpool::ports::event_sink>)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(std::shared_ptr<agentpool::ports::world_stream>)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(std::shared_ptr<agentpool::provider_event>)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(std::shared_ptr<agentpool::world::job>)

namespace agentpool {

/// An error as CAF carries it: the code and the detail.
inline caf::error to_error(const failure& why) {
  return why.detail.empty() ? caf::make_error(why.code) : caf::make_error(why.code, why.detail);
}

/// The failure behind a CAF error: ours as it was made; a time-out is `deadline`, a receiver that is gone
/// `overloaded` (ask again), anything else `internal` with CAF's text.
failure to_failure(const caf::error& error);

/// Registers all types. Once per process, before the first actor system.
void register_types();

} // namespace agentpool
