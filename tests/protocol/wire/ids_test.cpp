// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/ids.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace agentpool {
namespace {

bool is_base32(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '2' && c <= '7'); });
}

TEST(Ids, AreRandomTextBehindThePrefix) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    auto id = random_id("ses_");
    EXPECT_TRUE(id.starts_with("ses_"));
    EXPECT_EQ(id.size(), 30u);
    EXPECT_TRUE(is_base32(std::string_view{id}.substr(4))) << id;
    EXPECT_TRUE(seen.insert(id).second);
  }
  auto token = random_token("");
  EXPECT_EQ(token.size(), 52u);
  EXPECT_TRUE(is_base32(token));
}

TEST(Ids, HashesAreThoseOfFips180) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Ids, CompareByText) {
  EXPECT_EQ(session_id{"a"}, session_id{"a"});
  EXPECT_LT(session_id{"a"}, session_id{"b"});
  EXPECT_TRUE(session_id{}.empty());
  EXPECT_EQ(std::hash<session_id>{}({"a"}), std::hash<session_id>{}({"a"}));
}

} // namespace
} // namespace agentpool
