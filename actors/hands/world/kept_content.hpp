// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/defaults.hpp"

#include <list>
#include <memory>
#include <string>
#include <string_view>

namespace agentpool::world {

/// Contents of small files by path and version; of each path the newest that came. The longest unused goes
/// when there are too many bytes.
class kept_content {
public:
  /// Null when it is not kept.
  std::shared_ptr<const std::string> find(std::string_view path, std::string_view version);
  void put(const std::string& path, const std::string& version, std::string content);
  void clear();
  size_t bytes() const { return bytes_; }

private:
  struct file {
    std::string path, version;
    std::shared_ptr<const std::string> content;
  };

  void erase(std::list<file>::iterator which);

  std::list<file> files_; ///< the one that was used last is the first
  size_t bytes_ = 0;
};

} // namespace agentpool::world
