// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/hands/world/publish.hpp"
#include "protocol/wire/world.hpp"
#include "protocol/wire/world_request.hpp"

#include <optional>

/// What a mutation checks before it does anything; the publication checks the same again.
namespace agentpool::world {

/// The refusal of a write to what was found, if it must be refused (the seam's order: regular, then guard).
std::optional<reply> refuse_target(const hand_io& hand, const write_request& asked, const seen& found);

/// The same for an edit: the file must be there, and `FS_STALE_VERSION` says that it is not.
std::optional<reply> refuse_edit(const hand_io& hand, const edit_request& asked, const seen& found);

publication::guard guard_of(const expectation& expected);

/// `FS_ABORTED`: cancelled before anything was changed.
reply aborted(std::string_view display);
reply stale(std::string_view display);

/// What is known of `path` without asking; null: nothing.
const seen* known_entry(const hand_io& hand, const std::string& path);
/// Its content, when it is kept and nothing runs that could have changed it; null: it must be read.
std::shared_ptr<const std::string> kept_text(
  const hand_io& hand, const std::string& path, const ports::entry_info& entry);

} // namespace agentpool::world
