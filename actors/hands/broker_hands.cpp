// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

// The hands: which there are, starting, restarting and ending them.
#include "actors/hands/broker.hpp"
#include "actors/log.hpp"

#include <algorithm>
#include <utility>

namespace agentpool {

/// Nothing that an earlier owner began counts any more; every hand with a sandbox is here again.
void broker_state::load() {
  auto retry = [this](const failure& why) {
    last_error_ = why.text();
    log::worker().error("the hands cannot be read from the store yet: {}", last_error_);
    self_->run_delayed(10 * defaults::restart_backoff, [this] { load(); });
  };
  auto store = find_store(self_->system());
  if (!store)
    return retry(not_there(names::store));
  self_->request(store, defaults::store_deadline, hands_atom_v, true)
    .then(
      [this](const hand_book& book) {
        config_.hands.node = book.node;
        loaded_ = true;
        for (const auto& row : book.hands)
          if (!row.sandbox.empty())
            start(row.session, true).device = row.device;
        for (auto& then : std::exchange(waiting_, {}))
          then();
      },
      [retry](const caf::error& why) { retry(to_failure(why)); });
}

void broker_state::with_hands(std::function<void()> then) {
  loaded_ ? then() : waiting_.push_back(std::move(then)); // bounded by the sockets and the gateway
}

broker_state::hand_entry& broker_state::start(const session_id& session, bool bound) {
  auto& entry = hands_[session];
  if (!entry.hand)
    start_hand(session, entry, bound);
  if (!entry.world)
    start_world(session, entry);
  return entry;
}

void broker_state::start_hand(const session_id& session, hand_entry& entry, bool bound) {
  entry.restarting = entry.erasing = false;
  entry.hand = spawn_hand(self_->system(), config_.hands, session, bound);
  self_->monitor(entry.hand);
  children_.emplace(entry.hand.address(), session);
  if (entry.world) // it talks to the hand that ended
    self_->send_exit(std::exchange(entry.world, nullptr), caf::exit_reason::user_shutdown);
}

void broker_state::start_world(const session_id& session, hand_entry& entry) {
  if (!config_.world)
    return;
  entry.world = config_.world(self_->system(), session, entry.hand);
  self_->monitor(entry.world);
  children_.emplace(entry.world.address(), session);
  self_->send(entry.hand, watch_atom_v, entry.world);
  if (auto actor = session_of(session))
    self_->send(entry.world, watch_atom_v, actor);
}

result<world_actor> broker_state::world_of(const session_id& session) {
  if (!config_.hands.provider || !config_.world)
    return fail(errc::world_no_hand);
  if (auto i = hands_.find(session); i != hands_.end()) {
    if (i->second.quarantined.code != errc::none)
      return tl::unexpected{i->second.quarantined};
    if (i->second.restarting)
      return fail(errc::world_no_hand, "The session's sandbox is being looked after; try again in a moment.");
  }
  return start(session, false).world;
}

/// A hand that ended in order was closed, or is being stopped. A world is started anew at its next use.
void broker_state::child_ended(const session_id& session, const caf::down_msg& down) {
  auto i = hands_.find(session);
  if (i == hands_.end())
    return;
  auto& entry = i->second;
  bool orderly =
    !down.reason || down.reason == caf::exit_reason::normal || down.reason == caf::exit_reason::user_shutdown;
  if (entry.world && down.source == entry.world.address()) {
    entry.world = nullptr;
    if (!orderly)
      last_error_ = "the world of " + session.value + " ended: " + to_failure(down.reason).text();
    return;
  }
  if (!entry.hand || down.source != entry.hand.address())
    return; // one that was replaced
  entry.hand = nullptr;
  leave_all(session);
  orderly ? forget(session) : hand_failed(session, entry, down.reason);
}

/// What it had in memory is gone; the store knows whether there is a sandbox.
void broker_state::hand_failed(const session_id& session, hand_entry& entry, const caf::error& reason) {
  auto now = self_->clock().now();
  entry.failures.push_back(now);
  while (now - entry.failures.front() > defaults::restart_period)
    entry.failures.pop_front();
  auto why = to_failure(reason);
  last_error_ = "the hand of " + session.value + " failed: " + why.text();
  if (entry.failures.size() > defaults::restart_intensity) {
    entry.quarantined = {errc::world_no_hand, "The part of this server that looks after the session's "
                                              "sandbox failed too often and is quarantined; an "
                                              "operator can see why."};
    log::worker().error("the hand of {} is quarantined: {}", session.value, why.text());
    return;
  }
  ++restarts_;
  entry.restarting = true;
  log::worker().warn("the hand of {} failed and starts again: {}", session.value, why.text());
  self_->run_delayed(defaults::restart_backoff, [this, session] {
    if (auto i = hands_.find(session); i != hands_.end() && i->second.restarting)
      start_hand(session, i->second, true);
  });
}

void broker_state::forget(const session_id& session) {
  auto node = hands_.extract(session);
  if (node.empty())
    return;
  leave_all(session);
  for (auto addr : {node.mapped().hand ? node.mapped().hand.address() : caf::actor_addr{},
         node.mapped().world ? node.mapped().world.address() : caf::actor_addr{}})
    children_.erase(addr);
  if (node.mapped().world)
    self_->send_exit(node.mapped().world, caf::exit_reason::user_shutdown);
  if (node.mapped().hand)
    self_->send_exit(node.mapped().hand, caf::exit_reason::user_shutdown);
}

/// A hand without a sandbox has nothing to look after while no brain speaks for its session.
void broker_state::forget_if_idle(const session_id& session) {
  auto i = hands_.find(session);
  if (i == hands_.end() || i->second.quarantined.code != errc::none || i->second.restarting ||
      i->second.erasing)
    return;
  const auto& report = i->second.report;
  if ((report.state == "none" || report.state == "lost") && report.in_flight == 0 && !is_bound(session))
    forget(session);
}

/// An App that looked into a session without a sandbox left a hand behind.
void broker_state::tidy() {
  timers_.arm("idle hands leave memory", defaults::hand_tidy);
  std::vector<session_id> all;
  for (const auto& [session, entry] : hands_)
    all.push_back(session);
  for (const auto& session : all)
    forget_if_idle(session);
}

bool broker_state::is_bound(const session_id& session) const {
  return static_cast<bool>(session_of(session));
}

session_actor broker_state::session_of(const session_id& session) const {
  for (const auto& [worker, rights] : workers_)
    for (const auto& [brain, bound] : rights.sessions)
      if (bound.session == session)
        return bound.actor;
  return {};
}

/// A session whose hand is not in memory may have been lost or never had one: the store is asked by the hand
/// itself.
caf::result<void> broker_state::erase(const session_id& session) {
  if (!config_.hands.provider)
    return caf::unit;
  auto out = self_->make_response_promise<void>();
  with_hands([this, session, out]() mutable {
    auto i = hands_.find(session);
    if (i == hands_.end())
      return out.deliver();
    if (!i->second.hand) { // failed or quarantined: the deletion is what it is still good for
      i->second.quarantined = {errc::none, {}};
      start_hand(session, i->second, true);
    }
    i->second.erasing = true;
    out.delegate(i->second.hand, erase_atom_v);
  });
  return out;
}

void broker_state::note(const session_id& session, hand_report report) {
  auto i = hands_.find(session);
  if (i == hands_.end())
    return;
  i->second.report = std::move(report);
}

caf::result<std::vector<actor_status>> broker_state::hand_statuses() {
  struct collected {
    std::vector<actor_status> list;
    size_t open = 1;
    caf::typed_response_promise<std::vector<actor_status>> out;
    void one_answered() {
      if (--open == 0)
        out.deliver(std::move(list));
    }
  };
  auto all = std::make_shared<collected>();
  all->out = self_->make_response_promise<std::vector<actor_status>>();
  for (const auto& [session, entry] : hands_) {
    auto silent = [session, entry = &entry](std::string state, std::string why) {
      actor_status out;
      out.kind = hand_state::name;
      out.id = session.value;
      out.state = std::move(state);
      out.restarts = entry->failures.size();
      out.last_error = std::move(why);
      return out;
    };
    if (!entry.hand) {
      all->list.push_back(entry.restarting ? silent("restarting", last_error_)
                                           : silent("quarantined", entry.quarantined.text()));
      continue;
    }
    ++all->open;
    self_->request(entry.hand, defaults::status_deadline, status_atom_v)
      .then(
        [all](actor_status& status) {
          all->list.push_back(std::move(status));
          all->one_answered();
        },
        [all, id = session.value](const caf::error& why) {
          actor_status status;
          status.kind = hand_state::name;
          status.id = id;
          status.state = "no answer";
          status.last_error = to_failure(why).text();
          all->list.push_back(std::move(status));
          all->one_answered();
        });
  }
  auto out = all->out;
  all->one_answered();
  return out;
}

/// Looking starts nothing.
caf::result<std::string> broker_state::trace(const session_id& session, turn_id turn) {
  auto i = hands_.find(session);
  if (i == hands_.end() || !i->second.world)
    return to_error({errc::not_found, {}});
  auto out = self_->make_response_promise<std::string>();
  out.delegate(i->second.world, trace_atom_v, std::move(turn));
  return out;
}

/// The sandboxes stay; the hands find them again.
void broker_state::stop(const caf::error& reason) {
  for (auto& [session, entry] : hands_) {
    if (entry.world)
      self_->send_exit(entry.world, caf::exit_reason::user_shutdown);
    if (entry.hand)
      self_->send_exit(entry.hand, caf::exit_reason::user_shutdown);
  }
  self_->quit(reason);
}

} // namespace agentpool
