// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/control/routes.hpp"

#include "protocol/wire/e2b_list.hpp"
#include "protocol/wire/e2b_route.hpp"

#include <array>

namespace agentpool::sandboxd {

namespace {

using answer = boost::asio::awaitable<control_response>;

struct call {
  sandboxes& all;
  const control_request& request;
  e2b::api version;
  std::string id; ///< of the path, when the route has one
};

control_response from_failure(const failure& why) {
  return error_response({400, why.text(), {}});
}

template <class T>
control_response no_content(const reply<T>& done) {
  return done ? control_response{204, {}} : error_response(done.error());
}

answer create(call on) {
  auto wanted = e2b::parse_new_sandbox(on.request.body);
  if (!wanted)
    co_return from_failure(wanted.error());
  auto made = co_await on.all.create(std::move(*wanted), on.version);
  if (made)
    made->domain = on.all.domain();
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
  if (query && on.version == e2b::api::v1)
    query->states = {"running"};
  auto page = query ? e2b::select_page(on.all.list(), *query) : tl::unexpected{query.error()};
  if (!page)
    co_return from_failure(page.error());
  control_response out{200, e2b::sandbox_list_json(page->rows)};
  out.headers.emplace_back(e2b::total_running_header, std::to_string(on.all.count_running()));
  if (!page->next_token.empty() && on.version == e2b::api::v2)
    out.headers.emplace_back(e2b::next_token_header, page->next_token);
  co_return out;
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
  route{"GET", "/sandboxes/metrics", unsupported},
  route{"GET", "/sandboxes/{}", detail},
  route{"DELETE", "/sandboxes/{}", kill},
  route{"POST", "/sandboxes/{}/connect", connect, true},
  route{"POST", "/sandboxes/{}/resume", resume},
  route{"POST", "/sandboxes/{}/pause", pause},
  route{"POST", "/sandboxes/{}/timeout", set_timeout},
  route{"POST", "/sandboxes/{}/refreshes", refresh},
  route{"PUT", "/sandboxes/{}/network", set_network},
  route{"GET", "/sandboxes/{}/metrics", unsupported},
  route{"GET", "/sandboxes/{}/logs", unsupported, true},
  route{"POST", "/sandboxes/{}/snapshots", unsupported},
  route{"POST", "/sandboxes/{}/fork", unsupported},
  route{"GET", "/snapshots", unsupported},
  route{"DELETE", "/templates/{}", unsupported},
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

answer dispatch(sandboxes& all, const control_request& request) {
  std::string_view path = request.path;
  auto v2 = path.starts_with("/v2/");
  if (v2)
    path.remove_prefix(3);
  auto chosen = choose(request.method, path, v2);
  if (!chosen.found)
    co_return error_response(chosen.other_method
                               ? e2b::api_error{405, "method not allowed", {}}
                               : e2b::api_error{404, "no route " + request.method + " " + request.path, {}});
  call on{all, request, v2 ? e2b::api::v2 : e2b::api::v1, {}};
  auto names_sandbox = chosen.found->path.starts_with("/sandboxes/{}");
  auto id = e2b::parse_sandbox_id(chosen.segment);
  if (names_sandbox && !id)
    co_return error_response({400, "Invalid sandbox ID", {}});
  on.id = id.value_or("");
  co_return co_await chosen.found->serve(std::move(on));
}

} // namespace

control_response error_response(const e2b::api_error& error) {
  return {error.code, e2b::error_json(error)};
}

answer serve_control(sandboxes& all, const std::string& api_key, control_request request) {
  if (request.path == "/health" && request.method == "GET")
    co_return control_response{200, "\"Health check successful\""};
  if (request.api_key.empty())
    co_return error_response({401, "Missing API key: send it in the header X-API-Key.", {}});
  if (!equal_secrets(request.api_key, api_key))
    co_return error_response(
      {401, "Invalid API key, please visit https://e2b.dev/docs/api-key for more information.", {}});
  co_return co_await dispatch(all, request);
}

} // namespace agentpool::sandboxd
