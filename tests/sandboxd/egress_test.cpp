// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/isolation/egress.hpp"
#include "sandboxd/isolation/network.hpp"

#include <gtest/gtest.h>

#include <random>

namespace agentpool::sandboxd {
namespace {

e2b::ipv4_network net(const char* text) {
  return *e2b::parse_ipv4_network(text);
}

std::set<e2b::ipv4_network> nets(std::initializer_list<const char*> texts) {
  std::set<e2b::ipv4_network> out;
  for (auto text : texts)
    out.insert(net(text));
  return out;
}

egress_policy policy(std::vector<std::string> allow, std::vector<std::string> deny) {
  return egress_of(e2b::network_options{true, std::move(allow), std::move(deny), {}, {}}, std::nullopt);
}

const std::vector<e2b::ipv4_network> forbidden{net("10.0.0.0/8"), net("192.0.2.7")};

TEST(EgressRoutes, DenyTheWorldByItsHalves) {
  auto routes = routes_of(policy({"1.1.1.1"}, {"0.0.0.0/0"}), forbidden);
  EXPECT_EQ(routes.denied, nets({"0.0.0.0/1", "128.0.0.0/1"}));
  EXPECT_EQ(routes.allowed, nets({"1.1.1.1"}));
}

TEST(EgressRoutes, NothingOpensWhatIsForbidden) {
  auto routes =
    routes_of(policy({"10.1.0.0/16", "10.0.0.0/8", "192.0.2.7", "0.0.0.0/0"}, {"10.2.0.0/16"}), forbidden);
  EXPECT_TRUE(routes.allowed.empty());
  EXPECT_TRUE(routes.denied.empty());
}

// Which route the kernel takes for an address: the longest prefix.
bool reaches(const egress_routes& routes, uint32_t address) {
  int best = -1;
  bool open = true;
  auto look = [&](const std::set<e2b::ipv4_network>& all, bool opens) {
    for (const auto& one : all)
      if (one.bits > best && one.contains({address, 32}))
        best = one.bits, open = opens;
  };
  look(routes.denied, false);
  look(routes.allowed, true);
  look({forbidden.begin(), forbidden.end()}, false);
  return open;
}

TEST(EgressRoutes, HaveTheMeaningOfThePolicy) {
  std::mt19937 random{7};
  auto some = [&] {
    auto bits = static_cast<int>(random() % 6);
    auto mask = bits == 0 ? 0 : ~uint32_t{0} << (32 - bits);
    return e2b::ipv4_network{(static_cast<uint32_t>(random() % 64) << 26) & mask, bits};
  };
  auto in = [](const auto& all, uint32_t address) {
    return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.contains({address, 32}); });
  };
  for (int round = 0; round < 2000; ++round) {
    egress_policy one;
    for (auto count = random() % 4; count > 0; --count)
      one.allow.push_back(some());
    for (auto count = random() % 4; count > 0; --count)
      one.deny.push_back(some());
    auto routes = routes_of(one, forbidden);
    for (uint32_t part = 0; part < 64; ++part) {
      auto address = part << 26 | 5;
      auto open = !in(forbidden, address) && (in(one.allow, address) || !in(one.deny, address));
      ASSERT_EQ(reaches(routes, address), open) << round << " " << part;
    }
  }
}

TEST(EgressPolicy, KnowsWhenNothingIsLeft) {
  EXPECT_TRUE(reaches_nothing(policy({}, {"0.0.0.0/0"})));
  EXPECT_TRUE(reaches_nothing(policy({}, {"0.0.0.0/1", "128.0.0.0/1"})));
  EXPECT_FALSE(reaches_nothing(policy({"1.1.1.1"}, {"0.0.0.0/0"})));
  EXPECT_FALSE(reaches_nothing(policy({"a.example"}, {"0.0.0.0/0"})));
  EXPECT_FALSE(reaches_nothing(policy({}, {"0.0.0.0/1"})));
  EXPECT_TRUE(denies_world(policy({"1.1.1.1"}, {"0.0.0.0/0"})));
  EXPECT_FALSE(denies_world(policy({"0.0.0.0/1"}, {"0.0.0.0/0"})));
  EXPECT_TRUE(reaches_nothing(egress_of({}, false)));
  EXPECT_FALSE(denies_world(egress_of({}, true)));
}

TEST(EgressChanges, CloseBeforeTheyOpen) {
  egress_routes from{nets({"1.0.0.0/8"}), nets({"2.2.2.2"})}, to{nets({"3.0.0.0/8"}), nets({"1.1.1.1"})};
  auto step = changes(from, to);
  EXPECT_EQ(
    step.closing, "route replace unreachable 3.0.0.0/8\nroute flush to exact 2.2.2.2/32 type unicast\n");
  EXPECT_EQ(step.opening, std::string{"route replace 1.1.1.1/32"} + via_slirp +
                            "route flush to exact 1.0.0.0/8 type unreachable\n");
  EXPECT_EQ(changes(to, to).closing + changes(to, to).opening, "");
}

} // namespace
} // namespace agentpool::sandboxd
