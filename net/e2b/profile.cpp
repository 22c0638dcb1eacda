// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/e2b/profile.hpp"

#include "net/e2b/limits.hpp"

#include <algorithm>
#include <array>

namespace agentpool::net {

namespace {

// What CubeSandbox does; AGS speaks the same dialect.
constexpr profile like_cube(std::string_view name) {
  return {.name = name,
    .newer_calls = false,
    .connect_counts = false,
    .refreshes = false,
    .list_query = false,
    .tells_version = false,
    .host_names = true,
    .explicit_user = true,
    .most_body = e2b_limits::cube_body};
}

constexpr std::array all{
  profile{.name = "e2b"}, like_cube("cube"), like_cube("ags"), profile{.name = "sandboxd"}};

} // namespace

std::span<const profile> profiles() noexcept {
  return all;
}

const profile* find_profile(std::string_view name) noexcept {
  auto found = std::find_if(all.begin(), all.end(), [name](const auto& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

} // namespace agentpool::net
