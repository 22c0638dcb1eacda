// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/hands/world/operation.hpp"
#include "tests/support/fault_link.hpp"
#include "tests/support/manual_loop.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

namespace agentpool::test {

/// What a peer of a streamed answer got.
class recorded_sink : public ports::event_sink {
public:
  void write(std::shared_ptr<const std::string> chunk, std::function<void(bool)> done) override {
    if (closed)
      return done(false);
    bytes += *chunk;
    if (stuck)
      waiting.push_back(std::move(done));
    else
      done(true);
  }
  void finish(std::string_view) override {
    finished = true;
    end();
  }
  void abort(std::string_view) override {
    aborted = true;
    end();
  }
  void on_closed(std::function<void()> told) override {
    on_close = std::move(told);
    if (closed)
      end();
  }

  /// The peer goes away.
  void leave() {
    closed = true;
    for (auto& done : std::exchange(waiting, {}))
      done(false);
    end();
  }
  /// The peer takes what waits.
  void take() {
    for (auto& done : std::exchange(waiting, {}))
      done(true);
  }

  std::string bytes;
  bool stuck = false, finished = false, aborted = false, closed = false;
  std::vector<std::function<void(bool)>> waiting;
  std::function<void()> on_close;

private:
  void end() {
    if (auto call = std::exchange(on_close, nullptr))
      call();
  }
};

/// The stream of one request.
class recorded_stream : public ports::world_stream {
public:
  std::shared_ptr<ports::byte_source> body() override { return rest; }
  std::shared_ptr<ports::event_sink> begin(ports::stream_head what) override {
    head = std::move(what);
    return sink;
  }

  std::shared_ptr<ports::byte_source> rest;
  std::optional<ports::stream_head> head;
  std::shared_ptr<recorded_sink> sink = std::make_shared<recorded_sink>();
};

/// Operations on a hand in memory.
class WorldFixture : public ::testing::Test {
protected:
  struct asked {
    std::optional<world::reply> reply;
    std::shared_ptr<recorded_stream> stream = std::make_shared<recorded_stream>();
    json body() const { return *json::parse(reply->body); }
    std::string code() const { return body()["code"].text_or(""); }
  };

  ~WorldFixture() override {
    link->close({errc::cancelled, {}});
    home->run();
  }

  std::shared_ptr<world::hand_io> lend(uint64_t continuity = 1) {
    return std::make_shared<world::hand_io>(
      home, link, continuity, [this](hand_outcome how, const std::string&) { given_back.push_back(how); },
      world::hand_memory{known, trace, fresh, [this](uint64_t since) { left.push_back(since); }});
  }

  /// Begins an operation; its steps run with `home->run()`.
  std::shared_ptr<asked> begin(void (*run)(const world::operation&), const std::string& body,
    std::string content = {}, std::shared_ptr<bool> cancelled = nullptr) {
    auto out = std::make_shared<asked>();
    world::operation op;
    op.hand = lend();
    op.body = *json::parse(body);
    op.content = std::move(content);
    op.stream = out->stream;
    op.targets = targets;
    op.cancelled = std::move(cancelled);
    op.done = [out](world::reply reply) {
      EXPECT_FALSE(out->reply) << "answered twice";
      out->reply = std::move(reply);
    };
    run(op);
    return out;
  }

  asked ask(void (*run)(const world::operation&), const std::string& body, std::string content = {}) {
    auto out = begin(run, body, std::move(content));
    home->run();
    EXPECT_TRUE(out->reply) << body;
    return std::move(*out);
  }

  std::shared_ptr<manual_loop> home = std::make_shared<manual_loop>();
  std::shared_ptr<fault_link> link = std::make_shared<fault_link>();
  std::shared_ptr<world::target_queue> targets = std::make_shared<world::target_queue>();
  std::vector<hand_outcome> given_back;
  std::shared_ptr<world::known_files> known; ///< null: nothing is remembered
  std::shared_ptr<world::tool_trace> trace;
  bool fresh = false;
  std::vector<uint64_t> left; ///< what commands left running, since when
};

} // namespace agentpool::test
