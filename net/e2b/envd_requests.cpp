// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/e2b/envd_requests.hpp"

#include "net/e2b/limits.hpp"
#include "protocol/wire/base64.hpp"
#include "protocol/wire/connect_stream.hpp"
#include "protocol/wire/defaults.hpp"
#include "protocol/wire/e2b_route.hpp"
#include "protocol/wire/envd_files.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>

namespace agentpool::net {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

std::string line(std::string_view name, std::string_view value) {
  return std::string{name} + ": " + std::string{value};
}

// A sign of life three times within the time after which silence ends the stream; never less than a second:
// some versions of envd die of an interval that is not positive.
seconds keepalive_for(milliseconds idle) {
  if (idle.count() == 0)
    return defaults::envd_keepalive;
  return std::max(seconds{1}, std::chrono::duration_cast<seconds>(idle / 3));
}

std::string range_text(const ports::byte_range& range) {
  auto text = "bytes=" + std::to_string(range.offset) + "-";
  if (range.length)
    text += std::to_string(range.offset + std::max<uint64_t>(*range.length, 1) - 1);
  return text;
}

} // namespace

bool at_least(std::string_view text, int major, int minor, int patch) {
  std::array<int, 3> have{};
  for (auto& number : have) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (error != std::errc{} || !text.starts_with('.'))
      break;
    text.remove_prefix(1);
  }
  return std::tuple{have[0], have[1], have[2]} >= std::tuple{major, minor, patch};
}

envd_requests::envd_requests(const e2b_options& options, const ports::sandbox_access& access)
    : route_{route_to(options, access)}, token_{access.envd_token},
      takes_octets_{options.kind->tells_version && at_least(access.envd_version, 0, 5, 7)},
      default_user_{options.kind->explicit_user ? "user" : ""}, most_body_{options.kind->most_body} {}

ports::http_call envd_requests::base(
  std::string method, std::string target, const ports::call_limits& limits) const {
  ports::http_call call;
  call.method = std::move(method);
  call.url = route_.base + std::move(target);
  call.connect_to = route_.connect_to;
  call.headers = route_.headers;
  if (!token_.empty())
    call.headers.push_back(line(e2b::access_token_header, token_));
  call.limits = limits;
  call.most_body = defaults::envd_answer;
  return call;
}

ports::http_call envd_requests::unary(std::string_view method, std::string message, const std::string& user,
  const ports::call_limits& limits) const {
  auto call = base("POST", std::string{method}, limits);
  call.headers.push_back(line("Content-Type", connect::unary_type));
  call.headers.push_back(line(connect::version_header, connect::version));
  if (const auto& named = user.empty() ? default_user_ : user; !named.empty())
    call.headers.push_back(line("Authorization", "Basic " + base64_encode(named + ":")));
  call.body = std::move(message);
  return call;
}

ports::http_call envd_requests::stream(std::string_view method, std::string_view message,
  const std::string& user, const ports::stream_options& options, milliseconds kill_after) const {
  auto call = unary(method, connect::envelope_bytes(message), user, options.limits);
  auto is_type = [](const std::string& x) { return x.starts_with("Content-Type:"); };
  *std::find_if(call.headers.begin(), call.headers.end(), is_type) =
    line("Content-Type", connect::stream_type);
  auto keepalive = keepalive_for(options.limits.idle);
  call.headers.push_back(line(connect::keepalive_header, std::to_string(keepalive.count())));
  if (kill_after.count() > 0)
    call.headers.push_back(line(
      connect::timeout_header, std::to_string(std::min(kill_after, e2b_limits::longest_command).count())));
  if (call.limits.idle.count() == 0)
    call.limits.idle = 3 * keepalive;
  call.stream = true;
  call.window = std::max<size_t>(options.window, 1);
  call.most_body = 0;
  return call;
}

ports::http_call envd_requests::plain(
  std::string method, std::string_view path, const ports::call_limits& limits) const {
  return base(std::move(method), std::string{path}, limits);
}

ports::http_call envd_requests::read_file(const std::string& path, const std::string& user,
  const ports::byte_range& range, const ports::stream_options& options) const {
  auto call = base("GET",
    "/files?path=" + envd::query_escape(path) + (user.empty() ? "" : "&username=" + envd::query_escape(user)),
    options.limits);
  if (range.offset > 0 || range.length)
    call.headers.push_back(line("Range", range_text(range)));
  call.stream = true;
  call.repeatable = true;
  call.window = std::max<size_t>(options.window, 1);
  call.most_body = 0;
  return call;
}

ports::http_call envd_requests::write_file(
  const std::string& path, const std::string& user, const ports::call_limits& limits) const {
  auto call = base("POST",
    "/files?path=" + envd::query_escape(path) + (user.empty() ? "" : "&username=" + envd::query_escape(user)),
    limits);
  call.most_body = defaults::provider_answer;
  return call;
}

} // namespace agentpool::net
