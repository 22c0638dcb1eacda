// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "gateway/query.hpp"
#include "protocol/wire/ids.hpp"

#include <gtest/gtest.h>

namespace agentpool {

namespace {

net::http_request with(std::string name, std::vector<std::string> values) {
  net::http_request request;
  for (auto& value : values)
    request.headers.emplace_back(name, std::move(value));
  return request;
}

} // namespace

TEST(Query, DecodesMembers) {
  auto read = query::parse("a=1&b=x%20y+z&&flag&empty=&%61b=c%3d");
  ASSERT_TRUE(read);
  EXPECT_EQ(*read->value("b"), "x y z");
  EXPECT_EQ(*read->value("flag"), "");
  EXPECT_EQ(*read->value("empty"), "");
  EXPECT_EQ(*read->value("ab"), "c=");
  EXPECT_EQ(*read->value("none"), std::nullopt);
}

TEST(Query, RefusesBrokenEncodingAndDoubles) {
  for (auto text : {"a=%", "a=%1", "a=%zz", "%=1"})
    EXPECT_FALSE(query::parse(text)) << text;
  EXPECT_EQ(query::parse("a=1&a=1")->value("a").error().code, errc::bad_request);
}

TEST(Query, NumbersAreWhatTheySay) {
  EXPECT_EQ(query::parse("")->number("n", 1, 9, 7), 7u);
  EXPECT_EQ(query::parse("n=9")->number("n", 1, 9, 7), 9u);
  for (auto text :
    {"n=", "n=0", "n=10", "n=-1", "n=+1", "n=1.5", "n=abc", "n=99999999999999999999", "n=1%00"})
    EXPECT_FALSE(query::parse(text)->number("n", 1, 9, 7)) << text;
}

TEST(Query, UnknownMembersAreToldWithTheKnownOnes) {
  auto told = [](std::string_view text, std::string_view known) {
    auto good = query::parse(text)->only(known);
    return good ? std::string{} : good.error().text();
  };
  EXPECT_EQ(told("", ""), "");
  EXPECT_EQ(told("path=a&recursive=1", "path, recursive"), "");
  EXPECT_EQ(told("path=a&recursiv=1", "path, recursive"),
    "The query's 'recursiv' is unknown; the known ones are: path, recursive.");
  EXPECT_EQ(told("a", ""), "The query's 'a' is unknown; this path takes none.");
  for (auto odd : {"Path=a", "path, recursive=1", "=a", "pat=a", "paths=a", "p%61th=a&+path=b"})
    EXPECT_NE(told(odd, "path, recursive"), "") << odd;
  auto hostile = told("%1b[31m" + std::string(500, 'x') + "=1", "path");
  EXPECT_LT(hostile.size(), 200u);
  EXPECT_EQ(hostile.find('\x1b'), std::string::npos);
}

// RFC 9110, section 15.5.16
TEST(Query, BodiesComeAsTheyAre) {
  EXPECT_TRUE(check_coding({}));
  EXPECT_TRUE(check_coding(with("content-encoding", {"identity"})));
  EXPECT_TRUE(check_coding(with("Content-Encoding", {"", "Identity"})));
  for (const auto& bad :
    {std::vector<std::string>{"gzip"}, {"GZIP"}, {"identity", "br"}, {"gzip, identity"}, {"x"}})
    EXPECT_EQ(check_coding(with("content-encoding", bad)).error().code, errc::unsupported_encoding);
}

// BR-140
TEST(Query, OnlyOneWellFormedAuthorizationCounts) {
  EXPECT_EQ(bearer_token(with("authorization", {"Bearer abc-._~+/="})), "abc-._~+/=");
  EXPECT_FALSE(bearer_token({}));
  EXPECT_FALSE(bearer_token(with("authorization", {"Bearer a", "Bearer a"})));
  for (auto text : {"bearer a", "BEARER a", "bEaReR a"})
    EXPECT_EQ(bearer_token(with("authorization", {text})), "a") << text;
  for (auto text : {"", "Bearer", "Bearer ", "bearer ", "Basic a", "Bearera", "a", "Bearer a b", "Bearer  a",
         "Bearer a,a", "Bearer a\t", " Bearer a"})
    EXPECT_FALSE(bearer_token(with("authorization", {text}))) << text;
  EXPECT_FALSE(bearer_token(with("authorization", {"Bearer " + std::string(513, 'a')})));
}

TEST(Query, IdempotencyKeysArePrintableAndSingle) {
  EXPECT_EQ(idempotency_key({}), "");
  EXPECT_EQ(idempotency_key(with("idempotency-key", {"a key"})), "a key");
  EXPECT_TRUE(idempotency_key(with("idempotency-key", {std::string(255, 'k')})));
  for (const auto& bad :
    {std::vector<std::string>{""}, {"a", "a"}, {std::string(256, 'k')}, {"\x01"}, {"\xc3\xa4"}})
    EXPECT_EQ(idempotency_key(with("idempotency-key", bad)).error().code, errc::bad_request);
}

TEST(Query, KnowsTheFormOfIds) {
  EXPECT_TRUE(looks_like_id("ses_", random_id("ses_")));
  for (const auto& odd :
    {std::string{}, std::string{"ses_"}, "ses_" + std::string(25, 'a'), "ses_" + std::string(27, 'a'),
      "ses_" + std::string(26, 'A'), "ses_" + std::string(26, '1'), "dev_" + std::string(26, 'a')})
    EXPECT_FALSE(looks_like_id("ses_", odd)) << odd;
}

} // namespace agentpool
