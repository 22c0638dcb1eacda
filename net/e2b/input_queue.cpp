// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/e2b/input_queue.hpp"

#include "net/e2b/envd_answers.hpp"
#include "protocol/wire/defaults.hpp"

#include <algorithm>
#include <utility>

namespace agentpool::net {

using ports::operation_id;
using std::chrono::milliseconds;

void input_queue::push(
  operation_id id, std::string process, ports::http_call call, ports::completion<void> done) {
  item one{id, std::move(call), std::move(done), clock::now()};
  if (closed_)
    return refuse(one, {errc::cancelled, "the link is closed"});
  auto& lane = lanes_[process];
  auto size = one.call.body ? one.call.body->size() : 0;
  if (lane.bytes + size > defaults::input_waiting)
    return refuse(one, {errc::overloaded, "the process does not take its input"});
  lane.bytes += size;
  lane.waiting.push_back(std::move(one));
  if (lane.running == 0)
    run_next(process);
}

void input_queue::refuse(const item& one, failure why) {
  one.done(tl::unexpected{state_->explain(std::move(why))});
}

void input_queue::run_next(const std::string& process) {
  auto& lane = lanes_[process];
  lane.running = 0;
  auto client = client_.lock();
  if (lane.waiting.empty() || !client) {
    lanes_.erase(process);
    return;
  }
  auto one = std::move(lane.waiting.front());
  lane.waiting.pop_front();
  lane.bytes -= one.call.body ? one.call.body->size() : 0;
  if (auto& total = one.call.limits.total; total.count() > 0) // the time it waited counts
    total =
      std::max(milliseconds{1}, total - std::chrono::duration_cast<milliseconds>(clock::now() - one.since));
  lane.running = one.id;
  auto receiver =
    std::make_shared<collector>([self = shared_from_this(), process, done = std::move(one.done)](
                                  http_answer answer) { self->answered(process, answer, done); });
  lane.exchange = client->send(std::move(one.call), std::move(receiver));
}

void input_queue::answered(
  const std::string& process, const http_answer& answer, const ports::completion<void>& done) {
  run_next(process);
  if (answer.success())
    return done(empty_from(answer));
  done(tl::unexpected{state_->explain(envd_failure(answer, effect::changes))});
}

void input_queue::cancel(operation_id id) {
  for (auto& [process, lane] : lanes_) {
    if (lane.running == id) {
      if (auto client = client_.lock())
        client->cancel(lane.exchange);
      return;
    }
    auto found =
      std::find_if(lane.waiting.begin(), lane.waiting.end(), [id](const item& one) { return one.id == id; });
    if (found == lane.waiting.end())
      continue;
    auto one = std::move(*found);
    lane.waiting.erase(found);
    lane.bytes -= one.call.body ? one.call.body->size() : 0;
    return refuse(one, {errc::cancelled, "the call was cancelled"});
  }
}

void input_queue::close() {
  closed_ = true;
  for (auto& [process, lane] : lanes_) {
    lane.bytes = 0;
    for (const auto& one : std::exchange(lane.waiting, {}))
      refuse(one, {errc::cancelled, "the link is closed"});
  }
}

} // namespace agentpool::net
