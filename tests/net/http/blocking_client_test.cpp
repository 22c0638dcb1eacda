// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/http/blocking_client.hpp"
#include "tests/net/http/http_fixture.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace agentpool::net::test {

namespace {

using namespace std::chrono_literals;

class BlockingClientTest : public HttpTest {
protected:
  BlockingClientTest() { listen(); }
  std::string url(const std::string& path) {
    return "http://127.0.0.1:" + std::to_string(server_->port()) + path;
  }
  // Opens a stream with the client on a thread of its own; the server's end is the answer.
  std::shared_ptr<ports::event_sink> open(
    std::chrono::seconds idle, std::function<bool(std::string_view)> on_bytes) {
    reading_ = std::thread{[this, idle, on_bytes] {
      ended_.set(
        client_.stream(url("/wait"), {"Accept: text/event-stream", "Last-Event-ID: 7"}, on_bytes, idle));
    }};
    auto exchange = mailbox_->take();
    last_event_id_ = std::string{exchange->request().header("last-event-id").value_or("")};
    return exchange->stream({});
  }
  std::optional<result<client_response>> end() {
    reading_.join();
    return ended_.now();
  }

  blocking_client client_{"secret", 20s};
  std::thread reading_;
  slot<result<client_response>> ended_;
  std::string last_event_id_;
};

TEST_F(BlockingClientTest, SendsMethodsBodiesAndToken) {
  EXPECT_EQ(client_.get(url("/a?b=1"))->body, "GET /a?b=1 ");
  EXPECT_EQ(client_.remove(url("/a"))->body, "DELETE /a? ");
  auto large = std::string(200'000, 'x');
  auto answer = client_.post(url("/p"), large);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "POST /p? " + large);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->content_type, "application/json");
  slot<result<client_response>> got;
  std::thread asking{[&] { got.set(client_.post(url("/wait"), "{}", {"Idempotency-Key: k"})); }};
  auto exchange = mailbox_->take();
  EXPECT_EQ(exchange->request().header("authorization"), "Bearer secret");
  EXPECT_EQ(exchange->request().header("content-type"), "application/json");
  EXPECT_EQ(exchange->request().header("idempotency-key"), "k");
  exchange.reset();
  asking.join();
  EXPECT_EQ((*got.now())->status, 500);
}

TEST_F(BlockingClientTest, NamesWhatDoesNotAnswer) {
  // A port that is taken, so that nobody else gets it, but not listened on.
  unique_fd socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_in bound{};
  bound.sin_family = AF_INET;
  bound.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof bound;
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&bound), size), 0);
  ASSERT_EQ(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&bound), &size), 0);
  auto answer = client_.get("http://127.0.0.1:" + std::to_string(ntohs(bound.sin_port)) + "/");
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().text().find("is agentpoold running?"), std::string::npos);
}

TEST_F(BlockingClientTest, KeepsItsDeadline) {
  blocking_client hasty{"", 100ms};
  auto answer = hasty.get(url("/wait"));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, errc::deadline);
}

TEST_F(BlockingClientTest, StreamsUntilTheServerEnds) {
  std::string seen;
  auto sink = open(20s, [&seen](std::string_view bytes) { return seen += bytes, true; });
  EXPECT_TRUE(write(*sink, "one "));
  EXPECT_TRUE(write(*sink, "two"));
  sink->finish("done");
  EXPECT_TRUE(end()->has_value());
  EXPECT_EQ(seen, "one two");
  EXPECT_EQ(last_event_id_, "7");
}

TEST_F(BlockingClientTest, StreamsUntilTheReaderHasEnough) {
  auto sink = open(20s, [](std::string_view) { return false; });
  sink->write(std::make_shared<const std::string>("one"), [](bool) {});
  EXPECT_TRUE(end()->has_value());
}

TEST_F(BlockingClientTest, StreamsEndWhenNothingComes) {
  auto sink = open(1s, [](std::string_view) { return true; });
  auto ended = end();
  ASSERT_FALSE(ended->has_value());
  EXPECT_EQ(ended->error().code, errc::deadline);
}

TEST_F(BlockingClientTest, ABrokenStreamIsAnError) {
  auto sink = open(20s, [](std::string_view) { return true; });
  EXPECT_TRUE(write(*sink, "one"));
  sink->abort("test");
  EXPECT_FALSE(end()->has_value());
}

TEST_F(BlockingClientTest, StopEndsARunningCall) {
  auto sink = open(60s, [](std::string_view) { return true; });
  client_.stop();
  auto ended = end();
  ASSERT_FALSE(ended->has_value());
  EXPECT_EQ(ended->error().code, errc::cancelled);
}

TEST_F(BlockingClientTest, RefusedStreamsShowTheirBody) {
  bool called = false;
  auto answer = client_.stream(
    url("/throw"), {}, [&called](std::string_view) { return called = true; }, 20s);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 500);
  EXPECT_NE(answer->body.find("internal"), std::string::npos);
  EXPECT_FALSE(called);
}

} // namespace

} // namespace agentpool::net::test
