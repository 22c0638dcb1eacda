// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "gateway/rate_limit.hpp"

#include <algorithm>

namespace agentpool {

bool rate_limiter::take(const std::string& device, clock::time_point now) {
  if (rate_ <= 0)
    return true;
  std::lock_guard guard{mutex_};
  if (buckets_.size() >= max_buckets && !buckets_.contains(device))
    forget_full(now);
  auto [i, fresh] = buckets_.try_emplace(device, bucket{rate_, now});
  auto& one = i->second;
  if (!fresh)
    one = {level(one, now), now};
  if (one.tokens < 1)
    return false;
  one.tokens -= 1;
  return true;
}

size_t rate_limiter::size() const {
  std::lock_guard guard{mutex_};
  return buckets_.size();
}

double rate_limiter::level(const bucket& one, clock::time_point now) const {
  auto elapsed = std::chrono::duration<double>(now - one.filled).count();
  return std::min(rate_, one.tokens + std::max(0.0, elapsed) * rate_);
}

void rate_limiter::forget_full(clock::time_point now) {
  std::erase_if(buckets_, [&](const auto& entry) { return level(entry.second, now) >= rate_; });
  if (buckets_.size() >= max_buckets)
    buckets_.clear();
}

} // namespace agentpool
