// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/hands/world/loop.hpp"
#include "actors/hands/world/path.hpp"
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

/// A hand that was lent for one operation: its files and processes with the answers brought home. Everything
/// that goes on holds it; the last one gives it back.
class hand_io : public std::enable_shared_from_this<hand_io> {
public:
  using give_back = std::function<void(hand_outcome, std::string why)>; ///< from any thread
  template <class T>
  using then = std::function<void(result<T>)>;

  hand_io(std::shared_ptr<loop> home, std::shared_ptr<ports::sandbox_link> link, uint64_t continuity,
    give_back done);
  ~hand_io();
  hand_io(const hand_io&) = delete;
  hand_io& operator=(const hand_io&) = delete;

  ports::sandbox_link& link() { return *link_; }
  const std::shared_ptr<loop>& home() const { return home_; }
  uint64_t continuity() const { return continuity_; }

  /// What asked for the hand is over; what it left running is watched from here on.
  void leave() { done_(hand_outcome::left, {}); }

  /// Remembers what a failure says about the hand; the worst counts.
  void failed(const failure& why);

  /// A completion for the link that calls `next` at home.
  template <class T>
  ports::completion<T> bring(then<T> next) {
    homing back{home_, [self = shared_from_this(), next = std::move(next)](result<T> got) {
                  if (!got)
                    self->failed(got.error());
                  next(std::move(got));
                }};
    return [back = std::move(back)](result<T> got) { back.last(std::move(got)); };
  }

  /// lstat; a component that is no directory means that there is nothing.
  void lstat(const std::string& path, then<seen> next);
  /// lstats in parallel, some at a time; the first failure counts.
  void lstats(std::vector<std::string> paths, then<std::vector<seen>> next);
  /// stat: of what a link leads to; nothing for one that leads nowhere.
  void stat(const std::string& path, then<seen> next);

  /// The whole file; `payload_too_large` when it has more than `most` bytes.
  void read_all(const std::string& path, size_t most, then<std::string> next);

  /// Removes a file of ours, missing or not; nobody is told.
  void remove(const std::string& path);

  /// Runs a small program of ours to its end; keeps `most` bytes of what it prints.
  void run(std::vector<std::string> argv, const std::string& user, size_t most, then<script_output> next,
    ports::stream_options options = {});

private:
  struct wave;

  void lstat_next(const std::shared_ptr<wave>& all);
  void follow(const std::string& path, int links, then<seen> next);

  std::shared_ptr<loop> home_;
  std::shared_ptr<ports::sandbox_link> link_;
  uint64_t continuity_;
  give_back done_;
  hand_outcome outcome_ = hand_outcome::done;
  std::string why_;
};

/// The user of the hand in whose name files are made and commands run.
inline const std::string hand_user = "user";

} // namespace agentpool::world
