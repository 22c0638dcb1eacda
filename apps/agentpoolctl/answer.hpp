// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/json.hpp"

#include <string_view>

namespace agentpool::ctl {

/// What an answer of the daemon means: its JSON (missing for an empty body), or the failure that its problem
/// describes.
result<json> read_answer(int status, std::string_view body);

} // namespace agentpool::ctl
