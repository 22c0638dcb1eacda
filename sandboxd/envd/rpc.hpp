// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/connect_stream.hpp"
#include "sandboxd/envd/http_call.hpp"
#include "sandboxd/envd/users.hpp"

#include <optional>
#include <string>

/// The server's side of Connect on one HTTP call.
namespace agentpool::envd::rpc {

/// The whole body of a unary call. Answers nothing when the call is over (answered, or the peer is gone).
awaitable<std::optional<std::string>> read_message(http_call& call);
awaitable<void> reply(http_call& call, connect::outcome<std::string> outcome);

/// The one message of a stream's request; else the error for its end.
awaitable<connect::outcome<std::string>> read_stream_message(http_call& call);
/// A stream that has nothing but its end.
awaitable<void> reply_end(http_call& call, std::optional<connect::error> why);
http_reply stream_head();

/// The time that the call may take; nothing when it is unlimited.
connect::outcome<std::optional<std::chrono::milliseconds>> timeout_of(const http_call& call);

} // namespace agentpool::envd::rpc
