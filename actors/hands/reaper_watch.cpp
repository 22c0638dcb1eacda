// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

// Whether the provider answers.
#include "actors/hands/reaper.hpp"
#include "actors/log.hpp"

namespace agentpool {

/// One entry of the list is enough. While another call is on its way its answer tells the same.
void reaper_state::watch() {
  timers_.arm(watch_purpose, defaults::provider_watch);
  if (list_call_ != 0 || watch_call_ != 0)
    return;
  watch_call_ = ++calls_;
  config_.provider->list({{}, {}, 1}, within(defaults::hand_connect_deadline),
    mail(watch_call_).template answer<ports::sandbox_page>());
}

/// True when the provider is back: then its list is read at once, because what it lost meanwhile is told to
/// the hands. Its word that there is no such sandbox, or not now, is an answer.
bool reaper_state::heard(const failure& why) {
  using word = provider_view::word;
  bool answers = why.code == errc::none || why.code == errc::hand_deleted || why.code == errc::provider_busy;
  auto now = answers ? word::answers : word::fails;
  auto before = std::exchange(provider_.last, now);
  if (now == word::fails)
    provider_.why = why;
  if (before == now)
    return false;
  provider_.since = self_->clock().now();
  if (now == word::fails)
    log::worker().error("the sandbox provider at {} does not answer: {}", config_.settings.url, why.text());
  else
    log::worker().info("the sandbox provider at {} answers", config_.settings.url);
  return before == word::fails;
}

std::string reaper_state::provider_json() const {
  using word = provider_view::word;
  auto for_ms =
    std::chrono::duration_cast<std::chrono::milliseconds>(self_->clock().now() - provider_.since).count();
  auto state = provider_.last == word::none_yet  ? "unknown"
               : provider_.last == word::answers ? "answers"
                                                 : "fails";
  json_object out;
  out.add("url", config_.settings.url).add("state", state).add("state_age_ms", int64_t{for_ms});
  if (provider_.why.code != errc::none)
    out.add("last_error", provider_.why.text());
  return out.str();
}

} // namespace agentpool
