// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/acp.hpp"

/// ACP version 1: what we ask an agent and what it answers.
namespace agentpool::acp {

namespace {

// A capability that is there is an object, usually `{}`; some agents say true.
bool offers(const json& capability) {
  return capability.is_object() || capability.boolean().value_or(false);
}

tl::unexpected<failure> broken(std::string_view reason) {
  return fail(errc::protocol_error, "The agent broke ACP: " + std::string{reason});
}

json_object session_member(const brain_session_id& session) {
  json_object out;
  out.add("sessionId", session.value);
  return out;
}

std::string option_json(const json& option) {
  return json_object{}
    .add("optionId", option["optionId"].text_or(""))
    .add("name", option["name"].text_or(""))
    .add("kind", option["kind"].text_or(""))
    .str();
}

bool is_option(const json& option) {
  return !option["optionId"].text_or("").empty() && option["name"].text() && option["kind"].text();
}

} // namespace

std::string initialize_params() {
  // No fs and no terminal: an agent that were offered half of it would use its own machine for the rest.
  auto files = json_object{}.add("readTextFile", false).add("writeTextFile", false).str();
  auto capabilities = json_object{}.add_raw("fs", files).add("terminal", false).str();
  auto client = json_object{}.add("name", "agentpool").add("version", AGENTPOOL_VERSION).str();
  return json_object{}
    .add("protocolVersion", protocol_version)
    .add_raw("clientCapabilities", capabilities)
    .add_raw("clientInfo", client)
    .str();
}

agentpool::result<agent_info> parse_initialize(const json& result) {
  if (result["protocolVersion"].integer() != protocol_version)
    return broken("it speaks protocol version " + result["protocolVersion"].dump() + ", not 1.");
  auto capabilities = result["agentCapabilities"];
  auto sessions = capabilities["sessionCapabilities"];
  agent_info info;
  info.name = result["agentInfo"]["name"].text_or("");
  info.version = result["agentInfo"]["version"].text_or("");
  info.load = capabilities["loadSession"].boolean().value_or(false);
  info.resume = offers(sessions["resume"]);
  info.close = offers(sessions["close"]);
  info.list = offers(sessions["list"]);
  return info;
}

std::string session_new_params(std::string_view cwd) {
  return json_object{}.add("cwd", cwd).add_raw("mcpServers", "[]").str();
}

std::string session_resume_params(const brain_session_id& session, std::string_view cwd) {
  return session_member(session).add("cwd", cwd).add_raw("mcpServers", "[]").str();
}

std::string session_params(const brain_session_id& session) {
  return session_member(session).str();
}

std::string session_prompt_params(const brain_session_id& session, std::string_view blocks) {
  return session_member(session).add_raw("prompt", blocks).str();
}

agentpool::result<brain_session_id> parse_session_new(const json& result) {
  auto id = result["sessionId"].text_or("");
  if (id.empty())
    return broken("session/new was answered without a sessionId.");
  return brain_session_id{std::move(id)};
}

agentpool::result<std::string> parse_prompt_result(const json& result) {
  auto reason = result["stopReason"].text_or("");
  if (reason.empty())
    return broken("session/prompt was answered without a stopReason.");
  return reason;
}

agentpool::result<permission> parse_permission(const message& request) {
  const auto& params = request.params;
  auto options = params["options"];
  permission out;
  out.request_id = request.id;
  out.session.value = params["sessionId"].text_or("");
  out.tool_call_id = params["toolCall"]["toolCallId"].text_or("");
  if (out.request_id.empty() || out.session.empty() || out.tool_call_id.empty())
    return broken("session/request_permission names no session or no tool call.");
  json_array list;
  for (size_t i = 0; i < options.size(); ++i) {
    if (!is_option(options.at(i)))
      return broken("an option of session/request_permission lacks optionId, name or kind.");
    list.add_raw(option_json(options.at(i)));
  }
  if (list.empty())
    return broken("session/request_permission has no options.");
  out.tool_call = params["toolCall"].dump();
  out.options = list.str();
  return out;
}

std::string permission_selected(std::string_view option_id) {
  auto outcome = json_object{}.add("outcome", "selected").add("optionId", option_id).str();
  return json_object{}.add_raw("outcome", outcome).str();
}

std::string permission_cancelled() {
  return json_object{}.add_raw("outcome", json_object{}.add("outcome", "cancelled").str()).str();
}

} // namespace agentpool::acp
