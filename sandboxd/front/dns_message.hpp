// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// As much of DNS messages (RFC 1035, section 4) as the sandboxes' resolver looks into.
namespace agentpool::sandboxd {

/// The name that a query asks for, its labels joined by dots, with none at its end. Nothing when the message
/// is no query with exactly one question.
std::optional<std::string> queried_name(std::string_view query);

/// The IPv4 addresses that a response answers with (A records of the answer section); empty when the message
/// is malformed.
std::vector<uint32_t> answered_addresses(std::string_view response);

/// REFUSED for a query, or empty when it is none.
std::string refusal(std::string_view query);

} // namespace agentpool::sandboxd
