// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/log.hpp"
#include "actors/workers/worker.hpp"
#include "actors/workers/worker_refuse.hpp"

#include <csignal>

/// The end of a worker: first the process, then its logs, its home and its rights.
namespace agentpool {

namespace ev = worker_event;

void worker_state::draining(ev::any& event) {
  std::visit(overloaded{
               [&](ev::prepared& e) {
                 home_ = std::move(e.home);
                 bury();
               },
               [&](ev::unprepared&) { bury(); },
               [&](ev::exited&) { bury(); },
               [&](ev::not_started&) { bury(); },
               [&](ev::moved_out& e) { moved_out(e); },
               [&](ev::release& e) { release(e); },
               [&](ev::session_gone& e) { session_gone(e); },
               [&](ev::tick& e) { escalate(e.purpose); },
               [&](ev::kill& e) { doom(e.why); },
               [&](ev::stop&) {
                 hurry_ = true;
                 if (process_ && !timers_.armed("reap"))
                   timers_.arm("kill", defaults::hurry_grace);
               },
               [&](auto& e) { other(e); },
             },
    event);
}

void worker_state::dead(ev::any& event) {
  std::visit(overloaded{
               [&](ev::moved_out& e) { moved_out(e); },
               [&](ev::tick& e) { ticked(e.purpose); },
               [&](ev::erased& e) {
                 if (e.why.code != errc::none)
                   log::worker().error(
                     "worker {}: its home {} stays: {}", config_.id.value, home_->root, e.why.text());
                 finish();
               },
               [&](ev::kill&) {},
               [&](auto& e) { other(e); },
             },
    event);
}

/// In order: stdin EOF, then SIGTERM, then SIGKILL, each after its grace (BR-042).
void worker_state::end() {
  timers_.disarm("boot");
  if (!process_ && !preparing_)
    return bury();
  if (phase_ != worker_phase::draining)
    enter(worker_phase::draining);
  if (!process_ || timers_.armed("reap"))
    return;
  process_->close_stdin();
  timers_.arm(hurry_ ? "kill" : "term", hurry_ ? caf::timespan{defaults::hurry_grace} : config_.end_grace);
}

/// The pool is being stopped and nobody's conversation is in here.
void worker_state::end_now() {
  hurry_ = true;
  end();
}

void worker_state::doom(failure why) {
  if (!ending_)
    ending_ = std::move(why);
  kill_now();
}

void worker_state::kill_now() {
  timers_.disarm("boot");
  if (!process_ && !preparing_)
    return bury();
  if (phase_ != worker_phase::draining)
    enter(worker_phase::draining);
  if (!process_)
    return;
  timers_.disarm("term");
  timers_.disarm("kill");
  timers_.arm("reap", defaults::stop_grace);
  process_->signal(SIGKILL);
}

void worker_state::escalate(const std::string& purpose) {
  if (purpose == "term") {
    process_->signal(SIGTERM);
    timers_.arm("kill", config_.end_grace);
  } else if (purpose == "kill" || purpose == "hurry") {
    kill_now();
  } else if (purpose == "move_out") {
    ticked(purpose);
  } else if (purpose == "reap") {
    log::worker().critical("worker {}: {}; its home {} is kept", config_.id.value,
      pid_ ? "pid " + std::to_string(pid_) + " survived SIGKILL"
           : "its process is still being started, and is killed when it is there",
      home_->root);
    unreaped_ = keep_home_ = true;
    bury();
  }
}

/// The exit, with its reason, follows at once when the process is ending; else it is of no use any more.
void worker_state::stdout_ended(const ev::stdout_ended& event) {
  if (event.why == ports::stdout_end::line_too_long)
    return doom({errc::protocol_error, "The brain wrote a line that is too long."}); // BR-050
  timers_.arm("stdout", defaults::hurry_grace);
}

void worker_state::exited(const ev::exited& event) {
  if (!ending_)
    ending_ = failure{booted_ ? errc::brain_lost : errc::worker_boot_failed, exit_text(event.how, stderr_)};
  bury();
}

/// The process is gone. Each log is on its way to rest before its session hears of the loss.
void worker_state::bury() {
  process_.reset();
  bool moving_again = timers_.armed("move_out");
  timers_.disarm_all();
  if (moving_again)
    timers_.arm("move_out", defaults::move_out_backoff);
  enter(worker_phase::dead);
  for (auto i = held_.begin(); i != held_.end();) {
    settle(i->second);
    i = i->second.step == hold_step::moving_out && !unreaped_ ? std::next(i) : held_.erase(i);
  }
  tell_pool();
  if (held_.empty())
    erase_home();
}

void worker_state::settle(held_session& held) {
  auto why = ending_.value_or(failure{errc::brain_lost, {}});
  if (held.log_inside && held.step != hold_step::moving_out && !unreaped_)
    move_out(held);
  if (held.opened.pending())
    held.opened.deliver(to_error(why));
  else
    tell_lost(held, why);
  if (held.released && held.step != hold_step::moving_out)
    unreaped_ ? held.released->deliver(to_error(why)) : held.released->deliver();
}

void worker_state::tell_pool() {
  if (taken_ || !ending_)
    return;
  if (!booted_ && ending_->code == errc::worker_boot_failed &&
      ending_->detail.find("stderr") == std::string::npos)
    if (auto last = stderr_.text(5); !last.empty())
      ending_->detail = ending_->text() + " Its stderr ends: " + last;
  if (auto pool = find_pool(self_->system()))
    self_->send(pool, lost_atom_v, config_.id, *ending_);
}

void worker_state::erase_home() {
  auto homes = find_homes(self_->system());
  if (!home_ || keep_home_ || !homes)
    return finish();
  self_->request(homes, defaults::home_deadline, erase_atom_v, *home_)
    .then(
      [this] {
        on(ev::erased{{errc::none, {}}});
      },
      [this](caf::error& why) { on(ev::erased{to_failure(why)}); });
}

void worker_state::finish() {
  phase_ = worker_phase::dead;
  if (has_world()) {
    if (auto broker = find_broker(self_->system()))
      self_->send(broker, revoke_atom_v, config_.id);
    outside_.gate->close(config_.id);
  }
  self_->quit(ending_ ? to_error(*ending_) : caf::error{});
}

} // namespace agentpool
