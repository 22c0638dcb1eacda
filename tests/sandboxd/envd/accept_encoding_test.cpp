// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/accept_encoding.hpp"

#include <gtest/gtest.h>

namespace agentpool::envd {

TEST(AcceptEncoding, GzipOnlyWhenItIsPreferred) {
  using enum content_coding;
  struct row {
    std::string_view header;
    content_coding coding;
  };
  for (const auto& [header, coding] : std::initializer_list<row>{{"", identity}, {"gzip", gzip},
         {"GZIP", gzip}, {"gzip, deflate", gzip}, {"deflate, gzip;q=1.0, *;q=0.5", gzip}, {"br", identity},
         {"*", identity}, {"*;q=0.5, br", identity}, {"identity", identity}, {"identity, gzip", identity},
         {"gzip, identity", gzip}, {"gzip;q=0.5, identity", identity}, {"gzip;q=0.5, identity;q=0.4", gzip},
         {"gzip;q=0", identity}, {"gzip; q=0.000", identity}, {"gzip ; Q=0.001", gzip},
         {"identity;q=0", none}, {"identity;q=0.0, br", none}, {"*;q=0", none}, {"br, *;q=0", none},
         {"identity;q=0, gzip;q=0", none}, {"identity;q=0, gzip", gzip}, {"gzip;q=1, *;q=0", gzip},
         {"*;q=0, identity", identity}, {"*, identity;q=0", gzip}, {"*, identity;q=0, gzip;q=0", none},
         {"gzip;q=nonsense", gzip}, {" , ,gzip", gzip}, {"gzip;level=9;q=0", identity}})
    EXPECT_EQ(choose_coding(header), coding) << header;
}

TEST(AcceptEncoding, IdentityIsAcceptableUnlessItIsRefused) {
  for (std::string_view header : {"", "gzip", "br", "*", "identity;q=0.1, *;q=0"})
    EXPECT_TRUE(accepts_identity(header)) << header;
  for (std::string_view header : {"identity;q=0", "gzip, *;q=0", "identity;q=0, *"})
    EXPECT_FALSE(accepts_identity(header)) << header;
}

} // namespace agentpool::envd
