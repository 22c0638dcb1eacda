// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/ports/http_client.hpp"

#include <curl/curl.h>

#include <string>

namespace agentpool::net {

/// What `code` (not CURLE_OK) means for an exchange of which something was `sent` or not.
ports::http_fault fault_from(CURLcode code, bool sent) noexcept;

/// One sentence for a fault, with curl's reason where there is one. Names no address.
std::string fault_text(ports::http_fault fault, CURLcode code);

} // namespace agentpool::net
