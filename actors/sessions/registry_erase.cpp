// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

// DELETE: the registry forgets the session before anybody hears that it is gone.
#include "actors/sessions/session_registry.hpp"

#include <caf/all.hpp>

namespace agentpool {

namespace {

/// The agent may need its time to close the session.
constexpr auto erase_deadline = defaults::close_deadline + 4 * defaults::end_grace +
                                2 * defaults::home_deadline + defaults::store_deadline +
                                defaults::hand_erase_deadline;

} // namespace

caf::result<void> session_registry_state::erase(const caller& who, const session_id& id) {
  auto device = authenticate(who);
  if (!device)
    return device.error();
  if (auto i = erasing_.find(id); i != erasing_.end()) {
    if (i->second.device != *device)
      return caf::make_error(errc::not_found);
    return i->second.waiting.emplace_back(self_->make_response_promise<void>());
  }
  auto answer = self_->make_response_promise<void>();
  with_session(
    *device, id, [this, id, device = *device, answer](const caf::expected<session_actor>& session) mutable {
      if (!session)
        return answer.deliver(session.error());
      auto [i, first] = erasing_.try_emplace(id, erasure{device, {}});
      i->second.waiting.push_back(answer);
      if (first)
        erase_session(id, *session);
    });
  return answer;
}

/// From here on the session is an unknown one, so that no request meets an actor that is about to end.
void session_registry_state::erase_session(const session_id& id, const session_actor& session) {
  self_->request(session, erase_deadline, erase_atom_v)
    .then([this, id] { erased(id, caf::unit); }, [this, id](caf::error& why) { erased(id, std::move(why)); });
}

void session_registry_state::erased(const session_id& id, const caf::expected<void>& outcome) {
  if (outcome)
    entries_.erase(id);
  auto node = erasing_.extract(id);
  for (auto& answer : node.mapped().waiting)
    outcome ? answer.deliver() : answer.deliver(outcome.error());
}

} // namespace agentpool
