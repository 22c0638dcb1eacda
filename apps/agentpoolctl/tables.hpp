// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/json.hpp"

#include <string>
#include <vector>

namespace agentpool::ctl {

/// The `{"actors":[…]}` of the operator's routes as a table, one line per actor, wide columns last.
/// `nothing` is the sentence for an empty list.
std::string actors_table(const json& body, const std::string& nothing);

/// The same of workers: with pid and session, and below the table the last lines that each wrote to stderr.
std::string workers_table(const json& body, const std::string& nothing);

/// The same of hands and the reaper: with the sandbox and how often it was made or connected.
std::string hands_table(const json& body, const std::string& nothing);

/// The `{"sessions":[…]}` of the App API as a table.
std::string sessions_table(const json& body, const std::string& nothing);

/// Rows of cells, the first one the headings, in columns; at least one row, all of one length.
std::string columns(const std::vector<std::vector<std::string>>& rows);

/// Milliseconds as `850ms`, `12s`, `3m`, `5h` or `2d`.
std::string short_time(int64_t milliseconds);

/// What tool calls cost, each with its calls of envd below it. `body`: of `/ops/v1/sessions/ID/trace`.
std::string trace_table(const json& body, const std::string& nothing);

} // namespace agentpool::ctl
