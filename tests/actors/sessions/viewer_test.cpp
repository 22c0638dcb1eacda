// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/actors/sessions/viewer_fixture.hpp"

namespace agentpool::test {

using ViewerTest = ViewerFixture;

TEST_F(ViewerTest, FirstBytesGoOutBeforeAnythingIsKnown) { // BR-007
  subscribe_error = failure{errc::overloaded, {}};
  auto view = open();
  EXPECT_EQ(view.sink->writes, 1u);
  EXPECT_TRUE(view.sink->bytes.starts_with(":"));
  EXPECT_GE(view.sink->bytes.size(), 64u);
}

TEST_F(ViewerTest, ReplaysThenFollowsAndSaysOnceThatItCaughtUp) { // BR-015
  fill(9);
  be_running();
  auto view = open();
  EXPECT_EQ(view.seqs(), range(1, 12));
  EXPECT_EQ(view.frames().back(), "caught_up");
  produce(3);
  finish();
  EXPECT_EQ(view.seqs(), range(1, 16));
  EXPECT_EQ(view.notices(), strings{"caught_up"});
  EXPECT_FALSE(view.sink->overlapped);
}

TEST_F(ViewerTest, StartsAfterTheCursor) { // BR-013
  fill(9);
  start();
  EXPECT_EQ(open(7).seqs(), range(8, 10));
  EXPECT_TRUE(open(10).seqs().empty());
  EXPECT_EQ(open(10).notices(), strings{"caught_up"});
}

TEST_F(ViewerTest, CursorOlderThanAnyMemoryGetsTheWholeLog) { // BR-008
  fill(5000);
  start();
  auto view = open(5);
  EXPECT_EQ(view.seqs(), range(6, 5001));
  EXPECT_EQ(view.notices(), strings{"caught_up"});
}

TEST_F(ViewerTest, ReplayIsPagedByWhatThePeerTakes) { // BR-011
  fill(3 * defaults::replay_events);
  start();
  auto view = open(0, false);
  auto first_reads = tables->page_reads;
  sched.run();
  EXPECT_EQ(tables->page_reads, first_reads); // nothing is read ahead of the peer
  for (size_t taken = 0; view.sink->has_pending(); ++taken) {
    ASSERT_LT(taken, 10u);
    view.sink->take();
    sched.run();
  }
  EXPECT_EQ(view.seqs(), range(1, 3 * defaults::replay_events + 1));
  EXPECT_FALSE(view.sink->overlapped);
}

TEST_F(ViewerTest, PageIsBoundedInBytes) { // BR-003 BR-011
  fill(100, R"({"text":")" + std::string(32 * 1024, 'x') + R"("})");
  start();
  auto view = open();
  EXPECT_EQ(view.seqs(), range(1, 101));
  EXPECT_LE(view.sink->largest, defaults::replay_bytes + 64 * 1024);
}

TEST_F(ViewerTest, SlowViewerIsBehindAndCatchesUpFromTheStore) { // BR-010
  be_running();
  auto view = open(0, false);
  view.sink->take();
  sched.run();
  view.sink->take(); // the replay
  sched.run();
  produce(200);
  EXPECT_EQ(view.sink->writes, 3u); // one write is outstanding, nothing queues behind it
  view.sink->greedy = true;
  view.sink->take();
  sched.run();
  EXPECT_EQ(view.seqs(), range(1, 203));
  EXPECT_FALSE(view.sink->overlapped);
}

TEST_F(ViewerTest, OneStuckViewerDoesNotHoldTheOthersBack) { // BR-002
  be_running();
  auto stuck = open(0, false);
  auto other = open();
  produce(50);
  EXPECT_EQ(other.seqs(), range(1, 53));
  EXPECT_EQ(stuck.sink->writes, 1u);
  EXPECT_EQ(state(), "running");
}

TEST_F(ViewerTest, PeerThatDoesNotReadIsEvicted) { // BR-002 BR-003
  be_running();
  auto view = open(0, false);
  for (auto spent = 0s; spent < defaults::viewer_stall - 1s; spent += 1s)
    advance(1s);
  EXPECT_TRUE(view.sink->aborted.empty());
  advance(1s);
  EXPECT_THAT(view.sink->aborted, ::testing::HasSubstr("did not read"));
  ASSERT_TRUE(*view.down);
  EXPECT_THAT(to_failure(**view.down).text(), ::testing::HasSubstr("evicted"));
  EXPECT_THAT(request<actor_status>(session, status_atom_v)->value->detail,
    ::testing::HasSubstr(R"("viewers":0)")); // BR-001
}

TEST_F(ViewerTest, SlowPeerThatReadsIsNeverEvicted) {
  be_running();
  auto view = open(0, false);
  for (int i = 0; i < 20; ++i) {
    advance(defaults::viewer_stall - 1s);
    produce(2);
    view.sink->take();
    sched.run();
    ASSERT_TRUE(view.sink->aborted.empty());
    if (!view.sink->has_pending())
      produce(1);
  }
}

TEST_F(ViewerTest, QuietStreamGetsAHeartbeat) { // BR-006
  be_running();
  auto view = open();
  auto writes = view.sink->writes;
  advance(defaults::heartbeat - 1ms);
  EXPECT_EQ(view.sink->writes, writes);
  advance(1ms);
  EXPECT_EQ(view.sink->last, ": keep-alive\n\n");
  for (int i = 0; i < 5; ++i)
    advance(defaults::heartbeat);
  EXPECT_EQ(view.sink->writes, writes + 6);
  EXPECT_EQ(view.seqs(), range(1, 3)); // a heartbeat has no seq
}

TEST_F(ViewerTest, BusyStreamGetsNone) { // BR-006
  be_running();
  auto view = open();
  for (int i = 0; i < 50; ++i) {
    advance(1s);
    produce(1);
  }
  EXPECT_EQ(view.sink->bytes.find("keep-alive"), std::string::npos);
}

TEST_F(ViewerTest, GapBetweenWritesIsNeverLongerThanAHeartbeat) { // BR-006
  be_running();
  auto view = open();
  for (int i = 0; i < 20; ++i) {
    advance(7s);
    produce(1);
    auto writes = view.sink->writes;
    advance(defaults::heartbeat);
    EXPECT_GT(view.sink->writes, writes);
  }
}

TEST_F(ViewerTest, HeartbeatGoesOutWithoutAStore) { // BR-006
  be_running();
  auto view = open();
  tables->refuse_read = [] { return failure{errc::store_unavailable, {}}; };
  advance(defaults::heartbeat);
  EXPECT_EQ(view.sink->last, ": keep-alive\n\n");
  sys.registry().erase("store_reader");
  auto writes = view.sink->writes;
  advance(defaults::heartbeat);
  EXPECT_EQ(view.sink->writes, writes + 1);
}

TEST_F(ViewerTest, LostPushIsFoundByTheHeartbeat) { // BR-006
  be_running();
  auto view = open();
  auto& entry = tables->sessions.at(id); // an event whose push nobody sent
  entry.events.push_back(make_event(++entry.row.last_seq, "notice", {}, 0, "{}"));
  advance(defaults::heartbeat);
  EXPECT_EQ(view.seqs(), range(1, 4));
  tables->sessions.at(id).events.pop_back(); // the session knows nothing of it
  --entry.row.last_seq;
}

TEST_F(ViewerTest, LostPushIsFoundByTheNextOne) { // BR-006
  fill(9);
  start();
  auto view = open();
  auto& entry = tables->sessions.at(id);
  auto push = [&](uint64_t seq) {
    auto rows = std::make_shared<const std::vector<event_row>>(1, entry.events.at(seq - 1));
    caf::anon_send(view.actor, events_atom_v, event_batch{rows});
    sched.run();
  };
  fill(2);
  push(12); // 11 was lost
  EXPECT_EQ(view.seqs(), range(1, 12));
  push(11); // and comes late
  push(12);
  EXPECT_EQ(view.seqs(), range(1, 12));
}

TEST_F(ViewerTest, OverlappingViewersEachSeeEverySeqOnce) { // BR-012
  be_running();
  auto first = open();
  produce(3);
  auto second = open(2);
  produce(3);
  auto third = open(0, false);
  produce(1);
  third.sink->greedy = true;
  third.sink->take();
  sched.run();
  EXPECT_EQ(first.seqs(), range(1, 10));
  EXPECT_EQ(second.seqs(), range(3, 10));
  EXPECT_EQ(third.seqs(), range(1, 10));
}

TEST_F(ViewerTest, CursorFromElsewhereIsAGap) { // BR-021
  fill(4);
  start();
  auto view = open(99);
  EXPECT_EQ(view.notices(), (strings{"gap", "caught_up"}));
  auto gap = parse_sse(view.sink->bytes).front();
  EXPECT_EQ(gap.data, R"({"after":99,"last_seq":5})");
  prompt();
  EXPECT_EQ(view.seqs(), range(6, 7));
}

TEST_F(ViewerTest, CursorThatTheStoreKnowsBeforeTheSessionIsNoGap) {
  fill(4);
  start(); // at 5
  fill(1); // committed, but the session was not answered yet
  auto view = open(6);
  EXPECT_EQ(view.notices(), strings{"caught_up"});
  tables->sessions.at(id).events.pop_back();
  --tables->sessions.at(id).row.last_seq;
}

TEST_F(ViewerTest, HoleInTheStoreIsAGapAndNoLoop) {
  fill(9);
  auto& events = tables->sessions.at(id).events;
  auto lost = std::vector(events.begin() + 3, events.begin() + 5);
  events.erase(events.begin() + 3, events.begin() + 5);
  start();
  auto view = open();
  EXPECT_EQ(view.frames(), (strings{"1", "2", "3", "gap", "6", "7", "8", "9", "10", "caught_up"}));
  events.insert(events.begin() + 3, lost.begin(), lost.end());
}

TEST_F(ViewerTest, StoreThatFailsIsReadAgain) {
  fill(4);
  start();
  tables->refuse_read = [] { return failure{errc::store_unavailable, {}}; };
  auto view = open();
  EXPECT_TRUE(view.seqs().empty());
  tables->refuse_read = {};
  advance(defaults::heartbeat);
  EXPECT_EQ(view.seqs(), range(1, 5));
}

TEST_F(ViewerTest, StatusShowsWhereItStands) {
  be_running();
  auto view = open(0, false);
  auto status = request<actor_status>(view.actor, status_atom_v)->value;
  EXPECT_EQ(status->kind, "viewer");
  EXPECT_EQ(status->waits_for, "the peer to read");
}

} // namespace agentpool::test
