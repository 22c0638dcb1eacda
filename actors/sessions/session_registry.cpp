// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/sessions/session_registry.hpp"

#include "actors/log.hpp"
#include "actors/sessions/prompt_route.hpp"
#include "protocol/wire/json.hpp"

#include <caf/all.hpp>

namespace agentpool {

using registry_impl = caf::stateful_actor<session_registry_state, session_registry_actor::impl>;

session_registry_state::session_registry_state(session_registry_actor::pointer self, registry_config config)
    : self_{self}, config_{std::move(config)} {
  load_devices();
}

session_registry_actor::behavior_type session_registry_state::make_behavior() {
  return {
    [this](status_atom) { return status(); },
    [this](authorize_atom, const caller& who) -> caf::result<device_id> { return authenticate(who); },
    [this](authorize_atom, const caller& who, const session_id& id) { return authorize(who, id); },
    [this](create_atom, const std::string& label) { return create_device(label); },
    [this](create_atom, const std::string& label, const std::string& token) {
      return ensure_device(label, token);
    },
    [this](create_atom, const caller& who, create_request wanted, idempotency once) {
      return create_session(who, std::move(wanted), std::move(once));
    },
    [this](list_atom, const caller& who, const std::string& cursor, uint64_t limit) {
      return list(who, cursor, limit);
    },
    [this](view_atom, const caller& who, const session_id& id) { return view(who, id); },
    [this](prompt_atom, const caller& who, const session_id& id, prompt_order order) {
      return prompt(who, id, std::move(order));
    },
    [this](
      cancel_atom, const caller& who, const session_id& id) { return forward<void>(who, id, cancel_atom_v); },
    [this](erase_atom, const caller& who, const session_id& id) { return erase(who, id); },
    [this](permission_atom, const caller& who, const session_id& id) {
      return forward<std::string>(who, id, permission_atom_v);
    },
    [this](answer_atom, const caller& who, const session_id& id, const std::string& request,
      const std::string& option) { return forward<void>(who, id, answer_atom_v, request, option); },
    [this](subscribe_atom, const session_id& id, const viewer_actor& viewer, bool live) {
      return subscribe(id, viewer, live);
    },
    [this](leave_atom, const session_id& id) { leave(id); },
    [this](stay_atom, const session_id& id) { stay(id); },
    [this](turn_atom, const session_id& id, const device_id& device, bool running) {
      note_turn(id, device, running);
    },
    [this](gone_atom, const session_id& id) { gone(id); },
    [this](
      hand_atom, const session_id& id, hand_report report) { pass_on(id, hand_atom_v, std::move(report)); },
    [this](notice_atom, const session_id& id, std::string code, std::string text) {
      pass_on(id, notice_atom_v, std::move(code), std::move(text));
    },
    [this](list_atom) { return statuses(); },
    [this](drain_atom) { return drain(); },
  };
}

template <class Reply, class... Ts>
caf::result<Reply> session_registry_state::forward(const caller& who, const session_id& id, Ts... message) {
  auto device = authenticate(who);
  if (!device)
    return device.error();
  if (auto session = reachable(*device, id))
    return self_->delegate(session, std::move(message)...);
  auto answer = self_->make_response_promise<Reply>();
  with_session(*device, id, [answer, message...](const caf::expected<session_actor>& session) mutable {
    if (session)
      answer.delegate(*session, std::move(message)...);
    else
      answer.deliver(session.error());
  });
  return answer;
}

/// To a session that need not be in memory; one that is gone hears nothing.
template <class... Ts>
void session_registry_state::pass_on(const session_id& id, Ts... message) {
  with_session({}, id, [this, message...](const caf::expected<session_actor>& session) {
    if (session)
      self_->send(*session, message...);
  });
}

caf::result<prompt_accepted> session_registry_state::prompt(
  const caller& who, const session_id& id, prompt_order order) {
  if (draining_)
    return caf::make_error(errc::shutting_down);
  auto device = authenticate(who);
  if (!device)
    return device.error();
  auto asking = asking_.find(*device);
  bool counted = running_.contains(id) || (asking != asking_.end() && asking->second.contains(id));
  auto answer = self_->make_response_promise<prompt_accepted>();
  if (!counted && turns_of(*device) >= config_.settings.turns_per_device) {
    recall_prompt(*device, id, order.once, answer);
    return answer;
  }
  ++asking_[*device][id];
  auto done = [this, device = *device, id, answer](caf::expected<prompt_accepted> outcome) mutable {
    asked(device, id);
    outcome ? answer.deliver(std::move(*outcome)) : answer.deliver(std::move(outcome.error()));
  };
  with_session(*device, id, [this, order, done](const caf::expected<session_actor>& session) mutable {
    if (!session)
      return done(session.error());
    self_->request(*session, defaults::request_deadline, prompt_atom_v, order)
      .then([done](prompt_accepted& accepted) mutable { done(std::move(accepted)); },
        [done](caf::error& why) mutable { done(std::move(why)); });
  });
  return answer;
}

/// At the limit a key that was used before still gets its answer.
void session_registry_state::recall_prompt(const device_id& device, const session_id& id,
  const idempotency& once, caf::typed_response_promise<prompt_accepted> answer) {
  auto reader = once.key.empty() ? store_reader_actor{} : find_reader(self_->system());
  if (!reader)
    return answer.deliver(caf::make_error(errc::too_many_turns));
  auto known = [answer, hash = once.request_hash](const idempotency_row& row) mutable {
    if (row.request_hash == hash)
      answer.deliver(prompt_accepted{turn_id{row.answer}});
    else
      answer.deliver(caf::make_error(errc::idempotency_mismatch));
  };
  auto recall = [this, reader, device, id, key = once.key, known, answer] {
    self_->request(reader, defaults::store_deadline, recall_atom_v, device, prompt_route(id), key)
      .then(known,
        [answer](const caf::error&) mutable { answer.deliver(caf::make_error(errc::too_many_turns)); });
  };
  owned_row(device, id, [answer, recall](const caf::expected<session_row>& row) mutable {
    row ? recall() : answer.deliver(row.error());
  });
}

/// Turns that run, and prompts on their way that may become one: a burst is counted before its turns begin.
size_t session_registry_state::turns_of(const device_id& device) const {
  size_t count = 0;
  if (auto i = turns_.find(device); i != turns_.end())
    count = i->second;
  if (auto i = asking_.find(device); i != asking_.end())
    for (const auto& [id, prompts] : i->second)
      count += running_.contains(id) ? 0 : 1;
  return count;
}

void session_registry_state::asked(const device_id& device, const session_id& id) {
  auto i = asking_.find(device);
  if (auto prompts = i->second.find(id); --prompts->second == 0)
    i->second.erase(prompts);
  if (i->second.empty())
    asking_.erase(i);
  answer_drain();
}

caf::result<subscribed> session_registry_state::subscribe(
  const session_id& id, const viewer_actor& viewer, bool live) {
  auto answer = self_->make_response_promise<subscribed>();
  with_session({}, id, [answer, viewer, live](const caf::expected<session_actor>& session) mutable {
    if (session)
      answer.delegate(*session, subscribe_atom_v, viewer, live);
    else
      answer.deliver(session.error());
  });
  return answer;
}

void session_registry_state::with_session(const device_id& device, const session_id& id, waiter then) {
  if (erasing_.contains(id))
    return then(caf::make_error(errc::not_found));
  if (auto i = entries_.find(id); i != entries_.end()) {
    auto& known = i->second;
    if (!device.empty() && known.device != device)
      return then(caf::make_error(errc::not_found));
    if (known.state == phase::live)
      return then(known.handle);
    if (known.waiting.size() >= defaults::pending_per_session)
      return then(caf::make_error(errc::overloaded));
    return known.waiting.push_back(std::move(then));
  }
  owned_row(device, id, [this, id, then = std::move(then)](const caf::expected<session_row>& row) {
    if (!row)
      return then(row.error());
    auto [i, added] = entries_.try_emplace(id, entry{row->device, phase::starting, {}, {}});
    if (!added) // another request was quicker
      return with_session(row->device, id, then);
    i->second.waiting.push_back(then);
    start(id);
  });
}

session_actor session_registry_state::reachable(const device_id& device, const session_id& id) const {
  auto i = entries_.find(id);
  bool is_open = i != entries_.end() && i->second.state == phase::live && !erasing_.contains(id);
  return is_open && i->second.device == device ? i->second.handle : session_actor{};
}

void session_registry_state::owned_row(
  const device_id& device, const session_id& id, std::function<void(caf::expected<session_row>)> then) {
  if (erasing_.contains(id))
    return then(caf::make_error(errc::not_found));
  auto reader = find_reader(self_->system());
  if (!reader)
    return then(to_error(not_there(names::store_reader)));
  self_->request(reader, defaults::store_deadline, view_atom_v, id)
    .then(
      [device, then](session_row& row) {
        if (row.closed || (!device.empty() && row.device != device))
          return then(caf::make_error(errc::not_found));
        then(std::move(row));
      },
      [then](caf::error& why) { // unknown and foreign are the same answer
        then(to_failure(why).code == errc::not_found ? caf::make_error(errc::not_found) : std::move(why));
      });
}

void session_registry_state::start(const session_id& id) {
  auto sup = find_session_sup(self_->system());
  if (!sup)
    return settle(id, to_error(not_there(names::session_sup)));
  self_->request(sup, defaults::store_deadline, begin_atom_v, id)
    .then([this, id](const session_actor& handle) { settle(id, handle); },
      [this, id](caf::error& why) { settle(id, std::move(why)); });
}

void session_registry_state::settle(const session_id& id, const caf::expected<session_actor>& outcome) {
  auto i = entries_.find(id);
  if (i == entries_.end() || i->second.state != phase::starting)
    return;
  auto waiting = std::exchange(i->second.waiting, {});
  if (outcome) {
    i->second.handle = *outcome;
    i->second.state = phase::live;
  } else {
    entries_.erase(i);
  }
  for (auto& then : waiting) // one of them may be a DELETE
    then(erasing_.contains(id) ? caf::expected<session_actor>{caf::make_error(errc::not_found)} : outcome);
}

void session_registry_state::leave(const session_id& id) {
  auto i = entries_.find(id);
  if (i ==
      entries_.end()) { // this registry was restarted: it learns of the session first, so that requests wait
    with_session({}, id, [this, id](const caf::expected<session_actor>& session) {
      if (session)
        self_->send(session_registry_actor{self_}, leave_atom_v, id);
    });
    return;
  }
  if (i->second.state != phase::live)
    return;
  i->second.state = phase::leaving;
  self_->send(i->second.handle, leave_atom_v);
}

void session_registry_state::stay(const session_id& id) {
  auto i = entries_.find(id);
  if (i == entries_.end() || i->second.state != phase::leaving)
    return;
  i->second.state = phase::starting; // settle() makes it live and serves who waits
  settle(id, session_actor{i->second.handle});
}

void session_registry_state::gone(const session_id& id) {
  note_turn(id, {}, false);
  auto i = entries_.find(id);
  if (i == entries_.end())
    return;
  if (i->second.waiting.empty()) {
    entries_.erase(i);
    return;
  }
  i->second.handle = nullptr;
  i->second.state = phase::starting;
  start(id);
}

/// After a start: sessions whose turn did not end, or whose deletion did not, come into memory and settle it.
void session_registry_state::recover() {
  auto reader = find_reader(self_->system());
  if (!reader)
    return self_->quit(to_error(not_there(names::store_reader)));
  self_->request(reader, defaults::store_deadline, open_turns_atom_v)
    .then(
      [this](const std::vector<session_id>& open) {
        if (!open.empty())
          log::session().info(
            "{} session(s) had work when the daemon stopped; they settle it now", open.size());
        for (const auto& id : open)
          resume(id);
        --recovering_;
        answer_drain();
      },
      [this](const caf::error& why) {
        log::session().error(
          "sessions with open turns cannot be read, the registry starts again: {}", to_failure(why).text());
        self_->quit(why);
      });
}

/// Its turn may run already: this registry alone may have been restarted, and what it counts comes from the
/// sessions.
void session_registry_state::resume(const session_id& id) {
  ++recovering_;
  auto done = [this] {
    --recovering_;
    answer_drain();
  };
  with_session({}, id, [this, id, done](const caf::expected<session_actor>& session) {
    if (!session) { // being deleted: nobody may reach it, but it goes on
      begin(id);
      return done();
    }
    self_->request(*session, defaults::status_deadline, view_atom_v)
      .then(
        [this, id, done](const session_view& view) {
          if (!view.running.empty())
            note_turn(id, view.row.device, true);
          done();
        },
        [done](const caf::error&) { done(); });
  });
}

void session_registry_state::begin(const session_id& id) {
  auto failed = [this, id](const caf::error& why) {
    auto code = to_failure(why).code;
    log::session().error("session {} cannot be recovered now: {}", id.value, to_failure(why).text());
    if (code == errc::store_unavailable || code == errc::overloaded || code == errc::deadline)
      self_->run_delayed(10 * defaults::restart_backoff, [this, id] { begin(id); });
  };
  auto sup = find_session_sup(self_->system());
  if (!sup)
    return failed(to_error(not_there(names::session_sup)));
  self_->request(sup, defaults::store_deadline, begin_atom_v, id).then([](const session_actor&) {}, failed);
}

void session_registry_state::note_turn(const session_id& id, const device_id& device, bool running) {
  if (running) {
    if (running_.emplace(id, device).second)
      ++turns_[device];
    return;
  }
  if (auto node = running_.extract(id); !node.empty())
    if (auto i = turns_.find(node.mapped()); i != turns_.end() && --i->second == 0)
      turns_.erase(i);
  answer_drain();
}

/// Prompts that are on their way may still become turns.
void session_registry_state::answer_drain() {
  if (draining_ && running_.empty() && asking_.empty() && recovering_ == 0)
    for (auto& answer : std::exchange(drained_, {}))
      answer.deliver();
}

caf::result<void> session_registry_state::drain() {
  draining_ = true;
  auto answer = drained_.emplace_back(self_->make_response_promise<void>());
  answer_drain();
  return answer;
}

actor_status session_registry_state::status() const {
  actor_status out{"session_registry", {}, draining_ ? "draining" : "running", 0, self_->mailbox().size(), {},
    {}, 0, {}, {}, {}};
  if (draining_ && !running_.empty())
    out.waits_for = std::to_string(running_.size()) + " running turn(s)", out.next = "the daemon stops";
  out.detail = json_object{}
                 .add("devices", static_cast<uint64_t>(devices_.size()))
                 .add("sessions_in_memory", static_cast<uint64_t>(entries_.size()))
                 .add("running_turns", static_cast<uint64_t>(running_.size()))
                 .str();
  return out;
}

session_registry_actor spawn_session_registry(caf::actor_system& sys, registry_config config) {
  return sys.spawn<registry_impl>(std::move(config));
}

} // namespace agentpool
