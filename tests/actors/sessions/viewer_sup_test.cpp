// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/sessions/viewer_sup.hpp"
#include "tests/actors/sessions/viewer_fixture.hpp"

namespace agentpool::test {

/// The supervisor of viewers.
class ViewerSupTest : public ViewerFixture {
protected:
  void begin(size_t limit = 3) {
    settings.viewers = limit;
    start();
    uut = keep(spawn_viewer_sup(sys, settings));
    ended = watch(uut);
  }

  ~ViewerSupTest() override {
    caf::anon_send_exit(uut, caf::exit_reason::kill);
    sched.run();
  }

  std::shared_ptr<fake_sink> open_stream(bool greedy = true) {
    auto sink = std::make_shared<fake_sink>();
    sink->greedy = greedy;
    outcome = request<void>(
      uut, watch_atom_v, viewer_order{id, 0, true, "peer"}, std::shared_ptr<ports::event_sink>{sink});
    return sink;
  }

  std::string detail() { return request<actor_status>(uut, status_atom_v)->value->detail; }

  viewer_sup_actor uut;
  std::shared_ptr<std::optional<caf::error>> ended;
  std::shared_ptr<posted<void>> outcome;
};

TEST_F(ViewerSupTest, StartsViewersUpToTheBound) {
  begin(3);
  for (int i = 0; i < 3; ++i)
    open_stream();
  EXPECT_TRUE(outcome->value);
  auto refused = open_stream();
  EXPECT_EQ(outcome->code(), errc::overloaded);
  EXPECT_EQ(refused->aborted + refused->finished, ""); // who asked tells the peer why
}

TEST_F(ViewerSupTest, EndedViewerMakesRoomAndItsReasonIsCounted) { // BR-001 BR-002
  begin(1);
  open_stream()->close();
  sched.run();
  open_stream(false);
  EXPECT_TRUE(outcome->value);
  for (int i = 0; i < 4; ++i)
    advance(defaults::heartbeat);
  EXPECT_THAT(detail(), ::testing::HasSubstr(R"("viewers":0)"));
  EXPECT_THAT(detail(), ::testing::HasSubstr(R"("the peer closed the stream":1)"));
  EXPECT_THAT(detail(), ::testing::HasSubstr(R"("evicted: the peer did not read for too long":1)"));
}

TEST_F(ViewerSupTest, StopEndsStreamsInOrderThenItself) {
  begin();
  auto fast = open_stream();
  auto slow = open_stream(false);
  caf::anon_send_exit(uut, caf::exit_reason::user_shutdown);
  sched.run();
  EXPECT_EQ(fast->finished, "the server is stopping");
  EXPECT_FALSE(*ended);
  slow->take();
  sched.run();
  EXPECT_EQ(slow->finished, "the server is stopping");
  EXPECT_TRUE(*ended);
}

TEST_F(ViewerSupTest, NoStreamIsOpenedWhileItStops) {
  begin();
  open_stream(false);
  caf::anon_send_exit(uut, caf::exit_reason::user_shutdown);
  sched.run();
  auto late = open_stream();
  EXPECT_EQ(outcome->code(), errc::shutting_down);
  EXPECT_EQ(late->aborted + late->finished, "");
}

TEST_F(ViewerSupTest, KillLetsEveryPeerGo) {
  begin();
  auto slow = open_stream(false);
  caf::anon_send_exit(uut, caf::exit_reason::kill);
  sched.run();
  EXPECT_TRUE(*ended);
  EXPECT_FALSE(slow->aborted.empty());
}

} // namespace agentpool::test
