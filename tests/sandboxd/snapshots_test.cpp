// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/unique_fd.hpp"
#include "sandboxd/control/snapshots.hpp"
#include "sandboxd/files.hpp"
#include "sandboxd/isolation/disk.hpp"
#include "tests/net/temp_dir.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace agentpool::sandboxd {
namespace {

namespace fs = std::filesystem;

snapshot made(
  const std::string& id, const std::string& name, int64_t at, const std::string& team = "default") {
  snapshot out;
  out.id = id;
  out.name = name;
  out.created_at = at;
  out.of.id = "i" + id;
  out.of.team = team;
  out.of.template_id = "base";
  out.of.first_id = 65'536;
  return out;
}

TEST(Snapshot, ComesBackAsItWasWritten) {
  auto written = made("s1", "tool", 7);
  auto read = parse_snapshot_record(snapshot_record_json(written));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(snapshot_record_json(*read), snapshot_record_json(written));
  for (auto text : {"", "{}", R"({"id":"s"})"})
    EXPECT_FALSE(parse_snapshot_record(text)) << text;
}

TEST(Snapshot, NamesOfTemplates) {
  EXPECT_EQ(parse_template_name("base")->name, "base");
  EXPECT_EQ(parse_template_name("base:default")->name, "base");
  EXPECT_EQ(parse_template_name("team/tool:default")->team, "team");
  EXPECT_EQ(parse_template_name("team/tool")->name, "tool");
  for (auto text : {"", ":default", "/x", "a/b/c", "base:v2", "team/"})
    EXPECT_FALSE(parse_template_name(text)) << text;
}

TEST(SnapshotStore, LoadsWhatIsWholeAndRemovesTheRest) {
  net::test::temp_dir dir;
  snapshot_store store{dir.path()};
  fs::create_directories(store.folder_of("s1"));
  fs::create_directories(store.folder_of("half"));
  ASSERT_TRUE(write_whole(dir.path() + "/.fork-1", "x", 0600));
  ASSERT_TRUE(store.write(made("s1", "tool", 7)));
  EXPECT_TRUE(store.load().empty());
  EXPECT_NE(store.find("default", "tool"), nullptr);
  EXPECT_NE(store.find("default", "s1"), nullptr);
  EXPECT_EQ(store.find("other", "tool"), nullptr);
  EXPECT_EQ(store.find("default", ""), nullptr);
  EXPECT_FALSE(fs::exists(store.folder_of("half")));
  EXPECT_FALSE(fs::exists(dir.path() + "/.fork-1"));
}

TEST(SnapshotStore, PagesAreNewestFirstAndPerTeam) {
  snapshot_store store{"/nowhere"};
  for (int i = 0; i < 5; ++i)
    store.add(made("s" + std::to_string(i), "", 100 + i / 2, i == 4 ? "other" : "default"));
  e2b::snapshots_query query;
  query.limit = 3;
  auto first = store.select("default", query);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->rows.size(), 3u);
  EXPECT_EQ(first->rows.front().id, "s3:default");
  query.next_token = first->next_token;
  auto second = store.select("default", query);
  ASSERT_TRUE(second);
  ASSERT_EQ(second->rows.size(), 1u);
  EXPECT_EQ(second->rows.front().id, "s0:default");
  EXPECT_TRUE(second->next_token.empty());
}

TEST(Disk, ACopyHasTheDataAndTheHoles) {
  net::test::temp_dir dir;
  auto from = dir.path() + "/from", to = dir.path() + "/to";
  constexpr off_t size = 64 << 20;
  net::unique_fd file{::open(from.c_str(), O_RDWR | O_CREAT, 0600)};
  ASSERT_EQ(::ftruncate(file.get(), size), 0);
  for (off_t at : {off_t{0}, off_t{10 << 20}, size - 4})
    ASSERT_EQ(::pwrite(file.get(), "data", 4, at), 4);
  auto copied = copy_disk(from, to, true);
  ASSERT_TRUE(copied) << copied.error().text();
  struct stat found {};
  ASSERT_EQ(::stat(to.c_str(), &found), 0);
  EXPECT_EQ(found.st_size, size);
  EXPECT_LT(found.st_blocks * 512, size / 4);
  net::unique_fd copy{::open(to.c_str(), O_RDONLY)};
  char text[4];
  for (off_t at : {off_t{0}, off_t{10 << 20}, size - 4}) {
    ASSERT_EQ(::pread(copy.get(), text, 4, at), 4);
    EXPECT_EQ(std::string(text, 4), "data");
  }
  EXPECT_FALSE(copy_disk(from, to, false)) << "what is there is not replaced";
  EXPECT_FALSE(copy_disk(dir.path() + "/none", dir.path() + "/x", false));
}

} // namespace
} // namespace agentpool::sandboxd
