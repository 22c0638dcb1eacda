// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Signatures of the URLs of files.
namespace agentpool::e2b {

/// `operation` is read or write; `user` is empty without a `username`; `expiration` is the text of the query.
std::string file_signature(std::string_view path, std::string_view operation, std::string_view user,
  std::string_view token, std::optional<std::string_view> expiration);

/// Its halves around SHA-256, for programs that cannot have OpenSSL's library: the text that is hashed…
std::string signed_text(std::string_view path, std::string_view operation, std::string_view user,
  std::string_view token, std::optional<std::string_view> expiration);

/// …and `v1_` with the base64 of the 32 bytes, without padding.
std::string signature_of(std::string_view digest);

} // namespace agentpool::e2b
