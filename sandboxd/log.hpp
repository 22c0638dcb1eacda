// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace agentpool::sandboxd {

/// One line on standard error with its time, whole also when several threads write.
void log_line(std::string_view text);

} // namespace agentpool::sandboxd
