// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

// Who may ask. Only hashes of tokens are kept.
#include "actors/log.hpp"
#include "actors/sessions/session_registry.hpp"

#include <caf/all.hpp>

namespace agentpool {

void session_registry_state::load_devices() {
  auto reader = find_reader(self_->system());
  if (!reader)
    return self_->quit(to_error(not_there(names::store_reader)));
  self_->request(reader, defaults::store_deadline, devices_atom_v)
    .then(
      [this](const std::vector<device_row>& rows) {
        for (const auto& row : rows)
          if (!row.id.empty() && !row.token_hash.empty())
            devices_.emplace(row.token_hash, row.id);
        devices_loaded_ = true;
        for (auto& next : std::exchange(after_load_, {}))
          next();
        recover();
      },
      [this](const caf::error& why) {
        log::session().error(
          "the devices cannot be read, the registry starts again: {}", to_failure(why).text());
        self_->quit(why);
      });
}

caf::expected<device_id> session_registry_state::authenticate(const caller& who) const {
  if (auto i = devices_.find(who.token_hash); i != devices_.end())
    return i->second;
  if (!devices_loaded_)
    return to_error({errc::overloaded, "the node is starting; try again in a moment"});
  return caf::make_error(errc::unauthorized);
}

caf::result<device_created> session_registry_state::create_device(const std::string& label) {
  auto token = random_token("apt_");
  auto answer = self_->make_response_promise<device_created>();
  self_->request(session_registry_actor{self_}, defaults::store_deadline, create_atom_v, label, token)
    .then(
      [answer, token](const device_id& id) mutable {
        answer.deliver(device_created{id, token});
      },
      [answer](caf::error& why) mutable { answer.deliver(std::move(why)); });
  return answer;
}

caf::result<device_id> session_registry_state::ensure_device(
  const std::string& label, const std::string& token) {
  auto answer = self_->make_response_promise<device_id>();
  if (devices_loaded_)
    store_device(label, token, answer);
  else
    after_load_.push_back([this, label, token, answer] { store_device(label, token, answer); });
  return answer;
}

void session_registry_state::store_device(
  const std::string& label, const std::string& token, caf::typed_response_promise<device_id> answer) {
  auto hash = sha256_hex(token);
  if (auto i = devices_.find(hash); i != devices_.end())
    return answer.deliver(i->second);
  auto store = find_store(self_->system());
  if (!store)
    return answer.deliver(to_error(not_there(names::store)));
  device_row row{device_id{random_id("dev_")}, hash, label, config_.clock->now()};
  self_->request(store, defaults::store_deadline, create_atom_v, row)
    .then(
      [this, answer, row]() mutable {
        devices_.emplace(row.token_hash, row.id);
        answer.deliver(row.id);
      },
      [answer](caf::error& why) mutable { answer.deliver(std::move(why)); });
}

} // namespace agentpool
