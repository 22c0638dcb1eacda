// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/front/dns.hpp"
#include "sandboxd/isolation/network.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace agentpool::sandboxd {
namespace {

TEST(ForbiddenNetworks, HaveThePrivateRangesAndTheMetadataAddress) {
  auto networks = forbidden_networks();
  for (auto network :
    {"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10", "198.18.0.0/15"})
    EXPECT_EQ(std::count(networks.begin(), networks.end(), e2b::parse_ipv4_network(network)), 1) << network;
  EXPECT_EQ(unreachable_routes({{0x0a000000, 8}, {0xc0000201, 32}}),
    "route replace unreachable 10.0.0.0/8\nroute replace unreachable 192.0.2.1/32\n");
}

TEST(FirstNameserver, SkipsWhatIsNone) {
  EXPECT_EQ(first_nameserver("# nameserver 1.1.1.1\nsearch x\nnameserver\t 9.9.9.9 # c\nnameserver 8.8.8.8\n")
              .value()
              .to_string(),
    "9.9.9.9");
  EXPECT_EQ(first_nameserver("nameserver nonsense\nnameserver ::1").value().to_string(), "::1");
  for (auto text : {"", "nameserver", "nameserver ", "nameservers 1.1.1.1", "options edns0"})
    EXPECT_FALSE(first_nameserver(text)) << text;
}

} // namespace
} // namespace agentpool::sandboxd
