// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/users.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace agentpool::envd {

namespace {

namespace fs = std::filesystem;

struct UsersTest : testing::Test {
  UsersTest() {
    char name[] = "/tmp/envd-users-XXXXXX";
    dir = ::mkdtemp(name);
    write("passwd", "root:x:0:0::/root:/bin/sh\nuser:x:1000:1000::/home/user:/bin/bash\n");
    write("group", "root:x:0:\nuser:x:1000:\ncrew:x:2000:user,other\nmore:x:2001:other,user\n");
  }
  ~UsersTest() override { fs::remove_all(dir); }

  void write(const std::string& name, const std::string& text) {
    std::ofstream{dir / name, std::ios::trunc} << text;
  }
  user_database make() const { return {dir / "passwd", dir / "group"}; }

  fs::path dir;
};

} // namespace

TEST_F(UsersTest, FindsByNameAndNumber) {
  auto users = make();
  auto found = users.find("user");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->uid, 1000);
  EXPECT_EQ(found->home, "/home/user");
  EXPECT_EQ(found->groups, (std::vector<uint32_t>{2000, 2001}));
  EXPECT_EQ(users.find(0U)->name, "root");
  EXPECT_FALSE(users.find("ghost"));
  EXPECT_FALSE(users.find(7U));
  EXPECT_EQ(users.tables()->user_names, (user_tables::names{{0, "root"}, {1000, "user"}}));
  EXPECT_EQ(users.tables()->group_names.at(2001), "more");
}

TEST_F(UsersTest, SeesEveryChange) {
  auto users = make();
  auto copy = users;
  for (int round = 0; round < 50; ++round) { // changes of the same size, as fast as they come
    auto name = std::string(1, static_cast<char>('a' + round % 26));
    write("passwd", name + ":x:7:7::/:/bin/sh\n");
    EXPECT_TRUE(users.find(name)) << round;
    EXPECT_EQ(copy.find(7U)->name, name) << round;
  }
  write("new", "z:x:7:7::/:/bin/sh\n");
  fs::rename(dir / "new", dir / "passwd");
  EXPECT_TRUE(users.find("z"));
  fs::remove(dir / "passwd");
  EXPECT_FALSE(users.find("z"));
  write("passwd", "y:x:7:7::/:/bin/sh\n");
  EXPECT_TRUE(users.find("y"));
}

TEST_F(UsersTest, AFileThatIsOldIsKeptUntilItIsAnother) {
  fs::create_symlink("/etc/passwd", dir / "link");
  user_database users{dir / "link", dir / "group"};
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(users.find("root")->uid, 0U);
  EXPECT_FALSE(users.find("only here"));
  write("passwd", "only here:x:7:7::/:/bin/sh\n");
  fs::remove(dir / "link");
  fs::create_symlink(dir / "passwd", dir / "link");
  EXPECT_TRUE(users.find("only here"));
  EXPECT_FALSE(users.find("root"));
}

TEST_F(UsersTest, AnotherKindOfFileHasNobody) {
  fs::remove(dir / "passwd");
  fs::create_directory(dir / "passwd");
  EXPECT_FALSE(make().find("root"));
}

} // namespace agentpool::envd
