// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/log.hpp"
#include "actors/workers/worker.hpp"
#include "actors/workers/worker_refuse.hpp"

/// From the spawn to the warm state. Whatever goes wrong here is a failed boot, which the pool is told with
/// its reason.
namespace agentpool {

namespace ev = worker_event;

void worker_state::start() {
  timers_.arm("boot", config_.boot_deadline);
  auto homes = find_homes(self_->system());
  if (!homes)
    return self_->send(self_, process_failed_atom_v, not_there(names::homes));
  preparing_ = true;
  self_->request(homes, defaults::home_deadline, prepare_atom_v, config_.id, config_.profile.name)
    .then(
      [this](home_paths& home) {
        preparing_ = false;
        on(ev::prepared{std::move(home)});
      },
      [this](caf::error& why) {
        preparing_ = false;
        on(ev::unprepared{to_failure(why)});
      });
}

void worker_state::spawned(ev::any& event) {
  auto boot = [this](const failure& why, auto next) { why.code == errc::none ? next() : fail_boot(why); };
  std::visit(overloaded{
               [&](ev::prepared& e) {
                 home_ = std::move(e.home);
                 has_world() ? grant() : launch();
               },
               [&](ev::unprepared& e) { fail_boot(e.why); },
               [&](ev::granted& e) { boot(e.why, [this] { open_gate(); }); },
               [&](ev::opened& e) { boot(e.why, [this] { launch(); }); },
               [&](ev::started& e) {
                 pid_ = e.pid;
                 if (!client_.call("initialize", acp::initialize_params(), std::nullopt))
                   fail_boot({errc::worker_boot_failed, "The brain does not read its input."});
               },
               [&](ev::answered& e) { initialize(e); },
               [&](ev::stderr_line& e) { warned(e.text); },
               [&](ev::not_started& e) { not_started(e); },
               [&](ev::broke_protocol& e) { fail_boot(e.why); },
               [&](ev::stdout_ended& e) { stdout_ended(e); },
               [&](ev::exited& e) { exited(e); },
               [&](ev::kill& e) { fail_boot(e.why); },
               [&](ev::tick&) { boot_too_slow(); },
               [&](ev::stop&) { end_now(); },
               [&](auto& e) { other(e); },
             },
    event);
}

void worker_state::initialized(ev::any& event) {
  std::visit(overloaded{
               [&](ev::answered& e) { throw_away(e); },
               [&](ev::discarded& e) { e.why.code == errc::none ? become_warm() : fail_boot(e.why); },
               [&](ev::not_started& e) { not_started(e); },
               [&](ev::broke_protocol& e) { fail_boot(e.why); },
               [&](ev::stdout_ended& e) { stdout_ended(e); },
               [&](ev::exited& e) { exited(e); },
               [&](ev::kill& e) { fail_boot(e.why); },
               [&](ev::tick&) { boot_too_slow(); },
               [&](ev::stop&) { end_now(); },
               [&](auto& e) { other(e); },
             },
    event);
}

void worker_state::grant() {
  auto broker = find_broker(self_->system());
  if (!broker)
    return fail_boot(not_there(names::broker));
  token_ = random_token("wt_");
  self_->request(
         broker, defaults::broker_deadline, grant_atom_v, worker_grant{config_.id, sha256_hex(token_)})
    .then(
      [this] {
        on(ev::granted{{errc::none, {}}});
      },
      [this](caf::error& why) { on(ev::granted{to_failure(why)}); });
}

void worker_state::open_gate() {
  auto done = [who = self_->address()](result<void> outcome) {
    if (auto worker = caf::actor_cast<worker_actor>(who))
      caf::anon_send(worker, opened_atom_v, outcome ? failure{errc::none, {}} : outcome.error());
  };
  outside_.gate->open(config_.id, home_->socket, config_.uid, std::move(done));
}

void worker_state::launch() {
  process_ = outside_.launcher->launch(
    make_process_spec(config_, *home_, token_), make_process_listener(worker_actor{self_}));
  token_.clear(); // one-time: only the process has it now
}

/// A line about a missing part counts only before `initialize` is answered (the reply means: all is there).
void worker_state::warned(const std::string& line) {
  stderr_.add(line);
  if (is_boot_fault(line))
    fail_boot({errc::worker_boot_failed, "A part of the brain is missing."});
}

void worker_state::initialize(const ev::answered& answer) {
  auto info = answer.ok ? acp::parse_initialize(answer.result)
                        : result<acp::agent_info>{fail(errc::worker_boot_failed, answer.error_text)};
  if (!info)
    return fail_boot(info.error());
  agent_ = std::move(*info);
  enter(worker_phase::initialized);
  if (!config_.profile.throwaway)
    return become_warm();
  if (!client_.call("session/new", acp::session_new_params(config_.profile.cwd), config_.session_deadline))
    fail_boot({errc::worker_boot_failed, "The brain does not read its input."});
}

void worker_state::throw_away(const ev::answered& answer) {
  if (!answer.ok)
    return fail_boot({errc::worker_boot_failed, answer.method + ": " + answer.error_text});
  if (answer.method == "session/close")
    return discard();
  auto id = acp::parse_session_new(answer.result);
  if (!id)
    return fail_boot(id.error());
  throwaway_ = std::move(*id);
  if (!agent_.close)
    return discard();
  if (!client_.call("session/close", acp::session_params(throwaway_), defaults::close_deadline))
    fail_boot({errc::worker_boot_failed, "The brain does not read its input."});
}

void worker_state::discard() {
  auto homes = find_homes(self_->system());
  if (!homes)
    return fail_boot(not_there(names::homes));
  self_->request(homes, defaults::home_deadline, discard_atom_v, *home_, throwaway_)
    .then(
      [this] {
        on(ev::discarded{{errc::none, {}}});
      },
      [this](caf::error& why) { on(ev::discarded{to_failure(why)}); });
}

void worker_state::become_warm() {
  timers_.disarm("boot");
  booted_ = true;
  enter(worker_phase::warm);
  if (auto pool = find_pool(self_->system()))
    self_->send(pool, warm_atom_v, config_.id);
}

/// There is no process whose end could be waited for.
void worker_state::not_started(const ev::not_started& event) {
  process_.reset();
  fail_boot(event.why);
}

void worker_state::boot_too_slow() {
  auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(config_.boot_deadline).count();
  fail_boot(
    {errc::worker_boot_failed, "The brain was not warm within " + std::to_string(limit) +
                                 " ms (pool.boot_deadline): it was " + std::string{to_string(phase_)} + "."});
}

void worker_state::fail_boot(failure why) {
  log::worker().warn("worker {} does not start: {}", config_.id.value, why.text());
  doom({errc::worker_boot_failed, why.text()});
}

} // namespace agentpool
