// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/actors/sessions/viewer_fixture.hpp"

namespace agentpool::test {

/// Previews.
using ViewerLiveTest = ViewerFixture;

TEST_F(ViewerLiveTest, GoesToThoseWhoKeepUp) {
  be_running();
  auto view = open();
  auto without = open(0, true, false);
  live("He");
  EXPECT_EQ(view.frames(), (strings{"1", "2", "3", "caught_up", "live"}));
  EXPECT_THAT(parse_sse(view.sink->bytes).back().data, ::testing::HasSubstr(R"("text":"He")"));
  EXPECT_EQ(without.notices(), strings{"caught_up"});
}

TEST_F(ViewerLiveTest, WaitsForTheOutstandingWriteAndIsJoined) {
  be_running();
  auto view = open(3, false);
  view.sink->take();
  sched.run();
  view.sink->take(); // caught_up
  sched.run();
  live("a");
  live("b");
  live("c");
  EXPECT_EQ(view.sink->writes, 3u);
  view.sink->take();
  sched.run();
  EXPECT_EQ(view.sink->writes, 4u);
  view.sink->take();
  EXPECT_EQ(view.notices(), (strings{"caught_up", "live", "live", "live"}));
}

TEST_F(ViewerLiveTest, IsDroppedForAViewerThatIsBehind) {
  be_running();
  auto view = open(0, false);
  produce(5);
  live("preview");
  view.sink->greedy = true;
  view.sink->take();
  sched.run();
  EXPECT_EQ(view.notices(), strings{"caught_up"});
}

TEST_F(ViewerLiveTest, NeverComesAfterTheEventThatReplacesIt) {
  be_running();
  auto view = open(3, false);
  view.sink->take();
  sched.run();
  view.sink->take();
  sched.run();
  live("Hel");
  live("Hello"); // waits behind the first one
  say("Hello");
  advance(defaults::coalesce_time); // the committed text
  view.sink->greedy = true;
  view.sink->take();
  sched.run();
  EXPECT_EQ(view.frames(), (strings{"caught_up", "live", "4"}));
}

TEST_F(ViewerLiveTest, IsBoundedForASlowPeer) { // BR-003
  be_running();
  auto view = open(3, false);
  view.sink->take();
  sched.run();
  view.sink->take();
  sched.run();
  for (int i = 0; i < 1000; ++i)
    live(std::string(1024, 'x'));
  view.sink->take();
  sched.run();
  EXPECT_LE(view.sink->last.size(), defaults::live_buffer + 2048);
}

TEST_F(ViewerLiveTest, TakesNoSeq) {
  be_running();
  auto view = open();
  live("x");
  finish();
  EXPECT_EQ(view.seqs(), range(1, 4));
}

/// Sessions that fail and streams that end.
using ViewerEndTest = ViewerFixture;

TEST_F(ViewerEndTest, FailedSessionIsFollowedInItsNextIncarnation) { // BR-015 BR-022
  be_running();
  auto view = open();
  produce(2);
  caf::anon_send_exit(session, caf::exit_reason::kill);
  sched.run();
  start(); // interrupts the turn before the viewer is back
  advance(1s);
  EXPECT_EQ(subscribes, 2u);
  prompt();
  finish("end_turn", 1);
  EXPECT_EQ(view.seqs(), range(1, events().size()));
  EXPECT_EQ(view.notices(), strings{"caught_up"});
  EXPECT_FALSE(*view.down);
}

TEST_F(ViewerEndTest, RegistryThatIsBeingRestartedIsAskedAgain) {
  be_running();
  subscribe_error = failure{errc::overloaded, {}};
  auto view = open();
  EXPECT_TRUE(view.seqs().empty());
  subscribe_error.reset();
  advance(1s);
  EXPECT_EQ(view.seqs(), range(1, 3));
}

TEST_F(ViewerEndTest, SessionThatDoesNotComeBackEndsTheStream) {
  start();
  subscribe_error = failure{errc::internal, "quarantined"};
  auto view = open();
  for (int i = 0; i < 100 && !*view.down; ++i)
    advance(1s);
  EXPECT_THAT(view.sink->finished, ::testing::HasSubstr("quarantined"));
  ASSERT_TRUE(*view.down);
  EXPECT_LE(subscribes, 11u);
}

TEST_F(ViewerEndTest, DeletedSessionEndsTheStreamInOrder) {
  start();
  auto view = open();
  subscribe_error = failure{errc::not_found, {}};
  erase();
  advance(1s);
  EXPECT_FALSE(view.sink->finished.empty());
  EXPECT_TRUE(*view.down);
  EXPECT_TRUE(view.sink->aborted.empty());
}

TEST_F(ViewerEndTest, TooManyViewersEndsTheStream) {
  start();
  subscribe_error = failure{errc::too_many_viewers, {}};
  auto view = open();
  EXPECT_FALSE(view.sink->finished.empty());
  EXPECT_EQ(subscribes, 1u);
}

TEST_F(ViewerEndTest, FinishWaitsForTheOutstandingWrite) {
  be_running();
  auto view = open(0, false);
  caf::anon_send(view.actor, stop_atom_v, std::string{"the server is stopping"});
  sched.run();
  EXPECT_TRUE(view.sink->finished.empty());
  view.sink->take();
  sched.run();
  EXPECT_EQ(view.sink->finished, "the server is stopping");
  EXPECT_FALSE(view.sink->late);
  EXPECT_TRUE(*view.down && !**view.down);
}

TEST_F(ViewerEndTest, FinishOfAPeerThatDoesNotReadIsBounded) {
  be_running();
  auto view = open(0, false);
  caf::anon_send(view.actor, stop_atom_v, std::string{"the server is stopping"});
  for (int i = 0; i < 4; ++i)
    advance(defaults::heartbeat);
  EXPECT_FALSE(view.sink->aborted.empty());
  EXPECT_TRUE(*view.down);
}

TEST_F(ViewerEndTest, PeerThatClosesEndsTheViewerAtOnce) { // BR-001 BR-005
  be_running();
  auto view = open();
  view.sink->close();
  sched.run();
  EXPECT_TRUE(*view.down);
  EXPECT_EQ(state(), "running");
  auto timers = request<std::vector<timer_status>>(find_timers(sys), list_atom_v)->value;
  for (const auto& timer : *timers)
    EXPECT_NE(timer.owner, "viewer of ses_1");
  EXPECT_THAT(
    request<actor_status>(session, status_atom_v)->value->detail, ::testing::HasSubstr(R"("viewers":0)"));
}

TEST_F(ViewerEndTest, ThousandsOfBrokenStreamsLeaveNothing) { // BR-001
  be_running();
  auto before = sys.registry().running();
  for (int i = 0; i < 2000; ++i) {
    auto sink = std::make_shared<fake_sink>();
    spawn_viewer(sys, settings, viewer_order{id, 0, true, "peer"}, sink);
    sched.run();
    sink->close();
    sched.run();
  }
  EXPECT_EQ(sys.registry().running(), before);
  auto timers = request<std::vector<timer_status>>(find_timers(sys), list_atom_v)->value;
  EXPECT_LE(timers->size(), 5u);
}

TEST_F(ViewerEndTest, WriteThatFailsEndsTheViewer) { // BR-001
  be_running();
  auto view = open(0, false);
  view.sink->fail();
  sched.run();
  EXPECT_TRUE(*view.down);
}

TEST_F(ViewerEndTest, KilledViewerLetsThePeerGo) {
  be_running();
  auto view = open(0, false);
  caf::anon_send_exit(view.actor, caf::exit_reason::kill);
  sched.run();
  EXPECT_TRUE(*view.down);
  EXPECT_FALSE(view.sink->aborted.empty());
}

} // namespace agentpool::test
