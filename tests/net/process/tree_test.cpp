// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/process/tree.hpp"
#include "tests/net/temp_dir.hpp"

#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>

namespace agentpool::net::test {

namespace {

namespace fs = std::filesystem;

class TreeTest : public testing::Test {
protected:
  void write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path{at(path)}.parent_path());
    std::ofstream{at(path)} << text;
  }
  std::string read(const std::string& path) {
    std::ifstream file{at(path)};
    return {std::istreambuf_iterator<char>{file}, {}};
  }
  std::string at(const std::string& path) const { return dir_.path() + "/" + path; }

  temp_dir dir_;
  unique_fd fd_{::open(dir_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
};

TEST_F(TreeTest, RemovesTreesButNotWhatLinksPointTo) {
  write("keep/file", "x");
  write("tree/a/b/file", "x");
  fs::create_symlink(at("keep"), at("tree/a/link"));
  fs::create_symlink(at("keep"), at("link"));
  ASSERT_TRUE(remove_tree(fd_.get(), "tree"));
  ASSERT_TRUE(remove_tree(fd_.get(), "link"));
  ASSERT_TRUE(remove_tree(fd_.get(), "nothing"));
  EXPECT_FALSE(fs::exists(at("tree")));
  EXPECT_FALSE(fs::is_symlink(at("link")));
  EXPECT_EQ(read("keep/file"), "x");
}

// Deeper than the recursion that removes them.
TEST_F(TreeTest, RemovesVeryDeepTrees) {
  ASSERT_EQ(::mkdirat(fd_.get(), "tree", 0700), 0);
  auto below = open_dir(fd_.get(), "tree");
  for (int i = 0; i < 300; ++i) {
    ASSERT_EQ(::mkdirat(below->get(), "deeper", 0700), 0);
    below = open_dir(below->get(), "deeper");
    ASSERT_TRUE(below);
  }
  ASSERT_TRUE(remove_tree(fd_.get(), "tree"));
  EXPECT_FALSE(fs::exists(at("tree")));
}

TEST_F(TreeTest, CopiesFilesAndDirectoriesOnly) {
  write("from/a", "one");
  write("from/sub/b", std::string(200'000, 'b'));
  write("secret", "no");
  fs::create_symlink(at("secret"), at("from/link"));
  ::mkfifo(at("from/fifo").c_str(), 0600);
  auto to = make_dir(fd_.get(), "to", 0755);
  ASSERT_TRUE(copy_tree(at("from"), to->get()));
  EXPECT_EQ(read("to/a"), "one");
  EXPECT_EQ(read("to/sub/b").size(), 200'000u);
  EXPECT_FALSE(fs::exists(at("to/link")));
  EXPECT_FALSE(fs::exists(at("to/fifo")));
  EXPECT_EQ(fs::status(at("to/a")).permissions(), fs::perms{0644});
}

TEST_F(TreeTest, OpensNoLinks) {
  fs::create_directory(at("real"));
  fs::create_symlink(at("real"), at("link"));
  EXPECT_TRUE(open_dir(fd_.get(), "real"));
  EXPECT_FALSE(open_dir(fd_.get(), "link"));
  EXPECT_FALSE(make_dir(fd_.get(), "link", 0700));
  EXPECT_EQ(open_dir(fd_.get(), "none").error().code, errc::not_found);
}

TEST_F(TreeTest, OwnsTreesButNotWhatLinksPointTo) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "needs root";
  write("keep", "x");
  write("tree/sub/file", "x");
  fs::create_symlink(at("keep"), at("tree/link"));
  ASSERT_TRUE(own_tree(fd_.get(), "tree", 4321));
  struct stat info {};
  for (auto path : {"tree", "tree/sub", "tree/sub/file"}) {
    ASSERT_EQ(::stat(at(path).c_str(), &info), 0);
    EXPECT_EQ(info.st_uid, 4321u) << path;
  }
  ::stat(at("keep").c_str(), &info);
  EXPECT_EQ(info.st_uid, 0u);
  fs::create_hard_link(at("keep"), at("tree/hard"));
  EXPECT_FALSE(own_tree(fd_.get(), "tree", 4321));
  ::stat(at("keep").c_str(), &info);
  EXPECT_EQ(info.st_uid, 0u);
}

} // namespace

} // namespace agentpool::net::test
