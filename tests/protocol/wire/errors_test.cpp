// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/errors.hpp"

#include <gtest/gtest.h>

#include <set>

namespace agentpool {
namespace {

TEST(Errors, EveryCodeHasOneCompleteRow) {
  std::set<std::string_view> names;
  for (const auto& row : error_table()) {
    EXPECT_EQ(&describe(row.code), &row);
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.title.empty());
    EXPECT_TRUE(row.text.ends_with('.')) << row.name;
    EXPECT_GE(row.http_status, 400);
    EXPECT_LT(row.http_status, 600);
  }
  EXPECT_EQ(names.size(), static_cast<size_t>(errc::last) + 1);
}

TEST(Errors, NamesAndNumbersReadBack) {
  for (const auto& row : error_table()) {
    errc code = errc::none;
    EXPECT_TRUE(from_string(to_string(row.code), code));
    EXPECT_EQ(code, row.code);
    EXPECT_TRUE(from_integer(static_cast<uint8_t>(row.code), code));
    EXPECT_EQ(code, row.code);
  }
}

TEST(Errors, UnknownNamesAndNumbersAreRefused) {
  errc code = errc::none;
  EXPECT_FALSE(from_string("no_such_code", code));
  EXPECT_FALSE(from_string("", code));
  EXPECT_FALSE(from_integer(static_cast<uint8_t>(errc::last) + 1, code));
  EXPECT_FALSE(from_integer(255, code));
  EXPECT_EQ(describe(static_cast<errc>(255)).code, errc::internal);
}

TEST(Errors, TheDetailReplacesTheRowsText) {
  EXPECT_EQ((failure{errc::deadline, {}}.text()), describe(errc::deadline).text);
  EXPECT_EQ((failure{errc::deadline, "Too slow."}.text()), "Too slow.");
  result<int> none = fail(errc::no_worker, "x");
  EXPECT_EQ(none.error(), (failure{errc::no_worker, "x"}));
}

} // namespace
} // namespace agentpool
