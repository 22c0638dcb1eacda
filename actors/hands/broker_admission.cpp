// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

// How many sandboxes are made at once, and how many there may be.
#include "actors/hands/broker.hpp"

#include <algorithm>

namespace agentpool {

namespace {

bool has_sandbox(const hand_report& report) {
  return report.state == "running" || report.state == "unavailable";
}

} // namespace

/// Creates and reconnects share a few places; who comes first goes first. A create that a bound forbids is
/// refused at once: waiting would not help. A hand asks for one thing at a time: what it asked for before
/// (and did not hear of in time) is forgotten.
caf::result<uint64_t> broker_state::admit(const session_id& session, const device_id& device, bool create) {
  if (auto i = hands_.find(session); i != hands_.end())
    i->second.device = device;
  leave_all(session);
  if (create)
    if (auto why = over_bounds(session, device); why.code != errc::none)
      return to_error(why);
  if (queue_.size() >= defaults::hand_admissions)
    return to_error({errc::overloaded, "too many sandboxes wait to be made; try again in a moment"});
  auto out = self_->make_response_promise<uint64_t>();
  queue_.push_back({out, session, create});
  admit_next();
  return out;
}

failure broker_state::over_bounds(const session_id& session, const device_id& device) const {
  auto making = [&](const session_id& which) {
    auto of = [&](const admission& one) { return one.create && one.session == which; };
    return std::ranges::any_of(queue_, of) ||
           std::ranges::any_of(tickets_, [&](const auto& entry) { return of(entry.second); });
  };
  size_t all = 0, own = 0;
  for (const auto& [id, entry] : hands_) {
    if (id == session || (!has_sandbox(entry.report) && !making(id)))
      continue;
    ++all;
    own += entry.device == device ? 1 : 0;
  }
  const auto& settings = config_.hands.settings;
  if (all >= settings.sandboxes)
    return {errc::world_no_hand,
      "This server has as many sandboxes as it may have; delete sessions that are not needed any more."};
  if (own >= settings.per_device)
    return {errc::world_no_hand,
      "This device has as many sandboxes as it may have; delete sessions that are not needed any more."};
  return {errc::none, {}};
}

void broker_state::admit_next() {
  while (!queue_.empty() && tickets_.size() < config_.hands.settings.creates) {
    auto next = std::move(queue_.front());
    queue_.pop_front();
    auto ticket = ++ticket_counter_;
    auto answer = next.answer;
    tickets_.emplace(ticket, std::move(next));
    answer.deliver(ticket);
  }
}

void broker_state::leave(uint64_t ticket) {
  if (tickets_.erase(ticket) > 0)
    admit_next();
}

void broker_state::leave_all(const session_id& session) {
  std::erase_if(tickets_, [&](const auto& entry) { return entry.second.session == session; });
  std::erase_if(queue_, [&](const admission& one) { return one.session == session; });
  admit_next();
}

} // namespace agentpool
