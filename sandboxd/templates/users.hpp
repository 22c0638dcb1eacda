// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandboxd/templates/store.hpp"

namespace agentpool::sandboxd {

/// Notes durably that sandboxes of this data folder may be made from the version. Only a hint where to look:
/// what counts are the records there. A templates folder that cannot be written is one of which nothing can
/// be removed either, and needs no note.
result<void> note_user(const template_version& which, const std::string& data);

/// Sandboxes and snapshots that are made from the version, also of services that do not run: each JSON file
/// of DATA/*/*/ that names it, as DATA/*/ID. A folder that is gone counts no more.
std::vector<std::string> users_of(const template_version& which);

} // namespace agentpool::sandboxd
