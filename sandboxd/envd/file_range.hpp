// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/http/date.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace agentpool::envd {

struct byte_range {
  uint64_t first = 0, size = 0;
  friend bool operator==(const byte_range&, const byte_range&) = default;
};

enum class range_kind : uint8_t { whole, part, unsatisfiable };

/// What a Range header (RFC 9110, section 14.2) asks of a file of `size` bytes. Anything but one range of
/// bytes means the whole file, as the RFC allows.
range_kind read_range(std::string_view header, uint64_t size, byte_range& out);

/// The content type by the extension of a name; empty when that says nothing.
std::string_view content_type_of(std::string_view name);

/// The content type by the first bytes of a file.
std::string_view sniffed_type(std::string_view first);
inline constexpr size_t sniffed_bytes = 512;

/// `inline; filename=…`, with RFC 5987 when the name is not ASCII.
std::string inline_disposition(std::string_view name);

} // namespace agentpool::envd
