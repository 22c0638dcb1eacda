// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandboxd/control/sandboxes.hpp"
#include "sandboxd/limits.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <array>
#include <chrono>

/// What the two halves of `sandboxes` share.
namespace agentpool::sandboxd {

inline constexpr int64_t shortest_refresh_s = 15;
inline constexpr int most_changes = 4; ///< of state that a connect waits for

/// What the API shows.
inline bool listed(const sandbox_entry& entry) {
  return entry.born && entry.state != sandbox_state::killing;
}

/// On its way to another state by itself.
inline bool moves(sandbox_state state) {
  return state == sandbox_state::starting || state == sandbox_state::copying ||
         state == sandbox_state::freezing || state == sandbox_state::thawing ||
         state == sandbox_state::stopping;
}

inline int64_t wall_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
    std::chrono::system_clock::now().time_since_epoch())
    .count();
}

/// Waits whose failure is an answer: it goes to `error`.
inline auto ignoring(boost::system::error_code& error) {
  return boost::asio::redirect_error(boost::asio::use_awaitable, error);
}

/// Runs a blocking job on an executor of the pool and comes back.
template <class Executor, class F>
sandboxes::task<std::invoke_result_t<F>> run_on(Executor executor, F job) {
  auto work = [](F inner) -> sandboxes::task<std::invoke_result_t<F>> { co_return inner(); };
  co_return co_await boost::asio::co_spawn(executor, work(std::move(job)), boost::asio::use_awaitable);
}

template <class F>
sandboxes::task<std::invoke_result_t<F>> sandboxes::on_pool(F job) {
  co_return co_await run_on(pool_.get_executor(), std::move(job));
}

} // namespace agentpool::sandboxd
