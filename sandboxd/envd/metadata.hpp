// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandboxd/envd/http_call.hpp"
#include "sandboxd/envd/upload.hpp"

#include <string>

/// The metadata of files: `X-Metadata-KEY` of an upload is the extended attribute `user.e2b.KEY`.
namespace agentpool::envd {

/// From the headers of an upload: keys in lower case, the first value of a key counts, an empty key does not.
/// 400 for what is not printable ASCII, and over the limits.
plain<string_map> metadata_of(const http_headers& headers);

/// Of the file at `path`, links not followed.
string_map read_metadata(const std::string& path);

/// `metadata` becomes all that the open file has. False with errno.
bool replace_metadata(int file, const string_map& metadata);

} // namespace agentpool::envd
