// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/ports/http_client.hpp"
#include "protocol/ports/sandbox_link.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace agentpool::net::test {

/// State that callbacks on another thread fill and a test waits for, at most 30 s.
template <class State>
class recorded {
public:
  template <class F>
  void change(F f) {
    std::scoped_lock guard{mutex_};
    f(state_);
    changed_.notify_all();
  }
  /// False when `holds` did not come true.
  bool wait(const std::function<bool(const State&)>& holds) {
    std::unique_lock guard{mutex_};
    return changed_.wait_for(guard, std::chrono::seconds{30}, [&] { return holds(state_); });
  }
  State now() const {
    std::scoped_lock guard{mutex_};
    return state_;
  }

private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  State state_{};
};

/// The only answer of a call.
template <class T>
class reply {
public:
  ports::completion<T> completion() {
    return [state = state_](
             result<T> value) { state->change([&](auto& all) { all.push_back(std::move(value)); }); };
  }
  result<T> get() {
    if (!state_->wait([](const auto& all) { return !all.empty(); }))
      return fail(errc::internal, "no answer came");
    return state_->now().front();
  }
  size_t count() const { return state_->now().size(); }

private:
  std::shared_ptr<recorded<std::vector<result<T>>>> state_ =
    std::make_shared<recorded<std::vector<result<T>>>>();
};

/// The code of a failure, `none` for a value.
template <class T>
errc code_of(const result<T>& value) {
  return value ? errc::none : value.error().code;
}

struct http_record {
  std::optional<ports::http_head> head;
  std::string body;
  std::vector<ports::http_end> ends;
};

class recording_receiver : public ports::http_receiver {
public:
  void on_head(ports::http_head head) override {
    record.change([&](auto& x) { x.head = std::move(head); });
  }
  void on_bytes(std::string bytes) override {
    record.change([&](auto& x) { x.body += bytes; });
  }
  void on_end(ports::http_end end) override {
    record.change([&](auto& x) { x.ends.push_back(std::move(end)); });
  }
  ports::http_end end() {
    EXPECT_TRUE(record.wait([](const auto& x) { return !x.ends.empty(); }));
    auto now = record.now();
    return now.ends.empty() ? ports::http_end{} : now.ends.front();
  }

  recorded<http_record> record;
};

struct process_record {
  std::optional<uint32_t> pid;
  std::string out, err, pty;
  std::vector<result<ports::process_end>> ends;
};

class recording_process : public ports::process_sink {
public:
  void on_started(uint32_t pid) override {
    record.change([&](auto& x) { x.pid = pid; });
  }
  void on_output(ports::output_stream which, std::string bytes) override {
    record.change([&](auto& x) {
      (which == ports::output_stream::out    ? x.out
        : which == ports::output_stream::err ? x.err
                                             : x.pty) += bytes;
    });
  }
  void on_end(result<ports::process_end> how) override {
    record.change([&](auto& x) { x.ends.push_back(std::move(how)); });
  }
  result<ports::process_end> end() {
    if (!record.wait([](const auto& x) { return !x.ends.empty(); }))
      return fail(errc::internal, "no end came");
    return record.now().ends.front();
  }

  recorded<process_record> record;
};

struct byte_record {
  std::optional<ports::byte_head> head;
  std::string bytes;
  std::vector<result<void>> ends;
};

class recording_bytes : public ports::byte_sink {
public:
  void on_head(ports::byte_head head) override {
    record.change([&](auto& x) { x.head = std::move(head); });
  }
  void on_bytes(std::string bytes) override {
    record.change([&](auto& x) { x.bytes += bytes; });
  }
  void on_end(result<void> how) override {
    record.change([&](auto& x) { x.ends.push_back(std::move(how)); });
  }
  result<void> end() {
    if (!record.wait([](const auto& x) { return !x.ends.empty(); }))
      return fail(errc::internal, "no end came");
    return record.now().ends.front();
  }

  recorded<byte_record> record;
};

/// A source of pieces given beforehand; it waits where a piece is missing.
class scripted_source : public ports::byte_source {
public:
  explicit scripted_source(std::vector<result<std::string>> pieces, std::optional<uint64_t> length = {})
      : pieces_(std::move(pieces)), length_(length) {}

  std::optional<uint64_t> length() const override { return length_; }
  void pull(size_t, std::function<void(result<std::string>)> answer) override {
    auto more = next_ < pieces_.size();
    if (!more)
      held = std::move(answer);
    pulls.change([](size_t& n) { ++n; }); // whoever waits for it may use `held`
    if (more)
      answer(pieces_[next_++]);
  }

  recorded<size_t> pulls;
  std::function<void(result<std::string>)> held;

private:
  std::vector<result<std::string>> pieces_;
  std::optional<uint64_t> length_;
  size_t next_ = 0;
};

} // namespace agentpool::net::test
