// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/isolation/runtime_config.hpp"

#include "protocol/wire/json.hpp"

namespace agentpool::sandboxd {

namespace {

constexpr int64_t cpu_period_us = 100'000; // runtime.json has the same

std::string text_array(const std::vector<std::string>& texts) {
  json_array out;
  for (const auto& text : texts)
    out.add(text);
  return out.str();
}

// runc refuses a mount there, so a hook makes it: in the new mount namespace, on the new /proc, before the
// root changes.
std::string boot_id_mount(const runtime_values& values) {
  return text_array({"mount", "--no-mtab", "--internal-only", "--bind", values.boot_id,
    values.rootfs + "/proc/sys/kernel/random/boot_id"});
}

} // namespace

result<std::string> fill_placeholders(
  std::string_view text, const std::map<std::string, std::string, std::less<>>& values) {
  std::string out;
  for (;;) {
    auto start = text.find("\"@");
    out += text.substr(0, start);
    if (start == std::string_view::npos)
      break;
    text.remove_prefix(start + 2);
    auto end = text.find("@\"");
    auto found = values.find(text.substr(0, end));
    if (end == std::string_view::npos || found == values.end())
      return fail(errc::bad_request,
        "the runtime configuration has an unknown placeholder @" + std::string{text.substr(0, end)} + "@");
    out += found->second;
    text.remove_prefix(end + 2);
  }
  return out;
}

result<std::string> runtime_config(
  std::string_view text, std::string_view seccomp, const runtime_values& values) {
  const auto& limits = values.limits;
  auto filled = fill_placeholders(text, {
                                          {"args", text_array(values.args)},
                                          {"boot_id_mount", boot_id_mount(values)},
                                          {"cgroup", json_quote(values.cgroup)},
                                          {"cpu_quota", std::to_string(limits.cpus * cpu_period_us)},
                                          {"env", text_array(values.env)},
                                          {"envd", json_quote(values.envd)},
                                          {"envd_inside", json_quote(envd_inside)},
                                          {"first_id", std::to_string(values.first_id)},
                                          {"memory", std::to_string(limits.memory_bytes)},
                                          {"nofile", std::to_string(values.open_files)},
                                          {"pids", std::to_string(limits.processes)},
                                          {"rootfs", json_quote(values.rootfs)},
                                          {"seccomp", std::string{seccomp}},
                                        });
  if (!filled)
    return filled;
  if (auto parsed = json::parse(*filled); !parsed)
    return fail(errc::bad_request, "the runtime configuration is no JSON: " + parsed.error().text());
  return filled;
}

} // namespace agentpool::sandboxd
