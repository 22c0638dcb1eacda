// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/json.hpp"

#include <string>

namespace agentpool::ctl {

/// What the daemon knows of its sandbox provider: a sentence, and the program's exit code.
struct provider_word {
  int code = 0; ///< 0: it answers, or there is none by configuration; 1: it fails; 3: it was not heard yet
  std::string text;
};

/// Of the answer to `/ops/v1/status`.
provider_word provider_of(const json& status);

} // namespace agentpool::ctl
