// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/actors/interfaces.hpp"
#include "protocol/ports/sandbox.hpp"

#include <caf/all.hpp>

#include <memory>
#include <optional>
#include <variant>

namespace agentpool {

/// What a command in the sandbox said, and how it ended.
struct command_output {
  std::string text; ///< stdout, cut at 8 KiB
  bool exited_well = false;
};

/// The answer to one call of the provider or of a link: a value, or `why` there is none.
struct provider_event {
  failure why{errc::none, {}};
  std::variant<std::monostate, ports::sandbox_access, ports::sandbox_connected,
    std::optional<ports::sandbox_info>, ports::sandbox_page, bool, command_output>
    value;

  bool failed() const { return why.code != errc::none; }
  template <class T>
  const T* get() const {
    return std::get_if<T>(&value);
  }
};

/// Brings a provider's answer home, from any thread: as `provider_atom` with the number of the call. An actor
/// that ended meanwhile gets nothing.
template <class Handle>
class provider_mail {
public:
  provider_mail(const Handle& to, uint64_t op) : to_{caf::actor_cast<caf::actor_addr>(to)}, op_{op} {}

  void operator()(provider_event event) const {
    if (auto to = caf::actor_cast<Handle>(to_))
      caf::anon_send(to, provider_atom_v, op_, std::make_shared<provider_event>(std::move(event)));
  }

  /// The completion of a call that answers a `T`.
  template <class T>
  ports::completion<T> answer() const {
    return [mail = *this](result<T> outcome) {
      provider_event event;
      if (!outcome)
        event.why = outcome.error();
      else if constexpr (!std::is_void_v<T>)
        event.value = std::move(*outcome);
      mail(std::move(event));
    };
  }

private:
  caf::actor_addr to_;
  uint64_t op_;
};

/// Limits of a call that takes at most `total`.
inline ports::call_limits within(caf::timespan total) {
  return {.total = std::chrono::duration_cast<std::chrono::milliseconds>(total)};
}

/// The metadata that every sandbox of this node carries: who made it, what for, by which intent. It helps
/// cleaning up and proves nothing.
namespace sandbox_label {
inline const std::string node = "agentpool-node";
inline const std::string session = "agentpool-session";
inline const std::string intent = "agentpool-intent";
} // namespace sandbox_label

} // namespace agentpool
