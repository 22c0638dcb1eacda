// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/files.hpp"
#include "sandboxd/isolation/user_files.hpp"
#include "tests/net/temp_dir.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>

namespace agentpool::sandboxd {
namespace {

namespace fs = std::filesystem;
using paths = std::vector<std::string>;

class UserFiles : public ::testing::Test {
protected:
  UserFiles() { fs::create_directory(etc()); }

  std::string at(const std::string& path) const { return dir_.path() + "/" + path; }
  std::string etc(const std::string& name = "") const { return at("etc" + (name.empty() ? "" : "/" + name)); }
  void write(const std::string& path, const std::string& text) { ASSERT_TRUE(write_whole(path, text, 0644)); }
  paths renamed() const { return set_aside_unusable(dir_.path()).value(); }
  size_t entries(const std::string& folder) const {
    return static_cast<size_t>(std::distance(fs::directory_iterator{folder}, {}));
  }

  net::test::temp_dir dir_;
};

TEST_F(UserFiles, StayWhenTheyCanBeRead) {
  EXPECT_EQ(renamed(), paths{}); // none is fine too
  write(etc("group"), "root:x:0:\n" + std::string(30'000, 'x'));
  write(at("other"), "root:x:0:0::/root:/bin/sh\n");
  fs::create_symlink("/other", etc("passwd")); // in the root, not on this machine
  EXPECT_EQ(renamed(), paths{});
  EXPECT_TRUE(fs::is_symlink(etc("passwd")));
}

TEST_F(UserFiles, AreRenamedWhenTheyWouldHoldTheRuntime) {
  ::mkfifo(etc("passwd").c_str(), 0644);
  write(etc("group"), std::string(40'000, 'x'));
  EXPECT_EQ(renamed(), (paths{"/etc/passwd", "/etc/group"}));
  EXPECT_FALSE(fs::exists(etc("passwd")) || fs::exists(etc("group")));
  EXPECT_EQ(entries(etc()), 2u);
  EXPECT_EQ(renamed(), paths{});
}

TEST_F(UserFiles, AreRenamedWhenTheyAreNoFiles) {
  fs::create_directory(etc("passwd"));
  fs::create_symlink("/dev/zero", etc("group")); // nowhere yet
  EXPECT_EQ(renamed(), (paths{"/etc/passwd", "/etc/group"}));
  EXPECT_EQ(entries(etc()), 2u);
}

TEST_F(UserFiles, AFolderThatLeadsNowhereIsRenamed) {
  fs::remove(etc());
  EXPECT_EQ(renamed(), paths{});
  fs::create_symlink("/proc/self/cwd", etc());
  EXPECT_EQ(renamed(), paths{"/etc"});
  EXPECT_EQ(entries(at("")), 1u);
  EXPECT_EQ(renamed(), paths{});
}

TEST_F(UserFiles, AFolderElsewhereIsFollowedInsideTheRoot) {
  fs::rename(etc(), at("etc2"));
  fs::create_symlink("/etc2", etc());
  EXPECT_EQ(renamed(), paths{});
  ::mkfifo(at("etc2/passwd").c_str(), 0644);
  EXPECT_EQ(renamed(), paths{"/etc/passwd"});
  write(at("file"), "");
  fs::remove(etc());
  fs::rename(at("file"), etc());
  EXPECT_EQ(renamed(), paths{});
}

} // namespace
} // namespace agentpool::sandboxd
