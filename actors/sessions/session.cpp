// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/sessions/session.hpp"

#include "actors/log.hpp"
#include "protocol/wire/json.hpp"

#include <caf/all.hpp>

namespace agentpool {

using session_impl = caf::stateful_actor<session_state, session_actor::impl>;

session_state::session_state(session_actor::pointer self, session_config config, session_claim claim)
    : self_{self}, config_{std::move(config)}, row_{std::move(claim.row)}, timers_{self,
                                                                             "session " + row_.id.value},
      log_{self, row_, [this](const caf::error& why) { store_failed(why); }, [this] { settled(); }},
      phase_since_{self->clock().now()} {
  self_->set_down_handler([this](const caf::down_msg& down) { on_down(down); });
  self_->set_exit_handler([this](const caf::exit_msg&) { stop(); });
  // A cancel or a decision may meet a worker that is ending; its loss is told by other messages. Without a
  // handler the refusal would end this actor.
  self_->set_error_handler([this](const caf::error& why) {
    log::session().debug("session {}: its worker refused: {}", row_.id.value, to_failure(why).text());
  });
  recover(claim);
}

session_actor::behavior_type session_state::make_behavior() {
  using namespace session_events;
  auto from_brain = [this](const worker_id& id) { return brain_ && brain_->id == id; };
  auto is_closed = [this] { return phase_ == session_phase::closed; };
  return {
    [this](status_atom) { return status(); },
    [this](view_atom) { return view(); },
    [this](prompt_atom, prompt_order order) { return prompt(std::move(order)); },
    [this, is_closed](cancel_atom) -> caf::result<void> {
      if (is_closed())
        return caf::make_error(errc::not_found);
      dispatch(session_events::cancel{});
      return caf::unit;
    },
    [this, is_closed](permission_atom) -> caf::result<std::string> {
      if (is_closed())
        return caf::make_error(errc::not_found);
      return pending_json();
    },
    [this](
      answer_atom, const std::string& request, const std::string& option) { return answer(request, option); },
    [this](erase_atom) { return erase(); },
    [this](subscribe_atom, const viewer_actor& viewer, bool live) { return subscribe(viewer, live); },
    [this](leave_atom) { return leave(); },
    [this, from_brain](update_atom, const worker_id& id, acp::update change) {
      if (from_brain(id))
        dispatch(updated{std::move(change)});
    },
    [this, from_brain](permission_atom, const worker_id& id, acp::permission asked) {
      if (from_brain(id))
        dispatch(session_events::asked{std::move(asked)});
    },
    [this, from_brain](ended_atom, const worker_id& id, prompt_outcome how) {
      if (from_brain(id))
        dispatch(ended{std::move(how)});
    },
    [this, from_brain](lost_atom, const worker_id& id, failure why) {
      if (from_brain(id))
        dispatch(lost{std::move(why)});
    },
    [this, from_brain](yield_atom, const worker_id& id) {
      if (from_brain(id))
        dispatch(session_events::yield{});
      return !brain_ || brain_->id != id;
    },
    [this](live_atom, std::vector<live_frame> frames) { on_live(std::move(frames)); },
    [this](hand_atom, const hand_report& report) { on_hand(report); },
    [this](notice_atom, const std::string& code, const std::string& text) { on_notice(code, text); },
    [this](granted_atom, const std::string& starting) { return granted(starting); },
    [this](timer_atom, const std::string& purpose, uint64_t armed) {
      if (timers_.fired(purpose, armed))
        dispatch(tick{purpose});
    },
  };
}

/// A session that is being deleted is an unknown one.
caf::result<session_view> session_state::view() const {
  if (phase_ == session_phase::closed)
    return caf::make_error(errc::not_found);
  session_view out{row_, to_string(phase_), {}};
  out.row.last_seq = log_.committed();
  out.row.updated = log_.committed_at(); // as the store has it when the session is not in memory
  if (turn_)
    out.running = turn_->row.id;
  return out;
}

actor_status session_state::status() const {
  auto age = std::chrono::duration_cast<std::chrono::milliseconds>(self_->clock().now() - phase_since_);
  actor_status out{"session", row_.id.value, to_string(phase_), age.count(), self_->mailbox().size(), {}, {},
    0, last_error_, {}, {}};
  if (phase_ == session_phase::attaching)
    out.waits_for = "a worker of profile " + row_.profile,
    out.next = "resumes the brain session, then the prompt is delivered";
  else if (phase_ == session_phase::running && turn_)
    out.waits_for = "the agent, in turn " + turn_->row.id.value,
    out.next = "turn_end, or the turn stall timer";
  else if (phase_ == session_phase::awaiting_permission)
    out.waits_for = "an answer to " + std::to_string(pending_.size()) + " approval(s)",
    out.next = "the tool runs or is refused";
  else if (phase_ == session_phase::ready)
    out.next = "T1 releases the worker";
  else if (releasing_)
    out.waits_for = "the worker to give the session back";
  json_object detail;
  detail.add("device", row_.device.value).add("profile", row_.profile).add("last_seq", log_.committed());
  detail.add("viewers", static_cast<uint64_t>(log_.viewers()))
    .add("uncommitted_events", static_cast<uint64_t>(log_.in_flight()));
  detail.add("epoch", row_.epoch).add_if("brain_session", row_.brain.value);
  if (brain_)
    detail.add("worker", brain_->id.value);
  if (turn_)
    detail.add("turn", turn_->row.id.value);
  out.detail = detail.str();
  return out;
}

caf::result<subscribed> session_state::subscribe(const viewer_actor& viewer, bool live) {
  if (phase_ == session_phase::closed)
    return caf::make_error(errc::not_found);
  if (log_.viewers() >= defaults::viewers_per_session)
    return caf::make_error(errc::too_many_viewers);
  timers_.disarm(session_timers::passivate);
  log_.add_viewer(viewer, live);
  return subscribed{log_.committed()};
}

bool session_state::idle() const {
  return phase_ == session_phase::detached && !turn_ && !releasing_ && log_.viewers() == 0 &&
         log_.in_flight() == 0;
}

void session_state::maybe_passivate() {
  if (idle() && !timers_.armed(session_timers::passivate))
    timers_.arm(session_timers::passivate, config_.settings.passivate);
}

/// The registry sent everything it had before this message, so that whoever is still idle now has missed
/// nothing.
caf::result<void> session_state::leave() {
  if (idle())
    self_->quit(caf::exit_reason::normal);
  else if (auto registry = find_registry(self_->system()))
    self_->send(registry, stay_atom_v, row_.id);
  return caf::unit;
}

void session_state::on_down(const caf::down_msg& down) {
  if (dying_ && down.source == dying_) {
    dying_ = nullptr;
    return released();
  }
  if (brain_ && down.source == brain_->handle.address())
    return dispatch(session_events::lost{{errc::brain_lost, "the worker ended: " + to_string(down.reason)}});
  log_.remove_viewer(down.source);
  maybe_passivate();
}

void session_state::stop() {
  stopping_ = true;
  if (turn_ && turn_->row.phase != turn_phase::accepted)
    end_turn({}, {errc::interrupted, {}});
  finish_stop();
}

/// Gives the brain back before it ends, so that its log is at rest. An accepted prompt that was not delivered
/// stays in the store: it runs after the next start.
void session_state::finish_stop() {
  if (brain_)
    release();
  if (releasing_ || log_.in_flight() > 0)
    return;
  self_->quit(caf::exit_reason::user_shutdown);
}

/// What is in memory is ahead of the store: start anew from it.
void session_state::store_failed(const caf::error& why) {
  log::session().error(
    "session {} starts anew: the store refused a write: {}", row_.id.value, to_failure(why).text());
  if (turn_)
    for (auto& answer : std::exchange(turn_->waiting, {}))
      answer.deliver(why);
  for (auto& answer : std::exchange(erasing_, {}))
    answer.deliver(why);
  self_->quit(why);
}

/// Nothing is on its way to the store any more.
void session_state::settled() {
  if (stopping_)
    finish_stop();
  else
    maybe_passivate();
}

session_actor spawn_session(caf::actor_system& sys, session_config config, session_claim claim) {
  return sys.spawn<session_impl>(std::move(config), std::move(claim));
}

} // namespace agentpool
