// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

// Streams whose length was told: what is cut is never taken for whole.
#include "tests/net/http/http_fixture.hpp"

namespace agentpool::net::test {

namespace {

class SizedStream : public HttpTest {
protected:
  std::shared_ptr<ports::event_sink> begin(raw_client& client, const std::string& line, uint64_t length) {
    client.send(line + "\r\n\r\n");
    http_response head;
    head.stream_length = length;
    auto exchange = mailbox_->take();
    return exchange ? exchange->stream(std::move(head)) : nullptr;
  }
};

} // namespace

TEST_F(SizedStream, TellsTheLengthAndSendsPlainBytes) {
  listen();
  for (auto version : {"1.1", "1.0"}) {
    auto client = connect();
    auto sink = begin(client, "GET /wait HTTP/" + std::string{version}, 6);
    EXPECT_TRUE(write(*sink, "abc"));
    EXPECT_TRUE(write(*sink, "def"));
    sink->finish("done");
    auto all = client.read_all();
    EXPECT_NE(all.find("Content-Length: 6\r\n"), std::string::npos) << all;
    EXPECT_EQ(all.find("chunked"), std::string::npos);
    EXPECT_TRUE(all.ends_with("\r\n\r\nabcdef")) << all;
    EXPECT_FALSE(client.reset());
  }
}

TEST_F(SizedStream, OfAnEmptyBodyEndsAtOnce) {
  listen();
  auto client = connect();
  begin(client, "GET /wait HTTP/1.1", 0)->finish("done");
  auto all = client.read_all();
  EXPECT_TRUE(all.ends_with("Content-Length: 0\r\n\r\n")) << all;
  EXPECT_FALSE(client.reset());
}

TEST_F(SizedStream, ToHeadHasTheLengthAndNoBody) {
  listen();
  auto client = connect();
  begin(client, "HEAD /wait HTTP/1.1", 10)->finish("nothing to send");
  auto all = client.read_all();
  EXPECT_TRUE(all.ends_with("Content-Length: 10\r\n\r\n")) << all;
  EXPECT_FALSE(client.reset());
}

TEST_F(SizedStream, ThatEndsEarlyIsAReset) {
  listen();
  auto client = connect();
  auto sink = begin(client, "GET /wait HTTP/1.1", 6);
  EXPECT_TRUE(write(*sink, "abc"));
  sink->finish("done");
  EXPECT_FALSE(client.read_all().ends_with("abcdef"));
  EXPECT_TRUE(client.reset());
}

TEST_F(SizedStream, NeverSendsMoreThanItTold) {
  listen();
  auto client = connect();
  auto sink = begin(client, "GET /wait HTTP/1.1", 4);
  EXPECT_TRUE(write(*sink, "abc"));
  EXPECT_FALSE(write(*sink, "def"));
  EXPECT_EQ(client.read_all().find("def"), std::string::npos);
  EXPECT_TRUE(client.reset());
}

} // namespace agentpool::net::test
