// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/log.hpp"
#include "actors/workers/worker.hpp"
#include "actors/workers/worker_refuse.hpp"

/// The two states in which a worker is of use: `warm` waits for a session, `assigned` holds one.
namespace agentpool {

namespace ev = worker_event;

void worker_state::warm(ev::any& event) {
  std::visit(overloaded{
               [&](ev::assign& e) { assign(e); },
               [&](ev::broke_protocol& e) { doom(e.why); },
               [&](ev::stdout_ended& e) { stdout_ended(e); },
               [&](ev::exited& e) { exited(e); },
               [&](ev::kill& e) { doom(e.why); },
               [&](ev::tick& e) { ticked(e.purpose); },
               [&](ev::stop&) { end_now(); },
               [&](auto& e) { other(e); },
             },
    event);
}

void worker_state::assigned(ev::any& event) {
  std::visit(overloaded{
               [&](ev::moved_in& e) { moved_in(e); },
               [&](ev::bound& e) { bound(e); },
               [&](ev::answered& e) {
                 if (e.method == "session/prompt")
                   prompted(e);
                 else
                   e.method == "session/close" ? closed(e) : opened(e);
               },
               [&](ev::updated& e) { updated(e); },
               [&](ev::asked& e) { asked(e); },
               [&](ev::prompt& e) { prompt(e); },
               [&](ev::cancel& e) { cancel(e); },
               [&](ev::decide& e) { decide(e); },
               [&](ev::release& e) { release(e); },
               [&](ev::moved_out& e) { moved_out(e); },
               [&](ev::session_gone& e) { session_gone(e); },
               [&](ev::broke_protocol& e) { doom(e.why); },
               [&](ev::stdout_ended& e) { stdout_ended(e); },
               [&](ev::exited& e) { exited(e); },
               [&](ev::kill& e) { doom(e.why); },
               [&](ev::stop&) { stop_held(); },
               [&](ev::tick& e) { ticked(e.purpose); },
               [&](auto& e) { other(e); },
             },
    event);
}

void worker_state::ticked(const std::string& purpose) {
  if (purpose == "stdout")
    return doom({errc::brain_lost, "The brain closed its output."});
  if (purpose == "hurry")
    return kill_now();
  for (auto& [brain, held] : held_)
    if (purpose == "replay")
      resumed(held);
    else if (purpose == "resume")
      open(held);
    else if (purpose == "move_out")
      move_out(held);
}

} // namespace agentpool
