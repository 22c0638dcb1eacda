// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/reaper.hpp"

#include "actors/log.hpp"
#include "protocol/wire/crash_point.hpp"

#include <algorithm>
#include <utility>

namespace agentpool {

namespace {

const std::string debt_purpose = "delete-debt";
constexpr size_t shown_debts = 50;

caf::timespan backoff(uint32_t attempts) {
  caf::timespan out = defaults::debt_backoff_min;
  for (uint32_t i = 1; i < attempts && out < defaults::debt_backoff_max; ++i)
    out *= 2;
  return std::min<caf::timespan>(out, defaults::debt_backoff_max);
}

} // namespace

reaper_state::reaper_state(reaper_actor::pointer self, hand_config config)
    : self_{self}, config_{std::move(config)}, timers_{self, name}, since_{self->clock().now()} {
  self_->set_exit_handler([this](const caf::exit_msg& exit) { self_->quit(exit.reason); });
  // A sibling may refuse what was only sent to it; without a handler the refusal would end this actor.
  self_->set_error_handler([](const caf::error& why) {
    log::worker().debug("reaper: a message was refused: {}", to_failure(why).text());
  });
  provider_.since = since_;
  sweep();
  timers_.arm(watch_purpose, defaults::provider_watch);
}

reaper_actor::behavior_type reaper_state::make_behavior() {
  return {
    [this](status_atom) { return status(); },
    [this](debt_atom, intent_row row) { return take(std::move(row)); },
    [this](list_atom) {
      std::vector<intent_row> out;
      for (const auto& [id, one] : debts_)
        out.push_back(one.row);
      return out;
    },
    [this](
      provider_atom, uint64_t op, const std::shared_ptr<provider_event>& event) { on_provider(op, *event); },
    [this](timer_atom, const std::string& purpose, uint64_t armed) {
      if (timers_.fired(purpose, armed))
        on_timer(purpose);
    },
  };
}

void reaper_state::on_timer(const std::string& purpose) {
  if (purpose == sweep_purpose)
    return sweep();
  purpose == debt_purpose ? kill_due() : watch();
}

void reaper_state::on_provider(uint64_t op, const provider_event& event) {
  if (auto kill = kills_.extract(op); !kill.empty()) {
    if (heard(event.why))
      sweep();
    killed(kill.mapped(), event);
  } else if (op == watch_call_) {
    watch_call_ = 0;
    if (heard(event.why))
      sweep();
  } else if (op == list_call_) {
    list_call_ = 0;
    heard(event.why);
    if (const auto* page = event.get<ports::sandbox_page>(); page && !event.failed())
      take_page(*page);
    else
      sweep_failed(event.why);
  }
}

caf::result<bool> reaper_state::take(intent_row row) {
  auto answer = self_->make_response_promise<bool>();
  auto id = row.id;
  add(std::move(row));
  debts_.at(id).waiting.push_back(answer);
  kill_due();
  return answer;
}

/// Due at once, whatever an earlier life of the daemon had planned.
void reaper_state::add(intent_row row) {
  auto id = row.id;
  if (debts_.contains(id))
    return;
  debts_.emplace(std::move(id), debt{std::move(row), false, self_->clock().now(), {}});
}

void reaper_state::kill_due() {
  auto now = self_->clock().now();
  for (auto& [id, one] : debts_)
    if (!one.killing && one.due <= now && kills_.size() < defaults::debt_kills)
      kill(one);
  arm_debt();
}

void reaper_state::kill(debt& one) {
  one.killing = true;
  ++one.row.attempts;
  auto op = ++calls_;
  kills_[op] = one.row.id;
  config_.provider->kill(
    one.row.sandbox, within(defaults::hand_kill_deadline), mail(op).template answer<bool>());
}

/// The provider's word that there is none counts as well.
void reaper_state::killed(const std::string& intent, const provider_event& event) {
  auto i = debts_.find(intent);
  if (i == debts_.end())
    return;
  i->second.killing = false;
  bool gone = !event.failed() || event.why.code == errc::hand_deleted;
  gone ? settled(i->second) : postpone(i->second, event.why);
  kill_due();
}

/// The intent goes last. One that cannot be removed now is killed again at the next start: that harms nobody.
void reaper_state::settled(debt& one) {
  crash_point("hand.kill.after");
  ++reaped_;
  log::worker().info(
    "sandbox {} of {} was killed: {}", one.row.sandbox, one.row.session.value, one.row.detail);
  for (auto& answer : std::exchange(one.waiting, {}))
    answer.deliver(true);
  auto id = one.row.id;
  debts_.erase(id);
  if (auto store = find_store(self_->system()))
    self_->request(store, defaults::store_deadline, append_atom_v, intent_write{{}, {id}})
      .then([] {}, [](const caf::error&) {});
}

void reaper_state::postpone(debt& one, const failure& why) {
  last_error_ = "sandbox " + one.row.sandbox + " cannot be killed: " + why.text();
  log::worker().error("{} (attempt {})", last_error_, one.row.attempts);
  auto pause = backoff(one.row.attempts);
  one.due = self_->clock().now() + pause;
  one.row.next_try =
    config_.clock->now() + std::chrono::duration_cast<std::chrono::milliseconds>(pause).count();
  for (auto& answer : std::exchange(one.waiting, {}))
    answer.deliver(false);
  if (auto store = find_store(self_->system()))
    self_->request(store, defaults::store_deadline, append_atom_v, intent_write{{one.row}, {}})
      .then([] {}, [](const caf::error&) {});
}

void reaper_state::arm_debt() {
  std::optional<time_point> first;
  for (const auto& [id, one] : debts_)
    if (!one.killing && (!first || one.due < *first))
      first = one.due;
  if (!first || kills_.size() >= defaults::debt_kills)
    return timers_.disarm(debt_purpose);
  timers_.arm(debt_purpose, std::max(caf::timespan{1}, *first - self_->clock().now()));
}

actor_status reaper_state::status() const {
  bool silent = provider_.last == provider_view::word::fails;
  auto state = silent ? "no provider" : sweep_ ? "sweeping" : debts_.empty() ? "idle" : "in debt";
  auto out = base_status(self_, name, state, silent ? provider_.since : since_);
  if (!debts_.empty())
    out.waits_for = "the provider to delete " + std::to_string(debts_.size()) + " sandbox(es)";
  else if (silent)
    out.waits_for = "the provider at " + config_.settings.url + " to answer";
  out.last_error = silent ? provider_.why.text() : last_error_;
  json_array list;
  size_t shown = 0;
  for (const auto& [id, one] : debts_) {
    if (++shown > shown_debts)
      break;
    list.add_raw(json_object{}
                   .add("sandbox", one.row.sandbox)
                   .add("session", one.row.session.value)
                   .add("why", one.row.detail)
                   .add("attempts", uint64_t{one.row.attempts})
                   .add("next_try", one.row.next_try)
                   .str());
  }
  out.detail = json_object{}
                 .add_raw("provider", provider_json())
                 .add("debt", uint64_t{debts_.size()})
                 .add("killed", reaped_)
                 .add("sweeps", sweeps_)
                 .add("foreign_sandboxes", foreign_)
                 .add_raw("debts", list.str())
                 .str();
  return out;
}

reaper_actor spawn_reaper(caf::actor_system& sys, hand_config config) {
  return spawn_state<reaper_actor, reaper_state>(sys, threading::shared, std::move(config));
}

} // namespace agentpool
