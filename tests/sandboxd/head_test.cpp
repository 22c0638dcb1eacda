// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/front/head.hpp"

#include <gtest/gtest.h>

namespace agentpool::sandboxd {
namespace {

namespace http = boost::beast::http;

request_head request(std::initializer_list<std::pair<const char*, const char*>> fields) {
  request_head head{http::verb::post, "/a?b", 11};
  for (auto [name, value] : fields)
    head.insert(name, value);
  return head;
}

TEST(ForwardedRequest, LeavesOutWhatIsForThisHop) {
  auto head = request({{"Host", "h"}, {"Connection", "close, X-Hop"}, {"X-Hop", "1"}, {"Keep-Alive", "9"},
    {"Transfer-Encoding", "chunked"}, {"E2b-Sandbox-Id", "i"}, {"E2b-Sandbox-Port", "1"},
    {"Expect", "100-continue"}, {"X-Access-Token", "t"}, {"Accept", "a"}, {"Accept", "b"}});
  EXPECT_EQ(forwarded_request(head, framing::chunked, true),
    "POST /a?b HTTP/1.1\r\nHost: h\r\nX-Access-Token: t\r\nAccept: a\r\nAccept: b\r\n"
    "Transfer-Encoding: chunked\r\n\r\n");
}

TEST(ForwardedRequest, EnvdsTokenGoesToEnvdOnly) {
  auto head = request({{"Host", "h"}, {"x-access-token", "t"}, {"Content-Length", "3"}});
  EXPECT_EQ(forwarded_request(head, framing::length, false),
    "POST /a?b HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n");
}

TEST(ForwardedRequest, PassesAnUpgradeToPortsOfTheUser) {
  auto head = request({{"Connection", "keep-alive, Upgrade"}, {"Upgrade", "websocket"}});
  EXPECT_TRUE(wants_upgrade(head));
  EXPECT_NE(forwarded_request(head, framing::none, false).find("Connection: Upgrade\r\nUpgrade: websocket"),
    std::string::npos);
  EXPECT_EQ(forwarded_request(head, framing::none, true).find("Upgrade"), std::string::npos);
}

TEST(ForwardedRequest, TakesAnotherHostAndKeepsTheClientsWord) {
  auto head = request({{"Host", "3000-i.x"}, {"X-Forwarded-For", "9.9.9.9"}, {"Forwarded", "for=x"},
    {"X-Forwarded-Host", "made-up"}, {"X-Forwarded-Proto", "https"}});
  EXPECT_EQ(forwarded_request(head, framing::none, false, "localhost:3000"),
    "POST /a?b HTTP/1.1\r\nHost: localhost:3000\r\nX-Forwarded-Host: 3000-i.x\r\n\r\n");
  EXPECT_EQ(forwarded_request(head, framing::none, false), "POST /a?b HTTP/1.1\r\nHost: 3000-i.x\r\n\r\n");
}

TEST(ForwardedRequest, KeepsTheTrafficTokenOut) {
  auto head = request({{"Host", "h"}, {"e2b-traffic-access-token", "t"}});
  for (auto to_envd : {true, false})
    EXPECT_EQ(forwarded_request(head, framing::none, to_envd), "POST /a?b HTTP/1.1\r\nHost: h\r\n\r\n");
}

TEST(ForwardedResponse, TellsProxiesNotToHoldStreamsBack) {
  for (auto type :
    {"application/connect+json", "application/connect+proto", "text/event-stream; charset=x"}) {
    response_head head{http::status::ok, 11};
    head.insert("Content-Type", type);
    EXPECT_NE(
      forwarded_response(head, framing::chunked, true).find("X-Accel-Buffering: no\r\n"), std::string::npos);
  }
  response_head head{http::status::ok, 11};
  head.insert("Content-Type", "application/json");
  EXPECT_EQ(forwarded_response(head, framing::chunked, true).find("X-Accel"), std::string::npos);
}

TEST(RawHead, IsRefusedWhereParsersDiffer) {
  for (auto bytes : {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HT", "", "P\r"})
    EXPECT_FALSE(raw_head_fault(bytes)) << bytes;
  for (auto bytes :
    {"GET / HTTP/1.1\nHost: a\n\n", "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", "GET / HTTP/1.1\r\nA: b\r\n\tc",
      "GET / HTTP/1.1\r\nA: b\rB: c\r\n", "\x16\x03\x01", " GET", "\nGET"})
    EXPECT_TRUE(raw_head_fault(bytes)) << bytes;
  EXPECT_TRUE(raw_head_fault(std::string_view{"G\0T", 3}));
}

TEST(Head, IsRefusedWhenItsFramingIsAmbiguous) {
  EXPECT_FALSE(head_fault(request({{"Content-Length", "3"}})));
  EXPECT_FALSE(head_fault(request({{"Transfer-Encoding", "Chunked"}})));
  for (auto fields : {request({{"Content-Length", "3"}, {"Transfer-Encoding", "chunked"}}),
         request({{"Content-Length", "3"}, {"Content-Length", "3"}}), request({{"Content-Length", "+3"}}),
         request({{"Content-Length", "3, 3"}}), request({{"Content-Length", ""}}),
         request({{"Transfer-Encoding", "chunked"}, {"Transfer-Encoding", "chunked"}}),
         request({{"Transfer-Encoding", "gzip, chunked"}}), request({{"Transfer-Encoding", "xchunked"}})})
    EXPECT_TRUE(head_fault(fields)) << fields[http::field::content_length]
                                    << fields[http::field::transfer_encoding];
  request_head old{http::verb::post, "/", 10};
  old.insert("Transfer-Encoding", "chunked");
  EXPECT_TRUE(head_fault(old));
}

TEST(Head, IsRefusedWhenItsTargetIsNoPath) {
  for (auto target : {"http://x/init", "x:443", "*", "init", ""})
    EXPECT_TRUE(head_fault(request_head{http::verb::get, target, 11})) << target;
  EXPECT_FALSE(head_fault(request_head{http::verb::options, "*", 11}));
  EXPECT_TRUE(head_fault(request_head{http::verb::get, "/", 99}));
}

TEST(ForwardedResponse, SaysHowTheBodyEndsHere) {
  response_head head{http::status::ok, 11};
  head.insert("Content-Length", "5");
  head.insert("X", "y");
  EXPECT_EQ(forwarded_response(head, framing::length, true),
    "HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 5\r\nKeep-Alive: timeout=600\r\n\r\n");
  EXPECT_EQ(forwarded_response(head, framing::until_close, false),
    "HTTP/1.1 200 OK\r\nX: y\r\nConnection: close\r\n\r\n");
}

TEST(OwnResponse, HasNoBodyWhereNoneMayBe) {
  auto bare = own_response({204, ""}, true, false);
  EXPECT_TRUE(bare.starts_with("HTTP/1.1 204 No Content\r\nDate: ")) << bare;
  EXPECT_TRUE(bare.ends_with(" GMT\r\nKeep-Alive: timeout=600\r\n\r\n")) << bare;
  EXPECT_EQ(own_response({404, "{}"}, false, true).find("{}"), std::string::npos);
  EXPECT_NE(own_response({404, "{}"}, false, false).find("Content-Length: 2\r\n"), std::string::npos);
}

TEST(ReservedPath, SeesThroughEveryWriting) {
  for (auto path :
    {"/init", "/init/", "//init", "/./init", "/x/../init", "/%69nit", "/%2finit", "/upgrade", "/%zz"})
    EXPECT_TRUE(reserved_path(path)) << path;
  for (auto path : {"/", "/health", "/initial", "/files", "/a/init", "/process.Process/Start"})
    EXPECT_FALSE(reserved_path(path)) << path;
}

TEST(ForeignOrigin, OnlyLoopbackAndTheHostItselfAreAtHome) {
  for (auto origin : {"http://localhost:3000", "http://127.0.0.1", "http://[::1]:8", "https://Own.test"})
    EXPECT_FALSE(foreign_origin(origin, "own.test:80")) << origin;
  for (auto origin :
    {"null", "", "https://evil.test", "http://localhost.evil.test", "http://127.0.0.1.evil.test"})
    EXPECT_TRUE(foreign_origin(origin, "own.test:80")) << origin;
}

} // namespace
} // namespace agentpool::sandboxd
