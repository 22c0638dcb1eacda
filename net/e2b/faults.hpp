// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/http/client/collector.hpp"
#include "protocol/wire/connect.hpp"
#include "protocol/wire/errors.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace agentpool::net {

/// Whether a call changes something: then a missing answer leaves its outcome unknown.
enum class effect : uint8_t { reads, changes };

/// What an exchange without a whole answer means.
failure transport_failure(const ports::http_end& end, effect what);

/// What an answer of the control plane that is no success means.
failure api_failure(const http_answer& answer, effect what);

/// The same of a unary call of envd, or of what stands before it.
failure envd_failure(const http_answer& answer, effect what);

/// The same of `/files`, whose errors have numbers for codes.
failure files_failure(const http_answer& answer, effect what);

failure connect_failure(const connect::error& why);

/// The same of what came in place of a stream: JSON under 200 counts as the status that it names.
failure stream_failure(http_answer answer, effect what);

/// A success whose content is none.
failure nonsense(std::string_view what);

/// The number in a CubeMaster message ("… error code 130404: …"); 0 = none.
int cube_number(std::string_view message);

/// A 404 that is the API's own word, and not that of some web server.
bool says_missing(const http_answer& answer);

} // namespace agentpool::net
