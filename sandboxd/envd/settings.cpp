// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/settings.hpp"

#include "protocol/wire/environment.hpp"
#include "protocol/wire/protojson.hpp"

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

namespace agentpool::envd {

namespace {

constexpr std::string_view default_path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

string_map built_in_envs() {
  string_map out{{"E2B_SANDBOX", "true"}};
  for (auto one = environ; *one != nullptr; ++one) {
    std::string_view text{*one};
    if (auto mark = text.find('='); text.starts_with("E2B_") && mark != std::string_view::npos)
      set_env(out, std::string{text.substr(0, mark)}, std::string{text.substr(mark + 1)});
  }
  return out;
}

bool older(const timestamp& a, const timestamp& b) {
  return std::pair{a.seconds, a.nanos} < std::pair{b.seconds, b.nanos};
}

} // namespace

void set_env(string_map& envs, const std::string& name, const std::string& value) {
  auto found = std::ranges::find(envs, name, &string_map::value_type::first);
  if (found == envs.end())
    envs.emplace_back(name, value);
  else
    found->second = value;
}

settings::settings(user_database users) : users_(std::move(users)) {}

settings::outcome_of_init settings::apply(std::string_view text, bool trusted) {
  using protojson::reader;
  reader in{text};
  auto member = [&](std::string_view name) { return reader::member(in.root(), name); };
  auto token = in.text(member("accessToken"), "accessToken");
  auto envs = in.map(member("envVars"), "envVars");
  auto default_user = in.text(member("defaultUser"), "defaultUser");
  auto workdir = in.text(member("defaultWorkdir"), "defaultWorkdir");
  auto time_text = in.text(member("timestamp"), "timestamp");
  auto time = time_text ? timestamp_from(*time_text) : std::nullopt;
  if (in.fault() || (time_text && !time))
    return outcome_of_init::malformed;
  auto wrong = [](const auto& pair) { return !environment_fault(pair.first, pair.second).empty(); };
  if (std::ranges::any_of(envs, wrong))
    return outcome_of_init::wrong_variable;
  if (!trusted && !token_.empty() && !token)
    return outcome_of_init::token_required;
  if (!trusted && !token_.empty() && !equal_secrets(*token, token_))
    return outcome_of_init::wrong_token;
  if (time && applied_ && older(*time, *applied_))
    return outcome_of_init::stale;
  if (time)
    applied_ = time;
  if (token)
    token_ = *token;
  if (member("envVars").is_object())
    envs_ = std::move(envs);
  if (default_user && !default_user->empty())
    default_user_ = *default_user;
  if (workdir && !workdir->empty())
    workdir_ = *workdir;
  return outcome_of_init::applied;
}

std::optional<user> settings::default_user() const {
  if (!default_user_.empty())
    return users_.find(default_user_);
  if (auto self = users_.find(static_cast<uint32_t>(::geteuid())))
    return self;
  return users_.find("root");
}

string_map settings::global_envs() const {
  auto out = envs_;
  for (const auto& [name, value] : built_in_envs())
    set_env(out, name, value);
  return out;
}

string_map settings::command_envs(const user& who, const string_map& own) const {
  auto path = std::getenv("PATH");
  string_map out{{"PATH", path != nullptr ? path : std::string{default_path.substr(5)}}, {"HOME", who.home},
    {"USER", who.name}, {"LOGNAME", who.name}};
  for (const auto& [name, value] : global_envs())
    set_env(out, name, value);
  for (const auto& [name, value] : own)
    set_env(out, name, value);
  return out;
}

} // namespace agentpool::envd
