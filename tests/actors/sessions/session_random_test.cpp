// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/actors/sessions/session_fixture.hpp"

#include <random>

namespace agentpool::test {

/// Random interleavings of everything that can happen to a session, each from a fixed seed. // BR-033
class SessionRandomTest : public SessionFixture, public ::testing::WithParamInterface<int> {
protected:
  /// What can happen at any time.
  void happen(unsigned what) {
    switch (what % 18) {
    case 0:
    case 1: answers.push_back(prompt("p" + std::to_string(answers.size()))); break;
    case 2: answers.push_back(prompt("same", "key")); break;
    case 3: cancel(); break;
    case 4: store->closed = true; break;
    case 5: store->open(), sched.run(); break;
    case 6: each_worker([&](size_t n) { lose(n); }); break;
    case 7: each_worker([&](size_t n) { order(worker(n).handle, "killed"); }); break;
    case 8:
    case 9: answer_prompt(); break;
    case 10: each_worker([&](size_t n) { say("text", event_type::agent_message_chunk, n); }); break;
    case 11: each_worker([&](size_t n) { ask_permission(std::to_string(next_request++), n); }); break;
    case 12: let_time_pass(steps[random() % steps.size()]); break;
    case 13: brains->hold_takes = !brains->hold_takes, order(pool, "serve"); break;
    case 14: toggle(brains->hold_assigns, "assigned"); break;
    case 15: toggle(brains->hold_releases, "released"); break;
    case 16: brains->hold_withdrawals = !brains->hold_withdrawals; break;
    case 17:
      each_worker([&](size_t n) { caf::anon_send(session, yield_atom_v, worker(n).id), sched.run(); });
      break;
    }
  }

  void each_worker(const std::function<void(size_t)>& what) {
    if (!brains->workers.empty() && !brains->workers.back()->ended)
      what(brains->workers.size() - 1);
  }

  void let_time_pass(caf::timespan by) {
    if (by >= 1s) // a store that is slow for longer has failed: another test
      store->open(), sched.run();
    advance(by);
  }

  void answer_prompt() {
    each_worker([&](size_t n) {
      if (!worker(n).prompts.empty())
        finish("end_turn", n);
    });
  }

  void toggle(bool& held, const std::string& what) {
    held = !held;
    if (held)
      return;
    for (auto& one : brains->workers)
      if (!one->ended)
        order(one->handle, what);
  }

  /// Everything that waits is let go; then whatever runs is cancelled and its time passes.
  void calm_down() {
    store->open();
    brains->hold_takes = brains->hold_assigns = brains->hold_releases = false;
    sched.run();
    order(pool, "serve");
    for (auto& one : brains->workers)
      if (!one->ended)
        order(one->handle, "assigned"), order(one->handle, "released");
    cancel();
    for (int i = 0; i < 8; ++i)
      advance(defaults::attach_deadline / 4);
    cancel();
    advance(defaults::cancel_grace);
    advance(defaults::cancel_grace);
  }

  void expect_one_end_per_turn() {
    for (const auto& turn : turns())
      EXPECT_EQ(turn.phase, turn_phase::ended) << turn.id.value;
    for (const auto& one : brains->workers) { // at most once
      auto prompts = one->prompts;
      for (const auto& turn : prompts)
        EXPECT_EQ(++written[turn.value], 1) << turn.value;
    }
    for (const auto& answer : answers)
      EXPECT_FALSE(answer->pending());
  }

  std::mt19937 random;
  std::vector<std::shared_ptr<posted<prompt_accepted>>> answers;
  std::map<std::string, int> written;
  unsigned next_request = 1;
  const std::vector<caf::timespan> steps{10ms, 1s, defaults::agent_turn_silence, defaults::cancel_grace,
    defaults::attach_deadline, defaults::turn_stall};
};

TEST_P(SessionRandomTest, SeqIsWholeEveryTurnEndsOnceAndNothingIsStuck) { // BR-033
  random.seed(static_cast<unsigned>(GetParam()));
  if (GetParam() % 3 == 0)
    tables->sessions.at(id).row.mode = "ask";
  start();
  for (int i = 0; i < 40; ++i) {
    happen(random());
    check_log();
  }
  calm_down();
  ASSERT_FALSE(*down) << to_string(**down);
  expect_one_end_per_turn();
  auto last = prompt("still alive?");
  EXPECT_TRUE(last->value) << (last->error ? last->error->text() : "no answer in " + state());
  EXPECT_EQ(state(), "running");
}

TEST_P(SessionRandomTest, DeleteAtAnyMomentDeletes) { // BR-032 BR-033
  random.seed(static_cast<unsigned>(GetParam()) + 10'000);
  start();
  for (auto i = random() % 25; i > 0; --i)
    happen(random());
  auto answer = erase();
  for (int i = 0; i < 10; ++i)
    happen(random());
  calm_down();
  EXPECT_TRUE(answer->value) << (answer->error ? answer->error->text() : "no answer");
  EXPECT_FALSE(tables->sessions.contains(id));
  EXPECT_TRUE(*down);
}

TEST_P(SessionRandomTest, StopAtAnyMomentStopsAndTheNextStartSettles) { // BR-018 BR-033
  random.seed(static_cast<unsigned>(GetParam()) + 20'000);
  start();
  for (auto i = random() % 25; i > 0; --i)
    happen(random());
  stop();
  calm_down();
  ASSERT_TRUE(*down);
  check_log();
  auto open =
    std::ranges::count_if(turns(), [](const auto& turn) { return turn.phase != turn_phase::ended; });
  EXPECT_LE(open, 1);
  for (const auto& turn : turns())
    EXPECT_NE(turn.phase, turn_phase::delivered) << "a turn that the brain may have seen stayed open";
  start();
  calm_down();
  expect_one_end_per_turn();
}

INSTANTIATE_TEST_SUITE_P(Seeds, SessionRandomTest, ::testing::Range(1, 121));

} // namespace agentpool::test
