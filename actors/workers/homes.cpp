// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/workers/homes.hpp"

#include "actors/log.hpp"
#include "actors/workers/worker_slot.hpp"

#include <exception>

namespace agentpool {

namespace {

ports::brain_home to_port(const home_paths& paths) {
  return {paths.root, paths.home, paths.socket};
}

} // namespace

homes_state::homes_state(
  homes_actor::pointer self, std::unique_ptr<ports::brain_homes> homes, pool_settings settings)
    : self_{self}, homes_{std::move(homes)}, settings_{std::move(settings)}, started_{self->clock().now()} {
  self_->set_exit_handler([this](const caf::exit_msg& exit) { self_->quit(exit.reason); });
}

// A step that throws left things as they were, like one that failed.
template <class Step>
auto homes_state::run(std::string_view what, Step step) {
  ++steps_;
  auto outcome = [&]() -> decltype(step()) {
    try {
      return step();
    } catch (const std::exception& broken) {
      return fail(errc::internal, broken.what());
    }
  }();
  if (!outcome) {
    last_error_ = std::string{what} + ": " + outcome.error().text();
    log::worker().error("homes: {}", last_error_);
  }
  return to_answer(std::move(outcome));
}

homes_actor::behavior_type homes_state::make_behavior() {
  return {
    [this](status_atom) { return status(); },
    [this](prepare_atom, const worker_id& worker, const std::string& profile) {
      return run("prepare", [&] { return prepare(worker, profile); });
    },
    [this](move_in_atom, const home_paths& home, const session_id& session, const brain_session_id& brain,
      const std::string&) {
      return run("move in", [&] { return homes_->move_in(to_port(home), session, brain, home.uid); });
    },
    [this](move_out_atom, const home_paths& home, const session_id& session, const brain_session_id& brain) {
      return run("move out", [&] { return homes_->move_out(to_port(home), session, brain); });
    },
    [this](discard_atom, const home_paths& home, const brain_session_id& brain) {
      return run("discard", [&] { return homes_->discard(to_port(home), brain); });
    },
    [this](erase_atom, const home_paths& home) {
      return run("remove", [&] { return homes_->remove(to_port(home)); });
    },
    [this](
      erase_atom, const session_id& session) { return run("erase", [&] { return homes_->erase(session); }); },
  };
}

result<home_paths> homes_state::prepare(const worker_id& worker, const std::string& profile) {
  auto spec = spec_for(worker, profile);
  if (!spec)
    return tl::unexpected{spec.error()};
  return homes_->prepare(*spec).map([&](const ports::brain_home& home) {
    return home_paths{home.root, home.home, home.socket, spec->uid};
  });
}

result<ports::brain_home_spec> homes_state::spec_for(
  const worker_id& worker, const std::string& profile) const {
  auto known = settings_.profiles.find(profile);
  if (known == settings_.profiles.end())
    return fail(errc::unknown_profile, "there is no agent profile '" + profile + "'");
  auto slot = slot_of(worker);
  if (!slot)
    return fail(errc::internal, "'" + worker.value + "' is no worker's id");
  ports::brain_home_spec spec;
  spec.worker = worker;
  if (settings_.first_uid)
    spec.uid = *settings_.first_uid + *slot;
  spec.profile_dir = known->second.profile_dir;
  spec.plugin_dir = known->second.plugin_dir;
  spec.plugin_name = known->second.plugin_name;
  return spec;
}

actor_status homes_state::status() const {
  auto status = base_status(self_, name, "ready", started_);
  status.last_error = last_error_;
  status.detail = json_object{}.add("steps", steps_).str();
  return status;
}

homes_actor spawn_homes(caf::actor_system& sys, std::unique_ptr<ports::brain_homes> homes,
  pool_settings settings, threading where) {
  return spawn_state<homes_actor, homes_state>(sys, where, std::move(homes), std::move(settings));
}

} // namespace agentpool
