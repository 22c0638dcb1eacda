// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

// What the agent says and asks, as events.
#include "actors/log.hpp"
#include "actors/sessions/session.hpp"

#include <caf/all.hpp>

namespace agentpool {

namespace {

/// Kinds that are work of a turn; the others (usage, titles, modes) are state and may come at any time.
bool is_turn_work(std::string_view kind) {
  return kind == event_type::agent_message_chunk || kind == event_type::agent_thought_chunk ||
         kind == event_type::tool_call || kind == event_type::tool_call_update || kind == event_type::plan;
}

/// The id of the first option of `kind`; nothing when none was offered.
std::string option_of_kind(const std::string& options, std::string_view kind) {
  auto list = json::parse(options);
  for (size_t i = 0; list && i < list->size(); ++i)
    if (list->at(i)["kind"].text() == kind)
      return list->at(i)["optionId"].text_or("");
  return {};
}

std::string permission_fields(const std::string& id, const acp::permission& asked) {
  json_object out;
  out.add("request_id", id).add("tool_call_id", asked.tool_call_id);
  return out.add_raw("tool_call", asked.tool_call).add_raw("options", asked.options).str();
}

} // namespace

void session_state::on_update(const acp::update& change) {
  last_sign_ = self_->clock().now();
  if (!turn_ && is_turn_work(change.kind)) {
    if (!brain_ || !brain_->prompted) // a banner before the first prompt is not an answer to anything
      return;
    open_agent_turn();
  }
  if (turn_ && turn_->row.by_agent)
    timers_.arm(session_timers::silence, config_.settings.agent_turn_silence);
  auto turn = turn_ ? turn_->row.id : last_turn_;
  bool text = change.is_text && (change.kind == event_type::agent_message_chunk ||
                                  change.kind == event_type::agent_thought_chunk);
  if (text && !log_.add_text(change.kind, change.message_id, change.text, turn, now())) {
    if (!timers_.armed(session_timers::coalesce))
      timers_.arm(session_timers::coalesce, config_.settings.coalesce_time);
    return;
  }
  log_.flush_text(turn, now());
  if (!text)
    add_update_event(change);
  commit_events();
}

void session_state::add_update_event(const acp::update& change) {
  auto turn = turn_ ? turn_->row.id : last_turn_;
  if (auto parts = acp::to_event(change))
    log_.add(parts->type, turn, now(), parts->fields);
  if (auto plan = acp::plan_from_todo(change))
    log_.add(event_type::plan, turn, now(), *plan);
}

/// Commits what waits, unless too much is still on its way to the store: then the agent is stopped.
void session_state::commit_events() {
  timers_.disarm(session_timers::coalesce);
  if (!log_.has_waiting())
    return;
  log_.commit(session_write{.now = now()});
  if (log_.in_flight() > defaults::unsent_events && turn_ && brain_) {
    kill_brain({errc::internal, "events come faster than the store takes them"});
    lose_brain(
      {errc::internal, "the agent's events came faster than the store takes them; the turn was ended"});
  }
}

/// `allow` and `deny` decide at once; `ask` waits for a person. Options are chosen by kind, never an `always`
/// one.
void session_state::on_permission(const acp::permission& asked) {
  last_sign_ = self_->clock().now();
  if (!turn_ || turn_->ending) {
    if (brain_)
      self_->send(brain_->handle, answer_atom_v, asked.request_id, std::string{});
    return;
  }
  auto id = "perm_" + std::to_string(++permission_counter_) + "_" + turn_->row.id.value;
  pending_.emplace(id, pending_permission{asked, turn_->row.id});
  log_.flush_text(turn_->row.id, now());
  log_.add(event_type::permission_requested, turn_->row.id, now(), permission_fields(id, asked));
  if (row_.mode == "ask") {
    enter(session_phase::awaiting_permission);
    return commit_events();
  }
  auto wanted = row_.mode == "deny" ? "reject_once" : "allow_once";
  resolve_permission(id, option_of_kind(asked.options, wanted), "policy");
}

caf::result<void> session_state::answer(const std::string& request, const std::string& option) {
  if (phase_ == session_phase::closed)
    return caf::make_error(errc::not_found);
  auto i = pending_.find(request);
  if (i == pending_.end())
    return caf::make_error(errc::unknown_permission);
  auto options = json::parse(i->second.asked.options);
  for (size_t n = 0; options && n < options->size(); ++n)
    if (options->at(n)["optionId"].text() == option) {
      resolve_permission(request, option, "user");
      return caf::unit;
    }
  return caf::make_error(errc::bad_request, "option_id is none of the options that were offered");
}

/// The decision is on its way to the log before the agent hears it. An empty option: cancelled.
void session_state::resolve_permission(
  const std::string& request, const std::string& option, std::string_view by) {
  auto node = pending_.extract(request);
  if (node.empty())
    return;
  last_sign_ = self_->clock().now(); // the agent could not go on before
  const auto& [asked, turn] = node.mapped();
  json_object fields;
  fields.add("request_id", request).add("tool_call_id", asked.tool_call_id);
  fields.add("outcome", option.empty() ? "cancelled" : "selected").add_if("option_id", option).add("by", by);
  log_.add(event_type::permission_resolved, turn, now(), fields.str());
  log_.commit(session_write{.now = now()});
  if (brain_)
    self_->send(brain_->handle, answer_atom_v, asked.request_id, option);
  if (pending_.empty() && phase_ == session_phase::awaiting_permission)
    enter(session_phase::running);
}

void session_state::resolve_all_permissions(const turn_id& turn) {
  std::vector<std::string> open;
  for (const auto& [id, pending] : pending_)
    if (pending.turn == turn)
      open.push_back(id);
  for (const auto& id : open)
    resolve_permission(id, {}, "cancel");
}

/// Approvals that were open when the last owner of the session ended: the end of their turn resolves them.
void session_state::reopen_permissions(const std::vector<event_row>& approvals) {
  for (const auto& event : approvals) {
    auto data = json::parse(event.data);
    if (!data)
      continue;
    auto id = (*data)["request_id"].text_or("");
    if (event.type == event_type::permission_resolved)
      pending_.erase(id);
    else
      pending_.emplace(
        id, pending_permission{{{}, {}, (*data)["tool_call_id"].text_or(""), {}, {}}, event.turn});
  }
}

std::string session_state::pending_json() const {
  json_array out;
  for (const auto& [id, pending] : pending_)
    out.add_raw(permission_fields(id, pending.asked));
  return out.str();
}

/// Previews are only shown while their turn runs.
void session_state::on_live(std::vector<live_frame> frames) {
  if (!turn_)
    return;
  last_sign_ = self_->clock().now();
  for (auto& frame : frames) {
    frame.turn = turn_->row.id;
    log_.push_live(frame);
  }
}

} // namespace agentpool
