// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/sessions/session.hpp"
#include "actors/store/store.hpp"
#include "actors/store/store_reader.hpp"
#include "actors/supervision/timer_service.hpp"
#include "tests/actors/sessions/fake_brains.hpp"
#include "tests/support/actor_fixture.hpp"
#include "tests/support/fake_database.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/posted.hpp"

#include <gmock/gmock.h>

namespace agentpool::test {

using namespace std::chrono_literals;
using strings = std::vector<std::string>;

/// The actors around sessions: real timers, real store actors over a fake database behind gates, fake brains.
class WorldFixture : public ActorFixture {
protected:
  WorldFixture() {
    publish(names::timer_service, spawn_timer_service(sys));
    auto real_store =
      keep(spawn_store(sys, std::make_unique<fake_database>(tables), clock, {}, threading::shared));
    auto real_reader =
      keep(spawn_store_reader(sys, std::make_unique<fake_database_reader>(tables), threading::shared));
    store = put_gate(names::store, real_store);
    reader = put_gate(names::store_reader, real_reader);
    pool = publish(names::worker_pool, sys.spawn(fake_pool, brains));
    publish(names::homes, sys.spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {[this](erase_atom, const session_id& id) -> caf::result<void> {
        if (homes_error)
          return to_error(*homes_error);
        erased_homes.push_back(id);
        return caf::unit;
      }};
    }));
    publish(names::broker, sys.spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {
        [this](hand_atom, const session_id&) { return hand; },
        [this](erase_atom, const session_id& id) -> caf::result<void> {
          if (hand_error)
            return to_error(*hand_error);
          erased_hands.push_back(id);
          return caf::unit;
        },
      };
    }));
  }

  ~WorldFixture() override {
    store->open();
    reader->open();
    for (auto& one : brains->workers) {
      caf::anon_send_exit(one->handle, caf::exit_reason::kill);
      one->session = nullptr;
    }
    sched.run();
  }

  template <class Handle>
  std::shared_ptr<gate_script> put_gate(std::string_view name, const Handle& behind) {
    auto script = std::make_shared<gate_script>();
    script->behind = caf::actor_cast<caf::strong_actor_ptr>(behind);
    publish(name, sys.spawn(fault_gate, script));
    return script;
  }

  template <class Reply, class Handle, class... Ts>
  std::shared_ptr<posted<Reply>> request(const Handle& target, Ts... xs) {
    auto [out, asker] = post<Reply>(sys, target, std::move(xs)...);
    keep(asker);
    return out;
  }

  session_row& add_session(const std::string& id, const std::string& device = "dev_1") {
    auto& added = tables->sessions[session_id{id}];
    added.row.id.value = id;
    added.row.device.value = device;
    added.row.profile = "dsh";
    added.row.mode = "allow";
    added.row.metadata = "{}";
    added.row.last_seq = 1;
    added.events.push_back(make_event(1, event_type::session_created, {}, clock.now(), "{}"));
    return added.row;
  }

  fake_worker_notes& worker(size_t n = 0) { return *brains->workers.at(n); }

  /// Orders one of the fake brains' actors.
  template <class Handle>
  void order(const Handle& target, const std::string& what) {
    caf::anon_send(caf::actor_cast<caf::actor>(target), what);
    sched.run();
  }

  /// Watches how an actor ends.
  template <class Handle>
  std::shared_ptr<std::optional<caf::error>> watch(const Handle& target) {
    auto out = std::make_shared<std::optional<caf::error>>();
    keep(sys.spawn([=](caf::event_based_actor* watcher) -> caf::behavior {
      watcher->set_down_handler([=](const caf::down_msg& down) { *out = down.reason; });
      watcher->monitor(target);
      return {[](caf::unit_t) {}};
    }));
    return out;
  }

  std::shared_ptr<fake_tables> tables = std::make_shared<fake_tables>();
  std::shared_ptr<brains_script> brains = std::make_shared<brains_script>();
  std::shared_ptr<gate_script> store;
  std::shared_ptr<gate_script> reader;
  caf::actor pool;
  std::optional<failure> homes_error;
  std::vector<session_id> erased_homes;
  hand_report hand; ///< what the broker says of every session's hand
  std::optional<failure> hand_error;
  std::vector<session_id> erased_hands;
};

/// One session's actor, started as the supervisor would, beside a registry that only takes notes.
class SessionFixture : public WorldFixture {
protected:
  SessionFixture() {
    config.clock = std::shared_ptr<const ports::wall_clock>(&clock, [](const auto*) {});
    add_session("ses_1");
    publish(names::session_registry, sys.spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {
        [this](turn_atom, const session_id&, const device_id&, bool running) {
          told.push_back(running ? "turn" : "no turn");
        },
        [this](leave_atom, const session_id&) { told.push_back("leave"); },
        [this](stay_atom, const session_id&) { told.push_back("stay"); },
      };
    }));
  }

  ~SessionFixture() override {
    store->open();
    sched.run();
    if (session)
      caf::anon_send_exit(session, caf::exit_reason::kill);
    sched.run();
  }

  void TearDown() override { check_log(); }

  /// What holds for every log at every moment: seq without holes, at most one end per turn, and the turns'
  /// rows say the same.
  void check_log() {
    auto found = tables->sessions.find(id);
    if (found == tables->sessions.end())
      return;
    std::map<std::string, int> ends;
    for (uint64_t seq = 0; const auto& event : found->second.events) {
      EXPECT_EQ(event.seq, ++seq);
      if (event.type == event_type::turn_end) {
        EXPECT_EQ(++ends[event.turn.value], 1) << "a second turn_end of " << event.turn.value;
      }
    }
    for (const auto& turn : found->second.turns)
      EXPECT_EQ(turn.phase == turn_phase::ended, ends.contains(turn.id.value)) << turn.id.value;
  }

  /// Claims the session and starts its actor.
  void start() {
    auto& entry = tables->sessions.at(id);
    ++entry.row.epoch;
    session_claim claim{entry.row, {}};
    for (const auto& turn : entry.turns)
      if (turn.phase != turn_phase::ended)
        claim.open_turns.push_back(turn);
    session = spawn_session(sys, config, claim);
    down = watch(session);
  }

  std::shared_ptr<posted<prompt_accepted>> prompt(
    const std::string& text = "hello", const std::string& key = {}, const std::string& hash = "h") {
    return request<prompt_accepted>(
      session, prompt_atom_v, prompt_order{R"([{"type":"text","text":")" + text + R"("}])", {key, hash}});
  }

  /// Brings the session to `ready`: one turn that ended.
  void be_ready() {
    start();
    prompt();
    finish();
    brains->steps.clear();
  }

  /// Brings the session to `running` with a prompt that the brain has.
  std::shared_ptr<posted<prompt_accepted>> be_running() {
    start();
    return prompt();
  }

  /// The worker answers the running prompt.
  void finish(const std::string& stop_reason = "end_turn", size_t n = 0) {
    ended({worker(n).prompts.back(), stop_reason, {errc::none, {}}}, n);
  }

  void ended(prompt_outcome how, size_t n = 0) {
    caf::anon_send(session, ended_atom_v, worker(n).id, std::move(how));
    sched.run();
  }

  void lose(size_t n = 0, failure why = {errc::brain_lost, "killed"}) {
    caf::anon_send(session, lost_atom_v, worker(n).id, std::move(why));
    sched.run();
  }

  void say(const std::string& text, std::string_view kind = event_type::agent_message_chunk, size_t n = 0,
    const std::string& message = "m1") {
    acp::update change;
    change.kind = kind;
    change.is_text = true;
    change.text = text;
    change.message_id = message;
    change.raw =
      R"({"sessionUpdate":")" + change.kind + R"(","content":{"type":"text","text":")" + text + R"("}})";
    caf::anon_send(session, update_atom_v, worker(n).id, std::move(change));
    sched.run();
  }

  void update(const std::string& kind, const std::string& raw, size_t n = 0) {
    acp::update change;
    change.kind = kind;
    change.raw = raw;
    caf::anon_send(session, update_atom_v, worker(n).id, std::move(change));
    sched.run();
  }

  void ask_permission(const std::string& request = "7", size_t n = 0) {
    acp::permission what{request, {"brain_1"}, "call_1", R"({"title":"rm"})",
      R"([{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"always","name":"A","kind":"allow_always"},)"
      R"({"optionId":"no","name":"No","kind":"reject_once"}])"};
    caf::anon_send(session, permission_atom_v, worker(n).id, std::move(what));
    sched.run();
  }

  std::shared_ptr<posted<void>> cancel() { return request<void>(session, cancel_atom_v); }
  std::shared_ptr<posted<void>> erase() { return request<void>(session, erase_atom_v); }

  void stop() {
    caf::anon_send_exit(session, caf::exit_reason::user_shutdown);
    sched.run();
  }

  std::string state() {
    auto view = request<session_view>(session, view_atom_v);
    return view->value ? view->value->state : "no answer";
  }
  std::string running_turn() { return request<session_view>(session, view_atom_v)->value->running.value; }

  const std::vector<event_row>& events() const { return tables->events(id); }

  /// The types of the durable events after `seq`, in order.
  strings types(uint64_t seq = 1) const {
    strings out;
    for (const auto& event : events())
      if (event.seq > seq)
        out.push_back(event.type);
    return out;
  }

  std::string last_data() const { return events().back().data; }

  const std::vector<turn_row>& turns() const { return tables->sessions.at(id).turns; }

  /// How the newest turn ended: its stop reason, or its error's name.
  std::string outcome() const {
    const auto& turn = turns().back();
    return turn.phase != turn_phase::ended ? "open" : turn.stop_reason + turn.error;
  }

  bool is_armed(const std::string& purpose) {
    auto list = request<std::vector<timer_status>>(find_timers(sys), list_atom_v);
    return std::ranges::any_of(*list->value,
      [&](const timer_status& timer) { return timer.purpose == purpose && timer.owner == "session ses_1"; });
  }

  /// Writes of the session that became durable since the last call.
  std::vector<session_write> new_writes() {
    std::vector<session_write> out;
    for (; seen_ops_ < tables->ops.size(); ++seen_ops_)
      if (const auto* write = std::get_if<session_write>(&tables->ops[seen_ops_]))
        out.push_back(*write);
    return out;
  }

  session_id id{"ses_1"};
  session_config config;
  session_actor session;
  std::shared_ptr<std::optional<caf::error>> down;
  strings told; ///< by the session to the registry

private:
  size_t seen_ops_ = 0;
};

/// A viewer's place beside the session: notes what is pushed.
struct fake_viewer_notes {
  std::vector<event_row> events;
  std::vector<live_frame> live;
};

inline caf::behavior fake_viewer(caf::event_based_actor*, std::shared_ptr<fake_viewer_notes> notes) {
  return {
    [notes](events_atom, const event_batch& batch) {
      notes->events.insert(notes->events.end(), batch.events->begin(), batch.events->end());
    },
    [notes](live_atom, const live_frame& frame) { notes->live.push_back(frame); },
  };
}

} // namespace agentpool::test
