// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/ports/http_client.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace agentpool::net {

/// Collects the head of an answer from its lines. Interim answers (1xx) are passed over, trailers ignored.
class head_reader {
public:
  enum class step : uint8_t { more, complete, too_large };

  explicit head_reader(size_t most) : most_(most) {}

  /// One line with its line end; the empty one ends the head.
  step feed(std::string_view line);
  bool complete() const { return complete_; }
  /// Once after `complete`.
  ports::http_head take() { return std::move(head_); }

private:
  size_t most_;
  size_t size_ = 0;
  bool complete_ = false;
  ports::http_head head_;
};

} // namespace agentpool::net
