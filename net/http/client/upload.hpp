// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace agentpool::net {

/// The body of a streamed upload between a source that is asked for pieces and a reader that takes what is
/// there. Holds one piece at most.
class upload {
public:
  enum class state : uint8_t { bytes, waiting, end, failed };

  upload(size_t piece, std::function<void(size_t)> ask) : piece_(piece), ask_(std::move(ask)) {}

  /// Takes up to `room` bytes to `to`; `taken` says how many with state `bytes`.
  state take(char* to, size_t room, size_t& taken);
  /// The source's answer. More than was asked for is a fault of the source.
  void supply(result<std::string> piece);
  /// Nobody wants the rest: what is taken from now on is the end. Answers whether the reader waited.
  bool stop();
  /// The reader found nothing and waits.
  bool waiting() const { return waiting_; }
  const std::optional<failure>& failed() const { return failed_; }

private:
  void ask();

  size_t piece_;
  std::function<void(size_t)> ask_;
  std::string current_;
  size_t used_ = 0;
  bool asked_ = false;
  bool ended_ = false;
  bool waiting_ = false;
  std::optional<failure> failed_;
};

} // namespace agentpool::net
