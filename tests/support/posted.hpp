// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/actors/interfaces.hpp"

#include <caf/all.hpp>

#include <memory>
#include <optional>

namespace agentpool::test {

/// The answer to a request, whenever it comes.
template <class Reply>
struct posted {
  using value_type = std::conditional_t<std::is_void_v<Reply>, caf::unit_t, Reply>;

  std::optional<value_type> value;
  std::optional<failure> error;

  bool pending() const { return !value && !error; }
  /// `none` for a value; `last` cannot happen: nothing came.
  errc code() const { return error ? error->code : errc::none; }
};

/// Sends a request from an actor of its own; the test looks at the answer when it wants. The asker must be
/// ended with the test when no answer came.
template <class Reply, class Handle, class... Ts>
std::pair<std::shared_ptr<posted<Reply>>, caf::actor> post(
  caf::actor_system& sys, const Handle& target, Ts... xs) {
  auto out = std::make_shared<posted<Reply>>();
  auto asker = sys.spawn([=](caf::event_based_actor* self) {
    auto failed = [out](caf::error& why) { out->error = to_failure(why); };
    auto sent = self->request(target, std::chrono::hours{24}, xs...);
    if constexpr (std::is_void_v<Reply>)
      std::move(sent).then([out] { out->value = caf::unit; }, failed);
    else
      std::move(sent).then([out](Reply& value) { out->value = std::move(value); }, failed);
  });
  return {out, asker};
}

} // namespace agentpool::test
