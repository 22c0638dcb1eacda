// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/ports/clock.hpp"

#include <chrono>

namespace agentpool {

/// The machine's time of day.
class system_clock : public ports::wall_clock {
public:
  int64_t now() const override {
    using namespace std::chrono;
    return duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  }
};

} // namespace agentpool
