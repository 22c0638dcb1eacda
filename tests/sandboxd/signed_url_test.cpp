// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/e2b_signature.hpp"
#include "sandboxd/front/signed_url.hpp"

#include <gtest/gtest.h>

namespace agentpool::sandboxd {
namespace {

TEST(SignedUrl, IsReadAsEnvdReadsIt) {
  auto url = parse_signed_url(
    "/files?path=%2Ftmp%2Fa+b&username=me&signature=v1_a%2Bb%2Fc&signature_expiration=17&path=x");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->path, "/tmp/a b");
  EXPECT_EQ(url->user, "me");
  EXPECT_EQ(url->signature, "v1_a+b/c");
  EXPECT_EQ(url->expiration, "17");
  EXPECT_FALSE(parse_signed_url("/files?signature=x")->expiration);
  EXPECT_EQ(parse_signed_url("/files?path=%zz&signature")->path, "%zz");
  for (auto target :
    {"/files", "/files?path=a", "/filesx?signature=a", "/x/files?signature=a", "/sandboxes?signature=a"})
    EXPECT_FALSE(parse_signed_url(target)) << target;
}

TEST(SignedUrl, HasTheSignatureOfThePublicVector) {
  EXPECT_EQ(e2b::file_signature("/tmp/a", "read", "", "tok", std::nullopt),
    "v1_jRv7bf35peDXq059OOOyWD0PBnF4OWRLw0tBteoU7A4");
  EXPECT_NE(e2b::file_signature("/tmp/a", "read", "", "tok", "17"),
    e2b::file_signature("/tmp/a", "read", "", "tok", {}));
}

} // namespace
} // namespace agentpool::sandboxd
