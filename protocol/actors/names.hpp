// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/actors/interfaces.hpp"

#include <caf/actor_registry.hpp>
#include <caf/actor_system.hpp>

#include <string_view>

namespace agentpool {

/// The names of actors of which there is one. A supervisor puts the current handle under the name at every
/// (re)start, so that siblings find each other again: look the name up at each use, keep no handle.
namespace names {
inline constexpr std::string_view store = "store";
inline constexpr std::string_view store_reader = "store_reader";
inline constexpr std::string_view once = "once";
inline constexpr std::string_view timer_service = "timer_service";
inline constexpr std::string_view homes = "homes";
inline constexpr std::string_view broker = "broker";
inline constexpr std::string_view worker_pool = "worker_pool";
inline constexpr std::string_view session_sup = "session_sup";
inline constexpr std::string_view session_registry = "session_registry";
inline constexpr std::string_view viewer_sup = "viewer_sup";
inline constexpr std::string_view ops_monitor = "ops_monitor";
inline constexpr std::string_view reaper = "reaper";
} // namespace names

/// The actor of this name. A null handle when there is none at the moment: the caller answers `overloaded`.
template <class Handle>
Handle find(caf::actor_system& sys, std::string_view name) {
  auto ptr = sys.registry().get(std::string{name});
  return ptr ? caf::actor_cast<Handle>(std::move(ptr)) : Handle{};
}

inline store_actor find_store(caf::actor_system& sys) {
  return find<store_actor>(sys, names::store);
}
inline store_reader_actor find_reader(caf::actor_system& sys) {
  return find<store_reader_actor>(sys, names::store_reader);
}
inline once_actor find_once(caf::actor_system& sys) {
  return find<once_actor>(sys, names::once);
}
inline timer_service_actor find_timers(caf::actor_system& sys) {
  return find<timer_service_actor>(sys, names::timer_service);
}
inline homes_actor find_homes(caf::actor_system& sys) {
  return find<homes_actor>(sys, names::homes);
}
inline broker_actor find_broker(caf::actor_system& sys) {
  return find<broker_actor>(sys, names::broker);
}
inline worker_pool_actor find_pool(caf::actor_system& sys) {
  return find<worker_pool_actor>(sys, names::worker_pool);
}
inline session_sup_actor find_session_sup(caf::actor_system& sys) {
  return find<session_sup_actor>(sys, names::session_sup);
}
inline session_registry_actor find_registry(caf::actor_system& sys) {
  return find<session_registry_actor>(sys, names::session_registry);
}
inline viewer_sup_actor find_viewer_sup(caf::actor_system& sys) {
  return find<viewer_sup_actor>(sys, names::viewer_sup);
}
inline reaper_actor find_reaper(caf::actor_system& sys) {
  return find<reaper_actor>(sys, names::reaper);
}
inline ops_monitor_actor find_ops_monitor(caf::actor_system& sys) {
  return find<ops_monitor_actor>(sys, names::ops_monitor);
}

} // namespace agentpool
