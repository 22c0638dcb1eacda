// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

namespace agentpool {

/// A token bucket per device: `rate` requests a second, bursts up to one second's worth. Safe from any
/// thread.
class rate_limiter {
public:
  using clock = std::chrono::steady_clock;

  /// `rate` 0 lets everything pass.
  explicit rate_limiter(uint32_t rate) : rate_{static_cast<double>(rate)} {}

  /// True when this request may pass.
  bool take(const std::string& device, clock::time_point now);

  /// Devices that are remembered: at most `max_buckets`.
  size_t size() const;

  /// Over it the buckets that are full again are forgotten (nothing is lost), and when that does not help
  /// all.
  static constexpr size_t max_buckets = 16 * 1024;

private:
  struct bucket {
    double tokens = 0;
    clock::time_point filled;
  };

  double level(const bucket& one, clock::time_point now) const;
  void forget_full(clock::time_point now);

  const double rate_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, bucket> buckets_;
};

} // namespace agentpool
