// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/json.hpp"
#include "tests/gateway/gateway_fixture.hpp"

#include <gmock/gmock.h>

namespace agentpool::test {

namespace {

using AppRoutes = GatewayFixture;

std::string code_of(const fake_exchange& http) {
  return json::parse(http.answer->body).value_or(json{})["code"].text_or("");
}

// All that a client sees of an answer but the two headers that differ for each.
std::string bytes_of(const fake_exchange& http) {
  auto out = std::to_string(http.answer->status) + "\n" + http.answer->content_type + "\n" +
             std::to_string(http.answer->close) + "\n" + http.answer->body;
  for (const auto& [name, value] : http.answer->headers)
    if (name != "X-Request-Id")
      out += "\n" + name + ": " + value;
  return out;
}

struct call {
  std::string method;
  std::string route;
  std::string body;
};

// Every route below a session.
const std::vector<call>& session_calls() {
  static const std::vector<call> calls{{"GET", "", ""}, {"DELETE", "", ""},
    {"POST", "/prompt", R"({"text":"hi"})"}, {"POST", "/prompt", "no json"}, {"POST", "/cancel", ""},
    {"GET", "/events", ""}, {"GET", "/events?after=1", ""}, {"GET", "/events?after=nonsense", ""},
    {"GET", "/permissions", ""}, {"POST", "/permissions/p1", ""}, {"GET", "/files?path=.", ""},
    {"GET", "/files/content?path=a", ""}, {"PUT", "/files/content?path=a", ""},
    {"DELETE", "/files/content?path=a", ""}, {"POST", "/files/mkdir", ""}, {"POST", "/files/move", ""}};
  return calls;
}

caf::behavior fake_viewers(caf::event_based_actor*, std::shared_ptr<fake_node> node, errc answer) {
  return {[node, answer](watch_atom, const viewer_order& order,
            const std::shared_ptr<ports::event_sink>& sink) -> caf::result<void> {
    node->watched = order;
    if (answer != errc::none)
      return to_error({answer, {}});
    sink->write(std::make_shared<std::string>("event: caught_up\ndata: {}\n\n"), [](bool) {});
    return caf::unit;
  }};
}

caf::behavior fake_reader(caf::event_based_actor*) {
  return {[](events_atom, const session_id&, uint64_t after, uint64_t max_events, uint64_t) {
    event_page page;
    page.last_seq = after + max_events;
    return page;
  }};
}

} // namespace

// BR-140
TEST_F(AppRoutes, DoubtfulTokensAre401BeforeAnythingElse) {
  with_token = false;
  using headers = std::vector<std::pair<std::string, std::string>>;
  auto bearer = "Bearer " + token;
  for (const auto& sent :
    {headers{}, headers{{"Authorization", ""}}, headers{{"Authorization", token}},
      headers{{"Authorization", bearer}, {"authorization", bearer}}, headers{{"Authorization", bearer + "x"}},
      headers{{"Authorization", "Basic " + token}}, headers{{"X-Device-Token", token}}})
    for (auto target : {"/v1/sessions", "/v1/sessions/odd", "/v1/sessions?limit=0"}) {
      auto http = ask("GET", target, {}, sent);
      EXPECT_EQ(http->answer->status, 401) << target;
      EXPECT_EQ(code_of(*http), "unauthorized");
      EXPECT_EQ(http->header("WWW-Authenticate"), "Bearer realm=\"agentpool\"");
    }
  for (const auto& one : session_calls()) {
    auto http =
      ask(one.method, "/v1/sessions/" + mine + one.route, one.body, {{"Authorization", bearer + "x"}});
    EXPECT_EQ(http->answer->status, 401) << one.method << one.route;
  }
}

// RFC 9110, section 11.1
TEST_F(AppRoutes, TheSchemeOfATokenHasNoCase) {
  with_token = false;
  for (auto scheme : {"bearer ", "BEARER "})
    EXPECT_EQ(ask("GET", "/v1/sessions", {}, {{"Authorization", scheme + token}})->answer->status, 200);
}

// BR-139, BR-021
TEST_F(AppRoutes, ForeignAbsentAndOddIdsGetTheSameBytes) {
  for (const auto& one : session_calls()) {
    auto expected = bytes_of(*ask(one.method, "/v1/sessions/" + foreign + one.route, one.body));
    EXPECT_THAT(expected, ::testing::StartsWith("404\napplication/problem+json")) << one.method << one.route;
    EXPECT_THAT(expected, ::testing::Not(::testing::HasSubstr(foreign)));
    for (const auto& id : {absent, std::string{"x"}, "ses_" + std::string(200, 'a'), std::string{"%2e"}})
      EXPECT_EQ(bytes_of(*ask(one.method, "/v1/sessions/" + id + one.route, one.body)), expected)
        << one.method << one.route << id;
    EXPECT_EQ(bytes_of(*ask("GET", "/v1/nothing")), expected);
  }
}

TEST_F(AppRoutes, EveryAnswerHasItsOwnRequestId) {
  auto one = ask("GET", "/healthz", {}, {{"X-Request-Id", "chosen"}});
  auto two = ask("GET", "/v1/nothing");
  EXPECT_THAT(one->header("X-Request-Id"), ::testing::StartsWith("req_"));
  EXPECT_NE(one->header("X-Request-Id"), two->header("X-Request-Id"));
  EXPECT_THAT(two->answer->body, ::testing::Not(::testing::HasSubstr("req_")));
}

TEST_F(AppRoutes, WrongMethodTellsTheRightOnes) {
  auto http = ask("BREW", "/v1/sessions/" + mine);
  EXPECT_EQ(http->answer->status, 405);
  EXPECT_EQ(http->header("Allow"), "GET, DELETE");
  EXPECT_EQ(code_of(*http), "method_not_allowed");
}

TEST_F(AppRoutes, CreatePassesBodyAndKey) {
  auto http = ask("POST", "/v1/sessions", R"({"title":"a title"})", {{"Idempotency-Key", "key 1"}});
  EXPECT_EQ(http->answer->status, 201);
  EXPECT_EQ(json::parse(http->answer->body)->operator[]("id").text_or(""), "ses_made");
  EXPECT_EQ(node->created->title, "a title");
  EXPECT_EQ(node->once->key, "key 1");
}

TEST_F(AppRoutes, TheSameRequestHasTheSameHashHoweverItIsSpelled) {
  auto create = [&](const std::string& body) {
    ask("POST", "/v1/sessions", body, {{"Idempotency-Key", "k"}});
    return node->once->request_hash;
  };
  EXPECT_EQ(create(""), create(" {} "));
  EXPECT_EQ(create(R"({"title":"t","mode":"ask"})"), create(R"({ "mode":"ask", "title":"\u0074" })"));
  EXPECT_NE(create(R"({"title":"ask"})"), create(R"({"mode":"ask"})"));
  EXPECT_NE(create(R"({"metadata":{"a":1}})"), create(R"({"metadata":{"a":2}})"));
  auto prompt = [&](const std::string& body) {
    ask("POST", "/v1/sessions/" + mine + "/prompt", body, {{"Idempotency-Key", "k"}});
    return node->prompted->once.request_hash;
  };
  EXPECT_EQ(prompt(R"({"text":"a"})"), prompt(R"({"prompt": [{"type":"text","text":"a"}]})"));
  EXPECT_NE(prompt(R"({"text":"a"})"), prompt(R"({"text":"b"})"));
}

TEST_F(AppRoutes, BadCreateNeverReachesTheNode) {
  EXPECT_EQ(code_of(*ask("POST", "/v1/sessions", "{")), "bad_json");
  EXPECT_EQ(code_of(*ask("POST", "/v1/sessions", R"({"title":5})")), "bad_request");
  EXPECT_EQ(code_of(*ask("POST", "/v1/sessions", "{}", {{"Idempotency-Key", "a"}, {"Idempotency-Key", "a"}})),
    "bad_request");
  EXPECT_FALSE(node->created);
}

TEST_F(AppRoutes, ListPassesItsPage) {
  auto http = ask("GET", "/v1/sessions?limit=3&cursor=abc");
  EXPECT_EQ(http->answer->status, 200);
  EXPECT_EQ(json::parse(http->answer->body)->operator[]("next").text_or(""), "more");
  EXPECT_THAT(node->asked, ::testing::Contains("list abc 3"));
  for (auto query : {"limit=0", "limit=201", "limit=abc", "limit=-5", "cursor=%zz", "limit=1&limit=1"})
    EXPECT_EQ(code_of(*ask("GET", std::string{"/v1/sessions?"} + query)), "bad_request") << query;
}

TEST_F(AppRoutes, SessionIsReadCancelledAndDeleted) {
  EXPECT_EQ(ask("GET", "/v1/sessions/" + mine)->answer->status, 200);
  EXPECT_EQ(ask("POST", "/v1/sessions/" + mine + "/cancel")->answer->status, 202);
  auto gone = ask("DELETE", "/v1/sessions/" + mine);
  EXPECT_EQ(gone->answer->status, 204);
  EXPECT_EQ(gone->answer->body, "");
}

TEST_F(AppRoutes, PromptPassesBlocksAndKey) {
  std::string body = R"({"text":"hello"})";
  auto http = ask("POST", "/v1/sessions/" + mine + "/prompt", body, {{"Idempotency-Key", "k"}});
  EXPECT_EQ(http->answer->status, 202);
  EXPECT_EQ(http->answer->body, R"({"turn_id":"turn_1"})");
  EXPECT_EQ(node->prompted->blocks, R"([{"type":"text","text":"hello"}])");
  EXPECT_EQ(node->prompted->once.key, "k");
}

TEST_F(AppRoutes, UnknownMembersNeverReachTheNode) {
  auto session = "/v1/sessions/" + mine;
  struct row {
    std::string target, body, known;
  };
  const row rows[] = {
    {"/v1/sessions", R"({"mod":"ask"})", "profile, title, mode, metadata"},
    {session + "/prompt", R"({"text":"a","mod":"ask"})", "text, prompt"},
    {session + "/permissions/p1", R"({"option_id":"allow-once","mod":1})", "option_id"},
    {session + "/files/mkdir", R"({"path":"d","mod":1})", "path"},
    {session + "/files/move", R"({"from":"a","to":"b","mod":true})", "from, to, replace"},
  };
  for (const auto& row : rows) {
    auto http = ask("POST", row.target, row.body);
    EXPECT_EQ(http->answer->status, 400) << row.target;
    EXPECT_EQ(json::parse(http->answer->body)->operator[]("detail").text(),
      "The member 'mod' is unknown; the known ones are: " + row.known + ".");
  }
  EXPECT_EQ(code_of(*ask("POST", session + "/cancel", R"({"turn":"turn_1"})")), "bad_request");
  EXPECT_EQ(ask("POST", session + "/cancel", "{}")->answer->status, 202);
  EXPECT_FALSE(node->prompted);
}

TEST_F(AppRoutes, MembersThatAreGivenTwiceNeverReachTheNode) {
  auto http = ask("POST", "/v1/sessions", R"({"mode":"deny","mode":"allow"})");
  EXPECT_EQ(http->answer->status, 400);
  EXPECT_EQ(json::parse(http->answer->body)->operator[]("detail").text(),
    "The member 'mode' is given twice; give it once.");
  EXPECT_FALSE(node->created);
}

TEST_F(AppRoutes, UnknownMembersOfAQueryNeverReachTheNode) {
  for (const auto& one : app_routes()) {
    if (one.who != access::device)
      continue;
    std::string path{one.pattern};
    if (auto at = path.find("{id}"); at != std::string::npos)
      path.replace(at, 4, mine);
    auto http = ask(std::string{one.method}, path + "?mod=1", "{}");
    EXPECT_EQ(http->answer->status, 400) << one.method << path;
    auto known =
      one.query.empty() ? "this path takes none." : "the known ones are: " + std::string{one.query} + ".";
    EXPECT_EQ(
      json::parse(http->answer->body)->operator[]("detail").text(), "The query's 'mod' is unknown; " + known);
  }
  EXPECT_THAT(node->asked, ::testing::Each(::testing::AnyOf("authorize", "device")));
  EXPECT_EQ(ask("GET", "/healthz?mod=1")->answer->status, 400);
  EXPECT_EQ(ask("GET", "/v1/sessions/" + foreign + "?mod=1")->answer->status, 404);
}

TEST_F(AppRoutes, EncodedBodiesAreRefused) {
  auto session = "/v1/sessions/" + mine;
  for (const auto& [method, target] : {std::pair<std::string, std::string>{"POST", "/v1/sessions"},
         {"POST", session + "/prompt"}, {"PUT", session + "/files/content?path=a"}}) {
    auto http = ask(method, target, "\x1f\x8b", {{"Content-Encoding", "gzip"}});
    EXPECT_EQ(http->answer->status, 415) << target;
    EXPECT_EQ(code_of(*http), "unsupported_encoding");
    EXPECT_EQ(http->header("Accept-Encoding"), "identity");
  }
  EXPECT_EQ(ask("POST", "/v1/sessions", "{}", {{"Content-Encoding", "identity"}})->answer->status, 201);
  EXPECT_EQ(ask("GET", session, {}, {{"Content-Encoding", "gzip"}})->answer->status, 200) << "it has no body";
}

TEST_F(AppRoutes, FailuresOfTheNodeAreProblems) {
  node->failing["prompt"] = errc::turn_running;
  auto prompt = "/v1/sessions/" + mine + "/prompt";
  EXPECT_EQ(ask("POST", prompt, R"({"text":"a"})")->answer->status, 409);
  node->failing["prompt"] = errc::store_unavailable;
  auto http = ask("POST", prompt, R"({"text":"a"})");
  EXPECT_EQ(http->answer->status, 503);
  EXPECT_EQ(http->header("Retry-After"), "1");
  node->failing["prompt"] = errc::internal;
  EXPECT_EQ(ask("POST", prompt, R"({"text":"a"})")->answer->status, 500);
}

TEST_F(AppRoutes, ApprovalsAreListedAndAnswered) {
  auto permissions = "/v1/sessions/" + mine + "/permissions";
  EXPECT_EQ(ask("GET", permissions)->answer->body, R"({"permissions":[]})");
  EXPECT_EQ(ask("POST", permissions + "/p1", R"({"option_id":"allow-once"})")->answer->status, 200);
  EXPECT_THAT(node->asked, ::testing::Contains("answer p1 allow-once"));
  for (auto body :
    {"{}", R"({"option_id":5})", R"({"option_id":""})", R"({"option_id":"allow-once","for":"all"})"})
    EXPECT_EQ(code_of(*ask("POST", permissions + "/p1", body)), "bad_request") << body;
  EXPECT_EQ(code_of(*ask("POST", permissions + "/p1", "{")), "bad_json");
}

// BR-007
TEST_F(AppRoutes, EventStreamIsNotBufferedAndGoesToAViewer) {
  publish(names::viewer_sup, sys.spawn(fake_viewers, node, errc::none));
  auto http = ask("GET", "/v1/sessions/" + mine + "/events?after=3&live=0", {}, {{"Last-Event-ID", "7"}});
  ASSERT_TRUE(http->sink);
  EXPECT_EQ(http->answer->content_type, "text/event-stream");
  EXPECT_EQ(http->header("Cache-Control"), "no-store, no-transform");
  EXPECT_EQ(http->header("X-Accel-Buffering"), "no");
  run_until([&] { return node->asked.empty() || !http->sink->text.empty(); });
  EXPECT_THAT(http->sink->text, ::testing::HasSubstr("caught_up"));
  EXPECT_EQ(node->watched->after, 7u) << "Last-Event-ID wins";
  EXPECT_FALSE(node->watched->live);
}

TEST_F(AppRoutes, RefusedStreamSaysWhyAndWhenToComeBack) {
  publish(names::viewer_sup, sys.spawn(fake_viewers, node, errc::overloaded));
  auto http = ask("GET", "/v1/sessions/" + mine + "/events");
  run_until([&] { return http->sink->finished.load(); });
  EXPECT_THAT(http->sink->text, ::testing::StartsWith("retry: 2000\nevent: refused\n"));
  EXPECT_THAT(http->sink->text, ::testing::HasSubstr("\"overloaded\""));
}

TEST_F(AppRoutes, NoViewerSupervisorIsAProblemNotAStream) {
  auto http = ask("GET", "/v1/sessions/" + mine + "/events");
  EXPECT_EQ(http->answer->status, 503);
  EXPECT_FALSE(http->sink);
}

TEST_F(AppRoutes, EventsComeAsPagesToo) {
  publish(names::store_reader, sys.spawn(fake_reader));
  auto http =
    ask("GET", "/v1/sessions/" + mine + "/events?after=5&limit=10", {}, {{"Accept", "application/json"}});
  EXPECT_EQ(http->answer->body, R"({"events":[],"last_seq":15,"complete":false})");
  http =
    ask("GET", "/v1/sessions/" + mine + "/events?after=5&limit=10", {}, {{"Accept", "Application/JSON"}});
  EXPECT_EQ(http->answer->status, 200); // media types have no case
  EXPECT_FALSE(http->sink);
}

TEST_F(AppRoutes, BadCursorsAreToldNotIgnored) {
  auto events = "/v1/sessions/" + mine + "/events";
  for (auto query : {"after=abc", "after=-1", "after=1.5", "after=99999999999999999999", "after=%00",
         "live=2", "after=1&after=1", "limit=0"})
    EXPECT_EQ(code_of(*ask("GET", events + "?" + query)), "bad_request") << query;
  for (auto header : {"abc", "1.5", "99999999999999999999999999", "1 2", "-1"})
    EXPECT_EQ(code_of(*ask("GET", events, {}, {{"Last-Event-ID", header}})), "bad_request") << header;
  EXPECT_EQ(
    code_of(*ask("GET", events, {}, {{"Last-Event-ID", "1"}, {"Last-Event-ID", "1"}})), "bad_request");
}

// BR-144
TEST_F(AppRoutes, DeviceOverItsRateIsToldToWait) {
  settings.requests_per_second = 1;
  EXPECT_EQ(ask("GET", "/v1/sessions")->answer->status, 200);
  auto http = ask("GET", "/v1/sessions");
  EXPECT_EQ(http->answer->status, 429);
  EXPECT_EQ(code_of(*http), "rate_limited");
  EXPECT_EQ(http->header("Retry-After"), "1");
  with_token = false;
  EXPECT_EQ(
    ask("GET", "/v1/sessions", {}, {{"Authorization", "Bearer " + other_token}})->answer->status, 200);
}

TEST_F(AppRoutes, MissingRegistryIsOverloaded) {
  sys.registry().erase(std::string{names::session_registry});
  EXPECT_EQ(ask("GET", "/v1/sessions/" + mine)->answer->status, 503);
}

TEST_F(AppRoutes, HealthAndDescriptionNeedNoToken) {
  with_token = false;
  EXPECT_EQ(ask("GET", "/healthz")->answer->status, 200);
  EXPECT_EQ(ask("GET", "/openapi.json")->answer->status, 200);
}

// BR-158
TEST_F(AppRoutes, ReadyMeansThatTheNodeTakesWork) {
  with_token = false;
  EXPECT_EQ(ask("GET", "/readyz")->answer->status, 503);
  services->phase = gateway_phase::ready;
  EXPECT_EQ(code_of(*ask("GET", "/readyz")), "store_unavailable");
  publish(names::store, sys.spawn(fake_reader));
  publish(names::store_reader, sys.spawn(fake_reader));
  EXPECT_EQ(code_of(*ask("GET", "/readyz")), "overloaded");
  publish(names::worker_pool, sys.spawn(fake_reader));
  EXPECT_EQ(ask("GET", "/readyz")->answer->status, 200);
  EXPECT_EQ(ask("GET", "/readyz")->answer->body, R"({"status":"ready"})");
  services->phase = gateway_phase::draining;
  EXPECT_EQ(code_of(*ask("GET", "/readyz")), "shutting_down");
}

// Chat needs no sandbox: a provider that fails is told and makes no node unready.
TEST_F(AppRoutes, ReadyTellsWhetherSandboxesCanBeHad) {
  ask("GET", "/healthz"); // makes the services
  services->phase = gateway_phase::ready;
  for (auto name : {names::store, names::store_reader, names::worker_pool})
    publish(name, sys.spawn(fake_reader));
  publish(names::reaper, sys.spawn([](caf::event_based_actor*) -> caf::behavior {
    return {[](status_atom) {
      actor_status out;
      out.detail = R"({"provider":{"url":"http://inner:1","state":"fails","last_error":"secret words"}})";
      return out;
    }};
  }));
  auto http = ask("GET", "/readyz");
  EXPECT_EQ(http->answer->status, 200);
  EXPECT_EQ(http->answer->body, R"({"status":"ready","sandboxes":"fails"})");
}

} // namespace agentpool::test
