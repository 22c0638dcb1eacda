// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/envd_files.hpp"
#include "protocol/wire/protojson.hpp"

#include <string>

/// An entry as a part of several messages: for the files beside this one.
namespace agentpool::envd {

/// The JSON object of the entry itself.
std::string entry_text(const entry_info& x);
/// `from` as an entry; what is wrong is kept by the reader.
entry_info read_entry_at(protojson::reader& in, const json& from);

std::string map_text(const string_map& map);

} // namespace agentpool::envd
