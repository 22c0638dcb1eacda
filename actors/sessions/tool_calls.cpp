// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/sessions/tool_calls.hpp"

#include "protocol/wire/defaults.hpp"
#include "protocol/wire/events.hpp"

#include <algorithm>

namespace agentpool {

namespace {

bool has_ended(const json& event) {
  auto status = event["status"].text();
  return status == "completed" || status == "failed";
}

/// What a question shows of the call; its content and output are in its own events.
std::string kept(const json& event) {
  json_object out;
  for (auto name : {"tool_call_id", "title", "kind"})
    out.add_if(name, event[name].text_or(""));
  for (auto name : {"locations", "raw_input"})
    if (auto text = event[name].dump(); !event[name].missing() && text.size() <= defaults::question_input)
      out.add_raw(name, text);
  return out.str();
}

} // namespace

void tool_calls::note(const acp::event_parts& event) {
  bool begins = event.type == event_type::tool_call;
  if (!begins && event.type != event_type::tool_call_update)
    return;
  auto parsed = json::parse(event.fields);
  if (!parsed)
    return;
  auto id = (*parsed)["tool_call_id"].text_or("");
  if (has_ended(*parsed))
    end(id);
  else if (begins && (calls_.contains(id) || calls_.size() < defaults::open_tool_calls))
    calls_.insert_or_assign(id, call{kept(*parsed)});
}

std::string tool_calls::announced(const std::string& id) const {
  auto found = calls_.find(id);
  return found == calls_.end() ? std::string{} : found->second.fields;
}

void tool_calls::grant(const std::string& id) {
  if (calls_.contains(id) || calls_.size() < defaults::open_tool_calls)
    calls_[id].granted = true;
}

void tool_calls::end(const std::string& id) {
  auto ended = calls_.extract(id);
  if (ended && ended.mapped().granted && !ended.mapped().started &&
      to_start_.size() < defaults::open_tool_calls)
    to_start_.insert(id);
}

bool tool_calls::allow(const std::string& starting) {
  if (to_start_.erase(starting) > 0)
    return true;
  if (std::ranges::none_of(calls_, [](const auto& entry) { return entry.second.granted; }))
    return false;
  if (auto found = calls_.find(starting); found != calls_.end())
    found->second.started = true;
  return true;
}

void tool_calls::clear() {
  calls_.clear();
  to_start_.clear();
}

} // namespace agentpool
