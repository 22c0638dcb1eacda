// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/e2b_signature.hpp"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>

namespace agentpool::e2b {

std::string file_signature(std::string_view path, std::string_view operation, std::string_view user,
  std::string_view token, std::optional<std::string_view> expiration) {
  auto text = signed_text(path, operation, user, token, expiration);
  std::array<char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  if (EVP_Digest(text.data(), text.size(), reinterpret_cast<unsigned char*>(digest.data()), &size,
        EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("SHA-256 is not available in this OpenSSL");
  return signature_of({digest.data(), size});
}

} // namespace agentpool::e2b
