// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/defaults.hpp"
#include "tests/net/e2b/api_fixture.hpp"

namespace agentpool::net::test {

using namespace std::chrono_literals;
using ports::sandbox_access;

TEST_F(E2bApiTest, CreatesByTheNewerCall) {
  provide({{"POST /v2/sandboxes", {answer(201, sandbox_json)}}});
  auto got = create();
  ASSERT_TRUE(got) << got.error().text();
  EXPECT_EQ(got->id, "iabc");
  EXPECT_EQ(got->envd_token, "t0k");
  EXPECT_EQ(got->domain, "");
  EXPECT_EQ(got->envd_version, "0.6.13");
  auto request = seen_.now().at(0);
  EXPECT_NE(request.find("X-API-Key: e2b_00\r\n"), std::string::npos);
  EXPECT_NE(request.find("Content-Type: application/json\r\n"), std::string::npos);
  EXPECT_NE(request.find(R"("nonce":"n1")"), std::string::npos);
}

TEST_F(E2bApiTest, FallsBackToTheOlderCallsAndRemembersIt) {
  provide({{"POST /v2/sandboxes", {answer(405, "")}}, {"POST /sandboxes", {answer(201, sandbox_json)}},
    {"POST /sandboxes/iabc/connect", {answer(200, sandbox_json)}}});
  EXPECT_TRUE(create());
  EXPECT_TRUE(create());
  EXPECT_FALSE(connect()->resumed);
  EXPECT_TRUE(connect());
  EXPECT_EQ(lines(),
    (std::vector<std::string>{"POST /v2/sandboxes", "POST /sandboxes", "POST /sandboxes",
      "POST /v2/sandboxes/iabc/connect", "POST /sandboxes/iabc/connect", "POST /sandboxes/iabc/connect"}));
  EXPECT_NE(seen_.now().at(1).find(R"("secure":true)"), std::string::npos);
}

TEST_F(E2bApiTest, ANotFoundOfTheNewerCallIsFinalOnceItWorked) {
  auto missing = answer(404, R"({"code":404,"message":"no such sandbox"})");
  provide({{"POST /v2/sandboxes/iabc/connect", {answer(201, sandbox_json), missing}}});
  EXPECT_TRUE(connect()->resumed);
  EXPECT_EQ(code_of(connect()), errc::hand_deleted);
  EXPECT_EQ(lines().size(), 2u);
}

TEST_F(E2bApiTest, AMissingTemplateIsNoMissingSandbox) {
  auto missing = answer(404, R"({"code":404,"message":"template 'base' not found"})");
  provide({{"POST /v2/sandboxes", {missing}}, {"POST /sandboxes", {missing}}});
  auto got = create();
  EXPECT_EQ(code_of(got), errc::provider_refused);
  EXPECT_NE(got.error().text().find("template 'base'"), std::string::npos);
}

TEST_F(E2bApiTest, TellsStoppedFromDeleted) {
  auto missing = answer(404, R"({"code":404,"message":"not found"})");
  auto detail = [](const std::string& state) {
    return answer(
      200, R"({"sandboxID":"iabc","templateID":"base","startedAt":"2026-01-01T00:00:00Z","state":")" + state +
             R"("})");
  };
  provide(
    {{"POST /sandboxes/iabc/timeout", {missing}}, {"GET /sandboxes/iabc", {detail("paused"), missing}}});
  EXPECT_EQ(code_of(set_timeout()), errc::hand_stopped);
  EXPECT_EQ(code_of(set_timeout()), errc::hand_deleted);
  reply<std::optional<ports::sandbox_info>> info;
  api_->info("iabc", {}, info.completion());
  EXPECT_EQ(info.get(), std::nullopt);
}

// Some versions of a provider fail at the timeout call; a connect prolongs what runs.
TEST_F(E2bApiTest, ConnectsWhereTheTimeoutCannotBeSet) {
  provide({{"POST /sandboxes/iabc/timeout", {answer(500, R"({"code":500,"message":"no such method"})")}},
    {"GET /sandboxes/iabc", {answer(200, R"({"sandboxID":"iabc","state":"running"})")}},
    {"POST /sandboxes/iabc/connect", {answer(200, sandbox_json)}}});
  EXPECT_TRUE(set_timeout());
}

TEST_F(E2bApiTest, RefreshesOrSetsTheTimeout) {
  provide({{"POST /sandboxes/iabc/timeout", {answer(204, "")}}});
  reply<void> got;
  api_->refresh("iabc", 60s, {}, got.completion());
  EXPECT_TRUE(got.get());
  EXPECT_EQ(
    lines(), (std::vector<std::string>{"POST /sandboxes/iabc/refreshes", "POST /sandboxes/iabc/timeout"}));
  EXPECT_TRUE(seen_.now().at(0).ends_with(R"({"duration":60})"));
}

TEST_F(E2bApiTest, KillsOrFindsNothing) {
  provide({{"DELETE /sandboxes/iabc",
    {"HTTP/1.1 204 No Content\r\n\r\n", answer(404, R"({"code":404,"message":"gone"})"), answer(404, ""),
      answer(404, "<html>", "text/html")}}});
  EXPECT_EQ(kill(), true);
  EXPECT_EQ(kill(), false);
  EXPECT_EQ(kill(), false);
  EXPECT_EQ(code_of(kill()), errc::provider_nonsense) << "a web server's 404 is not the provider's word";
}

TEST_F(E2bApiTest, ResumesAPausedOneThatIsNotDeletedOtherwise) {
  provide({{"DELETE /sandboxes/iabc",
             {answer(500, R"({"code":500,"message":"CubeMaster returned error code 130593: state"})"),
               answer(204, "")}},
    {"POST /sandboxes/iabc/connect", {answer(200, sandbox_json)}}});
  EXPECT_EQ(kill(), true);
}

TEST_F(E2bApiTest, FiltersAndPages) {
  provide({{"GET /v2/sandboxes?state=running%2Cpaused&metadata=a%3Db", {}}});
  server_.reset();
  fault_server server{[&](fault_peer& peer) {
    while (auto request = peer.read_request()) {
      seen_.change([&](auto& all) { all.push_back(*request); });
      peer.send(answer(200,
        R"([{"sandboxID":"i1","state":"running","metadata":{"a":"b"}},{"sandboxID":"i2","state":"odd"}])",
        "application/json", "x-next-token: more\r\n"));
    }
  }};
  connect_to(server);
  reply<ports::sandbox_page> got;
  api_->list({{{"a", "b"}}, "", 100}, {}, got.completion());
  auto page = got.get();
  ASSERT_TRUE(page) << page.error().text();
  ASSERT_EQ(page->sandboxes.size(), 1u);
  EXPECT_EQ(page->sandboxes[0].id, "i1");
  EXPECT_EQ(page->next, "more");
  EXPECT_TRUE(line_of(seen_.now().back()).starts_with("GET /v2/sandboxes?"));
}

TEST_F(E2bApiTest, fault_BusyForAWhile) {
  provide({{"POST /v2/sandboxes",
    {answer(429, R"({"code":429,"message":"slow down"})", "application/json", "Retry-After: 0\r\n"),
      answer(503, ""), answer(201, sandbox_json)}}});
  EXPECT_TRUE(create());
  EXPECT_EQ(lines().size(), 3u);
}

TEST_F(E2bApiTest, fault_BusyForever) {
  provide({{"POST /v2/sandboxes", {answer(503, "", "text/html", "Retry-After: 0\r\n")}}});
  EXPECT_EQ(code_of(create()), errc::provider_busy);
  EXPECT_EQ(lines().size(), defaults::provider_tries);
}

TEST_F(E2bApiTest, fault_BusyForTooLong) {
  provide({{"POST /v2/sandboxes", {answer(429, "", "text/html", "Retry-After: 3600\r\n")}}});
  EXPECT_EQ(code_of(create()), errc::provider_busy);
  EXPECT_EQ(lines().size(), 1u);
}

struct told {
  int status;
  std::string body;
  errc create, info;
};

TEST_F(E2bApiTest, fault_EveryRefusalHasItsCode) {
  auto cube = [](int number) {
    return R"({"code":500,"message":"CubeMaster returned error code )" + std::to_string(number) + R"(: x"})";
  };
  std::string html = "<html><h1>502 Bad Gateway</h1></html>";
  for (const auto& [status, body, created, informed] :
    std::vector<told>{{400, R"({"code":400,"message":"x"})", errc::provider_refused, errc::provider_refused},
      {401, "", errc::provider_unauthorized, errc::provider_unauthorized},
      {403, html, errc::provider_unauthorized, errc::provider_unauthorized},
      {408, "", errc::outcome_unknown, errc::hand_unreachable}, // a create that may still finish
      {418, html, errc::provider_refused, errc::provider_refused},
      {500, "", errc::provider_failed, errc::provider_failed},
      {500, cube(130595), errc::outcome_unknown, errc::hand_unreachable},
      {502, html, errc::outcome_unknown, errc::hand_unreachable},
      {504, "{}", errc::outcome_unknown, errc::hand_unreachable},
      {302, "", errc::provider_nonsense, errc::provider_nonsense},
      {200, "", errc::provider_nonsense, errc::provider_nonsense},
      {200, "{", errc::provider_nonsense, errc::provider_nonsense},
      {200, "[]", errc::provider_nonsense, errc::provider_nonsense},
      {201, R"({"sandboxID":"../x"})", errc::provider_nonsense, errc::none},
      {201, R"({"sandboxID":"i1","envdAccessToken":"a\r\nHost: b"})", errc::provider_nonsense, errc::none},
      {200, html, errc::provider_nonsense, errc::provider_nonsense}}) {
    provide(
      {{"POST /v2/sandboxes", {answer(status, body)}}, {"GET /sandboxes/iabc", {answer(status, body)}}});
    auto got = create();
    EXPECT_EQ(code_of(got), created) << status << body;
    EXPECT_EQ(lines().size(), 1u) << "never sent again";
    reply<std::optional<ports::sandbox_info>> info;
    api_->info("iabc", {}, info.completion());
    EXPECT_EQ(code_of(info.get()), informed) << status << body;
    seen_.change([](auto& all) { all.clear(); });
  }
}

// What may have been created is never created a second time.
TEST_F(E2bApiTest, fault_CreateCutAtEveryByte) {
  auto whole = answer(201, sandbox_json);
  std::atomic<size_t> cut{0}, requests{0};
  fault_server server{[&](fault_peer& peer) {
    while (peer.read_request()) {
      ++requests;
      if (cut % 2 == 0)
        peer.reset();
      if (peer.send(std::string_view{whole}.substr(0, cut)); cut < whole.size())
        return;
    }
  }};
  connect_to(server);
  for (; cut < whole.size(); ++cut) {
    auto got = create();
    ASSERT_EQ(code_of(got), errc::outcome_unknown) << cut;
    ASSERT_EQ(requests, cut + 1);
  }
  EXPECT_TRUE(create());
}

// BR-080: what cannot change anything is asked again; a create only when nothing was sent (the next test).
TEST_F(E2bApiTest, fault_ReadsAreRepeated) {
  std::atomic<int> requests{0};
  fault_server server{[&](fault_peer& peer) {
    peer.read_request();
    if (++requests < 3)
      return peer.reset();
    peer.send(answer(200, R"({"sandboxID":"iabc","state":"running"})"));
  }};
  connect_to(server);
  reply<std::optional<ports::sandbox_info>> info;
  api_->info("iabc", {}, info.completion());
  auto got = info.get();
  ASSERT_TRUE(got) << got.error().text();
  EXPECT_EQ((*got)->state, ports::sandbox_state::running);
}

TEST_F(E2bApiTest, fault_NobodyListens) {
  {
    connect_to(fault_server{[](fault_peer&) {}});
  }
  EXPECT_EQ(code_of(create()), errc::hand_unreachable) << "nothing was sent";
}

TEST_F(E2bApiTest, fault_Silence) {
  fault_server server{[](fault_peer& peer) { peer.drain(); }};
  connect_to(server);
  EXPECT_EQ(code_of(create({0ms, 50ms, 0ms, 0ms})), errc::outcome_unknown);
  EXPECT_EQ(code_of(create({0ms, 0ms, 0ms, 50ms})), errc::outcome_unknown);
}

TEST_F(E2bApiTest, CancelsAtEveryStep) {
  provide({{"POST /v2/sandboxes", {answer(429, "", "text/plain", "Retry-After: 9\r\n")}}});
  auto before = count_descriptors();
  reply<sandbox_access> at_once, later;
  api_->cancel(api_->create({}, {}, at_once.completion()));
  EXPECT_EQ(code_of(at_once.get()), errc::cancelled);
  auto id = api_->create({}, {}, later.completion());
  ASSERT_TRUE(seen_.wait([](const auto& all) { return !all.empty(); }));
  api_->cancel(id); // while it waits for the second try, or for the answer
  EXPECT_EQ(code_of(later.get()), errc::cancelled);
  api_->cancel(id);
  reply<sandbox_access> open;
  api_->create({}, {}, open.completion());
  api_.reset();
  EXPECT_EQ(code_of(open.get()), errc::cancelled);
  EXPECT_EQ(open.count(), 1u);
  EXPECT_TRUE(descriptors_fall_to(before));
}

} // namespace agentpool::net::test
