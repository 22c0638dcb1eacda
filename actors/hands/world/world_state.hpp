// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/hands/world/actor_loop.hpp"
#include "actors/hands/world/operation.hpp"
#include "actors/hands/world/processes.hpp"
#include "actors/hands/world/survivors.hpp"
#include "actors/hands/world/trace.hpp"
#include "actors/spawn.hpp"

#include <deque>
#include <map>
#include <memory>
#include <string>

namespace agentpool {

/// The world of one session: takes a request apart, borrows the hand for it, lets its operation run.
class world_state {
public:
  static inline const char* name = "world";

  world_state(world_actor::pointer self, session_id session, hand_actor hand);
  ~world_state() { loop_->close(); }
  world_state(const world_state&) = delete;
  world_state& operator=(const world_state&) = delete;

  world_actor::behavior_type make_behavior();

private:
  /// How an operation uses the hand.
  enum class use : uint8_t {
    none,  ///< it has one of its own, or needs none
    probe, ///< never creates one: without a hand the workspace is empty
    wake,
  };
  struct route {
    std::string_view path;
    use hand;
    bool framed;
    void (*run)(world_state&, world::operation);
    bool streams = false; ///< its answer is one
  };
  using replies = caf::typed_response_promise<world::reply>;
  using request_key = std::pair<worker_id, uint64_t>;

  static const route* find_route(const world::call& call);

  caf::result<world::reply> take(world::call& call, std::shared_ptr<ports::world_stream> stream);
  world::answer make_answer(
    const world::call& call, replies promise, std::shared_ptr<world::tool_trace> trace);
  void run(const route& how, const world::call& call, world::operation op);
  void run_app(const route& how, const world::call& call, const world::operation& op, int tries_left);
  void run_probe(const route& how, const world::call& call, const world::operation& op, int tries_left);
  void lend(const route& how, world::operation op, hand_lease lease, bool fresh);
  std::shared_ptr<world::hand_io> take_hand(hand_lease lease, world::hand_memory with);
  void meet(const hand_lease& lease);
  void borrow(world::hand_io::then<std::shared_ptr<world::hand_io>> next);
  std::shared_ptr<world::tool_trace> trace_of(const world::call& call);
  void note(const hand_report& report);
  void no_hand(const route& how, const world::call& call, const world::operation& op, const failure& why);
  void deliver(uint64_t id, world::reply reply);
  void drop(uint64_t id);

  std::shared_ptr<bool> watch_cancel(const world::call& call);
  void cancel(const world::call& call, const world::operation& op);

  void show(live_frame frame);
  actor_status status() const;

  world_actor::pointer self_;
  caf::actor_clock::time_point started_;
  const session_id session_;
  hand_actor hand_;
  session_actor viewer_; // null: no worker holds the session
  std::shared_ptr<world::actor_loop> loop_;
  std::shared_ptr<world::target_queue> targets_ = std::make_shared<world::target_queue>();
  std::shared_ptr<world::known_files> known_ = std::make_shared<world::known_files>(loop_);
  std::shared_ptr<world::survivors> survivors_;
  std::shared_ptr<world::processes> processes_;
  world::trace_book traces_{loop_};
  std::map<uint64_t, replies> answers_;
  uint64_t last_answer_ = 0;
  std::map<request_key, std::shared_ptr<bool>> mutations_;
  std::deque<request_key> early_cancels_; // came before what they cancel
  std::string notice_;                    // a sentence that the model was not told yet
  uint64_t calls_ = 0;
  bool taken_over_ = false; // what an owner before us left running is ended, or being ended
  bool fresh_ = false;      // no sandbox was there when we looked first: nobody before us started anything
  bool met_ = false;        // a hand was lent
  uint64_t continuity_ = 0; // of the hand that was lent last
};

} // namespace agentpool
