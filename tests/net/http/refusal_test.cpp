// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

// What a peer is told of a request that is no request.
#include "protocol/wire/json.hpp"
#include "tests/net/http/http_fixture.hpp"

namespace agentpool::net::test {

namespace {

struct told {
  int status = 0;
  std::string code, detail;
};

told read_problem(const std::string& response) {
  auto body = response.find("\r\n\r\n");
  auto problem = json::parse(response.substr(body == std::string::npos ? 0 : body + 4)).value_or(json{});
  return {static_cast<int>(problem["status"].integer().value_or(0)), problem["code"].text_or(""),
    problem["detail"].text_or("no problem: " + response)};
}

http_limits small_limits() {
  http_limits limits;
  limits.body_bytes = 100;
  limits.body_key = "limits.body";
  limits.streams = [](const http_request& request) { return request.method == "PUT"; };
  limits.streamed_bytes = 1000;
  return limits;
}

failure first_failure(ports::byte_source& body) {
  for (;;) {
    auto got = std::make_shared<slot<result<std::string>>>();
    body.pull(100, [got](result<std::string> piece) { got->set(std::move(piece)); });
    auto piece = got->wait().value_or(fail(errc::internal, "no answer"));
    if (!piece)
      return piece.error();
    if (piece->empty())
      return {errc::none, "the body was whole"};
  }
}

} // namespace

TEST_F(HttpTest, RefusalsNameTheirCause) {
  listen();
  auto post = [](std::string_view head) { return "POST / HTTP/1.1\r\n" + std::string{head} + "\r\n"; };
  std::string chunked = "Transfer-Encoding: chunked\r\n";
  const std::pair<std::string, std::string> rows[] = {
    {"\x16\x03\x01\x02\r\n\r\n", "no HTTP request"},
    {"GET relative HTTP/1.1\r\n\r\n", "must be a path"},
    {"GET / HTTP/9.9\r\n\r\n", "HTTP/1.1 or HTTP/1.0"},
    {post("No colon\r\n"), "begin with a name"},
    {post("X: a\x01\r\n"), "character that is not allowed"},
    {post("Host: a\r\nHost: b\r\n"), "Host is given twice"},
    {post("Content-Length: -1\r\n"), "one decimal number"},
    {post("Content-Length: 3\r\nContent-Length: 4\r\n"), "Content-Length is given twice"},
    {post("Content-Length: 3\r\n" + chunked), "Content-Length beside a Transfer-Encoding"},
    {post(chunked + "Content-Length: 3\r\n"), "Content-Length beside a Transfer-Encoding"},
    {post("Content-Length: 3\r\nContent-Length: 3\r\n"), "Content-Length is given twice"},
    {"POST / HTTP/1.0\r\n" + chunked + "\r\n", "with HTTP/1.1"},
    {post(" Folded: a\r\n"), "begin with a name"},
    {post("Transfer-Encoding: gzip\r\n"), "'chunked'"},
    {post(chunked) + "zz\r\n", "chunks are malformed"},
    {post(chunked) + "2\r\nhello\r\n", "chunks are malformed"},
    {post(chunked) + "0\r\nNo colon\r\n\r\n", "begin with a name"},
  };
  for (const auto& [request, words] : rows) {
    auto client = connect();
    client.send(request);
    auto got = read_problem(client.read_all());
    EXPECT_EQ(got.status, 400) << request;
    EXPECT_EQ(got.code, "bad_request") << request;
    EXPECT_NE(got.detail.find(words), std::string::npos) << request << got.detail;
  }
}

TEST_F(HttpTest, ARequestThatEndsEarlyIsTold) {
  listen();
  for (auto [request, part] : {std::pair{"GET / HTTP/1.1\r\nX: ", "header"},
         {"POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc", "body"},
         {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", "body"}}) {
    auto client = connect();
    client.send(request);
    client.half_close();
    auto got = read_problem(client.read_all());
    EXPECT_EQ(got.status, 400) << request;
    EXPECT_EQ(
      got.detail, "The connection ended before the request's " + std::string{part} + " was complete.");
  }
  auto idle = connect();
  idle.half_close();
  EXPECT_EQ(idle.read_all(), "");
}

// The handler of a body that it pulls hears the same.
TEST_F(HttpTest, APulledBodyThatEndsEarlyIsTold) {
  listen(small_limits());
  for (auto [head, rest, words] :
    {std::tuple{"Content-Length: 20\r\n\r\nhello", "more", "ended before the request's body"},
      {"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "5\r\nbye\r\n0\r\n\r\n",
        "chunks are malformed"}}) {
    auto client = connect();
    client.send("PUT /wait HTTP/1.1\r\n" + std::string{head});
    auto exchange = mailbox_->take();
    ASSERT_TRUE(exchange);
    ASSERT_TRUE(exchange->body()) << head;
    client.send(rest);
    client.half_close();
    auto why = first_failure(*exchange->body());
    EXPECT_EQ(why.code, errc::bad_request);
    EXPECT_NE(why.detail.find(words), std::string::npos) << why.detail;
    http_response refused;
    refused.status = 400;
    exchange->respond(refused);
    EXPECT_TRUE(client.read_all().starts_with("HTTP/1.1 400 ")) << "who ended his own side reads on";
  }
}

// RFC 9110, section 10.1.1
TEST_F(HttpTest, OtherExpectationsFail) {
  listen();
  for (auto value : {"200-ok", "100-continue, more", "nonsense"}) {
    auto client = connect();
    client.send("POST / HTTP/1.1\r\nContent-Length: 2\r\nExpect: " + std::string{value} + "\r\n\r\nhi");
    auto got = read_problem(client.read_all());
    EXPECT_EQ(got.status, 417) << value;
    EXPECT_EQ(got.code, "expectation_failed");
  }
  for (auto value : {"100-Continue", "100-CONTINUE, 100-continue", ""}) {
    auto client = connect();
    client.send("POST / HTTP/1.1\r\nContent-Length: 2\r\nExpect: " + std::string{value} + "\r\n\r\n");
    if (*value != '\0') {
      EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n") << value;
    }
    client.send("hi");
    EXPECT_TRUE(client.read_response().ends_with("POST /? hi")) << value;
  }
}

TEST_F(HttpTest, ABodyOverALimitIsToldWhichOne) {
  listen(small_limits());
  const std::pair<std::string, std::string> rows[] = {
    {"POST / HTTP/1.1\r\nContent-Length: 101\r\n\r\n",
      "The body is over the limit of 100 bytes; send less or raise limits.body."},
    {"POST / HTTP/1.1\r\nContent-Length: 1001\r\n\r\n",
      "The body is over the limit of 100 bytes; send less or raise limits.body."},
    {"PUT / HTTP/1.1\r\nContent-Length: 1001\r\n\r\n",
      "The body is over the limit of 1000 bytes; send less."},
  };
  for (const auto& [request, words] : rows) {
    auto client = connect();
    client.send(request);
    auto got = read_problem(client.read_all());
    EXPECT_EQ(got.status, 413) << request;
    EXPECT_EQ(got.detail, words) << request;
  }
}

} // namespace agentpool::net::test
