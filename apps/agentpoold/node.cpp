// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoold/node.hpp"

#include "actors/directory.hpp"
#include "actors/hands/broker.hpp"
#include "actors/hands/reaper.hpp"
#include "actors/hands/world/world.hpp"
#include "actors/ops/ops_monitor.hpp"
#include "actors/sessions/session_registry.hpp"
#include "actors/sessions/session_sup.hpp"
#include "actors/sessions/viewer_sup.hpp"
#include "actors/store/once.hpp"
#include "actors/store/store.hpp"
#include "actors/store/store_reader.hpp"
#include "actors/supervision/timer_service.hpp"
#include "actors/workers/homes.hpp"
#include "actors/workers/worker_config.hpp"
#include "actors/workers/worker_pool.hpp"
#include "net/process/brain_homes.hpp"
#include "net/store/database.hpp"

#include <stdexcept>

namespace agentpool {

namespace {

/// A child that cannot be made counts as failed: the supervisor tries again, then gives up with this reason.
template <class T>
T or_throw(result<T> made) {
  if (!made)
    throw std::runtime_error(made.error().text());
  return std::move(*made);
}

std::set<std::string> profile_names(const pool_settings& pool) {
  std::set<std::string> out;
  for (const auto& [name, profile] : pool.profiles)
    out.insert(name);
  return out;
}

template <class F>
child_spec child(std::string_view name, F spawn) {
  child_spec out{.name = std::string{name}, .start = starter(std::move(spawn))};
  out.infrastructure = true;
  return out;
}

std::vector<child_spec> infrastructure(const node_parts& parts) {
  auto store = child(names::store, [parts](caf::actor_system& sys) {
    return spawn_store(sys, or_throw(net::open_database(parts.data_dir)), *parts.clock);
  });
  store.restarts_following = true;
  // Its timers and the broker's grants live in memory only, and owners do not notice their loss: they start
  // anew with it.
  auto timers = child(names::timer_service, [](caf::actor_system& sys) { return spawn_timer_service(sys); });
  auto broker = child(names::broker, [parts](caf::actor_system& sys) {
    return spawn_broker(sys, {hand_config{parts.hands, parts.provider, parts.clock, {}}, spawn_world});
  });
  timers.restarts_following = broker.restarts_following = true;
  return {
    timers,
    store,
    child(names::store_reader,
      [parts](caf::actor_system& sys) {
        return spawn_store_reader(sys, or_throw(net::open_reader(parts.data_dir)));
      }),
    child(names::once, [parts](caf::actor_system& sys) { return spawn_once(sys, *parts.clock); }),
    child(names::homes,
      [parts](caf::actor_system& sys) {
        return spawn_homes(sys, or_throw(net::make_brain_homes(parts.data_dir)), parts.pool);
      }),
    broker,
  };
}

} // namespace

std::vector<child_spec> node_children(const node_parts& parts) {
  auto out = infrastructure(parts);
  if (parts.provider)
    out.push_back(child(names::reaper, [parts](caf::actor_system& sys) {
      return spawn_reaper(sys, hand_config{parts.hands, parts.provider, parts.clock, {}});
    }));
  auto pool = child(names::worker_pool, [parts](caf::actor_system& sys) {
    return spawn_worker_pool(sys, parts.pool, make_worker_factory({parts.launcher, parts.gate}));
  });
  pool.stop_grace = 4 * defaults::end_grace + defaults::close_deadline;
  out.push_back(pool);
  out.push_back(child(
    names::viewer_sup, [parts](caf::actor_system& sys) { return spawn_viewer_sup(sys, parts.viewers); }));
  auto sessions = child(names::session_sup, [parts](caf::actor_system& sys) {
    return spawn_session_sup(sys, session_config{parts.sessions, parts.clock});
  });
  sessions.stop_grace =
    4 * defaults::end_grace + defaults::close_deadline; // their workers give the logs back
  sessions.restarts_following = true;                   // the registry holds handles of its children
  out.push_back(sessions);
  out.push_back(child(names::session_registry, [parts](caf::actor_system& sys) {
    return spawn_session_registry(
      sys, registry_config{parts.sessions, profile_names(parts.pool), parts.clock});
  }));
  out.push_back(child(names::ops_monitor, [](caf::actor_system& sys) { return spawn_ops_monitor(sys); }));
  return out;
}

result<uint32_t> sweep_homes(const std::string& data_dir) {
  auto database = net::open_database(data_dir); // makes the schema before the first read
  if (!database)
    return tl::unexpected{database.error()};
  auto reader = net::open_reader(data_dir);
  if (!reader)
    return tl::unexpected{reader.error()};
  auto known = (*reader)->brain_sessions();
  if (!known)
    return tl::unexpected{known.error()};
  auto homes = net::make_brain_homes(data_dir);
  if (!homes)
    return tl::unexpected{homes.error()};
  return (*homes)->sweep(*known);
}

} // namespace agentpool
