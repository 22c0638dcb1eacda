// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/directory.hpp"
#include "actors/settings.hpp"
#include "protocol/ports/clock.hpp"
#include "protocol/wire/defaults.hpp"

#include <caf/typed_response_promise.hpp>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

namespace agentpool {

struct registry_config {
  session_settings settings;
  std::set<std::string> profiles; ///< names that a session may ask for
  std::shared_ptr<const ports::wall_clock> clock;
};

/// The SESSION REGISTRY: the one place that decides whether a caller may speak to a session, and the way to
/// its actor.
///
///   (not in memory) ──► starting ──► live ──► leaving ──► (not in memory)
///                          ▲                     │ something came in between
///                          └─────────────────────┘
///   live ── DELETE ──► (unknown)
///
/// Requests for a session that is `starting` or `leaving` wait, bounded; so no message ever reaches an actor
/// that is about to end.
class session_registry_state {
public:
  static inline const char* name = "agentpool.session_registry";

  session_registry_state(session_registry_actor::pointer self, registry_config config);
  session_registry_actor::behavior_type make_behavior();

private:
  enum class phase : uint8_t { starting, live, leaving };
  using waiter = std::function<void(const caf::expected<session_actor>&)>;

  struct entry {
    device_id device;
    phase state = phase::starting;
    session_actor handle;
    std::vector<waiter> waiting;
  };

  /// A DELETE on its way, and who waits for it.
  struct erasure {
    device_id device;
    std::vector<caf::typed_response_promise<void>> waiting;
  };

  // -- devices (registry_devices.cpp)
  void load_devices();
  caf::expected<device_id> authenticate(const caller& who) const;
  caf::result<device_created> create_device(const std::string& label);
  caf::result<device_id> ensure_device(const std::string& label, const std::string& token);
  void store_device(
    const std::string& label, const std::string& token, caf::typed_response_promise<device_id> answer);

  // -- sessions (registry_sessions.cpp)
  caf::result<session_view> create_session(const caller& who, create_request wanted, idempotency once);
  void store_session(const device_id& device, const create_request& wanted, const idempotency& once,
    caf::typed_response_promise<session_view> answer);
  void recall_session(const device_id& device, const idempotency& once,
    caf::typed_response_promise<session_view> answer, std::function<void()> unknown);
  caf::result<session_list> list(const caller& who, const std::string& cursor, uint64_t limit);
  void ask_views(session_page page, caf::typed_response_promise<session_list> answer);
  caf::result<session_view> view(const caller& who, const session_id& id);
  caf::result<void> authorize(const caller& who, const session_id& id);
  caf::result<std::vector<actor_status>> statuses();

  // -- deletion (registry_erase.cpp)
  caf::result<void> erase(const caller& who, const session_id& id);
  void erase_session(const session_id& id, const session_actor& session);
  void erased(const session_id& id, const caf::expected<void>& outcome);

  // -- routing (session_registry.cpp)
  /// Runs `then` with the session's actor once `device` is known to own it; brings it into memory when
  /// needed.
  void with_session(const device_id& device, const session_id& id, waiter then);
  /// The session's actor when `device` may ask it at once; null otherwise.
  session_actor reachable(const device_id& device, const session_id& id) const;
  void owned_row(
    const device_id& device, const session_id& id, std::function<void(caf::expected<session_row>)> then);
  void start(const session_id& id);
  void settle(const session_id& id, const caf::expected<session_actor>& outcome);
  void leave(const session_id& id);
  void stay(const session_id& id);
  void gone(const session_id& id);
  caf::result<prompt_accepted> prompt(const caller& who, const session_id& id, prompt_order order);
  caf::result<subscribed> subscribe(const session_id& id, const viewer_actor& viewer, bool live);
  void recall_prompt(const device_id& device, const session_id& id, const idempotency& once,
    caf::typed_response_promise<prompt_accepted> answer);
  void recover();
  void resume(const session_id& id);
  void begin(const session_id& id);
  size_t turns_of(const device_id& device) const;
  void asked(const device_id& device, const session_id& id);
  void answer_drain();
  void note_turn(const session_id& id, const device_id& device, bool running);
  caf::result<void> drain();
  actor_status status() const;

  template <class Reply, class... Ts>
  caf::result<Reply> forward(const caller& who, const session_id& id, Ts... message);
  template <class... Ts>
  void pass_on(const session_id& id, Ts... message);

  session_registry_actor::pointer self_;
  registry_config config_;
  std::unordered_map<std::string, device_id> devices_; ///< by token hash
  bool devices_loaded_ = false;
  std::vector<std::function<void()>> after_load_; ///< what waits for the devices
  std::map<session_id, entry> entries_;
  std::map<session_id, erasure> erasing_;
  std::map<session_id, device_id> running_; ///< sessions with a turn
  std::map<device_id, uint32_t> turns_;
  std::map<device_id, std::map<session_id, unsigned>> asking_; ///< prompts that were not answered for yet
  size_t recovering_ = 1; ///< sessions with work, and the question which these are
  bool draining_ = false;
  std::vector<caf::typed_response_promise<void>> drained_;
};

session_registry_actor spawn_session_registry(caf::actor_system& sys, registry_config config);

} // namespace agentpool
