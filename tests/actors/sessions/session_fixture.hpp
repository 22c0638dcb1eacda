// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/sessions/session.hpp"
#include "tests/actors/sessions/world_fixture.hpp"

#include <gmock/gmock.h>

namespace agentpool::test {

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
    acp::permission what{request, {"brain_1"}, "call_1", R"({"toolCallId":"call_1","title":"rm"})",
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
