// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/actors/hands/hand_fixture.hpp"

#include <random>

namespace agentpool::test {

/// The daemon's actors are killed after every single message of a flow, then started again. BR-100, BR-111
class HandCrashTest : public HandFixture, public testing::WithParamInterface<bool> {
protected:
  /// Nothing of an earlier round is left.
  void begin_round() {
    tables->refuse = nullptr;
    provider->fault = provider->lie = nullptr;
    provider->sandboxes.clear();
    tables->hands.clear();
    tables->intents.clear();
    start();
  }

  /// Handles at most `steps` messages. True when there were no more.
  bool run(size_t steps) {
    for (size_t i = 0; i < steps; ++i)
      if (!sched.try_run_once())
        return true;
    return false;
  }

  /// The parameter: what was on its way to the store is lost with the daemon, or became durable.
  void crash() {
    if (GetParam())
      tables->refuse = [](const ports::store_op&) { return failure{errc::store_unavailable, "dead"}; };
    stop(true);
    tables->refuse = nullptr;
    hands.clear();
  }

  template <class... Ts>
  void tell(const caf::actor& whom, Ts... xs) {
    auto asker = sys.spawn([=](caf::event_based_actor* self) -> caf::behavior {
      self->request(whom, 24h, xs...).then([](const caf::message&) {}, [](caf::error&) {});
      return {[](caf::unit_t) {}};
    });
    spawned.push_back(caf::actor_cast<caf::strong_actor_ptr>(asker));
  }

  void expect_one_and_known(size_t step) {
    ASSERT_EQ(provider->sandboxes.size(), 1u) << "after step " << step;
    EXPECT_EQ(row().sandbox, provider->only()) << "after step " << step;
    EXPECT_TRUE(tables->intents.empty()) << "after step " << step;
  }

  void expect_nothing(size_t step) {
    EXPECT_TRUE(provider->sandboxes.empty()) << "after step " << step;
    EXPECT_TRUE(tables->intents.empty()) << "after step " << step;
  }
};

TEST_P(HandCrashTest, AnywhereInACreate) {
  for (size_t step = 0;; ++step) {
    begin_round();
    auto uut = hand();
    tell(caf::actor_cast<caf::actor>(uut), lease_atom_v, hand_use{"bash", true});
    bool finished = run(step);
    uut = nullptr;
    crash();
    start();
    auto one = borrow();
    ASSERT_TRUE(one->lease) << "after step " << step << ": " << (one->error ? one->error->text() : "pending");
    sweep();
    expect_one_and_known(step);
    EXPECT_TRUE(one->lease->notice.empty()) << "nobody had used anything, after step " << step;
    ASSERT_TRUE(erase()->value);
    stop();
    if (finished)
      break;
    ASSERT_LT(step, 1000u);
  }
}

TEST_P(HandCrashTest, AnywhereInADeletion) {
  for (size_t step = 0;; ++step) {
    begin_round();
    ASSERT_TRUE(borrow()->lease);
    tell(caf::actor_cast<caf::actor>(broker), erase_atom_v, session_id{"ses_1"});
    bool finished = run(step);
    crash();
    start();
    ASSERT_TRUE(erase()->value) << "after step " << step; // its session goes on deleting it
    sweep();
    expect_nothing(step);
    stop();
    if (finished)
      break;
    ASSERT_LT(step, 1000u);
  }
}

TEST_P(HandCrashTest, AnywhereInALoss) {
  for (size_t step = 0;; ++step) {
    begin_round();
    auto first = borrow();
    ASSERT_TRUE(first->lease);
    provider->sandboxes.clear();
    tell(caf::actor_cast<caf::actor>(hands[session_id{"ses_1"}]), give_back_atom_v, first->lease->id,
      hand_outcome::gone, std::string{"404"});
    tell(caf::actor_cast<caf::actor>(hands[session_id{"ses_1"}]), lease_atom_v, hand_use{"bash", true});
    bool finished = run(step);
    crash();
    start();
    auto one = borrow();
    ASSERT_TRUE(one->lease) << "after step " << step;
    EXPECT_EQ(one->lease->continuity >= 2, true) << "after step " << step;
    EXPECT_FALSE(one->lease->notice.empty()) << "after step " << step;
    sweep();
    expect_one_and_known(step);
    ASSERT_TRUE(erase()->value);
    stop();
    if (finished)
      break;
    ASSERT_LT(step, 1000u);
  }
}

TEST_P(HandCrashTest, AnywhereInAReconnect) {
  for (size_t step = 0;; ++step) {
    begin_round();
    ASSERT_TRUE(borrow()->lease);
    stop();
    hands.clear();
    broker = spawn_broker(sys, config);
    put(names::broker, broker);
    bool finished = run(step);
    crash();
    start();
    auto one = borrow();
    ASSERT_TRUE(one->lease) << "after step " << step;
    EXPECT_EQ(one->lease->continuity, 1u) << "after step " << step;
    EXPECT_TRUE(one->lease->notice.empty()) << "after step " << step;
    sweep();
    expect_one_and_known(step);
    ASSERT_TRUE(erase()->value);
    stop();
    if (finished)
      break;
    ASSERT_LT(step, 1000u);
  }
}

INSTANTIATE_TEST_SUITE_P(Writes, HandCrashTest, testing::Bool(),
  [](const auto& param) { return param.param ? "AreLost" : "AreDurable"; });

/// Everything at once, with fixed seeds.
class HandRandomTest : public HandFixture, public testing::WithParamInterface<unsigned> {
protected:
  using random = std::mt19937;

  size_t pick(size_t below) { return std::uniform_int_distribution<size_t>{0, below - 1}(dice); }
  bool chance(unsigned percent) { return pick(100) < percent; }

  std::string any_session() { return "ses_" + std::to_string(1 + pick(3)); }

  void set_faults() {
    auto percent = static_cast<unsigned>(pick(40));
    provider->fault = [this, percent](const std::string&) -> std::optional<failure> {
      constexpr std::array codes{errc::hand_unreachable, errc::provider_busy, errc::provider_failed,
        errc::provider_nonsense, errc::hand_stopped};
      if (!chance(percent))
        return std::nullopt;
      return failure{codes[pick(codes.size())], "a fault"};
    };
    provider->lie = [this, percent](const std::string& call) -> std::optional<failure> {
      if (!chance(percent / 4) || call.starts_with("verify"))
        return std::nullopt;
      return failure{errc::outcome_unknown, "the answer was lost"};
    };
    provider->holds = [this](const std::string&) { return chance(15); };
  }

  void step() {
    switch (pick(12)) {
    case 0: set_faults(); break;
    case 1: provider->fault = provider->lie = nullptr; break;
    case 2: provider->release(), sched.run(); break;
    case 3: restart(chance(50)), kept.clear(); break;
    case 4:
      if (auto i = hands.find(session_id{any_session()}); i != hands.end() && i->second)
        caf::anon_send_exit(i->second, caf::exit_reason::kill), sched.run();
      break;
    case 5:
      if (!provider->sandboxes.empty() && chance(30))
        provider->sandboxes.erase(provider->sandboxes.begin());
      break;
    case 6:
      if (!provider->sandboxes.empty() && chance(30))
        provider->sandboxes.begin()->second.marker.clear();
      break;
    case 7: pass(caf::timespan{1s} * (1 + pick(90))); break;
    case 8:
      if (!kept.empty()) {
        auto [session, one] = kept.back();
        kept.pop_back();
        constexpr std::array ends{hand_outcome::done, hand_outcome::broken, hand_outcome::gone};
        if (one->lease)
          give_back(*one, ends[pick(ends.size())], session);
      }
      break;
    default: {
      auto session = any_session();
      if (auto uut = hand(session))
        kept.emplace_back(session, borrow(uut, {"bash", chance(80)}));
    }
    }
    check();
  }

  /// What holds at every moment: who has a hand has a sandbox of its own session that proved its identity.
  void check() {
    for (const auto& [session, one] : kept)
      if (one->lease) {
        EXPECT_GT(one->lease->generation, 0u);
        if (auto i = provider->sandboxes.find(id_of(*one)); i != provider->sandboxes.end()) {
          EXPECT_EQ(i->second.metadata.at("agentpool-session"), session);
          EXPECT_GT(i->second.verified, 0u);
        }
      }
  }

  random dice{GetParam()};
  std::vector<std::pair<std::string, std::shared_ptr<borrowed>>> kept;
};

TEST_P(HandRandomTest, NothingIsSharedForgottenOrStuck) {
  add_session("ses_2");
  add_session("ses_3");
  start();
  set_faults();
  for (int i = 0; i < 120; ++i)
    step();
  provider->fault = provider->lie = nullptr;
  provider->holds = nullptr;
  provider->release();
  sched.run();
  pass(3min);
  // A hand that was killed too often is quarantined; a start clears that.
  restart();
  pass(1min);
  for (auto session : {"ses_1", "ses_2", "ses_3"}) {
    auto one = borrow(session);
    pass(3min);
    ASSERT_TRUE(one->lease) << session << ": " << (one->error ? one->error->text() : "pending");
    EXPECT_EQ(id_of(*one), row(session).sandbox);
  }
  pass(1h + config.hands.settings.sweep + 1min);
  EXPECT_EQ(provider->sandboxes.size(), 3u);
  EXPECT_TRUE(tables->intents.empty());
  for (auto session : {"ses_1", "ses_2", "ses_3"})
    EXPECT_TRUE(erase(session)->value);
  EXPECT_TRUE(provider->sandboxes.empty());
  EXPECT_TRUE(tables->intents.empty());
}

INSTANTIATE_TEST_SUITE_P(Seeds, HandRandomTest, testing::Range(1u, 21u));

} // namespace agentpool::test
