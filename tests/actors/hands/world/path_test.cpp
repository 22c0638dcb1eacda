// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/path.hpp"

#include <gtest/gtest.h>

namespace agentpool::world {

namespace {

ports::entry_info entry(std::string path, ports::entry_type type) {
  return {.name = std::string{name_of(path)}, .path = std::move(path), .type = type};
}

seen directory(std::string path) {
  return entry(std::move(path), ports::entry_type::directory);
}

seen file(std::string path) {
  return entry(std::move(path), ports::entry_type::file);
}

seen link(std::string path, std::string target, ports::entry_type type = ports::entry_type::directory) {
  auto out = entry(std::move(path), type);
  out.symlink = true;
  out.link_target = std::move(target);
  return out;
}

} // namespace

TEST(Path, LexicalFoldsAndNeverLeavesTheRoot) {
  struct row {
    std::string_view path, cwd, out;
  };
  constexpr row rows[] = {
    {"a", "/workspace", "/workspace/a"},
    {"/a//b/./c/", "/x", "/a/b/c"},
    {"../..//../a", "/x/y", "/a"},
    {"/..", "/", "/"},
    {".", "/workspace/", "/workspace"},
    {"a b/'$x`\n-r", "/", "/a b/'$x`\n-r"},
    {"~/a", "/w", "/w/~/a"},
    {"...", "/w", "/w/..."},
  };
  for (const auto& row : rows)
    EXPECT_EQ(lexical(row.path, row.cwd), row.out) << row.path;
}

TEST(Path, PrefixesAreEveryAncestor) {
  EXPECT_EQ(prefixes("/a/b/c"), (std::vector<std::string>{"/a", "/a/b", "/a/b/c"}));
  EXPECT_TRUE(prefixes("/").empty());
}

TEST(Path, WithinCountsWholeNames) {
  EXPECT_TRUE(within("/workspace", "/workspace"));
  EXPECT_TRUE(within("/workspace", "/workspace/a"));
  EXPECT_FALSE(within("/workspace", "/workspace2"));
  EXPECT_FALSE(within("/workspace", "/"));
  EXPECT_TRUE(within("/", "/x"));
}

TEST(Path, FoldKeepsPlainAndMissingComponents) {
  std::vector<seen> stats{directory("/a"), std::nullopt, std::nullopt};
  auto out = fold("/a/b/c", stats);
  EXPECT_EQ(out.canonical, "/a/b/c");
  EXPECT_FALSE(out.under_file);
}

TEST(Path, FoldFollowsLinksOfAncestorsAndOfTheLastComponent) {
  std::vector<seen> stats{link("/a", "/real"), file("/a/b")};
  EXPECT_EQ(fold("/a/b", stats).canonical, "/real/b");
  stats = {directory("/a"), link("/a/b", "/else/c", ports::entry_type::file)};
  EXPECT_EQ(fold("/a/b", stats).canonical, "/else/c");
  stats = {link("/a", "/real"), std::nullopt};
  EXPECT_EQ(fold("/a/new", stats).canonical, "/real/new");
}

TEST(Path, FoldKeepsALinkThatLeadsNowhere) {
  std::vector<seen> stats{directory("/a"), link("/a/b", "/a/b", ports::entry_type::other)};
  auto out = fold("/a/b", stats);
  EXPECT_EQ(out.canonical, "/a/b");
  EXPECT_TRUE(out.loose);
  stats.push_back(std::nullopt);
  out = fold("/a/b/c", stats);
  EXPECT_EQ(out.canonical, "/a/b/c");
  EXPECT_TRUE(out.loose);
}

TEST(Path, FoldSaysThatAnAncestorIsAFile) {
  std::vector<seen> stats{directory("/a"), file("/a/b"), std::nullopt};
  EXPECT_TRUE(fold("/a/b/c", stats).under_file);
  stats = {directory("/a"), link("/a/b", "/f", ports::entry_type::file), std::nullopt};
  EXPECT_TRUE(fold("/a/b/c", stats).under_file);
}

TEST(Path, WorkspacePathsAreConfinedAsText) {
  EXPECT_EQ(workspace_path("src/a.cpp"), "/workspace/src/a.cpp");
  EXPECT_EQ(workspace_path(""), "/workspace");
  EXPECT_EQ(workspace_path("/workspace/./a"), "/workspace/a");
  // BR-123
  const std::string bad[] = {"..", "a/../b", "/etc/passwd", "/workspace/../etc", "/workspace2",
    std::string{"a\0b", 3}, std::string(256, 'n'), std::string(4097, '/')};
  for (const auto& path : bad)
    EXPECT_FALSE(workspace_path(path)) << path.substr(0, 32);
}

} // namespace agentpool::world
