// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/e2b/e2b_link.hpp"
#include "net/io_thread.hpp"
#include "tests/net/e2b/recorders.hpp"
#include "tests/net/temp_dir.hpp"

#include <csignal>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

namespace agentpool::net::test {

using namespace std::chrono_literals;

/// The client against the real envd, on this machine, as this user.
class E2bEnvdTest : public ::testing::Test {
protected:
  void SetUp() override {
    auto id = std::to_string(::getuid());
    auto group = std::to_string(::getgid());
    std::filesystem::path root{dir_.path()};
    home_ = root / "home";
    std::filesystem::create_directory(home_);
    std::ofstream{root / "passwd"} << "user:x:" << id << ":" << group << "::" << home_.string()
                                   << ":/bin/sh\n";
    std::ofstream{root / "group"} << "user:x:" << group << ":\n";
    int announce[2], life[2];
    ASSERT_EQ(::pipe(announce), 0);
    ASSERT_EQ(::pipe(life), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(life[1]);
      auto passwd = (root / "passwd").string(), groups = (root / "group").string();
      auto lifeline = std::to_string(life[0]), announced = std::to_string(announce[1]);
      ::execl(ENVD, ENVD, "--listen", "127.0.0.1", "--port", "0", "--lifeline-fd", lifeline.c_str(),
        "--announce-fd", announced.c_str(), "--passwd", passwd.c_str(), "--group", groups.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(announce[1]);
    ::close(life[0]);
    lifeline_ = life[1];
    char text[16] = {};
    ASSERT_GT(::read(announce[0], text, sizeof text - 1), 0) << "envd did not start";
    ::close(announce[0]);
    url_ = "http://127.0.0.1:" + std::to_string(std::stoi(text));
    link_ = open();
    reply<void> init;
    link_->init({"", {{"FROM_INIT", "yes"}}, "user", "", 0}, {}, init.completion());
    ASSERT_TRUE(init.get());
  }
  void TearDown() override {
    link_.reset();
    if (lifeline_ >= 0)
      ::close(lifeline_);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }

  std::shared_ptr<ports::sandbox_link> open(std::string version = "0.5.7") {
    return make_e2b_link(io_.io, {url_, "e2b_00"}, {"iabc", "", "", "", std::move(version)});
  }
  std::shared_ptr<recording_process> start(ports::command_spec command) {
    auto sink = std::make_shared<recording_process>();
    last_ = link_->start(std::move(command), {}, sink);
    return sink;
  }
  ports::command_spec shell(std::string script) {
    ports::command_spec command;
    command.argv = {"sh", "-c", std::move(script)};
    return command;
  }
  std::string path(std::string_view name) { return (home_ / name).string(); }
  result<std::string> write(const std::string& where, std::string bytes) {
    reply<std::string> got;
    link_->write_file(where, "user", std::move(bytes), {}, got.completion());
    return got.get();
  }
  result<std::optional<ports::entry_info>> stat(const std::string& where) {
    reply<std::optional<ports::entry_info>> got;
    link_->stat(where, "user", {}, got.completion());
    return got.get();
  }
  std::string read(const std::string& where, ports::byte_range range = {}) {
    auto sink = std::make_shared<recording_bytes>();
    link_->read_file(where, "user", range, {}, sink);
    auto end = sink->end();
    return end ? sink->record.now().bytes : to_string(end.error().code);
  }

  temp_dir dir_;
  std::filesystem::path home_;
  io_thread io_;
  std::string url_;
  pid_t pid_ = -1;
  int lifeline_ = -1;
  std::shared_ptr<ports::sandbox_link> link_;
  ports::operation_id last_ = 0;
};

TEST_F(E2bEnvdTest, RunsACommand) {
  auto command = shell("printf out; printf err >&2; printf %s \"$A$FROM_INIT\"; pwd; exit 3");
  command.env = {{"A", "b"}};
  command.cwd = home_.string();
  auto sink = start(command);
  auto end = sink->end();
  ASSERT_TRUE(end) << end.error().text();
  EXPECT_TRUE(end->exited);
  EXPECT_EQ(end->exit_code, 3);
  auto now = sink->record.now();
  EXPECT_GT(now.pid.value_or(0), 1u);
  EXPECT_EQ(now.out, "outbyes" + home_.string() + "\n");
  EXPECT_EQ(now.err, "err");
}

TEST_F(E2bEnvdTest, FeedsAndSignalsACommand) {
  auto command = shell("cat; exec sleep 60");
  command.stdin_open = true;
  command.tag = "t1";
  auto sink = start(command);
  ASSERT_TRUE(sink->record.wait([](const auto& x) { return x.pid.has_value(); }));
  ports::process_ref process{*sink->record.now().pid, {}};
  reply<void> first, second, closed, killed;
  link_->send_input(process, "one ", false, {}, first.completion());
  link_->send_input(process, "two", false, {}, second.completion());
  link_->close_stdin(process, {}, closed.completion());
  EXPECT_TRUE(closed.get());
  ASSERT_TRUE(sink->record.wait([](const auto& x) { return x.out == "one two"; }));
  reply<std::vector<ports::running_process>> list;
  link_->processes({}, list.completion());
  ASSERT_EQ(list.get()->size(), 1u);
  EXPECT_EQ(list.get()->at(0).tag, "t1");
  auto second_listener = std::make_shared<recording_process>();
  link_->attach({0, "t1"}, {}, second_listener);
  ASSERT_TRUE(second_listener->record.wait([](const auto& x) { return x.pid.has_value(); }));
  link_->signal(process, ports::process_signal::kill, {}, killed.completion());
  EXPECT_TRUE(killed.get());
  for (const auto& one : {sink, second_listener}) {
    auto end = one->end();
    ASSERT_TRUE(end) << end.error().text();
    EXPECT_FALSE(end->exited);
    EXPECT_EQ(end->status, "signal: killed");
  }
}

TEST_F(E2bEnvdTest, AProcessOutlivesItsListener) {
  auto sink = start(shell("sleep 60"));
  ASSERT_TRUE(sink->record.wait([](const auto& x) { return x.pid.has_value(); }));
  ports::process_ref process{*sink->record.now().pid, {}};
  link_->cancel(last_);
  EXPECT_EQ(code_of(sink->end()), errc::cancelled);
  link_ = open(); // another generation
  auto again = std::make_shared<recording_process>();
  link_->attach(process, {}, again);
  ASSERT_TRUE(again->record.wait([](const auto& x) { return x.pid.has_value(); }));
  reply<void> ended;
  link_->signal(process, ports::process_signal::term, {}, ended.completion());
  EXPECT_TRUE(ended.get());
  EXPECT_EQ(again->end()->status, "signal: terminated");
  reply<void> gone;
  link_->signal({process.pid, {}}, ports::process_signal::kill, {}, gone.completion());
  EXPECT_EQ(code_of(gone.get()), errc::envd_not_found);
}

TEST_F(E2bEnvdTest, RunsATerminal) {
  auto command = shell("stty size; read x; echo got $x; read y; stty size");
  command.pty = ports::pty_size{100, 30};
  auto sink = start(command);
  ASSERT_TRUE(sink->record.wait([](const auto& x) { return x.pty.find("30 100") != std::string::npos; }));
  ports::process_ref process{*sink->record.now().pid, {}};
  reply<void> input, resize;
  link_->send_input(process, "a\n", true, {}, input.completion());
  ASSERT_TRUE(sink->record.wait([](const auto& x) { return x.pty.find("got a") != std::string::npos; }));
  link_->resize(process, {90, 20}, {}, resize.completion());
  EXPECT_TRUE(resize.get());
  link_->send_input(process, "b\n", true, {}, input.completion());
  ASSERT_TRUE(sink->end());
  EXPECT_NE(sink->record.now().pty.find("20 90"), std::string::npos);
}

TEST_F(E2bEnvdTest, EndsACommandAtItsTime) {
  auto command = shell("exec sleep 60");
  command.kill_after = 100ms;
  EXPECT_EQ(code_of(start(command)->end()), errc::deadline);
  command = shell("true");
  command.cwd = "/no/such";
  EXPECT_EQ(code_of(start(command)->end()), errc::envd_invalid);
}

TEST_F(E2bEnvdTest, WorksWithFiles) {
  EXPECT_EQ(write(path("d/a.txt"), "hello"), path("d/a.txt"));
  auto entry = stat(path("d/a.txt"));
  ASSERT_TRUE(entry && *entry);
  EXPECT_EQ((*entry)->size, 5u);
  EXPECT_EQ((*entry)->type, ports::entry_type::file);
  EXPECT_EQ((*entry)->owner, "user");
  EXPECT_GT((*entry)->modified_ns, 1'700'000'000'000'000'000);
  EXPECT_EQ(stat(path("none")), std::nullopt);
  EXPECT_EQ(read(path("d/a.txt")), "hello");
  EXPECT_EQ(read(path("d/a.txt"), {1, 3}), "ell");
  EXPECT_EQ(read(path("d/a.txt"), {9, {}}), "");
  EXPECT_EQ(read(path("none")), "envd_not_found");
  EXPECT_EQ(read(path("d")), "envd_invalid");
  reply<ports::entry_info> moved;
  link_->move(path("d/a.txt"), path("e/b.txt"), "user", {}, moved.completion());
  EXPECT_EQ(moved.get()->path, path("e/b.txt"));
  reply<bool> made, there;
  link_->make_dir(path("e/f"), "user", {}, made.completion());
  EXPECT_EQ(made.get(), true);
  link_->make_dir(path("e/f"), "user", {}, there.completion());
  EXPECT_EQ(there.get(), false);
  reply<std::vector<ports::entry_info>> list;
  link_->list_dir(path(""), 2, "user", {}, list.completion());
  auto entries = list.get();
  ASSERT_TRUE(entries);
  EXPECT_EQ(entries->size(), 4u) << "d, e, e/b.txt, e/f";
  reply<void> removed, again;
  link_->remove(path("e"), "user", {}, removed.completion());
  EXPECT_TRUE(removed.get());
  link_->remove(path("e"), "user", {}, again.completion());
  EXPECT_TRUE(again.get());
}

TEST_F(E2bEnvdTest, WritesByEveryForm) {
  for (auto version : {"0.5.7", "0.2.0"}) {
    link_ = open(version);
    EXPECT_TRUE(write(path("whole"), "content"));
    EXPECT_EQ(read(path("whole")), "content") << version;
    for (auto length : {std::optional<uint64_t>{7}, std::optional<uint64_t>{}}) {
      auto source = std::make_shared<scripted_source>(
        std::vector<result<std::string>>{{"con"}, {"tent"}, {std::string{}}}, length);
      reply<std::string> got;
      link_->write_file(path("pieces"), "user", source, {}, got.completion());
      EXPECT_TRUE(got.get()) << version;
      EXPECT_EQ(read(path("pieces")), "content") << version;
    }
  }
}

TEST_F(E2bEnvdTest, LongOutputStaysWithinTheWindow) {
  ports::stream_options options;
  options.window = 64 * 1024;
  auto sink = std::make_shared<recording_process>();
  auto id = link_->start(shell("head -c 8000000 /dev/zero"), options, sink);
  size_t told = 0;
  while (told < 8'000'000) {
    ASSERT_TRUE(sink->record.wait([told](const auto& x) { return x.out.size() > told; }));
    auto got = sink->record.now().out.size();
    ASSERT_LE(got - told, options.window + 256 * 1024);
    link_->consumed(id, got - told);
    told = got;
  }
  EXPECT_TRUE(sink->end());
}

TEST_F(E2bEnvdTest, TheEndOfEnvdLeavesTheOutcomeUnknown) {
  auto sink = start(shell("sleep 60"));
  ASSERT_TRUE(sink->record.wait([](const auto& x) { return x.pid.has_value(); }));
  ::close(lifeline_); // the end of the lifeline
  lifeline_ = -1;
  EXPECT_EQ(code_of(sink->end()), errc::outcome_unknown);
  EXPECT_EQ(code_of(stat(path("x"))), errc::hand_unreachable);
}

} // namespace agentpool::net::test
