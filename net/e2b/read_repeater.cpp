// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/e2b/read_repeater.hpp"

#include "protocol/wire/e2b_error.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace agentpool::net {

using ports::operation_id;
using std::chrono::milliseconds;

struct read_repeater::read {
  ports::http_call call;
  std::function<void(http_answer)> done;
  operation_id id = 0; ///< the first one
  int left = e2b_limits::read_repeats;
  std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
};

namespace {

bool failed_on_the_way(const http_answer& answer) {
  if (!answer.end.ok())
    return answer.end.fault == ports::http_fault::broken;
  auto status = answer.head.status;
  return (status == 502 || status == 504) && !e2b::says_sandbox_gone(status, answer.body);
}

} // namespace

operation_id read_repeater::send(ports::http_call call, std::function<void(http_answer)> done) {
  auto one = std::make_shared<read>();
  one->call = std::move(call);
  one->call.repeatable = true;
  one->done = std::move(done);
  std::scoped_lock guard{mutex_}; // an answer waits for it until the id is known
  one->id = attempt(one);
  return one->id;
}

operation_id read_repeater::attempt(const std::shared_ptr<read>& one) {
  auto client = client_.lock();
  if (!client)
    return 0;
  return client->send(one->call,
    std::make_shared<collector>(
      [self = shared_from_this(), one](http_answer answer) { self->answered(one, std::move(answer)); }));
}

void read_repeater::answered(const std::shared_ptr<read>& one, http_answer answer) {
  {
    std::scoped_lock guard{mutex_};
    if (again(*one, answer))
      if (auto id = attempt(one); id != 0) {
        repeated_[one->id] = id;
        ++counters_->reads_repeated;
        return;
      }
    repeated_.erase(one->id);
  }
  one->done(std::move(answer));
}

// Within the call's own deadline.
bool read_repeater::again(read& one, const http_answer& answer) {
  if (!failed_on_the_way(answer) || one.left == 0)
    return false;
  --one.left;
  auto now = std::chrono::steady_clock::now();
  auto took = std::chrono::duration_cast<milliseconds>(now - std::exchange(one.since, now));
  if (auto& total = one.call.limits.total; total.count() > 0) {
    if (took >= total)
      return false;
    total -= took;
  }
  return true;
}

operation_id read_repeater::current(operation_id id) const {
  std::scoped_lock guard{mutex_};
  auto found = repeated_.find(id);
  return found == repeated_.end() ? id : found->second;
}

} // namespace agentpool::net
