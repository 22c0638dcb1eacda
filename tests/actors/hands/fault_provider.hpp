// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/ports/sandbox.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace agentpool::test {

/// A sandbox of the fault provider.
struct fault_sandbox {
  std::map<std::string, std::string> metadata;
  std::string nonce;
  std::string marker;
  std::string user = "1000";         ///< what it says of its user
  std::vector<std::string> commands; ///< what was executed in it, the verifications aside
  size_t verified = 0;
};

/// What the fault provider has, what it was asked, and what goes wrong.
struct provider_script {
  std::map<std::string, fault_sandbox> sandboxes;
  std::vector<std::string> calls; ///< `create`, `connect ID`, `verify ID`, `refresh ID`, `kill ID`, `list`
  int64_t clock = 1'700'000'000'000;
  uint64_t counter = 0;
  uint64_t links = 0;

  /// A reason makes a call fail without any effect.
  std::function<std::optional<failure>(const std::string& call)> fault;
  /// A reason is answered although the call had its effect.
  std::function<std::optional<failure>(const std::string& call)> lie;
  /// Calls for which this says true are carried out, and their answers are held back.
  std::function<bool(const std::string& call)> holds;
  std::deque<std::function<void()>> held;
  std::map<std::string, std::string> misrouted; ///< a link to the first reaches the second

  size_t count(const std::string& beginning) const {
    return static_cast<size_t>(
      std::ranges::count_if(calls, [&](const std::string& call) { return call.starts_with(beginning); }));
  }
  /// Lets all held answers go.
  void release() {
    for (auto& answer : std::exchange(held, {}))
      answer();
  }
  std::string only() const { return sandboxes.size() == 1 ? sandboxes.begin()->first : "not one"; }
};

/// The data plane of the fault provider: only the command that verifies, and `run:NAME` for tests.
class fault_link : public ports::sandbox_link {
public:
  fault_link(std::shared_ptr<provider_script> script, std::string id)
      : script_{std::move(script)}, id_{std::move(id)} {
    ++script_->links;
  }

  ports::operation_id start(
    ports::command_spec command, ports::stream_options, std::shared_ptr<ports::process_sink> sink) override {
    auto what = "verify " + id_;
    script_->calls.push_back(what);
    auto why = script_->fault ? script_->fault(what) : std::nullopt;
    auto to = script_->misrouted.contains(id_) ? script_->misrouted.at(id_) : id_;
    auto i = script_->sandboxes.find(to);
    if (!why && i == script_->sandboxes.end())
      why = failure{errc::hand_stopped, "no such sandbox"};
    std::string text;
    if (!why)
      text = verify(command, i->second);
    auto answer = [sink, why, text] {
      if (why)
        return sink->on_end(tl::unexpected{*why});
      sink->on_started(1);
      sink->on_output(ports::output_stream::out, text);
      sink->on_end(ports::process_end{true, 0, "exit status 0", {}});
    };
    if (script_->holds && script_->holds(what))
      script_->held.push_back(answer);
    else
      answer();
    return ++script_->counter;
  }

  void close(failure why) override { closed = std::move(why); }

  std::optional<failure> closed;
  const std::string& id() const { return id_; }

  // Nothing of the hand's actor uses these.
  ports::operation_id stat(std::string, std::string, ports::call_limits,
    ports::completion<std::optional<ports::entry_info>>) override {
    return 0;
  }
  ports::operation_id list_dir(std::string, uint32_t, std::string, ports::call_limits,
    ports::completion<std::vector<ports::entry_info>>) override {
    return 0;
  }
  ports::operation_id make_dir(
    std::string, std::string, ports::call_limits, ports::completion<bool>) override {
    return 0;
  }
  ports::operation_id move(std::string, std::string, std::string, ports::call_limits,
    ports::completion<ports::entry_info>) override {
    return 0;
  }
  ports::operation_id remove(std::string, std::string, ports::call_limits, ports::completion<void>) override {
    return 0;
  }
  ports::operation_id read_file(std::string, std::string, ports::byte_range, ports::stream_options,
    std::shared_ptr<ports::byte_sink>) override {
    return 0;
  }
  ports::operation_id write_file(std::string, std::string, std::shared_ptr<ports::byte_source>,
    ports::stream_options, ports::completion<std::string>) override {
    return 0;
  }
  ports::operation_id write_file(
    std::string, std::string, std::string, ports::call_limits, ports::completion<std::string>) override {
    return 0;
  }
  ports::operation_id attach(
    ports::process_ref, ports::stream_options, std::shared_ptr<ports::process_sink>) override {
    return 0;
  }
  ports::operation_id send_input(
    ports::process_ref, std::string, bool, ports::call_limits, ports::completion<void>) override {
    return 0;
  }
  ports::operation_id close_stdin(ports::process_ref, ports::call_limits, ports::completion<void>) override {
    return 0;
  }
  ports::operation_id signal(
    ports::process_ref, ports::process_signal, ports::call_limits, ports::completion<void>) override {
    return 0;
  }
  ports::operation_id resize(
    ports::process_ref, ports::pty_size, ports::call_limits, ports::completion<void>) override {
    return 0;
  }
  ports::operation_id processes(
    ports::call_limits, ports::completion<std::vector<ports::running_process>>) override {
    return 0;
  }
  ports::operation_id health(ports::call_limits, ports::completion<void>) override { return 0; }
  ports::operation_id init(ports::envd_init, ports::call_limits, ports::completion<void>) override {
    return 0;
  }
  void consumed(ports::operation_id, size_t) override {}
  void cancel(ports::operation_id) override {}

private:
  std::string verify(const ports::command_spec& command, fault_sandbox& in) const {
    ++in.verified;
    if (command.env.at("AGENTPOOL_FRESH") == "1" && in.nonce.empty())
      in.nonce = command.env.at("AGENTPOOL_NONCE");
    auto clock = std::to_string(script_->clock / 1000) + ".123000000";
    auto text = "nonce " + in.nonce + "\nboot " + in.marker + "\nclock " + clock + "\nuser " + in.user + "\n";
    if (in.marker.empty())
      in.marker = command.env.at("AGENTPOOL_BOOT");
    return text;
  }

  std::shared_ptr<provider_script> script_;
  std::string id_;
};

/// A sandbox provider in memory, made to inject the faults of real ones.
class fault_provider : public ports::sandbox_api {
public:
  explicit fault_provider(std::shared_ptr<provider_script> script) : script_{std::move(script)} {}

  ports::operation_id create(
    ports::sandbox_spec spec, ports::call_limits, ports::completion<ports::sandbox_access> done) override {
    return call<ports::sandbox_access>("create", std::move(done), [&]() -> result<ports::sandbox_access> {
      auto id = "sb" + std::to_string(++made_);
      script_->sandboxes[id].metadata = spec.metadata;
      ports::sandbox_access out;
      out.id = id;
      out.envd_token = "token of " + id;
      return out;
    });
  }

  ports::operation_id connect(std::string id, std::chrono::seconds, ports::call_limits,
    ports::completion<ports::sandbox_connected> done) override {
    return call<ports::sandbox_connected>(
      "connect " + id, std::move(done), [&]() -> result<ports::sandbox_connected> {
        if (!script_->sandboxes.contains(id))
          return fail(errc::hand_deleted, "no such sandbox");
        ports::sandbox_connected out;
        out.access.id = id;
        return out;
      });
  }

  ports::operation_id info(
    std::string id, ports::call_limits, ports::completion<std::optional<ports::sandbox_info>> done) override {
    using value = std::optional<ports::sandbox_info>;
    return call<value>("info " + id, std::move(done),
      [&]() -> result<value> { return script_->sandboxes.contains(id) ? value{info_of(id)} : value{}; });
  }

  ports::operation_id list(
    ports::sandbox_query query, ports::call_limits, ports::completion<ports::sandbox_page> done) override {
    return call<ports::sandbox_page>("list", std::move(done), [&]() -> result<ports::sandbox_page> {
      ports::sandbox_page out;
      auto i = script_->sandboxes.upper_bound(query.cursor);
      for (; i != script_->sandboxes.end() && out.sandboxes.size() < 2; ++i) // small pages: there are several
        out.sandboxes.push_back(info_of(i->first));
      if (i != script_->sandboxes.end())
        out.next = out.sandboxes.back().id;
      return out;
    });
  }

  ports::operation_id kill(std::string id, ports::call_limits, ports::completion<bool> done) override {
    return call<bool>(
      "kill " + id, std::move(done), [&]() -> result<bool> { return script_->sandboxes.erase(id) > 0; });
  }

  ports::operation_id set_timeout(
    std::string id, std::chrono::seconds, ports::call_limits, ports::completion<void> done) override {
    return extend("set_timeout " + id, id, std::move(done));
  }

  ports::operation_id refresh(
    std::string id, std::chrono::seconds, ports::call_limits, ports::completion<void> done) override {
    return extend("refresh " + id, id, std::move(done));
  }

  void cancel(ports::operation_id) override {}

  std::shared_ptr<ports::sandbox_link> link(const ports::sandbox_access& access) override {
    return std::make_shared<fault_link>(script_, access.id);
  }

private:
  ports::operation_id extend(const std::string& what, const std::string& id, ports::completion<void> done) {
    return call<void>(what, std::move(done), [&]() -> result<void> {
      if (!script_->sandboxes.contains(id))
        return fail(errc::hand_deleted, "no such sandbox");
      return {};
    });
  }

  template <class T, class F>
  ports::operation_id call(const std::string& what, ports::completion<T> done, F effect) {
    script_->calls.push_back(what);
    result<T> outcome = fail(errc::internal);
    if (auto why = script_->fault ? script_->fault(what) : std::nullopt)
      outcome = tl::unexpected{*why};
    else
      outcome = effect();
    if (auto why = script_->lie ? script_->lie(what) : std::nullopt)
      outcome = tl::unexpected{*why};
    if (script_->holds && script_->holds(what))
      script_->held.push_back([done, outcome] { done(outcome); });
    else
      done(outcome);
    return ++script_->counter;
  }

  ports::sandbox_info info_of(const std::string& id) const {
    ports::sandbox_info out;
    out.id = id;
    out.state = ports::sandbox_state::running;
    out.metadata = script_->sandboxes.at(id).metadata;
    return out;
  }

  std::shared_ptr<provider_script> script_;
  uint64_t made_ = 0;
};

} // namespace agentpool::test
