// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/e2b_error.hpp"

#include "protocol/wire/json.hpp"
#include "protocol/wire/text.hpp"

namespace agentpool::e2b {

namespace {

constexpr size_t shown_bytes = 200;

// Clients of this API compare these two in the body, whatever the status is.
bool compared(int64_t code) {
  return code == 404 || code == 409;
}

std::optional<int64_t> code_of(const json& body) {
  if (auto number = body["code"].integer())
    return number;
  auto text = body["code"].text_or("");
  if (text == "404" || text == "409")
    return std::stoi(text);
  return std::nullopt;
}

} // namespace

std::string error_json(const api_error& error) {
  return json_object{}
    .add("code", error.code)
    .add("message", error.message)
    .add_if("error_code", error.error_code)
    .str();
}

api_error parse_error(int http_status, std::string_view body) {
  api_error error{http_status, printable(body, shown_bytes), {}};
  auto parsed = json::parse(body);
  if (!parsed || !parsed->is_object())
    return error;
  if (auto code = code_of(*parsed); code && compared(*code))
    error.code = static_cast<int>(*code);
  if (auto message = (*parsed)["message"].text())
    error.message = printable(*message, shown_bytes);
  error.error_code = printable((*parsed)["error_code"].text_or(""), shown_bytes);
  return error;
}

std::string sandbox_not_found_json(std::string_view sandbox_id) {
  return json_object{}
    .add("sandboxId", sandbox_id)
    .add("message", "The sandbox was not found")
    .add("code", 502)
    .str();
}

std::string port_closed_json(std::string_view sandbox_id, int port) {
  return json_object{}
    .add("sandboxId", sandbox_id)
    .add("message", "The sandbox is running but port is not open")
    .add("port", port)
    .add("code", 502)
    .str();
}

bool says_sandbox_gone(int http_status, std::string_view body) {
  if (http_status != 502)
    return false;
  auto parsed = json::parse(body);
  return parsed && (*parsed)["code"].integer() == 502 && (*parsed)["port"].missing() &&
         !(*parsed)["sandboxId"].missing();
}

} // namespace agentpool::e2b
