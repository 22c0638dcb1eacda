// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandboxd/isolation/mirrors.hpp"
#include "sandboxd/isolation/network.hpp"
#include "sandboxd/isolation/runtime_config.hpp"
#include "sandboxd/limits.hpp"

#include <string>

namespace agentpool::sandboxd {

/// The command line; `sandboxd/README.md` explains each.
struct options {
  std::string data;
  std::string address = "127.0.0.1";
  int port = 0;
  std::string domain;       ///< of host names; empty = none
  std::string api_key_file; ///< made when missing; default: DATA/api-key
  std::string templates = "/opt/agentpool/templates";
  std::string envd;             ///< default: beside the program
  std::string conf;             ///< conf/sandbox
  std::string runtime = "runc"; ///< an OCI runtime: name or path
  network_mode network = network_mode::nat;
  mirrors sources;
  sandbox_limits limits;
  size_t sandboxes = 100;
  uint64_t disk_reserve = limits::disk_reserve;
  bool check_only = false;
};

} // namespace agentpool::sandboxd
