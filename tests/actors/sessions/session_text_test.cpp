// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/actors/sessions/session_fixture.hpp"

namespace agentpool::test {

/// Text chunks are joined before they are committed.
class SessionTextTest : public SessionFixture {
protected:
  void SetUp() override {
    be_running();
    new_writes();
  }

  strings texts() {
    strings out;
    for (const auto& event : events())
      if (event.type == "agent_message_chunk" || event.type == "agent_thought_chunk") {
        auto data = json::parse(event.data);
        out.push_back((*data)["content"]["text"].text_or("?"));
      }
    return out;
  }
};

TEST_F(SessionTextTest, ChunksWithinTheTimeBecomeOneEvent) {
  say("Hel");
  advance(30ms);
  say("lo ");
  say("world");
  EXPECT_TRUE(texts().empty());
  advance(defaults::coalesce_time - 30ms);
  EXPECT_EQ(texts(), strings{"Hello world"});
  EXPECT_EQ(new_writes().size(), 1u);
}

// A list tells the same of a session that is in memory and of one that left it.
TEST_F(SessionTextTest, UpdatedIsTheTimeOfTheNewestDurableChange) {
  auto updated = [this] { return request<session_view>(session, view_atom_v)->value->row.updated; };
  auto before = updated();
  clock.value += 5000;
  say("Hello");
  EXPECT_EQ(updated(), before);
  advance(defaults::coalesce_time);
  EXPECT_EQ(updated(), clock.value);
  EXPECT_EQ(tables->sessions.at(id).row.updated, clock.value);
}

TEST_F(SessionTextTest, FirstChunkNeverWaitsLongerThanTheTime) {
  for (int i = 0; i < 5; ++i) {
    say("x");
    advance(10ms);
  }
  EXPECT_EQ(texts(), strings{"xxxxx"});
}

TEST_F(SessionTextTest, EnoughBytesAreCommittedAtOnce) {
  say(std::string(defaults::coalesce_bytes - 1, 'a'));
  EXPECT_TRUE(texts().empty());
  say("b");
  ASSERT_EQ(texts().size(), 1u);
  EXPECT_EQ(texts()[0].size(), defaults::coalesce_bytes);
  EXPECT_FALSE(is_armed(session_timers::coalesce));
}

TEST_F(SessionTextTest, ChangeOfKindOrMessageIsAnotherEvent) {
  say("thinking", event_type::agent_thought_chunk);
  say("Answer", event_type::agent_message_chunk);
  advance(defaults::coalesce_time);
  EXPECT_EQ(texts(), (strings{"thinking", "Answer"}));
  EXPECT_EQ(types(3), (strings{"agent_thought_chunk", "agent_message_chunk"}));
  say("one", event_type::agent_message_chunk, 0, "m1");
  say("two", event_type::agent_message_chunk, 0, "m2");
  advance(defaults::coalesce_time);
  EXPECT_EQ(texts(), (strings{"thinking", "Answer", "one", "two"}));
}

TEST_F(SessionTextTest, ToolCallComesAfterTheTextBeforeIt) {
  say("Let me look.");
  update("tool_call", R"({"sessionUpdate":"tool_call","toolCallId":"c1","title":"ls","kind":"read"})");
  EXPECT_EQ(types(3), (strings{"agent_message_chunk", "tool_call"}));
  EXPECT_EQ(new_writes().size(), 1u); // in one commit
}

TEST_F(SessionTextTest, EndOfTheTurnCommitsTheRestWithIt) {
  say("Done.");
  finish();
  EXPECT_EQ(types(3), (strings{"agent_message_chunk", "turn_end"}));
  EXPECT_EQ(new_writes().size(), 1u);
  advance(1s);
  EXPECT_EQ(types(3).size(), 2u);
}

TEST_F(SessionTextTest, UnknownKindsAreNoEvents) {
  update("config_option_update", R"({"sessionUpdate":"config_option_update"})");
  EXPECT_TRUE(types(3).empty());
  EXPECT_EQ(state(), "running");
}

TEST_F(SessionTextTest, TodoListBecomesAPlan) {
  update("tool_call", R"({"sessionUpdate":"tool_call","toolCallId":"c1","title":"todo_write","rawInput":)"
                      R"({"todos":[{"content":"a","status":"pending"}]}})");
  EXPECT_EQ(types(3).front(), "tool_call");
}

TEST_F(SessionTextTest, EventsThatTheStoreDoesNotTakeEndTheTurn) {
  store->closed = true;
  for (size_t i = 0; i <= defaults::unsent_events; ++i) {
    acp::update change;
    change.kind = "tool_call";
    change.raw = R"({"sessionUpdate":"tool_call","toolCallId":"c1","title":"ls"})";
    caf::anon_send(session, update_atom_v, worker().id, std::move(change));
  }
  sched.run();
  EXPECT_EQ(brains->count("kill w1"), 1u);
  while (!store->held.empty()) { // the store's own queue is bounded as well
    for (int i = 0; i < 1000 && !store->held.empty(); ++i)
      store->pass_one();
    sched.run();
  }
  EXPECT_EQ(outcome(), "internal");
  EXPECT_EQ(events().size(), 3 + defaults::unsent_events + 2); // nothing of it is lost
}

/// The same prompt, sent again.
using SessionRetryTest = SessionFixture;

TEST_F(SessionRetryTest, SameKeyInFlightIsOneTurn) { // BR-024
  start();
  store->closed = true;
  auto first = prompt("hi", "key");
  auto second = prompt("hi", "key");
  EXPECT_TRUE(first->pending() && second->pending());
  store->open();
  sched.run();
  ASSERT_TRUE(first->value && second->value);
  EXPECT_EQ(first->value->turn, second->value->turn);
  EXPECT_EQ(turns().size(), 1u);
  EXPECT_EQ(brains->count("prompt w1"), 1u);
}

TEST_F(SessionRetryTest, SameKeyWhileRunningAndAfterTheEndIsTheSameTurn) { // BR-024
  start();
  auto first = prompt("hi", "key");
  auto second = prompt("hi", "key");
  ASSERT_TRUE(second->value);
  EXPECT_EQ(second->value->turn, first->value->turn);
  finish();
  auto third = prompt("hi", "key");
  ASSERT_TRUE(third->value);
  EXPECT_EQ(third->value->turn, first->value->turn);
  EXPECT_EQ(turns().size(), 1u);
  EXPECT_EQ(state(), "ready");
}

TEST_F(SessionRetryTest, SameKeyAfterARestartIsTheSameTurn) { // BR-024
  start();
  auto first = prompt("hi", "key");
  finish();
  stop();
  start();
  auto second = prompt("hi", "key");
  EXPECT_EQ(second->value->turn, first->value->turn);
  EXPECT_EQ(turns().size(), 1u);
}

TEST_F(SessionRetryTest, OtherKeyWhileRunningIsRefused) { // BR-024 BR-026
  start();
  prompt("hi", "key");
  EXPECT_EQ(prompt("hi", "other")->code(), errc::turn_running);
  EXPECT_EQ(prompt("hi")->code(), errc::turn_running);
}

TEST_F(SessionRetryTest, SameKeyWithAnotherBodyIsAMismatch) {
  start();
  store->closed = true;
  prompt("hi", "key", "hash 1");
  EXPECT_EQ(prompt("ho", "key", "hash 2")->code(), errc::idempotency_mismatch);
  store->open();
  sched.run();
  EXPECT_EQ(prompt("ho", "key", "hash 2")->code(), errc::idempotency_mismatch);
  finish();
  EXPECT_EQ(prompt("ho", "key", "hash 2")->code(), errc::idempotency_mismatch);
  EXPECT_EQ(turns().size(), 1u);
}

struct fault_reader_state {
  std::deque<std::function<void()>> held;
};

/// Looks up at once, but keeps the answers of the first `slow` requests until it is told.
caf::behavior fault_reader(caf::stateful_actor<fault_reader_state>* self, std::shared_ptr<fake_tables> tables,
  std::shared_ptr<int> slow) {
  return {
    [=](recall_atom, const device_id& device, const std::string& route,
      const std::string& key) -> caf::result<idempotency_row> {
      auto known = fake_database_reader{tables}.idempotency(device, route, key);
      auto answer = self->make_response_promise<idempotency_row>();
      auto tell = [=]() mutable { known ? answer.deliver(*known) : answer.deliver(to_error(known.error())); };
      (*slow)-- > 0 ? self->state.held.push_back(tell) : tell();
      return answer;
    },
    [=](const std::string&) {
      for (auto& tell : std::exchange(self->state.held, {}))
        tell();
    },
  };
}

TEST_F(SessionRetryTest, LookUpThatTheWholeTurnOvertookIsTheSameTurn) { // BR-024
  be_ready();
  auto slow = std::make_shared<int>(1);
  auto late = keep(sys.spawn(fault_reader, tables, slow));
  sys.registry().erase("store_reader");
  sys.registry().put("store_reader", caf::actor_cast<caf::strong_actor_ptr>(late));
  auto second = prompt("hi", "key"); // its look-up found nothing, but the answer is still on its way
  auto first = prompt("hi", "key");
  finish();
  ASSERT_TRUE(first->value && second->pending());
  order(late, "answer");
  ASSERT_TRUE(second->value);
  EXPECT_EQ(second->value->turn, first->value->turn);
  EXPECT_EQ(turns().size(), 2u); // with be_ready's
  EXPECT_FALSE(*down);
}

TEST_F(SessionRetryTest, SameKeyAfterACancelThatIsNotDurableIsTheSameTurn) { // BR-024
  start();
  store->closed = true;
  auto first = prompt("hi", "key");
  cancel();
  auto second = prompt("hi", "key");
  auto other = prompt("something else");
  auto third = prompt("hi", "key"); // while another turn runs
  EXPECT_EQ(prompt("hi", "key", "other body")->code(), errc::idempotency_mismatch);
  store->open();
  sched.run();
  ASSERT_TRUE(first->value && second->value && other->value && third->value);
  EXPECT_EQ(second->value->turn, first->value->turn);
  EXPECT_EQ(third->value->turn, first->value->turn);
  EXPECT_EQ(turns().size(), 2u);
  EXPECT_FALSE(*down);
}

TEST_F(SessionRetryTest, WithoutAReaderAKeyedPromptIsNotGuessed) {
  start();
  sys.registry().erase("store_reader");
  EXPECT_EQ(prompt("hi", "key")->code(), errc::overloaded);
  EXPECT_TRUE(turns().empty());
}

} // namespace agentpool::test
