// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/hands/world/hand_io.hpp"

#include <functional>
#include <memory>

namespace agentpool::world {

/// What commands left running in the hand (`server &`): it may change files, so that what is known of them
/// holds 2 s at most until a small program in the hand says that all of it is gone. The program runs while
/// the hand is used now and then, one at a time.
class survivors : public std::enable_shared_from_this<survivors> {
public:
  /// Lends the hand for the program, when there is one.
  using borrow = std::function<void(hand_io::then<std::shared_ptr<hand_io>>)>;

  survivors(std::shared_ptr<known_files> known, borrow hand)
      : known_{std::move(known)}, borrow_{std::move(hand)} {}

  /// Something that began at this tick of the hand, or later, may live on; 0: at any time.
  void left(uint64_t since);
  /// The hand was lent: a watch that is over without a result begins again.
  void go_on();
  /// All processes of the hand are gone.
  void forget();

private:
  void watch();
  void watched(uint64_t which, bool gone);

  std::shared_ptr<known_files> known_;
  borrow borrow_;
  known_files::writer writes_; ///< while there may be something
  uint64_t since_ = 0;
  uint64_t watch_ = 0; ///< the one that counts
  bool watching_ = false;
  bool again_ = false; ///< the watch that runs does not see all
};

} // namespace agentpool::world
