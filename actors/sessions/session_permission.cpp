// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

// What the agent asks, who decides, and what may run because of it.
#include "actors/sessions/session.hpp"

#include <caf/all.hpp>

namespace agentpool {

namespace {

/// The id of the first option of `kind`; nothing when none was offered.
std::string option_of_kind(const std::string& options, std::string_view kind) {
  auto list = json::parse(options);
  for (size_t i = 0; list && i < list->size(); ++i)
    if (list->at(i)["kind"].text() == kind)
      return list->at(i)["optionId"].text_or("");
  return {};
}

/// The kind of the option with this id; empty when it was not offered, as for a cancelled request.
std::string kind_of_option(const std::string& options, std::string_view id) {
  auto list = json::parse(options);
  for (size_t i = 0; list && !id.empty() && i < list->size(); ++i)
    if (list->at(i)["optionId"].text() == id)
      return list->at(i)["kind"].text_or("");
  return {};
}

std::string permission_fields(const std::string& id, const acp::permission& asked) {
  json_object out;
  out.add("request_id", id).add("tool_call_id", asked.tool_call_id);
  return out.add_raw("tool_call", asked.tool_call).add_raw("options", asked.options).str();
}

} // namespace

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
  auto& open = pending_.emplace(id, pending_permission{asked, turn_->row.id}).first->second;
  open.asked.tool_call = acp::describe_tool_call(calls_.announced(asked.tool_call_id), asked.tool_call);
  log_.flush_text(turn_->row.id, now());
  log_.add(event_type::permission_requested, turn_->row.id, now(), permission_fields(id, open.asked));
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
  if (kind_of_option(i->second.asked.options, option).empty())
    return caf::make_error(errc::bad_request, "option_id is none of the options that were offered");
  auto answer = self_->make_response_promise<void>();
  resolve_permission(request, option, "user", [answer]() mutable { answer.deliver(); });
  return answer;
}

/// The agent hears a choice when it is durable: what ran because of it is in the log. A cancelled request (an
/// empty option) lets nothing run and is told at once.
void session_state::resolve_permission(
  const std::string& request, const std::string& option, std::string_view by, std::function<void()> done) {
  auto node = pending_.extract(request);
  if (node.empty())
    return;
  last_sign_ = self_->clock().now(); // the agent could not go on before
  const auto& [asked, turn] = node.mapped();
  json_object fields;
  fields.add("request_id", request).add("tool_call_id", asked.tool_call_id);
  fields.add("outcome", option.empty() ? "cancelled" : "selected").add_if("option_id", option).add("by", by);
  log_.add(event_type::permission_resolved, turn, now(), fields.str());
  if (option.empty() && brain_)
    self_->send(brain_->handle, answer_atom_v, asked.request_id, option);
  log_.commit(session_write{.now = now()}, [this, asked = asked, turn = turn, option, done = std::move(done),
                                             brain = brain_ ? brain_->id : worker_id{}] {
    if (!option.empty() && brain_ && brain_->id == brain && turn_ && turn_->row.id == turn)
      tell_choice(asked, option);
    if (done)
      done();
  });
  if (!pending_.empty() || phase_ != session_phase::awaiting_permission)
    return;
  if (turn_)
    turn_->waited += self_->clock().now() - phase_since_;
  enter(session_phase::running);
}

void session_state::tell_choice(const acp::permission& asked, const std::string& option) {
  if (turn_->ending) // the worker has answered for us when the cancel came
    return;
  if (kind_of_option(asked.options, option).starts_with("allow_"))
    calls_.grant(asked.tool_call_id); // before the agent hears it: what it does then is asked for here
  self_->send(brain_->handle, answer_atom_v, asked.request_id, option);
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

/// What the broker asks before a mutation (docs/world-protocol.md, section 8). After a cancel nothing new may
/// begin.
bool session_state::granted(const std::string& starting) {
  if (row_.mode != "ask")
    return row_.mode == "allow";
  return turn_ && !turn_->ending && calls_.allow(starting);
}

/// The time that a person took for answers is none of the agent's.
void session_state::check_limit() {
  auto used = self_->clock().now() - turn_->begun - turn_->waited;
  if (phase_ == session_phase::awaiting_permission)
    used -= self_->clock().now() - phase_since_;
  if (used < config_.settings.turn_limit)
    return timers_.arm(session_timers::limit, config_.settings.turn_limit - used);
  cancel_turn({errc::deadline, "the turn took longer than a turn may take; it was cancelled"});
}

} // namespace agentpool
