// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/files.hpp"
#include "tests/support/world_fixture.hpp"

namespace agentpool::test {

namespace {

class Files : public WorldFixture {
protected:
  static std::string path(const std::string& text) { return json_object{}.add("path", text).str(); }
};

} // namespace

// BR-123: a link that leads out is refused, and nothing tells whether its target is there.
TEST_F(Files, WhatLeavesTheWorkspaceIsOneAnswer) {
  link->file("/etc/passwd", "root");
  link->symlink("/workspace/etc", "/etc");
  link->symlink("/workspace/gone", "/nowhere/at/all");
  link->symlink("/workspace/loop", "loop");
  link->symlink("/workspace/up", "../etc/passwd");
  link->directory("/workspace/d");
  link->symlink("/workspace/d/l", "/");
  const std::string paths[] = {"etc/passwd", "etc/missing", "gone", "loop", "loop/x", "up", "d/l/etc/passwd",
    "../etc/passwd", "/etc/passwd", "a/../../etc/passwd", std::string(4000, 'n'), std::string{"a\0b", 3}};
  std::string one;
  for (const auto& text : paths)
    for (auto what : {world::files_list, world::files_read, world::files_write, world::files_mkdir}) {
      auto out = ask(what, path(text), "x");
      EXPECT_EQ(out.reply->status, 400) << text.substr(0, 40);
      EXPECT_EQ(out.code(), "invalid_path") << text.substr(0, 40);
      one = one.empty() ? out.reply->body : one;
      EXPECT_EQ(out.reply->body, one);
    }
  EXPECT_EQ(link->content("/etc/passwd"), "root");
}

TEST_F(Files, LinksThatStayInsideAreFollowed) {
  link->file("/workspace/real/a", "12345");
  link->symlink("/workspace/way", "real");
  link->symlink("/workspace/abs", "/workspace/real/a");
  EXPECT_EQ(ask(world::files_read, path("way/a")).stream->sink->bytes, "12345");
  EXPECT_EQ(ask(world::files_read, path("abs")).stream->sink->bytes, "12345");
  EXPECT_EQ(ask(world::files_list, path("abs")).body()["size"].integer(), 5);
  ask(world::files_write, path("abs"), "new");
  EXPECT_EQ(link->content("/workspace/real/a"), "new");
  EXPECT_NE(link->find("/workspace/abs")->target, "");
}

// BR-125
TEST_F(Files, ListingShowsLinksAsLinks) {
  link->file("/workspace/b", "1");
  link->symlink("/workspace/a", ".");
  auto out = ask(world::files_list, path("")).body();
  EXPECT_EQ(out["path"].text(), "");
  ASSERT_EQ(out["entries"].size(), 2u);
  EXPECT_EQ(out["entries"].at(0)["name"].text(), "a");
  EXPECT_EQ(out["entries"].at(0)["type"].text(), "symlink");
  EXPECT_EQ(out["entries"].at(1)["type"].text(), "file");
  EXPECT_EQ(ask(world::files_list, path("missing")).code(), "file_not_found");
}

TEST_F(Files, RangesAreServed) {
  link->file("/workspace/a", "0123456789");
  auto part = ask(world::files_read, R"({"path":"a","range":"bytes=2-4"})");
  EXPECT_EQ(part.stream->head->status, 206);
  EXPECT_EQ(part.stream->sink->bytes, "234");
  EXPECT_EQ(part.stream->head->length, 3u);
  EXPECT_EQ(ask(world::files_read, R"({"path":"a","range":"bytes=99-"})").reply->status, 416);
  EXPECT_EQ(ask(world::files_read, R"({"path":"a","range":"lines=1"})").stream->head->status, 200);
}

TEST_F(Files, APartIsSentOnlyOfTheVersionThatWasAskedFor) {
  link->file("/workspace/a", "0123456789");
  auto part = [&](const std::string& etag) {
    return ask(world::files_read,
      json_object{}.add("path", "a").add("range", "bytes=2-4").add("if_range", etag).str());
  };
  auto etag = ask(world::files_read, path("a")).stream->head->headers.at(1).second;
  EXPECT_EQ(part(etag).stream->sink->bytes, "234");
  for (std::string other : {"\"another\"", "Mon, 30 Nov 2026 00:00:00 GMT"}) {
    auto whole = part(other);
    EXPECT_EQ(whole.stream->head->status, 200);
    EXPECT_EQ(whole.stream->sink->bytes, "0123456789");
  }
}

TEST_F(Files, AHeadHasTheHeadersAndReadsNothing) {
  link->file("/workspace/a", "0123456789");
  for (std::string range : {"", R"(,"range":"bytes=2-4")"}) {
    auto whole = ask(world::files_read, R"({"path":"a")" + range + "}");
    link->fault = [](const std::string& call, const auto&) -> std::optional<failure> {
      return call == "read" ? std::optional{failure{errc::envd_failed, "it was read"}} : std::nullopt;
    };
    auto head = ask(world::files_read, R"({"path":"a","head":true)" + range + "}");
    link->fault = nullptr;
    ASSERT_TRUE(head.stream->head);
    EXPECT_EQ(head.stream->head->status, whole.stream->head->status);
    EXPECT_EQ(head.stream->head->headers, whole.stream->head->headers);
    EXPECT_EQ(head.stream->head->length, range.empty() ? 10u : 3u);
    EXPECT_EQ(whole.stream->head->length, head.stream->head->length);
    EXPECT_EQ(head.stream->sink->bytes, "");
  }
  EXPECT_EQ(ask(world::files_read, R"({"path":"b","head":true})").code(), "file_not_found");
}

// The length is what the sandbox says as it opens the file, not what it had when it was looked at.
TEST_F(Files, AFileThatGrewIsSentAsItIs) {
  link->file("/workspace/a", "0123456789");
  link->fault = [this](const std::string& call, const auto&) -> std::optional<failure> {
    if (call == "read")
      link->file("/workspace/a", "0123456789more");
    return std::nullopt;
  };
  auto whole = ask(world::files_read, path("a"));
  EXPECT_EQ(whole.stream->head->length, 14u);
  EXPECT_EQ(whole.stream->sink->bytes.size(), 14u);
}

TEST_F(Files, APartOfAFileThatShrankKeepsTheBoundsThatWereTold) {
  link->file("/workspace/a", "0123456789");
  link->fault = [this](const std::string& call, const auto&) -> std::optional<failure> {
    if (call == "read")
      link->file("/workspace/a", "0123");
    return std::nullopt;
  };
  auto part = ask(world::files_read, R"({"path":"a","range":"bytes=2-7"})");
  EXPECT_EQ(part.stream->head->length, 6u) << "so that two bytes break the connection";
  EXPECT_EQ(part.stream->sink->bytes, "23");
}

// BR-124
TEST_F(Files, OddNamesComeBackExactly) {
  link->file("/workspace/--x \"中\n", "1");
  auto out = ask(world::files_read, path("--x \"中\n"));
  auto header = out.stream->head->headers.at(0).second;
  EXPECT_EQ(header, "attachment; filename=\"--x______\"; filename*=UTF-8''--x%20%22%E4%B8%AD%0A");
}

TEST_F(Files, ChangesAndTheirConflicts) {
  EXPECT_EQ(ask(world::files_write, path("d/a"), "one").reply->status, 201);
  EXPECT_EQ(link->find("/workspace/d/a")->mode, 0644u);
  EXPECT_EQ(ask(world::files_write, path("d/a"), "two").reply->status, 200);
  EXPECT_EQ(ask(world::files_write, path("d"), "x").reply->status, 409);
  EXPECT_EQ(ask(world::files_write, path(""), "x").reply->status, 409);
  EXPECT_EQ(ask(world::files_mkdir, path("e/f")).reply->status, 201);
  EXPECT_EQ(ask(world::files_mkdir, path("e/f")).reply->status, 200);
  EXPECT_EQ(ask(world::files_mkdir, path("d/a")).reply->status, 409);
  EXPECT_EQ(ask(world::files_read, path("d")).reply->status, 409);
  EXPECT_EQ(ask(world::files_delete, path("d")).reply->status, 409);
  EXPECT_EQ(ask(world::files_delete, path("")).reply->status, 400);
  EXPECT_EQ(ask(world::files_delete, path("missing")).reply->status, 404);
  EXPECT_EQ(ask(world::files_delete, path("d/a")).reply->status, 204);
  EXPECT_EQ(ask(world::files_delete, R"({"path":"e","recursive":true})").reply->status, 204);
  EXPECT_EQ(link->find("/workspace/e/f"), nullptr);
}

TEST_F(Files, OnlyADirectoryWithSomethingInItNeedsRecursive) {
  link->directory("/workspace/d");
  link->calls.clear();
  EXPECT_EQ(ask(world::files_delete, path("d")).reply->status, 204);
  EXPECT_EQ(link->find("/workspace/d"), nullptr);
  EXPECT_EQ(link->calls.back(), "rmdir /workspace/d");
  link->file("/workspace/e/f", "kept");
  auto full = ask(world::files_delete, path("e"));
  EXPECT_EQ(full.reply->status, 409);
  EXPECT_EQ(
    full.body()["message"].text(), "This directory is not empty; recursive=1 deletes it with all in it.");
  EXPECT_EQ(link->content("/workspace/e/f"), "kept");
}

// What is done is one step: what came between it and the look is not taken along.
TEST_F(Files, ADirectoryThatChangedSinceItWasLookedAtIsKept) {
  auto change = [this](std::function<void()> what) {
    link->fault = [what](const std::string& call, const auto&) -> std::optional<failure> {
      if (call == "rmdir")
        what();
      return std::nullopt;
    };
    link->directory("/workspace/d");
    return ask(world::files_delete, path("d")).code();
  };
  EXPECT_EQ(change([this] { link->file("/workspace/d/f", "new"); }), "file_conflict");
  EXPECT_EQ(link->content("/workspace/d/f"), "new");
  link->remove("/workspace/d", "user", {}, [](const result<void>&) {});
  EXPECT_EQ(change([this] { link->remove("/workspace/d", "user", {}, [](const result<void>&) {}); }),
    "file_not_found");
  EXPECT_EQ(change([this] { link->file("/workspace/d", "a file"); }), "file_conflict");
  EXPECT_EQ(link->content("/workspace/d"), "a file");
}

TEST_F(Files, ADeletionThatIsNotAnsweredIsUnknown) {
  link->directory("/workspace/d");
  for (const auto& [why, code] :
    {std::pair<failure, std::string>{{errc::outcome_unknown, {}}, "outcome_unknown"},
      {{errc::envd_exhausted, "no process can be started"}, "envd_exhausted"}}) {
    link->fault = [&](const std::string& call, const auto&) -> std::optional<failure> {
      return call == "rmdir" ? std::optional{why} : std::nullopt;
    };
    EXPECT_EQ(ask(world::files_delete, path("d")).code(), code);
  }
}

TEST_F(Files, AMoveReplacesOnlyWhenAsked) {
  link->file("/workspace/a", "a");
  link->file("/workspace/b", "b");
  link->symlink("/workspace/l", "a");
  link->directory("/workspace/d");
  EXPECT_EQ(ask(world::files_move, R"({"from":"a","to":"b"})").reply->status, 409);
  EXPECT_EQ(ask(world::files_move, R"({"from":"a","to":"d","replace":true})").reply->status, 409);
  EXPECT_EQ(ask(world::files_move, R"({"from":"d","to":"d/e"})").reply->status, 409);
  EXPECT_EQ(ask(world::files_move, R"({"from":"x","to":"y"})").reply->status, 404);
  EXPECT_EQ(ask(world::files_move, R"({"from":"a","to":"../y"})").reply->status, 400);
  EXPECT_EQ(ask(world::files_move, R"({"from":"l","to":"l2"})").reply->status, 200);
  EXPECT_NE(link->find("/workspace/l2")->target, "");
  EXPECT_EQ(ask(world::files_move, R"({"from":"a","to":"b","replace":true})").reply->status, 200);
  EXPECT_EQ(link->content("/workspace/b"), "a");
}

TEST_F(Files, ADeleteTakesTheLinkNotItsTarget) {
  link->file("/workspace/a", "a");
  link->symlink("/workspace/l", "a");
  link->symlink("/workspace/out", "/tmp");
  EXPECT_EQ(ask(world::files_delete, path("l")).reply->status, 204);
  EXPECT_EQ(ask(world::files_delete, path("out")).reply->status, 204);
  EXPECT_EQ(link->content("/workspace/a"), "a");
  EXPECT_NE(link->find("/tmp"), nullptr);
}

TEST_F(Files, AnUploadIsPublishedWhole) {
  link->file("/workspace/a", "old");
  std::string large(300 * 1024, 'x');
  EXPECT_EQ(ask(world::files_write, path("a"), large).reply->status, 200);
  EXPECT_EQ(link->content("/workspace/a"), large);
  link->fault = [](const std::string& call, const auto&) -> std::optional<failure> {
    return call == "write" ? std::optional{failure{errc::envd_no_space, {}}} : std::nullopt;
  };
  EXPECT_EQ(ask(world::files_write, path("a"), large + "y").reply->status, 507);
  EXPECT_EQ(link->content("/workspace/a"), large);
}

// The sandbox names the file under which an upload is staged.
TEST_F(Files, AFailedUploadIsToldInTheAppsWords) {
  std::string large(300 * 1024, 'x');
  auto refuse = [&](errc code) {
    link->fault = [code](const std::string& call, const std::string& staged) -> std::optional<failure> {
      if (call != "write")
        return std::nullopt;
      return failure{code, "error writing file '" + staged + "': not enough disk space available"};
    };
    return ask(world::files_write, path("d/a"), large).body()["message"].text_or("");
  };
  EXPECT_EQ(refuse(errc::envd_no_space), describe(errc::envd_no_space).text);
  EXPECT_EQ(refuse(errc::envd_failed), "error writing file 'd/a': not enough disk space available");
}

TEST_F(Files, APublicationThatFailsLeavesNothingBesideTheFile) {
  link->file("/workspace/a", "old");
  auto full = "no process can be started in the sandbox: all 480 of its processes are in use";
  for (const auto& [why, status] :
    {std::pair<failure, int>{{errc::envd_exhausted, full}, 429}, {{errc::outcome_unknown, {}}, 502}}) {
    link->fault = [&](const std::string& call, const auto&) -> std::optional<failure> {
      return call == "publish" ? std::optional{why} : std::nullopt;
    };
    for (const auto& content : {std::string{"small"}, std::string(300 * 1024, 'x')}) {
      auto out = ask(world::files_write, path("a"), content);
      EXPECT_EQ(out.reply->status, status);
      EXPECT_EQ(out.code(), to_string(why.code));
      EXPECT_EQ(link->content("/workspace/a"), "old");
      EXPECT_EQ(link->names("/workspace"), std::vector<std::string>{"a"});
      EXPECT_TRUE(link->calls.back().starts_with("remove /workspace/.agentpool-")) << link->calls.back();
    }
  }
}

} // namespace agentpool::test
