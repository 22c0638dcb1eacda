// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/sessions/session_registry.hpp"
#include "actors/sessions/session_sup.hpp"
#include "tests/actors/sessions/world_fixture.hpp"

namespace agentpool::test {

/// The real registry, supervisor and sessions, over the fake world.
class RegistryFixture : public WorldFixture {
protected:
  RegistryFixture() {
    registry_settings.profiles = {"dsh", "scripted"};
    registry_settings.clock = std::shared_ptr<const ports::wall_clock>(&clock, [](const auto*) {});
    add_device("dev_1", "token 1");
    add_device("dev_2", "token 2");
    sup_gate = std::make_shared<gate_script>();
  }

  ~RegistryFixture() override {
    store->open();
    reader->open();
    sup_gate->open();
    if (sup)
      caf::anon_send_exit(sup, caf::exit_reason::kill); // its sessions with it
    sched.run();
  }

  void add_device(const std::string& id, const std::string& token) {
    auto hash = sha256_hex(token);
    tables->devices[hash] = device_row{device_id{id}, hash, "", 0};
  }

  void begin() {
    sup = keep(spawn_session_sup(sys, session_config{registry_settings.settings, registry_settings.clock}));
    sup_gate->behind = caf::actor_cast<caf::strong_actor_ptr>(sup);
    publish(names::session_sup, sys.spawn(fault_gate, sup_gate));
    uut = publish(names::session_registry, spawn_session_registry(sys, registry_settings));
  }

  static caller who(const std::string& token) { return {sha256_hex(token)}; }

  std::shared_ptr<posted<prompt_accepted>> prompt(
    const std::string& session = "ses_1", const std::string& token = "token 1") {
    return request<prompt_accepted>(uut, prompt_atom_v, who(token), session_id{session},
      prompt_order{R"([{"type":"text","text":"hi"}])", {}});
  }

  std::shared_ptr<posted<session_view>> view(
    const std::string& session = "ses_1", const std::string& token = "token 1") {
    return request<session_view>(uut, view_atom_v, who(token), session_id{session});
  }

  std::shared_ptr<posted<session_view>> create(
    create_request wanted = {}, idempotency once = {}, const std::string& token = "token 1") {
    return request<session_view>(uut, create_atom_v, who(token), std::move(wanted), std::move(once));
  }

  /// The worker with this number answers its prompt.
  void finish(size_t n = 0) {
    caf::anon_send(worker(n).session, ended_atom_v, worker(n).id,
      prompt_outcome{worker(n).prompts.back(), "end_turn", {errc::none, {}}});
    sched.run();
  }

  size_t claims() const {
    return static_cast<size_t>(std::ranges::count_if(
      tables->ops, [](const auto& op) { return std::holds_alternative<ports::claim_session>(op); }));
  }

  uint64_t in_memory() {
    auto detail = json::parse(request<actor_status>(uut, status_atom_v)->value->detail);
    return static_cast<uint64_t>((*detail)["sessions_in_memory"].integer().value_or(-1));
  }

  registry_config registry_settings;
  session_sup_actor sup;
  session_registry_actor uut;
  std::shared_ptr<gate_script> sup_gate;
};

} // namespace agentpool::test
