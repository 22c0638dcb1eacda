// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace agentpool {

/// One visitor made of lambdas: a state's table of events.
template <class... Fs>
struct overloaded : Fs... {
  using Fs::operator()...;
};

template <class... Fs>
overloaded(Fs...) -> overloaded<Fs...>;

} // namespace agentpool
