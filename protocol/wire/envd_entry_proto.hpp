// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/envd_files.hpp"
#include "protocol/wire/protobuf.hpp"

/// The message EntryInfo alone, as other messages embed it; as envd_entry.hpp for JSON.
namespace agentpool::envd {

std::string entry_to_proto(const entry_info& x);
/// Its map is as it came: `protobuf::settle_map` follows.
void read_entry_message(protobuf::reader in, entry_info& out);

} // namespace agentpool::envd
