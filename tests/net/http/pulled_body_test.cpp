// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/net/http/http_fixture.hpp"

namespace agentpool::net::test {

namespace {

http_limits pulling() {
  http_limits limits;
  limits.body_bytes = 100;
  limits.streams = [](const http_request& request) { return request.method == "PUT"; };
  limits.streamed_bytes = 10'000'000;
  return limits;
}

result<std::string> pull(ports::byte_source& body, size_t most = 1 << 20) {
  auto got = std::make_shared<slot<result<std::string>>>();
  body.pull(most, [got](result<std::string> piece) { got->set(std::move(piece)); });
  return got->wait().value_or(fail(errc::internal, "no answer"));
}

/// The whole body, piece by piece.
result<std::string> drain(http_exchange& exchange, size_t most = 1 << 20) {
  auto out = exchange.request().body;
  auto body = exchange.body();
  while (body) {
    auto piece = pull(*body, most);
    if (!piece)
      return piece;
    EXPECT_LE(piece->size(), most);
    if (piece->empty())
      break;
    out += *piece;
  }
  return out;
}

std::string large(size_t size) {
  std::string out;
  for (size_t i = 0; i < size; ++i)
    out += static_cast<char>('a' + i % 26);
  return out;
}

TEST_F(HttpTest, BodyIsPulledPieceByPieceAndTheConnectionGoesOn) {
  listen(pulling());
  auto client = connect();
  auto text = large(300'000);
  client.send("PUT /wait HTTP/1.1\r\nContent-Length: 300000\r\n\r\n");
  auto exchange = mailbox_->take();
  ASSERT_TRUE(exchange && exchange->body());
  EXPECT_EQ(exchange->body()->length(), 300'000u);
  std::thread sender{[&] { client.send(text + "GET /next HTTP/1.1\r\n\r\n"); }};
  auto got = drain(*exchange, 1000);
  sender.join();
  EXPECT_EQ(got, text);
  exchange->respond({});
  EXPECT_TRUE(client.read_response().starts_with("HTTP/1.1 200"));
  EXPECT_TRUE(client.read_response().ends_with("GET /next? "));
}

TEST_F(HttpTest, ChunkedBodyIsPulledToo) {
  listen(pulling());
  auto client = connect();
  client.send("PUT /wait HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
  auto exchange = mailbox_->take();
  ASSERT_TRUE(exchange);
  std::thread sender{[&] {
    for (std::string_view part : {"6\r", "\n wor", "ld\r\n0", "\r\n\r\n"})
      client.send(part);
  }};
  EXPECT_EQ(drain(*exchange), "hello world");
  sender.join();
  exchange->respond({});
  EXPECT_TRUE(client.read_response().starts_with("HTTP/1.1 200"));
}

TEST_F(HttpTest, PulledChunkExtensionsAndTrailersWithoutEndAreRefused) {
  listen(pulling());
  for (auto begin : {"2;", "0\r\nX-Trailer: "}) {
    auto client = connect();
    client.send(
      "PUT /wait HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n" + std::string{begin});
    auto exchange = mailbox_->take();
    ASSERT_TRUE(exchange);
    std::thread sender{[&] {
      std::string more(4096, 'x');
      for (size_t sent = 0; sent < 4u << 20 && client.send(more); sent += more.size()) {
      }
    }};
    auto got = drain(*exchange);
    exchange->respond({});
    exchange.reset();
    sender.join();
    EXPECT_FALSE(got);
    EXPECT_EQ(got.error().code, errc::header_too_large) << begin;
  }
}

TEST_F(HttpTest, SmallBodyThatIsThereComesWhole) {
  listen(pulling());
  auto client = connect();
  client.send("PUT /x HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi");
  EXPECT_TRUE(client.read_response().ends_with("PUT /x? hi"));
}

TEST_F(HttpTest, OtherRequestsKeepTheirLimit) {
  listen(pulling());
  auto client = connect();
  client.send("POST /x HTTP/1.1\r\nContent-Length: 101\r\n\r\n");
  EXPECT_TRUE(client.read_all().starts_with("HTTP/1.1 413"));
  auto chunked = connect();
  chunked.send("POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n" + large(101) + "\r\n0\r\n\r\n");
  EXPECT_TRUE(chunked.read_all().starts_with("HTTP/1.1 413"));
  auto streamed = connect();
  streamed.send("PUT /wait HTTP/1.1\r\nContent-Length: 10000001\r\n\r\n");
  EXPECT_TRUE(streamed.read_all().starts_with("HTTP/1.1 413"));
}

TEST_F(HttpTest, AnAnswerBeforeTheEndOfTheBodyClosesTheConnection) {
  listen(pulling());
  auto client = connect();
  client.send("PUT /wait HTTP/1.1\r\nContent-Length: 200\r\n\r\nhello");
  auto exchange = mailbox_->take();
  ASSERT_TRUE(exchange);
  http_response refused;
  refused.status = 409;
  exchange->respond(std::move(refused));
  auto all = client.read_all();
  EXPECT_TRUE(all.starts_with("HTTP/1.1 409")) << all;
  EXPECT_NE(all.find("Connection: close"), std::string::npos);
  EXPECT_FALSE(pull(*exchange->body()));
}

TEST_F(HttpTest, ABodyThatEndsEarlyIsAnError) {
  listen(pulling());
  auto client = connect();
  client.send("PUT /wait HTTP/1.1\r\nContent-Length: 200\r\n\r\nhello");
  auto exchange = mailbox_->take();
  ASSERT_TRUE(exchange);
  client.close();
  EXPECT_FALSE(drain(*exchange));
}

TEST_F(HttpTest, ContinueIsSentWhenTheBodyIsWanted) {
  listen(pulling());
  auto client = connect();
  client.send("PUT /wait HTTP/1.1\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
  auto exchange = mailbox_->take();
  ASSERT_TRUE(exchange);
  std::thread sender{[&] {
    EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    client.send("hello");
  }};
  EXPECT_EQ(drain(*exchange), "hello");
  sender.join();
}

} // namespace

} // namespace agentpool::net::test
