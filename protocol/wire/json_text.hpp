// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// Appending for texts that are made on every event, without an object in between.
namespace agentpool {

/// Appends `json_quote(text)`.
void append_json_string(std::string& out, std::string_view text);

/// Appends the decimal digits of a JSON number.
void append_json_number(std::string& out, int64_t value);
void append_json_number(std::string& out, uint64_t value);

} // namespace agentpool
