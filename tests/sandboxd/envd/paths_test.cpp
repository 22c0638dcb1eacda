// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/entry.hpp"
#include "sandboxd/envd/paths.hpp"
#include "sandboxd/envd/query.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>

namespace agentpool::envd {

using namespace std::string_view_literals;

TEST(Paths, AreExpandedForTheUser) {
  user who{"user", 1000, 1000, "/home/user", {}};
  for (auto [path, expected] :
    std::initializer_list<std::pair<std::string_view, std::string_view>>{{"", "/work"}, {"~", "/home/user"},
      {"~/", "/home/user"}, {"~/a/../b", "/home/user/b"}, {"a", "/home/user/a"}, {"a//./b/../../..", "/home"},
      {"../../../x", "/x"}, {"/a/../b//", "/a/../b//"}, {"a~", "/home/user/a~"}})
    EXPECT_EQ(expand_path(path, who, "/work"), std::string{expected}) << path;
  EXPECT_EQ(expand_path("", who, ""), "/home/user");
  for (auto path : {"~other"sv, "~other/x"sv, "a\0b"sv, "\0"sv})
    EXPECT_EQ(expand_path(path, who, "").error().what, connect::code::invalid_argument);
}

TEST(Paths, AreCleanedAndHaveNames) {
  for (auto [path, clean, name] :
    std::initializer_list<std::tuple<std::string_view, std::string_view, std::string_view>>{{"/", "/", "/"},
      {"//a//b/", "/a/b", "b"}, {"/..", "/", ".."}, {"/a/./b/..", "/a", ".."}, {"a/..", ".", ".."},
      {"../a", "../a", "a"}}) {
    EXPECT_EQ(clean_path(path), clean);
    EXPECT_EQ(base_name(path), name);
  }
}

TEST(Paths, QueriesAreDecoded) {
  EXPECT_EQ(query_value("path=%2Fa+b%20c%2B&username=", "path"), "/a b c+");
  EXPECT_EQ(query_value("path=%2Fa&username=", "username"), "");
  EXPECT_EQ(query_value("a&path&path=2", "path"), "");
  EXPECT_EQ(query_value("p%61th=x", "path"), "x");
  EXPECT_FALSE(query_value("pathx=1&&", "path"));
  EXPECT_EQ(percent_decode("%4", false), "%4");
  EXPECT_EQ(percent_decode("%zz+%00", false), (std::string{"%zz+\0", 5}));
}

TEST(Paths, PermissionsAreWrittenInTheStyleOfGo) {
  for (auto [mode, text] :
    std::initializer_list<std::pair<mode_t, std::string_view>>{{S_IFREG | 0644, "-rw-r--r--"},
      {S_IFDIR | 0755, "drwxr-xr-x"}, {S_IFDIR | 01777, "dtrwxrwxrwx"}, {S_IFLNK | 0777, "Lrwxrwxrwx"},
      {S_IFREG | 04755, "urwxr-xr-x"}, {S_IFREG | 02750, "grwxr-x---"}, {S_IFCHR | 0666, "Dcrw-rw-rw-"},
      {S_IFBLK | 0660, "Drw-rw----"}, {S_IFIFO | 0600, "prw-------"}, {S_IFSOCK | 0700, "Srwx------"}})
    EXPECT_EQ(permissions_text(mode), text);
}

} // namespace agentpool::envd
