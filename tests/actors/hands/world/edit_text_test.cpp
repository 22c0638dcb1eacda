// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/edit_text.hpp"

#include <gtest/gtest.h>

namespace agentpool::world {

TEST(EditText, ReplacesLiterally) {
  struct row {
    std::string content, from, to;
    bool all;
    std::string out;
  };
  const row rows[] = {
    {"a b c", "b", "$& $1 $$ \\0", false, "a $& $1 $$ \\0 c"},
    {"a.c abc", "a.c", "x", false, "x abc"},
    {"aaa", "a", "aa", true, "aaaaaa"},
    {"one\r\ntwo\r\n", "one\ntwo", "1\n2\n3", false, "1\r\n2\r\n3\r\n"},
    {"one\ntwo\n", "one\r\ntwo", "x\r\ny", false, "x\ny\n"},
    {"\xef\xbb\xbfhead\nbody", "head", "top", false, "\xef\xbb\xbftop\nbody"},
    {"x\r\ny\nz\n", "y", "w", false, "x\nw\nz\n"},
    {"lonely\rreturn", "lonely", "l", false, "l\rreturn"},
    {"gone", "gone", "", false, ""},
  };
  for (const auto& row : rows) {
    auto out = edit_text(row.content, row.from, row.to, row.all);
    ASSERT_TRUE(out.done) << row.content;
    EXPECT_EQ(out.done->content, row.out);
  }
}

TEST(EditText, LineEndIsThatOfTheFirst4096Characters) {
  std::string crlf;
  for (int i = 0; i < 3000; ++i)
    crlf += "\r\n";
  auto text = crlf + std::string(9000, '\n') + "end";
  auto out = edit_text(text, "end", "x", false);
  ASSERT_TRUE(out.done);
  EXPECT_TRUE(out.done->content.ends_with("\r\nx"));
}

TEST(EditText, BeforeAndAfterHaveLf) {
  auto out = edit_text("\xef\xbb\xbf"
                       "a\r\nb",
    "b", "c", false);
  ASSERT_TRUE(out.done);
  EXPECT_EQ(out.done->before, "a\nb");
  EXPECT_EQ(out.done->after, "a\nc");
}

TEST(EditText, ProblemsAreTold) {
  EXPECT_EQ(edit_text("abc", "", "x", true).problem, edit_problem::not_found);
  EXPECT_EQ(edit_text("abc", "d", "x", true).problem, edit_problem::not_found);
  EXPECT_EQ(edit_text("abab", "ab", "x", false).problem, edit_problem::ambiguous);
  EXPECT_EQ(edit_text(std::string{"a\0b", 3}, "a", "x", false).problem, edit_problem::not_text);
  EXPECT_EQ(edit_text("\xff"
                      "abc",
              "a", "x", false)
              .problem,
    edit_problem::not_text);
}

} // namespace agentpool::world
