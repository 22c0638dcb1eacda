// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/e2b_route.hpp"
#include "sandboxd/front/head.hpp"

namespace agentpool::sandboxd {

/// The sandbox's port that a request is for; nothing: the control plane. A host `<port>-<id>.<any domain>`
/// comes first. The two headers mean something only where the host names this service: as localhost, by an
/// IP address, or as `domain` or `sandbox.<domain>`. So does the control plane, also as `api.<domain>`: a
/// page whose own name was pointed here (DNS rebinding) reaches neither. `bad_request` with the sentence of
/// the reply.
result<std::optional<e2b::target>> address_of(const request_head& head, std::string_view domain);

/// Whether `text` can be the domain of host names.
bool good_domain(std::string_view text);

} // namespace agentpool::sandboxd
