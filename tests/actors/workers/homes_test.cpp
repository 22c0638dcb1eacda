// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/workers/homes.hpp"
#include "actors/workers/worker_slot.hpp"
#include "tests/support/actor_fixture.hpp"

#include <stdexcept>

namespace agentpool::test {

namespace {

struct homes_script {
  std::vector<std::string> steps;
  std::vector<ports::brain_home_spec> specs;
  std::vector<std::optional<uint32_t>> uids;
  std::optional<failure> why; ///< every step fails
  bool throws = false;
};

// Notes the steps and injects their failures.
class fault_homes : public ports::brain_homes {
public:
  explicit fault_homes(std::shared_ptr<homes_script> script) : script_{std::move(script)} {}

  result<ports::brain_home> prepare(const ports::brain_home_spec& spec) override {
    script_->specs.push_back(spec);
    return step("prepare").map([] { return ports::brain_home{"/r", "/r/home", "/r/world"}; });
  }
  result<void> move_in(const ports::brain_home& home, const session_id& session,
    const brain_session_id& brain, std::optional<uint32_t> uid) override {
    script_->uids.push_back(uid);
    return step("in " + home.home + " " + session.value + " " + brain.value);
  }
  result<void> move_out(
    const ports::brain_home& home, const session_id& session, const brain_session_id& brain) override {
    return step("out " + home.home + " " + session.value + " " + brain.value);
  }
  result<void> discard(const ports::brain_home&, const brain_session_id& brain) override {
    return step("discard " + brain.value);
  }
  result<void> remove(const ports::brain_home& home) override { return step("remove " + home.root); }
  result<void> erase(const session_id& session) override { return step("erase " + session.value); }
  result<uint32_t> sweep(const std::vector<std::pair<session_id, brain_session_id>>&) override { return 0; }

private:
  result<void> step(std::string what) {
    script_->steps.push_back(std::move(what));
    if (script_->throws)
      throw std::runtime_error{"filesystem error"};
    if (script_->why)
      return tl::unexpected{*script_->why};
    return {};
  }

  std::shared_ptr<homes_script> script_;
};

} // namespace

class HomesTest : public ActorFixture {
protected:
  void start(std::optional<uint32_t> first_uid) {
    pool_settings settings;
    settings.first_uid = first_uid;
    auto& dsh = settings.profiles["dsh"];
    dsh.profile_dir = "/profile";
    dsh.plugin_dir = "/plugin";
    dsh.plugin_name = "@x/y";
    uut = keep(spawn_homes(sys, std::make_unique<fault_homes>(script), settings, threading::shared));
  }

  std::shared_ptr<homes_script> script = std::make_shared<homes_script>();
  homes_actor uut;
};

TEST_F(HomesTest, PreparesAHomeOfTheProfileForTheUidOfTheSlot) {
  start(70'000);
  auto home = ask<home_paths>(uut, prepare_atom_v, worker_id{"w3-abc"}, std::string{"dsh"});
  ASSERT_TRUE(home);
  EXPECT_EQ(home->socket, "/r/world");
  EXPECT_EQ(home->uid, 70'003u);
  EXPECT_EQ(script->specs.at(0).uid, 70'003u);
  EXPECT_EQ(script->specs[0].profile_dir, "/profile");
  EXPECT_EQ(script->specs[0].plugin_dir, "/plugin");
  EXPECT_EQ(script->specs[0].plugin_name, "@x/y");
  EXPECT_TRUE(
    ask<void>(uut, move_in_atom_v, *home, session_id{"s"}, brain_session_id{"b"}, std::string{"dsh"}));
  EXPECT_EQ(script->uids.at(0), 70'003u);
}

TEST_F(HomesTest, AllWorkersRunAsTheDaemonWhenThereAreNoUids) {
  start(std::nullopt);
  auto home = ask<home_paths>(uut, prepare_atom_v, worker_id{"w3-abc"}, std::string{"dsh"});
  ASSERT_TRUE(home);
  EXPECT_EQ(script->specs.at(0).uid, std::nullopt);
}

TEST_F(HomesTest, RefusesUnknownProfilesAndForeignIds) {
  start(70'000);
  auto unknown = ask<home_paths>(uut, prepare_atom_v, worker_id{"w3-abc"}, std::string{"other"});
  EXPECT_EQ(to_failure(unknown.error()).code, errc::unknown_profile);
  auto foreign = ask<home_paths>(uut, prepare_atom_v, worker_id{"x"}, std::string{"dsh"});
  EXPECT_EQ(to_failure(foreign.error()).code, errc::internal);
  EXPECT_TRUE(script->steps.empty());
}

TEST_F(HomesTest, WorksInTheOrderOfTheRequests) {
  start({});
  home_paths a{"/a", "/a/home", ""}, b{"/b", "/b/home", ""};
  caf::anon_send(uut, move_out_atom_v, a, session_id{"s"}, brain_session_id{"b1"});
  caf::anon_send(uut, move_in_atom_v, b, session_id{"s"}, brain_session_id{"b1"}, std::string{"dsh"});
  caf::anon_send(uut, discard_atom_v, b, brain_session_id{"b0"});
  caf::anon_send(uut, erase_atom_v, a);
  caf::anon_send(uut, erase_atom_v, session_id{"s"});
  sched.run();
  EXPECT_EQ(script->steps,
    (std::vector<std::string>{"out /a/home s b1", "in /b/home s b1", "discard b0", "remove /a", "erase s"}));
}

TEST_F(HomesTest, AnswersFailuresAndGoesOn) {
  start({});
  script->why = failure{errc::internal, "no space left on device"};
  home_paths a{"/a", "/a/home", ""};
  auto full = ask<void>(uut, erase_atom_v, a);
  EXPECT_EQ(to_failure(full.error()), *script->why);
  script->throws = true;
  auto thrown = ask<void>(uut, erase_atom_v, a);
  EXPECT_EQ(to_failure(thrown.error()), (failure{errc::internal, "filesystem error"}));
  EXPECT_EQ(ask<actor_status>(uut, status_atom_v)->last_error, "remove: filesystem error");
  script = nullptr;
}

TEST(WorkerSlotTest, IsReadBackFromTheId) {
  auto id = make_worker_id(12);
  EXPECT_EQ(slot_of(id), 12u);
  EXPECT_TRUE(id.value.starts_with("w12-"));
  EXPECT_NE(id, make_worker_id(12));
}

TEST(WorkerSlotTest, NothingForOtherText) {
  for (auto text :
    {"", "w", "w1", "w1-", "w-abc", "x1-abc", "w1x-abc", "w-1-abc", "w99999999999-abc", "w 1-abc"})
    EXPECT_EQ(slot_of(worker_id{text}), std::nullopt) << text;
}

} // namespace agentpool::test
