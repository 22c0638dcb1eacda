// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoold/prepare.hpp"

#include "actors/workers/worker_slot.hpp"
#include "apps/agentpoold/descriptors.hpp"
#include "apps/agentpoold/dsh_profile.hpp"
#include "apps/agentpoold/logging.hpp"
#include "apps/agentpoold/node.hpp"
#include "net/process/brain_homes.hpp"

#include <spdlog/spdlog.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace agentpool {

namespace {

constexpr auto uid_locks = "/run/agentpool/uids.lock"; // of the machine, not of the data directory

std::string variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value ? value : "";
}

/// The built-in profile runs the installed dsh unless the configuration gives it another command.
result<void> fill_dsh(daemon_config& config, const daemon_options& options, const std::string& data) {
  auto i = config.pool.profiles.find("dsh");
  if (i == config.pool.profiles.end() || !i->second.command.empty())
    return {};
  for (auto needed : {"/bin/node", "/dsh/node_modules/@deepseek-ai/dsh/lib/bin.js"})
    if (options.dsh_prefix.empty() || !std::filesystem::exists(options.dsh_prefix + needed))
      return fail(errc::internal, "dsh is missing (no " + options.dsh_prefix + needed +
                                    "): run scripts/install-dsh and pass its prefix with --dsh-prefix");
  for (const auto& [flag, path] :
    {std::pair{"--world-plugin", options.world_plugin}, {"--dsh-profile", options.dsh_profile}})
    if (path.empty() || !std::filesystem::exists(path + "/package.json"))
      return fail(errc::internal,
        std::string{"no package.json in '"} + path + "': pass the directory of the repository with " + flag);
  auto model = config.model.model;
  if (auto chosen = variable("AGENTPOOL_MODEL"); !chosen.empty())
    model = chosen;
  auto url = config.model.base_url.empty() ? variable("DEEPSEEK_BASE_URL") : config.model.base_url;
  auto profile = make_dsh_profile({options.dsh_prefix, options.dsh_profile, options.world_plugin, data, url,
    variable(config.model.api_key_env), model});
  profile.warm = i->second.warm;
  profile.throwaway = i->second.throwaway;
  profile.env.insert(profile.env.end(), i->second.env.begin(), i->second.env.end());
  i->second = std::move(profile);
  return {};
}

/// Ends what an earlier daemon on this data left running: a brain dies with its daemon, what it started need
/// not.
result<void> sweep_earlier(const data_dir& data) {
  auto earlier = data.uids();
  if (!earlier || ::geteuid() != 0)
    return {};
  auto swept = net::sweep_users(uid_locks, earlier->first, earlier->count);
  if (!swept)
    return tl::unexpected{swept.error()};
  if (*swept > 0)
    spdlog::info("processes of {} worker(s) of an earlier daemon were killed", *swept);
  return {};
}

/// Workers run as users of their own only when the daemon may change users, and then those must be able to
/// enter their homes.
result<void> claim_uids(prepared_start& start, const daemon_options& options) {
  auto& pool = start.config.pool;
  if (auto ok = sweep_earlier(*start.data); !ok)
    return ok;
  if (::geteuid() != 0)
    pool.first_uid.reset();
  if (!pool.first_uid)
    return {};
  auto count = static_cast<uint32_t>(pool.workers);
  auto claim = net::uid_claim::take(uid_locks, *pool.first_uid, count);
  if (!claim)
    return tl::unexpected{claim.error()};
  pool.first_uid = (*claim)->first();
  if (auto noted = start.data->note_uids({*pool.first_uid, count}); !noted)
    return noted;
  net::kill_users(*pool.first_uid, count);
  start.uids = std::move(*claim);
  for (const auto& path : {start.data->path(), options.dsh_prefix})
    if (!path.empty())
      if (auto ok = net::check_traversable(path, *pool.first_uid); !ok)
        return ok;
  return {};
}

/// The provider's key is read once, at the start.
result<std::string> read_hands_key(const hand_settings& hands) {
  if (!hands.enabled())
    return std::string{};
  std::ifstream file{hands.api_key_file};
  if (!file)
    return fail(errc::internal, "hands.api_key_file: cannot read '" + hands.api_key_file +
                                  "'; write the provider's key into it, or set hands.provider = \"none\"");
  std::string key;
  if (!std::getline(file, key) || key.empty())
    return fail(errc::internal, "hands.api_key_file: no key in the first line of '" + hands.api_key_file +
                                  "'; write it there, or set hands.provider = \"none\"");
  return key;
}

void apply_hands(hand_settings& hands, const daemon_options& options) {
  if (options.hands_url.empty())
    return;
  hands.provider = "e2b";
  hands.url = options.hands_url;
  if (!options.hands_api_key_file.empty())
    hands.api_key_file = options.hands_api_key_file;
}

void say_what_is_trusted(const daemon_config& config) {
  for (const auto& [name, profile] : config.pool.profiles)
    if (profile.trusted)
      spdlog::warn("agent profile '{}' is trusted: it runs on this node WITHOUT a composition lock", name);
  if (!config.pool.first_uid)
    spdlog::warn("all brains run as the daemon's user: nothing separates them, and a process that leaves its "
                 "brain's group outlives it; start as root and set pool.uid to prevent both");
}

} // namespace

tl::expected<daemon_config, std::vector<std::string>> read_configuration(const daemon_options& options) {
  auto out = options.config.empty() ? daemon_config{} : load_config(options.config);
  if (!out)
    return out;
  if (options.port >= 0)
    out->gateway.app.port = static_cast<uint16_t>(options.port);
  apply_hands(out->hands, options);
  return out;
}

tl::expected<prepared_start, std::vector<std::string>> prepare_start(const daemon_options& options) {
  auto one = [](const failure& why) { return tl::unexpected{std::vector<std::string>{why.text()}}; };
  prepared_start out;
  auto configuration = read_configuration(options);
  if (!configuration)
    return tl::unexpected{configuration.error()};
  out.config = std::move(*configuration);
  if (auto logs = open_log(out.config.log); !logs)
    return one(logs.error());
  auto data = data_dir::open(options.data);
  if (!data)
    return one(data.error());
  out.data = std::move(*data);
  // Every worker would fail for it, each by itself.
  auto last_worker = make_worker_id(static_cast<uint32_t>(out.config.pool.workers) - 1);
  if (auto fits = net::check_socket_path(out.data->path(), last_worker.value); !fits)
    return one(fits.error());
  if (auto fits = fit_descriptors(out.config, raise_descriptor_limit()); !fits)
    return one(fits.error());
  if (auto filled = fill_dsh(out.config, options, out.data->path()); !filled)
    return one(filled.error());
  if (auto claimed = claim_uids(out, options); !claimed)
    return one(claimed.error());
  auto key = read_hands_key(out.config.hands);
  if (!key)
    return one(key.error());
  out.hands_key = std::move(*key);
  auto swept = sweep_homes(out.data->path());
  if (!swept)
    return one(swept.error());
  if (*swept > 0)
    spdlog::info("{} brain log(s) were brought home from workers of an earlier daemon", *swept);
  say_what_is_trusted(out.config);
  return out;
}

} // namespace agentpool
