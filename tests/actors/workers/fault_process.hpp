// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/ports/process.hpp"
#include "protocol/ports/world_gate.hpp"
#include "protocol/wire/acp.hpp"

#include <csignal>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace agentpool::test {

/// How a scripted agent answers: by method a result, or an error; a method in neither is never answered.
struct fault_script {
  std::map<std::string, std::string> results{
    {"initialize", R"({"protocolVersion":1,"agentInfo":{"name":"fault","version":"7"},)"
                   R"("agentCapabilities":{"sessionCapabilities":{"close":{},"resume":{}}}})"},
    {"session/new", R"({"sessionId":"b1"})"},
    {"session/resume", "{}"},
    {"session/load", "{}"},
    {"session/close", "{}"},
  };
  std::map<std::string, std::pair<int, std::string>> errors;
  std::set<int> dies_by{SIGTERM, SIGKILL};
  bool ends_at_eof = true;
  bool starts = true;
};

/// A process that exists only to misbehave on demand.
class fault_process : public ports::process {
public:
  fault_process(ports::process_spec what, std::shared_ptr<ports::process_listener> to, fault_script how)
      : spec{std::move(what)}, listener{std::move(to)}, script{std::move(how)} {}

  bool write_line(std::string line) override {
    if (throws)
      throw std::runtime_error("an injected fault");
    if (refuses)
      return false;
    auto message = acp::parse_message(line);
    written.push_back(std::move(line));
    if (message && message->kind == acp::message_kind::request) {
      methods.push_back(message->method);
      ids[message->method] = message->id;
      answer(message->method);
    } else if (message) {
      methods.push_back(message->method.empty() ? "answer " + message->id : message->method);
    }
    return true;
  }

  void close_stdin() override {
    stdin_closed = true;
    if (script.ends_at_eof)
      exit(0, 0);
  }

  void signal(int signal) override {
    signals.push_back(signal);
    if (script.starts && script.dies_by.contains(signal))
      exit(0, signal);
  }

  void consumed(size_t bytes) override { consumed_bytes += bytes; }

  /// Answers the last request of this method as the script says.
  void answer(const std::string& method) {
    if (auto i = script.errors.find(method); i != script.errors.end())
      line(acp::error_response(ids[method], i->second.first, i->second.second));
    else if (auto r = script.results.find(method); r != script.results.end())
      line(acp::response(ids[method], r->second));
  }

  void line(std::string text) { listener->on_line(std::move(text)); }

  void update(const std::string& brain, const std::string& fields) {
    line(
      acp::notification("session/update", R"({"sessionId":")" + brain + R"(","update":{)" + fields + "}}"));
  }

  void exit(int code, int signal) {
    if (std::exchange(exited, true))
      return;
    listener->on_stdout_end(ports::stdout_end::eof);
    listener->on_exit({code, signal});
  }

  size_t count(const std::string& method) const {
    size_t found = 0;
    for (const auto& each : methods)
      found += each == method;
    return found;
  }

  ports::process_spec spec;
  std::shared_ptr<ports::process_listener> listener;
  fault_script script;
  std::vector<std::string> written;
  std::vector<std::string> methods;
  std::map<std::string, std::string> ids;
  std::vector<int> signals;
  size_t consumed_bytes = 0;
  bool stdin_closed = false;
  bool exited = false;
  bool refuses = false;
  bool throws = false;
};

/// Starts fault processes; keeps them all, as a test wants to see what became of them.
class fault_launcher : public ports::process_launcher {
public:
  /// The daemon's handle: what becomes of the process when it is dropped is seen in `dropped`.
  class handle : public ports::process {
  public:
    handle(std::shared_ptr<fault_process> target, size_t& dropped) : target_{target}, dropped_{dropped} {}
    ~handle() override { ++dropped_; }
    bool write_line(std::string line) override { return target_->write_line(std::move(line)); }
    void close_stdin() override { target_->close_stdin(); }
    void signal(int signal) override { target_->signal(signal); }
    void consumed(size_t bytes) override { target_->consumed(bytes); }

  private:
    std::shared_ptr<fault_process> target_;
    size_t& dropped_;
  };

  std::shared_ptr<ports::process> launch(
    ports::process_spec spec, std::shared_ptr<ports::process_listener> listener) override {
    auto child = std::make_shared<fault_process>(std::move(spec), std::move(listener), script);
    children.push_back(child);
    if (script.starts)
      child->listener->on_started(4711);
    else
      child->listener->on_failed({errc::worker_boot_failed, "no such file"});
    return std::make_shared<handle>(child, dropped);
  }

  fault_script script;
  std::vector<std::shared_ptr<fault_process>> children;
  size_t dropped = 0;
};

/// A gate that opens nothing.
class fake_gate : public ports::world_gate {
public:
  void open(const worker_id& worker, const std::string& path, std::optional<uint32_t>,
    std::function<void(result<void>)> done) override {
    calls.push_back("open " + worker.value + " " + path);
    done(refusal ? result<void>{tl::unexpected{*refusal}} : result<void>{});
  }
  void close(const worker_id& worker) override { calls.push_back("close " + worker.value); }

  std::vector<std::string> calls;
  std::optional<failure> refusal;
};

} // namespace agentpool::test
