// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gateway/exchange.hpp"

/// The handlers of the App API (design section 6), one file per resource.
namespace agentpool::app {

// app_health.cpp
void healthz(const exchange_ptr& one);
void readyz(const exchange_ptr& one);
void openapi(const exchange_ptr& one);

// app_sessions.cpp
void create_session(const exchange_ptr& one);
void list_sessions(const exchange_ptr& one);
void get_session(const exchange_ptr& one);
void delete_session(const exchange_ptr& one);

// app_prompt.cpp
void prompt(const exchange_ptr& one);
void cancel(const exchange_ptr& one);

// app_permissions.cpp
void list_permissions(const exchange_ptr& one);
void answer_permission(const exchange_ptr& one);

// app_events.cpp
void events(const exchange_ptr& one);

// app_files.cpp
void list_files(const exchange_ptr& one);
void read_file(const exchange_ptr& one); ///< GET and HEAD
void write_file(const exchange_ptr& one);
void delete_file(const exchange_ptr& one);
void make_directory(const exchange_ptr& one);
void move_file(const exchange_ptr& one);
/// The content of a file is not kept in memory.
bool pulls_body(const net::http_request& request);

/// Runs `act`, which answers the request, once for its Idempotency-Key; a repeated request gets the same
/// answer. `meaning`: what makes the request the same beside its method and path, whatever its spelling.
/// Without a key `act` runs at once.
void once(const exchange_ptr& one, const std::string& meaning, std::function<void()> act);

/// Answers `why` to whoever owns the session of the path, or to a device when there is none in it; anybody
/// else gets what an unknown id, or token, gets.
void refuse(const exchange_ptr& one, failure why);

} // namespace agentpool::app
