// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/net/process/process_fixture.hpp"

#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>

namespace agentpool::net::test {

namespace {

std::string repeat_script(size_t bytes) {
  return "head -c " + std::to_string(bytes) + " /dev/zero | tr '\\0' x; ";
}

size_t resident_mib() {
  std::ifstream statm{"/proc/self/statm"};
  size_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * static_cast<size_t>(::sysconf(_SC_PAGESIZE)) >> 20;
}

TEST_F(ProcessTest, EchoesLines) {
  ports::process_spec spec;
  spec.argv = {"/bin/cat"};
  spec.cwd = "/";
  auto process = launch(spec);
  EXPECT_TRUE(process->write_line("one"));
  EXPECT_TRUE(process->write_line("two"));
  ASSERT_TRUE(seen_->wait([](auto& s) { return s.lines.size() == 2; }));
  process->close_stdin();
  ASSERT_TRUE(seen_->wait_exit());
  auto s = seen_->now();
  EXPECT_EQ(s.lines, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(s.end, ports::stdout_end::eof);
  EXPECT_EQ(s.exit->code, 0);
  EXPECT_EQ(s.exit->signal, 0);
  EXPECT_GT(s.pid, 0);
}

// BR-051
TEST_F(ProcessTest, TakesLongLines) {
  auto s = run(shell(repeat_script(64 << 10) + "echo;" + repeat_script(1 << 20) + "echo;" +
                     repeat_script(8 << 20) + "echo; echo end"));
  ASSERT_EQ(s.lines.size(), 4u);
  EXPECT_EQ(s.lines[0], std::string(64 << 10, 'x'));
  EXPECT_EQ(s.lines[1], std::string(1 << 20, 'x'));
  EXPECT_EQ(s.lines[2], std::string(8 << 20, 'x'));
  EXPECT_EQ(s.lines[3], "end");
}

// BR-051: the same sizes towards the child, whose pipe is full most of the time.
TEST_F(ProcessTest, WritesLongLines) {
  ports::process_spec spec;
  spec.argv = {"/bin/cat"};
  spec.cwd = "/";
  auto process = launch(spec);
  for (size_t size : {64u << 10, 1u << 20, 8u << 20})
    EXPECT_TRUE(process->write_line(std::string(size, 'y')));
  process->close_stdin();
  ASSERT_TRUE(seen_->wait_exit());
  auto s = seen_->now();
  ASSERT_EQ(s.lines.size(), 3u);
  EXPECT_EQ(s.lines[2], std::string(8 << 20, 'y'));
}

// BR-050
TEST_F(ProcessTest, StopsAtLineOverTheLimit) {
  auto spec = shell("echo fine;" + repeat_script((1 << 20) + 1) + "echo; echo late; exec sleep 600");
  spec.max_line = 1 << 20;
  auto process = launch(spec);
  ASSERT_TRUE(seen_->wait([](auto& s) { return s.end.has_value(); }));
  EXPECT_EQ(seen_->now().end, ports::stdout_end::line_too_long);
  EXPECT_EQ(seen_->now().lines, (std::vector<std::string>{"fine"}));
  process->signal(SIGKILL);
  ASSERT_TRUE(seen_->wait_exit());
  EXPECT_NE(seen_->now().exit->signal, 0) << "SIGKILL, or SIGPIPE when it wrote first";
}

// BR-050
TEST_F(ProcessTest, StaysBoundedWithoutNewline) {
  auto before = resident_mib();
  auto spec = shell("head -c 1073741824 /dev/zero");
  auto s = run(spec);
  EXPECT_EQ(s.end, ports::stdout_end::line_too_long);
  EXPECT_TRUE(s.lines.empty());
  EXPECT_LT(resident_mib(), before + 128);
}

TEST_F(ProcessTest, RemovesCarriageReturnsAndDropsUnfinishedLine) {
  auto s = run(shell("printf 'a\\r\\nb\\n\\nhalf'"));
  EXPECT_EQ(s.lines, (std::vector<std::string>{"a", "b", ""}));
}

TEST_F(ProcessTest, ReportsExitCode) {
  auto s = run(shell("echo last; exit 7"));
  EXPECT_EQ(s.exit->code, 7);
  EXPECT_EQ(s.exit->signal, 0);
  EXPECT_EQ(s.lines, (std::vector<std::string>{"last"}));
  EXPECT_EQ(s.ends, 1);
}

TEST_F(ProcessTest, ReportsSignal) {
  auto s = run(shell("kill -TERM $$"));
  EXPECT_EQ(s.exit->signal, SIGTERM);
}

TEST_F(ProcessTest, CutsStderrLines) {
  auto s = run(shell("{ " + repeat_script(10'000) + "echo; echo short; printf rest; } >&2"));
  ASSERT_EQ(s.stderr_lines.size(), 3u);
  EXPECT_EQ(s.stderr_lines[0], std::string(4096, 'x'));
  EXPECT_EQ(s.stderr_lines[1], "short");
  EXPECT_EQ(s.stderr_lines[2], "rest");
}

TEST_F(ProcessTest, CountsDroppedStderrLines) {
  auto s = run(shell("yes | head -n 200000 >&2"));
  EXPECT_LT(s.stderr_lines.size(), 150'000u);
  EXPECT_NE(s.stderr_lines.back().find("stderr lines were dropped"), std::string::npos);
}

TEST_F(ProcessTest, ChildHasOnlyStandardDescriptors) {
  auto leak = ::open("/dev/null", O_RDONLY); // without O_CLOEXEC, as third-party code does
  ports::process_spec spec;
  spec.argv = {PROCESS_TEST_CHILD, "descriptors"};
  spec.cwd = "/";
  EXPECT_EQ(run(spec).lines, (std::vector<std::string>{"0", "1", "2"}));
  ::close(leak);
}

TEST_F(ProcessTest, ChildHasExactlyTheGivenEnvironmentAndDirectory) {
  ports::process_spec spec;
  spec.argv = {"/usr/bin/env"};
  spec.env = {"A=1", "B=two words"};
  spec.cwd = "/";
  EXPECT_EQ(run(spec).lines, spec.env);
}

TEST_F(ProcessTest, ChildStartsInItsDirectory) {
  auto spec = shell("exec /bin/pwd");
  spec.cwd = "/proc";
  EXPECT_EQ(run(spec).lines, (std::vector<std::string>{"/proc"}));
}

TEST_F(ProcessTest, ChildHasDefaultSignals) {
  auto spec = shell("exec /usr/bin/grep -E '^Sig(Blk|Ign)' /proc/self/status");
  auto lines = run(spec).lines;
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], "SigBlk:\t0000000000000000");
  auto ignored = std::stoull(lines[1].substr(8), nullptr, 16);
  EXPECT_EQ(ignored & 0x7fffffff, 0u)
    << "signals 32 and 33 belong to glibc, which ignores them in a new child";
}

TEST_F(ProcessTest, GainsNoRightsAsTheDaemonsUser) {
  auto lines = run(shell("exec /usr/bin/grep NoNewPrivs /proc/self/status")).lines;
  EXPECT_EQ(lines, std::vector<std::string>{"NoNewPrivs:\t1"});
}

TEST_F(ProcessTest, RunsAsUidWithoutRights) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "needs root";
  auto spec = shell("exec /usr/bin/grep -E '^(Uid|Gid|Groups|NoNewPrivs|Cap...):' /proc/self/status");
  spec.uid = 54'321;
  std::string all;
  for (const auto& line : run(spec).lines)
    all += line + "\n";
  EXPECT_EQ(all, "Uid:\t54321\t54321\t54321\t54321\n"
                 "Gid:\t54321\t54321\t54321\t54321\n"
                 "Groups:\t \n"
                 "CapInh:\t0000000000000000\nCapPrm:\t0000000000000000\nCapEff:\t0000000000000000\n"
                 "CapBnd:\t0000000000000000\nCapAmb:\t0000000000000000\nNoNewPrivs:\t1\n");
}

TEST_F(ProcessTest, NamesWhatCannotBeStarted) {
  auto spec = shell("true");
  spec.argv[0] = "/nowhere/program";
  auto s = run(spec);
  ASSERT_TRUE(s.failed);
  EXPECT_EQ(s.failed->code, errc::worker_boot_failed);
  EXPECT_NE(s.failed->detail.find("/nowhere/program"), std::string::npos);
  EXPECT_FALSE(s.exit);
}

TEST_F(ProcessTest, PausesAtTheWindowAndResumes) {
  auto spec =
    shell("for i in 1 2 3 4 5 6 7 8; do " + repeat_script(64 << 10) + "echo; done; echo done >&2; exec cat");
  spec.read_window = 100'000;
  auto process = launch(spec);
  // Two lines fill the window; the script cannot end because its pipe (64 KiB) is full as well.
  ASSERT_TRUE(seen_->wait([](auto& s) { return s.lines.size() >= 2; }));
  for (size_t taken = 0; taken < 8; ++taken) {
    ASSERT_TRUE(seen_->wait([&](auto& s) { return s.lines.size() > taken; }));
    auto unconsumed = seen_->now().line_bytes - taken * (64 << 10);
    EXPECT_LE(unconsumed, 100'000u + (64 << 10) + (64 << 10));
    process->consumed(64 << 10);
  }
  EXPECT_TRUE(seen_->wait([](auto& s) { return s.stderr_lines.size() == 1; }));
  process->close_stdin();
  ASSERT_TRUE(seen_->wait_exit());
  EXPECT_EQ(seen_->now().lines.size(), 8u);
}

// Empty lines are messages too: a flood of them pauses like any other.
TEST_F(ProcessTest, PausesAtManyShortLines) {
  auto spec = shell("yes '' | head -n 100000; echo done >&2; exec cat");
  spec.read_window = 512 * 1000;
  auto process = launch(spec);
  size_t taken = 0;
  while (taken < 100'000) {
    ASSERT_TRUE(seen_->wait([&](auto& s) { return s.lines.size() > taken; }));
    auto have = seen_->now().lines.size();
    EXPECT_LE(have, taken + 1000 + (64 << 10));
    for (; taken < have; ++taken)
      process->consumed(0);
  }
  EXPECT_TRUE(seen_->wait([](auto& s) { return s.stderr_lines.size() == 1; }));
}

TEST_F(ProcessTest, RefusesWritesOverTheLimit) {
  auto spec = shell("exec sleep 600");
  spec.write_limit = 1 << 20;
  auto process = launch(spec);
  size_t accepted = 0;
  while (accepted < 100 && process->write_line(std::string(64 << 10, 'x')))
    ++accepted;
  EXPECT_GE(accepted, 15u);
  EXPECT_LE(accepted, 18u); // the pipe itself takes one or two
}

TEST_F(ProcessTest, RefusesWritesAfterTheEnd) {
  auto process = launch(shell("exit 0"));
  ASSERT_TRUE(seen_->wait_exit());
  EXPECT_FALSE(process->write_line("late"));
}

TEST_F(ProcessTest, RefusesWritesAfterCloseStdin) {
  auto process = launch(shell("exec cat"));
  EXPECT_TRUE(process->write_line("in time"));
  process->close_stdin();
  EXPECT_FALSE(process->write_line("late"));
  ASSERT_TRUE(seen_->wait_exit());
  EXPECT_EQ(seen_->now().lines, (std::vector<std::string>{"in time"}));
}

} // namespace

} // namespace agentpool::net::test
