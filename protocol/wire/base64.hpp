// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace agentpool {

/// Standard alphabet with padding (RFC 4648, section 4).
std::string base64_encode(std::string_view bytes);
/// The same behind `out`, without a copy between.
void append_base64(std::string& out, std::string_view bytes);

/// The bytes of a text in the standard or the URL-safe alphabet, with or without padding, as protojson reads
/// it. Nothing when it is neither.
std::optional<std::string> base64_decode(std::string_view text);

} // namespace agentpool
