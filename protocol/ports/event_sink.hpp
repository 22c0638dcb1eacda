// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace agentpool::ports {

/// The writing end of one open HTTP response stream. Every call returns at once and is safe from any thread;
/// callbacks come on an unspecified thread.
class event_sink {
public:
  virtual ~event_sink() = default;

  /// Sends `chunk`; `done(true)` when the kernel took all of it, `done(false)` when the peer is gone. At most
  /// one write may be outstanding. `done` is always called, exactly once.
  virtual void write(std::shared_ptr<const std::string> chunk, std::function<void(bool)> done) = 0;

  /// Ends the response in order after an outstanding write (last chunk, then close). `reason` goes to the
  /// log.
  virtual void finish(std::string_view reason) = 0;

  /// Ends the connection now, whatever waits; for peers that do not read.
  virtual void abort(std::string_view reason) = 0;

  /// `closed` is called once when the peer closes its side or the connection breaks; at once when that
  /// already happened.
  virtual void on_closed(std::function<void()> closed) = 0;
};

} // namespace agentpool::ports
