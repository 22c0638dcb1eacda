// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/isolation/network.hpp"

#include "net/process/pidfd.hpp"

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

// The network between a sandbox and its slirp4netns. slirp4netns answers for its name server's address (.3),
// and a program that binds to the device reaches it whatever the routes say; the packets then leave as if
// from the host. So it lies in a range that no network uses: RFC 2544, for benchmarks.
constexpr const char* own_network = "--cidr=198.18.255.0/24";
constexpr const char* own_routes = "route replace 198.18.255.2/32 dev tap0 scope link\n"
                                   "route replace unreachable 198.18.255.0/25\n"
                                   "route replace unreachable 198.18.255.128/25\n";

// RFC 1918, RFC 6598 (carriers' NAT), RFC 3927 (link-local) and RFC 2544.
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

std::vector<std::string> ip_batch_in(const std::string& process) {
  return {"nsenter", "--net=/proc/" + process + "/ns/net", "ip", "-batch", "-"};
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
    out += "route replace unreachable " + network + "\n";
  return out;
}

result<void> raise_loopback(pid_t init) {
  auto done = run_tool({.argv = ip_batch_in(std::to_string(init)), .input = "link set lo up\n"});
  return done ? result<void>{} : tl::unexpected{done.error()};
}

result<nat> start_nat(pid_t init) {
  auto process = std::to_string(init);
  auto in_network = ip_batch_in(process);
  auto routed = run_tool({.argv = in_network, .input = unreachable_routes(forbidden_networks())});
  if (!routed)
    return tl::unexpected{routed.error()};
  auto alive = make_pipe();
  auto ready = make_pipe();
  if (!alive || !ready)
    return tl::unexpected{(alive ? ready : alive).error()};
  // Its own DNS is off: it would forward every port of its address to this host's name server.
  auto pid = start_tool(
    {.argv = {"slirp4netns", "--configure", "--mtu=65520", "--disable-host-loopback", "--disable-dns",
       own_network, "--enable-sandbox", "--enable-seccomp", "--exit-fd=3", "--ready-fd=4", process, "tap0"},
      .input = {},
      .fds = {{alive->read.get(), 3}, {ready->write.get(), 4}}});
  if (!pid)
    return tl::unexpected{pid.error()};
  ready->write.reset();
  if (auto good = await_ready(ready->read.get(), *pid); !good)
    return tl::unexpected{good.error()};
  auto closed = run_tool({.argv = in_network, .input = own_routes});
  if (!closed) {
    end_tool(*pid);
    return tl::unexpected{closed.error()};
  }
  unique_fd pidfd{net::open_pidfd(*pid)};
  if (!pidfd) {
    end_tool(*pid);
    return system_failure("cannot watch slirp4netns");
  }
  return nat{*pid, std::move(alive->write), std::move(pidfd)};
}

} // namespace agentpool::sandboxd
