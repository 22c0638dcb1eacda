// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandboxd/envd/file_service.hpp"
#include "sandboxd/envd/upload.hpp"

namespace agentpool::envd {

/// Makes one file of several in their order and deletes these (`POST /files/compose`, e2b wire, section 5.5).
/// The destination is replaced at once when all is written, or stays as it was. Blocks. 400 for a wrong
/// request, 404 for a source that is not there, 507 for a full disk.
plain<written_file> compose_files(const file_caller& caller, const compose_request& what);

} // namespace agentpool::envd
