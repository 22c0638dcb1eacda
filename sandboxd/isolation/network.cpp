// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/isolation/network.hpp"

#include "net/process/pidfd.hpp"
#include "sandboxd/limits.hpp"

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
constexpr e2b::ipv4_network private_ranges[] = {
  {0x0a000000, 8}, {0x64400000, 10}, {0xa9fe0000, 16}, {0xac100000, 12}, {0xc0a80000, 16}, {0xc6120000, 15}};

uint32_t ipv4(const sockaddr* address) {
  sockaddr_in in{};
  std::memcpy(&in, address, sizeof in);
  return ntohl(in.sin_addr.s_addr);
}

void add_interface(const ifaddrs& one, std::set<e2b::ipv4_network>& out) {
  if (!one.ifa_addr || !one.ifa_netmask || one.ifa_addr->sa_family != AF_INET)
    return;
  auto address = ipv4(one.ifa_addr), mask = ipv4(one.ifa_netmask);
  if (address >> 24 == IN_LOOPBACKNET) // slirp4netns keeps these away; the sandbox has its own
    return;
  out.insert({address, 32});
  if (mask != 0) // a point-to-point link of the whole world is no neighbourhood
    out.insert({address & mask, std::popcount(mask)});
}

result<void> await_ready(int fd, pid_t pid) {
  pollfd watched{fd, POLLIN, 0};
  char byte = 0;
  if (::poll(&watched, 1, ready_deadline_ms) == 1 && ::read(fd, &byte, 1) == 1)
    return {};
  end_tool(pid);
  return fail(errc::internal, "slirp4netns did not start; see /dev/net/tun");
}

result<void> run_ip(std::string net, int fd, std::string commands) {
  if (commands.empty())
    return {};
  std::vector<std::pair<int, int>> fds;
  if (fd >= 0)
    fds.emplace_back(fd, 3);
  auto done = run_tool({.argv = {"nsenter", "--net=" + std::move(net), "ip", "-batch", "-"},
    .input = std::move(commands),
    .fds = std::move(fds)});
  if (!done)
    return tl::unexpected{done.error()};
  return {};
}

result<void> run_ip_of(pid_t init, std::string commands) {
  return run_ip("/proc/" + std::to_string(init) + "/ns/net", -1, std::move(commands));
}

result<void> run_ip_in(int net, std::string commands) {
  return run_ip("/proc/self/fd/3", net, std::move(commands));
}

// Its own DNS is off: it would forward every port of its address to this host's name server.
result<nat> start_slirp(pid_t init) {
  auto alive = make_pipe();
  auto ready = make_pipe();
  if (!alive || !ready)
    return tl::unexpected{(alive ? ready : alive).error()};
  auto pid = start_tool({.argv = {"slirp4netns", "--configure", "--mtu=65520", "--disable-host-loopback",
                           "--disable-dns", own_network, "--enable-sandbox", "--enable-seccomp",
                           "--exit-fd=3", "--ready-fd=4", std::to_string(init), "tap0"},
    .input = {},
    .fds = {{alive->read.get(), 3}, {ready->write.get(), 4}}});
  if (!pid)
    return tl::unexpected{pid.error()};
  ready->write.reset();
  if (auto good = await_ready(ready->read.get(), *pid); !good)
    return tl::unexpected{good.error()};
  return nat{*pid, std::move(alive->write), {}};
}

} // namespace

std::vector<e2b::ipv4_network> forbidden_networks() {
  std::set<e2b::ipv4_network> found(std::begin(private_ranges), std::end(private_ranges));
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) == 0) {
    for (auto* one = list; one; one = one->ifa_next)
      add_interface(*one, found);
    ::freeifaddrs(list);
  }
  return {found.begin(), found.end()};
}

std::string cidr(const e2b::ipv4_network& network) {
  in_addr in{htonl(network.address)};
  char text[INET_ADDRSTRLEN] = "";
  ::inet_ntop(AF_INET, &in, text, sizeof text);
  return text + ("/" + std::to_string(network.bits));
}

std::string unreachable_routes(const std::vector<e2b::ipv4_network>& networks) {
  std::string out;
  for (const auto& network : networks)
    out += "route replace unreachable " + cidr(network) + "\n";
  return out;
}

result<void> raise_loopback(pid_t init) {
  return run_ip_of(init, "link set lo up\n");
}

egress_routes sandbox_network::wanted(const std::vector<e2b::ipv4_network>& forbidden) const {
  auto policy = policy_;
  if (policy.by_name)
    policy.allow.insert(policy.allow.end(), resolved_.begin(), resolved_.end());
  return routes_of(policy, forbidden);
}

result<nat> sandbox_network::start(pid_t init) {
  std::lock_guard lock{one_at_a_time_};
  auto forbidden = forbidden_networks();
  auto routes = wanted(forbidden);
  made_.allowed.clear(); // they went with their device
  has_way_out_ = false;
  auto step = changes(made_, routes);
  auto closed =
    run_ip_of(init, unreachable_routes(forbidden)).and_then([&] { return run_ip_of(init, step.closing); });
  if (!closed)
    return tl::unexpected{closed.error()};
  auto out = start_slirp(init);
  if (!out)
    return out;
  auto routed = run_ip_of(init, own_routes).and_then([&] { return run_ip_of(init, step.opening); });
  out->pidfd = unique_fd{net::open_pidfd(out->pid)};
  if (!routed || !out->pidfd) {
    end_tool(out->pid);
    return routed ? system_failure("cannot watch slirp4netns") : tl::unexpected{routed.error()};
  }
  made_ = std::move(routes);
  has_way_out_ = true;
  return out;
}

void sandbox_network::lost() {
  std::lock_guard lock{one_at_a_time_};
  made_.allowed.clear();
  has_way_out_ = false;
}

result<void> sandbox_network::move_to(int net) {
  auto routes = wanted(forbidden_networks());
  if (!has_way_out_)
    routes.allowed.clear();
  auto step = changes(made_, routes);
  auto done = run_ip_in(net, step.closing).and_then([&] { return run_ip_in(net, step.opening); });
  if (done)
    made_ = std::move(routes);
  return done;
}

result<void> sandbox_network::change(int net, egress_policy policy) {
  std::lock_guard lock{one_at_a_time_};
  std::swap(policy_, policy);
  resolved_.clear();
  auto done = move_to(net);
  if (!done)
    policy_ = std::move(policy);
  return done;
}

result<void> sandbox_network::open(int net, const std::vector<uint32_t>& addresses) {
  std::lock_guard lock{one_at_a_time_};
  if (!policy_.by_name)
    return {};
  for (auto address : addresses) {
    e2b::ipv4_network one{address, 32};
    std::erase(resolved_, one);
    resolved_.push_back(one);
  }
  if (resolved_.size() > limits::resolved_addresses)
    resolved_.erase(resolved_.begin(), resolved_.end() - static_cast<ptrdiff_t>(limits::resolved_addresses));
  return move_to(net);
}

} // namespace agentpool::sandboxd
