// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/world.hpp"
#include "tests/protocol/wire/hostile_texts.hpp"

#include <gtest/gtest.h>

namespace agentpool::world {
namespace {

constexpr std::string_view probes[] = {"fs/resolve", "fs/stat", "fs/lstat", "fs/list", "fs/read"};

reply ask(std::string_view path, std::string_view body) {
  call request;
  request.path = path;
  request.body = body;
  auto answer = absent_hand(request);
  EXPECT_TRUE(answer) << path;
  return answer.value_or(reply{0, {}});
}

reply ask_path(std::string_view route, std::string_view path) {
  return ask(route, json_object{}.add("path", path).str());
}

void expect_error(const reply& answer, int status, std::string_view code) {
  EXPECT_EQ(answer.status, status) << answer.body;
  EXPECT_EQ(code_of(answer), code);
  auto body = json::parse(answer.body);
  EXPECT_TRUE(body && (*body)["message"].text()) << answer.body;
}

TEST(WorldErrors, HaveTheStatusOfTheirRow) {
  for (const auto& row : error_table())
    expect_error(error_reply({row.code, {}}), row.http_status, row.name);
  EXPECT_EQ(error_reply({errc::foreign_session, "a \"b\""}).body,
    R"({"code":"foreign_session","message":"a \"b\""})");
}

TEST(WorldErrors, FsCodesHaveTheStatusOfTheDocument) {
  expect_error(coded_error("FS_NOT_FOUND", "x"), 404, "FS_NOT_FOUND");
  expect_error(coded_error("FS_NOT_DIRECTORY", "x"), 404, "FS_NOT_DIRECTORY");
  expect_error(coded_error("FS_STALE_VERSION", "x"), 409, "FS_STALE_VERSION");
  expect_error(coded_error("FS_AMBIGUOUS_EDIT", "x"), 422, "FS_AMBIGUOUS_EDIT");
  expect_error(coded_error("FS_TOO_LARGE", "x"), 413, "FS_TOO_LARGE");
  expect_error(coded_error("FS_PERMISSION_DENIED", "x"), 403, "FS_PERMISSION_DENIED");
  expect_error(coded_error("FS_IO_ERROR", "x"), 500, "FS_IO_ERROR");
  expect_error(coded_error("FS_WHAT", "\"\n"), 500, "FS_WHAT");
}

TEST(AbsentHand, ResolvesLexically) {
  struct row {
    std::string_view path, cwd, right;
  };
  const row table[] = {
    {"/workspace/a", "", "/workspace/a"},
    {"a/b.txt", "", "/workspace/a/b.txt"},
    {"a", "/tmp/x", "/tmp/x/a"},
    {"/a", "/tmp/x", "/a"},
    {".", "", "/workspace"},
    {"..", "", "/"},
    {"../../../..", "", "/"},
    {"/", "", "/"},
    {"//a///b/", "", "/a/b"},
    {"/a/./b/../c", "", "/a/c"},
    {"/..a/...", "", "/..a/..."},
    {"é 😀", "/w", "/w/é 😀"},
    {" a ", "", "/workspace/ a "},
  };
  for (const auto& [path, cwd, right] : table) {
    auto answer = ask("fs/resolve", json_object{}.add("path", path).add_if("cwd", cwd).str());
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, json_object{}.add("path", right).add("display", right).str());
  }
  for (auto path : {"", " ", "\t\n"})
    expect_error(ask_path("fs/resolve", path), 404, "FS_NOT_FOUND");
}

TEST(AbsentHand, WorkspaceAndRootAreDirectoriesWithOneVersion) {
  for (auto route : {"fs/stat", "fs/lstat"}) {
    auto first = ask_path(route, "/workspace");
    EXPECT_EQ(first.status, 200);
    auto body = *json::parse(first.body);
    EXPECT_EQ(body["found"].boolean(), true);
    EXPECT_EQ(body["type"].text(), "directory");
    EXPECT_FALSE(body["version"].text_or("").empty());
    EXPECT_TRUE(body["size"].missing());
    EXPECT_EQ(ask_path(route, "/workspace").body, first.body);
    EXPECT_EQ(ask_path(route, "/").body, first.body);
    EXPECT_EQ(ask_path(route, "/workspace/").body, first.body);
    for (auto path :
      {"/workspace/.git", "/workspace/AGENTS.md", "/work", "/workspaces", "/root/.agents", "/etc"})
      EXPECT_EQ(ask_path(route, path).body, R"({"found":false})") << path;
  }
  EXPECT_EQ(
    ask("fs/lstat", R"({"path":"workspace","cwd":"/"})").body, ask_path("fs/stat", "/workspace").body);
  EXPECT_EQ(ask_path("fs/lstat", "").body, R"({"found":false})");
}

TEST(AbsentHand, ListsAnEmptyWorkspace) {
  EXPECT_EQ(ask_path("fs/list", "/workspace").body, R"({"entries":[]})");
  auto root = *json::parse(ask_path("fs/list", "/").body);
  ASSERT_EQ(root["entries"].size(), 1u);
  auto entry = root["entries"].at(0);
  EXPECT_EQ(entry["name"].text(), "workspace");
  EXPECT_EQ(entry["path"].text(), "/workspace");
  EXPECT_EQ(entry["type"].text(), "directory");
  EXPECT_EQ(
    entry["version"].text(), (*json::parse(ask_path("fs/stat", "/workspace").body))["version"].text());
  expect_error(ask_path("fs/list", "/workspace/src"), 404, "FS_NOT_FOUND");
  expect_error(ask_path("fs/list", "/etc"), 404, "FS_NOT_FOUND");
}

TEST(AbsentHand, NothingCanBeRead) {
  expect_error(ask_path("fs/read", "/workspace/a"), 404, "FS_NOT_FOUND");
  expect_error(ask("fs/read", R"({"path":"/a","offset":0,"length":1,"max_bytes":0})"), 404, "FS_NOT_FOUND");
  for (auto path : {"/", "/workspace"})
    expect_error(ask_path("fs/read", path), 422, "FS_NOT_REGULAR_FILE");
}

TEST(AbsentHand, WhatNeedsASandboxFailsWithOneSentence) {
  for (auto route : {"fs/write", "fs/edit", "process/resolve", "process/spawn", "process/stdin",
         "process/terminate", "terminal/environment", "terminal/spawn", "terminal/write", "terminal/resize",
         "terminal/foreground", "terminal/signal", "terminal/terminate"})
    for (auto body : {"{}", "", "{\"path\":\"/a\"}\nraw \xFF bytes", "["}) {
      auto answer = ask(route, body);
      expect_error(answer, 503, "WORLD_NO_HAND");
      EXPECT_EQ((*json::parse(answer.body))["message"].text(),
        "No sandboxes are configured on this server; tools that need one run when its operator names a "
        "provider "
        "in [hands].");
    }
}

TEST(AbsentHand, CancelFindsNothingToCancel) {
  EXPECT_EQ(ask("cancel", R"({"request":1})").status, 200);
  EXPECT_EQ(ask("cancel", R"({"request":1})").body, "{}");
  for (auto body : {"{}", R"({"request":0})", R"({"request":"1"})", R"({"request":1.5})"})
    expect_error(ask("cancel", body), 400, "bad_request");
}

TEST(SteadyProbe, TheWorkspaceAndItsParentsAreDirectories) {
  auto asked = [](std::string_view route, std::string_view path) {
    call request;
    request.path = route;
    request.body = json_object{}.add("path", path).str();
    return steady_probe(request);
  };
  for (auto path : {"/", "/workspace", ".", "/workspace/x/.."}) {
    ASSERT_TRUE(asked("fs/resolve", path)) << path;
    EXPECT_EQ(asked("fs/resolve", path)->status, 200);
    EXPECT_EQ((*json::parse(asked("fs/lstat", path)->body))["type"].text(), "directory");
  }
  EXPECT_EQ((*json::parse(asked("fs/stat", "/workspace")->body))["type"].text(), "directory");
  for (auto path : {"/workspace/a", "/etc", ""})
    EXPECT_FALSE(asked("fs/stat", path)) << path;
  EXPECT_FALSE(asked("fs/list", "/workspace"));
  EXPECT_FALSE(asked("fs/read", "/workspace"));
}

TEST(AbsentHand, OtherPathsAreNotItsOwn) {
  for (auto path : {"exchange", "session", "live", "", "fs", "fs/", "fs/stat/", "/fs/stat", "fs/watch",
         "FS/stat", "process", "process/list", "terminal/", "../fs/stat"}) {
    call request;
    request.path = path;
    request.body = R"({"path":"/workspace"})";
    EXPECT_FALSE(absent_hand(request)) << path;
  }
}

TEST(AbsentHand, WrongBodiesAreBadRequests) {
  using namespace std::string_literals;
  for (auto route : probes) {
    for (const auto& text : tests::hostile_texts())
      expect_error(ask(route, text), 400, "bad_request");
    for (const auto& value : tests::values_of_all_types()) {
      expect_error(ask(route, value), 400, "bad_request");
      if (value.front() != '"')
        expect_error(ask(route, "{\"path\":" + value + "}"), 400, "bad_request");
    }
    expect_error(ask_path(route, "/a\0b"s), 400, "bad_request");
    expect_error(ask_path(route, "/" + std::string(4096, 'a')), 400, "bad_request");
    EXPECT_NE(ask_path(route, "/" + std::string(4095, 'a')).status, 400);
    tests::for_each_prefix(R"({"path":"/workspace/a","cwd":"/"})",
      [&](std::string_view text) { expect_error(ask(route, text), 400, "bad_request"); });
  }
  for (auto route : {"fs/stat", "fs/list", "fs/read"})
    expect_error(ask_path(route, "relative"), 400, "bad_request");
}

TEST(AbsentHand, WrongMembersAreBadRequests) {
  for (const auto& value : tests::values_of_all_types()) {
    for (auto route : {"fs/resolve", "fs/lstat"})
      expect_error(ask(route, R"({"path":"a","cwd":)" + value + "}"), 400, "bad_request");
    for (auto member : {"offset", "length", "max_bytes"})
      if (value != "0" && value != "null") // null is a member that is left out
        expect_error(ask("fs/read", R"({"path":"/a",")" + std::string{member} + "\":" + value + "}"), 400,
          "bad_request");
  }
}

TEST(AbsentHand, ByteChangesKeepAnswersJson) {
  for (auto route : probes)
    tests::for_each_byte_change(R"({"path":"a/../b\n","cwd":"/w"})",
      [&](std::string_view text) { EXPECT_TRUE(json::parse(ask(route, text).body)) << text; });
}

} // namespace
} // namespace agentpool::world
