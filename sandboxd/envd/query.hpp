// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace agentpool::envd {

/// Percent-decoding; a `%` without two digits stays. `plus`: `+` is a space, as in forms.
std::string percent_decode(std::string_view text, bool plus);

/// The first value of `name` in a query; nothing when it is not there.
std::optional<std::string> query_value(std::string_view query, std::string_view name);

} // namespace agentpool::envd
