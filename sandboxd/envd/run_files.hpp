// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace agentpool::envd {

/// The folder where programs inside look for what sandbox they are in.
inline constexpr auto run_folder = "/run/e2b";

/// Writes `.E2B_SANDBOX` (`true`) and `.E2B_SANDBOX_ID` into `folder`, which is made. They are a help for
/// programs, so what cannot be written is left out; whatever stands there, this neither follows nor waits for
/// it.
void write_run_files(const std::string& folder, const std::string& sandbox_id);

} // namespace agentpool::envd
