// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/acp.hpp"

#include <map>
#include <set>
#include <string>

namespace agentpool {

/// The tool calls of a turn that have not ended: what the agent said of each, and which of them may change
/// the world. An id that is announced again is a new call without a grant: ids come from the model.
class tool_calls {
public:
  /// An event of the turn; only `tool_call` and `tool_call_update` mean something.
  void note(const acp::event_parts& event);

  /// The call's announcement as the members of its event, empty when there was none. A `raw_input` above
  /// `defaults::question_input` bytes is left out.
  std::string announced(const std::string& id) const;

  /// The call was allowed. It may be one that was never announced.
  void grant(const std::string& id);
  /// Whether something may be changed now: a call that was allowed has not ended. `starting` names the call
  /// that a process is started for: an agent tells the end of a call that works on in the background before
  /// the start is asked for, so that each allowed call has one start after its end when it had none before.
  bool allow(const std::string& starting);

  void clear();

private:
  void end(const std::string& id);

  struct call {
    std::string fields;
    bool granted = false;
    bool started = false;
  };

  std::map<std::string, call> calls_;
  std::set<std::string> to_start_; ///< allowed, ended, nothing was started for them
};

} // namespace agentpool
