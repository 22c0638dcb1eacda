// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/process/pidfd.hpp"
#include "net/process/user_sweep.hpp"
#include "tests/net/process/process_fixture.hpp"
#include "tests/net/temp_dir.hpp"

#include <poll.h>

namespace agentpool::net::test {

namespace {

constexpr uint32_t far_away = 1'500'000'000;

// Other runs of this test use other users.
uint32_t own_uid(uint32_t number) {
  return far_away + static_cast<uint32_t>(::getpid()) * 4 + number;
}

bool ends(int pidfd) {
  pollfd waiting{pidfd, POLLIN, 0};
  return ::poll(&waiting, 1, 60'000) == 1;
}

class UserSweepTest : public ProcessTest {
protected:
  void SetUp() override {
    if (::geteuid() != 0)
      GTEST_SKIP() << "needs root";
  }

  /// A child of that user; answers a descriptor of what it started in a session of its own.
  unique_fd start(uint32_t uid, const std::string& then) {
    auto spec = shell("setsid sleep 600 >/dev/null 2>&1 & echo $!; " + then);
    spec.uid = uid;
    child_ = launch(std::move(spec));
    EXPECT_TRUE(seen_->wait([](auto& s) { return s.lines.size() == 1; }));
    return unique_fd{open_pidfd(std::stoi(seen_->now().lines.at(0)))};
  }

  std::shared_ptr<ports::process> child_;
};

TEST_F(UserSweepTest, TheEndOfAChildEndsEverythingOfItsUser) {
  auto grandchild = start(own_uid(0), "exit 3");
  ASSERT_TRUE(seen_->wait_exit());
  EXPECT_EQ(seen_->now().exit->code, 3);
  EXPECT_TRUE(ends(grandchild.get()));
}

TEST_F(UserSweepTest, KillingTheChildIsEnough) {
  auto grandchild = start(own_uid(0), "exec sleep 600");
  child_.reset();
  ASSERT_TRUE(seen_->wait_exit());
  EXPECT_TRUE(ends(grandchild.get()));
}

TEST_F(UserSweepTest, KillsTheUsersOfTheRangeOnly) {
  auto outside = start(own_uid(3), "exec sleep 600");
  EXPECT_EQ(kill_users(own_uid(0), 3), 0u);
  EXPECT_EQ(kill_users(own_uid(2), 2), 1u);
  EXPECT_TRUE(ends(outside.get()));
  EXPECT_TRUE(seen_->wait_exit());
}

TEST_F(UserSweepTest, LeavesAloneWhatAnotherDaemonClaimed) {
  temp_dir dir;
  auto locks = dir.path() + "/made/uids.lock";
  auto inside = start(own_uid(0), "exec sleep 600");
  auto claim = uid_claim::take(locks, own_uid(0), 2);
  ASSERT_TRUE(claim) << claim.error().text();
  EXPECT_EQ(sweep_users(locks, own_uid(0), 2), 0u);
  EXPECT_EQ(seen_->now().ends, 0);
  claim->reset();
  EXPECT_EQ(sweep_users(locks, own_uid(0), 2), 1u);
  EXPECT_TRUE(ends(inside.get()));
}

TEST(UidClaimTest, ClaimsNeverOverlap) {
  temp_dir dir;
  auto locks = dir.path() + "/uids.lock";
  auto one = uid_claim::take(locks, 1000, 10);
  auto two = uid_claim::take(locks, 995, 10);
  auto three = uid_claim::take(locks, 1000, 5);
  ASSERT_TRUE(one && two && three);
  EXPECT_EQ((*one)->first(), 1000u);
  EXPECT_EQ((*two)->first(), 1010u);
  EXPECT_EQ((*three)->first(), 1020u);
  one->reset();
  EXPECT_EQ((*uid_claim::take(locks, 1000, 5))->first(), 1000u);
}

TEST(UidClaimTest, NamesAFileThatCannotBe) {
  auto claim = uid_claim::take("/proc/agentpool/uids.lock", 1000, 1);
  ASSERT_FALSE(claim);
  EXPECT_NE(claim.error().text().find("/proc/agentpool/uids.lock"), std::string::npos);
}

} // namespace

} // namespace agentpool::net::test
