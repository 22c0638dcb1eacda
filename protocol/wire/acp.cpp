// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/acp.hpp"

#include "protocol/wire/json_text.hpp"
#include "protocol/wire/text.hpp"

#include <charconv>

/// JSON-RPC 2.0, sections 4 and 5.
namespace agentpool::acp {

namespace {

constexpr size_t error_data_bytes = 2048;

tl::unexpected<failure> broken(std::string_view reason) {
  return fail(
    errc::protocol_error, "The agent sent a line that JSON-RPC does not allow: " + std::string{reason});
}

bool is_id(const json& id) {
  return id.text() || id.number();
}

result<message> parse_call(const json& line, message parsed) {
  auto id = line["id"];
  if (!line["method"].text())
    return broken("its method is no string.");
  if (!id.missing() && !is_id(id))
    return broken("a request's id is neither a number nor a string.");
  parsed.params = line["params"];
  if (!parsed.params.missing() && !parsed.params.is_object() && !parsed.params.is_array() &&
      !parsed.params.is_null())
    return broken("its params are neither an object nor an array.");
  parsed.kind = id.missing() ? message_kind::notification : message_kind::request;
  parsed.method = line["method"].text_or("");
  return parsed;
}

// Agents put the cause into `data`: without it an error says no more than "Internal error".
std::string error_text(const json& error) {
  auto text = error["message"].text_or("");
  auto data = error["data"];
  if (data.missing() || data.is_null())
    return text;
  auto details = data["details"].text() ? data["details"].text_or("") : data.dump();
  return text + ": " + std::string{utf8_prefix(details, error_data_bytes)};
}

result<message> parse_answer(const json& line, message parsed) {
  auto error = line["error"];
  if (error.missing() || error.is_null()) {
    if (line["result"].missing())
      return broken("it has no method, no result and no error.");
    if (parsed.id.empty())
      return broken("a result's id is neither a number nor a string.");
    parsed.kind = message_kind::response;
    parsed.result = line["result"];
    return parsed;
  }
  if (!line["result"].missing())
    return broken("it has both a result and an error.");
  if (parsed.id.empty() && !line["id"].is_null())
    return broken("an error's id is neither a number nor a string nor null.");
  if (!error["code"].integer() || !error["message"].text())
    return broken("its error has no integer code or no message.");
  parsed.kind = message_kind::error;
  parsed.error_code = *error["code"].integer();
  parsed.error_message = error_text(error);
  return parsed;
}

std::string envelope(std::string_view raw_id) {
  std::string out = "{\"jsonrpc\":\"2.0\"";
  if (!raw_id.empty()) {
    out += ",\"id\":";
    out += raw_id;
  }
  return out;
}

std::string call(std::string out, std::string_view method, std::string_view params) {
  out.reserve(out.size() + method.size() + params.size() + 32);
  out += ",\"method\":";
  append_json_string(out, method);
  out += ",\"params\":";
  out += params;
  return out += '}';
}

} // namespace

std::optional<int64_t> message::number() const {
  if (kind != message_kind::response && kind != message_kind::error)
    return std::nullopt;
  int64_t value = 0;
  auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), value);
  if (error != std::errc{} || end != id.data() + id.size())
    return std::nullopt;
  return value;
}

agentpool::result<message> parse_message(std::string_view line) {
  auto parsed = json::parse(line);
  if (!parsed)
    return fail(errc::protocol_error, "The agent sent a line that is no JSON. " + parsed.error().detail);
  if (!parsed->is_object())
    return broken("it is no object.");
  if ((*parsed)["jsonrpc"].text() != "2.0")
    return broken("its member jsonrpc is not \"2.0\".");
  message out;
  if (is_id((*parsed)["id"]))
    out.id = (*parsed)["id"].dump();
  return (*parsed)["method"].missing() ? parse_answer(*parsed, std::move(out))
                                       : parse_call(*parsed, std::move(out));
}

std::string request(int64_t id, std::string_view method, std::string_view params) {
  return call(envelope(std::to_string(id)), method, params);
}

std::string notification(std::string_view method, std::string_view params) {
  return call(envelope({}), method, params);
}

std::string response(std::string_view raw_id, std::string_view result) {
  auto out = envelope(raw_id);
  out += ",\"result\":";
  out += result;
  return out += '}';
}

std::string error_response(std::string_view raw_id, int64_t code, std::string_view text) {
  auto out = envelope(raw_id.empty() ? "null" : raw_id);
  out += ",\"error\":";
  out += json_object{}.add("code", code).add("message", text).str();
  return out += '}';
}

} // namespace agentpool::acp
