// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/process/launcher.hpp"

#include "net/process/child.hpp"

#include <boost/asio/execution_context.hpp>

#include <signal.h>
#include <vector>

namespace agentpool::net {

namespace {

class handle : public ports::process {
public:
  explicit handle(std::shared_ptr<child> of) : child_(std::move(of)) {}
  ~handle() override { child_->abandon(); }

  bool write_line(std::string line) override { return child_->write_line(std::move(line)); }
  void close_stdin() override { child_->close_stdin(); }
  void signal(int signal) override { child_->signal(signal); }
  void consumed(size_t bytes) override { child_->consumed(bytes); }

private:
  std::shared_ptr<child> child_;
};

/// Jobs of a spawner end on an io_context: it waits for them before it is gone.
class spawner_end : public boost::asio::execution_context::service {
public:
  using key_type = spawner_end;
  static inline boost::asio::execution_context::id id;

  explicit spawner_end(boost::asio::execution_context& io) : service(io) {}
  void add(std::shared_ptr<spawner> one) { spawners_.push_back(std::move(one)); }

private:
  void shutdown() override {
    for (auto& one : spawners_)
      one->finish();
    spawners_.clear();
  }

  std::vector<std::shared_ptr<spawner>> spawners_;
};

class launcher : public ports::process_launcher {
public:
  explicit launcher(boost::asio::io_context& io) : io_(io), spawner_(std::make_shared<spawner>()) {
    boost::asio::use_service<spawner_end>(io).add(spawner_);
  }

  std::shared_ptr<ports::process> launch(
    ports::process_spec spec, std::shared_ptr<ports::process_listener> listener) override {
    auto started = std::make_shared<child>(io_, spawner_, std::move(spec), std::move(listener));
    started->start();
    return std::make_shared<handle>(std::move(started));
  }

private:
  boost::asio::io_context& io_;
  std::shared_ptr<spawner> spawner_;
};

void ignore_sigpipe() {
  struct sigaction now {};
  if (::sigaction(SIGPIPE, nullptr, &now) == 0 && now.sa_handler == SIG_DFL)
    ::signal(SIGPIPE, SIG_IGN);
}

} // namespace

std::shared_ptr<ports::process_launcher> make_process_launcher(boost::asio::io_context& io) {
  ignore_sigpipe();
  return std::make_shared<launcher>(io);
}

} // namespace agentpool::net
