// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/net/http/http_fixture.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

namespace agentpool::net::test {

namespace {

using namespace std::chrono_literals;

bool refused(const std::string& response, int status, std::string_view code) {
  return response.starts_with("HTTP/1.1 " + std::to_string(status) + " ") &&
         response.find("Content-Type: application/problem+json\r\n") != std::string::npos &&
         response.find("Connection: close\r\n") != std::string::npos &&
         response.find("\"code\":\"" + std::string{code} + "\"") != std::string::npos;
}

TEST_F(HttpTest, RefusesLargeHeaders) {
  listen();
  auto client = connect();
  client.send("GET / HTTP/1.1\r\nX: " + std::string(17 * 1024, 'x') + "\r\n\r\n");
  EXPECT_TRUE(refused(client.read_all(), 431, "header_too_large"));
  EXPECT_FALSE(client.reset());
  auto endless = connect();
  for (int i = 0; i < 2000 && endless.send("X-Header-" + std::to_string(i) + ": y\r\n"); ++i) {
  }
  endless.read_all();
  EXPECT_TRUE(endless.at_end());
}

TEST_F(HttpTest, RefusesLargeBodies) {
  listen();
  auto client = connect();
  client.send("POST / HTTP/1.1\r\nContent-Length: 1048577\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_TRUE(refused(client.read_all(), 413, "payload_too_large")) << "before the body was asked for";
  auto chunked = connect();
  chunked.send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
  std::string chunk = "10000\r\n" + std::string(65536, 'x') + "\r\n";
  for (int i = 0; i < 17; ++i)
    chunked.send(chunk);
  EXPECT_TRUE(refused(chunked.read_all(), 413, "payload_too_large"));
  auto fits = connect();
  fits.send("POST / HTTP/1.1\r\nContent-Length: 1048576\r\n\r\n" + std::string(1048576, 'x'));
  EXPECT_TRUE(fits.read_response().starts_with("HTTP/1.1 200"));
}

TEST_F(HttpTest, RefusesChunkExtensionsAndTrailersWithoutEnd) {
  listen();
  for (auto begin : {"2;", "0\r\nX-Trailer: "}) {
    auto client = connect();
    client.send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + std::string{begin});
    std::string more(4096, 'x');
    size_t sent = 0;
    while (sent < 4u << 20 && client.send(more))
      sent += more.size();
    EXPECT_TRUE(refused(client.read_all(), 431, "header_too_large") || sent < 4u << 20) << begin;
    EXPECT_TRUE(client.at_end());
  }
  auto small = connect();
  small.send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nhi\r\n0\r\nX-Trailer: y\r\n\r\n");
  EXPECT_TRUE(small.read_response().starts_with("HTTP/1.1 200"));
}

TEST_F(HttpTest, RefusesWhatTwoServersCouldReadDifferently) {
  listen();
  for (auto head : {"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
         "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", "Content-Length: 3\r\nContent-Length: 4\r\n",
         "Content-Length: 3\r\nContent-Length: 3\r\n", "Content-Length: 3, 3\r\n", "Content-Length: -1\r\n",
         "Content-Length: +3\r\n", "Content-Length: 0x3\r\n", "Content-Length: 99999999999999999999\r\n",
         "Transfer-Encoding: gzip\r\n", "Transfer-Encoding: chunked, identity\r\n",
         "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: xchunked\r\n",
         "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "Host: a\r\nHost: b\r\n",
         "No colon\r\n", "Content-Length : 3\r\n", " Folded: first\r\n"}) {
    auto client = connect();
    client.send(std::string{"POST / HTTP/1.1\r\n"} + head + "\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n");
    auto response = client.read_all();
    EXPECT_TRUE(refused(response, 400, "bad_request")) << head << response;
    EXPECT_EQ(response.find("smuggled"), std::string::npos) << head;
  }
}

TEST_F(HttpTest, RefusesMalformedRequests) {
  listen();
  for (auto request : {"nonsense\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET relative HTTP/1.1\r\n\r\n",
         "GET /a#b HTTP/1.1\r\n\r\n", "CONNECT a:1 HTTP/1.1\r\n\r\n",
         "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
         "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "\x16\x03\x01\x02\r\n\r\n"}) {
    auto client = connect();
    client.send(request);
    EXPECT_TRUE(refused(client.read_all(), 400, "bad_request")) << request;
  }
}

TEST_F(HttpTest, TimesOutSlowRequests) {
  http_limits limits;
  limits.read_timeout = 200ms;
  listen(limits);
  auto silent = connect(), half = connect(), slow_body = connect();
  half.send("GET / HTTP/1.1\r\n");
  slow_body.send("POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc");
  EXPECT_TRUE(refused(half.read_all(), 408, "request_timeout"));
  EXPECT_TRUE(refused(slow_body.read_all(), 408, "request_timeout"));
  EXPECT_EQ(silent.read_all(), "");
  EXPECT_TRUE(silent.at_end());
}

TEST_F(HttpTest, ClosesIdleConnections) {
  http_limits limits;
  limits.idle_timeout = 200ms;
  listen(limits);
  auto client = connect();
  client.send("GET / HTTP/1.1\r\n\r\n");
  client.read_response();
  EXPECT_EQ(client.read_all(), "");
  EXPECT_TRUE(client.at_end());
}

TEST_F(HttpTest, ResetsPeersThatDoNotTakeTheirResponse) {
  http_limits limits;
  limits.write_timeout = 200ms;
  listen(limits);
  auto client = connect();
  client.send("GET /wait HTTP/1.1\r\n\r\n");
  http_response response;
  response.body.assign(64 << 20, 'x');
  mailbox_->take()->respond(std::move(response));
  while (server_->count().connections > 0)
    std::this_thread::yield();
  EXPECT_LT(client.read_all().size(), 64u << 20);
  EXPECT_TRUE(client.reset());
}

TEST_F(HttpTest, RefusesConnectionsOverTheLimit) {
  http_limits limits;
  limits.connections = 2;
  listen(limits);
  auto one = connect(), two = connect();
  for (auto client : {&one, &two}) {
    client->send("GET / HTTP/1.1\r\n\r\n");
    client->read_response();
  }
  auto three = connect();
  EXPECT_TRUE(refused(three.read_all(), 503, "too_many_connections"));
  EXPECT_EQ(server_->count().refused, 1u);
  one.close();
  while (server_->count().connections > 1)
    std::this_thread::yield();
  auto four = connect();
  four.send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(four.read_response().starts_with("HTTP/1.1 200"));
}

TEST_F(HttpTest, RefusesConnectionsOverTheLimitOfOnePeer) {
  http_limits limits;
  limits.connections_per_peer = 1;
  listen(limits);
  auto one = connect();
  one.send("GET / HTTP/1.1\r\n\r\n");
  one.read_response();
  auto two = connect();
  EXPECT_TRUE(refused(two.read_all(), 503, "too_many_connections"));
}

// Runs in a child, because the limit is the whole process's. Answers 0 when connections that could not be
// accepted are served as soon as descriptors are free, without spinning meanwhile.
int survives_missing_descriptors() {
  boost::asio::io_context io{1};
  auto guard = boost::asio::make_work_guard(io);
  auto server = listen_tcp(io, "127.0.0.1", 0, {}, [](auto exchange) { exchange->respond({}); });
  clockid_t clock{};
  std::thread thread{[&] { io.run(); }};
  ::pthread_getcpuclockid(thread.native_handle(), &clock);
  auto client = std::make_unique<raw_client>((*server)->port());
  std::vector<unique_fd> held;
  rlimit limit{64, 64};
  ::setrlimit(RLIMIT_NOFILE, &limit);
  client->send("GET / HTTP/1.1\r\n\r\n");
  client->read_response();
  // The client's own socket takes the last descriptor; none is left for the server's side.
  for (int fd; (fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;)
    held.emplace_back(fd);
  held.pop_back();
  raw_client second{(*server)->port()};
  second.send("GET / HTTP/1.1\r\n\r\n");
  timespec before{}, after{};
  ::clock_gettime(clock, &before);
  std::mutex mutex;
  std::unique_lock lock{mutex};
  std::condition_variable never;
  never.wait_for(lock, 500ms);
  ::clock_gettime(clock, &after);
  auto used = std::chrono::seconds{after.tv_sec - before.tv_sec} +
              std::chrono::nanoseconds{after.tv_nsec - before.tv_nsec};
  held.clear();
  auto response = second.read_response();
  server->reset();
  guard.reset();
  io.stop();
  thread.join();
  return used > 250ms ? 1 : response.starts_with("HTTP/1.1 200") ? 0 : 2;
}

TEST(HttpDescriptorsTest, WaitsForDescriptorsWithoutSpinning) {
  auto child = ::fork();
  if (child == 0)
    ::_exit(survives_missing_descriptors());
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

} // namespace

} // namespace agentpool::net::test
