// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/store/store.hpp"

#include "actors/log.hpp"

#include <algorithm>
#include <exception>
#include <iterator>

namespace agentpool {

namespace {

constexpr auto expire_purpose = "expire_idempotency";

} // namespace

store_state::store_state(store_actor::pointer self, std::unique_ptr<ports::database> database,
  const ports::wall_clock& clock, store_settings settings)
    : self_{self}, database_{std::move(database)}, clock_{clock}, settings_{settings}, timers_{self, name},
      started_{self->clock().now()} {
  self_->set_exit_handler([this](const caf::exit_msg& exit) { stop(exit.reason); });
  timers_.arm(expire_purpose, settings_.idempotency_sweep);
}

store_actor::behavior_type store_state::make_behavior() {
  return {
    [this](status_atom) { return status(); },
    [this](append_atom, session_write& write) { return gather<void>(std::move(write)); },
    [this](claim_atom, session_id& id) { return gather<session_claim>(ports::claim_session{std::move(id)}); },
    [this](create_atom, device_row& row) { return gather<void>(ports::create_device{std::move(row)}); },
    [this](create_atom, session_row& row, std::vector<event_row>& events,
      std::optional<idempotency_row>& once, uint32_t limit) {
      return gather<void>(ports::create_session{std::move(row), std::move(events), std::move(once), limit});
    },
    [this](erase_atom, session_id& id, uint64_t epoch) {
      return gather<void>(ports::delete_session{std::move(id), epoch});
    },
    [this](hand_atom, session_id& id) { return gather<hand_claim>(ports::claim_hand{std::move(id)}); },
    [this](append_atom, hand_write& write) { return gather<void>(std::move(write)); },
    [this](append_atom, intent_write& write) { return gather<void>(std::move(write)); },
    [this](append_atom, session_id& id, idempotency_row& row) {
      return gather<void>(ports::remember_answer{std::move(id), std::move(row)});
    },
    [this](hands_atom, bool fence) { return gather<hand_book>(ports::read_hands{fence}); },
    [this](commit_atom) { commit(); },
    [this](timer_atom, const std::string& purpose, uint64_t armed) { expire(purpose, armed); },
  };
}

template <class T>
caf::result<T> store_state::gather(ports::store_op op) {
  if (gathered_.size() >= settings_.queue) {
    ++refused_;
    return to_error({errc::overloaded, "too many writes wait for the database; try again in a moment"});
  }
  auto promise = self_->make_response_promise<T>();
  enqueue({std::move(op), [promise](result<ports::store_answer>& answer) mutable {
             if (!answer)
               promise.deliver(to_error(answer.error()));
             else if constexpr (std::is_void_v<T>)
               promise.deliver();
             else
               promise.deliver(std::move(std::get<T>(*answer)));
           }});
  return promise;
}

void store_state::enqueue(waiting_write write) {
  gathered_.push_back(std::move(write));
  if (gathered_.size() == 1)
    self_->send(self_, commit_atom_v);
}

// What does not fit into this commit waits for another tick, so that new writes join it.
void store_state::commit() {
  auto size = std::min(gathered_.size(), settings_.commit_batch);
  if (size == 0)
    return;
  auto end = gathered_.begin() + static_cast<std::ptrdiff_t>(size);
  std::vector<waiting_write> batch{std::move_iterator{gathered_.begin()}, std::move_iterator{end}};
  gathered_.erase(gathered_.begin(), end);
  if (apply(std::move(batch)) && !gathered_.empty())
    self_->send(self_, commit_atom_v);
}

// False: the database is not usable any more and the actor ends.
bool store_state::apply(std::vector<waiting_write> batch) {
  std::vector<ports::store_op> ops;
  ops.reserve(batch.size());
  for (auto& write : batch)
    ops.push_back(std::move(write.op));
  std::vector<result<ports::store_answer>> answers;
  try {
    answers = database_->apply(ops);
  } catch (const std::exception& broken) {
    return fail_with(broken.what(), batch), false;
  }
  if (answers.size() != batch.size())
    return fail_with("the database answered another number of writes than it was given", batch), false;
  note(answers);
  for (size_t i = 0; i < batch.size(); ++i)
    batch[i].answer(answers[i]);
  return true;
}

void store_state::note(const std::vector<result<ports::store_answer>>& answers) {
  ++commits_;
  writes_ += answers.size();
  auto lost = std::ranges::find_if(
    answers, [](const auto& answer) { return !answer && answer.error().code == errc::store_unavailable; });
  if (lost == answers.end())
    return;
  last_error_ = lost->error().text();
  log::store().error("a commit of {} writes failed: {}", answers.size(), last_error_);
}

void store_state::fail_with(const std::string& why, std::vector<waiting_write>& batch) {
  log::store().critical("the database cannot be used any more and is opened anew: {}", why);
  result<ports::store_answer> answer = fail(errc::store_unavailable, why);
  for (auto& write : batch)
    write.answer(answer);
  for (auto& write : gathered_)
    write.answer(answer);
  gathered_.clear();
  self_->quit(to_error({errc::store_unavailable, why}));
}

void store_state::expire(const std::string& purpose, uint64_t armed) {
  if (!timers_.fired(purpose, armed))
    return;
  timers_.arm(expire_purpose, settings_.idempotency_sweep);
  auto keep = std::chrono::duration_cast<std::chrono::milliseconds>(settings_.idempotency_keep).count();
  enqueue({ports::expire_idempotency{clock_.now() - keep}, [](result<ports::store_answer>&) {}});
}

void store_state::stop(const caf::error& reason) {
  while (!gathered_.empty())
    commit();
  self_->quit(reason);
}

actor_status store_state::status() const {
  auto status = base_status(self_, name, gathered_.empty() ? "idle" : "gathering", started_);
  status.last_error = last_error_;
  status.detail = json_object{}
                    .add("waiting", uint64_t{gathered_.size()})
                    .add("writes", writes_)
                    .add("commits", commits_)
                    .add("refused", refused_)
                    .str();
  return status;
}

store_actor spawn_store(caf::actor_system& sys, std::unique_ptr<ports::database> database,
  const ports::wall_clock& clock, store_settings settings, threading where) {
  return spawn_state<store_actor, store_state>(sys, where, std::move(database), std::ref(clock), settings);
}

} // namespace agentpool
