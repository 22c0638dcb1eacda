// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/store/sqlite.hpp"
#include "tests/net/store/store_fixture.hpp"

#include <csignal>
#include <fstream>
#include <random>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

namespace agentpool::net::test {

namespace {

// Runs `body` in a child process; its answer is the exit code.
template <class Body>
int in_child(Body body) {
  auto child = ::fork();
  if (child == 0)
    ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

ports::store_op big_write(uint64_t last) {
  auto op = make_write("ses_1", 1, last, 1);
  op.events[0].data.assign(64 << 10, 'x');
  return op;
}

// Fills the store until it refuses; answers the last seq that was answered.
result<uint64_t> fill(ports::database& db) {
  for (uint64_t last = 1; last < 1000; ++last) {
    std::vector<ports::store_op> batch{big_write(last)};
    auto answer = db.apply(batch).at(0);
    if (!answer)
      return answer.error().code == errc::store_unavailable ? result<uint64_t>{last}
                                                            : tl::unexpected{answer.error()};
  }
  return fail(errc::internal, "the disk never became full");
}

result<void> start(ports::database& db) {
  std::vector<ports::store_op> batch{ports::create_device{{{"dev_1"}, "h", "", 1}},
    ports::create_session{make_session("ses_1"), {make_event(1)}, {}, 0}};
  for (const auto& answer : db.apply(batch))
    if (!answer)
      return tl::unexpected{answer.error()};
  return {};
}

// Answers 0 when a full disk refuses whole batches, keeps what was answered, and space makes it work again.
int survives_full_disk(const std::string& dir, const std::function<void()>& make_space) {
  auto db = open_database(dir);
  if (!db || !start(**db))
    return 1;
  auto filled = fill(**db);
  if (!filled)
    return 2;
  std::vector<ports::store_op> batch{big_write(*filled), big_write(*filled + 1)};
  for (const auto& answer : (*db)->apply(batch))
    if (answer || answer.error().code != errc::store_unavailable || answer.error().detail.empty())
      return 3;
  make_space();
  std::vector<ports::store_op> again{big_write(*filled)};
  if (!(*db)->apply(again).at(0))
    return 4;
  auto reader = open_reader(dir);
  auto page = (*reader)->events({"ses_1"}, 0, 10'000, SIZE_MAX);
  return page && page->events.size() == *filled + 1 && page->last_seq == *filled + 1 ? 0 : 5;
}

TEST(StoreFaultsTest, SurvivesAFullDisk) {
  temp_dir dir;
  auto code = in_child([&] {
    // A file system of our own in a mount namespace that ends with this child.
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", dir.path().c_str(), "tmpfs", 0, "size=4m") != 0)
      return 99;
    auto filler = dir.path() + "/filler";
    std::ofstream{filler} << std::string(1 << 20, 'f');
    return survives_full_disk(dir.path(), [&] { ::unlink(filler.c_str()); });
  });
  if (code == 99)
    GTEST_SKIP() << "needs the right to mount; SurvivesAFileSizeLimit shows the same without it";
  EXPECT_EQ(code, 0);
}

TEST(StoreFaultsTest, SurvivesAFileSizeLimit) {
  temp_dir dir;
  auto code = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    auto small = rlimit{1 << 20, limit.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    return survives_full_disk(dir.path(), [&] { ::setrlimit(RLIMIT_FSIZE, &limit); });
  });
  EXPECT_EQ(code, 0);
}

TEST(StoreFaultsTest, ALockedDatabaseIsUnavailableNotBroken) {
  temp_dir dir;
  auto db = open_database(dir.path());
  ASSERT_TRUE(db && start(**db));
  auto other = sqlite_connection::open(dir.path() + "/agentpool.db", sqlite_connection::mode::write);
  ASSERT_TRUE((*other)->execute("BEGIN IMMEDIATE"));
  std::vector<ports::store_op> batch{make_write("ses_1", 1, 1, 1)};
  auto answer = (*db)->apply(batch).at(0);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, errc::store_unavailable);
  EXPECT_NE(answer.error().detail.find("locked"), std::string::npos);
  ASSERT_TRUE((*other)->execute("COMMIT"));
  EXPECT_TRUE((*db)->apply(batch).at(0));
}

// Writes batches for ever and reports the last seq after each answer.
[[noreturn]] void write_until_killed(const std::string& dir, int report) {
  auto db = open_database(dir);
  auto claim = (*db)->apply(std::vector<ports::store_op>{ports::claim_session{{"ses_1"}}}).at(0);
  const auto& row = std::get<session_claim>(*claim).row;
  for (uint64_t last = row.last_seq;; last += 4) {
    std::vector<ports::store_op> batch{
      make_write("ses_1", row.epoch, last, 3), make_write("ses_1", row.epoch, last + 3, 1)};
    for (const auto& answer : (*db)->apply(batch))
      if (!answer)
        ::_exit(1);
    auto answered = last + 4;
    if (::write(report, &answered, sizeof answered) != sizeof answered)
      ::_exit(2);
  }
}

TEST(StoreFaultsTest, KillKeepsEveryAnsweredWrite) {
  temp_dir dir;
  {
    auto db = open_database(dir.path());
    ASSERT_TRUE(db && start(**db));
  }
  std::mt19937 random{std::random_device{}()};
  uint64_t answered = 1;
  for (int round = 0; round < 12; ++round) {
    int report[2];
    ASSERT_EQ(::pipe(report), 0);
    auto child = ::fork();
    if (child == 0)
      write_until_killed(dir.path(), report[1]);
    ::close(report[1]);
    // The kill comes at a random answer, that is, at any point of the next batch.
    auto rounds = std::uniform_int_distribution{0, 40}(random);
    for (int i = 0; i <= rounds; ++i)
      ASSERT_EQ(::read(report[0], &answered, sizeof answered), static_cast<ssize_t>(sizeof answered));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    while (::read(report[0], &answered, sizeof answered) == static_cast<ssize_t>(sizeof answered)) {
    }
    ::close(report[0]);
    auto raw = sqlite_connection::open(dir.path() + "/agentpool.db", sqlite_connection::mode::write);
    auto check = (*raw)->prepare("PRAGMA integrity_check");
    ASSERT_TRUE(check.next());
    EXPECT_EQ(check.text(0), "ok");
    auto reader = open_reader(dir.path());
    auto page = *(*reader)->events({"ses_1"}, 0, 1'000'000, SIZE_MAX);
    EXPECT_GE(page.last_seq, answered);
    EXPECT_EQ((page.last_seq - 1) % 4, 0u) << "a batch is kept whole or not at all";
    ASSERT_EQ(page.events.size(), page.last_seq);
    for (size_t i = 0; i < page.events.size(); ++i)
      ASSERT_EQ(page.events[i].seq, i + 1);
  }
}

} // namespace

} // namespace agentpool::net::test
