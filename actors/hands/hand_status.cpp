// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

// What others hear and see of a hand.
#include "actors/hands/hand.hpp"

#include <algorithm>

namespace agentpool {

/// Somebody waited for it in vain, and it did not answer since.
bool hand_state::is_missed() const {
  return missed_ || told_.state == "unavailable" || (tries_ > 1 && is_wanted());
}

/// Without a sandbox, but not at rest: it must not leave memory now.
bool hand_state::is_busy() const {
  bool has_none = phase_ == hand_phase::absent || phase_ == hand_phase::lost ||
                  phase_ == hand_phase::creating || phase_ == hand_phase::quarantined;
  return has_none && (claiming_ || settling_ || writes_ > 0 || !open_.empty() || !waiting_.empty());
}

/// In the words of `hand_report`. A hand that is being checked counts as running until somebody waits for it
/// in vain.
std::string hand_state::public_state() const {
  switch (phase_) {
  case hand_phase::absent: return claiming_ && bound_ ? "running" : "none";
  case hand_phase::creating: return "creating";
  case hand_phase::verifying: return fresh() ? "creating" : is_missed() ? "unavailable" : "running";
  case hand_phase::ready: return "running";
  case hand_phase::reconnecting: return is_missed() ? "unavailable" : "running";
  case hand_phase::lost:
  case hand_phase::quarantined: return "lost";
  default: return "closing";
  }
}

hand_report hand_state::current() const {
  auto working = std::ranges::count_if(leases_, [](const auto& entry) { return !entry.second.left; });
  hand_report out{public_state(), row_.generation, row_.continuity, static_cast<uint64_t>(working), {}};
  if (is_busy())
    ++out.in_flight;
  if (out.state == "unavailable")
    out.reason = denials_ > 0
                   ? "The sandbox answers, but runs nothing any more; when that stays so, it is replaced by "
                     "a new, empty one."
                   : "The sandbox does not answer at the moment; its files are kept.";
  else if (out.state == "lost")
    out.reason = loss_.empty()
                   ? "The sandbox is gone; the next tool call gets a new, empty one."
                   : "The sandbox was given up, because it was damaged or another's; the next tool call gets "
                     "a new, empty one.";
  return out;
}

/// The broker hears of every change, the world of what its caches need, the session of what a person would
/// want to know.
void hand_state::report() {
  auto next = current();
  bool moved =
    next.state != told_.state || next.generation != told_.generation || next.continuity != told_.continuity;
  if (!moved && (next.in_flight > 0) == (told_.in_flight > 0))
    return;
  told_ = next;
  if (auto broker = find_broker(self_->system()))
    self_->send(broker, hand_atom_v, session_, next);
  if (moved && world_)
    self_->send(world_, hand_atom_v, next);
  bool news = next.state != told_session_.state ||
              (next.state == "running" && next.continuity != told_session_.continuity);
  // After a start a hand that is still there is no news.
  bool still_there = told_session_.generation == 0 && next.state == "running" && !fresh() && bound_;
  if (!news || next.state == "closing" || next.state == "none")
    return;
  told_session_ = next;
  if (still_there)
    return;
  if (auto registry = find_registry(self_->system()))
    self_->send(registry, hand_atom_v, session_, next);
}

void hand_state::tell_session(std::string_view code, const std::string& text) {
  if (auto registry = find_registry(self_->system()))
    self_->send(registry, notice_atom_v, session_, std::string{code}, text);
}

std::string hand_state::waits_for() const {
  switch (phase_) {
  case hand_phase::creating:
    switch (step_) {
    case step::claim:
    case step::intent:
    case step::record: return "the store";
    case step::admission: return "its turn: only so many sandboxes are made at once";
    case step::provider: return "the provider to create the sandbox";
    }
    return {};
  case hand_phase::verifying: return call_ != 0 ? "the sandbox's proof of identity" : "the next attempt";
  case hand_phase::reconnecting: return call_ != 0 ? "the provider to connect" : "the next attempt";
  case hand_phase::quarantined: return "the store";
  case hand_phase::closing:
    return settling_ ? "the provider to kill the sandbox" : "what is still on its way";
  default: return {};
  }
}

actor_status hand_state::status() const {
  auto out = base_status(self_, name, to_text(phase_), since_);
  out.id = session_.value;
  out.waits_for = waits_for();
  out.last_error = last_error_;
  json_array flights;
  for (const auto& [id, lease] : leases_)
    flights.add_raw(json_object{}
                      .add("what", lease.what)
                      .add("generation", lease.generation)
                      .add("left_running", lease.left)
                      .add("age_ms", int64_t{std::chrono::duration_cast<std::chrono::milliseconds>(
                                       self_->clock().now() - lease.since)
                                               .count()})
                      .str());
  out.detail = json_object{}
                 .add_if("sandbox", row_.sandbox)
                 .add_if("template", row_.template_id)
                 .add("generation", row_.generation)
                 .add("continuity", row_.continuity)
                 .add("waiting", uint64_t{waiting_.size()})
                 .add_raw("in_flight", flights.str())
                 .str();
  return out;
}

} // namespace agentpool
