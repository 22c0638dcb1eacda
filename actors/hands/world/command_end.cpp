// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/command.hpp"
#include "actors/hands/world/trouble.hpp"
#include "actors/hands/world/wrapper.hpp"
#include "protocol/wire/crash_point.hpp"

/// How a command ends.
namespace agentpool::world {

namespace {

using namespace std::chrono_literals;

// After a kill the end event is on its way; descendants that left the group may hold it back.
constexpr auto end_after_kill = 1s;

reply broken_off(const failure& why) {
  switch (why.code) {
  case errc::hand_unreachable:
  case errc::outcome_unknown:
  case errc::deadline:
    return coded_error("WORLD_LOST", "The connection to the sandbox broke while the command ran.");
  default: return trouble(why);
  }
}

} // namespace

void command::ended(result<ports::process_end> how) {
  std::string rest;
  markers_.flush(rest);
  deliver(err_, rest, nullptr);
  end_ = std::move(how);
  if (call_ && !*end_)
    call_->failed(end_->error());
  call_ = nullptr;
  all_.hand->home()->stop(std::exchange(begin_timer_, 0));
  if (*end_ && (*end_)->exited && !wrapped_) // the wrapper's first word comes before all that can end it
    end_ = fail(errc::hand_damaged);
  if (!*end_)
    all_.hand->failed(end_->error());
  input_.close();
  if (settled_)
    return group_gone_ ? finish(true) : end_->has_value() ? void() : lost(end_->error());
  settle();
}

// It was started, and what starts commands in the sandbox hangs.
void command::never_began() {
  begin_timer_ = 0;
  if (wrapped_ || over_)
    return;
  all_.hand->failed({errc::hand_damaged, "a command was started and did not begin"});
  all_.hand->link().signal({group_, {}}, ports::process_signal::kill, {}, [](const result<void>&) {});
  lost({errc::hand_damaged, {}});
}

// The exit is known, the pipes are not closed yet: what was written before it is still on its way.
void command::drain() {
  if (std::exchange(draining_, true) || settled_)
    return;
  timer_ = all_.hand->home()->after(
    std::chrono::milliseconds{all_.asked.grace_ms}, [self = shared_from_this()] { self->settle(); });
}

void command::settle() {
  if (std::exchange(settled_, true))
    return;
  all_.hand->home()->stop(std::exchange(timer_, 0));
  if (all_.live)
    all_.live->finish();
  std::optional<exit_status> how;
  if (markers_.exited())
    how = status_from(*markers_.exited(), asked_to_end_);
  else if (end_ && *end_)
    how = status_from(**end_);
  else if (killed_)
    how = exit_status{std::nullopt, "SIGKILL"};
  if (!how)
    return lost(end_->error());
  // Both copies are complete before the exit is told.
  auto tell = [self = shared_from_this(), how = *how] { self->tell_exit(how); };
  auto err_done = [self = shared_from_this(), tell] {
    self->err_.copy ? self->err_.copy->finish(tell) : tell();
  };
  out_.copy ? out_.copy->finish(err_done) : err_done();
}

// What is looked at from now on is what the command left.
void command::stop_writing() {
  if (!all_.writes)
    return;
  bool refused = group_ == 0 && end_ && !*end_ && outcome_of(end_->error()) == hand_outcome::done;
  const auto& exited = markers_.exited();
  bool nothing = stream_ == 0 || refused || (exited && exited->alone && exited->since == 0);
  if (all_.left_behind && !nothing)
    all_.left_behind(markers_.begun() ? markers_.begun()->since : 0);
  all_.writes = nullptr;
}

void command::tell_exit(const exit_status& how) {
  crash_point("hand.command.ended");
  call_ = nullptr;
  stop_writing();
  json_object event;
  event.add("event", "exit");
  event.add_raw("exit_code", how.code ? std::to_string(*how.code) : "null");
  event.add_raw("signal", how.code ? "null" : json_quote(how.signal));
  all_.out->send(event);
  exit_told_ = true;
  await_gone();
}

void command::await_gone() {
  bool alone = markers_.exited() && markers_.exited()->alone;
  if (alone || killed_)
    return group_gone();
  if (end_ && !*end_)
    return lost(end_->error());
  if (killing_)
    return; // `killed` follows
  all_.hand->leave();
  all_.hand->run({await_group(group_), "root", 0, "await group", call_kind::aside},
    [self = shared_from_this()](
      const result<script_output>& ran) { ran ? self->group_gone() : self->lost(ran.error()); });
}

void command::group_gone() {
  if (std::exchange(group_gone_, true))
    return;
  // A raw pipe is read to its end, whoever holds it.
  bool lossless = out_.mode.pipe || err_.mode.pipe;
  if (!lossless || end_ || all_.out->closed())
    finish(true);
}

void command::kill() {
  if (killing_ || group_gone_ || over_)
    return;
  killing_ = true;
  all_.hand->run({kill_group(group_, all_.asked.grace_ms), "root", 0, "kill group"},
    [self = shared_from_this()](const result<script_output>& ran) {
      self->killing_ = false;
      if (ran)
        self->killed();
      else if (self->exit_told_)
        self->lost(ran.error());
    });
}

void command::killed() {
  killed_ = true;
  if (exit_told_)
    return group_gone();
  if (!settled_)
    timer_ = all_.hand->home()->after(end_after_kill, [self = shared_from_this()] { self->settle(); });
}

// How it ended, or whether something of it still runs, will never be known.
void command::lost(failure why) {
  if (over_)
    return;
  if (group_ == 0 && why.code == errc::envd_invalid && why.detail.starts_with("chdir"))
    all_.hand->failed({errc::hand_damaged, why.detail}); // looked at, and mended when it is the workspace
  if (group_ == 0 && why.code == errc::envd_exhausted && all_.no_room())
    why.detail = why.text() + "; what earlier commands left running is being ended, try again in a moment";
  all_.out->send_error(group_ == 0 ? not_started("command", why) : broken_off(why));
  for (auto* each : {&out_, &err_})
    if (each->copy)
      each->copy->drop();
  finish(false);
}

void command::finish(bool tell) {
  if (std::exchange(over_, true))
    return;
  for (auto* timer : {&timer_, &begin_timer_})
    all_.hand->home()->stop(std::exchange(*timer, 0));
  if (tell)
    all_.out->send(json_object{}.add("event", "gone"));
  all_.out->finish();
  input_.close();
  call_ = nullptr;
  stop_writing();
  if (!end_ && stream_ != 0)
    all_.hand->link().cancel(stream_);
  std::exchange(all_.gone, nullptr)();
}

} // namespace agentpool::world
