// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoold/config_keys.hpp"

#include <array>

namespace agentpool::config {

namespace {

using std::chrono::seconds;
using node = const toml::node&;
using conf = daemon_config&;

constexpr auto no_less_than = std::chrono::milliseconds{1};
constexpr int64_t many = 1'000'000;
constexpr int64_t highest_port = 65'535;
constexpr int64_t lowest_uid =
  1000; // below live the machine's own users, whose processes are not ours to end
constexpr int64_t highest_uid = 2'000'000'000;
constexpr uint64_t kib = 1u << 10;
constexpr uint64_t mib = 1u << 20;
constexpr uint64_t gib = 1u << 30;

complaint read_mib(node value, size_t& out, uint64_t min) {
  size_t bytes = 0;
  auto wrong = read_size(value, bytes, min * mib, 4096 * gib);
  if (!wrong)
    out = bytes / mib;
  return wrong;
}

complaint read_memory(node value, size_t& out) {
  if (value.value_exact<std::string_view>() == "half") {
    out = 0;
    return std::nullopt;
  }
  auto wrong = read_mib(value, out, 64);
  return wrong ? *wrong + ", or \"half\" for half of the machine's" : wrong;
}

complaint read_uid(node value, std::optional<uint32_t>& out) {
  if (value.value_exact<std::string_view>() == "off") {
    out.reset();
    return std::nullopt;
  }
  uint32_t uid = 0;
  auto wrong = read_count(value, uid, lowest_uid, highest_uid);
  if (wrong)
    return *wrong + ", or \"off\"";
  out = uid;
  return wrong;
}

constexpr std::array table{
  key{"gateway", "address", [](node v, conf c) { return read_filled_text(v, c.gateway.app.address); }},
  key{"gateway", "port", [](node v, conf c) { return read_count(v, c.gateway.app.port, 0, highest_port); }},
  key{"gateway", "heartbeat",
    [](node v, conf c) { return read_duration(v, c.viewer.heartbeat, no_less_than, seconds{10}); }},
  key{"gateway", "viewer_stall", [](node v, conf c) { return read_duration(v, c.viewer.stall); }},
  key{"ops", "address", [](node v, conf c) { return read_filled_text(v, c.gateway.ops.address); }},
  key{"ops", "port", [](node v, conf c) { return read_count(v, c.gateway.ops.port, 0, highest_port); }},
  key{
    "limits", "header", [](node v, conf c) { return read_size(v, c.gateway.limits.header_bytes, kib, mib); }},
  key{"limits", "body", [](node v, conf c) { return read_size(v, c.gateway.limits.body_bytes, kib, gib); }},
  key{"limits", "connections",
    [](node v, conf c) { return read_count(v, c.gateway.limits.connections, 1, many); }},
  key{"limits", "connections_per_peer",
    [](node v, conf c) { return read_count(v, c.gateway.limits.connections_per_peer, 0, many); }},
  key{
    "limits", "read_timeout", [](node v, conf c) { return read_duration(v, c.gateway.limits.read_timeout); }},
  key{"limits", "requests_per_second",
    [](node v, conf c) { return read_count(v, c.gateway.requests_per_second, 0, many); }},
  key{"limits", "sessions_per_device",
    [](node v, conf c) { return read_count(v, c.session.sessions_per_device, 0, many); }},
  key{"limits", "turns_per_device",
    [](node v, conf c) { return read_count(v, c.session.turns_per_device, 1, many); }},
  key{"limits", "viewers", [](node v, conf c) { return read_count(v, c.viewer.viewers, 1, many); }},
  key{"session", "t1", [](node v, conf c) { return read_duration(v, c.session.t1); }},
  key{"session", "passivate", [](node v, conf c) { return read_duration(v, c.session.passivate); }},
  key{"session", "coalesce", [](node v, conf c) { return read_duration(v, c.session.coalesce_time); }},
  key{"session", "turn_stall", [](node v, conf c) { return read_duration(v, c.session.turn_stall); }},
  key{"session", "turn_limit", [](node v, conf c) { return read_duration(v, c.session.turn_limit); }},
  key{"session", "agent_turn_silence",
    [](node v, conf c) { return read_duration(v, c.session.agent_turn_silence); }},
  key{"session", "cancel_grace", [](node v, conf c) { return read_duration(v, c.session.cancel_grace); }},
  key{
    "session", "attach_deadline", [](node v, conf c) { return read_duration(v, c.session.attach_deadline); }},
  key{"session", "drain_limit", [](node v, conf c) { return read_duration(v, c.session.drain_limit); }},
  key{"session", "default_mode",
    [](node v, conf c) {
      return read_choice(v, c.session.default_mode, {"allow", "ask", "deny"});
    }},
  key{"session", "default_profile",
    [](node v, conf c) { return read_filled_text(v, c.session.default_profile); }},
  key{"hands", "provider",
    [](node v, conf c) {
      return read_choice(v, c.hands.provider, {"none", "e2b", "cube", "ags", "sandboxd"});
    }},
  key{"hands", "url", [](node v, conf c) { return read_text(v, c.hands.url); }},
  key{"hands", "api_key_file", [](node v, conf c) { return read_text(v, c.hands.api_key_file); }},
  key{"hands", "template", [](node v, conf c) { return read_filled_text(v, c.hands.template_id); }},
  key{"hands", "domain", [](node v, conf c) { return read_text(v, c.hands.domain); }},
  key{"hands", "sandbox_url", [](node v, conf c) { return read_text(v, c.provider.sandbox_url); }},
  key{"hands", "ca_file", [](node v, conf c) { return read_text(v, c.provider.ca_file); }},
  key{"hands", "timeout",
    [](node v, conf c) { return read_duration(v, c.hands.timeout, seconds{10}, std::chrono::hours{24}); }},
  key{"hands", "create_deadline", [](node v, conf c) { return read_duration(v, c.hands.create_deadline); }},
  key{"hands", "verify_deadline", [](node v, conf c) { return read_duration(v, c.hands.verify_deadline); }},
  key{"hands", "max_hold", [](node v, conf c) { return read_duration(v, c.session.max_hold); }},
  key{"hands", "sweep", [](node v, conf c) { return read_duration(v, c.hands.sweep, seconds{1}); }},
  key{"hands", "creates", [](node v, conf c) { return read_count(v, c.hands.creates, 1, many); }},
  key{"hands", "sandboxes", [](node v, conf c) { return read_count(v, c.hands.sandboxes, 1, many); }},
  key{"hands", "per_device", [](node v, conf c) { return read_count(v, c.hands.per_device, 1, many); }},
  // Applied to the profiles that say nothing themselves, when all of them are known.
  key{"pool", "warm", [](node v, conf c) { return read_count(v, c.pool.profiles.at("dsh").warm, 0, many); }},
  key{"pool", "workers", [](node v, conf c) { return read_count(v, c.pool.workers, 1, many); }},
  key{"pool", "memory", [](node v, conf c) { return read_memory(v, c.pool.memory_mib); }},
  key{"pool", "worker_memory", [](node v, conf c) { return read_mib(v, c.pool.worker_memory_mib, 1); }},
  key{"pool", "take_deadline", [](node v, conf c) { return read_duration(v, c.pool.take_deadline); }},
  key{"pool", "boot_deadline", [](node v, conf c) { return read_duration(v, c.pool.boot_deadline); }},
  key{"pool", "session_deadline", [](node v, conf c) { return read_duration(v, c.pool.session_deadline); }},
  key{"pool", "end_grace", [](node v, conf c) { return read_duration(v, c.pool.end_grace); }},
  key{"pool", "uid", [](node v, conf c) { return read_uid(v, c.pool.first_uid); }},
  key{"model", "base_url", [](node v, conf c) { return read_text(v, c.model.base_url); }},
  key{"model", "api_key_env", [](node v, conf c) { return read_filled_text(v, c.model.api_key_env); }},
  key{"model", "model", [](node v, conf c) { return read_filled_text(v, c.model.model); }},
  // Read by scripts/run, which starts sandboxd.
  key{"sandboxd", "runtime", [](node v, conf c) { return read_filled_text(v, c.sandboxd.runtime); }},
  key{"sandboxd", "pip_mirror", [](node v, conf c) { return read_text(v, c.sandboxd.pip_mirror); }},
  key{"sandboxd", "npm_mirror", [](node v, conf c) { return read_text(v, c.sandboxd.npm_mirror); }},
  key{"sandboxd", "apt_mirror", [](node v, conf c) { return read_text(v, c.sandboxd.apt_mirror); }},
  key{"sandboxd", "apt_security_mirror",
    [](node v, conf c) { return read_text(v, c.sandboxd.apt_security_mirror); }},
  key{"log", "level",
    [](node v, conf c) {
      return read_choice(v, c.log.level, {"trace", "debug", "info", "warn", "error", "off"});
    }},
  key{"log", "file", [](node v, conf c) { return read_text(v, c.log.file); }},
};

using profile = agent_profile&;

constexpr std::array agent_table{
  agent_key{"command", [](node v, profile a) { return read_texts(v, a.command); }},
  agent_key{"env", [](node v, profile a) { return read_environment(v, a.env); }},
  agent_key{"cwd", [](node v, profile a) { return read_filled_text(v, a.cwd); }},
  agent_key{"trusted", [](node v, profile a) { return read_bool(v, a.trusted); }},
  agent_key{"world", [](node v, profile a) { return read_bool(v, a.world); }},
  agent_key{"warm", [](node v, profile a) { return read_count(v, a.warm, 0, many); }},
  agent_key{"throwaway", [](node v, profile a) { return read_bool(v, a.throwaway); }},
};

} // namespace

std::span<const key> keys() {
  return table;
}

std::span<const agent_key> agent_keys() {
  return agent_table;
}

} // namespace agentpool::config
