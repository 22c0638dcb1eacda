// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/ports/process.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>

namespace agentpool::net {

/// Starts children by posix_spawn, always through setpriv(1), which arms the parent-death signal and drops
/// rights. They are spawned by one permanent thread, because the kernel sends that signal when the spawning
/// *thread* ends. A daemon that dies in the instant before the signal is armed is seen by the child as the
/// end of its stdin.
///
/// Listeners are called on `io`, which must outlive the launcher and all its processes; it may run on several
/// threads. Ignores SIGPIPE process-wide unless a handler is set: a child that stops reading must not end the
/// daemon.
std::shared_ptr<ports::process_launcher> make_process_launcher(boost::asio::io_context& io);

} // namespace agentpool::net
