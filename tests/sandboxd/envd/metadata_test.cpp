// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/metadata.hpp"

#include <gtest/gtest.h>

namespace agentpool::envd {

TEST(Metadata, KeysAreInLowerCaseAndTheFirstValueCounts) {
  http_headers headers{{"X-Metadata-Author", "me"}, {"Content-Type", "text/plain"},
    {"x-metadata-AUTHOR", "you"}, {"X-Metadata-", "nobody"}, {"x-metadata-a_b.C", ""}};
  EXPECT_EQ(metadata_of(headers), (string_map{{"author", "me"}, {"a_b.c", ""}}));
  EXPECT_EQ(metadata_of({}), string_map{});
}

TEST(Metadata, ItsBounds) {
  EXPECT_TRUE(metadata_of({{"X-Metadata-" + std::string(246, 'k'), "v"}}));
  EXPECT_EQ(metadata_of({{"X-Metadata-" + std::string(247, 'k'), "v"}}).error().status, 400);
  EXPECT_TRUE(metadata_of({{"X-Metadata-k", std::string(4095, 'v')}}));
  EXPECT_EQ(metadata_of({{"X-Metadata-k", std::string(4096, 'v')}}).error().status, 400);
  http_headers two{{"X-Metadata-a", std::string(2047, 'v')}, {"X-Metadata-b", std::string(2047, 'v')}};
  EXPECT_TRUE(metadata_of(two));
  two.emplace_back("X-Metadata-c", "");
  EXPECT_EQ(metadata_of(two).error().status, 400);
  for (std::string value : {"\x7f", "ä", "a\tb"})
    EXPECT_EQ(metadata_of({{"X-Metadata-k", value}}).error().status, 400) << value;
}

} // namespace agentpool::envd
