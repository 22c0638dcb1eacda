// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoolctl/provider.hpp"

#include "apps/agentpoolctl/tables.hpp"
#include "protocol/wire/text.hpp"

namespace agentpool::ctl {

namespace {

constexpr size_t line_bytes = 500;

json detail_of(const json& status, std::string_view kind) {
  auto actors = status["actors"];
  for (size_t i = 0; i < actors.size(); ++i)
    if (actors.at(i)["kind"].text() == kind)
      return actors.at(i)["detail"];
  return {};
}

} // namespace

provider_word provider_of(const json& status) {
  if (detail_of(status, "broker")["provider"].text() == "none")
    return {0,
      "no sandboxes are configured on this server: chat only; [hands] of the configuration names a provider"};
  auto known = detail_of(status, "reaper")["provider"];
  auto state = known["state"].text_or("unknown");
  auto who = "the sandbox provider at " + known["url"].text_or("?");
  auto time = " (for " + short_time(known["state_age_ms"].integer().value_or(0)) + ")";
  if (state == "answers")
    return {0, who + " answers" + time};
  if (state != "fails")
    return {3, who + " has not answered yet"};
  auto why = printable(known["last_error"].text_or(""), line_bytes);
  return {1, who + " fails" + time + ": " + why +
               " Tools do not work until it answers; see [hands] of the configuration."};
}

} // namespace agentpool::ctl
