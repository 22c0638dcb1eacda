// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/front/dns_message.hpp"

#include <gtest/gtest.h>

namespace agentpool::sandboxd {
namespace {

std::string bytes(std::initializer_list<int> all) {
  std::string out;
  for (auto one : all)
    out += static_cast<char>(one);
  return out;
}

std::string name(std::initializer_list<std::string> labels) {
  std::string out;
  for (const auto& label : labels)
    (out += static_cast<char>(label.size())) += label;
  return out + '\0';
}

const std::string query_head = bytes({1, 2, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0});
const std::string a_in = bytes({0, 1, 0, 1});
const std::string query = query_head + name({"www", "Example"}) + a_in;

std::string response() {
  auto out = query;
  out[2] = static_cast<char>(0x81);
  out[7] = 3;
  auto record = [&](std::string data, int type) {
    out += bytes({0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, static_cast<int>(data.size())}) + data;
  };
  record(name({"x"}), 5);
  record(bytes({192, 0, 2, 1}), 1);
  record(bytes({203, 0, 113, 9}), 1);
  return out;
}

TEST(DnsMessage, HasTheNameThatIsAsked) {
  EXPECT_EQ(queried_name(query), "www.Example");
  EXPECT_EQ(queried_name(query_head + name({}) + a_in), "");
  EXPECT_FALSE(queried_name(query_head + name({"a.b"}) + a_in));
  EXPECT_FALSE(queried_name(query_head + bytes({0xc0, 12}) + a_in));
  EXPECT_FALSE(queried_name(response()));
  for (size_t size = 0; size < query.size(); ++size)
    EXPECT_FALSE(queried_name(query.substr(0, size))) << size;
  auto two = query;
  two[5] = 2;
  EXPECT_FALSE(queried_name(two));
}

TEST(DnsMessage, HasTheAddressesThatAreAnswered) {
  EXPECT_EQ(answered_addresses(response()), (std::vector<uint32_t>{0xc0000201, 0xcb007109}));
  EXPECT_TRUE(answered_addresses(query).empty());
  auto whole = response();
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_TRUE(answered_addresses(whole.substr(0, size)).empty()) << size;
}

TEST(DnsMessage, IsRefusedWithItsQuestion) {
  auto said = refusal(query + "more");
  EXPECT_EQ(said.substr(0, 2), query.substr(0, 2));
  EXPECT_EQ(said[2] & 0x80, 0x80);
  EXPECT_EQ(said[3], 5);
  EXPECT_EQ(said.substr(12), query.substr(12));
  EXPECT_EQ(refusal(query.substr(0, 14)).size(), 12u);
  EXPECT_TRUE(refusal("short").empty());
  EXPECT_TRUE(refusal(response()).empty());
}

} // namespace
} // namespace agentpool::sandboxd
