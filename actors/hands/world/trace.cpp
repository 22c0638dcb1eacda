// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/trace.hpp"

#include "protocol/wire/defaults.hpp"
#include "protocol/wire/text.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

namespace agentpool::world {

namespace {

using namespace std::chrono_literals;

constexpr size_t not_listed = std::numeric_limits<size_t>::max();
constexpr size_t subject_bytes = 200;
// The probes of one model request follow each other faster.
constexpr auto between = 1s;

std::string ms(loop::duration time) {
  char text[32];
  auto us = std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  std::snprintf(text, sizeof text, "%.3f", static_cast<double>(us) / 1000);
  return text;
}

} // namespace

traced_call::traced_call(std::shared_ptr<tool_trace> of, size_t index, uint32_t round, bool awaited)
    : of_{std::move(of)}, index_{index}, round_{round}, awaited_{awaited} {}

void traced_call::answered() {
  if (!std::exchange(answered_, true) && awaited_)
    of_->answered_ = std::max(of_->answered_, round_);
}

void traced_call::add_bytes(size_t bytes) {
  of_->bytes_ += bytes;
  if (index_ != not_listed)
    of_->lines_[index_].bytes += bytes;
}

void traced_call::failed(const failure& why) {
  if (index_ != not_listed)
    of_->lines_[index_].error = to_string(why.code);
}

void traced_call::end() {
  if (std::exchange(ended_, true))
    return;
  answered();
  auto now = of_->home_->now();
  if (index_ != not_listed) {
    of_->lines_[index_].ended = now;
    of_->lines_[index_].open = false;
  }
  if (!awaited_)
    return;
  of_->last_ = now;
  if (--of_->open_ == 0)
    of_->provider_ += now - of_->provider_since_;
}

tool_trace::tool_trace(std::shared_ptr<loop> home, std::string id, std::string name, loop::time_point begun)
    : home_{std::move(home)}, id_{std::move(id)}, name_{std::move(name)}, begun_{begun}, last_{begun} {}

// A wave of n calls on k connections is ⌈n/k⌉ round trips: what waits for a connection goes out later.
uint32_t tool_trace::await(call_kind kind) {
  last_ = home_->now();
  if (open_++ == 0)
    provider_since_ = last_;
  auto round = answered_ + 1;
  if (std::exchange(wave_, round) != round)
    in_wave_ = 0;
  if (kind == call_kind::plain)
    round += static_cast<uint32_t>(in_wave_++ / defaults::client_unary);
  rounds_ = std::max(rounds_, round);
  return round;
}

std::shared_ptr<traced_call> tool_trace::begin(
  std::string_view what, std::string_view subject, call_kind kind) {
  ++requests_;
  bool awaited = kind != call_kind::aside;
  auto round = awaited ? await(kind) : 0;
  auto index = not_listed;
  if (lines_.size() < defaults::traced_calls) {
    index = lines_.size();
    lines_.push_back(
      {std::string{what}, printable(subject, subject_bytes), round, home_->now(), {}, 0, {}, true});
  }
  return std::make_shared<traced_call>(shared_from_this(), index, round, awaited);
}

std::shared_ptr<traced_call> tool_trace::join() {
  return std::make_shared<traced_call>(shared_from_this(), not_listed, await(call_kind::stream), true);
}

void tool_trace::seen_now() {
  last_ = home_->now();
}

std::string tool_trace::json() const {
  json_array calls;
  for (const auto& one : lines_) {
    json_object each;
    each.add("what", one.what).add("subject", one.subject);
    if (one.round > 0)
      each.add("round", one.round);
    each.add_raw("at_ms", ms(one.begun - begun_));
    each.add_raw("ms", one.open ? "null" : ms(one.ended - one.begun));
    each.add("bytes", one.bytes).add_if("error", one.error);
    calls.add_raw(each.str());
  }
  auto provider = provider_ + (open_ > 0 ? home_->now() - provider_since_ : loop::duration{});
  return json_object{}
    .add("turn_id", turn)
    .add("tool_call_id", id_)
    .add("name", name_)
    .add("round_trips", rounds_)
    .add("requests", requests_)
    .add("bytes", bytes_)
    .add("cache_hits", hits_)
    .add_raw("ms_total", ms((open_ > 0 ? home_->now() : last_) - begun_))
    .add_raw("ms_provider", ms(provider))
    .add_raw("calls", calls.str())
    .add("calls_left_out", requests_ - uint64_t{lines_.size()})
    .str();
}

std::shared_ptr<tool_trace> trace_book::open(const call& request, bool& fresh) {
  const auto& id = request.tool_call;
  fresh = false;
  // What has no tool call belongs to what was asked just before.
  if (id.empty() && !tools_.empty() && tools_.back()->id().empty() && tools_.back()->is_recent(between))
    return tools_.back();
  auto same = [&](const auto& one) { return one->id() == id; };
  auto found = id.empty() ? tools_.rend() : std::find_if(tools_.rbegin(), tools_.rend(), same);
  if (found != tools_.rend())
    return *found;
  fresh = true;
  tools_.push_back(std::make_shared<tool_trace>(home_, id, request.tool, home_->now()));
  if (tools_.size() > defaults::traced_tools)
    tools_.pop_front();
  return tools_.back();
}

std::string trace_book::json(std::string_view turn) const {
  json_array out;
  for (const auto& one : tools_)
    if (turn.empty() || one->turn == turn)
      out.add_raw(one->json());
  return json_object{}.add_raw("tools", out.str()).str();
}

} // namespace agentpool::world
