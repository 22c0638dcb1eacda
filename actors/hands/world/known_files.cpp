// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/known_files.hpp"

#include "protocol/wire/defaults.hpp"

#include <algorithm>
#include <utility>

namespace agentpool::world {

void known_files::enter(uint64_t hand_generation, uint64_t continuity) {
  if (std::exchange(hand_generation_, hand_generation) == hand_generation && continuity_ == continuity)
    return;
  if (std::exchange(continuity_, continuity) != continuity)
    content_.clear();
  flights_.clear(); // they end with their connection; who waits for them hears of it
  change();         // meanwhile it was out of sight
}

const seen* known_files::find(const std::string& path) const {
  auto found = entries_.find(path);
  return found == entries_.end() ? nullptr : &found->second;
}

void known_files::put(const std::string& path, seen what, const moment& asked) {
  if (asked != now())
    return;
  if (entries_.size() >= defaults::known_files || path_bytes_ >= defaults::known_path_bytes)
    forget_all();
  if (entries_.insert_or_assign(path, std::move(what)).second)
    path_bytes_ += path.size();
  if (is_restless() && timer_ == 0)
    timer_ = home_->after(defaults::known_stale, [weak = weak_from_this()] {
      if (auto self = weak.lock()) {
        self->timer_ = 0;
        self->change();
      }
    });
}

void known_files::forget_all() {
  entries_.clear();
  path_bytes_ = 0;
}

void known_files::change() {
  ++generation_;
  forget_all();
  home_->stop(std::exchange(timer_, 0));
}

known_files::writer known_files::begin_writer() {
  ++writers_;
  change();
  return {this, [weak = weak_from_this()](void*) {
            if (auto self = weak.lock()) {
              --self->writers_;
              self->change();
            }
          }};
}

void known_files::forget(const std::string& path) {
  if (auto found = entries_.find(path); found != entries_.end()) {
    path_bytes_ -= path.size();
    entries_.erase(found);
  }
}

std::vector<std::string> known_files::below(const std::string& path) const {
  auto root = path == "/" ? path : path + '/';
  std::vector<std::string> out;
  for (auto at = entries_.lower_bound(root); at != entries_.end() && at->first.starts_with(root); ++at)
    out.push_back(at->first);
  return out;
}

// Of a link: itself, and what is known below it and is another name of what `by` changed.
void known_files::touch_link(const std::string& link, const ports::entry_info& entry, const std::string& by,
  std::vector<std::string>& gone) const {
  auto nowhere = leads_nowhere(entry);
  if (nowhere || within(by, entry.link_target)) // what it says of its target may be another thing now
    gone.push_back(link);
  for (auto& path : below(link)) {
    auto real = join(entry.link_target, std::string_view{path}.substr(link.size() + 1));
    if (nowhere || within(by, real) || within(real, by))
      gone.push_back(std::move(path));
  }
}

void known_files::touch(const std::string& path) {
  ++changes_;
  auto gone = below(path);
  for (auto& above : prefixes(path))
    gone.push_back(std::move(above));
  gone.emplace_back("/");
  for (const auto& [known, entry] : entries_)
    if (entry && entry->symlink)
      touch_link(known, *entry, path, gone);
  for (const auto& one : gone)
    forget(one);
}

// -- asking

void known_files::use(const std::string& path) {
  used_[path] = {++uses_, 0};
  if (used_.size() > defaults::known_used)
    used_.erase(std::ranges::min_element(used_, {}, [](const auto& one) { return one.second.last; }));
}

std::vector<std::string> known_files::ahead() {
  std::vector<std::string> out;
  if (std::exchange(asked_ahead_, generation_) == generation_)
    return out;
  std::erase_if(used_, [](const auto& one) { return one.second.in_vain >= defaults::known_unused; });
  for (auto& [path, use] : used_) {
    if (find(path) || find_flight(path))
      continue;
    ++use.in_vain;
    out.push_back(path);
  }
  return out;
}

std::shared_ptr<known_files::flight> known_files::find_flight(const std::string& path) const {
  auto found = flights_.find(path);
  return found == flights_.end() || found->second->asked != now() ? nullptr : found->second;
}

std::shared_ptr<known_files::flight> known_files::start_flight(const std::string& path) {
  return flights_[path] = std::make_shared<flight>(flight{now(), {}});
}

void known_files::land(const std::string& path, const std::shared_ptr<flight>& one, result<seen> got) {
  if (auto found = flights_.find(path); found != flights_.end() && found->second == one)
    flights_.erase(found);
  if (got)
    put(path, *got, one->asked);
  for (auto& waits : std::exchange(one->waiting, {}))
    waits(got);
}

} // namespace agentpool::world
