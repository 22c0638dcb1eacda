// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/sessions/session_registry.hpp"
#include "actors/sessions/session_sup.hpp"
#include "tests/actors/sessions/session_fixture.hpp"

namespace agentpool::test {

/// The real registry, supervisor and session; the registry's place for news of ended sessions is behind a
/// gate, so that what it hears last can come last.
class RegistryEraseTest : public WorldFixture {
protected:
  RegistryEraseTest() {
    registry_config config;
    config.profiles = {"dsh"};
    config.clock = std::shared_ptr<const ports::wall_clock>(&clock, [](const auto*) {});
    for (auto n : {"1", "2"}) {
      auto hash = sha256_hex(std::string{"token "} + n);
      tables->devices[hash] = device_row{device_id{std::string{"dev_"} + n}, hash, "", 0};
    }
    add_session("ses_1");
    sup = publish(names::session_sup, spawn_session_sup(sys, session_config{config.settings, config.clock}));
    uut = keep(spawn_session_registry(sys, config));
    news = put_gate(names::session_registry, uut);
  }

  ~RegistryEraseTest() override {
    news->open();
    store->open();
    caf::anon_send_exit(sup, caf::exit_reason::kill);
    sched.run();
  }

  static caller who(const std::string& token) { return {sha256_hex(token)}; }
  std::shared_ptr<posted<prompt_accepted>> prompt() {
    prompt_order order{R"([{"type":"text","text":"hi"}])", {}};
    return request<prompt_accepted>(uut, prompt_atom_v, who("token 1"), id, order);
  }
  errc view() { return request<session_view>(uut, view_atom_v, who("token 1"), id)->code(); }
  std::shared_ptr<posted<void>> erase(const std::string& token = "token 1") {
    return request<void>(uut, erase_atom_v, who(token), id);
  }

  session_id id{"ses_1"};
  session_sup_actor sup;
  session_registry_actor uut;
  std::shared_ptr<gate_script> news;
};

TEST_F(RegistryEraseTest, SessionIsUnknownBeforeTheRegistryHearsThatItsActorEnded) { // BR-032
  prompt();
  news->closed = true;
  EXPECT_EQ(view(), errc::none);
  EXPECT_TRUE(erase()->value);
  EXPECT_EQ(view(), errc::not_found);
  EXPECT_EQ(prompt()->code(), errc::not_found);
  EXPECT_EQ(erase()->code(), errc::not_found);
}

TEST_F(RegistryEraseTest, SessionIsUnknownWhileItIsBeingDeleted) { // BR-139
  brains->hold_releases = true;
  prompt();
  auto first = erase();
  EXPECT_TRUE(first->pending());
  EXPECT_EQ(view(), errc::not_found);
  EXPECT_EQ(prompt()->code(), errc::not_found);
  EXPECT_EQ(request<void>(uut, cancel_atom_v, who("token 1"), id)->code(), errc::not_found);
  EXPECT_EQ(request<void>(uut, authorize_atom_v, who("token 1"), id)->code(), errc::not_found);
  EXPECT_EQ(erase("token 2")->code(), errc::not_found);
  auto second = erase();
  EXPECT_TRUE(second->pending());
  order(worker().handle, "released");
  EXPECT_TRUE(first->value && second->value);
  EXPECT_FALSE(tables->sessions.contains(id));
}

TEST_F(RegistryEraseTest, DeletionThatFailsIsSaidAndTheSessionIsKept) {
  prompt();
  tables->refuse = [](const ports::store_op& op) {
    const auto* write = std::get_if<session_write>(&op);
    return write && write->closed ? std::optional<failure>{{errc::store_unavailable, "full"}} : std::nullopt;
  };
  EXPECT_EQ(erase()->code(), errc::store_unavailable);
  tables->refuse = {};
  advance(defaults::restart_backoff);
  EXPECT_EQ(view(), errc::none);
  EXPECT_TRUE(erase()->value);
  EXPECT_EQ(view(), errc::not_found);
}

TEST_F(RegistryEraseTest, NobodyWaitsForAWorkerThatWasAskedFor) { // BR-032
  brains->hold_takes = true;
  prompt();
  EXPECT_TRUE(erase()->value);
  EXPECT_EQ(view(), errc::not_found);
  order(pool, "serve");
  EXPECT_EQ(brains->count("kill w1"), 1u) << "it belongs to nobody";
}

TEST_F(RegistryEraseTest, WorkerThatStillOpensTheSessionIsKilled) { // BR-032
  brains->hold_assigns = brains->stubborn = true;
  prompt();
  auto answer = erase();
  EXPECT_EQ(brains->count("kill w1"), 1u);
  EXPECT_TRUE(answer->pending()) << "its log is not at rest";
  order(worker().handle, "buried");
  EXPECT_TRUE(answer->value);
}

} // namespace agentpool::test
