// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/control/network_settings.hpp"

#include <gtest/gtest.h>

namespace agentpool::sandboxd {
namespace {

e2b::network_options options() {
  return {true, {"a.example", "*.b.example", "1.1.1.1"}, {"0.0.0.0/0"}, "localhost:${PORT}", {}};
}

TEST(NetworkSettings, HaveATokenWhenPortsAreNotPublic) {
  auto closed = options();
  closed.allow_public_traffic = false;
  EXPECT_TRUE(new_network_settings(options()).traffic_token.empty());
  EXPECT_TRUE(new_network_settings(std::nullopt).admits(3000, ""));
  auto settings = new_network_settings(closed);
  EXPECT_EQ(settings.traffic_token.size(), 64u);
  EXPECT_TRUE(settings.admits(3000, settings.traffic_token));
  EXPECT_TRUE(settings.admits(49983, ""));
  for (auto token : {std::string{}, settings.traffic_token + "0", settings.traffic_token.substr(1)})
    EXPECT_FALSE(settings.admits(3000, token)) << token;
}

TEST(NetworkSettings, ResolveOnlyAllowedNamesWhenTheWorldIsDenied) {
  network_settings settings{options(), {}};
  for (auto name : {"a.example", "A.Example", "x.b.example", "x.y.B.example"})
    EXPECT_TRUE(settings.resolves(name, std::nullopt)) << name;
  for (auto name : {"", "example", "x.a.example", "b.example", "xb.example", "a.example.evil", "1.1.1.1"})
    EXPECT_FALSE(settings.resolves(name, std::nullopt)) << name;
  EXPECT_TRUE(network_settings{}.resolves("x", std::nullopt));
  EXPECT_FALSE(network_settings{}.resolves("x", false));
}

TEST(NetworkSettings, AnUpdateKeepsTheWayIn) {
  auto closed = options();
  closed.allow_public_traffic = false;
  network_settings settings{closed, "t"};
  settings.set_egress({true, {"2.2.2.2"}, {}, {}, {}});
  EXPECT_EQ(settings.options->allow_out, std::vector<std::string>{"2.2.2.2"});
  EXPECT_TRUE(settings.options->deny_out.empty());
  EXPECT_FALSE(settings.options->allow_public_traffic);
  EXPECT_EQ(settings.host_for(3000), "localhost:3000");
  EXPECT_EQ(settings.host_for(49983), "");
  EXPECT_EQ(network_settings{}.host_for(3000), "");
}

} // namespace
} // namespace agentpool::sandboxd
