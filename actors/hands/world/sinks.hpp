// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/hands/world/loop.hpp"
#include "protocol/ports/sandbox_link.hpp"

#include <functional>
#include <memory>
#include <string>

/// The receiving ends of the link's streams, brought home.
namespace agentpool::world {

/// What to do with a stream of bytes; a function that is empty does nothing.
struct bytes_handlers {
  std::function<void(ports::byte_head)> head;
  std::function<void(std::string)> bytes;
  std::function<void(result<void>)> end;
};

/// What to do with a process.
struct process_handlers {
  std::function<void(uint32_t pid)> started;
  std::function<void(ports::output_stream, std::string)> output;
  std::function<void(result<ports::process_end>)> end;
};

/// Brings events to `Handlers` at home, in order; after the end the handlers are released there. What comes
/// is posted, so that `listen` right after the stream was ordered, in the same step, misses nothing.
template <class Handlers>
class home_base {
public:
  explicit home_base(std::shared_ptr<loop> home)
      : home_{std::move(home)}, handlers_{std::make_shared<Handlers>()} {}

  void listen(Handlers handlers) { *handlers_ = std::move(handlers); }

protected:
  template <class Function, class... Ts>
  void call(Function Handlers::*which, Ts... xs) {
    home_->post([all = handlers_, which, ... xs = std::move(xs)]() mutable {
      if (auto what = (*all).*which) // a copy: the handler may replace itself
        what(std::move(xs)...);
    });
  }

  template <class Function, class... Ts>
  void last(Function Handlers::*which, Ts... xs) {
    home_->post([all = handlers_, which, ... xs = std::move(xs)]() mutable {
      auto once = std::move(*all);
      *all = {};
      if (auto& what = once.*which)
        what(std::move(xs)...);
    });
  }

private:
  std::shared_ptr<loop> home_;
  std::shared_ptr<Handlers> handlers_;
};

class bytes_home : public ports::byte_sink, public home_base<bytes_handlers> {
public:
  using home_base::home_base;
  void on_head(ports::byte_head head) override { call(&bytes_handlers::head, std::move(head)); }
  void on_bytes(std::string bytes) override { call(&bytes_handlers::bytes, std::move(bytes)); }
  void on_end(result<void> how) override { last(&bytes_handlers::end, std::move(how)); }
};

class process_home : public ports::process_sink, public home_base<process_handlers> {
public:
  using home_base::home_base;
  void on_started(uint32_t pid) override { call(&process_handlers::started, pid); }
  void on_output(ports::output_stream which, std::string bytes) override {
    call(&process_handlers::output, which, std::move(bytes));
  }
  void on_end(result<ports::process_end> how) override { last(&process_handlers::end, std::move(how)); }
};

} // namespace agentpool::world
