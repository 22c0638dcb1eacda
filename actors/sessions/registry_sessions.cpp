// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

// Sessions of a device: create, list, look.
#include "actors/sessions/session_registry.hpp"
#include "protocol/wire/json.hpp"

#include <caf/all.hpp>

namespace agentpool {

namespace {

const std::string create_route = "POST /v1/sessions";

} // namespace

caf::result<session_view> session_registry_state::create_session(
  const caller& who, create_request wanted, idempotency once) {
  auto device = authenticate(who);
  if (!device)
    return device.error();
  if (draining_)
    return caf::make_error(errc::shutting_down);
  if (wanted.profile.empty())
    wanted.profile = config_.settings.default_profile;
  if (wanted.mode.empty())
    wanted.mode = config_.settings.default_mode;
  if (!config_.profiles.contains(wanted.profile))
    return caf::make_error(errc::unknown_profile);
  auto answer = self_->make_response_promise<session_view>();
  auto store = [this, device = *device, wanted, once, answer] {
    store_session(device, wanted, once, answer);
  };
  once.key.empty() ? store() : recall_session(*device, once, answer, store);
  return answer;
}

/// A key that was used before gets the same session.
void session_registry_state::recall_session(const device_id& device, const idempotency& once,
  caf::typed_response_promise<session_view> answer, std::function<void()> unknown) {
  auto reader = find_reader(self_->system());
  if (!reader)
    return answer.deliver(to_error(not_there(names::store_reader)));
  self_->request(reader, defaults::store_deadline, recall_atom_v, device, create_route, once.key)
    .then(
      [this, device, once, answer](const idempotency_row& known) mutable {
        if (known.request_hash != once.request_hash)
          return answer.deliver(caf::make_error(errc::idempotency_mismatch));
        owned_row(device, session_id{known.answer}, [answer](const caf::expected<session_row>& row) mutable {
          if (row)
            answer.deliver(session_view{*row, "detached", {}});
          else
            answer.deliver(row.error());
        });
      },
      [answer, unknown](caf::error& why) mutable {
        to_failure(why).code == errc::not_found ? unknown() : answer.deliver(std::move(why));
      });
}

void session_registry_state::store_session(const device_id& device, const create_request& wanted,
  const idempotency& once, caf::typed_response_promise<session_view> answer) {
  auto now = config_.clock->now();
  session_row row{
    session_id{random_id("ses_")}, device, wanted.profile, wanted.title, wanted.mode, wanted.metadata};
  row.created = row.updated = now;
  row.last_seq = 1;
  json_object fields;
  fields.add("session_id", row.id.value)
    .add("profile", row.profile)
    .add("title", row.title)
    .add("mode", row.mode);
  std::vector<event_row> events{
    make_event(1, event_type::session_created, {}, now, fields.add_raw("metadata", row.metadata).str())};
  std::optional<idempotency_row> remembered;
  if (!once.key.empty())
    remembered = idempotency_row{device, once.key, create_route, once.request_hash, 201, row.id.value, now};
  auto store = find_store(self_->system());
  if (!store)
    return answer.deliver(to_error(not_there(names::store)));
  self_
    ->request(store, defaults::store_deadline, create_atom_v, row, std::move(events), std::move(remembered),
      config_.settings.sessions_per_device)
    .then(
      [answer, row]() mutable {
        answer.deliver(session_view{row, "detached", {}});
      },
      [this, device, once, answer](caf::error& why) mutable {
        if (to_failure(why).code != errc::idempotency_in_progress)
          return answer.deliver(std::move(why));
        auto unknown = [answer, why]() mutable { answer.deliver(why); };
        recall_session(device, once, answer, unknown); // the same request, a moment earlier
      });
}

caf::result<session_list> session_registry_state::list(
  const caller& who, const std::string& cursor, uint64_t limit) {
  auto device = authenticate(who);
  if (!device)
    return device.error();
  auto reader = find_reader(self_->system());
  if (!reader)
    return to_error(not_there(names::store_reader));
  auto answer = self_->make_response_promise<session_list>();
  self_->request(reader, defaults::store_deadline, list_atom_v, *device, cursor, limit)
    .then([this, answer](session_page& page) { ask_views(std::move(page), answer); },
      [answer](caf::error& why) mutable { answer.deliver(std::move(why)); });
  return answer;
}

/// Rows of sessions that are in memory are completed by their actors; one that does not answer keeps its row.
void session_registry_state::ask_views(session_page page, caf::typed_response_promise<session_list> answer) {
  auto list = std::make_shared<session_list>();
  list->next = page.next;
  auto missing = std::make_shared<size_t>(1);
  auto one_less = [list, missing, answer]() mutable {
    if (--*missing == 0)
      answer.deliver(std::move(*list));
  };
  for (auto& row : page.sessions) {
    auto i = entries_.find(row.id);
    if (i != entries_.end() && erasing_.contains(i->first))
      continue;
    auto at = list->sessions.size();
    list->sessions.push_back({std::move(row), "detached", {}});
    if (i == entries_.end() || i->second.state != phase::live)
      continue;
    ++*missing;
    self_->request(i->second.handle, defaults::status_deadline, view_atom_v)
      .then(
        [list, at, one_less](session_view& live) mutable {
          list->sessions[at] = std::move(live);
          one_less();
        },
        [one_less](const caf::error&) mutable { one_less(); });
  }
  one_less();
}

caf::result<session_view> session_registry_state::view(const caller& who, const session_id& id) {
  auto device = authenticate(who);
  if (!device)
    return device.error();
  if (auto session = reachable(*device, id))
    return self_->delegate(session, view_atom_v);
  auto answer = self_->make_response_promise<session_view>();
  owned_row(*device, id, [answer](const caf::expected<session_row>& row) mutable {
    if (row)
      answer.deliver(session_view{*row, "detached", {}});
    else
      answer.deliver(row.error());
  });
  return answer;
}

caf::result<void> session_registry_state::authorize(const caller& who, const session_id& id) {
  auto device = authenticate(who);
  if (!device)
    return device.error();
  if (reachable(*device, id))
    return caf::unit;
  auto answer = self_->make_response_promise<void>();
  owned_row(*device, id, [answer](const caf::expected<session_row>& row) mutable {
    if (row)
      answer.deliver();
    else
      answer.deliver(row.error());
  });
  return answer;
}

caf::result<std::vector<actor_status>> session_registry_state::statuses() {
  auto answer = self_->make_response_promise<std::vector<actor_status>>();
  auto list = std::make_shared<std::vector<actor_status>>();
  auto missing = std::make_shared<size_t>(1);
  auto one_less = [list, missing, answer]() mutable {
    if (--*missing == 0)
      answer.deliver(std::move(*list));
  };
  for (const auto& [id, known] : entries_) {
    if (!known.handle)
      continue;
    ++*missing;
    self_->request(known.handle, defaults::status_deadline, status_atom_v)
      .then(
        [list, one_less](actor_status& status) mutable {
          list->push_back(std::move(status));
          one_less();
        },
        [list, id = id, one_less](const caf::error& why) mutable {
          list->push_back(
            {"session", id.value, "no answer", 0, 0, {}, {}, 0, to_failure(why).text(), "{}", {}});
          one_less();
        });
  }
  one_less();
  return answer;
}

} // namespace agentpool
