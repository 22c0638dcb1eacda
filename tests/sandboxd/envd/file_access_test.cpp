// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/envd_files.hpp"
#include "sandboxd/envd/file_access.hpp"
#include "sandboxd/envd/settings.hpp"

#include <gtest/gtest.h>

namespace agentpool::envd {

TEST(FileAccess, TheSignatureIsThatOfTheWire) {
  EXPECT_EQ(
    file_signature("/tmp/a", "read", "", "tok", {}), "v1_jRv7bf35peDXq059OOOyWD0PBnF4OWRLw0tBteoU7A4");
  EXPECT_NE(
    file_signature("/tmp/a", "read", "", "tok", "7"), file_signature("/tmp/a", "read", "", "tok", {}));
}

TEST(FileAccess, TheExpirationIsInclusive) {
  net::http_request request;
  request.query = "path=a&signature_expiration=100&signature=" +
                  query_escape(file_signature("a", "read", "", "tok", "100"));
  EXPECT_FALSE(refuse_file_access(request, "read", "tok", 100));
  EXPECT_EQ(refuse_file_access(request, "read", "tok", 101)->message, "signature is already expired");
  EXPECT_EQ(refuse_file_access(request, "write", "tok", 100)->message, "invalid signature");
  EXPECT_FALSE(refuse_file_access(request, "write", "", 101));
}

TEST(FileAccess, SecretsAreEqualOnlyWhenTheyAre) {
  EXPECT_TRUE(equal_secrets("abc", "abc"));
  EXPECT_TRUE(equal_secrets("", ""));
  for (std::string_view given : {"", "ab", "abcd", "abd", "abcabc"})
    EXPECT_FALSE(equal_secrets(given, "abc")) << given;
  EXPECT_FALSE(equal_secrets("a", ""));
}

} // namespace agentpool::envd
