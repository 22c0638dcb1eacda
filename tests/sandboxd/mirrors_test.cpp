// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/files.hpp"
#include "sandboxd/isolation/mirrors.hpp"
#include "tests/net/temp_dir.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace agentpool::sandboxd {
namespace {

namespace fs = std::filesystem;

const mirrors all{"http://m/python", "https://m/node/", "http://m/system", "http://m/security"};

TEST(Mirrors, AreFilesThatTheirProgramsRead) {
  EXPECT_TRUE(mirror_files({}).empty());
  auto files = mirror_files(all);
  EXPECT_EQ(files["etc/xdg/pip/pip.conf"], "[global]\nindex-url = http://m/python\n");
  EXPECT_EQ(files["etc/npmrc"], "registry=https://m/node/\n");
  EXPECT_EQ(files["etc/apt/sources.list"], "deb http://m/system bookworm main\n"
                                           "deb http://m/system bookworm-updates main\n"
                                           "deb http://m/security bookworm-security main\n");
}

TEST(Mirrors, AreUrls) {
  EXPECT_TRUE(check_mirrors(all));
  EXPECT_TRUE(check_mirrors({}));
  for (auto text : {"m/simple", "ftp://m", "http://m\nx", "http://m x", "file:///etc", "http://\xc3\xa9"})
    EXPECT_FALSE(check_mirrors({text, "", "", ""})) << text;
  EXPECT_FALSE(check_mirrors({"", "", "", "http://m"}));
}

// A template's link must not lead to a file of this machine.
TEST(Mirrors, ReplaceTheTemplatesOwnInsideItsRoot) {
  net::test::temp_dir dir;
  auto root = dir.path() + "/root", outside = dir.path() + "/outside";
  fs::create_directories(root + "/etc/apt");
  fs::create_directories(outside);
  ASSERT_TRUE(write_whole(outside + "/npmrc", "kept", 0644));
  fs::create_symlink(outside + "/npmrc", root + "/etc/npmrc");
  fs::create_directory_symlink(outside, root + "/etc/xdg");
  EXPECT_FALSE(write_mirrors(root, all, ::getuid()));
  EXPECT_EQ(read_whole(outside + "/npmrc").value(), "kept");
  EXPECT_TRUE(fs::is_empty(outside) || !fs::exists(outside + "/pip"));
  fs::remove(root + "/etc/xdg");
  ASSERT_TRUE(write_mirrors(root, all, ::getuid()));
  EXPECT_EQ(read_whole(root + "/etc/npmrc").value(), "registry=https://m/node/\n");
  EXPECT_EQ(read_whole(root + "/etc/xdg/pip/pip.conf").value(), "[global]\nindex-url = http://m/python\n");
  EXPECT_EQ(read_whole(outside + "/npmrc").value(), "kept");
}

} // namespace
} // namespace agentpool::sandboxd
