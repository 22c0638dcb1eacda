// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/e2b/process_stream.hpp"

#include "protocol/wire/defaults.hpp"

#include <utility>
#include <variant>

namespace agentpool::net {

namespace {

ports::output_stream stream_of(envd::process_output::source from) {
  switch (from) {
  case envd::process_output::source::standard_error: return ports::output_stream::err;
  case envd::process_output::source::terminal: return ports::output_stream::pty;
  case envd::process_output::source::standard_output: break;
  }
  return ports::output_stream::out;
}

} // namespace

process_stream::process_stream(std::weak_ptr<ports::http_client> client,
  std::shared_ptr<const link_state> state, std::shared_ptr<ports::process_sink> sink, effect what)
    : client_{std::move(client)}, state_{std::move(state)}, sink_{std::move(sink)}, what_{what},
      reader_{defaults::envd_event} {}

void process_stream::on_head(ports::http_head head) {
  auto kind = connect::kind_of(head.header("Content-Type"));
  mode_ = head.status == 200 && kind == connect::call_kind::stream ? mode::events : mode::refusal;
  refusal_.head = std::move(head);
}

void process_stream::on_bytes(std::string bytes) {
  // A proxy's error in place of the first message.
  if (!std::exchange(any_bytes_, true) && mode_ == mode::events && bytes.front() == '{')
    mode_ = mode::refusal;
  if (mode_ == mode::events)
    take_events(bytes);
  else
    keep_refusal(bytes);
  // The window counts output; what it was packed in is consumed here, and so is a message that is not whole
  // yet.
  packing_ += static_cast<int64_t>(bytes.size());
  if (packing_ > 0)
    consumed(static_cast<size_t>(std::exchange(packing_, 0)));
}

void process_stream::consumed(size_t bytes) {
  if (auto client = client_.lock())
    client->consumed(refusal_.head.exchange, bytes);
}

void process_stream::keep_refusal(std::string_view bytes) {
  auto room = defaults::refusal_bytes - std::min(defaults::refusal_bytes, refusal_.body.size());
  refusal_.body += bytes.substr(0, room);
}

void process_stream::take_events(std::string_view bytes) {
  for (const auto& message : reader_.feed(bytes))
    take(message);
  if (const auto& fault = reader_.fault(); fault && !finished_)
    nonsense_event(fault->message);
}

void process_stream::take(const connect::envelope& message) {
  if (finished_ || told_)
    return;
  if (message.end()) {
    auto error = connect::read_end(message.payload);
    told_ = error ? connect_failure(*error)
                  : failure{errc::outcome_unknown, "the stream ended without the end of the process"};
    return;
  }
  auto event = envd::read_event(message.payload);
  if (!event)
    return nonsense_event(event.error().message);
  std::visit(
    [this](auto& x) {
      if constexpr (requires { handle(x); })
        handle(x);
    },
    *event);
}

void process_stream::handle(envd::process_started& event) {
  if (!std::exchange(started_, true))
    sink_->on_started(event.pid);
}

void process_stream::handle(envd::process_output& event) {
  if (!started_)
    return nonsense_event("output before the start");
  if (event.bytes.empty())
    return;
  packing_ -= static_cast<int64_t>(event.bytes.size());
  sink_->on_output(stream_of(event.from), std::move(event.bytes));
}

void process_stream::handle(envd::process_ended& event) {
  if (!started_)
    return nonsense_event("an end before the start");
  finish(ports::process_end{
    event.exited, event.exit_code, std::move(event.status), std::move(event.error).value_or("")});
}

// What comes later is not looked at; the process may run all the same.
void process_stream::nonsense_event(std::string_view what) {
  told_ = failure{
    started_ ? errc::outcome_unknown : errc::provider_nonsense, "the stream broke off: " + std::string{what}};
  finish(tl::unexpected{*told_});
  if (auto client = client_.lock())
    client->cancel(refusal_.head.exchange);
}

void process_stream::on_end(ports::http_end end) {
  finish(tl::unexpected{state_->explain(why(end))});
}

failure process_stream::why(const ports::http_end& end) const {
  if (told_)
    return *told_;
  auto may_run = started_ ? effect::changes : what_;
  if (!end.ok())
    return transport_failure(end, may_run);
  if (mode_ == mode::events)
    return {errc::outcome_unknown, "the stream broke off before the end of the process"};
  auto answer = refusal_;
  answer.end = end;
  return stream_failure(std::move(answer), may_run);
}

void process_stream::finish(result<ports::process_end> how) {
  if (!std::exchange(finished_, true))
    std::exchange(sink_, nullptr)->on_end(std::move(how));
}

} // namespace agentpool::net
