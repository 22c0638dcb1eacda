// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

// From a recorded sandbox to one that is lent, and keeping it alive.
#include "actors/hands/hand.hpp"
#include "actors/log.hpp"
#include "protocol/wire/crash_point.hpp"

#include <algorithm>
#include <utility>

namespace agentpool {

namespace {

std::chrono::seconds in_seconds(caf::timespan time) {
  return std::max(std::chrono::seconds{1}, std::chrono::ceil<std::chrono::seconds>(time));
}

caf::timespan backoff(size_t tries) {
  caf::timespan out = defaults::hand_backoff_min;
  for (size_t i = 1; i < tries && out < defaults::hand_backoff_max; ++i)
    out *= 2;
  return std::min<caf::timespan>(out, defaults::hand_backoff_max);
}

/// The sandbox answers, and cannot do what every sandbox can. Its limits (processes, disk) pass.
bool is_denial(const failure& why) {
  switch (why.code) {
  case errc::hand_stopped:
  case errc::hand_damaged:
  case errc::provider_nonsense:
  case errc::envd_not_found:
  case errc::envd_invalid:
  case errc::envd_denied:
  case errc::envd_refused:
  case errc::envd_failed: return true;
  default: return false;
  }
}

constexpr auto restarted = "The sandbox was restarted: running commands, background jobs and terminals are "
                           "gone. The files are as they "
                           "were.";

} // namespace

void hand_state::reconnect() {
  tries_ = mismatches_ = denials_ = 0;
  enter(hand_phase::reconnecting);
  admit(false);
}

void hand_state::ask_connect() {
  auto op = begin_call(hand_call::connect, defaults::hand_connect_deadline);
  port_call_ = config_.provider->connect(row_.sandbox, in_seconds(config_.settings.timeout),
    within(defaults::hand_connect_deadline), mail(op).answer<ports::sandbox_connected>());
}

/// A new generation: connections of the old one are not trusted any more. The provider's tokens may be new.
void hand_state::record_connection(const ports::sandbox_access& access) {
  auto next = row_;
  ++next.generation;
  auto take = [](std::string& into, const std::string& from) {
    if (!from.empty())
      into = from;
  };
  take(next.envd_token, access.envd_token);
  take(next.traffic_token, access.traffic_token);
  take(next.domain, access.domain);
  take(next.envd_version, access.envd_version);
  write(std::move(next), {});
}

/// Not reachable is not gone: it is tried for as long as it takes, with growing pauses.
void hand_state::try_again(const failure& why) {
  last_error_ = why.text();
  leave_admission();
  ++tries_;
  if (phase_ != hand_phase::reconnecting)
    enter(hand_phase::reconnecting);
  drop_call();
  log::worker().warn("hand of {} does not answer (attempt {}): {}", session_.value, tries_, last_error_);
  timers_.arm(hand_timers::retry, backoff(tries_));
  report();
}

void hand_state::connect_failed(const failure& why) {
  if (why.code == errc::hand_deleted)
    return lose(why);
  if (why.code == errc::provider_unauthorized || why.code == errc::provider_refused)
    fail_waiting({errc::world_no_hand,
      "The session's sandbox cannot be reached. " + std::string{describe(why.code).text}});
  try_again(why);
}

void hand_state::ask_verify() {
  if (fresh())
    crash_point("hand.verify.before");
  ports::sandbox_access access{
    row_.sandbox, row_.envd_token, row_.traffic_token, row_.domain, row_.envd_version, row_.template_id};
  checked_ = config_.provider->link(access);
  marker_ = fresh() ? row_.boot_marker : random_id("boot_");
  auto op = begin_call(hand_call::verify, config_.settings.verify_deadline);
  ports::stream_options options;
  options.limits = within(config_.settings.verify_deadline);
  checked_->start(verify_command({fresh(), row_.nonce, marker_}), options,
    std::make_shared<output_collector>([to = mail(op)](provider_event event) { to(std::move(event)); }));
}

/// Another's nonce: this is not our sandbox, whatever the address says. No marker: it was restarted.
void hand_state::judge(const hand_proof& proof) {
  if (proof.nonce != row_.nonce)
    return wrong_nonce();
  check_clock(proof);
  if (!fresh() && proof.boot_marker == row_.boot_marker)
    return be_ready();
  auto next = row_;
  next.state = "running";
  next.boot_marker = proof.boot_marker.empty() ? marker_ : proof.boot_marker;
  if (fresh())
    return write(std::move(next), {});
  ++next.continuity;
  next.notice = next.notice.empty() ? restarted : next.notice;
  if (link_)
    std::exchange(link_, nullptr)->close({errc::hand_lost, restarted});
  write(std::move(next), {});
}

void hand_state::be_ready() {
  link_ = std::exchange(checked_, nullptr);
  tries_ = mismatches_ = denials_ = 0;
  missed_ = false;
  loss_.clear();
  last_error_.clear();
  enter(hand_phase::ready);
  timers_.arm(hand_timers::refresh, config_.settings.timeout / 2);
  lend_to_waiting();
  report();
}

/// Misrouted, or not ours: nothing was executed but the question. Asked once more on another connection.
void hand_state::wrong_nonce() {
  checked_.reset();
  ++mismatches_;
  log::worker().critical("AUDIT: sandbox {} of {} answered with another identity ({} of {})", row_.sandbox,
    session_.value, mismatches_, defaults::hand_mismatches);
  last_error_ = "the sandbox answered with another identity";
  if (mismatches_ < defaults::hand_mismatches)
    return timers_.arm(hand_timers::retry, defaults::hand_backoff_min);
  quarantine();
}

void hand_state::verify_failed(const failure& why) {
  drop_call();
  checked_.reset();
  if (!fresh()) {
    // Started, and not done in all its time: what starts commands hangs.
    bool hangs =
      why.code == errc::deadline && self_->clock().now() - since_ >= config_.settings.verify_deadline;
    denials_ = hangs || is_denial(why) ? denials_ + 1 : 0;
    if (denials_ < defaults::hand_tries)
      return try_again(why);
    // The data plane's own word, again and again: it is believed, although the provider connects it.
    return why.code == errc::hand_stopped ? lose(why) : give_up_damaged(why);
  }
  last_error_ = why.text();
  if (++tries_ >= defaults::hand_tries)
    return abandon(why.text());
  timers_.arm(hand_timers::retry, backoff(tries_));
}

void hand_state::check_clock(const hand_proof& proof) {
  if (proof.clock_ms == 0)
    return;
  auto skew = std::chrono::milliseconds{std::abs(proof.clock_ms - now())};
  if (skew <= defaults::hand_clock_skew)
    return;
  auto text = "The clock of the sandbox is off by " + std::to_string(skew.count() / 1000) +
              " s; what checks times (certificates, builds) may fail in it.";
  log::worker().warn("hand of {}: {}", session_.value, text);
  tell_session("clock_skew", text);
}

void hand_state::ask_refresh() {
  auto op = begin_call(hand_call::refresh, defaults::hand_connect_deadline);
  config_.provider->refresh(row_.sandbox, in_seconds(config_.settings.timeout),
    within(defaults::hand_connect_deadline), mail(op).answer<void>());
}

void hand_state::refresh_failed(const failure& why) {
  log::worker().warn("the timeout of {}'s sandbox was not refreshed: {}", session_.value, why.text());
  last_error_ = why.text();
  if (why.code == errc::hand_deleted || why.code == errc::hand_stopped)
    return reconnect();
  timers_.arm(hand_timers::refresh,
    std::min<caf::timespan>(defaults::hand_refresh_retry, config_.settings.timeout / 8));
}

} // namespace agentpool
