// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/network_mount.hpp"
#include "sandboxd/envd/watch_tree.hpp"
#include "tests/net/temp_dir.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sys/inotify.h>

namespace agentpool::envd {

namespace fs = std::filesystem;
using enum file_change;

namespace {

class WatchTreeTest : public testing::Test {
protected:
  using seen = std::vector<std::pair<std::string, file_change>>;

  seen read(watch_tree& tree) {
    std::vector<file_event> events;
    whole_ = tree.read(events);
    seen out;
    for (const auto& one : events)
      out.emplace_back(one.name, one.type);
    return out;
  }
  void write(const std::string& name) { std::ofstream{dir_.path() + "/" + name} << "x"; }

  net::test::temp_dir dir_;
  bool whole_ = true;
};

} // namespace

TEST(WatchEvents, OperationsOfOneNotificationHaveAnOrder) {
  EXPECT_EQ(changes_of(IN_DELETE | IN_MODIFY | IN_ATTRIB | IN_MOVED_FROM | IN_CREATE),
    (std::vector{create, rename, chmod, write, remove}));
  EXPECT_EQ(changes_of(IN_MOVED_TO | IN_ISDIR), std::vector{create});
  EXPECT_EQ(changes_of(IN_MOVE_SELF), std::vector{rename});
  EXPECT_EQ(changes_of(IN_DELETE_SELF), std::vector{remove});
  EXPECT_TRUE(changes_of(IN_IGNORED | IN_UNMOUNT).empty());
}

TEST_F(WatchTreeTest, WhatIsInANewDirectoryIsToldOnce) {
  auto tree = watch_tree::open(dir_.path(), true);
  ASSERT_TRUE(tree);
  fs::create_directories(dir_.path() + "/a/b");
  write("a/f");
  auto told = read(*tree);
  EXPECT_EQ(told.front(), (seen::value_type{"a", create}));
  std::ranges::sort(told);
  EXPECT_EQ(told, (seen{{"a", create}, {"a/b", create}, {"a/f", create}, {"a/f", file_change::write}}));
  write("a/b/g");
  EXPECT_EQ(read(*tree), (seen{{"a/b/g", create}, {"a/b/g", file_change::write}}));
}

TEST_F(WatchTreeTest, ADirectoryThatMovesBeforeItIsWatchedIsFound) {
  auto tree = watch_tree::open(dir_.path(), true);
  fs::create_directory(dir_.path() + "/a");
  fs::rename(dir_.path() + "/a", dir_.path() + "/b");
  EXPECT_EQ(read(*tree), (seen{{"a", create}, {"a", rename}, {"b", create}}));
  write("b/f");
  EXPECT_EQ(read(*tree), (seen{{"b/f", create}, {"b/f", file_change::write}}));
}

TEST_F(WatchTreeTest, LinksToDirectoriesAreNotFollowed) {
  auto tree = watch_tree::open(dir_.path(), true);
  net::test::temp_dir other;
  fs::create_directory_symlink(other.path(), dir_.path() + "/link");
  EXPECT_EQ(read(*tree), (seen{{"link", create}}));
  std::ofstream{other.path() + "/f"} << "x";
  EXPECT_TRUE(read(*tree).empty());
}

TEST_F(WatchTreeTest, AFullQueueIsALoss) {
  auto tree = watch_tree::open(dir_.path(), false);
  size_t most = 0;
  std::ifstream{"/proc/sys/fs/inotify/max_queued_events"} >> most;
  for (size_t i = 0; i <= most / 2; ++i) {
    fs::create_directory(dir_.path() + "/d");
    fs::remove(dir_.path() + "/d");
  }
  EXPECT_GE(read(*tree).size(), most);
  EXPECT_FALSE(whole_);
  write("f");
  EXPECT_EQ(read(*tree).size(), 2u);
  EXPECT_TRUE(whole_);
}

TEST(NetworkMount, FilesystemsOfOthersAreKnown) {
  for (uint64_t type : {0x6969u, 0xff534d42u, 0xfe534d42u, 0x517bu, 0x65735546u, 0x01021997u})
    EXPECT_TRUE(is_network_type(type)) << type;
  for (uint64_t type : {0xef53u, 0x01021994u, 0x794c7630u, 0x9123683eu, 0x58465342u})
    EXPECT_FALSE(is_network_type(type)) << type;
  EXPECT_FALSE(on_network_mount("/proc"));
  EXPECT_FALSE(on_network_mount("/no/such"));
}

} // namespace agentpool::envd
