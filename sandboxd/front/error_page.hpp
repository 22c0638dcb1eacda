// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/e2b_route.hpp"
#include "sandboxd/front/head.hpp"

namespace agentpool::sandboxd {

/// What the data plane says when a sandbox or its port cannot be reached; a page for whoever looks with a
/// browser, JSON for all others.
control_response not_found(const request_head& head, const e2b::target& target);
control_response port_closed(const request_head& head, const e2b::target& target);
/// 403 of a port that wants the traffic token.
control_response token_wanted(const request_head& head, const e2b::target& target);

/// A browser's own navigation: its user agent, and neither `Accept: application/json` nor `Sec-Fetch-Mode:
/// cors`.
bool wants_page(const request_head& head);

} // namespace agentpool::sandboxd
