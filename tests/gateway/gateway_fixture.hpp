// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gateway/router.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <caf/all.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <map>
#include <optional>

namespace agentpool::test {

/// A stream that only remembers what was written.
class fake_sink : public ports::event_sink {
public:
  void write(std::shared_ptr<const std::string> chunk, std::function<void(bool)> done) override {
    text += *chunk;
    done(true);
  }
  void finish(std::string_view) override { finished = true; }
  void abort(std::string_view) override { finished = true; }
  void on_closed(std::function<void()>) override {}

  std::string text;
  std::atomic<bool> finished = false;
};

/// A request without a connection, and its answer.
class fake_exchange : public net::http_exchange {
public:
  fake_exchange(boost::asio::io_context& io, net::http_request request)
      : io_{io}, request_{std::move(request)} {}

  const net::http_request& request() const override { return request_; }
  boost::asio::any_io_executor executor() const override { return io_.get_executor(); }
  void respond(net::http_response response) override {
    EXPECT_FALSE(answer) << "answered twice";
    answer = std::move(response);
  }
  std::shared_ptr<ports::event_sink> stream(net::http_response head) override {
    respond(std::move(head));
    return sink = std::make_shared<fake_sink>();
  }

  std::string header(const std::string& name) const {
    for (const auto& [key, value] : answer->headers)
      if (key == name)
        return value;
    return {};
  }

  std::optional<net::http_response> answer;
  std::shared_ptr<fake_sink> sink;

private:
  boost::asio::io_context& io_;
  net::http_request request_;
};

/// What the fake node knows, and what it was asked for. Read it only when no request is under way.
struct fake_node {
  std::map<std::string, device_id> devices; ///< by token hash
  std::map<std::string, device_id> owners;  ///< of sessions
  std::map<std::string, errc> failing;      ///< verb → what it answers
  std::vector<std::string> asked;           ///< verbs
  std::optional<create_request> created;
  std::optional<prompt_order> prompted;
  std::optional<idempotency> once;
  std::optional<viewer_order> watched;
  std::string label;
  std::vector<idempotency_row> kept; ///< answers of keyed requests
};

/// Remembers answers in a list.
inline caf::behavior fake_once(caf::event_based_actor*, std::shared_ptr<fake_node> node) {
  return {
    [node](begin_atom, const idempotency_row& asked) -> caf::result<idempotency_row> {
      for (const auto& row : node->kept)
        if (row.device == asked.device && row.route == asked.route && row.key == asked.key)
          return row.request_hash == asked.request_hash
                   ? caf::result<idempotency_row>{row}
                   : caf::result<idempotency_row>{to_error({errc::idempotency_mismatch, {}})};
      return asked;
    },
    [node](ended_atom, const session_id&, const idempotency_row& row) { node->kept.push_back(row); },
  };
}

/// Answers like the session registry, from a table.
inline caf::behavior fake_registry(caf::event_based_actor*, std::shared_ptr<fake_node> node) {
  auto device = [node](const caller& who) -> caf::expected<device_id> {
    auto found = node->devices.find(who.token_hash);
    return found == node->devices.end() ? caf::expected<device_id>{to_error({errc::unauthorized, "who?"})}
                                        : caf::expected<device_id>{found->second};
  };
  auto allowed = [node, device](
                   const std::string& verb, const caller& who, const session_id& id) -> caf::error {
    node->asked.push_back(verb);
    auto owner = device(who);
    if (!owner)
      return owner.error();
    auto known = node->owners.find(id.value);
    if (known == node->owners.end() || known->second != *owner)
      return to_error({errc::not_found, "session " + id.value + " is not yours"});
    if (auto bad = node->failing.find(verb); bad != node->failing.end())
      return to_error({bad->second, {}});
    return {};
  };
  auto view = [](const session_id& id) {
    session_view out;
    out.row.id = id;
    out.state = "ready";
    return out;
  };
  return {
    [=](authorize_atom, const caller& who) -> caf::result<device_id> {
      node->asked.push_back("device");
      if (auto found = device(who))
        return *found;
      else
        return found.error();
    },
    [=](authorize_atom, const caller& who, const session_id& id) -> caf::result<void> {
      if (auto no = allowed("authorize", who, id))
        return no;
      return caf::unit;
    },
    [=](create_atom, const caller& who, create_request& request,
      idempotency& once) -> caf::result<session_view> {
      if (auto owner = device(who); !owner)
        return owner.error();
      node->created = request;
      node->once = once;
      return view({"ses_made"});
    },
    [=](
      list_atom, const caller& who, const std::string& cursor, uint64_t limit) -> caf::result<session_list> {
      if (auto owner = device(who); !owner)
        return owner.error();
      node->asked.push_back("list " + cursor + " " + std::to_string(limit));
      return session_list{{view({"ses_1"})}, "more"};
    },
    [=](view_atom, const caller& who, const session_id& id) -> caf::result<session_view> {
      if (auto no = allowed("view", who, id))
        return no;
      return view(id);
    },
    [=](prompt_atom, const caller& who, const session_id& id,
      prompt_order& order) -> caf::result<prompt_accepted> {
      if (auto no = allowed("prompt", who, id))
        return no;
      node->prompted = order;
      return prompt_accepted{{"turn_1"}};
    },
    [=](cancel_atom, const caller& who, const session_id& id) -> caf::result<void> {
      if (auto no = allowed("cancel", who, id))
        return no;
      return caf::unit;
    },
    [=](erase_atom, const caller& who, const session_id& id) -> caf::result<void> {
      if (auto no = allowed("erase", who, id))
        return no;
      return caf::unit;
    },
    [=](permission_atom, const caller& who, const session_id& id) -> caf::result<std::string> {
      if (auto no = allowed("permissions", who, id))
        return no;
      return std::string{"[]"};
    },
    [=](answer_atom, const caller& who, const session_id& id, const std::string& request,
      const std::string& option) -> caf::result<void> {
      if (auto no = allowed("answer " + request + " " + option, who, id))
        return no;
      return caf::unit;
    },
    [=](create_atom, const std::string& label) -> caf::result<device_created> {
      node->label = label;
      return device_created{{"dev_1"}, "secret"};
    },
    [=](list_atom) {
      actor_status one;
      one.kind = "session";
      one.id = "ses_1";
      return std::vector<actor_status>{one};
    },
  };
}

/// A node of fake actors behind the real routes.
class GatewayFixture : public ::testing::Test {
protected:
  struct config : caf::actor_system_config {
    config() {
      [[maybe_unused]] static const bool once = (register_types(), true);
      set("caf.scheduler.max-threads", 1);
    }
  };

  GatewayFixture() {
    node->devices[sha256_hex(token)] = {"dev_mine"};
    node->devices[sha256_hex(other_token)] = {"dev_other"};
    node->owners[mine] = {"dev_mine"};
    node->owners[foreign] = {"dev_other"};
    publish(names::session_registry, sys.spawn(fake_registry, node));
    publish(names::once, sys.spawn(fake_once, node));
  }

  ~GatewayFixture() override {
    if (services)
      services->asks.close();
    io.poll();
    for (const auto& [name, actor] : published) {
      sys.registry().erase(name);
      caf::anon_send_exit(actor, caf::exit_reason::kill);
    }
  }

  void publish(std::string_view name, const caf::actor& actor) {
    sys.registry().put(std::string{name}, caf::actor_cast<caf::strong_actor_ptr>(actor));
    published.emplace_back(name, actor);
  }

  /// One request with the own device's token unless `headers` say otherwise; waits for the answer.
  std::shared_ptr<fake_exchange> ask(std::string method, std::string target, std::string body = {},
    std::vector<std::pair<std::string, std::string>> headers = {},
    std::span<const route> table = app_routes()) {
    if (!services)
      services = std::make_shared<gateway_services>(sys, io.get_executor(), settings);
    net::http_request request;
    request.method = std::move(method);
    auto mark = target.find('?');
    request.path = target.substr(0, mark);
    request.query = mark == std::string::npos ? std::string{} : target.substr(mark + 1);
    request.body = std::move(body);
    request.headers = std::move(headers);
    if (with_token)
      request.headers.emplace_back("Authorization", "Bearer " + token);
    auto http = std::make_shared<fake_exchange>(io, std::move(request));
    dispatch(table, services, http);
    run_until([&] { return http->answer.has_value(); });
    EXPECT_TRUE(http->answer);
    return http;
  }

  /// Runs the io context until `done`, at most 20 s.
  template <class Condition>
  void run_until(Condition done) {
    auto end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    auto work = boost::asio::make_work_guard(io);
    io.restart(); // it stopped when nothing was left to do
    while (!done() && std::chrono::steady_clock::now() < end)
      io.run_one_for(std::chrono::milliseconds{50});
  }

  std::string token = "device-token";
  std::string other_token = "other-token";
  std::string mine = "ses_" + std::string(26, 'a');
  std::string foreign = "ses_" + std::string(26, 'b');
  std::string absent = "ses_" + std::string(26, 'c');
  std::shared_ptr<fake_node> node = std::make_shared<fake_node>();
  bool with_token = true;
  gateway_config settings;
  config cfg;
  caf::actor_system sys{cfg};
  boost::asio::io_context io;
  std::shared_ptr<gateway_services> services;
  std::vector<std::pair<std::string, caf::actor>> published;
};

} // namespace agentpool::test
