// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/errors.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace agentpool::sandboxd {

/// Where sandboxes get packages from; an empty URL leaves what the template has.
struct mirrors {
  std::string pip;          ///< root of a simple index
  std::string npm;          ///< registry
  std::string apt;          ///< Debian archive, for the suites bookworm and bookworm-updates
  std::string apt_security; ///< of bookworm-security; only with `apt`
};

/// The files that say so, by their path inside; scripts/lib/template_recipe.py writes the same into a
/// template.
std::map<std::string, std::string> mirror_files(const mirrors& given);

/// Whether each is a URL that these files can hold.
result<void> check_mirrors(const mirrors& given);

/// Puts the files into a new sandbox's root before anything runs in it; they belong to its root user `owner`.
result<void> write_mirrors(const std::string& root, const mirrors& given, uint32_t owner);

} // namespace agentpool::sandboxd
