// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/connect_stream.hpp"
#include "protocol/wire/envd_proto.hpp"
#include "sandboxd/envd/http_call.hpp"
#include "sandboxd/envd/users.hpp"

#include <optional>
#include <string>

/// The server's side of Connect on one HTTP call. Requests may be compressed with gzip; answers never are.
namespace agentpool::envd::rpc {

/// How the messages of the call are written, in both directions.
connect::codec codec_of(const http_call& call);

/// The whole message of a unary call. Answers nothing when the call is over (answered, or the peer is gone).
awaitable<std::optional<std::string>> read_message(http_call& call);
awaitable<void> reply(http_call& call, connect::outcome<std::string> outcome);

/// The one message of a stream's request; else the error for its end.
awaitable<connect::outcome<std::string>> read_stream_message(http_call& call);
/// Reads the envelopes of a stream's request; the error when they are compressed in an unknown way.
connect::outcome<connect::envelope_reader> reader_for(const http_call& call);
/// The message in an envelope, inflated when it says that it is compressed.
connect::outcome<std::string> message_in(connect::envelope&& from);
/// A stream that has nothing but its end.
awaitable<void> reply_end(http_call& call, std::optional<connect::error> why);
http_reply stream_head(const http_call& call);

/// The time that the call may take; nothing when it is unlimited.
connect::outcome<std::optional<std::chrono::milliseconds>> timeout_of(const http_call& call);

} // namespace agentpool::envd::rpc
