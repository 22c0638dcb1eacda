// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/errors.hpp"

#include <string>
#include <vector>

namespace agentpool::ctl {

/// Where scripts/build-template puts templates: AGENTPOOL_TEMPLATES, else /opt/agentpool/templates for root
/// and a folder of the user's own for everybody else.
std::string default_templates();

/// All templates of the folder with their versions, as a table.
std::string templates_table(const std::string& folder);

/// Removes `NAME` or `NAME@VERSION`; what to tell the user, or why nothing was removed.
result<std::string> remove_templates(const std::string& folder, const std::string& what);

/// Becomes `scripts/build-template` of the repository that this program was built in; returns only when that
/// fails.
failure build_template(const std::string& folder, const std::string& recipe, const std::string& tag);

} // namespace agentpool::ctl
