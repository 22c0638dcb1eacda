// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandboxd/control/sandboxes.hpp"

namespace agentpool::sandboxd {

/// The parts of a signed URL of a file, `/files?path=…&signature=…`, which names no sandbox where all of them
/// share one address.
struct signed_url {
  std::string path, user, signature;
  std::optional<std::string> expiration;
};

/// Nothing when the request's target is none.
std::optional<signed_url> parse_signed_url(std::string_view target);

/// The sandbox whose token made the signature, of at most `limits::signature_tries`; null: none. The time
/// does not tell where a signature differs. Whether it is over is envd's to say.
std::shared_ptr<sandbox_entry> sandbox_of(
  const signed_url& url, std::string_view method, const sandboxes& all);

} // namespace agentpool::sandboxd
