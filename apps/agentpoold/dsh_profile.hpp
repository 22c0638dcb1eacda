// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/settings.hpp"

#include <string>

namespace agentpool {

/// What the built-in profile `dsh` is made from; docs/dsh-worker.md says why each flag is there.
struct dsh_install {
  std::string prefix;      ///< holds `bin/node` and `dsh/node_modules/@deepseek-ai/dsh`
  std::string profile_dir; ///< conf/dsh/profile
  std::string plugin_dir;  ///< dsh-world
  std::string data_dir;    ///< homes are `data_dir/workers/ID/home`
  std::string model_url;   ///< empty: dsh's own default
  std::string model_key;
  std::string model; ///< empty: the profile's default
  size_t heap_mib = defaults::heap_mib;
};

/// The profile of the pinned dsh. `{home}` and `{root}` (the parent of the home) are filled in per worker.
agent_profile make_dsh_profile(const dsh_install& install);

} // namespace agentpool
