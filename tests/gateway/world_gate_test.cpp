// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "gateway/world_gate.hpp"
#include "net/io_thread.hpp"
#include "protocol/actors/names.hpp"
#include "protocol/ports/world_stream.hpp"
#include "tests/gateway/raw_http.hpp"

#include <caf/all.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <unistd.h>

namespace agentpool::test {

namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Answers with what it was asked.
caf::behavior fake_broker(caf::event_based_actor*) {
  return {[](world_atom, const world::call& call) -> caf::result<world::reply> {
            if (call.path == "fail")
              return to_error({errc::foreign_session, {}});
            auto all = call.worker.value + "|" + call.credential + "|" + call.session.value + "|" +
                       call.path + "|" + call.body;
            if (!call.tool_call.empty())
              all += "|" + call.tool + " " + call.tool_call;
            return world::reply{203, all};
          },
    [](world_atom, const world::call& call,
      const std::shared_ptr<ports::world_stream>& stream) -> caf::result<world::reply> {
      if (call.path == "fs/write")
        return world::reply{200, stream->body() ? "rest" : call.body};
      auto sink = stream->begin({200, "application/x-ndjson", {}});
      sink->write(std::make_shared<std::string>(call.path + " " + std::to_string(call.request) + "\n"),
        [sink](bool) { sink->finish("done"); });
      return world::reply{0, {}};
    }};
}

class WorldGate : public ::testing::Test {
protected:
  struct config : caf::actor_system_config {
    config() {
      [[maybe_unused]] static const bool once = (register_types(), true);
      set("caf.scheduler.max-threads", 1);
    }
  };

  WorldGate() {
    folder = std::filesystem::temp_directory_path() / ("agentpool-" + random_id("wg"));
    std::filesystem::create_directory(folder);
    broker = sys.spawn(fake_broker);
    sys.registry().put(std::string{names::broker}, caf::actor_cast<caf::strong_actor_ptr>(broker));
  }

  ~WorldGate() override {
    sys.registry().erase(std::string{names::broker});
    caf::anon_send_exit(broker, caf::exit_reason::kill);
    std::filesystem::remove_all(folder);
  }

  result<void> open(const std::string& worker, const std::string& path) {
    std::promise<result<void>> opened;
    gate.open({worker}, path, std::nullopt, [&](result<void> how) { opened.set_value(std::move(how)); });
    return opened.get_future().get();
  }

  /// After everything that was asked of the gate before.
  void settle() { EXPECT_TRUE(open("settle", folder / "settle.sock")); }

  std::filesystem::path folder;
  config cfg;
  caf::actor_system sys{cfg};
  caf::actor broker;
  net::io_thread io;
  world_gate gate{sys, io.io};
};

} // namespace

TEST_F(WorldGate, RequestReachesTheBrokerAsItCame) {
  auto path = folder / "w.sock";
  ASSERT_TRUE(open("w1", path));
  auto answer = raw_unix(path,
    request_text("POST", "/world/v1/fs/stat", "Authorization: Bearer c\r\nX-Agentpool-Session: s\r\n", "{}"));
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 203"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\nw1|c|s|fs/stat|{}"));
  EXPECT_THAT(raw_unix(path, request_text("GET", "/world/v1/session")), EndsWith("w1|||session|"));
}

TEST_F(WorldGate, TheToolCallOfARequestGoesAlong) {
  auto path = folder / "w.sock";
  ASSERT_TRUE(open("w1", path));
  auto headers = "X-Agentpool-Tool: read\r\nX-Agentpool-Tool-Call: " + std::string(300, 'c') + "\r\n";
  EXPECT_THAT(raw_unix(path, request_text("POST", "/world/v1/fs/stat", headers, "{}")),
    EndsWith("w1|||fs/stat|{}|read " + std::string(256, 'c')));
}

TEST_F(WorldGate, TheSchemeOfACredentialHasNoCase) {
  auto path = folder / "w.sock";
  ASSERT_TRUE(open("w1", path));
  EXPECT_THAT(raw_unix(path, request_text("POST", "/world/v1/live", "Authorization: bearer c\r\n", "x")),
    EndsWith("w1|c||live|x"));
}

TEST_F(WorldGate, DoubledHeadersCountAsNone) {
  auto path = folder / "w.sock";
  ASSERT_TRUE(open("w1", path));
  auto twice = std::string{"Authorization: Bearer c\r\nAuthorization: Bearer c\r\n"};
  EXPECT_THAT(raw_unix(path, request_text("POST", "/world/v1/live", twice, "x")), EndsWith("w1|||live|x"));
}

TEST_F(WorldGate, OtherRoutesAndMethodsAreRefusedWithoutTheBroker) {
  auto path = folder / "w.sock";
  ASSERT_TRUE(open("w1", path));
  EXPECT_THAT(raw_unix(path, request_text("POST", "/v1/sessions")), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(raw_unix(path, request_text("GET", "/world/v1/fs/stat")), StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(raw_unix(path, request_text("POST", "/world/v1/session")), StartsWith("HTTP/1.1 405"));
}

TEST_F(WorldGate, FailureOfTheBrokerIsAWorldError) {
  auto path = folder / "w.sock";
  ASSERT_TRUE(open("w1", path));
  EXPECT_THAT(raw_unix(path, request_text("POST", "/world/v1/fail")),
    AllOf(StartsWith("HTTP/1.1 403"), HasSubstr("foreign_session")));
  sys.registry().erase(std::string{names::broker});
  EXPECT_THAT(raw_unix(path, request_text("POST", "/world/v1/fs/stat")), StartsWith("HTTP/1.1 503"));
}

TEST_F(WorldGate, StreamedAnswersGoOutAsTheyCome) {
  auto path = folder / "w.sock";
  ASSERT_TRUE(open("w1", path));
  auto answer =
    raw_unix(path, request_text("POST", "/world/v1/process/spawn", "X-Agentpool-Request: 7\r\n", "{}"));
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer, HasSubstr("Content-Type: application/x-ndjson"));
  EXPECT_THAT(answer, HasSubstr("process/spawn 7\n"));
}

TEST_F(WorldGate, LargeContentIsPulledSmallComesWhole) {
  auto path = folder / "w.sock";
  ASSERT_TRUE(open("w1", path));
  EXPECT_THAT(raw_unix(path, request_text("POST", "/world/v1/fs/write", "", "{}\nabc")), EndsWith("{}\nabc"));
  auto large = std::string(3 << 20, 'x');
  EXPECT_THAT(raw_unix(path, request_text("POST", "/world/v1/fs/write", "", large)), EndsWith("rest"));
}

TEST_F(WorldGate, BodiesHaveTheBoundOfTheirCall) {
  auto path = folder / "w.sock";
  ASSERT_TRUE(open("w1", path));
  auto large = std::string((1 << 20) + 1, 'x');
  EXPECT_THAT(raw_unix(path, request_text("POST", "/world/v1/fs/stat", "", large)),
    AllOf(StartsWith("HTTP/1.1 413"), HasSubstr("body_too_large")));
  EXPECT_THAT(
    raw_unix(path, request_text("POST", "/world/v1/fs/edit", "", large)), StartsWith("HTTP/1.1 203"));
}

// BR-143
TEST_F(WorldGate, EverySocketSpeaksForItsOwnWorkerAndOnlyWhileOpen) {
  ASSERT_TRUE(open("w1", folder / "1.sock"));
  ASSERT_TRUE(open("w2", folder / "2.sock"));
  EXPECT_THAT(raw_unix(folder / "2.sock", request_text("POST", "/world/v1/live")), EndsWith("w2|||live|"));
  gate.close({"w1"});
  settle();
  EXPECT_EQ(raw_unix(folder / "1.sock", request_text("POST", "/world/v1/live")), "");
  EXPECT_THAT(raw_unix(folder / "2.sock", request_text("POST", "/world/v1/live")), EndsWith("w2|||live|"));
}

TEST_F(WorldGate, SocketThatCannotBeIsAFailure) {
  EXPECT_FALSE(open("w1", folder / "missing" / "w.sock"));
}

TEST_F(WorldGate, StoppedGateOpensNothing) {
  ASSERT_TRUE(open("w1", folder / "w.sock"));
  gate.stop();
  EXPECT_EQ(open("w2", folder / "2.sock").error().code, errc::shutting_down);
  EXPECT_EQ(raw_unix(folder / "w.sock", request_text("POST", "/world/v1/live")), "");
}

} // namespace agentpool::test
