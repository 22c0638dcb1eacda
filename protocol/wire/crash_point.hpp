// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace agentpool {

#ifdef AGENTPOOL_CRASH_POINTS
/// Test builds only: ends the process with SIGKILL at the n-th pass of `name` when the environment says
/// `AGENTPOOL_CRASH_POINT=name[:n][:stop]` (n = 1 when it is left out); with `stop` it is stopped there
/// (SIGSTOP) until a SIGCONT, so that something else can be killed meanwhile. The names are in
/// `docs/crash-points.md` and `docs/hands.md`.
void crash_point(std::string_view name);
#else
inline void crash_point(std::string_view) {}
#endif

} // namespace agentpool
