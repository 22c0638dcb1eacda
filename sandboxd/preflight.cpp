// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/preflight.hpp"

#include "sandboxd/isolation/oci_runtime.hpp"
#include "sandboxd/isolation/rootfs.hpp"
#include "sandboxd/templates/store.hpp"
#include "sandboxd/trial.hpp"

#include <cstdlib>
#include <filesystem>
#include <sys/mount.h>
#include <unistd.h>

namespace agentpool::sandboxd {

namespace fs = std::filesystem;

namespace {

bool on_path(const std::string& program) {
  if (program.find('/') != std::string::npos)
    return ::access(program.c_str(), X_OK) == 0;
  for (auto folder : {"/usr/local/sbin/", "/usr/local/bin/", "/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/"})
    if (::access((folder + program).c_str(), X_OK) == 0)
      return true;
  return false;
}

result<void> check_programs(const options& wanted) {
  struct need {
    std::string program, package;
  };
  std::vector<need> needs{{wanted.runtime, std::filesystem::path{wanted.runtime}.filename().string()},
    {"mkfs.ext4", "e2fsprogs"}, {"nsenter", "util-linux"}};
  if (wanted.network == network_mode::nat) {
    needs.push_back({"slirp4netns", "slirp4netns"});
    needs.push_back({"ip", "iproute2"});
  }
  for (const auto& [program, package] : needs)
    if (!on_path(program))
      return fail(errc::unsupported,
        "there is no " + program + " on this machine; install it with: apt-get install " + package);
  return {};
}

// What the tests do not prove on every machine is tried.
result<void> check_runtime(const options& wanted) {
  auto runtime = inspect_runtime(wanted.runtime);
  if (!runtime)
    return tl::unexpected{runtime.error()};
  if (runtime->gvisor && !on_path("ip"))
    return fail(errc::unsupported, "runsc needs ip; install it with: apt-get install iproute2");
  return runtime->name == "runc" ? result<void>{} : try_runtime(wanted);
}

result<void> check_files(const options& wanted) {
  if (::access(wanted.envd.c_str(), X_OK) != 0)
    return fail(
      errc::unsupported, "there is no envd at " + wanted.envd + "; build it or name it with --envd");
  if (!template_store{wanted.templates}.find({"base", {}}))
    return fail(errc::unsupported,
      "there is no template base in " + wanted.templates + "; make it with scripts/build-template");
  if (wanted.data.find_first_of(",:\\\"") != std::string::npos)
    return fail(
      errc::unsupported, "--data must not have commas, colons, backslashes or quotes: overlayfs reads them");
  if (wanted.network == network_mode::nat && ::access("/dev/net/tun", R_OK | W_OK) != 0)
    return fail(errc::unsupported,
      "/dev/net/tun cannot be opened; load the kernel module tun, or start with --network none");
  if (::access("/dev/loop-control", R_OK | W_OK) != 0)
    return fail(errc::unsupported, "/dev/loop-control cannot be opened; load the kernel module loop");
  return {};
}

result<void> check_mounts(const options& wanted) {
  auto at = wanted.data + "/check";
  fs::create_directories(at);
  auto bound =
    template_store{wanted.templates}.find({"base", {}}).and_then([&](const template_version& base) {
      return bind_idmapped(base.root(), at, 0x20000000);
    });
  if (bound)
    ::umount2(at.c_str(), MNT_DETACH);
  if (!bound)
    return fail(errc::unsupported, "this machine has no id-mapped mounts (" + bound.error().text() +
                                     "); use Linux 5.19 or later with the template on ext4, xfs or btrfs");
  return {};
}

} // namespace

result<void> check_root() {
  if (::geteuid() != 0)
    return fail(
      errc::unsupported, "sandboxes need root; start sandboxd as root, or agentpoold without hands");
  return {};
}

result<void> check_isolation(const options& wanted) {
  return check_root()
    .and_then([&] { return check_mirrors(wanted.sources); })
    .and_then([&] { return check_programs(wanted); })
    .and_then([&] { return check_files(wanted); })
    .and_then([&] { return check_mounts(wanted); })
    .and_then([&] { return check_runtime(wanted); });
}

} // namespace agentpool::sandboxd
