// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/kept_content.hpp"

#include <algorithm>

namespace agentpool::world {

namespace {

// Many empty files cost something too.
size_t cost(const std::string& path, const std::string& content) {
  constexpr size_t around = 256;
  return path.size() + content.size() + around;
}

} // namespace

std::shared_ptr<const std::string> kept_content::find(std::string_view path, std::string_view version) {
  auto found = std::ranges::find(files_, path, &file::path);
  if (found == files_.end() || found->version != version)
    return nullptr;
  files_.splice(files_.begin(), files_, found);
  return found->content;
}

void kept_content::put(const std::string& path, const std::string& version, std::string content) {
  if (auto old = std::ranges::find(files_, path, &file::path); old != files_.end())
    erase(old);
  if (content.size() > defaults::kept_file)
    return;
  bytes_ += cost(path, content);
  files_.push_front({path, version, std::make_shared<const std::string>(std::move(content))});
  while (bytes_ > defaults::kept_content)
    erase(std::prev(files_.end()));
}

void kept_content::clear() {
  files_.clear();
  bytes_ = 0;
}

void kept_content::erase(std::list<file>::iterator which) {
  bytes_ -= cost(which->path, *which->content);
  files_.erase(which);
}

} // namespace agentpool::world
