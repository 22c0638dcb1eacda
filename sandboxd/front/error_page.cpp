// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/front/error_page.hpp"

#include "protocol/wire/e2b_error.hpp"
#include "protocol/wire/json.hpp"

#include <algorithm>

namespace agentpool::sandboxd {

namespace {

constexpr auto no_token = "This port needs the sandbox's traffic access token in the header "
                          "e2b-traffic-access-token";

// `words` and the target are no text of others.
std::string page(std::string_view title, const e2b::target& target, std::string_view words) {
  std::string out = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>";
  out.append(title)
    .append("</title><style>body{font:16px/1.5 sans-serif;margin:15vh auto;max-width:34em}")
    .append("code{background:#eee;padding:.1em .3em}</style></head><body><h1>")
    .append(title)
    .append("</h1><p>Sandbox <code>")
    .append(target.sandbox_id)
    .append("</code>, port <code>")
    .append(std::to_string(target.port))
    .append("</code></p><p>")
    .append(words)
    .append("</p></body></html>\n");
  return out;
}

control_response answer(const request_head& head, int status, std::string json, std::string html) {
  if (!wants_page(head))
    return {status, std::move(json)};
  control_response out{status, std::move(html)};
  out.content_type = "text/html; charset=utf-8";
  return out;
}

} // namespace

bool wants_page(const request_head& head) {
  std::string_view agent = field(head, "User-Agent").value_or("");
  auto has = [](std::string_view text, std::string_view part) {
    return std::search(text.begin(), text.end(), part.begin(), part.end(),
             [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; }) != text.end();
  };
  return has(agent, "mozilla/") && !has(field(head, "Accept").value_or(""), "application/json") &&
         !same_text(field(head, "Sec-Fetch-Mode").value_or(""), "cors");
}

control_response not_found(const request_head& head, const e2b::target& target) {
  return answer(head, 502, e2b::sandbox_not_found_json(target.sandbox_id),
    page("The sandbox was not found", target,
      "It never was, it is paused, or its time is over. A new one is made with the API."));
}

control_response port_closed(const request_head& head, const e2b::target& target) {
  return answer(head, 502, e2b::port_closed_json(target.sandbox_id, target.port),
    page("The port is not open", target,
      "The sandbox is running, but no program in it listens on this port yet."));
}

control_response token_wanted(const request_head& head, const e2b::target& target) {
  auto json = json_object{}.add("sandboxId", target.sandbox_id).add("message", no_token).add("code", 403);
  return answer(head, 403, json.str(), page("The port is not public", target, no_token));
}

} // namespace agentpool::sandboxd
