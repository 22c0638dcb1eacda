// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/http/client/http_client.hpp"
#include "net/http/client/limits.hpp"
#include "net/io_thread.hpp"
#include "protocol/wire/defaults.hpp"
#include "tests/net/e2b/fault_server.hpp"
#include "tests/net/e2b/recorders.hpp"

#include <arpa/inet.h>
#include <atomic>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace agentpool::net::test {

using ports::http_call;
using ports::http_fault;
using namespace std::chrono_literals;

class HttpClientTest : public ::testing::Test {
protected:
  http_call get(const fault_server& server) {
    http_call call;
    call.url = server.url() + "/x";
    return call;
  }
  std::shared_ptr<recording_receiver> send(http_call call) {
    auto receiver = std::make_shared<recording_receiver>();
    last_ = client_->send(std::move(call), receiver);
    return receiver;
  }

  settled_io_thread io_;
  std::shared_ptr<ports::http_client> client_ = make_http_client(io_.io);
  ports::operation_id last_ = 0;
};

TEST_F(HttpClientTest, GivesTheHeadAndTheBody) {
  std::string seen;
  fault_server server{[&](fault_peer& peer) {
    seen = *peer.read_request();
    peer.send("HTTP/1.1 100 Continue\r\n\r\n");
    peer.send(answer(418, "short and stout", "text/plain", "X-Pot:  tea \r\n"));
    peer.drain();
  }};
  auto call = get(server);
  call.method = "POST";
  call.body = "water";
  call.headers = {"Content-Type: text/plain"};
  auto got = send(call);
  EXPECT_TRUE(got->end().ok());
  EXPECT_EQ(got->record.now().head->status, 418);
  EXPECT_EQ(got->record.now().head->header("x-pot"), "tea");
  EXPECT_EQ(got->record.now().body, "short and stout");
  EXPECT_TRUE(seen.starts_with("POST /x HTTP/1.1\r\n")) << seen;
  EXPECT_NE(seen.find("Content-Length: 5\r\n"), std::string::npos);
  EXPECT_NE(seen.find("Accept-Encoding: identity\r\n"), std::string::npos);
  EXPECT_EQ(seen.find("Expect:"), std::string::npos);
}

TEST_F(HttpClientTest, KeepsItsConnection) {
  fault_server server{[](fault_peer& peer) {
    while (peer.read_request())
      peer.send(answer(200, "{}"));
  }};
  for (int i = 0; i < 5; ++i)
    EXPECT_TRUE(send(get(server))->end().ok());
  EXPECT_EQ(server.connections(), 1u);
}

TEST_F(HttpClientTest, DoesNotFollowRedirects) {
  fault_server server{[](fault_peer& peer) {
    while (peer.read_request())
      peer.send(answer(302, "", "text/plain", "Location: /elsewhere\r\n"));
  }};
  auto got = send(get(server));
  EXPECT_TRUE(got->end().ok());
  EXPECT_EQ(got->record.now().head->status, 302);
}

TEST_F(HttpClientTest, SharesPlacesButNotWithStreams) {
  std::atomic<size_t> requests{0};
  fault_server server{[&](fault_peer& peer) {
    peer.read_request();
    ++requests;
    peer.drain();
  }};
  for (size_t i = 0; i < defaults::client_unary + 3; ++i)
    send(get(server));
  auto stream = get(server);
  stream.stream = true;
  send(stream);
  while (requests < defaults::client_unary + 1)
    std::this_thread::yield();
  EXPECT_EQ(server.connections(), defaults::client_unary + 1);
}

// A request that must not be executed twice is not sent again on another connection.
TEST_F(HttpClientTest, fault_KeptConnectionDies) {
  for (bool repeatable : {false, true}) {
    std::atomic<int> requests{0};
    fault_server server{[&](fault_peer& peer) {
      if (!peer.read_request())
        return; // a connection that curl opened to repeat the request, and was kept from using
      ++requests;
      peer.send(answer(200, "{}"));
      if (!peer.read_request())
        return;
      if (++requests == 2)
        return peer.reset();
      peer.send(answer(200, "{}"));
    }};
    auto call = get(server);
    call.repeatable = repeatable;
    EXPECT_TRUE(send(call)->end().ok());
    auto end = send(call)->end();
    EXPECT_EQ(end.ok(), repeatable) << end.text;
    EXPECT_EQ(requests, repeatable ? 3 : 2);
    EXPECT_TRUE(end.sent);
    if (!repeatable) {
      EXPECT_EQ(end.fault, http_fault::broken);
    }
  }
}

TEST_F(HttpClientTest, fault_AnswerCutAtEveryByte) {
  auto length = answer(200, "hello");
  auto chunked =
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk("hel") + chunk("lo") + "0\r\n\r\n";
  auto before = count_descriptors();
  for (const auto& whole : {length, chunked}) {
    std::atomic<size_t> cut{0};
    fault_server server{[&](fault_peer& peer) {
      peer.read_request();
      peer.send(std::string_view{whole}.substr(0, cut));
    }};
    for (; cut < whole.size(); ++cut) {
      auto end = send(get(server))->end();
      if (cut + 1 < whole.size() || !end.ok()) { // nobody misses the very last byte of a chunked body
        ASSERT_EQ(end.fault, http_fault::broken) << cut;
      }
      ASSERT_TRUE(end.sent);
    }
    EXPECT_TRUE(send(get(server))->end().ok());
  }
  client_->close();
  EXPECT_TRUE(descriptors_fall_to(before));
}

TEST_F(HttpClientTest, fault_AnswerByteByByte) {
  fault_server server{[](fault_peer& peer) {
    while (peer.read_request())
      peer.send_slowly(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk("hello") + "0\r\n\r\n");
  }};
  auto got = send(get(server));
  EXPECT_TRUE(got->end().ok());
  EXPECT_EQ(got->record.now().body, "hello");
}

TEST_F(HttpClientTest, fault_HeadTooLarge) {
  for (bool one_line : {true, false}) {
    fault_server server{[&](fault_peer& peer) {
      peer.read_request();
      peer.send("HTTP/1.1 200 OK\r\n");
      if (one_line)
        peer.send("X-Long: " + std::string(200'000, 'x'));
      while (peer.send("X-More: x\r\n")) {
      }
    }};
    auto end = send(get(server))->end();
    // curl has a bound of its own for one line.
    EXPECT_TRUE(end.fault == http_fault::header_too_large || (one_line && !end.ok())) << end.text;
  }
}

TEST_F(HttpClientTest, fault_BodyTooLarge) {
  fault_server server{[](fault_peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\n\r\n");
    while (peer.send(std::string(10'000, 'x'))) {
    }
  }};
  auto call = get(server);
  call.most_body = 100'000;
  auto got = send(call);
  EXPECT_EQ(got->end().fault, http_fault::body_too_large);
  EXPECT_LE(got->record.now().body.size(), 100'000u);
}

TEST_F(HttpClientTest, fault_NoHttp) {
  for (std::string_view nonsense :
    {"SSH-2.0-OpenSSH_9.2\r\n", "<html>", "HTTP/9.9 2x0\r\n\r\n", "\0\1\2\3\r\n\r\n"}) {
    fault_server server{[&](fault_peer& peer) {
      peer.read_request();
      peer.send(nonsense);
    }};
    auto end = send(get(server))->end();
    EXPECT_FALSE(end.ok()) << nonsense;
    EXPECT_TRUE(end.sent);
  }
}

TEST_F(HttpClientTest, fault_NobodyListens) {
  http_call call;
  {
    fault_server gone{[](fault_peer&) {}};
    call = get(gone);
  }
  auto end = send(call)->end();
  EXPECT_EQ(end.fault, http_fault::connect);
  EXPECT_FALSE(end.sent);
  EXPECT_EQ(end.text.find("127.0.0.1"), std::string::npos) << end.text;
}

// BR-080: what failed before anything was sent is tried again at once, is counted, and has a bound.
TEST_F(HttpClientTest, fault_ConnectionsThatCannotBeMadeAreTriedAgain) {
  http_client_options options;
  options.connects_repeated = std::make_shared<std::atomic<uint64_t>>(0);
  client_ = make_http_client(io_.io, options);
  fault_server server{[](fault_peer& peer) { peer.reset(); }};
  auto call = get(server);
  call.method = "POST";
  call.body = "once";
  call.url.replace(0, 4, "https"); // the handshake fails
  auto end = send(call)->end();
  EXPECT_EQ(end.fault, http_fault::connect);
  EXPECT_FALSE(end.sent);
  EXPECT_EQ(server.connections(), 1u + client_limits::connect_repeats);
  EXPECT_EQ(*options.connects_repeated, static_cast<uint64_t>(client_limits::connect_repeats));
}

// BR-079: a peer that ignores what is sent must not hold a connection for the kernel's quarter of an hour.
TEST_F(HttpClientTest, ConnectionsEndWhenTheirBytesAreNotAcknowledged) {
  fault_server server{[](fault_peer& peer) {
    while (peer.read_request())
      peer.send(answer(200, "x"));
  }};
  EXPECT_TRUE(send(get(server))->end().ok());
  size_t found = 0;
  for (int fd = 3; fd < 1024; ++fd) {
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0 ||
        ntohs(peer.sin_port) != server.port())
      continue;
    ++found;
    unsigned ms = 0;
    size = sizeof ms;
    ASSERT_EQ(::getsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, &size), 0);
    EXPECT_EQ(ms, static_cast<unsigned>(client_limits::unacknowledged.count()));
  }
  EXPECT_EQ(found, 1u) << "the kept connection";
}

TEST_F(HttpClientTest, fault_Silence) {
  fault_server server{[](fault_peer& peer) {
    auto head = peer.read_head();
    if (head && head->starts_with("GET /part"))
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
    peer.drain();
  }};
  auto call = get(server);
  call.limits = {0ms, 50ms, 0ms, 0ms};
  EXPECT_EQ(send(call)->end().fault, http_fault::first_byte_deadline);
  call.limits = {0ms, 0ms, 0ms, 50ms};
  EXPECT_EQ(send(call)->end().fault, http_fault::total_deadline);
  call.url = server.url() + "/part";
  call.limits = {0ms, 0ms, 50ms, 0ms};
  auto got = send(call);
  EXPECT_EQ(got->end().fault, http_fault::idle_deadline);
  EXPECT_EQ(got->record.now().body, "half");
}

TEST_F(HttpClientTest, WaitingForAPlaceCounts) {
  fault_server server{[](fault_peer& peer) { peer.drain(); }};
  for (size_t i = 0; i < defaults::client_unary; ++i)
    send(get(server));
  auto call = get(server);
  call.limits = {0ms, 50ms, 0ms, 0ms};
  auto end = send(call)->end();
  EXPECT_EQ(end.fault, http_fault::first_byte_deadline);
  EXPECT_FALSE(end.sent);
}

TEST_F(HttpClientTest, ReadsNoMoreThanIsConsumed) {
  constexpr size_t whole = 8u << 20;
  std::atomic<size_t> sent{0};
  fault_server server{[&](fault_peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(whole) + "\r\n\r\n");
    while (sent < whole && peer.send(std::string(16'384, 'x')))
      sent += 16'384;
    peer.drain();
  }};
  auto call = get(server);
  call.stream = true;
  call.window = 64 * 1024;
  call.limits.idle = 50ms; // stands still while the receiver makes it wait
  auto got = send(call);
  ASSERT_TRUE(got->record.wait([](const auto& x) { return x.body.size() >= 64 * 1024; }));
  size_t told = 0;
  while (told < whole) {
    ASSERT_TRUE(got->record.wait([told](const auto& x) { return x.body.size() > told; }));
    auto now = got->record.now();
    ASSERT_TRUE(now.ends.empty() || now.ends.front().ok());
    // The window, and at most one buffer of the client beyond it.
    ASSERT_LE(now.body.size() - told, 64 * 1024u + 256 * 1024u);
    auto more = now.body.size() - told;
    told += more;
    client_->consumed(last_, more);
  }
  EXPECT_TRUE(got->end().ok());
  EXPECT_EQ(got->record.now().body.size(), whole);
}

TEST_F(HttpClientTest, UploadsWhatTheSourceGives) {
  for (auto length : {std::optional<uint64_t>{6}, std::optional<uint64_t>{}}) {
    std::string seen;
    fault_server server{[&](fault_peer& peer) {
      seen = *peer.read_request();
      peer.send(answer(200, "[]"));
      peer.drain();
    }};
    auto call = get(server);
    call.method = "POST";
    call.headers = {"Content-Type: application/octet-stream"};
    auto source =
      std::make_shared<scripted_source>(std::vector<result<std::string>>{{"abc"}, {"def"}}, length);
    call.source = source;
    auto got = send(call);
    if (!length) {
      ASSERT_TRUE(source->pulls.wait([](size_t n) { return n == 3; }));
      source->held(std::string{});
    }
    EXPECT_TRUE(got->end().ok());
    EXPECT_TRUE(seen.ends_with(length ? "\r\n\r\nabcdef" : "\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n"))
      << seen;
  }
}

TEST_F(HttpClientTest, fault_SourceFails) {
  fault_server server{[](fault_peer& peer) { peer.drain(); }};
  auto call = get(server);
  call.method = "POST";
  call.source = std::make_shared<scripted_source>(
    std::vector<result<std::string>>{{"abc"}, fail(errc::hand_lost, "gone")}, 6);
  auto end = send(call)->end();
  EXPECT_EQ(end.fault, http_fault::source);
  EXPECT_EQ(end.source_failure, (failure{errc::hand_lost, "gone"}));
}

// The answer comes before or after the client has found that its source has nothing more for now.
TEST_F(HttpClientTest, fault_RefusedInTheMiddleOfAnUpload) {
  for (bool source_waits : {false, true})
    for (std::string_view close : {"", "Connection: close\r\n"})
      for (auto length : {std::optional<uint64_t>{6}, std::optional<uint64_t>{}}) {
        auto source = std::make_shared<scripted_source>(std::vector<result<std::string>>{{"abc"}}, length);
        fault_server server{[&](fault_peer& peer) {
          peer.read_head();
          if (source_waits)
            source->pulls.wait([](size_t n) { return n == 2; });
          peer.send("HTTP/1.1 507 Full\r\nContent-Length: 4\r\n" + std::string{close} + "\r\nfull");
          peer.drain();
        }};
        auto call = get(server);
        call.method = "POST";
        call.source = source;
        auto got = send(call);
        EXPECT_TRUE(got->end().ok()) << got->end().text << source_waits << close;
        EXPECT_EQ(got->record.now().head->status, 507);
        EXPECT_EQ(got->record.now().body, "full");
      }
}

TEST_F(HttpClientTest, CancelAtEveryStepLeavesNothing) {
  auto before = count_descriptors();
  {
    fault_server server{[](fault_peer& peer) {
      auto head = peer.read_head();
      if (head && head->find(" /body ") != std::string::npos)
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
      if (head && head->find(" /head ") != std::string::npos)
        peer.send("HTTP/1.1 200 OK\r\nContent-Le");
      peer.drain();
    }};
    auto call = get(server);
    auto cancelled = [&](const std::shared_ptr<recording_receiver>& got) {
      client_->cancel(last_);
      EXPECT_EQ(got->end().fault, http_fault::cancelled);
      client_->cancel(last_);
    };
    cancelled(send(call)); // before or while it connects
    call.url = server.url() + "/head";
    cancelled(send(call));
    call.url = server.url() + "/body";
    auto got = send(call);
    ASSERT_TRUE(got->record.wait([](const auto& x) { return x.body == "half"; }));
    cancelled(got);
    call.method = "POST";
    auto source = std::make_shared<scripted_source>(std::vector<result<std::string>>{{"abc"}}, 6);
    call.source = source;
    got = send(call);
    ASSERT_TRUE(source->pulls.wait([](size_t n) { return n == 2; }));
    cancelled(got);
    source->held({"late"});
    call.source = nullptr;
    for (size_t i = 0; i < defaults::client_unary; ++i)
      send(call);
    cancelled(send(call)); // while it waits for a place
    client_->close();
    EXPECT_EQ(send(call)->end().fault, http_fault::cancelled);
  }
  EXPECT_TRUE(descriptors_fall_to(before)) << count_descriptors() - before;
}

TEST_F(HttpClientTest, DroppingItEndsWhatIsOpen) {
  fault_server server{[](fault_peer& peer) { peer.drain(); }};
  auto got = send(get(server));
  auto second = send(get(server));
  client_.reset();
  EXPECT_EQ(got->end().fault, http_fault::cancelled);
  EXPECT_EQ(second->end().fault, http_fault::cancelled);
  EXPECT_EQ(got->record.now().ends.size(), 1u);
}

} // namespace agentpool::net::test
