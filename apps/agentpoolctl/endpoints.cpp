// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoolctl/endpoints.hpp"

#include "protocol/wire/json.hpp"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace agentpool::ctl {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

} // namespace

std::string default_data_dir() {
  if (::geteuid() == 0)
    return "/var/lib/agentpool";
  auto state = variable("XDG_STATE_HOME");
  if (!state.starts_with('/'))
    state = variable("HOME") + "/.local/state";
  return state + "/agentpool";
}

result<endpoints> parse_endpoints(std::string_view text, const std::string& path) {
  auto parsed = json::parse(text);
  auto broken = fail(errc::internal, path + " is not complete; restart agentpoold to write it anew");
  if (!parsed)
    return broken;
  auto gateway = (*parsed)["gateway"];
  auto ops = (*parsed)["ops"];
  endpoints out{gateway["url"].text_or(""), gateway["device_token"].text_or(""), ops["url"].text_or(""),
    ops["token"].text_or("")};
  if (out.gateway_url.empty() || out.device_token.empty() || out.ops_url.empty() || out.ops_token.empty())
    return broken;
  return out;
}

result<endpoints> read_endpoints(const std::string& data_dir) {
  auto path = data_dir + "/run/endpoints.json";
  std::ifstream file{path};
  if (!file && errno == EACCES)
    return fail(
      errc::internal, path + " may be read by the daemon's user only; run this command as that user");
  if (!file)
    return fail(errc::internal, "no agentpoold runs on " + data_dir +
                                  "; start it with scripts/run, or name its data directory with --data");
  std::ostringstream text;
  text << file.rdbuf();
  return parse_endpoints(text.str(), path);
}

} // namespace agentpool::ctl
