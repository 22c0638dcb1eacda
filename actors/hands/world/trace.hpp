// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/hands/world/loop.hpp"
#include "protocol/wire/world.hpp"

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// What tool calls have cost, for the operator (docs/operations.md).
namespace agentpool::world {

class tool_trace;

/// One call of envd. It ends when the last holder drops it.
class traced_call {
public:
  traced_call(std::shared_ptr<tool_trace> of, size_t index, uint32_t round, bool awaited);
  ~traced_call() { end(); }
  traced_call(const traced_call&) = delete;
  traced_call& operator=(const traced_call&) = delete;

  /// Its first word came: whatever is asked from now on is another round trip.
  void answered();
  void add_bytes(size_t bytes);
  void failed(const failure& why);
  /// Nobody waits for it any more.
  void end();

private:
  std::shared_ptr<tool_trace> of_;
  const size_t index_; ///< in the list; none: only counted
  const uint32_t round_;
  const bool awaited_;
  bool answered_ = false, ended_ = false;
};

/// How a call of envd counts.
enum class call_kind : uint8_t {
  plain,  ///< shares the few connections of a hand
  stream, ///< has a connection of its own
  aside,  ///< nobody waits for it: a request, no round trip
};

/// What one tool call has asked of envd; or what was asked between two of them.
class tool_trace : public std::enable_shared_from_this<tool_trace> {
public:
  tool_trace(std::shared_ptr<loop> home, std::string id, std::string name, loop::time_point begun);

  std::shared_ptr<traced_call> begin(std::string_view what, std::string_view subject, call_kind kind);
  /// An answer that was known.
  void hit() { ++hits_; }
  /// Waits for a call that went out already: a round trip, no request.
  std::shared_ptr<traced_call> join();
  /// A request of the brain came, or was answered.
  void seen_now();

  const std::string& id() const { return id_; }
  bool is_recent(std::chrono::milliseconds within) const { return home_->now() - last_ < within; }
  std::string turn; ///< the turn that ran when it began; empty while that is not known
  std::string json() const;

private:
  friend class traced_call;
  struct line {
    std::string what, subject;
    uint32_t round = 0; ///< 0: aside
    loop::time_point begun{}, ended{};
    uint64_t bytes = 0;
    std::string error;
    bool open = true;
  };

  uint32_t await(call_kind kind);

  std::shared_ptr<loop> home_;
  const std::string id_, name_;
  const loop::time_point begun_;
  loop::time_point last_;
  loop::duration provider_{}; ///< time in which a call was awaited
  loop::time_point provider_since_{};
  size_t open_ = 0;       ///< calls that are awaited
  uint32_t rounds_ = 0;   ///< in all
  uint32_t answered_ = 0; ///< the last of them that was answered
  uint32_t wave_ = 0;     ///< the one in which calls go out now, with so many plain ones:
  size_t in_wave_ = 0;
  uint64_t requests_ = 0, bytes_ = 0, hits_ = 0;
  std::vector<line> lines_;
};

/// The traces of one session's tool calls, the newest; gone with the world.
class trace_book {
public:
  explicit trace_book(std::shared_ptr<loop> home) : home_{std::move(home)} {}

  /// The trace of the tool call that `request` belongs to. `fresh`: it has none yet.
  std::shared_ptr<tool_trace> open(const call& request, bool& fresh);
  /// `{"tools":[…]}`, the oldest first; of `turn` only, unless that is empty.
  std::string json(std::string_view turn) const;

private:
  std::shared_ptr<loop> home_;
  std::deque<std::shared_ptr<tool_trace>> tools_;
};

} // namespace agentpool::world
