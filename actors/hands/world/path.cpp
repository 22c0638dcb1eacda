// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/path.hpp"

namespace agentpool::world {

namespace {

// Calls `visit` with every component.
template <class Visit>
void each_component(std::string_view path, Visit visit) {
  while (!path.empty()) {
    auto end = path.find('/');
    auto part = path.substr(0, end);
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
    if (!part.empty())
      visit(part);
  }
}

} // namespace

std::vector<std::string> prefixes(std::string_view path) {
  std::vector<std::string> out;
  std::string prefix;
  each_component(path, [&](std::string_view part) { out.push_back((prefix += '/') += part); });
  return out;
}

bool leads_nowhere(const ports::entry_info& entry) noexcept {
  return entry.symlink && (entry.link_target.empty() || entry.link_target == entry.path);
}

folded fold(std::string_view path, std::span<const seen> stats) {
  folded out{"/"};
  size_t at = 0;
  bool missing = false;
  each_component(path, [&](std::string_view part) {
    bool last = at + 1 == stats.size();
    const auto& entry = at < stats.size() ? stats[at] : stats.back();
    ++at;
    if (missing || !entry) {
      missing = true;
      out.canonical = join(out.canonical, part);
      return;
    }
    auto loose = leads_nowhere(*entry);
    out.canonical = entry->symlink && !loose ? entry->link_target : join(out.canonical, part);
    out.loose = out.loose || loose;
    missing = loose;
    out.under_file = out.under_file || (!last && !loose && entry->type != ports::entry_type::directory);
  });
  return out;
}

} // namespace agentpool::world
