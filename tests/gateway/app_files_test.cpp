// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "gateway/app_routes.hpp"
#include "tests/gateway/gateway_fixture.hpp"

#include <gmock/gmock.h>

namespace agentpool::test {

namespace {

using ::testing::HasSubstr;

/// What the world of the session was asked, and what it answers.
struct fake_world {
  std::vector<world::call> calls;
  world::reply reply{200, "{}"};
  bool streams = false;
  std::function<void()> meanwhile = [] {}; ///< before it answers
};

world_actor::behavior_type fake_world_actor(std::shared_ptr<fake_world> all) {
  return {
    [](status_atom) { return actor_status{}; },
    [all](world_atom, const world::call& call, const std::shared_ptr<ports::world_stream>& stream) {
      all->calls.push_back(call);
      all->meanwhile();
      if (!all->streams)
        return all->reply;
      auto sink = stream->begin({206, "application/octet-stream", {{"ETag", "\"v\""}}, 5});
      sink->write(std::make_shared<std::string>("bytes"), [](bool) {});
      return world::reply{0, {}};
    },
    [](hand_atom, const hand_report&) {},
    [](watch_atom, const session_actor&) {},
    [](trace_atom, const turn_id&) { return std::string{"{}"}; },
    [](run_atom, const std::shared_ptr<world::job>&) {},
    [](timer_atom, const std::string&, uint64_t) {},
  };
}

caf::behavior broker_of(caf::event_based_actor*, world_actor world, errc why) {
  return {[=](begin_atom, const session_id&) -> caf::result<world_actor> {
    if (!world)
      return to_error({why, {}});
    return world;
  }};
}

class AppFiles : public GatewayFixture {
protected:
  void serve() {
    world_actor handle = sys.spawn([all = all] { return fake_world_actor(all); });
    publish(names::broker, sys.spawn(broker_of, handle, errc::none));
  }
  std::string files(const std::string& rest = {}) const { return "/v1/sessions/" + mine + "/files" + rest; }
  json line() const {
    auto text = all->calls.back().body;
    return *json::parse(text.substr(0, text.find('\n')));
  }
  static std::string code_of(const fake_exchange& http) {
    return json::parse(http.answer->body)->operator[]("code").text_or("");
  }

  std::shared_ptr<fake_world> all = std::make_shared<fake_world>();
};

} // namespace

TEST_F(AppFiles, RequestsReachTheWorldWithoutAWorker) {
  serve();
  struct row {
    std::string method, target, body, path, line;
  };
  const row rows[] = {
    {"GET", "", "", "files/list", R"({"path":"."})"},
    {"GET", "?path=a%20b", "", "files/list", R"({"path":"a b"})"},
    {"GET", "/content?path=a", "", "files/read", R"({"path":"a"})"},
    {"PUT", "/content?path=a", "hi", "files/write", "{\"path\":\"a\"}\nhi"},
    {"DELETE", "/content?path=a&recursive=1", "", "files/delete", R"({"path":"a","recursive":true})"},
    {"POST", "/mkdir", R"({"path":"d"})", "files/mkdir", R"({"path":"d"})"},
    {"POST", "/move", R"({"from":"a","to":"b"})", "files/move", R"({"from":"a","to":"b","replace":false})"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(ask(row.method, files(row.target), row.body)->answer->status, 200) << row.target;
    EXPECT_EQ(all->calls.back().path, row.path);
    EXPECT_EQ(all->calls.back().body, row.line);
    EXPECT_TRUE(all->calls.back().worker.empty());
  }
}

TEST_F(AppFiles, RangeGoesAlong) {
  serve();
  ask("GET", files("/content?path=a"), {}, {{"Range", "bytes=0-1"}});
  EXPECT_EQ(line()["range"].text(), "bytes=0-1");
}

TEST_F(AppFiles, HeadAsksForNoBytes) {
  serve();
  ask("HEAD", files("/content?path=a"), {}, {{"Range", "bytes=0-1"}});
  EXPECT_EQ(all->calls.back().path, "files/read");
  EXPECT_EQ(all->calls.back().body, R"({"path":"a","range":"bytes=0-1","head":true})");
  EXPECT_EQ(ask("PATCH", files("/content?path=a"))->header("Allow"), "GET, HEAD, PUT, DELETE");
}

TEST_F(AppFiles, AnswersAndErrorsAreTheApps) {
  serve();
  all->reply = {201, R"({"path":"a"})"};
  EXPECT_EQ(ask("PUT", files("/content?path=a"), "x")->answer->status, 201);
  all->reply = {204, {}};
  EXPECT_EQ(ask("DELETE", files("/content?path=a"))->answer->status, 204);
  all->reply = world::error_reply({errc::invalid_path, {}});
  auto refused = ask("GET", files("/content?path=a"));
  EXPECT_EQ(refused->answer->status, 400);
  EXPECT_EQ(refused->answer->content_type, "application/problem+json");
  EXPECT_EQ(code_of(*refused), "invalid_path");
  all->reply = world::error_reply({errc::file_conflict, "A reason."});
  EXPECT_THAT(ask("GET", files("/content?path=a"))->answer->body, HasSubstr("A reason."));
  all->reply = {500, "no json"};
  EXPECT_EQ(ask("GET", files("/content?path=a"))->answer->status, 500);
}

TEST_F(AppFiles, ContentIsStreamed) {
  serve();
  all->streams = true;
  auto http = ask("GET", files("/content?path=a"));
  EXPECT_EQ(http->answer->status, 206);
  EXPECT_EQ(http->header("ETag"), "\"v\"");
  EXPECT_EQ(http->answer->stream_length, 5u);
  EXPECT_NE(http->header("X-Request-Id"), "");
  EXPECT_EQ(http->sink->text, "bytes");
}

// BR-139: whatever its hand says on the way down, the session of a DELETE is an unknown one.
TEST_F(AppFiles, WhatMeetsTheDeletionOfItsSessionFindsNothing) {
  serve();
  auto unknown = ask("GET", "/v1/sessions/" + absent + "/files")->answer->body;
  all->meanwhile = [node = node, mine = mine] { node->owners.erase(mine); };
  for (auto reply : {world::error_reply({errc::shutting_down, {}}), world::error_reply({errc::hand_lost, {}}),
         world::error_reply({errc::world_no_hand, {}}), world::error_reply({errc::file_not_found, {}}),
         world::reply{200, R"({"entries":[]})"}, world::reply{201, "{}"}})
    for (const auto& [method, target] : {std::pair<std::string, std::string>{"PUT", "/content?path=a"},
           {"DELETE", "/content?path=a"}, {"GET", ""}}) {
      node->owners[mine] = {"dev_mine"};
      all->reply = reply;
      auto http = ask(method, files(target), method == "PUT" ? "x" : "");
      EXPECT_EQ(http->answer->status, 404) << method << reply.body;
      EXPECT_EQ(http->answer->body, unknown);
    }
}

TEST_F(AppFiles, AHandThatCannotBeHadForADeletedSessionIsNotFound) {
  publish(names::broker, sys.spawn([node = node, mine = mine](caf::event_based_actor*) -> caf::behavior {
    return {[=](begin_atom, const session_id&) -> caf::result<world_actor> {
      node->owners.erase(mine);
      return to_error({errc::world_no_hand, {}});
    }};
  }));
  EXPECT_EQ(code_of(*ask("PUT", files("/content?path=a"), "x")), "not_found");
  node->owners[mine] = {"dev_mine"};
  EXPECT_EQ(code_of(*ask("GET", files())), "not_found");
}

TEST_F(AppFiles, WithoutSandboxesTheWorkspaceIsEmpty) {
  publish(names::broker, sys.spawn(broker_of, world_actor{}, errc::world_no_hand));
  EXPECT_THAT(ask("GET", files())->answer->body, HasSubstr(R"("entries":[])"));
  EXPECT_EQ(code_of(*ask("GET", files("?path=a"))), "file_not_found");
  EXPECT_EQ(code_of(*ask("GET", files("/content?path=a"))), "file_not_found");
  EXPECT_EQ(code_of(*ask("GET", files("/content?path=../a"))), "invalid_path");
  EXPECT_EQ(ask("PUT", files("/content?path=a"), "x")->answer->status, 503);
}

TEST_F(AppFiles, BadRequestsAreToldBeforeTheWorldIsAsked) {
  serve();
  EXPECT_EQ(code_of(*ask("GET", files("/content"))), "bad_request");
  EXPECT_EQ(code_of(*ask("GET", files("?path=a&path=b"))), "bad_request");
  EXPECT_EQ(code_of(*ask("GET", files("/content?path=%ff"))), "invalid_path");
  EXPECT_EQ(code_of(*ask("DELETE", files("/content?path=a&recursive=2"))), "bad_request");
  EXPECT_EQ(code_of(*ask("POST", files("/mkdir"), "{")), "bad_json");
  EXPECT_EQ(code_of(*ask("POST", files("/mkdir"), "{}")), "bad_request");
  EXPECT_EQ(code_of(*ask("POST", files("/move"), R"({"from":"a","to":"b","replace":1})")), "bad_request");
  EXPECT_TRUE(all->calls.empty());
}

} // namespace agentpool::test
