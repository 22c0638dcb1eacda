// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/control/routes.hpp"

#include "protocol/wire/e2b_list.hpp"
#include "protocol/wire/e2b_route.hpp"

#include <array>
#include <limits>

namespace agentpool::sandboxd {

namespace {

using answer = boost::asio::awaitable<control_response>;

struct call {
  sandboxes& all;
  const control_request& request;
  e2b::api version;
  const team& of; ///< whose key was sent
  std::string id; ///< of the path, when the route has one
};

control_response from_failure(const failure& why) {
  return error_response({400, why.text(), {}});
}

template <class T>
control_response no_content(const reply<T>& done) {
  return done ? control_response{204, {}} : error_response(done.error());
}

// The rest of the minute is what a client has to wait.
control_response too_many(int64_t most, std::chrono::seconds wait) {
  auto out = error_response({429, "Rate limit exceeded", {}});
  auto seconds = std::to_string(wait.count());
  out.headers = {{"RateLimit-Limit", std::to_string(most)}, {"RateLimit-Remaining", "0"},
    {"RateLimit-Reset", seconds}, {"Retry-After", seconds}};
  return out;
}

answer create(call on) {
  auto wanted = e2b::parse_new_sandbox(on.request.body);
  if (!wanted)
    co_return from_failure(wanted.error());
  if (auto wait = on.all.count_create(on.of.name))
    co_return too_many(on.of.limits.creates_per_minute, *wait);
  auto made = co_await on.all.create(std::move(*wanted), on.version, on.of.name);
  co_return made ? control_response{201, e2b::sandbox_json(*made)} : error_response(made.error());
}

answer connect(call on) {
  auto wanted = e2b::parse_connect(on.request.body, on.version);
  if (!wanted)
    co_return from_failure(wanted.error());
  auto done =
    co_await on.all.connect(on.id, wanted->timeout.value_or(e2b::default_timeout_v2), wanted->memory);
  if (!done)
    co_return error_response(done.error());
  done->sandbox.domain = on.all.domain();
  co_return control_response{done->resumed ? 201 : 200, e2b::sandbox_json(done->sandbox)};
}

answer resume(call on) {
  auto wanted = e2b::parse_connect(on.request.body, e2b::api::v2);
  if (!wanted)
    co_return from_failure(wanted.error());
  auto done = co_await on.all.resume(on.id, wanted->timeout.value_or(e2b::default_timeout_v1));
  if (done)
    done->domain = on.all.domain();
  co_return done ? control_response{201, e2b::sandbox_json(*done)} : error_response(done.error());
}

answer pause(call on) {
  auto memory = e2b::parse_pause(on.request.body);
  if (!memory)
    co_return from_failure(memory.error());
  co_return no_content(co_await on.all.pause(on.id, *memory));
}

answer set_timeout(call on) {
  auto seconds = e2b::parse_timeout(on.request.body);
  if (!seconds)
    co_return from_failure(seconds.error());
  co_return no_content(co_await on.all.set_timeout(on.id, *seconds));
}

answer refresh(call on) {
  auto seconds = e2b::parse_refresh(on.request.body);
  if (!seconds)
    co_return from_failure(seconds.error());
  co_return no_content(co_await on.all.refresh(on.id, *seconds));
}

answer set_network(call on) {
  auto wanted = e2b::parse_network_update(on.request.body);
  if (!wanted)
    co_return from_failure(wanted.error());
  co_return no_content(co_await on.all.set_network(on.id, std::move(*wanted)));
}

answer detail(call on) {
  auto found = on.all.detail(on.id);
  co_return found ? control_response{200, e2b::sandbox_detail_json(*found)} : error_response(found.error());
}

answer kill(call on) {
  co_return no_content(co_await on.all.kill(on.id));
}

answer list(call on) {
  auto query = e2b::parse_list_query(on.request.query);
  if (query && on.version == e2b::api::v1) {
    query->states = {"running"};
    query->next_token.clear();
    query->limit = std::numeric_limits<int64_t>::max();
  }
  auto page = query ? e2b::select_page(on.all.list(on.of.name), *query) : tl::unexpected{query.error()};
  if (!page)
    co_return from_failure(page.error());
  control_response out{200, e2b::sandbox_list_json(page->rows)};
  out.headers.emplace_back(e2b::total_running_header, std::to_string(on.all.count_running(on.of.name)));
  if (!page->next_token.empty() && on.version == e2b::api::v2)
    out.headers.emplace_back(e2b::next_token_header, page->next_token);
  co_return out;
}

answer metrics(call on) {
  auto range = e2b::parse_metrics_query(on.request.query);
  if (!range)
    co_return from_failure(range.error());
  auto rows = on.all.metrics(on.id, *range);
  co_return rows ? control_response{200, e2b::metrics_json(*rows)} : error_response(rows.error());
}

answer all_metrics(call on) {
  auto ids = e2b::parse_sandbox_ids(on.request.query);
  if (!ids)
    co_return from_failure(ids.error());
  co_return control_response{200, e2b::metrics_by_id_json(on.all.latest_metrics(*ids, on.of.name))};
}

answer logs(call on) {
  auto query = e2b::parse_logs_query(on.request.query);
  if (!query)
    co_return from_failure(query.error());
  auto entries = on.all.logs(on.id);
  if (!entries)
    co_return error_response(entries.error());
  co_return control_response{
    200, e2b::logs_json(e2b::select_logs(*entries, *query), on.version == e2b::api::v2)};
}

answer make_snapshot(call on) {
  auto name = e2b::parse_snapshot(on.request.body);
  if (!name)
    co_return from_failure(name.error());
  auto made = co_await on.all.snapshot_of(on.id, *name);
  co_return made ? control_response{201, e2b::snapshot_json(*made)} : error_response(made.error());
}

answer list_snapshots(call on) {
  auto query = e2b::parse_snapshots_query(on.request.query);
  auto page = query ? on.all.snapshots().select(on.of.name, *query) : tl::unexpected{query.error()};
  if (!page)
    co_return from_failure(page.error());
  control_response out{200, e2b::snapshot_list_json(page->rows)};
  if (!page->next_token.empty())
    out.headers.emplace_back(e2b::next_token_header, page->next_token);
  co_return out;
}

answer remove_snapshot(call on) {
  auto called = e2b::url_decode(on.id, false);
  co_return no_content(co_await on.all.remove_snapshot(on.of.name, called.value_or("")));
}

answer fork(call on) {
  auto wanted = e2b::parse_fork(on.request.body);
  if (!wanted)
    co_return from_failure(wanted.error());
  auto made = co_await on.all.fork(on.id, *wanted);
  co_return made ? control_response{201, e2b::forks_json(*made)} : error_response(made.error());
}

answer unsupported(call on) {
  co_return error_response({501, "This server does not serve " + on.request.path + " yet", "unsupported"});
}

struct route {
  std::string_view method;
  std::string_view path; ///< `{}` stands for a sandbox id
  answer (*serve)(call);
  bool also_v2 = false; ///< served below /v2 too
};

constexpr std::array routes{
  route{"POST", "/sandboxes", create, true},
  route{"GET", "/sandboxes", list, true},
  route{"GET", "/sandboxes/metrics", all_metrics},
  route{"GET", "/sandboxes/{}", detail},
  route{"DELETE", "/sandboxes/{}", kill},
  route{"POST", "/sandboxes/{}/connect", connect, true},
  route{"POST", "/sandboxes/{}/resume", resume},
  route{"POST", "/sandboxes/{}/pause", pause},
  route{"POST", "/sandboxes/{}/timeout", set_timeout},
  route{"POST", "/sandboxes/{}/refreshes", refresh},
  route{"PUT", "/sandboxes/{}/network", set_network},
  route{"GET", "/sandboxes/{}/metrics", metrics},
  route{"GET", "/sandboxes/{}/logs", logs, true},
  route{"POST", "/sandboxes/{}/snapshots", make_snapshot},
  route{"POST", "/sandboxes/{}/fork", fork},
  route{"GET", "/snapshots", list_snapshots},
  route{"DELETE", "/templates/{}", remove_snapshot},
  route{"GET", "/templates", unsupported},
};

// Whether `path` has the form of `pattern`; the segment at `{}` goes to `id`.
bool matches(std::string_view pattern, std::string_view path, std::string_view& id) {
  auto hole = pattern.find("{}");
  if (hole == std::string_view::npos)
    return pattern == path;
  auto tail = pattern.substr(hole + 2);
  if (path.size() <= hole + tail.size() || !path.starts_with(pattern.substr(0, hole)) ||
      !path.ends_with(tail))
    return false;
  id = path.substr(hole, path.size() - hole - tail.size());
  return id.find('/') == std::string_view::npos;
}

struct choice {
  const route* found = nullptr;
  bool other_method = false;
  std::string_view segment;
};

choice choose(std::string_view method, std::string_view path, bool v2) {
  choice out;
  for (const auto& one : routes) {
    std::string_view segment;
    if ((v2 && !one.also_v2) || !matches(one.path, path, segment))
      continue;
    if (one.method == method)
      return {&one, false, segment};
    out.other_method = true;
  }
  return out;
}

answer dispatch(sandboxes& all, const team& of, const control_request& request) {
  std::string_view path = request.path;
  auto v2 = path.starts_with("/v2/");
  if (v2)
    path.remove_prefix(3);
  auto chosen = choose(request.method, path, v2);
  if (!chosen.found)
    co_return error_response(chosen.other_method
                               ? e2b::api_error{405, "method not allowed", {}}
                               : e2b::api_error{404, "no route " + request.method + " " + request.path, {}});
  call on{all, request, v2 ? e2b::api::v2 : e2b::api::v1, of, std::string{chosen.segment}};
  auto names_sandbox = chosen.found->path.starts_with("/sandboxes/{}");
  auto id = e2b::parse_sandbox_id(chosen.segment);
  if (names_sandbox && !id)
    co_return error_response({400, "Invalid sandbox ID", {}});
  if (names_sandbox) {
    on.id = *id;
    // Another team's sandbox is none: here, before any route sees it.
    if (!all.belongs(on.id, of.name))
      co_return error_response(no_sandbox(on.id).value());
  }
  co_return co_await chosen.found->serve(std::move(on));
}

} // namespace

control_response error_response(const e2b::api_error& error) {
  return {error.code, e2b::error_json(error)};
}

answer serve_control(sandboxes& all, const team_list& teams, control_request request) {
  if (request.path == "/health" && request.method == "GET")
    co_return control_response{200, "\"Health check successful\""};
  if (request.api_key.empty())
    co_return error_response({401, "Missing API key: send it in the header X-API-Key.", {}});
  const auto* of = teams.of_key(request.api_key);
  if (!of)
    co_return error_response(
      {401, "Invalid API key, please visit https://e2b.dev/docs/api-key for more information.", {}});
  if (of->limits.blocked)
    co_return error_response({403, "Team is blocked: ask the operator of this service.", {}});
  co_return co_await dispatch(all, *of, request);
}

} // namespace agentpool::sandboxd
