// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/facts.hpp"
#include "tests/support/world_fixture.hpp"

namespace agentpool::test {

namespace {

class Probes : public WorldFixture {
protected:
  std::string path_of(const std::string& path) {
    auto out = ask(world::resolve, json_object{}.add("path", path).str());
    return out.reply->status == 200 ? out.body()["path"].text_or("") : out.code();
  }
  json stat_of(const std::string& path) {
    return ask(world::stat, json_object{}.add("path", path).str()).body();
  }
};

} // namespace

TEST_F(Probes, ResolveFoldsLinksInOneWaveWithoutAProcess) {
  link->file("/workspace/real/a.txt", "x");
  link->symlink("/workspace/way", "real");
  link->symlink("/workspace/far", "/workspace/way/a.txt");
  link->symlink("/workspace/dangling", "nowhere");
  link->symlink("/workspace/loop", "loop");
  struct row {
    std::string path, out;
  };
  const row rows[] = {
    {"real/a.txt", "/workspace/real/a.txt"},
    {"way/a.txt", "/workspace/real/a.txt"},
    {"way/./../way/new/b", "/workspace/real/new/b"},
    {"far", "/workspace/real/a.txt"},
    {"dangling", "/workspace/dangling"},
    {"dangling/below", "/workspace/dangling/below"},
    {"loop", "/workspace/loop"},
    {"missing/deep/er", "/workspace/missing/deep/er"},
    {"real/a.txt/below", "FS_NOT_FOUND"},
    {"far/below", "FS_NOT_FOUND"},
    {"/", "/"},
    {"  ", "FS_NOT_FOUND"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(path_of(row.path), row.out) << row.path;
  for (const auto& call : link->calls)
    EXPECT_TRUE(call.starts_with("stat ")) << call;
}

TEST_F(Probes, ResolveKeepsTheLexicalPathForDisplay) {
  link->symlink("/workspace/way", "/tmp");
  auto out = ask(world::resolve, R"({"path":"../way/./x","cwd":"/workspace/sub"})").body();
  EXPECT_EQ(out["path"].text(), "/tmp/x");
  EXPECT_EQ(out["display"].text(), "/workspace/way/x");
}

TEST_F(Probes, StatFollowsAndLstatDoesNot) {
  link->file("/workspace/a", "12345");
  link->symlink("/workspace/l", "a");
  link->symlink("/workspace/dangling", "x");
  link->put("/workspace/pipe", {.type = ports::entry_type::other});
  auto plain = stat_of("/workspace/a");
  EXPECT_EQ(plain["type"].text(), "file");
  EXPECT_EQ(plain["size"].integer(), 5);
  auto followed = stat_of("/workspace/l");
  EXPECT_EQ(followed["type"].text(), "file");
  EXPECT_EQ(followed["size"].integer(), 5);
  EXPECT_EQ(ask(world::lstat, R"({"path":"l"})").body()["type"].text(), "symlink");
  EXPECT_EQ(stat_of("/workspace/dangling")["found"].boolean(), false);
  EXPECT_EQ(ask(world::lstat, R"({"path":"dangling"})").body()["found"].boolean(), true);
  EXPECT_EQ(stat_of("/workspace/pipe")["type"].text(), "other");
  EXPECT_EQ(stat_of("/workspace/a/below")["found"].boolean(), false);
  EXPECT_EQ(stat_of("/nothing")["found"].boolean(), false);
  EXPECT_EQ(ask(world::lstat, R"({"path":"/"})").body()["type"].text(), "directory");
}

TEST_F(Probes, VersionIsStableAndTheSameForLstat) {
  link->file("/workspace/a", "12345");
  auto first = stat_of("/workspace/a")["version"].text_or("");
  EXPECT_EQ(stat_of("/workspace/a")["version"].text(), first);
  EXPECT_EQ(ask(world::lstat, R"({"path":"a"})").body()["version"].text(), first);
  link->file("/workspace/a", "54321");
  EXPECT_NE(stat_of("/workspace/a")["version"].text(), first);
}

TEST_F(Probes, ListIsOrderedByBytesAndResolvesLinks) {
  link->file("/workspace/b", "1");
  link->file("/workspace/B", "22");
  link->directory("/workspace/dir");
  link->symlink("/workspace/lk", "dir");
  link->symlink("/workspace/zz", "gone");
  auto entries = ask(world::list, R"({"path":"/workspace"})").body()["entries"];
  ASSERT_EQ(entries.size(), 5u);
  const char* names[] = {"B", "b", "dir", "lk", "zz"};
  for (size_t i = 0; i < 5; ++i)
    EXPECT_EQ(entries.at(i)["name"].text(), names[i]);
  EXPECT_EQ(entries.at(0)["size"].integer(), 2);
  EXPECT_EQ(entries.at(0)["version"].text(), stat_of("/workspace/B")["version"].text());
  EXPECT_EQ(entries.at(3)["path"].text(), "/workspace/dir");
  EXPECT_EQ(entries.at(3)["type"].text(), "directory");
  EXPECT_TRUE(entries.at(3)["version"].missing());
  EXPECT_EQ(entries.at(4)["type"].text(), "other");
  EXPECT_EQ(entries.at(4)["path"].text(), "/workspace/zz");
}

TEST_F(Probes, ListOfWhatIsNoDirectory) {
  link->file("/workspace/a", "1");
  EXPECT_EQ(ask(world::list, R"({"path":"/workspace/a"})").code(), "FS_NOT_DIRECTORY");
  EXPECT_EQ(ask(world::list, R"({"path":"/workspace/x"})").code(), "FS_NOT_FOUND");
}

TEST_F(Probes, BadBodiesAreTheCallersFault) {
  for (auto body : {R"({})", R"({"path":1})", R"({"path":"a","cwd":"rel"})", R"({"path":"a\u0000b"})"})
    EXPECT_EQ(ask(world::resolve, body).code(), "bad_request") << body;
  EXPECT_EQ(ask(world::stat, R"({"path":"relative"})").code(), "bad_request");
  EXPECT_TRUE(link->calls.empty());
}

TEST_F(Probes, FailuresOfTheHandAreNamed) {
  struct row {
    errc code;
    std::string detail, out;
    hand_outcome outcome;
  };
  const row rows[] = {
    {errc::hand_unreachable, "curl 10.0.0.7: refused", "WORLD_TIMEOUT", hand_outcome::broken},
    {errc::hand_stopped, "", "WORLD_LOST", hand_outcome::gone},
    {errc::hand_lost, "The sandbox was rebuilt.", "WORLD_LOST", hand_outcome::done},
    {errc::cancelled, "", "WORLD_LOST", hand_outcome::done},
    {errc::envd_failed, "lstat /x: permission denied", "FS_PERMISSION_DENIED", hand_outcome::done},
    {errc::envd_failed, "lstat /x: file name too long", "FS_IO_ERROR", hand_outcome::done},
    {errc::provider_nonsense, "http://h/", "WORLD_NO_HAND", hand_outcome::broken},
    {errc::hand_damaged, "invalid username: 'user'", "WORLD_LOST", hand_outcome::broken},
  };
  for (const auto& row : rows) {
    link->fault = [&](const auto&, const auto&) { return failure{row.code, row.detail}; };
    auto out = ask(world::stat, R"({"path":"/workspace/a"})");
    EXPECT_EQ(out.code(), row.out) << row.detail;
    EXPECT_EQ(out.reply->body.find("10.0.0.7"), std::string::npos);
    EXPECT_EQ(given_back.back(), row.outcome) << row.detail;
  }
}

} // namespace agentpool::test
