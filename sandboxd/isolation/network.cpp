// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/isolation/network.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <bit>
#include <cstring>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <poll.h>
#include <set>

namespace agentpool::sandboxd {

namespace {

constexpr int ready_deadline_ms = 30'000;

// RFC 1918, RFC 6598 (carriers' NAT), RFC 3927 (link-local) and RFC 2544. The network of slirp4netns itself,
// 10.0.2.0/24, is more specific and stays.
constexpr const char* private_ranges[] = {
  "10.0.0.0/8", "100.64.0.0/10", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16", "198.18.0.0/15"};

std::string cidr(uint32_t address, int bits) {
  in_addr in{htonl(address)};
  char text[INET_ADDRSTRLEN] = "";
  ::inet_ntop(AF_INET, &in, text, sizeof text);
  return text + ("/" + std::to_string(bits));
}

uint32_t ipv4(const sockaddr* address) {
  sockaddr_in in{};
  std::memcpy(&in, address, sizeof in);
  return ntohl(in.sin_addr.s_addr);
}

void add_interface(const ifaddrs& one, std::set<std::string>& out) {
  if (!one.ifa_addr || !one.ifa_netmask || one.ifa_addr->sa_family != AF_INET)
    return;
  auto address = ipv4(one.ifa_addr), mask = ipv4(one.ifa_netmask);
  if (address >> 24 == IN_LOOPBACKNET) // slirp4netns keeps these away; the sandbox has its own
    return;
  out.insert(cidr(address, 32));
  if (mask != 0) // a point-to-point link of the whole world is no neighbourhood
    out.insert(cidr(address & mask, std::popcount(mask)));
}

result<void> await_ready(int fd, pid_t pid) {
  pollfd watched{fd, POLLIN, 0};
  char byte = 0;
  if (::poll(&watched, 1, ready_deadline_ms) == 1 && ::read(fd, &byte, 1) == 1)
    return {};
  end_tool(pid);
  return fail(errc::internal, "slirp4netns did not start; see /dev/net/tun");
}

} // namespace

std::vector<std::string> forbidden_networks() {
  std::set<std::string> found(std::begin(private_ranges), std::end(private_ranges));
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) == 0) {
    for (auto* one = list; one; one = one->ifa_next)
      add_interface(*one, found);
    ::freeifaddrs(list);
  }
  return {found.begin(), found.end()};
}

std::string unreachable_routes(const std::vector<std::string>& networks) {
  std::string out;
  for (const auto& network : networks)
    out += "route add unreachable " + network + "\n";
  return out;
}

result<nat> start_nat(pid_t init) {
  auto process = std::to_string(init);
  auto routed = run_tool({.argv = {"nsenter", "--net=/proc/" + process + "/ns/net", "ip", "-batch", "-"},
    .input = unreachable_routes(forbidden_networks())});
  if (!routed)
    return tl::unexpected{routed.error()};
  auto alive = make_pipe();
  auto ready = make_pipe();
  if (!alive || !ready)
    return tl::unexpected{(alive ? ready : alive).error()};
  // Its own DNS is off: it would forward every port of its address to this host's name server.
  auto pid = start_tool(
    {.argv = {"slirp4netns", "--configure", "--mtu=65520", "--disable-host-loopback", "--disable-dns",
       "--enable-sandbox", "--enable-seccomp", "--exit-fd=3", "--ready-fd=4", process, "tap0"},
      .input = {},
      .fds = {{alive->read.get(), 3}, {ready->write.get(), 4}}});
  if (!pid)
    return tl::unexpected{pid.error()};
  ready->write.reset();
  if (auto good = await_ready(ready->read.get(), *pid); !good)
    return tl::unexpected{good.error()};
  return nat{*pid, std::move(alive->write)};
}

} // namespace agentpool::sandboxd
