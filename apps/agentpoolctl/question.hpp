// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/json.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace agentpool::ctl {

/// What an agent wants to do, and the two answers a person can give here. An answer that decides for later
/// calls as well is never given.
struct question {
  std::string request; ///< id for the answer
  std::string turn;
  std::string text;   ///< kind, title and what is to run, in one line that controls no terminal
  std::string allow;  ///< option id; empty when none was offered
  std::string reject; ///< option id; empty when none was offered
};

/// Of a `permission_requested` event.
question question_of(const json& event);

/// y, yes, n, no; nothing for any other line.
std::optional<bool> yes_or_no(std::string_view line);

/// `text` in one line without control characters, cut where a terminal line would end.
std::string one_line(std::string_view text);

/// What a tool call is about to do: its command, its file or its pattern; empty when its input says none.
std::string subject_of(const json& tool_call);

} // namespace agentpool::ctl
