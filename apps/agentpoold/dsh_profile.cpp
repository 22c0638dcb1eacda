// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoold/dsh_profile.hpp"

#include <filesystem>

namespace agentpool {

namespace {

namespace fs = std::filesystem;

/// `path` and its ancestors down to "/", each with a final slash.
std::vector<std::string> ancestors(const fs::path& path) {
  std::vector<std::string> out;
  for (auto at = path;; at = at.parent_path()) {
    out.push_back(at == "/" ? "/" : at.string() + "/");
    if (at == at.parent_path())
      return out;
  }
}

/// Reads and writes that Node's permission model must allow; the others are refused by Node itself.
std::vector<std::string> permission_flags(const dsh_install& install) {
  auto tree = install.prefix + "/dsh";
  std::vector<std::string> out{"--permission", "--allow-addons", "--disable-warning=SecurityWarning"};
  auto read = [&](const std::string& path) { out.push_back("--allow-fs-read=" + path); };
  read(tree);
  read("{home}");
  for (const auto& above : ancestors(fs::path{tree}.parent_path()))
    read(above + "node_modules/*");
  read(install.prefix + "/lib/node/*");
  for (const auto& above : ancestors(install.data_dir + "/workers"))
    read(above + "package.json");
  read("{root}/package.json");
  out.push_back("--allow-fs-write={home}/sessions");
  out.push_back("--allow-fs-write={home}/profiles/agentpool/cordis.yml");
  return out;
}

} // namespace

agent_profile make_dsh_profile(const dsh_install& install) {
  agent_profile out{.name = "dsh"};
  out.command = {install.prefix + "/bin/node", "--max-semi-space-size=2",
    "--max-old-space-size=" + std::to_string(install.heap_mib)};
  for (auto& flag : permission_flags(install))
    out.command.push_back(std::move(flag));
  out.command.push_back(install.prefix + "/dsh/node_modules/@deepseek-ai/dsh/lib/bin.js");
  out.command.insert(out.command.end(), {"--profile", "agentpool"});
  out.env = {"DSH_HOME={home}", "HOME={home}", "DSH_TELEMETRY_DISABLED=1", "NARB_DISABLE_NATIVE_CACHE=1"};
  if (!install.model_url.empty())
    out.env.push_back("DEEPSEEK_BASE_URL=" + install.model_url);
  if (!install.model_key.empty())
    out.env.push_back("DEEPSEEK_API_KEY=" + install.model_key);
  if (!install.model.empty())
    out.env.push_back("AGENTPOOL_MODEL=" + install.model);
  out.world = true;
  out.profile_dir = install.profile_dir;
  out.plugin_dir = install.plugin_dir;
  out.plugin_name = "@agentpool/dsh-world";
  return out;
}

} // namespace agentpool
