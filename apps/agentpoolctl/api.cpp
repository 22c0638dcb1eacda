// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoolctl/api.hpp"

#include "apps/agentpoolctl/answer.hpp"
#include "net/http/blocking_client.hpp"

namespace agentpool::ctl {

namespace {

constexpr std::chrono::seconds call_deadline{30};
constexpr std::chrono::seconds delete_deadline{90}; // a turn ends and a sandbox is killed first
constexpr std::chrono::seconds stream_idle{30};     // three heartbeats of the daemon

tl::unexpected<failure> no_answer(const std::string& url, const failure& why) {
  return fail(errc::overloaded, "agentpoold does not answer at " + url + " (" + why.text() +
                                  "); when it is not running, start it with scripts/run");
}

using answered = result<net::client_response>;

result<json> meaning(const std::string& url, const answered& answer) {
  if (!answer)
    return no_answer(url, answer.error());
  return read_answer(answer->status, answer->body);
}

net::blocking_client client(const std::string& token) {
  return {token, call_deadline};
}

} // namespace

result<json> api::get(const std::string& path) const {
  return read_endpoints(data_dir_).and_then([&](const endpoints& where) {
    return meaning(where.gateway_url, client(where.device_token).get(where.gateway_url + path));
  });
}

result<json> api::post(const std::string& path, const std::string& body, const std::string& key) const {
  std::vector<std::string> headers;
  if (!key.empty())
    headers.push_back("Idempotency-Key: " + key);
  return read_endpoints(data_dir_).and_then([&](const endpoints& where) {
    return meaning(
      where.gateway_url, client(where.device_token).post(where.gateway_url + path, body, headers));
  });
}

result<json> api::remove(const std::string& path) const {
  return read_endpoints(data_dir_).and_then([&](const endpoints& where) {
    net::blocking_client slow{where.device_token, delete_deadline};
    return meaning(where.gateway_url, slow.remove(where.gateway_url + path));
  });
}

result<json> api::ops_get(const std::string& path) const {
  return read_endpoints(data_dir_).and_then([&](const endpoints& where) {
    return meaning(where.ops_url, client(where.ops_token).get(where.ops_url + path));
  });
}

result<json> api::ops_post(const std::string& path, const std::string& body) const {
  return read_endpoints(data_dir_).and_then([&](const endpoints& where) {
    return meaning(where.ops_url, client(where.ops_token).post(where.ops_url + path, body));
  });
}

result<void> api::events(const std::string& session, const std::string& last_event_id,
  const std::function<bool(std::string_view)>& on_bytes) const {
  auto where = read_endpoints(data_dir_);
  if (!where)
    return tl::unexpected{where.error()};
  std::vector<std::string> headers{"Accept: text/event-stream"};
  if (!last_event_id.empty())
    headers.push_back("Last-Event-ID: " + last_event_id);
  auto url = where->gateway_url + "/v1/sessions/" + session + "/events";
  auto end = client(where->device_token).stream(url, headers, on_bytes, stream_idle);
  if (end && end->status == 200)
    return {};
  return meaning(where->gateway_url, end).map([](const json&) {});
}

} // namespace agentpool::ctl
