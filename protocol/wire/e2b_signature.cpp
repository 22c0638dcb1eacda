// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/e2b_signature.hpp"

#include "protocol/wire/base64.hpp"

namespace agentpool::e2b {

std::string signed_text(std::string_view path, std::string_view operation, std::string_view user,
  std::string_view token, std::optional<std::string_view> expiration) {
  std::string text{path};
  for (auto part : {operation, user, token})
    text.append(":").append(part);
  if (expiration)
    text.append(":").append(*expiration);
  return text;
}

std::string signature_of(std::string_view digest) {
  auto text = base64_encode(digest);
  return "v1_" + text.substr(0, text.find('='));
}

} // namespace agentpool::e2b
