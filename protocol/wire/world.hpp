// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/events.hpp"
#include "protocol/wire/ids.hpp"
#include "protocol/wire/json.hpp"

#include <string>
#include <string_view>
#include <vector>

/// The world socket: docs/world-protocol.md.
namespace agentpool::world {

/// One request of a brain's plugin, as it came; or one of the App about its session's files, which the
/// gateway sends to the session's world itself.
struct call {
  worker_id worker;           ///< whose socket it came on; empty: the App's
  std::string credential;     ///< bearer, empty when none was sent
  brain_session_id session;   ///< X-Agentpool-Session, empty when none was sent
  std::string path;           ///< below /world/v1, for example `fs/stat`
  std::string body;           ///< whole, or its beginning when it comes with a stream that has the rest
  uint64_t request = 0;       ///< X-Agentpool-Request, for `cancel`; 0 when none was sent
  std::string tool_call = {}; ///< X-Agentpool-Tool-Call: what it is part of, for the trace; empty when none
  std::string tool = {};      ///< X-Agentpool-Tool: the name of that tool
};

struct reply {
  int status = 200; ///< 0: a stream has the answer
  std::string body; ///< JSON
};

template <class Inspector>
bool inspect(Inspector& f, call& x) {
  return f.object(x).fields(f.field("worker", x.worker), f.field("credential", x.credential),
    f.field("session", x.session), f.field("path", x.path), f.field("body", x.body),
    f.field("request", x.request), f.field("tool_call", x.tool_call), f.field("tool", x.tool));
}

template <class Inspector>
bool inspect(Inspector& f, reply& x) {
  return f.object(x).fields(f.field("status", x.status), f.field("body", x.body));
}

/// `{"code":…,"message":…}` with the status of the code's row.
reply error_reply(const failure& why);
/// An error of docs/world-protocol.md, section 3, with the status it has there (500 for a code without a row:
/// FS_IO_ERROR, internal).
reply coded_error(std::string_view code, std::string_view message);

/// The `code` of an error; empty for every other answer.
std::string code_of(const reply& answer);

/// What a hand that does not exist answers (design section 5): `/workspace` and its parents are directories
/// with stable versions, all else is absent, and what needs a sandbox fails with one sentence
/// (docs/world-protocol.md, section 9). Nothing for paths that are no world call and for `exchange`,
/// `session` and `live`, which the caller answers.
std::optional<reply> absent_hand(const call& request);

/// What a probe answers of every hand, whatever state it is in: the workspace and its parents are
/// directories. Nothing for other paths and calls.
std::optional<reply> steady_probe(const call& request);

/// What a hand that does not exist answers for the App's files: the workspace is empty. Nothing for what
/// changes something.
std::optional<reply> absent_files(const call& request);

/// The frames of a `live` request (docs/world-protocol.md, section 7); the turn is left empty (the session
/// knows it). The subject of a text frame is `<attempt>.<index>`: the block, before ACP gives it a message
/// id. An abandoned attempt is a frame of `attempt` and `taken_back` alone; a committed one needs no frame.
/// `bad_request` when any frame is wrong.
result<std::vector<live_frame>> parse_live(std::string_view body);

} // namespace agentpool::world
