// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/http/server.hpp"
#include "protocol/ports/world_stream.hpp"

#include <memory>

namespace agentpool {

/// The body and the answer of one HTTP request as a world sees them. `headers` go out with every answer.
std::shared_ptr<ports::world_stream> make_world_stream(
  std::shared_ptr<net::http_exchange> http, std::vector<std::pair<std::string, std::string>> headers = {});

} // namespace agentpool
