// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/ids.hpp"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <array>
#include <cstdint>
#include <stdexcept>

namespace agentpool {

namespace {

std::string base32(const unsigned char* bytes, size_t size) {
  static constexpr std::string_view alphabet = "abcdefghijklmnopqrstuvwxyz234567";
  std::string out;
  uint32_t bits = 0;
  int held = 0;
  for (size_t i = 0; i < size; ++i) {
    bits = (bits << 8) | bytes[i];
    for (held += 8; held >= 5; held -= 5)
      out += alphabet[(bits >> (held - 5)) & 31];
  }
  if (held > 0)
    out += alphabet[(bits << (5 - held)) & 31];
  return out;
}

template <size_t Bytes>
std::string random_text(std::string_view prefix) {
  std::array<unsigned char, Bytes> bytes;
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
    throw std::runtime_error("the system's random source does not answer");
  return std::string{prefix} + base32(bytes.data(), bytes.size());
}

} // namespace

std::string random_id(std::string_view prefix) {
  return random_text<16>(prefix);
}

std::string random_token(std::string_view prefix) {
  return random_text<32>(prefix);
}

std::string sha256_hex(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("SHA-256 is not available in this OpenSSL");
  static constexpr std::string_view hex = "0123456789abcdef";
  std::string out;
  for (unsigned int i = 0; i < size; ++i) {
    out += hex[digest[i] >> 4];
    out += hex[digest[i] & 15];
  }
  return out;
}

} // namespace agentpool
