// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <spdlog/spdlog.h>

#include <string>

/// One logger per area. The composition root registers them with spdlog under these names; an area that has
/// none (tests) is silent. Use: `log::session().info("{} attached", id.value)`.
namespace agentpool::log {

/// The logger of `area`; it lives until spdlog is shut down.
inline spdlog::logger& area(const std::string& name) {
  static spdlog::logger silent{"silent"}; // has no sinks
  auto registered = spdlog::get(name);
  return registered ? *registered : silent;
}

inline spdlog::logger& net() {
  return area("net");
}
inline spdlog::logger& session() {
  return area("session");
}
inline spdlog::logger& worker() {
  return area("worker");
}
inline spdlog::logger& store() {
  return area("store");
}
inline spdlog::logger& cluster() {
  return area("cluster");
}
inline spdlog::logger& ops() {
  return area("ops");
}

} // namespace agentpool::log
