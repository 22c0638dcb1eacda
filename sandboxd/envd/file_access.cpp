// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/file_access.hpp"

#include "protocol/wire/e2b_signature.hpp"
#include "sandboxd/envd/query.hpp"
#include "sandboxd/envd/settings.hpp"

// The interface that a static program can have without OpenSSL's providers.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <array>
#include <charconv>

namespace agentpool::envd {

namespace {

std::string sha256(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256_CTX state;
  SHA256_Init(&state);
  SHA256_Update(&state, text.data(), text.size());
  SHA256_Final(digest.data(), &state);
  return {digest.begin(), digest.end()};
}

} // namespace

std::string file_signature(std::string_view path, std::string_view operation, std::string_view user,
  std::string_view token, std::optional<std::string_view> expiration) {
  return e2b::signature_of(sha256(e2b::signed_text(path, operation, user, token, expiration)));
}

std::optional<access_refusal> refuse_file_access(
  const net::http_request& request, std::string_view operation, std::string_view token, int64_t now) {
  auto query = [&](std::string_view name) { return query_value(request.query, name); };
  auto expiration = query("signature_expiration");
  int64_t end = 0;
  if (expiration) {
    auto last = expiration->data() + expiration->size();
    if (auto parsed = std::from_chars(expiration->data(), last, end);
        parsed.ec != std::errc{} || parsed.ptr != last)
      return access_refusal{400,
        "Invalid format for parameter signature_expiration: \"" + *expiration + "\" is no number\n", true};
  }
  if (token.empty())
    return std::nullopt;
  if (request.count("X-Access-Token") > 0) {
    if (equal_secrets(request.header("X-Access-Token").value_or(""), token))
      return std::nullopt;
    return access_refusal{401, "access token present in header but does not match"};
  }
  auto signature = query("signature");
  if (!signature)
    return access_refusal{401, "missing signature query parameter"};
  auto expected =
    file_signature(query("path").value_or(""), operation, query("username").value_or(""), token, expiration);
  if (!equal_secrets(*signature, expected))
    return access_refusal{401, "invalid signature"};
  if (expiration && end < now)
    return access_refusal{401, "signature is already expired"};
  return std::nullopt;
}

} // namespace agentpool::envd
