// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "gateway/gateway.hpp"
#include "net/io_thread.hpp"
#include "protocol/actors/type_ids.hpp"
#include "tests/gateway/raw_http.hpp"

#include <caf/all.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace agentpool::test {

namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class Gateway : public ::testing::Test {
protected:
  struct config : caf::actor_system_config {
    config() {
      [[maybe_unused]] static const bool once = (register_types(), true);
      set("caf.scheduler.max-threads", 1);
    }
  };

  config cfg;
  caf::actor_system sys{cfg};
  net::io_thread io;
  gateway node{sys, io.io};
};

} // namespace

TEST_F(Gateway, ServesBothListenersWithTheirOwnTokens) {
  ASSERT_TRUE(node.start({}));
  EXPECT_THAT(raw_tcp(node.app_port(), request_text("GET", "/healthz")), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(raw_tcp(node.app_port(), request_text("GET", "/v1/sessions")), StartsWith("HTTP/1.1 401"));
  auto token = "Authorization: Bearer " + node.ops_token() + "\r\n";
  EXPECT_THAT(
    raw_tcp(node.ops_port(), request_text("GET", "/ops/v1/timers", token)), StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(raw_tcp(node.ops_port(), request_text("GET", "/ops/v1/timers")), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(node.ops_token(), StartsWith("ops_"));
}

TEST_F(Gateway, LimitsOfTheConfigurationHold) {
  gateway_config config;
  config.limits.body_bytes = 1024;
  ASSERT_TRUE(node.start(config));
  auto answer = raw_tcp(node.app_port(), request_text("POST", "/v1/sessions", {}, std::string(2048, 'x')));
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 413"));
}

// BR-158
TEST_F(Gateway, DrainingRefusesNewConnectionsAndTellsTheOperator) {
  ASSERT_TRUE(node.start({}));
  auto port = node.app_port();
  node.ready();
  node.drain();
  EXPECT_EQ(raw_tcp(port, request_text("GET", "/healthz")), "");
  EXPECT_THAT(raw_tcp(node.ops_port(), request_text("GET", "/readyz")),
    AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("shutting_down")));
  node.stop();
  EXPECT_EQ(raw_tcp(port, request_text("GET", "/healthz")), "");
}

TEST_F(Gateway, PortInUseIsOneSentenceThatNamesIt) {
  ASSERT_TRUE(node.start({}));
  gateway second{sys, io.io};
  gateway_config config;
  config.app.port = node.app_port();
  auto started = second.start(config);
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().text(), HasSubstr(std::to_string(node.app_port())));
}

} // namespace agentpool::test
