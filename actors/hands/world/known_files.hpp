// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/hands/world/kept_content.hpp"
#include "actors/hands/world/loop.hpp"
#include "actors/hands/world/path.hpp"
#include "protocol/wire/errors.hpp"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace agentpool::world {

/// What is known of a hand's files: one lstat per path, and content. It holds as long as nothing ran in the
/// hand that could have changed them: each command's start and end begins a new generation, in which nothing
/// is known any more. While a command, or what one left behind, runs (`writer`), a generation lasts 2 s at
/// most. Time alone expires nothing. Does no I/O; on its loop only.
class known_files : public std::enable_shared_from_this<known_files> {
public:
  /// When a question is asked. Its answer is kept if nothing happened until it came.
  struct moment {
    uint64_t generation = 0;
    uint64_t changes = 0; ///< by us
    friend auto operator<=>(const moment&, const moment&) = default;
  };
  using answer = std::function<void(result<seen>)>;
  /// A question on its way, and who waits for its answer.
  struct flight {
    moment asked;
    std::vector<answer> waiting;
  };

  explicit known_files(std::shared_ptr<loop> home) : home_{std::move(home)} {}
  ~known_files() { home_->stop(timer_); }
  known_files(const known_files&) = delete;
  known_files& operator=(const known_files&) = delete;

  /// The hand whose files are looked at from now on; one that was connected again may have changed.
  void enter(uint64_t hand_generation, uint64_t continuity);

  // -- what is known

  /// The lstat of `path`; null when it must be asked for.
  const seen* find(const std::string& path) const;
  /// What is known may be out of date, by 2 s at most.
  bool is_restless() const { return writers_ > 0; }
  void put(const std::string& path, seen what, const moment& asked);
  moment now() const { return {generation_, changes_}; }
  kept_content& content() { return content_; }

  // -- what changes it

  /// Held by what runs in the hand and may change files. Its begin and its end are changes.
  using writer = std::shared_ptr<void>;
  writer begin_writer();
  /// We changed `path`, and with it the directory that it is in: what has this file below another name, what
  /// is below it and the directories above are not known any more.
  void touch(const std::string& path);

  // -- asking: everything that was used is asked for again together

  /// Somebody needs `path`.
  void use(const std::string& path);
  /// What was used before a change and is not known since; once in each generation.
  std::vector<std::string> ahead();
  /// The flight that `path` is on; null: it is on none.
  std::shared_ptr<flight> find_flight(const std::string& path) const;
  std::shared_ptr<flight> start_flight(const std::string& path);
  /// Keeps the answer and tells it to all that wait.
  void land(const std::string& path, const std::shared_ptr<flight>& one, result<seen> got);

private:
  struct use_of {
    uint64_t last = 0;  ///< counts uses
    size_t in_vain = 0; ///< asked for ahead, and not used until the next time
  };

  void change();
  void forget(const std::string& path);
  void forget_all();
  std::vector<std::string> below(const std::string& path) const;
  void touch_link(const std::string& link, const ports::entry_info& entry, const std::string& by,
    std::vector<std::string>& gone) const;

  std::shared_ptr<loop> home_;
  uint64_t hand_generation_ = 0, continuity_ = 0;
  uint64_t generation_ = 1, changes_ = 0;
  size_t writers_ = 0;
  loop::timer timer_ = 0; ///< the end of a generation while something may write
  std::map<std::string, seen> entries_;
  size_t path_bytes_ = 0; ///< of the names of all entries
  std::map<std::string, use_of> used_;
  uint64_t uses_ = 0, asked_ahead_ = 0;
  std::map<std::string, std::shared_ptr<flight>> flights_;
  kept_content content_;
};

} // namespace agentpool::world
