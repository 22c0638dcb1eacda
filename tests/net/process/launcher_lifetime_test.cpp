// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

#include "net/process/pidfd.hpp"
#include "net/unique_fd.hpp"
#include "tests/net/process/process_fixture.hpp"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace agentpool::net::test {

namespace {

// Waits until the process is gone or a zombie; works for processes that are not our children.
bool ends(int pidfd) {
  pollfd waiting{pidfd, POLLIN, 0};
  return ::poll(&waiting, 1, 60'000) == 1;
}

bool exists(int pid) {
  return ::kill(pid, 0) == 0;
}

TEST_F(ProcessTest, SignalReachesTheWholeGroup) {
  auto process = launch(shell("sleep 600 & echo $!; wait"));
  ASSERT_TRUE(seen_->wait([](auto& s) { return s.lines.size() == 1; }));
  unique_fd grandchild{open_pidfd(std::stoi(seen_->now().lines[0]))};
  process->signal(SIGTERM);
  ASSERT_TRUE(seen_->wait_exit());
  EXPECT_EQ(seen_->now().exit->signal, SIGTERM);
  EXPECT_TRUE(ends(grandchild.get()));
}

TEST_F(ProcessTest, DestructionKillsTheGroupAndReaps) {
  auto process = launch(shell("sleep 600 & echo $!; wait"));
  ASSERT_TRUE(seen_->wait([](auto& s) { return s.lines.size() == 1; }));
  unique_fd grandchild{open_pidfd(std::stoi(seen_->now().lines[0]))};
  process.reset();
  ASSERT_TRUE(seen_->wait_exit());
  EXPECT_EQ(seen_->now().exit->signal, SIGKILL);
  EXPECT_FALSE(exists(seen_->now().pid)) << "not even as a zombie";
  EXPECT_TRUE(ends(grandchild.get()));
}

TEST_F(ProcessTest, DestructionBeforeTheStartLeavesNothing) {
  for (int i = 0; i < 20; ++i) {
    auto seen = std::make_shared<recorder>();
    launcher_->launch(shell("exec sleep 600"), seen).reset();
    ASSERT_TRUE(seen->wait_exit());
    EXPECT_EQ(seen->now().ends, 1);
    auto pid = seen->now().pid;
    EXPECT_FALSE(pid > 0 && exists(pid));
  }
}

// A grandchild in a session of its own escapes the group kill and holds the pipes.
TEST_F(ProcessTest, DrainsOnlyShortlyWhenGrandchildHoldsThePipe) {
  auto process = launch(shell("setsid sleep 600 & echo $!; echo last; exit 3"));
  ASSERT_TRUE(seen_->wait_exit());
  auto s = seen_->now();
  EXPECT_EQ(s.exit->code, 3);
  ASSERT_EQ(s.lines.size(), 2u);
  EXPECT_EQ(s.lines[1], "last");
  EXPECT_EQ(s.end, ports::stdout_end::eof);
  ::kill(std::stoi(s.lines[0]), SIGKILL);
}

TEST_F(ProcessTest, LeaderTakesItsGroupWithIt) {
  auto process = launch(shell("sleep 600 >/dev/null 2>&1 & echo $!; exit 0"));
  ASSERT_TRUE(seen_->wait_exit());
  auto grandchild = std::stoi(seen_->now().lines.at(0));
  unique_fd watched{open_pidfd(grandchild)};
  EXPECT_TRUE(!watched || ends(watched.get()));
}

TEST_F(ProcessTest, LinesBeforeTheExitComeWhateverTheWindow) {
  auto spec = shell("i=0; while [ $i -lt 100 ]; do echo line; i=$((i+1)); done");
  spec.read_window = 1;
  auto process = launch(spec);
  ASSERT_TRUE(seen_->wait_exit());
  EXPECT_EQ(seen_->now().lines.size(), 100u);
  EXPECT_FALSE(seen_->now().line_after_exit);
}

TEST_F(ProcessTest, ManyAtOnceAllEndOnce) {
  std::vector<std::shared_ptr<recorder>> all;
  std::vector<std::shared_ptr<ports::process>> processes;
  for (int i = 0; i < 40; ++i) {
    all.push_back(std::make_shared<recorder>());
    processes.push_back(
      launcher_->launch(shell("echo " + std::to_string(i) + "; exit " + std::to_string(i)), all.back()));
  }
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(all[i]->wait_exit());
    auto s = all[i]->now();
    EXPECT_EQ(s.exit->code, i);
    EXPECT_EQ(s.lines, (std::vector<std::string>{std::to_string(i)}));
    EXPECT_EQ(s.ends, 1);
  }
}

// BR-044: the parent is killed with SIGKILL; its child, which ignores the end of its stdin, must not survive.
TEST(ProcessContextTest, ContextWaitsForAStartThatIsUnderWay) {
  struct ear : ports::process_listener {
    void on_started(int) override {}
    void on_failed(failure) override {}
    void on_line(std::string) override {}
    void on_stdout_end(ports::stdout_end) override {}
    void on_stderr_line(std::string) override {}
    void on_exit(ports::exit_status) override {}
  };
  for (int round = 0; round < 20; ++round) {
    auto io = std::make_unique<boost::asio::io_context>();
    ports::process_spec spec;
    spec.argv = {"/bin/true"};
    spec.cwd = "/";
    auto launcher = make_process_launcher(*io);
    auto process = launcher->launch(std::move(spec), std::make_shared<ear>());
    process.reset();
    launcher.reset();
    io.reset(); // a job that ended on it now would be a use after free
  }
}

TEST(ProcessParentTest, ChildOfKilledParentDies) {
  int out[2];
  ASSERT_EQ(::pipe(out), 0);
  auto parent = ::fork();
  if (parent == 0) {
    ::dup2(out[1], 1);
    ::execl(PROCESS_TEST_CHILD, PROCESS_TEST_CHILD, "parent", nullptr);
    ::_exit(127);
  }
  ::close(out[1]);
  char text[32] = {};
  ASSERT_GT(::read(out[0], text, sizeof text - 1), 0);
  ::close(out[0]);
  unique_fd child{open_pidfd(std::atoi(text))};
  ASSERT_TRUE(child);
  // posix_spawn returns at the exec of setpriv: wait until the signal is armed, that is, sleep itself runs.
  auto comm = "/proc/" + std::to_string(std::atoi(text)) + "/comm";
  for (std::string name; name.find("sleep") == std::string::npos; std::this_thread::yield()) {
    unique_fd file{::open(comm.c_str(), O_RDONLY)};
    char bytes[32] = {};
    ASSERT_GT(::read(file.get(), bytes, sizeof bytes), 0);
    name = bytes;
  }
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  EXPECT_TRUE(ends(child.get()));
}

// The second net: a parent that dies before the signal is armed is still seen as the end of stdin.
TEST(ProcessParentTest, StdinOfEveryChildEndsWithTheParentOnly) {
  boost::asio::io_context io;
  auto launcher = make_process_launcher(io);
  auto first = std::make_shared<recorder>(), second = std::make_shared<recorder>();
  ports::process_spec spec;
  spec.argv = {"/bin/cat"};
  spec.cwd = "/";
  auto one = launcher->launch(spec, first), two = launcher->launch(spec, second);
  std::thread thread{[&] { io.run(); }};
  // The later child holds no end of the earlier one's pipe.
  one->close_stdin();
  EXPECT_TRUE(first->wait_exit());
  EXPECT_EQ(second->now().ends, 0);
  two.reset();
  EXPECT_TRUE(second->wait_exit());
  thread.join();
}

TEST(ProcessParentTest, IoContextThatEndsEarlyLeavesNoChild) {
  auto seen = std::make_shared<recorder>();
  std::shared_ptr<ports::process> process;
  {
    boost::asio::io_context io;
    auto launcher = make_process_launcher(io);
    ports::process_spec spec;
    spec.argv = {"/bin/sleep", "600"};
    spec.cwd = "/";
    process = launcher->launch(spec, seen);
    while (seen->now().pid == 0)
      io.run_one();
    process.reset();
  }
  EXPECT_FALSE(exists(seen->now().pid));
}

} // namespace

} // namespace agentpool::net::test
