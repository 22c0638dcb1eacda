// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/store/store_reader.hpp"

#include "actors/log.hpp"

#include <exception>

namespace agentpool {

store_reader_state::store_reader_state(
  store_reader_actor::pointer self, std::unique_ptr<ports::database_reader> reader)
    : self_{self}, reader_{std::move(reader)}, started_{self->clock().now()} {
  self_->set_exit_handler([this](const caf::exit_msg& exit) { self_->quit(exit.reason); });
}

// A connection that throws cannot be used any more: the supervisor starts another actor with a new one.
template <class Read>
auto store_reader_state::answer(Read read) {
  using value = typename decltype(read())::value_type;
  ++reads_;
  auto outcome = [&]() -> result<value> {
    try {
      return read();
    } catch (const std::exception& broken) {
      self_->quit(to_error({errc::store_unavailable, broken.what()}));
      return fail(errc::store_unavailable, broken.what());
    }
  }();
  if (!outcome && outcome.error().code == errc::store_unavailable) {
    last_error_ = outcome.error().text();
    log::store().error("a read failed: {}", last_error_);
  }
  return to_answer(std::move(outcome));
}

store_reader_actor::behavior_type store_reader_state::make_behavior() {
  return {
    [this](status_atom) { return status(); },
    [this](devices_atom) { return answer([this] { return reader_->devices(); }); },
    [this](view_atom, const session_id& id) { return answer([&] { return reader_->session(id); }); },
    [this](list_atom, const device_id& device, const std::string& cursor, uint64_t limit) {
      return answer([&] { return reader_->sessions(device, cursor, limit); });
    },
    [this](events_atom, const session_id& id, uint64_t after, uint64_t max_events, uint64_t max_bytes) {
      return answer([&] { return reader_->events(id, after, max_events, max_bytes); });
    },
    [this](recall_atom, const device_id& device, const std::string& route, const std::string& key) {
      return answer([&] { return reader_->idempotency(device, route, key); });
    },
    [this](open_turns_atom) { return answer([this] { return reader_->sessions_with_open_turns(); }); },
  };
}

actor_status store_reader_state::status() const {
  auto status = base_status(self_, name, "ready", started_);
  status.last_error = last_error_;
  status.detail = json_object{}.add("reads", reads_).str();
  return status;
}

store_reader_actor spawn_store_reader(
  caf::actor_system& sys, std::unique_ptr<ports::database_reader> reader, threading where) {
  return spawn_state<store_reader_actor, store_reader_state>(sys, where, std::move(reader));
}

} // namespace agentpool
