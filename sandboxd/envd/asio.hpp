// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <type_traits>
#include <utility>

namespace agentpool::envd {

namespace asio = boost::asio;
using boost::system::error_code;

template <class T>
using awaitable = asio::awaitable<T>;

/// Completion by an error code instead of an exception.
inline auto into(error_code& error) {
  return asio::redirect_error(asio::use_awaitable, error);
}

// GCC 12 destroys a closure or an aggregate twice when it is made inside the operand of co_await: in envd
// such arguments are named variables.

/// Runs `job` on the pool, for calls that block; its result comes on the caller's executor. `job` must not
/// throw.
template <class Job>
awaitable<std::invoke_result_t<Job>> offload(asio::thread_pool& pool, Job job) {
  using value = std::invoke_result_t<Job>;
  auto start = [&pool](auto handler, Job work) {
    auto executor = asio::get_associated_executor(handler);
    auto guard = asio::make_work_guard(executor);
    asio::post(
      pool, [handler = std::move(handler), work = std::move(work), guard = std::move(guard)]() mutable {
        auto out = work();
        auto back = guard.get_executor();
        asio::post(
          back, [handler = std::move(handler), out = std::move(out)]() mutable { handler(std::move(out)); });
      });
  };
  return asio::async_initiate<const asio::use_awaitable_t<>&, void(value)>(
    start, asio::use_awaitable, std::move(job));
}

/// Something that coroutines of one thread wait for.
class condition {
public:
  explicit condition(const asio::any_io_executor& executor)
      : timer_(executor, asio::steady_timer::time_point::max()) {}

  /// Wakes all that wait now.
  void notify() { timer_.cancel(); }

  awaitable<void> wait() {
    error_code ignored;
    co_await timer_.async_wait(into(ignored));
  }

private:
  asio::steady_timer timer_;
};

} // namespace agentpool::envd
