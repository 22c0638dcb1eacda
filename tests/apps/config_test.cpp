// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoold/config.hpp"
#include "apps/agentpoold/config_values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace agentpool {

namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// All that the configuration says, as text that can be compared.
std::string dump(const daemon_config& c) {
  std::ostringstream out;
  auto put = [&out](const auto&... values) { ((out << values << ' '), ...) << '\n'; };
  const auto& g = c.gateway;
  put(g.app.address, g.app.port, g.ops.address, g.ops.port, g.requests_per_second, g.ops_token);
  put(g.limits.header_bytes, g.limits.body_bytes, g.limits.connections, g.limits.connections_per_peer,
    g.limits.read_timeout.count());
  const auto& s = c.session;
  put(s.t1.count(), s.passivate.count(), s.coalesce_time.count(), s.turn_stall.count(), s.turn_limit.count(),
    s.agent_turn_silence.count(), s.cancel_grace.count(), s.attach_deadline.count(), s.drain_limit.count());
  put(s.max_hold.count());
  const auto& h = c.hands;
  put(h.provider, h.url, h.api_key_file, h.template_id, h.domain, h.timeout.count(),
    h.create_deadline.count(), h.verify_deadline.count(), h.sweep.count(), h.creates, h.sandboxes,
    h.per_device);
  put(c.provider.sandbox_url, c.provider.ca_file);
  put(s.default_mode, s.default_profile, s.sessions_per_device, s.turns_per_device);
  put(c.viewer.heartbeat.count(), c.viewer.stall.count(), c.viewer.viewers);
  const auto& p = c.pool;
  put(p.workers, p.memory_mib, p.worker_memory_mib, p.take_deadline.count(), p.boot_deadline.count(),
    p.session_deadline.count(), p.end_grace.count(), p.first_uid.value_or(0));
  for (const auto& [name, a] : p.profiles) {
    put(name, a.name, a.cwd, a.trusted, a.world, a.throwaway, a.warm, a.command.size(), a.env.size());
    put(a.profile_dir, a.plugin_dir, a.plugin_name);
  }
  put(c.sandboxd.runtime, c.sandboxd.pip_mirror, c.sandboxd.npm_mirror, c.sandboxd.apt_mirror,
    c.sandboxd.apt_security_mirror);
  put(c.model.base_url, c.model.api_key_env, c.model.model, c.log.level, c.log.file);
  return out.str();
}

daemon_config good(std::string_view text) {
  auto read = parse_config(text, "a.toml");
  if (!read)
    for (const auto& line : read.error())
      ADD_FAILURE() << line;
  return read.value_or(daemon_config{});
}

config_errors bad(std::string_view text) {
  auto read = parse_config(text, "a.toml");
  EXPECT_FALSE(read) << text;
  return read ? config_errors{} : read.error();
}

} // namespace

TEST(Config, EmptyFileIsTheDefaults) {
  EXPECT_EQ(dump(good("")), dump(daemon_config{}));
}

TEST(Config, DocumentedFileNamesEveryKeyWithItsDefault) {
  auto documented = load_config(AGENTPOOL_CONF_FILE);
  ASSERT_TRUE(documented) << documented.error().front();
  EXPECT_EQ(dump(*documented), dump(daemon_config{}));
  auto file = toml::parse_file(AGENTPOOL_CONF_FILE);
  for (auto name : config_keys()) {
    if (auto agent = name.find("NAME"); agent != std::string::npos)
      name.replace(agent, 4, "dsh");
    EXPECT_TRUE(file.at_path(name)) << name << " is not in conf/agentpool.toml";
  }
}

TEST(Config, ReadsEveryKindOfValue) {
  auto read = good(R"(
[gateway]
address = "0.0.0.0"
port = 8080
heartbeat = "250ms"
[limits]
body = "2MiB"
requests_per_second = 50
[session]
t1 = "3d"
default_profile = "fault"
default_mode = "ask"
[pool]
warm = 0
memory = "4GiB"
uid = 70000
[agents.fault]
command = ["/usr/bin/python3", "agent.py"]
env = {A = "1", B = "{home}/b"}
trusted = true
throwaway = false
[agents.other]
command = ["/bin/other"]
trusted = true
warm = 3
)");
  EXPECT_EQ(read.gateway.app.address, "0.0.0.0");
  EXPECT_EQ(read.gateway.app.port, 8080);
  EXPECT_EQ(read.viewer.heartbeat, 250ms);
  EXPECT_EQ(read.gateway.limits.body_bytes, 2u << 20);
  EXPECT_EQ(read.gateway.requests_per_second, 50u);
  EXPECT_EQ(read.session.t1, 72h);
  EXPECT_EQ(read.session.default_profile, "fault");
  EXPECT_EQ(read.session.default_mode, "ask");
  EXPECT_EQ(read.pool.memory_mib, 4096u);
  EXPECT_EQ(read.pool.first_uid, 70000u);
  const auto& fault = read.pool.profiles.at("fault");
  EXPECT_THAT(fault.command, ElementsAre("/usr/bin/python3", "agent.py"));
  EXPECT_THAT(fault.env, ElementsAre("A=1", "B={home}/b"));
  EXPECT_TRUE(fault.trusted);
  EXPECT_FALSE(fault.throwaway);
}

TEST(Config, PoolWarmIsTheDefaultOfEveryAgent) {
  auto read =
    good("[agents.a]\ncommand = ['/a']\ntrusted = true\n[agents.z]\ncommand = ['/z']\ntrusted = true\n"
         "warm = 1\n[agents.dsh]\nwarm = 9\n[pool]\nwarm = 4\n");
  EXPECT_EQ(read.pool.profiles.at("a").warm, 4u);
  EXPECT_EQ(read.pool.profiles.at("z").warm, 1u);
  EXPECT_EQ(read.pool.profiles.at("dsh").warm, 9u);
}

TEST(Config, TellsAllMistakesAtOnceInOrder) {
  auto errors =
    bad("[pool]\nwarm = \"many\"\nunknown_key = 1\n\n[session]\nt1 = \"ten\"\n\n[nonsense]\na = 1\n\n"
        "[agents.x]\ncommand = 5\n");
  EXPECT_THAT(
    errors, ElementsAre(StartsWith("a.toml:2: pool.warm: must be a whole number"),
              AllOf(StartsWith("a.toml:3: pool.unknown_key: is no key"), HasSubstr("take_deadline")),
              StartsWith("a.toml:6: session.t1: is no duration"), StartsWith("a.toml:8: nonsense: "),
              StartsWith("a.toml:12: agents.x.command: must be a list of texts")));
}

TEST(Config, SyntaxErrorNamesTheLine) {
  EXPECT_THAT(bad("[pool]\nwarm = = 2\n"), ElementsAre(StartsWith("a.toml:2: ")));
}

TEST(Config, MissingFileIsOneSentence) {
  auto read = load_config("/nowhere/agentpool.toml");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error(), ElementsAre(HasSubstr("/nowhere/agentpool.toml")));
}

TEST(Config, RefusesValuesThatMeanNothing) {
  struct row {
    std::string_view table;
    std::string_view line;
  };
  for (auto [table, line] :
    std::initializer_list<row>{{"pool", "warm = -1"}, {"pool", "warm = 1.5"}, {"session", "t1 = \"0ms\""},
      {"session", "t1 = \"-5s\""}, {"session", "t1 = 10"}, {"session", "t1 = \"99999999999999999999d\""},
      {"gateway", "heartbeat = \"10\""}, {"gateway", "heartbeat = 10"}, {"gateway", "heartbeat = \"11s\""},
      {"gateway", "port = 65536"}, {"gateway", "address = \"\""}, {"limits", "body = \"1MB\""},
      {"limits", "body = 1048576"}, {"limits", "header = \"1B\""}, {"pool", "uid = \"root\""},
      {"pool", "uid = 999"}, {"pool", "memory = \"1KiB\""}, {"session", "default_mode = \"maybe\""},
      {"session", "default_profile = \"nobody\""}, {"log", "level = \"loud\""}}) {
    auto text = "[" + std::string{table} + "]\n" + std::string{line} + "\n";
    auto name = std::string{table} + "." + std::string{line.substr(0, line.find(' '))};
    EXPECT_THAT(bad(text), ElementsAre(AllOf(StartsWith("a.toml:2: " + name + ": "), HasSubstr(name))))
      << line;
  }
}

TEST(Config, AgentWithoutALockMustBeTrusted) {
  EXPECT_THAT(bad("[agents.other]\ncommand = [\"/bin/true\"]\n"),
    ElementsAre(AllOf(StartsWith("a.toml:1: agents.other.trusted: "), HasSubstr("trusted = true"))));
  EXPECT_THAT(bad("[agents.dsh]\ncommand = [\"/bin/true\"]\n"), ElementsAre(HasSubstr("agents.dsh.trusted")));
}

TEST(Config, AgentNeedsAnAbsoluteCommand) {
  EXPECT_THAT(bad("[agents.a]\ntrusted = true\n"), ElementsAre(HasSubstr("agents.a.command: is missing")));
  EXPECT_THAT(bad("[agents.a]\ntrusted = true\ncommand = [\"true\"]\n"),
    ElementsAre(AllOf(StartsWith("a.toml:3: "), HasSubstr("absolute path"))));
  EXPECT_THAT(
    bad("[agents.dsh]\ncwd = 'rel'\n"), ElementsAre(StartsWith("a.toml:2: agents.dsh.cwd: must be")));
  EXPECT_THAT(bad("[pool]\nmemory = '100MiB'\n"), ElementsAre(StartsWith("a.toml:2: pool.memory: is less")));
  EXPECT_THAT(bad("[agents]\n\"A b\" = 1\n"), ElementsAre(HasSubstr("agents.A b")));
  EXPECT_THAT(bad("[agents.a]\ntrusted = true\ncommand = ['/a']\nenv = {A = 1}\n"),
    ElementsAre(AllOf(StartsWith("a.toml:4: agents.a.env: "), HasSubstr("\"A\""))));
}

TEST(Config, DurationsAndSizesAreExact) {
  EXPECT_EQ(config::parse_duration("60m"), 1h);
  EXPECT_EQ(config::parse_duration("1"), std::nullopt);
  EXPECT_EQ(config::parse_duration("1 s"), std::nullopt);
  EXPECT_EQ(config::parse_duration("1S"), std::nullopt);
  EXPECT_EQ(config::parse_duration(""), std::nullopt);
  EXPECT_EQ(config::parse_size("16KiB"), 16384u);
  EXPECT_EQ(config::parse_size("9999999999GiB"), std::nullopt);
}

TEST(Config, HandsNeedAnAddressAndAKeyOnlyWithAProvider) {
  EXPECT_FALSE(good("[hands]\nprovider = \"none\"").hands.enabled());
  EXPECT_FALSE(good("").hands.enabled());
  EXPECT_THAT(bad("[hands]\nprovider = \"e2b\""),
    ElementsAre(AllOf(StartsWith("a.toml:1: hands.url: "), HasSubstr("http://")),
      StartsWith("a.toml:1: hands.api_key_file: ")));
  EXPECT_THAT(bad("[hands]\nprovider = \"e2b\"\nurl = \"127.0.0.1:3000\"\napi_key_file = \"k\""),
    ElementsAre(StartsWith("a.toml:1: hands.url: ")));
  EXPECT_THAT(bad("[hands]\nprovider = \"docker\""),
    ElementsAre(HasSubstr("\"none\", \"e2b\", \"cube\", \"ags\", \"sandboxd\"")));
}

TEST(Config, HandsSayEverythingAboutTheProvider) {
  auto read = good(R"([hands]
provider = "cube"
url = "https://api.example.test"
sandbox_url = "https://10.0.0.2"
ca_file = "/etc/agentpool/ca.pem"
api_key_file = "/etc/agentpool/key"
template = "node:20"
domain = "example.test"
timeout = "1h"
create_deadline = "90s"
verify_deadline = "5s"
max_hold = "30m"
sweep = "1m"
creates = 2
sandboxes = 10
per_device = 3)");
  EXPECT_TRUE(read.hands.enabled());
  EXPECT_EQ(read.hands.provider, "cube");
  EXPECT_EQ(read.hands.url, "https://api.example.test");
  EXPECT_EQ(read.provider.sandbox_url, "https://10.0.0.2");
  EXPECT_EQ(read.provider.ca_file, "/etc/agentpool/ca.pem");
  EXPECT_EQ(read.hands.api_key_file, "/etc/agentpool/key");
  EXPECT_EQ(read.hands.template_id, "node:20");
  EXPECT_EQ(read.hands.domain, "example.test");
  EXPECT_EQ(read.hands.timeout, 1h);
  EXPECT_EQ(read.hands.create_deadline, 90s);
  EXPECT_EQ(read.hands.verify_deadline, 5s);
  EXPECT_EQ(read.session.max_hold, 30min);
  EXPECT_EQ(read.hands.sweep, 1min);
  EXPECT_EQ(read.hands.creates, 2u);
  EXPECT_EQ(read.hands.sandboxes, 10u);
  EXPECT_EQ(read.hands.per_device, 3u);
}

// A timeout that a refresh cannot keep up with is none.
TEST(Config, AProvidersTimeoutHasALeast) {
  EXPECT_THAT(bad("[hands]\ntimeout = \"5s\""), ElementsAre(HasSubstr("from 10s to")));
}

} // namespace agentpool
