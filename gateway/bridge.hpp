// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/actors/interfaces.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

namespace agentpool {

namespace detail {

template <class List>
struct only_type;
template <class T>
struct only_type<caf::detail::type_list<T>> {
  using type = T;
};

/// What an actor of type `Handle` answers to the message `Ts…`; a message that it does not take does not
/// compile.
template <class Handle, class... Ts>
using reply_of = typename only_type<caf::response_type_t<typename Handle::signatures, Ts...>>::type;

/// The value inside a reply.
template <class Reply>
result<Reply> unpack(caf::message reply) {
  if (reply.match_elements<caf::error>())
    return tl::unexpected{to_failure(reply.get_as<caf::error>(0))};
  if constexpr (std::is_void_v<Reply>) {
    if (reply.empty())
      return {};
  } else if (reply.match_elements<Reply>()) {
    return std::move(reply.get_mutable_as<Reply>(0));
  }
  return fail(errc::internal, "an actor answered with " + to_string(reply));
}

} // namespace detail

/// The one place where Asio and CAF meet: asks an actor and gives the reply to the connection's executor. One
/// object stands for all io threads as the sender of the requests, so that asking costs no actor and no turn
/// of CAF's scheduler. Ends before the actor system does.
class bridge {
public:
  /// Deadlines are timers on `timers`.
  bridge(caf::actor_system& sys, boost::asio::any_io_executor timers);
  ~bridge();
  bridge(const bridge&) = delete;
  bridge& operator=(const bridge&) = delete;

  /// Sends `xs…` to `target`; `done(result<Reply>)` runs on `executor`, exactly once, with what the interface
  /// answers or why there is none: `overloaded` at once for a null handle, `deadline` when `deadline` passed,
  /// `shutting_down` after `close`. Safe from any thread.
  template <class Handle, class Done, class... Ts>
  void ask(const Handle& target, std::chrono::milliseconds deadline, boost::asio::any_io_executor executor,
    Done done, Ts... xs) {
    using reply = detail::reply_of<Handle, Ts...>;
    auto finish = [done = std::move(done)](answer got) mutable {
      if (got)
        done(detail::unpack<reply>(std::move(*got)));
      else
        done(result<reply>{tl::unexpected{std::move(got.error())}});
    };
    send(caf::actor_cast<caf::strong_actor_ptr>(target), deadline, std::move(executor), std::move(finish),
      caf::make_message(std::move(xs)...));
  }

  /// Fails everything that waits, and every later request, with `shutting_down`.
  void close();

private:
  using answer = result<caf::message>;
  using handler = std::function<void(answer)>;
  struct core;

  void send(const caf::strong_actor_ptr& target, std::chrono::milliseconds deadline,
    boost::asio::any_io_executor executor, handler done, caf::message content);

  std::shared_ptr<core> core_;
  caf::strong_actor_ptr sender_;
};

} // namespace agentpool
