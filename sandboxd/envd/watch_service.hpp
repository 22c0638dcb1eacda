// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandboxd/envd/context.hpp"
#include "sandboxd/envd/http_call.hpp"

#include <string>

/// The watching methods of `filesystem.Filesystem` (e2b wire, sections 8.3 and 16.11).
namespace agentpool::envd::watch_service {

/// WatchDir; answers the call. The stream ends with the client, its deadline, or lost events.
awaitable<void> watch_dir(context& with, http_call& call, user who);

/// The polling methods.
using reply = connect::outcome<std::string>;
awaitable<reply> create_watcher(context& with, connect::codec as, std::string body, user who);
awaitable<reply> get_watcher_events(context& with, connect::codec as, std::string body, user who);
awaitable<reply> remove_watcher(context& with, connect::codec as, std::string body, user who);

} // namespace agentpool::envd::watch_service
