// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace agentpool::envd {

enum class content_coding : uint8_t { identity, gzip, none };

/// What an Accept-Encoding (RFC 9110, section 12.5.3) asks for: gzip when the client names it and does not
/// like identity better; of two equal ones the first named. `*` alone means identity, unless that is refused.
/// `none`: neither is acceptable.
content_coding choose_coding(std::string_view accept_encoding);

/// Identity is always acceptable unless it is refused by `identity;q=0` or `*;q=0`.
bool accepts_identity(std::string_view accept_encoding);

} // namespace agentpool::envd
