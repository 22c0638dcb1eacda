// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandboxd/envd/context.hpp"
#include "sandboxd/envd/http_call.hpp"

#include <string>
#include <string_view>

/// `process.Process` (e2b wire, section 7).
namespace agentpool::envd::process_service {

/// Start and Connect; answers the call.
awaitable<void> start(context& with, http_call& call, user who);
awaitable<void> connect_to(context& with, http_call& call);
awaitable<void> stream_input(context& with, http_call& call);

/// The unary methods.
using reply = connect::outcome<std::string>;
awaitable<reply> list(context& with, connect::codec as, std::string body);
awaitable<reply> send_input(context& with, connect::codec as, std::string body);
awaitable<reply> close_stdin(context& with, connect::codec as, std::string body);
awaitable<reply> send_signal(context& with, connect::codec as, std::string body);
awaitable<reply> update(context& with, connect::codec as, std::string body);

} // namespace agentpool::envd::process_service
