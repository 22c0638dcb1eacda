// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoold/config.hpp"

#include "apps/agentpoold/config_keys.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace agentpool {

namespace {

using config::complaint;

constexpr std::string_view built_in = "dsh";

/// Walks the file's tables and gathers every mistake.
class config_reader {
public:
  explicit config_reader(const std::string& name) : name_{name} {}

  void read(const toml::table& file) {
    for (const auto& [key, value] : file)
      if (key.str() != "agents")
        read_table(key, value);
    // After [pool], whose `warm` is the default of every agent.
    if (auto agents = file.find("agents"); agents != file.end())
      read_agents(agents->first, agents->second);
    check(file);
  }

  tl::expected<daemon_config, config_errors> finish() {
    if (errors_.empty())
      return std::move(out_);
    std::ranges::stable_sort(errors_, {}, &mistake::line);
    config_errors lines;
    for (const auto& error : errors_)
      lines.push_back(name_ + ":" + std::to_string(error.line) + ": " + error.text);
    return tl::unexpected{std::move(lines)};
  }

private:
  struct mistake {
    uint32_t line;
    std::string text;
  };

  void complain(const toml::source_region& where, const std::string& key, const std::string& what) {
    errors_.push_back({where.begin.line, key + ": " + what});
  }

  // What is read by `known` entries that have this name; the others' names are the fix.
  template <class Known, class Out>
  void read_member(
    const Known& known, const std::string& table, const toml::key& name, const toml::node& value, Out& out) {
    std::string names;
    for (const auto& one : known) {
      if (one.name == name.str()) {
        if (auto wrong = one.read(value, out))
          complain(name.source(), table + "." + std::string{name.str()}, *wrong);
        return;
      }
      names += (names.empty() ? "" : ", ") + std::string{one.name};
    }
    complain(name.source(), table + "." + std::string{name.str()}, "is no key; [" + table + "] has " + names);
  }

  void read_table(const toml::key& name, const toml::node& value) {
    std::vector<config::key> known;
    std::ranges::copy_if(config::keys(), std::back_inserter(known),
      [&](const config::key& one) { return one.table == name.str(); });
    const auto* table = value.as_table();
    if (known.empty() || !table)
      return complain(name.source(), std::string{name.str()},
        "is no table of this file; there are gateway, ops, limits, session, hands, pool, sandboxd, model, "
        "agents.NAME "
        "and "
        "log");
    for (const auto& [key, item] : *table)
      read_member(known, std::string{name.str()}, key, item, out_);
  }

  void read_agents(const toml::key& name, const toml::node& value) {
    const auto* agents = value.as_table();
    if (!agents)
      return complain(name.source(), "agents", "must be tables; write [agents.NAME]");
    auto warm = out_.pool.profiles.at(std::string{built_in}).warm;
    for (const auto& [agent, item] : *agents)
      read_agent(agent, item, warm);
  }

  void read_agent(const toml::key& name, const toml::node& value, size_t warm) {
    auto id = std::string{name.str()};
    const auto* members = value.as_table();
    if (!members || id.empty() || id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") != id.npos)
      return complain(name.source(), "agents." + id,
        "must be a table; write [agents.NAME] with a name of a-z, 0-9, _ and -");
    auto [entry, fresh] = out_.pool.profiles.try_emplace(id);
    auto& profile = entry->second;
    if (fresh) {
      profile.name = id;
      profile.warm = warm;
    }
    auto before = errors_.size();
    for (const auto& [key, item] : *members)
      read_member(config::agent_keys(), "agents." + id, key, item, profile);
    if (errors_.size() == before)
      check_agent(name, *members, profile);
  }

  void check_agent(const toml::key& name, const toml::table& members, const agent_profile& profile) {
    auto key = "agents." + profile.name;
    auto line_of = [&](std::string_view member) {
      const auto* written = members.get(member);
      return written ? written->source() : name.source();
    };
    if (profile.command.empty() && profile.name != built_in)
      return complain(name.source(), key + ".command", "is missing; give the program and its arguments");
    if (!profile.command.empty() && !profile.command.front().starts_with('/'))
      complain(line_of("command"), key + ".command", "must begin with an absolute path");
    if (!profile.cwd.starts_with('/'))
      complain(line_of("cwd"), key + ".cwd", "must be an absolute path");
    if (!profile.command.empty() && !profile.trusted)
      complain(line_of("trusted"), key + ".trusted",
        "is false, but only the built-in agent has a composition lock; write trusted = true when its code "
        "may "
        "run on this machine");
  }

  void check(const toml::table& file) {
    check_hands(file);
    if (out_.pool.memory_mib > 0 && out_.pool.memory_mib < out_.pool.worker_memory_mib)
      complain(file.at_path("pool.memory").node()->source(), "pool.memory",
        "is less than one worker's pool.worker_memory: no brain could ever start");
    if (out_.pool.profiles.contains(out_.session.default_profile))
      return;
    auto named = file.at_path("session.default_profile");
    complain(named ? named.node()->source() : file.source(), "session.default_profile",
      "there is no [agents." + out_.session.default_profile + "]; name one of the agents");
  }

  void check_hands(const toml::table& file) {
    const auto& hands = out_.hands;
    auto table = file.find("hands");
    if (!hands.enabled() || table == file.end())
      return;
    if (!hands.url.starts_with("http://") && !hands.url.starts_with("https://"))
      complain(table->first.source(), "hands.url",
        "must be the provider's address, such as \"http://127.0.0.1:3000\", when hands.provider is not "
        "\"none\"");
    if (hands.api_key_file.empty())
      complain(table->first.source(), "hands.api_key_file",
        "is missing; give the path of a file whose first line is the provider's key");
  }

  const std::string& name_;
  daemon_config out_;
  std::vector<mistake> errors_;
};

} // namespace

daemon_config::daemon_config() {
  auto& dsh = pool.profiles[std::string{built_in}];
  dsh.name = built_in;
  dsh.world = true;
}

tl::expected<daemon_config, config_errors> parse_config(std::string_view text, const std::string& name) {
  config_reader reader{name};
  try {
    reader.read(toml::parse(text));
  } catch (const toml::parse_error& error) {
    auto line = std::to_string(error.source().begin.line);
    return tl::unexpected{config_errors{name + ":" + line + ": " + std::string{error.description()}}};
  }
  return reader.finish();
}

tl::expected<daemon_config, config_errors> load_config(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  std::ostringstream text;
  if (file)
    text << file.rdbuf();
  if (!file || std::filesystem::is_directory(path))
    return tl::unexpected{
      config_errors{path + ":0: this is no file that can be read; check --config and its permissions"}};
  return parse_config(text.str(), path);
}

std::vector<std::string> config_keys() {
  std::vector<std::string> names;
  for (const auto& one : config::keys())
    names.push_back(std::string{one.table} + "." + std::string{one.name});
  for (const auto& one : config::agent_keys())
    names.push_back("agents.NAME." + std::string{one.name});
  return names;
}

} // namespace agentpool
