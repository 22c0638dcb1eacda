// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/ports/operation.hpp"
#include "protocol/ports/sandbox_link.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace agentpool::ports {

/// What to create. Metadata carries a value that the caller recognizes its own creations by: a `create` that
/// ended with `outcome_unknown` is looked for with `list`.
struct sandbox_spec {
  std::string template_id = "base"; ///< id, alias or `name:tag`
  std::chrono::seconds timeout{};   ///< 1 s or more until the provider ends or pauses it by itself
  bool auto_pause = false;          ///< at the timeout: pause instead of kill
  std::optional<bool> allow_internet;
  std::map<std::string, std::string> metadata;
  std::map<std::string, std::string> env; ///< of every process in it
};

/// How to reach a sandbox. The tokens are secrets: never logged, never sent to a client.
struct sandbox_access {
  std::string id;
  std::string envd_token;    ///< empty = envd asks for none
  std::string traffic_token; ///< of ports other than envd's; empty = none
  std::string domain;        ///< the provider's word; empty = the configured one
  std::string envd_version;  ///< "0.0.0" when not told. Says little: some providers always say "0.2.0"
  std::string template_id;
};

/// A connect that worked.
struct sandbox_connected {
  sandbox_access access;
  bool resumed = false; ///< the provider says that it was paused (not every provider does)
};

enum class sandbox_state : uint8_t { running, paused, other };

/// What the provider knows of a sandbox. Times in milliseconds since the Unix epoch, 0 = not told.
struct sandbox_info {
  std::string id;
  std::string template_id;
  sandbox_state state = sandbox_state::other;
  std::string state_text; ///< as the provider said it
  int64_t started_at = 0;
  int64_t end_at = 0;
  std::string envd_version;
  std::map<std::string, std::string> metadata;
};

/// Which sandboxes to list: those whose metadata has all of these values. Not every provider filters; the
/// client does what the provider did not.
struct sandbox_query {
  std::map<std::string, std::string> metadata;
  std::string cursor;   ///< of the page before; empty = start
  uint32_t limit = 100; ///< 1…100 asked for; a provider may give more
};

struct sandbox_page {
  std::vector<sandbox_info> sandboxes;
  std::string next; ///< cursor of the next page; empty = this was the last one
};

/// The control plane of a sandbox provider (E2B wire). Every call returns at once; see `completion`. Errors:
/// `hand_unreachable` (no connection or no answer, and nothing was changed), `outcome_unknown` (a change that
/// may have happened), `hand_deleted` and `hand_stopped` (the provider's own word), `provider_unauthorized`,
/// `provider_refused`, `provider_busy` (429, 503, capacity: later), `provider_failed` (5xx),
/// `provider_nonsense` (an answer that is none), `cancelled`. Repeats by itself, within `limits.total`: what
/// surely was not executed, and everything that may be executed twice.
class sandbox_api {
public:
  virtual ~sandbox_api() = default;

  /// Never repeated once it was sent.
  virtual operation_id create(sandbox_spec spec, call_limits limits, completion<sandbox_access> done) = 0;

  /// Makes sure that it runs: resumes a paused one. Its timeout is at least `timeout` afterwards when the
  /// provider keeps its word; `set_timeout` makes sure. Unknown to the provider: `hand_deleted`.
  virtual operation_id connect(
    std::string id, std::chrono::seconds timeout, call_limits limits, completion<sandbox_connected> done) = 0;

  /// Nothing = the provider says that there is no such sandbox.
  virtual operation_id info(
    std::string id, call_limits limits, completion<std::optional<sandbox_info>> done) = 0;

  /// One page, running and paused ones.
  virtual operation_id list(sandbox_query query, call_limits limits, completion<sandbox_page> done) = 0;

  /// False = there was none.
  virtual operation_id kill(std::string id, call_limits limits, completion<bool> done) = 0;

  /// It ends or pauses `timeout` from now (may be sooner than before). Paused: `hand_stopped`; unknown:
  /// `hand_deleted`.
  virtual operation_id set_timeout(
    std::string id, std::chrono::seconds timeout, call_limits limits, completion<void> done) = 0;

  /// It ends at the earliest `timeout` from now (never sooner than before); falls back to `set_timeout` where
  /// the provider has no such call. Errors as `set_timeout`.
  virtual operation_id refresh(
    std::string id, std::chrono::seconds timeout, call_limits limits, completion<void> done) = 0;

  /// Ends the call; its callback gets `cancelled` unless its answer is already on the way. A change may have
  /// happened all the same. Unknown ids are ignored.
  virtual void cancel(operation_id id) = 0;

  /// The data plane of one sandbox in one generation. Opens no connection before the first call.
  virtual std::shared_ptr<sandbox_link> link(const sandbox_access& access) = 0;
};

} // namespace agentpool::ports
