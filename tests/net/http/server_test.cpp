// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/net/http/http_fixture.hpp"

namespace agentpool::net::test {

namespace {

using testing::Test;

std::string body_of(const std::string& response) {
  auto end = response.find("\r\n\r\n");
  return end == std::string::npos ? "" : response.substr(end + 4);
}

bool starts(const std::string& text, std::string_view with) {
  return text.starts_with(with);
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST_F(HttpTest, AnswersAndKeepsTheConnection) {
  listen();
  auto client = connect();
  for (int i = 0; i < 3; ++i) {
    client.send("GET /a%20b?x=1&y HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_EQ(client.read_response(),
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 17\r\n\r\nGET /a%20b?x=1&y ");
  }
  EXPECT_EQ(server_->count().accepted, 1u);
  EXPECT_EQ(server_->count().connections, 1u);
}

TEST_F(HttpTest, AnswersPipelinedRequestsInOrder) {
  listen();
  auto client = connect();
  client.send("GET /1 HTTP/1.1\r\n\r\nPOST /2 HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc\r\nGET /wait "
              "HTTP/1.1\r\n\r\nGET /4 HTTP/1.1\r\n\r\n");
  EXPECT_EQ(body_of(client.read_response()), "GET /1? ");
  EXPECT_EQ(body_of(client.read_response()), "POST /2? abc");
  http_response late;
  late.body = "late";
  mailbox_->take()->respond(std::move(late));
  EXPECT_EQ(body_of(client.read_response()), "late");
  EXPECT_EQ(body_of(client.read_response()), "GET /4? ");
}

TEST_F(HttpTest, TakesRequestsInAnyPieces) {
  listen();
  auto client = connect();
  std::string request = "POST /p HTTP/1.1\r\nTransfer-Encoding: "
                        "chunked\r\n\r\n4\r\nwiki\r\n5;ext=1\r\npedia\r\n0\r\nTrailer: x\r\n\r\n";
  for (char c : request + "GET /next HTTP/1.1\r\n\r\n")
    client.send({&c, 1});
  EXPECT_EQ(body_of(client.read_response()), "POST /p? wikipedia");
  EXPECT_EQ(body_of(client.read_response()), "GET /next? ");
}

TEST_F(HttpTest, ServesHttp10) {
  listen();
  auto client = connect();
  client.send("GET /old HTTP/1.0\r\n\r\n");
  auto response = client.read_all();
  EXPECT_TRUE(has(response, "Connection: close\r\n"));
  EXPECT_EQ(body_of(response), "GET /old? ");
  auto keeping = connect();
  keeping.send("GET /old HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_TRUE(has(keeping.read_response(), "Connection: keep-alive\r\n"));
  keeping.send("GET /again HTTP/1.0\r\n\r\n");
  EXPECT_EQ(body_of(keeping.read_all()), "GET /again? ");
}

TEST_F(HttpTest, ClosesWhenAsked) {
  listen();
  auto client = connect();
  client.send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(has(client.read_all(), "Connection: close\r\n"));
  EXPECT_TRUE(client.at_end());
  EXPECT_FALSE(client.reset());
}

TEST_F(HttpTest, AnswersHeadWithoutBody) {
  listen();
  auto client = connect();
  client.send("HEAD /h HTTP/1.1\r\n\r\nGET /next HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(has(client.read_until("\r\n\r\n"), "Content-Length: 9\r\n"));
  EXPECT_EQ(body_of(client.read_response()), "GET /next? ");
}

TEST_F(HttpTest, AsksForTheBodyWhenExpected) {
  listen();
  auto client = connect();
  client.send("POST /e HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("body");
  EXPECT_EQ(body_of(client.read_response()), "POST /e? body");
}

TEST_F(HttpTest, HandlerFaultsEndOneRequestOnly) {
  listen();
  auto client = connect();
  client.send("GET /throw HTTP/1.1\r\n\r\n");
  auto response = client.read_all();
  EXPECT_TRUE(starts(response, "HTTP/1.1 500 "));
  EXPECT_TRUE(has(response, "application/problem+json"));
  EXPECT_TRUE(has(body_of(response), "\"internal\""));
  auto other = connect();
  other.send("GET /drop HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(starts(other.read_all(), "HTTP/1.1 500 "));
}

TEST_F(HttpTest, OnlyTheFirstAnswerCounts) {
  listen();
  auto client = connect();
  client.send("GET /wait HTTP/1.1\r\n\r\n");
  auto exchange = mailbox_->take();
  http_response response;
  response.body = "first";
  exchange->respond(response);
  response.body = "second";
  exchange->respond(response);
  auto late = exchange->stream({});
  EXPECT_FALSE(write(*late, "x"));
  EXPECT_EQ(body_of(client.read_response()), "first");
  client.send("GET /next HTTP/1.1\r\n\r\n");
  EXPECT_EQ(body_of(client.read_response()), "GET /next? ");
}

TEST_F(HttpTest, HeaderValuesCannotBreakTheHead) {
  listen();
  auto client = connect();
  client.send("GET /wait HTTP/1.1\r\n\r\n");
  http_response response;
  response.status = 204;
  response.headers = {{"X-Title", "a\r\nX-Evil: 1"}};
  mailbox_->take()->respond(response);
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 204 No Content\r\nX-Title: a  X-Evil: 1\r\n\r\n");
}

TEST_F(HttpTest, KnowsThePeerAndTheConnection) {
  listen();
  auto client = connect(), other = connect();
  client.send("GET /wait HTTP/1.1\r\nA: 1\r\na: 2\r\nB: 3\r\n\r\n");
  auto first = mailbox_->take();
  other.send("GET /wait HTTP/1.1\r\n\r\n");
  auto second = mailbox_->take();
  EXPECT_EQ(first->request().peer, "127.0.0.1");
  EXPECT_NE(first->request().connection, second->request().connection);
  EXPECT_EQ(first->request().count("A"), 2u);
  EXPECT_EQ(first->request().header("a"), std::nullopt);
  EXPECT_EQ(first->request().header("b"), "3");
}

TEST_F(HttpTest, SendsLargeBodiesToSlowReaders) {
  listen();
  auto client = connect();
  client.send("GET /wait HTTP/1.1\r\n\r\nGET /next HTTP/1.1\r\n\r\n");
  http_response response;
  response.body.assign(20 << 20, 'z');
  mailbox_->take()->respond(std::move(response));
  EXPECT_EQ(body_of(client.read_response()).size(), 20u << 20);
  EXPECT_EQ(body_of(client.read_response()), "GET /next? ");
}

TEST_F(HttpTest, AnswersFromManyThreads) {
  listen();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([this, t] {
      auto client = connect();
      for (int i = 0; i < 50; ++i) {
        client.send("GET /wait HTTP/1.1\r\n\r\n");
        http_response response;
        response.body = std::to_string(t);
        mailbox_->take()->respond(response);
        EXPECT_EQ(body_of(client.read_response()).size(), 1u);
      }
    });
  for (auto& thread : threads)
    thread.join();
}

TEST_F(HttpTest, ListensOnAUnixSocket) {
  auto path = testing::TempDir() + "agentpool-http-" + std::to_string(::getpid()) + ".sock";
  for (int i = 0; i < 2; ++i) { // the second start removes the first one's file
    auto made = listen_unix(io_, path, {}, {}, [](auto exchange) {
      http_response response;
      response.body = exchange->request().peer;
      exchange->respond(response);
    });
    ASSERT_TRUE(made) << made.error().text();
    EXPECT_EQ((*made)->port(), 0);
    raw_client client{path};
    client.send("GET / HTTP/1.1\r\n\r\n");
    EXPECT_EQ(body_of(client.read_response()), "unix");
  }
  ::unlink(path.c_str());
}

TEST_F(HttpTest, NamesWhyItCannotListen) {
  listen();
  auto taken = listen_tcp(io_, "127.0.0.1", server_->port(), {}, {});
  ASSERT_FALSE(taken);
  EXPECT_TRUE(has(taken.error().text(), "the port is in use"));
  EXPECT_FALSE(listen_tcp(io_, "no address", 0, {}, {}));
  EXPECT_FALSE(listen_unix(io_, "/" + std::string(200, 'x'), {}, {}, {}));
  EXPECT_FALSE(listen_unix(io_, "/nowhere/x.sock", {}, {}, {}));
}

TEST_F(HttpTest, CloseEndsIdleConnectionsAndLetsRunningRequestsEnd) {
  listen();
  auto idle = connect(), busy = connect();
  idle.send("GET /a HTTP/1.1\r\n\r\n");
  idle.read_response();
  busy.send("GET /wait HTTP/1.1\r\n\r\n");
  auto exchange = mailbox_->take();
  server_->close();
  EXPECT_EQ(idle.read_all(), "");
  EXPECT_TRUE(idle.at_end());
  exchange->respond({});
  EXPECT_TRUE(has(busy.read_all(), "Connection: close"));
  EXPECT_FALSE(raw_client{server_->port()}.connected());
}

TEST_F(HttpTest, StopAcceptingKeepsConnections) {
  listen();
  auto client = connect();
  client.send("GET /a HTTP/1.1\r\n\r\n");
  client.read_response();
  server_->stop_accepting();
  client.send("GET /b HTTP/1.1\r\n\r\n");
  EXPECT_EQ(body_of(client.read_response()), "GET /b? ");
}

} // namespace

} // namespace agentpool::net::test
