// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/hands/world/known_files.hpp"
#include "actors/hands/world/loop.hpp"
#include "actors/hands/world/path.hpp"
#include "actors/hands/world/trace.hpp"
#include "protocol/actors/messages.hpp"
#include "protocol/ports/sandbox_link.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace agentpool::world {

/// What a small program in the hand printed and how it ended.
struct script_output {
  std::string out, err;
  bool cut = false; ///< `out` was longer than its bound
  ports::process_end end;
};

/// What the operations of a session share; each may be null.
struct hand_memory {
  std::shared_ptr<known_files> known = nullptr;
  std::shared_ptr<tool_trace> trace = nullptr;
  bool fresh = false;                                        ///< looks again at what is known
  std::function<void(uint64_t since)> left_behind = nullptr; ///< see `command::parts`
};

/// A hand that was lent for one operation: its files and processes with the answers brought home. Everything
/// that goes on holds it; the last one gives it back.
class hand_io : public std::enable_shared_from_this<hand_io> {
public:
  using give_back = std::function<void(hand_outcome, std::string why)>; ///< from any thread
  template <class T>
  using then = std::function<void(result<T>)>;

  hand_io(std::shared_ptr<loop> home, std::shared_ptr<ports::sandbox_link> link, uint64_t continuity,
    give_back done, hand_memory with = {});
  ~hand_io();
  hand_io(const hand_io&) = delete;
  hand_io& operator=(const hand_io&) = delete;

  ports::sandbox_link& link() { return *link_; }
  const std::shared_ptr<loop>& home() const { return home_; }
  uint64_t continuity() const { return continuity_; }
  /// Null: nothing is remembered.
  known_files* known() const { return with_.known.get(); }
  /// Nothing runs in the hand that may change its files: what is known of them is so.
  bool is_quiet() const { return with_.known && !with_.known->is_restless() && !with_.fresh; }

  /// What asked for the hand is over; what it left running is watched from here on.
  void leave() { done_(hand_outcome::left, {}); }

  /// Remembers what a failure says about the hand; the worst counts.
  void failed(const failure& why);

  /// A call of envd begins, for the trace. Null without one.
  using traced = std::shared_ptr<traced_call>;
  traced begin(std::string_view what, std::string_view subject, call_kind kind = call_kind::plain) const;

  /// A completion for the link that calls `next` at home; the call ends with it.
  template <class T>
  ports::completion<T> bring(traced call, then<T> next) {
    homing back{
      home_, [self = shared_from_this(), call = std::move(call), next = std::move(next)](result<T> got) {
        self->over(call, got ? nullptr : &got.error());
        next(std::move(got));
      }};
    return [back = std::move(back)](result<T> got) { back.last(std::move(got)); };
  }

  /// lstat, from what is known when it can be; a component that is no directory means that there is nothing.
  void lstat(const std::string& path, then<seen> next);
  /// The same from the hand itself.
  void lstat_now(const std::string& path, then<seen> next);
  /// lstats in parallel, some at a time; the first failure counts.
  void lstats(std::vector<std::string> paths, then<std::vector<seen>> next);
  /// The same for paths of which each is in the one before: below the first that is not there nothing is
  /// asked.
  void lstats_down(std::vector<std::string> paths, then<std::vector<seen>> next);
  /// stat: of what a link leads to; nothing for one that leads nowhere. `now`: from the hand itself.
  void stat(const std::string& path, then<seen> next, bool now = false);

  /// A program of ours may run on, and change files.
  void doubt() const {
    if (with_.left_behind)
      with_.left_behind(0);
  }
  /// We changed `path`.
  void touch(const std::string& path) const;

  /// The whole file; `payload_too_large` when it has more than `most` bytes.
  void read_all(const std::string& path, size_t most, then<std::string> next);

  /// Removes a file of ours, missing or not; nobody is told.
  void remove(const std::string& path);

  /// A small program of ours.
  struct script {
    std::vector<std::string> argv;
    std::string user;
    size_t most = 0;   ///< bytes that are kept of what it prints
    std::string label; ///< for the trace
    call_kind kind = call_kind::stream;
    ports::stream_options options{};
  };
  /// Runs it to its end.
  void run(script what, then<script_output> next);

private:
  struct wave;
  struct ahead;

  void over(const traced& call, const failure* why);
  void fetch(const std::string& path, call_kind kind, then<seen> next);
  void look_ahead();
  void next_ahead(const std::shared_ptr<ahead>& all);
  void start_wave(wave what);
  void fill(const std::shared_ptr<wave>& all);
  void follow(const std::string& path, int links, bool now, then<seen> next);

  std::shared_ptr<loop> home_;
  std::shared_ptr<ports::sandbox_link> link_;
  uint64_t continuity_;
  give_back done_;
  hand_memory with_;
  hand_outcome outcome_ = hand_outcome::done;
  std::string why_;
};

/// The user of the hand in whose name files are made and commands run.
inline const std::string hand_user = "user";

} // namespace agentpool::world
