// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
// The rows of docs/providers.md that one side of the wire decides.
#include "net/e2b/limits.hpp"
#include "net/e2b/route.hpp"
#include "protocol/wire/defaults.hpp"
#include "tests/net/e2b/api_fixture.hpp"
#include "tests/net/e2b/link_fixture.hpp"

namespace agentpool::net::test {

namespace {

using strings = std::vector<std::string>;

std::string cube(int number) {
  return R"({"code":500,"message":"CubeMaster returned error code )" + std::to_string(number) + R"(: x"})";
}

std::string detail(const std::string& state) {
  return answer(200, R"({"sandboxID":"iabc","state":")" + state + R"("})");
}

const std::string missing = answer(404, R"({"code":404,"message":"no such sandbox"})");

} // namespace

TEST(E2bProfile, NamesAreKnown) {
  for (auto name : {"e2b", "cube", "ags", "sandboxd"})
    ASSERT_NE(find_profile(name), nullptr) << name;
  EXPECT_EQ(find_profile("docker"), nullptr);
  EXPECT_EQ(profiles().front().name, "e2b") << "the default";
}

class CubeTest : public E2bApiTest {
protected:
  CubeTest() { profile_ = "cube"; }
  result<bool> pause(bool keep_memory = true) {
    reply<bool> got;
    api_->pause("iabc", keep_memory, {}, got.completion());
    return got.get();
  }
};

TEST_F(CubeTest, AsksByTheOlderCalls) {
  provide({{"POST /sandboxes", {answer(201, sandbox_json)}}});
  EXPECT_TRUE(create());
  EXPECT_EQ(lines(), strings{"POST /sandboxes"});
  EXPECT_NE(seen_.now().at(0).find(R"("secure":true)"), std::string::npos);
}

TEST_F(CubeTest, SetsTheTimeoutAfterAConnect) {
  provide({{"POST /sandboxes/iabc/connect", {answer(200, sandbox_json)}},
    {"POST /sandboxes/iabc/timeout", {answer(204, "")}}});
  EXPECT_TRUE(connect());
  EXPECT_EQ(lines(), (strings{"POST /sandboxes/iabc/connect", "POST /sandboxes/iabc/timeout"}));
}

TEST_F(CubeTest, AConnectThatIsAlways200IsLookedAt) {
  provide({{"POST /sandboxes/iabc/connect", {answer(200, sandbox_json)}},
    {"POST /sandboxes/iabc/timeout", {missing}},
    {"GET /sandboxes/iabc", {missing, detail("paused"), detail("running")}}});
  EXPECT_EQ(code_of(connect()), errc::hand_deleted);
  EXPECT_EQ(code_of(connect()), errc::provider_busy) << "taken, and not executed";
  EXPECT_TRUE(connect());
}

TEST_F(CubeTest, OldVersionsCannotSetTimeouts) {
  provide({{"POST /sandboxes/iabc/connect", {answer(200, sandbox_json)}},
    {"POST /sandboxes/iabc/timeout", {answer(500, R"({"code":500,"message":"no such method"})")}},
    {"GET /sandboxes/iabc", {detail("running")}}});
  EXPECT_TRUE(connect());
  EXPECT_TRUE(set_timeout());
}

TEST_F(CubeTest, RefreshesBySettingTheTimeout) {
  provide({{"POST /sandboxes/iabc/timeout", {answer(204, "")}}});
  reply<void> got;
  api_->refresh("iabc", 60s, {}, got.completion());
  EXPECT_TRUE(got.get());
  EXPECT_EQ(lines(), strings{"POST /sandboxes/iabc/timeout"});
}

TEST_F(CubeTest, ListsWithoutAQueryAndFiltersHere) {
  provide({{"GET /v2/sandboxes",
    {answer(200,
      R"([{"sandboxID":"i1","metadata":{"a":"ü &"}},{"sandboxID":"i2","metadata":{"a":"c"}},)"
      R"({"sandboxID":"i3"}])",
      "application/json", "X-Next-Token: never sent back\r\n")}}});
  reply<ports::sandbox_page> got;
  api_->list({{{"a", "ü &"}}, "", 100}, {}, got.completion());
  auto page = got.get();
  ASSERT_TRUE(page) << page.error().text();
  ASSERT_EQ(page->sandboxes.size(), 1u);
  EXPECT_EQ(page->sandboxes[0].id, "i1");
  EXPECT_EQ(page->next, "") << "a page that cannot be asked for would come for ever";
}

TEST_F(CubeTest, PausesOnce) {
  provide({{"POST /sandboxes/iabc/pause",
    {answer(204, ""), answer(409, R"({"code":409,"message":"sandbox 'iabc' is already paused"})"),
      answer(500, cube(130490)), missing}}});
  EXPECT_EQ(pause(), true);
  EXPECT_EQ(pause(), false);
  EXPECT_EQ(pause(), false);
  EXPECT_EQ(code_of(pause(false)), errc::hand_deleted);
  EXPECT_EQ(lines().size(), 4u) << "what is paused is not paused again";
  EXPECT_TRUE(seen_.now().at(0).ends_with("\r\n\r\n{}"));
  EXPECT_TRUE(seen_.now().at(3).ends_with(R"({"memory":false})"));
}

TEST_F(CubeTest, WaitsForATransitionBeforeAPause) {
  provide({{"POST /sandboxes/iabc/pause",
    {answer(409, R"({"code":409,"message":"cannot be paused while in 'resuming' state"})"),
      answer(204, "")}}});
  EXPECT_EQ(pause(), true);
}

TEST_F(CubeTest, DeletesAPausedOneByWayOfAConnect) {
  provide({{"DELETE /sandboxes/iabc", {answer(500, cube(130593)), answer(204, "")}},
    {"POST /sandboxes/iabc/connect", {answer(200, sandbox_json)}}});
  EXPECT_EQ(kill(), true);
}

TEST_F(CubeTest, MountsNothingOfTheHost) {
  provide({});
  reply<sandbox_access> got;
  api_->create({"base", 60s, true, {}, {{"host-mount", "/etc"}}, {}}, {}, got.completion());
  EXPECT_EQ(code_of(got.get()), errc::provider_refused);
  EXPECT_TRUE(lines().empty());
}

// A create whose answer is empty may still finish: it is not sent again, by either generation.
TEST_F(E2bApiTest, AnEmptyTimeoutOfACreateIsNoRefusal) {
  provide({{"POST /v2/sandboxes", {"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"}}});
  EXPECT_EQ(code_of(create()), errc::outcome_unknown);
  EXPECT_EQ(lines(), strings{"POST /v2/sandboxes"});
}

TEST_F(E2bApiTest, fault_WhatDecidesAboutARefusal) {
  struct row {
    int status;
    std::string body;
    errc code;
  };
  for (const auto& [status, body, code] :
    std::vector<row>{{401, cube(130404), errc::provider_unauthorized},             // the status first
      {500, R"({"code":404,"message":"gone"})", errc::hand_deleted},               // then the code
      {500, R"({"code":"404","message":"gone"})", errc::hand_deleted},             // also as text
      {504, R"({"error_code":"sandbox_placement_timeout"})", errc::provider_busy}, // then `error_code`
      {500, R"({"error_code":"internal_server_error"})", errc::provider_failed},
      {500, cube(130404), errc::hand_deleted}, {500, cube(130400), errc::hand_deleted}, // then Cube's number
      {400, cube(130408), errc::provider_busy}, {500, cube(130406), errc::provider_busy},
      {500, cube(1), errc::provider_failed}}) {
    provide({{"GET /sandboxes/iabc", {answer(status, body)}}});
    reply<std::optional<ports::sandbox_info>> info;
    api_->info("iabc", {}, info.completion());
    auto got = info.get();
    if (code == errc::hand_deleted)
      EXPECT_EQ(got, std::nullopt) << status << body;
    else
      EXPECT_EQ(code_of(got), code) << status << body;
  }
}

class CubeLinkTest : public LinkTest {
protected:
  result<std::string> write(std::string bytes) {
    reply<std::string> got;
    link_->write_file("/a", "user", std::move(bytes), {}, got.completion());
    return got.get();
  }
};

TEST_F(CubeLinkTest, TheVersionThatIsToldMeansNothing) {
  auto written = answer(200, R"([{"path":"/a","name":"a","type":"file"}])");
  for (auto [name, type] : {std::pair{"cube", "Content-Type: multipart/form-data"},
         {"e2b", "Content-Type: application/octet-stream"}}) {
    profile_ = name;
    always(written);
    EXPECT_TRUE(write("x"));
    EXPECT_NE(last_seen().find(type), std::string::npos) << name;
  }
}

TEST_F(CubeLinkTest, NamesAUserInEveryCall) {
  for (auto [name, named] : {std::pair{"cube", true}, {"e2b", false}}) {
    profile_ = name;
    always(answer(200, "{}"));
    reply<std::vector<ports::running_process>> got;
    link_->processes({}, got.completion());
    EXPECT_TRUE(got.get());
    EXPECT_EQ(last_seen().find("Authorization: Basic dXNlcjo=\r\n") != std::string::npos, named) << name;
  }
}

TEST_F(CubeLinkTest, SendsNothingThatItsProxyRefuses) {
  profile_ = "cube";
  always(answer(200, "[]"));
  reply<std::string> got;
  link_->write_file("/a", "user",
    std::make_shared<scripted_source>(std::vector<result<std::string>>{}, e2b_limits::cube_body + 1), {},
    got.completion());
  EXPECT_EQ(code_of(got.get()), errc::payload_too_large);
  EXPECT_EQ(server_->connections(), 0u);
}

// It may work where it is not known to: envd's version is not told.
TEST_F(CubeLinkTest, ClosesInputWhereThatIsServed) {
  profile_ = "cube";
  for (const auto& [bytes, code] : {std::pair{answer(200, "{}"), errc::none},
         {answer(404, "404 page not found\n", "text/plain"), errc::envd_unsupported},
         {answer(501, R"({"code":"unimplemented","message":"x"})"), errc::envd_unsupported}}) {
    always(bytes);
    reply<void> got;
    link_->close_stdin({42, {}}, {}, got.completion());
    EXPECT_EQ(code_of(got.get()), code) << bytes;
  }
}

TEST(E2bProfile, CubeIsReachedByTheNamesOfItsDomain) {
  e2b_options options{"http://10.0.0.1:3000", "k", "https://10.0.0.2"};
  ports::sandbox_access access{"iabc"};
  access.domain = "cube.app";
  EXPECT_EQ(route_to(options, access).base, "https://10.0.0.2") << "E2B is told by headers there";
  options.kind = find_profile("cube");
  auto route = route_to(options, access);
  EXPECT_EQ(route.base, "https://49983-iabc.cube.app");
  EXPECT_EQ(route.connect_to, "10.0.0.2:443");
}

} // namespace agentpool::net::test
