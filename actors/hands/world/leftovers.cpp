// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/leftovers.hpp"

#include "actors/hands/world/wrapper.hpp"
#include "actors/log.hpp"

#include <charconv>

namespace agentpool::world {

namespace {

constexpr std::string_view tag_prefix = "agentpool-";
constexpr uint32_t grace_ms = 3000;
constexpr size_t groups_bytes = 4096;

void run(const std::shared_ptr<hand_io>& hand, std::vector<std::string> argv) {
  hand->run(
    {std::move(argv), "root", 0, "end a leftover", call_kind::aside}, [](const result<script_output>&) {});
}

void end_command(const std::shared_ptr<hand_io>& hand, uint32_t pid) {
  hand->run({led_groups(pid), "root", groups_bytes, "leftovers", call_kind::aside},
    [hand](const result<script_output>& ran) {
      if (!ran)
        return;
      const char* at = ran->out.data();
      const char* end = at + ran->out.size();
      for (uint32_t group = 0; at != end; ++at) {
        auto [rest, error] = std::from_chars(at, end, group);
        if (error != std::errc{} || rest == end)
          return;
        run(hand, kill_group(group, grace_ms));
        at = rest;
      }
    });
}

} // namespace

std::string tag_of(const std::string& id) {
  return std::string{tag_prefix} + id;
}

void end_leftovers(const std::shared_ptr<hand_io>& hand, std::function<bool(const std::string& id)> is_ours) {
  auto look = [hand, is_ours = std::move(is_ours)](const result<std::vector<ports::running_process>>& list) {
    if (!list)
      return;
    for (const auto& one : *list) {
      if (!one.tag.starts_with(tag_prefix) || is_ours(one.tag.substr(tag_prefix.size())))
        continue;
      log::worker().info("a command that nobody waits for is ended: {}", one.tag);
      if (one.tag.starts_with(tag_of("t-")))
        run(hand, kill_session(one.pid, grace_ms));
      else
        end_command(hand, one.pid);
    }
  };
  auto call = hand->begin("list processes", "", call_kind::aside);
  hand->link().processes({}, hand->bring<std::vector<ports::running_process>>(call, std::move(look)));
}

} // namespace agentpool::world
