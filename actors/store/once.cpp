// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/store/once.hpp"

#include "actors/directory.hpp"

namespace agentpool {

namespace {

// Worth another try with the same key: nothing of it is remembered.
bool passing(int status) {
  return status == 429 || status >= 500;
}

} // namespace

once_state::once_state(once_actor::pointer self, const ports::wall_clock& clock, size_t limit)
    : self_{self}, clock_{clock}, limit_{limit}, started_{self->clock().now()} {
  self_->set_exit_handler([this](const caf::exit_msg& exit) { self_->quit(exit.reason); });
}

once_actor::behavior_type once_state::make_behavior() {
  return {
    [this](status_atom) { return status(); },
    [this](begin_atom, idempotency_row& asked) { return begin(asked); },
    [this](ended_atom, const session_id& session, idempotency_row& row) { return end(session, row); },
  };
}

caf::result<idempotency_row> once_state::begin(idempotency_row& asked) {
  if (auto same = running_.find(key_of(asked)); same != running_.end())
    return to_error(
      {same->second == asked.request_hash ? errc::idempotency_in_progress : errc::idempotency_mismatch, {}});
  if (running_.size() >= limit_)
    return to_error({errc::overloaded, "too many requests with an Idempotency-Key are under way"});
  running_.emplace(key_of(asked), asked.request_hash);
  auto answer = self_->make_response_promise<idempotency_row>();
  recall(asked, answer);
  return answer;
}

void once_state::recall(const idempotency_row& asked, caf::typed_response_promise<idempotency_row> answer) {
  auto reader = find_reader(self_->system());
  if (!reader) {
    running_.erase(key_of(asked));
    return answer.deliver(to_error(not_there(names::store_reader)));
  }
  self_->request(reader, defaults::store_deadline, recall_atom_v, asked.device, asked.route, asked.key)
    .then(
      [this, asked, answer](idempotency_row& known) mutable {
        running_.erase(key_of(asked));
        if (known.request_hash != asked.request_hash)
          return answer.deliver(to_error({errc::idempotency_mismatch, {}}));
        ++repeated_;
        answer.deliver(std::move(known));
      },
      [this, asked, answer](caf::error& why) mutable {
        if (to_failure(why).code == errc::not_found)
          return answer.deliver(std::move(asked)); // new: it is under way from now on
        running_.erase(key_of(asked));
        answer.deliver(std::move(why));
      });
}

caf::result<void> once_state::end(const session_id& session, idempotency_row& row) {
  auto store = find_store(self_->system());
  if (passing(row.status) || !store) {
    running_.erase(key_of(row));
    return caf::unit;
  }
  row.created = clock_.now();
  auto answer = self_->make_response_promise<void>();
  // It was done: that its answer cannot be kept is no reason to hide it.
  auto over = [this, key = key_of(row), answer]() mutable {
    running_.erase(key);
    answer.deliver();
  };
  self_->request(store, defaults::store_deadline, append_atom_v, session, std::move(row))
    .then([over]() mutable { over(); }, [over](const caf::error&) mutable { over(); });
  return answer;
}

actor_status once_state::status() const {
  auto status = base_status(self_, name, "ready", started_);
  status.detail = json_object{}.add("running", running_.size()).add("repeated", repeated_).str();
  return status;
}

once_actor spawn_once(caf::actor_system& sys, const ports::wall_clock& clock, size_t limit) {
  return spawn_state<once_actor, once_state>(sys, threading::shared, clock, limit);
}

} // namespace agentpool
