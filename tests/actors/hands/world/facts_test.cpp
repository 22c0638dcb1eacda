// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/facts.hpp"

#include <gtest/gtest.h>

namespace agentpool::world {

namespace {

const facts some{12, 1'700'000'000'000'000'007, 0644, "user", "staff"};

} // namespace

TEST(Facts, LineIsWhatTheProgramInTheHandPrints) {
  EXPECT_EQ(to_line(some), "12 1700000000.000000007 420 user staff");
  EXPECT_EQ(facts_from(to_line(some)), some);
  facts old{0, -1, 0, "1000", "1000"};
  EXPECT_EQ(to_line(old), "0 -1.999999999 0 1000 1000");
  EXPECT_EQ(facts_from(to_line(old)), old);
}

TEST(Facts, LinesThatAreNoneAreRefused) {
  for (auto line : {"", "12", "12 1700000000.000000007 420 user", "12 17.07 420 user staff",
         "x 1.000000000 1 a b", "1 1.000000000 1 a b c"})
    EXPECT_FALSE(facts_from(line)) << line;
}

TEST(Facts, VersionChangesWithEveryFact) {
  auto file = ports::entry_type::file;
  auto base = version_of("/a", file, some, 1);
  EXPECT_EQ(base, version_of("/a", file, some, 1));
  EXPECT_EQ(base.size(), 40u);
  auto changed = [&](auto change) {
    auto other = some;
    change(other);
    return version_of("/a", file, other, 1);
  };
  EXPECT_NE(base, changed([](facts& x) { x.size = 13; }));
  EXPECT_NE(base, changed([](facts& x) { x.modified_ns += 1; }));
  EXPECT_NE(base, changed([](facts& x) { x.mode = 0755; }));
  EXPECT_NE(base, changed([](facts& x) { x.owner = "root"; }));
  EXPECT_NE(base, changed([](facts& x) { x.group = "root"; }));
  EXPECT_NE(base, version_of("/b", file, some, 1));
  EXPECT_NE(base, version_of("/a", file, some, 2));
  EXPECT_NE(base, version_of("/a", ports::entry_type::directory, some, 1));
}

} // namespace agentpool::world
