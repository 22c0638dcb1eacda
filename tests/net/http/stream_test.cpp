// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/net/http/http_fixture.hpp"

#include <sys/socket.h>

namespace agentpool::net::test {

namespace {

TEST_F(HttpTest, StreamsChunksAfterTheHeadAtOnce) {
  listen();
  auto client = connect();
  auto sink = open_stream(client);
  auto head = client.read_until("\r\n\r\n");
  EXPECT_EQ(head,
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-Accel-Buffering: no\r\nConnection: close\r\n"
    "Transfer-Encoding: chunked\r\n\r\n");
  EXPECT_TRUE(write(*sink, "data: 1\n\n"));
  EXPECT_EQ(client.read_until("\n\n\r\n"), "9\r\ndata: 1\n\n\r\n");
  EXPECT_TRUE(write(*sink, "")) << "an empty chunk would be the last one";
  EXPECT_TRUE(write(*sink, std::string(300, 'x')));
  sink->finish("done");
  EXPECT_EQ(client.read_all(), "12c\r\n" + std::string(300, 'x') + "\r\n0\r\n\r\n");
  EXPECT_FALSE(client.reset());
  EXPECT_FALSE(write(*sink, "late"));
}

TEST_F(HttpTest, StreamsPlainBytesToHttp10) {
  listen();
  auto client = connect();
  auto sink = open_stream(client, "1.0");
  EXPECT_TRUE(write(*sink, "abc"));
  sink->finish("done");
  auto all = client.read_all();
  EXPECT_TRUE(all.ends_with("\r\n\r\nabc")) << all;
  EXPECT_EQ(all.find("chunked"), std::string::npos);
}

TEST_F(HttpTest, StreamsNoBodyToHead) {
  listen();
  auto client = connect();
  client.send("HEAD /wait HTTP/1.1\r\n\r\n");
  auto sink = mailbox_->take()->stream({});
  EXPECT_TRUE(write(*sink, "abc"));
  sink->finish("done");
  EXPECT_TRUE(client.read_all().ends_with("\r\n\r\n"));
}

// BR-003
TEST_F(HttpTest, HalfCloseEndsAStream) {
  listen();
  auto client = connect();
  auto sink = open_stream(client);
  auto closed = std::make_shared<slot<bool>>();
  sink->on_closed([closed] { closed->set(true); });
  EXPECT_TRUE(write(*sink, "one"));
  client.half_close();
  EXPECT_TRUE(closed->wait());
  EXPECT_FALSE(write(*sink, "two"));
  client.read_all();
  EXPECT_TRUE(client.at_end()) << "the server closed its side as well: no CLOSE_WAIT";
  EXPECT_EQ(server_->count().connections, 0u);
  auto again = std::make_shared<slot<bool>>();
  sink->on_closed([again] { again->set(true); });
  EXPECT_TRUE(again->wait()) << "at once when it already happened";
  EXPECT_EQ(closed->times(), 1);
}

// BR-003: the peer neither reads nor closes; nothing but the one write waits, and abort ends it.
TEST_F(HttpTest, AbortEndsAStuckWriteWithAReset) {
  http_limits limits;
  limits.write_timeout = std::chrono::milliseconds{50}; // of responses: streams have none
  listen(limits);
  auto client = connect();
  auto sink = open_stream(client);
  auto done = std::make_shared<slot<bool>>();
  sink->write(std::make_shared<const std::string>(64 << 20, 'x'), [done](bool ok) { done->set(ok); });
  // The server goes on meanwhile, for much longer than a response may take.
  auto other = connect();
  auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds{400};
  while (std::chrono::steady_clock::now() < until) {
    other.send("GET / HTTP/1.1\r\n\r\n");
    other.read_response();
  }
  EXPECT_FALSE(done->now());
  sink->abort("evicted");
  EXPECT_EQ(done->wait(), false);
  client.read_all();
  EXPECT_TRUE(client.reset());
}

TEST_F(HttpTest, StuckWriteGoesOnWhenThePeerReads) {
  listen();
  auto client = connect();
  auto sink = open_stream(client);
  auto done = std::make_shared<slot<bool>>();
  sink->write(std::make_shared<const std::string>(20 << 20, 'x'), [done](bool ok) { done->set(ok); });
  sink->finish("done");
  auto all = client.read_all();
  EXPECT_TRUE(all.ends_with("x\r\n0\r\n\r\n"));
  EXPECT_GT(all.size(), 20u << 20);
  EXPECT_EQ(done->wait(), true);
}

TEST_F(HttpTest, FinishIsBoundedWhenThePeerDoesNotRead) {
  http_limits limits;
  limits.write_timeout = std::chrono::milliseconds{100};
  listen(limits);
  auto client = connect();
  auto sink = open_stream(client);
  auto done = std::make_shared<slot<bool>>();
  sink->write(std::make_shared<const std::string>(64 << 20, 'x'), [done](bool ok) { done->set(ok); });
  sink->finish("done");
  EXPECT_EQ(done->wait(), false);
  client.read_all();
  EXPECT_TRUE(client.reset());
}

TEST_F(HttpTest, ASinkThatIsDroppedAborts) {
  listen();
  auto client = connect();
  open_stream(client).reset();
  client.read_all();
  EXPECT_TRUE(client.at_end());
}

TEST_F(HttpTest, ServerCloseAbortsStreams) {
  listen();
  auto client = connect();
  auto sink = open_stream(client);
  auto closed = std::make_shared<slot<bool>>();
  sink->on_closed([closed] { closed->set(true); });
  server_->close();
  EXPECT_TRUE(closed->wait());
  client.read_all();
  EXPECT_TRUE(client.at_end());
}

TEST_F(HttpTest, OneWriteAtATime) {
  listen();
  auto client = connect();
  auto sink = open_stream(client);
  auto first = std::make_shared<slot<bool>>(), second = std::make_shared<slot<bool>>();
  sink->write(std::make_shared<const std::string>(64 << 20, 'x'), [first](bool ok) { first->set(ok); });
  sink->write(std::make_shared<const std::string>("y"), [second](bool ok) { second->set(ok); });
  EXPECT_EQ(second->wait(), false);
  sink->abort("done");
  EXPECT_EQ(first->wait(), false);
}

// A replay of many frames: each write starts in the callback of the one before.
TEST_F(HttpTest, WritesFromTheCallback) {
  listen();
  auto client = connect();
  auto sink = open_stream(client);
  auto left = std::make_shared<int>(20'000);
  auto next = std::make_shared<std::function<void(bool)>>();
  auto frame = std::make_shared<const std::string>("data: x\n\n");
  *next = [sink, left, next, frame](bool ok) {
    if (ok && --*left > 0)
      sink->write(frame, *next);
    else
      sink->finish("done");
  };
  sink->write(frame, *next);
  EXPECT_TRUE(client.read_all().ends_with("0\r\n\r\n"));
  EXPECT_EQ(*left, 0);
  *next = nullptr;
}

// BR-005: peers that vanish in the middle of a frame do not disturb others.
TEST_F(HttpTest, SurvivesPeersThatVanish) {
  listen();
  auto steady = connect();
  for (int i = 0; i < 500; ++i) {
    auto client = connect();
    auto sink = open_stream(client);
    sink->write(std::make_shared<const std::string>(10'000, 'x'), [](bool) {});
    linger now{1, 0};
    ::setsockopt(client.fd(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    client.close();
    steady.send("GET /" + std::to_string(i) + " HTTP/1.1\r\n\r\n");
    EXPECT_TRUE(steady.read_response().ends_with("GET /" + std::to_string(i) + "? "));
  }
}

} // namespace

} // namespace agentpool::net::test
