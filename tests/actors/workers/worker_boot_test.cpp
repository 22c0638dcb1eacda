// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/actors/workers/worker_fixture.hpp"

#include <gmock/gmock.h>

namespace agentpool::test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class WorkerBoot : public WorkerFixture {
protected:
  /// What the pool heard of a failed boot; empty when nothing.
  std::string lost() {
    for (const auto& call : book->calls)
      if (call.starts_with("pool lost"))
        return call;
    return {};
  }
};

TEST_F(WorkerBoot, WarmMeansThrowawaySessionOpenedAndClosed) {
  spawn_worker();
  EXPECT_EQ(state(), "warm");
  EXPECT_THAT(child().methods, ElementsAre("initialize", "session/new", "session/close"));
  EXPECT_THAT(book->calls, ElementsAre("prepare", "discard b1", "warm"));
  EXPECT_THAT(child().spec.argv, ElementsAre("/bin/agent", "/r/w0-a/home/x"));
  EXPECT_THAT(child().spec.env, ElementsAre("HOME=/r/w0-a/home"));
}

TEST_F(WorkerBoot, ProfileMayDoWithoutThrowawaySession) {
  profile.throwaway = false;
  spawn_worker();
  EXPECT_EQ(state(), "warm");
  EXPECT_THAT(child().methods, ElementsAre("initialize"));
}

TEST_F(WorkerBoot, SkipsTheCloseThatTheAgentDoesNotOffer) {
  launcher->script.results["initialize"] = R"({"protocolVersion":1})";
  spawn_worker();
  EXPECT_THAT(child().methods, ElementsAre("initialize", "session/new"));
  EXPECT_THAT(book->calls, Contains("discard b1"));
}

TEST_F(WorkerBoot, WorldIsGrantedAndOpenBeforeTheProcessStarts) {
  profile.world = true;
  spawn_worker();
  EXPECT_THAT(book->calls, ElementsAre("prepare", "grant", "discard b1", "warm"));
  EXPECT_THAT(gate->calls, ElementsAre("open w0-a /r/w0-a/s"));
  EXPECT_THAT(child().spec.env, Contains("AGENTPOOL_WORLD_SOCKET=/r/w0-a/s"));
  EXPECT_THAT(child().spec.env, Contains(HasSubstr("AGENTPOOL_WORLD_TOKEN=")));
}

TEST_F(WorkerBoot, GateThatDoesNotOpenIsAFailedBoot) {
  profile.world = true;
  gate->refusal = failure{errc::internal, "path too long"};
  spawn_worker();
  EXPECT_THAT(lost(), HasSubstr("path too long"));
  EXPECT_TRUE(launcher->children.empty());
  EXPECT_TRUE(ended());
  EXPECT_THAT(book->calls, Contains("erase"));
  EXPECT_THAT(book->calls, Contains("revoke"));
}

TEST_F(WorkerBoot, HomeThatCannotBeMadeIsAFailedBoot) {
  book->failures["prepare"] = {errc::internal, "disk full"};
  spawn_worker();
  EXPECT_THAT(lost(), HasSubstr("worker_boot_failed: disk full"));
  EXPECT_TRUE(ended());
}

TEST_F(WorkerBoot, MissingHomesActorIsAFailedBoot) {
  sys.registry().erase(std::string{names::homes});
  spawn_worker();
  EXPECT_THAT(lost(), HasSubstr("restarted"));
  EXPECT_TRUE(ended());
}

TEST_F(WorkerBoot, ProcessThatDoesNotStartIsAFailedBoot) {
  launcher->script.starts = false;
  spawn_worker();
  EXPECT_THAT(lost(), HasSubstr("no such file"));
  EXPECT_THAT(book->calls, Contains("erase"));
  EXPECT_TRUE(ended());
}

TEST_F(WorkerBoot, ExitBeforeInitializeTellsTheLastStderrLines) {
  launcher->script.results.erase("initialize");
  spawn_worker();
  child().listener->on_stderr_line("no such model");
  exit(3, 0);
  EXPECT_THAT(lost(), HasSubstr("ended with code 3; its stderr ends: no such model"));
  EXPECT_THAT(book->calls, Contains("erase"));
  EXPECT_EQ(ended()->code, errc::worker_boot_failed);
}

TEST_F(WorkerBoot, PartThatDidNotActivateIsAFailedBoot) {
  launcher->script.results.erase("initialize");
  spawn_worker();
  child().listener->on_stderr_line("dsh: warning: 1 entry did not activate");
  child().listener->on_stderr_line("tool-bash: missing service");
  sched.run();
  EXPECT_THAT(child().signals, ElementsAre(SIGKILL));
  EXPECT_THAT(lost(), HasSubstr("did not activate | tool-bash: missing service"));
}

TEST_F(WorkerBoot, OtherProtocolVersionIsAFailedBoot) {
  launcher->script.results["initialize"] = R"({"protocolVersion":2})";
  spawn_worker();
  EXPECT_THAT(lost(), HasSubstr("protocol version 2"));
  EXPECT_THAT(child().signals, ElementsAre(SIGKILL));
}

TEST_F(WorkerBoot, SilentInitializeFailsAtTheBootDeadline) {
  launcher->script.results.erase("initialize");
  spawn_worker();
  advance(30s - 1ms);
  EXPECT_EQ(state(), "spawned");
  advance(1ms);
  EXPECT_THAT(lost(), HasSubstr("not warm within 30000 ms (pool.boot_deadline): it was spawned"));
  EXPECT_TRUE(ended());
}

TEST_F(WorkerBoot, SlowBootFailsAtItsDeadline) {
  launcher->script.results.erase("session/close");
  launcher->script.results.erase("session/new");
  spawn_worker();
  EXPECT_EQ(state(), "initialized");
  advance(15s);
  child().script.results["session/new"] = R"({"sessionId":"b1"})";
  child().answer("session/new");
  sched.run();
  advance(5s); // session/close has five seconds
  EXPECT_THAT(lost(), HasSubstr("session/close"));
}

TEST_F(WorkerBoot, ErrorOfTheThrowawaySessionIsAFailedBoot) {
  launcher->script.errors["session/new"] = {-32000, "authentication required"};
  spawn_worker();
  EXPECT_THAT(lost(), HasSubstr("authentication required"));
}

TEST_F(WorkerBoot, ExitInTheThrowawaySessionIsAFailedBoot) { // BR-047
  launcher->script.results.erase("session/new");
  spawn_worker();
  exit(0, 0);
  EXPECT_THAT(lost(), HasSubstr("ended with code 0"));
}

TEST_F(WorkerBoot, LineThatIsNoJsonIsAFailedBoot) { // BR-052
  launcher->script.results.erase("initialize");
  spawn_worker();
  line("");
  EXPECT_EQ(state(), "spawned");
  line("Welcome!");
  EXPECT_THAT(lost(), HasSubstr("no JSON"));
}

TEST_F(WorkerBoot, StopWhileBootingLeavesNoProcess) { // BR-046
  launcher->script.results.erase("initialize");
  spawn_worker();
  caf::anon_send_exit(worker, caf::exit_reason::user_shutdown);
  sched.run();
  EXPECT_TRUE(child().stdin_closed);
  EXPECT_TRUE(ended());
  EXPECT_EQ(lost(), "");
}

TEST_F(WorkerBoot, RefusesEverythingBeforeItIsWarm) { // BR-108
  launcher->script.results.erase("initialize");
  spawn_worker();
  EXPECT_EQ(assign()->why.code, errc::overloaded);
  EXPECT_EQ(prompt()->why.code, errc::overloaded);
  EXPECT_EQ(release()->why.code, errc::overloaded);
}

TEST_F(WorkerBoot, DeathInTheWarmStateReachesThePoolAtOnce) { // BR-041
  warm_up();
  exit(0, SIGKILL);
  EXPECT_THAT(lost(), HasSubstr("brain_lost: The brain process was ended by signal 9"));
  EXPECT_TRUE(ended());
}

TEST_F(WorkerBoot, StatusNamesAgentAndProcess) {
  warm_up();
  auto status = ask<actor_status>(worker, status_atom_v);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->id, "w0-a");
  EXPECT_THAT(status->detail, HasSubstr(R"("pid":4711)"));
  EXPECT_THAT(status->detail, HasSubstr(R"("agent":"fault","version":"7")"));
}

} // namespace agentpool::test
