// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandboxd/isolation/mirrors.hpp"
#include "sandboxd/isolation/network.hpp"
#include "sandboxd/isolation/oci_runtime.hpp"
#include "sandboxd/isolation/runtime_config.hpp"

#include <string>

namespace agentpool::sandboxd {

/// Where the runtime finds its parts; the same for all sandboxes.
struct runtime_paths {
  oci_runtime runtime;
  std::string state;         ///< the runtime's own folder
  std::string envd;          ///< the static program
  std::string runtime_json;  ///< text of conf/sandbox/runtime.json
  std::string seccomp_json;  ///< text of conf/sandbox/seccomp.json
  std::string cgroup_parent; ///< of the sandboxes', below each controller's root
};

/// One boot of one sandbox.
struct boot {
  std::string id;
  std::string folder; ///< with disk.img; the rest is made here
  std::string template_root;
  uint32_t first_id = 0;
  uint32_t disk_first_id = 0; ///< of a copied disk; 0: `first_id`
  sandbox_limits limits;
  network_mode network = network_mode::nat;
  egress_policy egress; ///< of the way out
  std::string init;     ///< the text of envd's first /init
  mirrors sources;      ///< written into its disk before this boot
};

/// A sandbox that runs. Dropping it ends it: envd and slirp4netns see the end of their pipes.
struct running_sandbox {
  pid_t init = 0;
  unique_fd pidfd;    ///< readable when its first process is dead
  unique_fd net;      ///< its network namespace
  unique_fd lifeline; ///< envd ends when this is closed
  std::shared_ptr<sandbox_network> network;
  nat way_out;         ///< none when `network` reaches nothing
  unique_fd errors;    ///< what envd writes to its standard error; at its end with the last of the sandbox
  bool frozen = false; ///< its processes stand still
};

/// Mounts, limits, network, then envd; ready when envd serves. Blocks. On failure nothing of the boot is
/// left.
result<running_sandbox> start_sandbox(const runtime_paths& paths, const boot& what);

/// Kills all its processes and takes its root apart; its folder with the disk stays. Blocks.
void stop_sandbox(
  const runtime_paths& paths, const std::string& id, const std::string& folder, running_sandbox sandbox);

/// Ends what a dead process of this program left in the runtime's folder.
void sweep_runtime(const runtime_paths& paths);

} // namespace agentpool::sandboxd
