// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

// From nothing to a recorded sandbox.
#include "actors/hands/hand.hpp"
#include "actors/log.hpp"
#include "protocol/wire/crash_point.hpp"

#include <utility>

namespace agentpool {

namespace {

std::chrono::seconds in_seconds(caf::timespan time) {
  return std::max(std::chrono::seconds{1}, std::chrono::ceil<std::chrono::seconds>(time));
}

/// What the model may read: never the provider's own words.
failure for_the_model(const failure& why) {
  if (why.code == errc::world_no_hand || why.code == errc::overloaded || why.code == errc::store_unavailable)
    return why;
  return {
    errc::world_no_hand, "The session's sandbox could not be made. " + std::string{describe(why.code).text}};
}

} // namespace

void hand_state::begin_create() {
  step_ = step::claim;
  for (auto& one : waiting_)
    one.until = std::max(one.until, self_->clock().now() + defaults::hand_wait);
  arm_patience();
  enter(hand_phase::creating);
  claimed_ ? admit(true) : claim();
}

/// From now on an earlier owner of the row writes nothing any more.
void hand_state::claim() {
  auto store = find_store(self_->system());
  if (!store)
    return dispatch(hand_events::failed{not_there(names::store)});
  claiming_ = true;
  self_->request(store, defaults::store_deadline, hand_atom_v, session_)
    .then(
      [this](hand_claim& claim) {
        claiming_ = false;
        claimed_ = true;
        row_ = std::move(claim.row);
        dispatch(hand_events::claimed{});
      },
      [this](const caf::error& why) {
        claiming_ = false;
        if (phase_ == hand_phase::closing && to_failure(why).code == errc::not_found)
          return closed();
        dispatch(hand_events::failed{to_failure(why)});
      });
}

void hand_state::admit(bool create) {
  step_ = step::admission;
  auto broker = find_broker(self_->system());
  if (!broker)
    return dispatch(hand_events::failed{not_there(names::broker)});
  self_->request(broker, defaults::hand_lease, admit_atom_v, session_, row_.device, create)
    .then(
      [this, turn = turn_](uint64_t ticket) {
        if (turn != turn_)
          return give_ticket_back(ticket);
        ticket_ = ticket;
        dispatch(hand_events::admitted{});
      },
      [this, turn = turn_](const caf::error& why) {
        if (turn == turn_)
          dispatch(hand_events::failed{to_failure(why)});
      });
}

void hand_state::leave_admission() {
  if (ticket_ != 0)
    give_ticket_back(std::exchange(ticket_, 0));
}

void hand_state::give_ticket_back(uint64_t ticket) {
  if (auto broker = find_broker(self_->system()))
    self_->send(broker, give_back_atom_v, ticket);
}

intent_row hand_state::new_intent(std::string_view kind, std::string sandbox, std::string detail) const {
  intent_row out;
  out.id = random_id("int_");
  out.session = session_;
  out.epoch = row_.epoch;
  out.kind = kind;
  out.sandbox = std::move(sandbox);
  out.detail = std::move(detail);
  out.created = now();
  return out;
}

void hand_state::write_intent() {
  step_ = step::intent;
  auto intent = new_intent(intent_kind::create, {}, "a sandbox is being created");
  intent_ = intent.id;
  write(row_, {{std::move(intent)}, {stale_.begin(), stale_.end()}});
}

void hand_state::ask_create() {
  step_ = step::provider;
  crash_point("hand.create.before");
  const auto& settings = config_.settings;
  ports::sandbox_spec spec;
  spec.template_id = settings.template_id;
  spec.timeout = in_seconds(settings.timeout);
  spec.auto_pause = true; // when nobody refreshes it (the daemon was down for long), its files are kept
  spec.metadata = {{sandbox_label::node, config_.node}, {sandbox_label::session, session_.value},
    {sandbox_label::intent, intent_}};
  auto op = begin_call(hand_call::create, settings.create_deadline);
  port_call_ = config_.provider->create(
    std::move(spec), within(settings.create_deadline), mail(op).answer<ports::sandbox_access>());
}

/// Durable before it is used: the nonce is ours from the first moment, and the sandbox is never forgotten.
void hand_state::record(const ports::sandbox_access& access) {
  crash_point("hand.create.after");
  step_ = step::record;
  auto next = row_;
  next.sandbox = access.id;
  next.template_id = access.template_id.empty() ? config_.settings.template_id : access.template_id;
  next.state = "new";
  ++next.generation;
  ++next.continuity;
  next.nonce = random_token("");
  next.boot_marker = random_id("boot_");
  next.envd_token = access.envd_token;
  next.traffic_token = access.traffic_token;
  next.domain = access.domain;
  next.envd_version = access.envd_version;
  write(std::move(next), {{}, {intent_}});
}

/// Nothing was made. Who waits is told; the next operation tries again.
void hand_state::cannot_create(const failure& why) {
  log::worker().error("no sandbox for {}: {}", session_.value, why.text());
  last_error_ = why.text();
  leave_admission();
  if (auto intent = std::exchange(intent_, {}); !intent.empty())
    remove_intent(intent);
  enter(without_sandbox());
  fail_waiting(for_the_model(why));
  report();
  if (bound_ && !claimed_)
    timers_.arm(hand_timers::retry, defaults::hand_backoff_max / 10);
}

/// While it stays the reaper takes the create for one that is going on: it is tried again with the next one.
void hand_state::remove_intent(const std::string& intent) {
  stale_.insert(intent);
  if (auto store = find_store(self_->system()))
    self_->request(store, defaults::store_deadline, append_atom_v, intent_write{{}, {intent}})
      .then([this, intent] { stale_.erase(intent); }, [](const caf::error&) {});
}

/// It may have been made: the reaper finds it by its metadata, because no row knows it.
void hand_state::outcome_unknown(const failure& why) {
  cannot_create({errc::outcome_unknown, why.detail});
}

/// A new sandbox that cannot be verified was never used: it goes, and nobody tries it again.
void hand_state::abandon(const std::string& why) {
  log::worker().error("the new sandbox {} of {} is given up: {}", row_.sandbox, session_.value, why);
  last_error_ = why;
  auto next = row_;
  debt_ = new_intent(intent_kind::kill, next.sandbox, "a new sandbox that could not be verified");
  loss_ = row_.notice;
  next.sandbox.clear();
  next.state = row_.notice.empty() ? "none" : "lost";
  fail_waiting({errc::world_no_hand,
    "The session's sandbox was made but does not answer; it is taken away. Try again in a while."});
  enter(hand_phase::quarantined);
  write(std::move(next), {{*debt_}, {}});
}

} // namespace agentpool
