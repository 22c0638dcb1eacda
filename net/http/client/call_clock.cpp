// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/http/client/call_clock.hpp"

namespace agentpool::net {

using ports::http_fault;

call_clock::call_clock(const ports::call_limits& limits, bool streamed_body, time now)
    : limits_{limits}, started_{now}, moved_{now}, answer_since_{now}, sending_{streamed_body} {}

void call_clock::connected(time now) {
  connecting_since_.reset();
  moved_ = now;
}

void call_clock::body_sent(time now) {
  sending_ = false;
  moved_ = now;
  answer_since_ = now;
}

void call_clock::head_came(time now) {
  head_came_ = true;
  sending_ = false;
  moved_ = now;
}

void call_clock::held(bool yes, time now) {
  held_ = yes;
  moved_ = now;
}

std::optional<call_clock::due> call_clock::next() const {
  std::optional<due> first;
  auto consider = [&first](std::chrono::milliseconds limit, time since, http_fault fault) {
    if (limit.count() > 0 && (!first || since + limit < first->at))
      first = due{since + limit, fault};
  };
  consider(limits_.total, started_, http_fault::total_deadline);
  if (connecting_since_)
    consider(limits_.connect, *connecting_since_, http_fault::connect_deadline);
  if (!head_came_ && !sending_)
    consider(limits_.first_byte, answer_since_, http_fault::first_byte_deadline);
  if (idle_counts() && !connecting_since_)
    consider(limits_.idle, moved_, http_fault::idle_deadline);
  return first;
}

} // namespace agentpool::net
