// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "gateway/app_routes.hpp"
#include "net/http/ascii.hpp"

#include <spdlog/spdlog.h>

namespace agentpool::app {

namespace {

constexpr uint64_t default_page = 200;

/// What a request for events asks for.
struct events_query {
  uint64_t after = 0;
  uint64_t limit = default_page;
  bool live = true;
};

// Last-Event-ID wins: a browser that reconnects sends it with the address it began with.
result<uint64_t> cursor_of(const net::http_request& request, const query& asked) {
  if (request.count("last-event-id") > 0) {
    auto header = request.header("last-event-id");
    return header ? parse_cursor(*header)
                  : fail(errc::bad_request, "Last-Event-ID is given twice; give it once.");
  }
  return asked.value("after").and_then([](const auto& text) { return parse_cursor(text.value_or("")); });
}

result<events_query> parse_events_query(const net::http_request& request) {
  events_query out;
  auto asked = query::parse(request.query);
  if (!asked)
    return tl::unexpected{asked.error()};
  auto after = cursor_of(request, *asked);
  auto limit = asked->number("limit", 1, defaults::replay_events, default_page);
  auto live = asked->number("live", 0, 1, 1);
  for (const auto& part : {after, limit, live})
    if (!part)
      return tl::unexpected{part.error()};
  return events_query{*after, *limit, *live == 1};
}

bool wants_page(const net::http_request& request) {
  auto accept = net::lower_case(request.header("accept").value_or("")); // RFC 9110, section 8.3.1
  return accept.find("application/json") != std::string::npos &&
         accept.find("text/event-stream") == std::string::npos;
}

void send_page(const exchange_ptr& one, const events_query& asked) {
  one->ask(
    find_reader(one->sys()),
    [one](const result<event_page>& page) {
      page ? one->json(200, event_page_json(*page)) : one->problem(page.error());
    },
    events_atom_v, one->session, asked.after, asked.limit, uint64_t{defaults::replay_bytes});
}

// The header is out: what is wrong now is the stream's last frame, and the client comes again.
void refuse_stream(const std::shared_ptr<ports::event_sink>& sink, const failure& why) {
  auto frame = std::make_shared<std::string>("retry: 2000\n");
  append_sse_frame(
    *frame, "refused", json_object{}.add("code", to_string(why.code)).add("message", why.text()).str());
  sink->write(frame, [sink](bool taken) {
    if (taken)
      sink->finish("refused");
  });
}

void open_stream(const exchange_ptr& one, const events_query& asked) {
  auto viewers = find_viewer_sup(one->sys());
  if (!viewers)
    return one->problem({errc::overloaded, {}});
  auto sink = one->stream();
  one->ask(
    viewers,
    [one, sink](const result<void>& watching) {
      if (watching)
        return;
      spdlog::warn("request {} event stream refused: {}", one->id, watching.error().text());
      refuse_stream(sink, watching.error());
    },
    watch_atom_v, viewer_order{one->session, asked.after, asked.live, one->request().peer}, sink);
}

} // namespace

void events(const exchange_ptr& one) {
  one->ask(
    find_registry(one->sys()),
    [one](const result<void>& allowed) {
      if (!allowed)
        return one->problem(allowed.error()); // BR-021
      auto asked = parse_events_query(one->request());
      if (!asked)
        return one->problem(asked.error());
      wants_page(one->request()) ? send_page(one, *asked) : open_stream(one, *asked);
    },
    authorize_atom_v, one->who, one->session);
}

} // namespace agentpool::app
