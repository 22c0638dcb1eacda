// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/process/launcher.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace agentpool::net::test {

/// Records what a process does; the test waits for what it expects.
class recorder : public ports::process_listener {
public:
  struct state {
    int pid = 0;
    std::vector<std::string> lines, stderr_lines;
    size_t line_bytes = 0;
    std::optional<ports::stdout_end> end;
    std::optional<ports::exit_status> exit;
    std::optional<failure> failed;
    int ends = 0;
    bool line_after_exit = false;
  };

  void on_started(int pid) override {
    change([&](state& s) { s.pid = pid; });
  }
  void on_line(std::string line) override {
    change([&](state& s) {
      s.line_after_exit |= s.exit.has_value();
      s.line_bytes += line.size();
      s.lines.push_back(std::move(line));
    });
  }
  void on_stderr_line(std::string line) override {
    change([&](state& s) { s.stderr_lines.push_back(std::move(line)); });
  }
  void on_stdout_end(ports::stdout_end why) override {
    change([&](state& s) { s.end = why; });
  }
  void on_exit(ports::exit_status how) override {
    change([&](state& s) { s.exit = how, ++s.ends; });
  }
  void on_failed(failure why) override {
    change([&](state& s) { s.failed = std::move(why), ++s.ends; });
  }

  /// True when `condition` held within the deadline.
  template <class Condition>
  bool wait(Condition condition) {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, std::chrono::seconds{60}, [&] { return condition(state_); });
  }
  bool wait_exit() {
    return wait([](const state& s) { return s.ends > 0; });
  }
  state now() {
    std::lock_guard lock{mutex_};
    return state_;
  }

private:
  template <class Change>
  void change(Change apply) {
    {
      std::lock_guard lock{mutex_};
      apply(state_);
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  state state_;
};

class ProcessTest : public testing::Test {
protected:
  ~ProcessTest() override {
    guard_.reset();
    launcher_.reset();
    thread_.join();
  }

  static ports::process_spec shell(const std::string& script) {
    ports::process_spec spec;
    spec.argv = {"/bin/sh", "-c", script};
    spec.env = {"PATH=/usr/bin:/bin"};
    spec.cwd = "/";
    return spec;
  }
  std::shared_ptr<ports::process> launch(ports::process_spec spec) {
    return launcher_->launch(std::move(spec), seen_);
  }
  recorder::state run(ports::process_spec spec) {
    auto process = launch(std::move(spec));
    EXPECT_TRUE(seen_->wait_exit());
    return seen_->now();
  }

  std::shared_ptr<recorder> seen_ = std::make_shared<recorder>();
  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_{io_.get_executor()};
  std::shared_ptr<ports::process_launcher> launcher_ = make_process_launcher(io_);
  std::thread thread_{[this] { io_.run(); }};
};

} // namespace agentpool::net::test
