// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/acp.hpp"

#include <map>
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
  /// A call that was allowed has not ended.
  bool any_granted() const;

  void clear() { calls_.clear(); }

private:
  struct call {
    std::string fields;
    bool granted = false;
  };

  std::map<std::string, call> calls_;
};

} // namespace agentpool
