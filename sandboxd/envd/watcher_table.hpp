// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/connect.hpp"
#include "sandboxd/envd/watcher.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace agentpool::envd {

/// How many watchers there are, and the polling ones by their ids. Used by one thread.
class watcher_table {
public:
  using watcher_ptr = std::shared_ptr<watcher>;
  using seat = std::shared_ptr<const void>;

  /// The right to have one watcher, as long as it is kept; `resource_exhausted`.
  connect::outcome<seat> take_seat();

  /// Its id from now on.
  std::string add(watcher_ptr who, seat of);
  /// `not_found`.
  connect::outcome<watcher_ptr> find(const std::string& id) const;
  /// Stops it; `not_found`.
  connect::outcome<void> remove(const std::string& id);

private:
  struct polled {
    watcher_ptr who;
    seat of;
  };
  std::shared_ptr<size_t> taken_ = std::make_shared<size_t>(0);
  std::map<std::string, polled> polled_;
};

} // namespace agentpool::envd
