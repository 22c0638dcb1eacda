// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/hands/hand_event.hpp"
#include "actors/hands/provider_event.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace agentpool {

/// What a verification is told: `nonce` is written into a sandbox that has none and is `fresh`; `boot_marker`
/// is left in /dev/shm when there is none.
struct verify_order {
  bool fresh = false;
  std::string nonce;
  std::string boot_marker;
};

/// The one command, as root: prints the nonce file, the boot marker that it found, and the clock. The secrets
/// travel in its environment, never in its arguments.
ports::command_spec verify_command(const verify_order& order);

/// Reads what the command printed. `provider_nonsense` when it is not that.
result<hand_proof> parse_proof(const command_output& output);

/// Collects the output of one command; `done` gets it when the command ended. `deadline`: it was started, and
/// what became of it is not known.
class output_collector : public ports::process_sink {
public:
  explicit output_collector(std::function<void(provider_event)> done) : done_{std::move(done)} {}

  void on_started(uint32_t) override { started_ = true; }
  void on_output(ports::output_stream which, std::string bytes) override;
  void on_end(result<ports::process_end> how) override;

private:
  std::function<void(provider_event)> done_;
  std::string text_;
  bool started_ = false;
};

} // namespace agentpool
