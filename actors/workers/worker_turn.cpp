// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/log.hpp"
#include "actors/workers/worker.hpp"
#include "protocol/wire/crash_point.hpp"
#include "protocol/wire/text.hpp"

#include <algorithm>
#include <array>

/// A held session at work: prompts, updates, permissions.
namespace agentpool {

namespace ev = worker_event;

namespace {

constexpr size_t error_bytes = 2000;
constexpr int64_t request_cancelled = -32800; // ACP: the call was cancelled

constexpr std::array repeated_kinds{"user_message_chunk", "agent_message_chunk", "agent_thought_chunk",
  "tool_call", "tool_call_update", "plan"};

failure not_held() {
  return {errc::brain_lost, "This worker does not hold that conversation."};
}

failure prompt_failure(const acp_answer& answer) {
  auto text = printable(answer.error_text, error_bytes);
  bool model = text.find("turn failed") != std::string::npos;
  return {model ? errc::model_error : errc::agent_error, std::move(text)};
}

prompt_outcome outcome_of(const acp_answer& answer, const held_session& held) {
  prompt_outcome out{held.turn, {}, {errc::none, {}}};
  if (!answer.ok && held.cancelled && answer.error_code == request_cancelled) {
    out.stop_reason = "cancelled";
  } else if (!answer.ok) {
    out.why = prompt_failure(answer);
  } else if (auto reason = acp::parse_prompt_result(answer.result)) {
    out.stop_reason = *reason;
  } else {
    out.why = reason.error();
  }
  return out;
}

} // namespace

/// The prompt has no deadline here: the session watches its turn and kills this worker when it must.
void worker_state::prompt(ev::prompt& order) {
  auto held = find_held(order.brain);
  if (!held || held->step != hold_step::ready)
    return order.reply.deliver(to_error(not_held()));
  if (!held->turn.empty())
    return order.reply.deliver(to_error({errc::turn_running, {}}));
  if (timers_.armed("replay")) { // what comes from now on belongs to this prompt
    timers_.disarm("replay");
    held->quiet = false;
  }
  crash_point("acp.prompt.before");
  bool written = client_.call(
    "session/prompt", acp::session_prompt_params(held->brain, order.blocks), std::nullopt, held->brain);
  crash_point("acp.prompt.after");
  if (!written) {
    failure why{errc::brain_lost, "The brain does not read its input."};
    order.reply.deliver(to_error(why));
    return doom(std::move(why));
  }
  held->turn = order.turn;
  held->cancelled = false;
  order.reply.deliver();
}

void worker_state::prompted(const ev::answered& answer) {
  auto held = find_held(answer.session);
  if (!held || held->turn.empty())
    return;
  auto outcome = outcome_of(answer, *held);
  held->turn = {};
  held->cancelled = false;
  held->last_sign = self_->clock().now();
  self_->send(held->session, ended_atom_v, config_.id, std::move(outcome));
}

void worker_state::cancel(ev::cancel& order) {
  auto held = find_held(order.brain);
  if (!held)
    return order.reply.deliver(to_error(not_held()));
  held->cancelled = !held->turn.empty();
  bool written = client_.notify("session/cancel", acp::session_params(held->brain));
  withdraw_permissions(*held); // BR-059
  order.reply.deliver();
  if (!written)
    doom({errc::brain_lost, "The brain does not read its input."});
}

void worker_state::withdraw_permissions(held_session& held) {
  for (const auto& id : held.permissions)
    client_.respond(id, acp::permission_cancelled());
  held.permissions.clear();
}

void worker_state::updated(ev::updated& change) {
  auto held = find_held(change.session);
  if (!held)
    return log::worker().debug("worker {} ignored an update of another session", config_.id.value);
  bool repeated =
    std::find(repeated_kinds.begin(), repeated_kinds.end(), change.kind) != repeated_kinds.end();
  if (held->quiet && repeated) { // BR-055: our own events are the history
    held->replayed = true;
    return;
  }
  held->last_sign = self_->clock().now();
  self_->send(held->session, update_atom_v, config_.id, std::move(change));
}

void worker_state::asked(ev::asked& what) {
  auto held = find_held(what.session);
  bool open = held && held->step == hold_step::ready && !held->cancelled &&
              held->permissions.size() < defaults::open_permissions;
  if (!open || !held->permissions.insert(what.request_id).second) {
    client_.respond(what.request_id, acp::permission_cancelled());
    return;
  }
  self_->send(held->session, permission_atom_v, config_.id, std::move(what));
}

void worker_state::decide(ev::decide& decision) {
  for (auto& [brain, held] : held_)
    if (held.permissions.erase(decision.request_id) > 0) {
      client_.respond(decision.request_id,
        decision.option.empty() ? acp::permission_cancelled() : acp::permission_selected(decision.option));
      return decision.reply.deliver();
    }
  decision.reply.deliver(to_error({errc::unknown_permission, {}}));
}

caf::timespan worker_state::idle() const {
  if (phase_ != worker_phase::assigned || held_.empty())
    return {};
  const auto& held = held_.begin()->second;
  if (held.step != hold_step::ready || !held.turn.empty() || !held.permissions.empty())
    return {};
  return std::max(self_->clock().now() - held.last_sign, caf::timespan{1});
}

/// The session decides: it may have a prompt on its way, or a job of the agent that goes on.
caf::result<bool> worker_state::yield() {
  if (phase_ != worker_phase::assigned || held_.empty() || held_.begin()->second.step != hold_step::ready)
    return false;
  auto& held = held_.begin()->second;
  auto answer = self_->make_response_promise<bool>();
  auto declined = [this, answer, brain = held.brain]() mutable {
    if (auto still = find_held(brain))
      still->last_sign = self_->clock().now(); // another one is asked first
    answer.deliver(false);
  };
  self_->request(held.session, defaults::status_deadline, yield_atom_v, config_.id)
    .then([answer, declined](bool given) mutable { given ? answer.deliver(true) : declined(); },
      [declined](const caf::error&) mutable { declined(); });
  return answer;
}

} // namespace agentpool
