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
  if (entries_.size() >= defaults::known_files)
    entries_.clear();
  entries_.insert_or_assign(path, std::move(what));
  if (is_restless() && timer_ == 0)
    timer_ = home_->after(defaults::known_stale, [weak = weak_from_this()] {
      if (auto self = weak.lock()) {
        self->timer_ = 0;
        self->change();
      }
    });
}

void known_files::change() {
  ++generation_;
  entries_.clear();
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

// Of a path whose links are known, as far as they are.
std::string known_files::canonical(const std::string& path) const {
  auto parts = prefixes(path);
  std::vector<seen> stats;
  for (const auto& part : parts) {
    const auto* known = find(part);
    stats.push_back(
      known ? *known : seen{ports::entry_info{.path = part, .type = ports::entry_type::directory}});
  }
  return stats.empty() ? path : fold(path, stats).canonical;
}

bool known_files::touched(const std::string& path, const seen& entry, const std::string& by) const {
  if (within(by, path) || within(path, by))
    return true;
  if (entry && entry->symlink) // what it says of its target may be another thing now
    return leads_nowhere(*entry) || within(by, entry->link_target) || within(by, canonical(path));
  auto real = canonical(path);
  return within(by, real) || within(real, by);
}

void known_files::touch(const std::string& path) {
  ++changes_;
  std::vector<std::string> gone;
  for (const auto& [known, entry] : entries_)
    if (touched(known, entry, path))
      gone.push_back(known);
  for (const auto& one : gone)
    entries_.erase(one);
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
