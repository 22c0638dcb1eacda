// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/actors/sessions/registry_fixture.hpp"

namespace agentpool::test {

/// Who may ask, and what a stranger learns.
class RegistryDevicesTest : public RegistryFixture {
protected:
  /// What every route about a session answers.
  std::vector<failure> answers(const std::string& session, const std::string& token) {
    auto caller = who(token);
    session_id id{session};
    auto error = [](const auto& answer) { return answer->error.value_or(failure{errc::none, {}}); };
    return {error(view(session, token)), error(prompt(session, token)),
      error(request<void>(uut, cancel_atom_v, caller, id)),
      error(request<void>(uut, erase_atom_v, caller, id)),
      error(request<std::string>(uut, permission_atom_v, caller, id)),
      error(request<void>(uut, answer_atom_v, caller, id, std::string{"r"}, std::string{"o"})),
      error(request<void>(uut, authorize_atom_v, caller, id))};
  }
};

TEST_F(RegistryDevicesTest, KnowsTheDeviceOfAToken) {
  begin();
  EXPECT_EQ(request<device_id>(uut, authorize_atom_v, who("token 1"))->value->value, "dev_1");
  EXPECT_EQ(request<device_id>(uut, authorize_atom_v, who("token 2"))->value->value, "dev_2");
}

TEST_F(RegistryDevicesTest, UnknownAndEmptyTokensAreUnauthorizedEverywhere) { // BR-140
  tables->devices[""] = device_row{device_id{""}, "", "", 0};                 // a broken row opens nothing
  tables->devices["x"] = device_row{device_id{""}, sha256_hex("token 3"), "", 0};
  add_session("ses_1");
  begin();
  for (const auto& token : strings{"nobody", "Token 1", "token 3"})
    for (const auto& answer : answers("ses_1", token))
      EXPECT_EQ(answer.code, errc::unauthorized);
  EXPECT_EQ(request<device_id>(uut, authorize_atom_v, caller{})->code(), errc::unauthorized);
  EXPECT_EQ(request<session_list>(uut, list_atom_v, caller{}, std::string{}, uint64_t{10})->code(),
    errc::unauthorized);
  EXPECT_EQ(create({}, {}, "nobody")->code(), errc::unauthorized);
  EXPECT_EQ(claims(), 0u);
}

TEST_F(RegistryDevicesTest, ForeignIsTheSameAsAbsentOnEveryRoute) { // BR-139 BR-021
  add_session("ses_1", "dev_1");
  begin();
  auto absent = answers("ses_none", "token 2");
  for (const auto& answer : absent)
    EXPECT_EQ(answer.code, errc::not_found);
  EXPECT_EQ(answers("ses_1", "token 2"), absent); // not in memory
  EXPECT_EQ(claims(), 0u);
  prompt();
  EXPECT_EQ(answers("ses_1", "token 2"), absent); // in memory
  EXPECT_EQ(view()->value->state, "running");     // and nothing happened to it
}

TEST_F(RegistryDevicesTest, DeletedIsTheSameAsAbsent) { // BR-139
  add_session("ses_1", "dev_1");
  begin();
  auto absent = answers("ses_none", "token 1");
  prompt();
  brains->hold_releases = true;
  auto erased = request<void>(uut, erase_atom_v, who("token 1"), session_id{"ses_1"});
  EXPECT_TRUE(erased->pending());
  EXPECT_EQ(*view()->error, absent[0]); // while it is being deleted
  EXPECT_EQ(*prompt()->error, absent[1]);
  EXPECT_TRUE(request<void>(uut, authorize_atom_v, who("token 1"), session_id{"ses_1"})->error);
  order(worker().handle, "released");
  EXPECT_TRUE(erased->value);
  EXPECT_EQ(answers("ses_1", "token 1"), absent);
  EXPECT_EQ(in_memory(), 0u);
}

TEST_F(RegistryDevicesTest, ListShowsOnlyTheDevicesOwn) {
  add_session("ses_1", "dev_1");
  add_session("ses_2", "dev_2");
  begin();
  auto list = request<session_list>(uut, list_atom_v, who("token 1"), std::string{}, uint64_t{10})->value;
  ASSERT_EQ(list->sessions.size(), 1u);
  EXPECT_EQ(list->sessions[0].row.id.value, "ses_1");
  EXPECT_EQ(list->sessions[0].state, "detached");
  prompt();
  list = request<session_list>(uut, list_atom_v, who("token 1"), std::string{}, uint64_t{10})->value;
  EXPECT_EQ(list->sessions[0].state, "running"); // completed by its actor
}

TEST_F(RegistryDevicesTest, NewDeviceGetsATokenThatIsNotStored) {
  begin();
  auto made = request<device_created>(uut, create_atom_v, std::string{"phone"})->value;
  ASSERT_TRUE(made);
  EXPECT_EQ(request<device_id>(uut, authorize_atom_v, who(made->token))->value, made->id);
  EXPECT_TRUE(tables->devices.contains(sha256_hex(made->token)));
  EXPECT_FALSE(tables->devices.contains(made->token));
}

TEST_F(RegistryDevicesTest, DevelopmentTokenIsOneDevice) {
  begin();
  auto first = request<device_id>(uut, create_atom_v, std::string{"dev"}, std::string{"tok"})->value;
  auto second = request<device_id>(uut, create_atom_v, std::string{"dev"}, std::string{"tok"})->value;
  ASSERT_TRUE(first);
  EXPECT_EQ(*first, *second);
  EXPECT_EQ(tables->devices.size(), 3u);
}

TEST_F(RegistryDevicesTest, BeforeTheDevicesAreReadNobodyIsTurnedAway) {
  reader->closed = true;
  begin();
  EXPECT_EQ(request<device_id>(uut, authorize_atom_v, who("token 1"))->code(), errc::overloaded);
  auto made = request<device_id>(uut, create_atom_v, std::string{"dev"}, std::string{"token 1"});
  EXPECT_TRUE(made->pending());
  reader->open();
  sched.run();
  EXPECT_EQ(made->value->value, "dev_1"); // not a second device
}

TEST_F(RegistryDevicesTest, WithoutAReaderItEndsAndIsStartedAgain) {
  sys.registry().erase("store_reader");
  begin();
  EXPECT_TRUE(*watch(uut));
}

} // namespace agentpool::test
