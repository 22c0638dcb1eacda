// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/broker.hpp"
#include "actors/hands/secret.hpp"
#include "tests/support/actor_fixture.hpp"

namespace agentpool::test {

namespace {

struct heard {
  std::vector<live_frame> frames;
};

// Stands for a session; hears live frames. What the broker never sends is dropped.
caf::behavior listener(caf::event_based_actor* self, heard* out) {
  self->set_default_handler(caf::drop);
  return {[out](live_atom, std::vector<live_frame>& frames) {
    out->frames.insert(out->frames.end(), frames.begin(), frames.end());
  }};
}

} // namespace

class BrokerTest : public ActorFixture {
protected:
  session_actor session(heard* out) { return caf::actor_cast<session_actor>(keep(sys.spawn(listener, out))); }

  world::reply call(std::string worker, std::string credential, std::string brain, std::string path,
    std::string body = "{}") {
    auto reply = ask<world::reply>(uut, world_atom_v,
      world::call{
        {std::move(worker)}, std::move(credential), {std::move(brain)}, std::move(path), std::move(body)});
    return reply ? *reply : world::reply{0, to_string(reply.error())};
  }

  static std::string code(const world::reply& reply) {
    auto body = json::parse(reply.body);
    return std::to_string(reply.status) + " " + (body ? (*body)["code"].text_or("") : "no JSON");
  }

  void grant(std::string worker, std::string token) {
    ASSERT_TRUE(ask<void>(uut, grant_atom_v, worker_grant{{std::move(worker)}, sha256_hex(token)}));
  }

  void bind(std::string worker, std::string brain, const session_actor& actor, std::string mode = "allow") {
    ASSERT_TRUE(ask<void>(uut, bind_atom_v, worker_id{std::move(worker)}, brain_session_id{brain},
      session_id{"ses_" + brain}, actor, std::move(mode)));
  }

  world::reply exchange(std::string worker, const std::string& token) {
    return call(std::move(worker), "", "", "exchange", json_object{}.add("token", token).str());
  }

  std::string credential(std::string worker, const std::string& token) {
    auto body = json::parse(exchange(std::move(worker), token).body);
    return body ? (*body)["credential"].text_or("") : "";
  }

  broker_actor uut = keep(spawn_broker(sys));
  heard first, second;
};

// BR-143: a token is good for one exchange, on the socket of its worker.
TEST_F(BrokerTest, ATokenIsExchangedOnceByItsWorkerOnly) {
  grant("w0-a", "token-a");
  grant("w1-b", "token-b");
  EXPECT_EQ(code(exchange("w1-b", "token-a")), "401 bad_token");
  EXPECT_EQ(code(exchange("w0-a", "wrong")), "401 bad_token");
  EXPECT_EQ(code(exchange("w9-x", "token-a")), "401 bad_token");
  auto reply = exchange("w0-a", "token-a");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(code(exchange("w0-a", "token-a")), "401 bad_token");
}

TEST_F(BrokerTest, AnExchangeWithoutATokenIsABadRequest) {
  grant("w0-a", "token-a");
  for (auto body : {"", "[]", "{}", "{\"token\":5}", "{"})
    EXPECT_EQ(code(call("w0-a", "", "", "exchange", body)), "400 bad_request") << body;
  EXPECT_EQ(code(exchange("w0-a", "")), "401 bad_token");
  EXPECT_EQ(exchange("w0-a", "token-a").status, 200);
}

// BR-143: without its credential a socket answers nothing, and after release neither with it.
TEST_F(BrokerTest, ACredentialHoldsOnItsSocketUntilRevoked) {
  grant("w0-a", "token-a");
  grant("w1-b", "token-b");
  auto a = credential("w0-a", "token-a"), b = credential("w1-b", "token-b");
  ASSERT_NE(a, b);
  bind("w0-a", "brain-a", session(&first));
  EXPECT_EQ(call("w0-a", a, "brain-a", "session").status, 200);
  for (const auto& wrong : {std::string{}, b, a + "x", std::string{"token-a"}})
    EXPECT_EQ(code(call("w0-a", wrong, "brain-a", "session")), "401 bad_credential");
  EXPECT_EQ(code(call("w1-b", a, "brain-a", "session")), "401 bad_credential");
  ASSERT_TRUE(ask<void>(uut, revoke_atom_v, worker_id{"w0-a"}));
  EXPECT_EQ(code(call("w0-a", a, "brain-a", "session")), "401 bad_credential");
  EXPECT_EQ(code(exchange("w0-a", "token-a")), "401 bad_token");
}

TEST_F(BrokerTest, BeforeTheExchangeNoCredentialIsRight) {
  grant("w0-a", "token-a");
  bind("w0-a", "brain-a", session(&first));
  EXPECT_EQ(code(call("w0-a", "", "brain-a", "session")), "401 bad_credential");
  EXPECT_EQ(code(call("w0-a", "token-a", "brain-a", "session")), "401 bad_credential");
}

// BR-138, BR-122: a session that this worker does not hold is refused, and so is a call that names none.
TEST_F(BrokerTest, OnlyASessionOfThisWorkerIsServed) {
  grant("w0-a", "token-a");
  grant("w1-b", "token-b");
  auto a = credential("w0-a", "token-a");
  bind("w0-a", "brain-a", session(&first));
  bind("w1-b", "brain-b", session(&second));
  EXPECT_EQ(code(call("w0-a", a, "", "fs/stat", R"({"path":"/"})")), "400 no_session");
  EXPECT_EQ(code(call("w0-a", a, "brain-b", "fs/stat", R"({"path":"/"})")), "403 foreign_session");
  EXPECT_EQ(code(call("w0-a", a, "ses_brain-a", "fs/stat", R"({"path":"/"})")), "403 foreign_session");
  EXPECT_EQ(call("w0-a", a, "brain-a", "fs/stat", R"({"path":"/"})").status, 200);
  ASSERT_TRUE(ask<void>(uut, unbind_atom_v, worker_id{"w0-a"}, brain_session_id{"brain-a"}));
  EXPECT_EQ(code(call("w0-a", a, "brain-a", "session")), "403 foreign_session");
}

// BR-107: calls of two workers, interleaved, each reach the session of their own binding.
TEST_F(BrokerTest, InterleavedWorkersReachTheirOwnSessions) {
  grant("w0-a", "token-a");
  grant("w1-b", "token-b");
  auto a = credential("w0-a", "token-a"), b = credential("w1-b", "token-b");
  bind("w0-a", "brain-a", session(&first));
  bind("w1-b", "brain-b", session(&second));
  auto frame = [](std::string_view text) {
    return json_object{}
      .add("kind", "message")
      .add("attempt", "1")
      .add("turn", 0)
      .add("step", 0)
      .add("index", 0)
      .add("offset", 0)
      .add("text", text)
      .str();
  };
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(call("w0-a", a, "brain-a", "live", frame("from a")).status, 200);
    EXPECT_EQ(call("w1-b", b, "brain-b", "live", frame("from b")).status, 200);
  }
  ASSERT_EQ(first.frames.size(), 3u);
  ASSERT_EQ(second.frames.size(), 3u);
  for (const auto& each : first.frames)
    EXPECT_EQ(each.text, "from a");
  for (const auto& each : second.frames)
    EXPECT_EQ(each.text, "from b");
}

TEST_F(BrokerTest, RefusesMalformedLiveFrames) {
  grant("w0-a", "token-a");
  auto a = credential("w0-a", "token-a");
  bind("w0-a", "brain-a", session(&first));
  EXPECT_EQ(call("w0-a", a, "brain-a", "live", "{").status, 400);
  EXPECT_EQ(call("w0-a", a, "brain-a", "live", R"({"kind":"message"})").status, 400);
  EXPECT_TRUE(first.frames.empty());
}

TEST_F(BrokerTest, TellsTheModeOfTheBinding) {
  grant("w0-a", "token-a");
  auto a = credential("w0-a", "token-a");
  bind("w0-a", "brain-a", session(&first), "allow");
  bind("w0-a", "brain-b", session(&second), "ask");
  EXPECT_EQ(call("w0-a", a, "brain-a", "session").body,
    R"({"session":"brain-a","workspace":"/workspace","mode":"allow","kinds":["edit","execute"],"hand":"none"})");
  EXPECT_EQ(call("w0-a", a, "brain-b", "session").body,
    R"({"session":"brain-b","workspace":"/workspace","mode":"ask","kinds":[],"hand":"none"})");
}

TEST_F(BrokerTest, AnswersForAHandThatDoesNotExist) {
  grant("w0-a", "token-a");
  auto a = credential("w0-a", "token-a");
  bind("w0-a", "brain-a", session(&first));
  EXPECT_EQ(call("w0-a", a, "brain-a", "process/spawn").status, 503);
  EXPECT_EQ(call("w0-a", a, "brain-a", "cancel", R"({"request":7})").status, 200);
  EXPECT_EQ(code(call("w0-a", a, "brain-a", "fs/unknown")), "404 unknown_route");
}

TEST_F(BrokerTest, AWorkerThatEndsLosesItsRights) {
  auto worker = sys.spawn([this](caf::event_based_actor* w) -> caf::behavior {
    w->send(uut, grant_atom_v, worker_grant{{"w0-a"}, sha256_hex("token-a")});
    return {[](int) {}};
  });
  sched.run();
  auto a = credential("w0-a", "token-a");
  bind("w0-a", "brain-a", session(&first));
  ASSERT_EQ(call("w0-a", a, "brain-a", "session").status, 200);
  caf::anon_send_exit(worker, caf::exit_reason::kill);
  sched.run();
  EXPECT_EQ(code(call("w0-a", a, "brain-a", "session")), "401 bad_credential");
}

TEST_F(BrokerTest, BindsOnlyForWorkersWithRights) {
  auto unknown = ask<void>(uut, bind_atom_v, worker_id{"w0-a"}, brain_session_id{"b"}, session_id{"s"},
    session(&first), std::string{"allow"});
  EXPECT_FALSE(unknown);
  grant("w0-a", "token-a");
  auto nameless = ask<void>(uut, bind_atom_v, worker_id{"w0-a"}, brain_session_id{}, session_id{"s"},
    session(&first), std::string{"allow"});
  EXPECT_FALSE(nameless);
}

TEST(SecretTest, NothingEqualsAnAbsentSecret) {
  EXPECT_TRUE(same_secret("abc", "abc"));
  EXPECT_FALSE(same_secret("abc", "abd"));
  EXPECT_FALSE(same_secret("abc", "ab"));
  EXPECT_FALSE(same_secret("", ""));
}

} // namespace agentpool::test
