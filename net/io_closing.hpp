// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <future>

namespace agentpool::net {

/// At its end waits until what was closed before has ended on the thread of `io`, which runs: servers, then
/// their connections, then their streams, a round each. Declared behind the thread and before what closes.
struct io_closing {
  boost::asio::io_context& io;

  ~io_closing() {
    for (int rounds = 0; rounds < 4; ++rounds) {
      std::promise<void> round;
      boost::asio::post(io, [&round] { round.set_value(); });
      round.get_future().wait();
    }
  }
};

} // namespace agentpool::net
