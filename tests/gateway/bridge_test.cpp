// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "gateway/bridge.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <caf/all.hpp>
#include <gtest/gtest.h>

#include <thread>

namespace agentpool {

namespace {

using namespace std::chrono_literals;

// The viewer's supervisor is the smallest interface with a void reply; the reader has values.
caf::behavior answering(caf::event_based_actor* self) {
  using promise = caf::typed_response_promise<std::vector<session_id>>;
  auto unkept = std::make_shared<std::vector<promise>>();
  return {
    [](devices_atom) {
      return std::vector<device_row>{{{"dev_1"}, "hash", "label", 5}};
    },
    [](view_atom, const session_id& id) -> caf::result<session_row> {
      return to_error({errc::not_found, "no " + id.value});
    },
    [](list_atom, const device_id&, const std::string&, uint64_t) { return std::string{"no page at all"}; },
    [self, unkept](open_turns_atom) -> caf::result<std::vector<session_id>> {
      return unkept->emplace_back(self->make_response_promise<std::vector<session_id>>());
    },
    [](watch_atom, const viewer_order&, const std::shared_ptr<ports::event_sink>&) {},
  };
}

class Bridge : public ::testing::Test {
protected:
  struct config : caf::actor_system_config {
    config() {
      [[maybe_unused]] static const bool once = (register_types(), true);
      set("caf.scheduler.max-threads", 1);
    }
  };

  Bridge() : target{sys.spawn(answering)} {}
  ~Bridge() override { caf::anon_send_exit(target, caf::exit_reason::kill); }

  template <class Handle>
  Handle as() {
    return caf::actor_cast<Handle>(target);
  }

  /// Asks and runs the io context until the answer is there; it must come on this thread.
  template <class Reply, class Handle, class... Ts>
  result<Reply> ask(const Handle& handle, std::chrono::milliseconds deadline, Ts... xs) {
    std::optional<result<Reply>> got;
    auto here = std::this_thread::get_id();
    asks.ask(
      handle, deadline, io.get_executor(),
      [&got, here](result<Reply> reply) {
        EXPECT_EQ(std::this_thread::get_id(), here);
        EXPECT_FALSE(got) << "answered twice";
        got = std::move(reply);
      },
      std::move(xs)...);
    auto work = boost::asio::make_work_guard(io);
    io.restart();
    for (int i = 0; i < 400 && !got; ++i)
      io.run_one_for(50ms);
    EXPECT_TRUE(got);
    return got.value_or(fail(errc::internal, "no answer"));
  }

  config cfg;
  caf::actor_system sys{cfg};
  boost::asio::io_context io;
  bridge asks{sys, io.get_executor()};
  caf::actor target;
};

} // namespace

TEST_F(Bridge, ReplyLandsOnTheExecutor) {
  auto devices = ask<std::vector<device_row>>(as<store_reader_actor>(), 20s, devices_atom_v);
  ASSERT_TRUE(devices);
  EXPECT_EQ(devices->at(0).label, "label");
}

TEST_F(Bridge, VoidReplyIsASuccess) {
  EXPECT_TRUE(ask<void>(
    as<viewer_sup_actor>(), 20s, watch_atom_v, viewer_order{}, std::shared_ptr<ports::event_sink>{}));
}

TEST_F(Bridge, ErrorKeepsItsCodeAndDetail) {
  auto row = ask<session_row>(as<store_reader_actor>(), 20s, view_atom_v, session_id{"ses_1"});
  EXPECT_EQ(row.error(), (failure{errc::not_found, "no ses_1"}));
}

TEST_F(Bridge, NullHandleIsOverloaded) {
  EXPECT_EQ(
    ask<std::vector<device_row>>(store_reader_actor{}, 20s, devices_atom_v).error().code, errc::overloaded);
}

TEST_F(Bridge, ActorThatEndedIsOverloaded) {
  auto reader = as<store_reader_actor>();
  caf::scoped_actor self{sys};
  self->send_exit(target, caf::exit_reason::user_shutdown);
  self->wait_for(target);
  EXPECT_EQ(ask<std::vector<device_row>>(reader, 20s, devices_atom_v).error().code, errc::overloaded);
}

TEST_F(Bridge, SilentActorMissesTheDeadline) {
  EXPECT_EQ(ask<std::vector<session_id>>(as<store_reader_actor>(), 5ms, open_turns_atom_v).error().code,
    errc::deadline);
}

TEST_F(Bridge, ShorterDeadlineOvertakesALongerOne) {
  asks.ask(
    as<store_reader_actor>(), 60s, io.get_executor(),
    [](const result<std::vector<session_id>>& reply) { EXPECT_EQ(reply.error().code, errc::shutting_down); },
    open_turns_atom_v);
  EXPECT_EQ(ask<std::vector<session_id>>(as<store_reader_actor>(), 5ms, open_turns_atom_v).error().code,
    errc::deadline);
  asks.close();
  io.poll();
}

TEST_F(Bridge, WrongReplyIsAnInternalFailure) {
  auto page =
    ask<session_page>(as<store_reader_actor>(), 20s, list_atom_v, device_id{}, std::string{}, uint64_t{1});
  EXPECT_EQ(page.error().code, errc::internal);
}

TEST_F(Bridge, ClosingFailsWhatWaitsAndWhatComes) {
  std::vector<errc> codes;
  auto note = [&codes](const result<std::vector<session_id>>& reply) { codes.push_back(reply.error().code); };
  asks.ask(as<store_reader_actor>(), 60s, io.get_executor(), note, open_turns_atom_v);
  asks.close();
  asks.ask(as<store_reader_actor>(), 60s, io.get_executor(), note, open_turns_atom_v);
  io.run();
  EXPECT_EQ(codes, (std::vector{errc::shutting_down, errc::shutting_down}));
}

TEST_F(Bridge, ManyRequestsGetEachItsOwnAnswer) {
  constexpr int count = 5'000;
  int answered = 0;
  auto work = boost::asio::make_work_guard(io);
  for (int i = 0; i < count; ++i)
    asks.ask(
      as<store_reader_actor>(), 60s, io.get_executor(),
      [&, i](const result<session_row>& row) {
        EXPECT_EQ(row.error().detail, "no ses_" + std::to_string(i));
        if (++answered == count)
          io.stop(); // the deadlines' timer would hold it
      },
      view_atom_v, session_id{"ses_" + std::to_string(i)});
  io.restart();
  io.run_for(60s);
  EXPECT_EQ(answered, count);
}

} // namespace agentpool
