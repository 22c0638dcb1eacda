// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/log.hpp"
#include "actors/workers/worker.hpp"
#include "protocol/wire/crash_point.hpp"
#include "protocol/wire/text.hpp"

/// Taking a session in: its log, its rights, then the brain's own session.
namespace agentpool {

namespace ev = worker_event;

namespace {

constexpr size_t error_bytes = 1000;
constexpr int64_t method_not_found = -32601;
constexpr int64_t resource_not_found = -32002;

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The lock of a log is freed by the kernel a moment after its last owner died.
bool is_still_owned(const acp_answer& answer) {
  return has(answer.error_text, "already owned") || has(answer.error_text, "already active");
}

failure open_failure(const acp_answer& answer) {
  auto text = answer.method + ": " + printable(answer.error_text, error_bytes);
  bool unknown = answer.error_code == method_not_found || answer.error_code == resource_not_found ||
                 has(text, "not resumable") || has(text, "unknown session");
  if (answer.method != "session/new" && unknown)
    return {errc::not_resumable, "The agent cannot resume this conversation: " + text};
  return {errc::agent_error, text};
}

} // namespace

void worker_state::assign(ev::assign& order) {
  taken_ = true;
  if (!order.what.brain.empty() && !agent_.resume &&
      !agent_.load) { // BR-054: said, not hidden by a new session
    order.reply.deliver(to_error({errc::not_resumable,
      "The agent " + agent_.name + " offers neither session/resume nor session/load."}));
    return end();
  }
  held_session held;
  held.what = order.what;
  held.session = order.session;
  held.brain = order.what.brain;
  held.opened = order.reply;
  self_->monitor(order.session);
  auto& entry = held_.emplace(held.brain, std::move(held)).first->second;
  enter(worker_phase::assigned);
  entry.brain.empty() ? open(entry) : move_in(entry);
}

void worker_state::move_in(held_session& held) {
  auto homes = find_homes(self_->system());
  if (!homes)
    return doom(not_there(names::homes));
  held.log_inside = true;
  self_
    ->request(homes, defaults::home_deadline, move_in_atom_v, *home_, held.what.session, held.brain,
      config_.profile.name)
    .then(
      [this] {
        on(ev::moved_in{{errc::none, {}}});
      },
      [this](caf::error& why) { on(ev::moved_in{to_failure(why)}); });
}

void worker_state::moved_in(const ev::moved_in& event) {
  for (auto& [brain, held] : held_)
    if (held.step == hold_step::moving_in) {
      if (event.why.code == errc::none)
        return has_world() ? bind(held) : open(held);
      held.log_inside = event.why.code == errc::deadline; // a late rename may still come
      return doom(event.why);
    }
}

void worker_state::bind(held_session& held) {
  held.step = hold_step::binding;
  auto broker = find_broker(self_->system());
  if (!broker)
    return doom(not_there(names::broker));
  held.bound = true;
  self_
    ->request(broker, defaults::broker_deadline, bind_atom_v, config_.id, held.brain, held.what.session,
      held.session, held.what.mode)
    .then(
      [this] {
        on(ev::bound{{errc::none, {}}});
      },
      [this](caf::error& why) { on(ev::bound{to_failure(why)}); });
}

void worker_state::bound(const ev::bound& event) {
  for (auto& [brain, held] : held_)
    if (held.step == hold_step::binding) {
      if (event.why.code != errc::none)
        return doom(event.why);
      return held.what.brain.empty() ? ready(held) : open(held);
    }
}

void worker_state::open(held_session& held) {
  held.step = hold_step::opening;
  const auto& cwd = config_.profile.cwd;
  bool fresh = held.what.brain.empty();
  bool written = false;
  crash_point(fresh ? "acp.new.before" : "acp.resume.before");
  if (fresh) {
    written = client_.call("session/new", acp::session_new_params(cwd), config_.session_deadline);
  } else {
    held.quiet = true; // BR-055
    ++held.tries;
    written = client_.call(agent_.resume ? "session/resume" : "session/load", // BR-054
      acp::session_resume_params(held.brain, cwd), config_.session_deadline, held.brain);
  }
  crash_point(fresh ? "acp.new.after" : "acp.resume.after");
  if (!written)
    doom({errc::brain_lost, "The brain does not read its input."});
}

void worker_state::opened(const ev::answered& answer) {
  auto held = find_held(answer.session);
  if (!held || held->step != hold_step::opening)
    return;
  if (!answer.ok)
    return not_opened(*held, answer);
  if (answer.method == "session/new")
    return named(*held, answer);
  // An agent that repeats its history may go on for a moment; one that does not is ready at once.
  timers_.arm("replay", defaults::replay_quiet);
  held->replayed || answer.method == "session/load" ? void(held->step = hold_step::replaying) : ready(*held);
}

void worker_state::named(held_session& held, const ev::answered& answer) {
  auto id = acp::parse_session_new(answer.result);
  if (!id)
    return doom(id.error());
  auto node = held_.extract(held.brain);
  node.key() = *id;
  auto& entry = held_.insert(std::move(node)).position->second;
  entry.brain = *id;
  entry.log_inside = true;
  has_world() ? bind(entry) : ready(entry);
}

void worker_state::not_opened(held_session& held, const ev::answered& answer) {
  if (answer.timed_out)
    return doom({errc::brain_lost, "The brain was lost: " + answer.error_text + "."});
  if (!is_still_owned(answer) || held.tries >= defaults::resume_tries)
    return doom(open_failure(answer));
  timers_.arm("resume", defaults::resume_backoff * (1u << (held.tries - 1)));
}

void worker_state::resumed(held_session& held) {
  held.quiet = false;
  if (held.step == hold_step::replaying)
    ready(held);
}

void worker_state::ready(held_session& held) {
  held.step = hold_step::ready;
  held.last_sign = self_->clock().now();
  held.opened.deliver(held.brain);
}

} // namespace agentpool
