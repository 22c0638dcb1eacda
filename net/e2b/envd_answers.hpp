// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/e2b/faults.hpp"
#include "protocol/ports/sandbox_link.hpp"
#include "protocol/wire/envd_files.hpp"
#include "protocol/wire/envd_process.hpp"

#include <string>
#include <vector>

/// Between the ports' types and envd's messages.
namespace agentpool::net {

envd::start_request start_request_of(const ports::command_spec& command);
envd::process_selector selector_of(const ports::process_ref& process);
std::string init_json(const ports::envd_init& init);

/// Of a success of a unary call.
result<void> empty_from(const http_answer& answer);
result<ports::entry_info> entry_from(const http_answer& answer);
result<std::vector<ports::entry_info>> entries_from(const http_answer& answer);
result<std::vector<ports::running_process>> processes_from(const http_answer& answer);
/// Of a success of an upload: the path.
result<std::string> written_from(const http_answer& answer);

} // namespace agentpool::net
