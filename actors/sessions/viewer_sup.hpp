// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/settings.hpp"
#include "protocol/actors/interfaces.hpp"

#include <map>
#include <string>

namespace agentpool {

/// The VIEWER SUPERVISOR: its children are temporary (a stream that broke is opened again by its client).
/// Bounds their number and closes them in order at shutdown.
class viewer_sup_state {
public:
  static inline const char* name = "agentpool.viewer_sup";

  viewer_sup_state(viewer_sup_actor::pointer self, viewer_settings settings);
  ~viewer_sup_state();
  viewer_sup_state(const viewer_sup_state&) = delete;
  viewer_sup_state& operator=(const viewer_sup_state&) = delete;

  viewer_sup_actor::behavior_type make_behavior();

private:
  caf::result<void> watch(viewer_order order, std::shared_ptr<ports::event_sink> sink);
  void on_down(const caf::down_msg& down);
  void stop();
  actor_status status() const;

  viewer_sup_actor::pointer self_;
  viewer_settings settings_;
  std::map<caf::actor_addr, viewer_actor> viewers_;
  std::map<std::string, uint64_t> ended_; ///< by reason
  bool stopping_ = false;
};

viewer_sup_actor spawn_viewer_sup(caf::actor_system& sys, viewer_settings settings);

} // namespace agentpool
