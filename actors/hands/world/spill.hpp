// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/hands/world/event_out.hpp"
#include "actors/hands/world/hand_io.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace agentpool::world {

/// The complete copy of one output stream in a file of the hand. Nothing is written while the stream fits
/// into its reader's tail; then all of it goes into the file as it comes, until it is larger than the file
/// may be: then the file is removed again.
class spill : public std::enable_shared_from_this<spill> {
public:
  /// `told` gets the path when the file begins, and nothing when there is none any more.
  spill(std::shared_ptr<hand_io> hand, std::string path, uint64_t tail, uint64_t most,
    std::function<void(std::optional<std::string>)> told);

  /// The next bytes; `held` is kept until the hand asked for them.
  void feed(std::string_view bytes, event_out::credit held);
  /// No more will come: `then` runs when the file is complete, or at once when there is none.
  void finish(std::function<void()> then);
  /// Nobody wants the file.
  void drop();

private:
  class source;
  struct piece {
    std::string bytes;
    event_out::credit held;
  };
  using pulled = std::function<void(result<std::string>)>;

  void open();
  void pull(size_t most, pulled answer);
  void serve();
  void written(const result<std::string>& how);
  void give_up();

  std::shared_ptr<hand_io> hand_;
  const std::string path_;
  const uint64_t tail_, most_;
  std::function<void(std::optional<std::string>)> told_;
  std::function<void()> then_;
  std::deque<piece> pieces_;
  uint64_t size_ = 0;
  size_t asked_ = 0;
  pulled answer_;
  bool open_ = false, ended_ = false, failed_ = false, done_ = false;
};

} // namespace agentpool::world
