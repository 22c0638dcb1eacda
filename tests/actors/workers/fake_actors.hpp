// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/actor_fixture.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace agentpool::test {

/// What fakes were asked, in order over all of them, and which of their steps fail or are never answered.
struct ledger {
  std::vector<std::string> calls;
  std::map<std::string, failure> failures;
  std::map<std::string, bool> silent;

  size_t count(const std::string& call) const {
    size_t found = 0;
    for (const auto& each : calls)
      found += each == call;
    return found;
  }

  /// Forgets what was asked until now.
  void clear() { calls.clear(); }
};

/// Replies that a fake holds back; a question for its status lets them go (only the actor itself may answer).
using held_back = std::shared_ptr<std::vector<caf::typed_response_promise<void>>>;

inline actor_status let_go(const held_back& replies) {
  for (auto& each : *replies)
    each.deliver();
  replies->clear();
  return {};
}

template <class Self>
caf::result<void> step(
  Self* self, ledger& book, const held_back& replies, const std::string& name, const std::string& detail) {
  book.calls.push_back(detail.empty() ? name : name + " " + detail);
  if (book.silent[name]) {
    auto promise = self->template make_response_promise<void>();
    replies->push_back(promise);
    return promise;
  }
  if (auto i = book.failures.find(name); i != book.failures.end())
    return to_error(i->second);
  return caf::unit;
}

/// Homes without directories.
inline homes_actor::behavior_type fake_homes(homes_actor::pointer self, std::shared_ptr<ledger> book) {
  auto replies = std::make_shared<std::vector<caf::typed_response_promise<void>>>();
  return {
    [=](status_atom) { return let_go(replies); },
    [=](prepare_atom, const worker_id& worker, const std::string&) -> caf::result<home_paths> {
      book->calls.push_back("prepare");
      if (auto i = book->failures.find("prepare"); i != book->failures.end())
        return to_error(i->second);
      return home_paths{"/r/" + worker.value, "/r/" + worker.value + "/home", "/r/" + worker.value + "/s"};
    },
    [=](move_in_atom, const home_paths&, const session_id& session, const brain_session_id& brain,
      const std::string&) {
      return step(self, *book, replies, "move_in", session.value + " " + brain.value);
    },
    [=](move_out_atom, const home_paths&, const session_id& session, const brain_session_id& brain) {
      return step(self, *book, replies, "move_out", session.value + " " + brain.value);
    },
    [=](discard_atom, const home_paths&, const brain_session_id& brain) {
      return step(self, *book, replies, "discard", brain.value);
    },
    [=](erase_atom, const home_paths&) { return step(self, *book, replies, "erase", ""); },
    [=](erase_atom, const session_id&) { return step(self, *book, replies, "erase_session", ""); },
  };
}

/// A broker without hands.
inline broker_actor::behavior_type fake_broker(broker_actor::pointer self, std::shared_ptr<ledger> book) {
  auto replies = std::make_shared<std::vector<caf::typed_response_promise<void>>>();
  return {
    [=](status_atom) { return let_go(replies); },
    [=](grant_atom, const worker_grant&) { return step(self, *book, replies, "grant", ""); },
    [=](bind_atom, const worker_id&, const brain_session_id& brain, const session_id& session,
      const session_actor&, const std::string& mode) {
      return step(self, *book, replies, "bind", session.value + " " + brain.value + " " + mode);
    },
    [=](unbind_atom, const worker_id&, const brain_session_id& brain) {
      return step(self, *book, replies, "unbind", brain.value);
    },
    [=](revoke_atom, const worker_id&) { return step(self, *book, replies, "revoke", ""); },
    [](world_atom, const world::call&) { return world::reply{}; },
    [](
      world_atom, const world::call&, const std::shared_ptr<ports::world_stream>&) { return world::reply{}; },
    [](begin_atom, const session_id&) -> caf::result<world_actor> {
      return to_error({errc::world_no_hand, {}});
    },
    [](erase_atom, const session_id&) {},
    [](admit_atom, const session_id&, const device_id&, bool) -> caf::result<uint64_t> {
      return to_error({errc::world_no_hand, {}});
    },
    [](give_back_atom, uint64_t) {},
    [](hand_atom, const session_id&, const hand_report&) {},
    [](hand_atom, const session_id&) { return hand_report{}; },
    [](gone_atom, const session_id&, const std::string&) {},
    [](list_atom) { return std::vector<actor_status>{}; },
    [](trace_atom, const session_id&, const turn_id&) { return std::string{"{}"}; },
    [](timer_atom, const std::string&, uint64_t) {},
  };
}

/// A pool that only listens.
inline worker_pool_actor::behavior_type fake_pool(worker_pool_actor::pointer, std::shared_ptr<ledger> book) {
  return {
    [](status_atom) { return actor_status{}; },
    [](take_atom, const take_request&) -> caf::result<worker_id, worker_actor> {
      return to_error({errc::no_worker, {}});
    },
    [](cancel_atom, const session_id&) {},
    [=](warm_atom, const worker_id&) { book->calls.push_back("warm"); },
    [=](lost_atom, const worker_id&, const failure& why) {
      book->calls.push_back("pool lost " + to_string(why.code) + ": " + why.text());
    },
    [](list_atom) { return std::vector<actor_status>{}; },
    [](drain_atom) {},
    [](timer_atom, const std::string&, uint64_t) {},
  };
}

/// What a session heard from its worker.
struct heard {
  std::vector<acp::update> updates;
  std::vector<acp::permission> permissions;
  std::vector<prompt_outcome> ended;
  std::vector<failure> lost;
};

/// A session that only listens.
inline session_actor::behavior_type fake_session(
  session_actor::pointer, std::shared_ptr<heard> ear, std::shared_ptr<ledger> book) {
  return {
    [](status_atom) { return actor_status{}; },
    [](view_atom) { return session_view{}; },
    [](prompt_atom, const prompt_order&) { return prompt_accepted{}; },
    [](cancel_atom) {},
    [](permission_atom) { return std::string{"[]"}; },
    [](answer_atom, const std::string&, const std::string&) {},
    [](erase_atom) {},
    [](subscribe_atom, const viewer_actor&, bool) { return subscribed{}; },
    [](leave_atom) {},
    [=](update_atom, const worker_id&, const acp::update& change) { ear->updates.push_back(change); },
    [=](permission_atom, const worker_id&, const acp::permission& what) { ear->permissions.push_back(what); },
    [=](ended_atom, const worker_id&, const prompt_outcome& how) { ear->ended.push_back(how); },
    [=](lost_atom, const worker_id&, const failure& why) {
      book->calls.push_back("session lost " + to_string(why.code));
      ear->lost.push_back(why);
    },
    [=](yield_atom, const worker_id&) {
      book->calls.push_back("yield");
      return !book->silent["yield"];
    },
    [](live_atom, const std::vector<live_frame>&) {},
    [](granted_atom, const std::string&) { return true; },
    [](hand_atom, const hand_report&) {},
    [](notice_atom, const std::string&, const std::string&) {},
    [](timer_atom, const std::string&, uint64_t) {},
  };
}

} // namespace agentpool::test
