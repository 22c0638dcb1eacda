// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace agentpool::envd {

/// The version of the wire that envd speaks: SDKs choose features by it.
inline constexpr std::string_view version = "0.6.13";

} // namespace agentpool::envd
