// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/e2b/api_core.hpp"

#include "net/e2b/api_answers.hpp"
#include "net/http/client/http_client.hpp"
#include "protocol/wire/e2b_list.hpp"

#include <utility>

namespace agentpool::net {

using ports::call_limits;
using ports::completion;
using ports::operation_id;

namespace {

std::string path_of(const std::string& sandbox, std::string_view tail = {}) {
  return "/sandboxes/" + e2b::url_encode(sandbox) + std::string{tail};
}

bool not_served(const http_answer& answer) {
  return answer.end.ok() && (answer.head.status == 404 || answer.head.status == 405);
}

template <class T>
std::function<void(failure)> failing(const completion<T>& done) {
  return [done](failure why) { done(tl::unexpected<failure>{std::move(why)}); };
}

// No call of the control plane is ever paused, which is what HTTP/2 is not trusted with.
http_client_options for_short_calls(http_client_options options) {
  options.http2 = true;
  return options;
}

// A host folder for whoever may name one: a provider mounts what this key of the metadata says.
constexpr auto mounts_host = "host-mount";

/// The end of an operation with what a success says, or with why it says nothing.
template <class T>
void complete(api_operation& op, const completion<T>& done, result<T> value) {
  if (!value)
    op.fail(std::move(value).error());
  else if (op.finish())
    done(std::move(value));
}

} // namespace

api_core::api_core(boost::asio::io_context& io, e2b_options options)
    : io_{io}, options_{std::move(options)}, client_{make_http_client(io, for_short_calls(options_.http))},
      create_{options_.kind->newer_calls ? generation::unknown : generation::v1}, connect_{create_} {}

api_core::operation api_core::begin(
  operation_id id, const call_limits& limits, effect what, std::function<void(failure)> failed) {
  auto op = std::make_shared<api_operation>(io_, options_, client_, limits, what, std::move(failed));
  op->on_finished = [this, id] { operations_.erase(id); };
  operations_.emplace(id, op);
  if (closed_)
    op->cancel();
  return op;
}

void api_core::send_either(const operation& op, generation api_core::*known, api_request newer,
  api_request older, api_operation::next then) {
  auto ask_older = [this, op, known, older = std::move(older), then] {
    op->send(older, [this, known, then](http_answer answer) {
      if (answer.success())
        this->*known = generation::v1;
      then(std::move(answer));
    });
  };
  if (this->*known == generation::v1)
    return ask_older();
  op->send(std::move(newer), [this, known, then, ask_older](http_answer answer) {
    if (not_served(answer) && this->*known == generation::unknown)
      return ask_older();
    if (answer.success())
      this->*known = generation::v2;
    then(std::move(answer));
  });
}

void api_core::create(
  operation_id id, ports::sandbox_spec spec, call_limits limits, completion<ports::sandbox_access> done) {
  auto op = begin(id, limits, effect::changes, failing(done));
  if (op->ended())
    return;
  if (spec.metadata.contains(mounts_host))
    return op->fail({errc::provider_refused, "metadata must not mount a folder of the provider's host"});
  auto request = new_sandbox_of(spec);
  api_request newer{"POST", "/v2/sandboxes", new_sandbox_json(request, e2b::api::v2), false};
  api_request older{"POST", "/sandboxes", new_sandbox_json(request, e2b::api::v1), false};
  send_either(op, &api_core::create_, newer, older, [op, done](http_answer answer) {
    if (answer.success())
      return complete(*op, done, access_from(answer));
    auto why = api_failure(answer, effect::changes);
    if (why.code == errc::hand_deleted) // what is missing is the template
      why.code = errc::provider_refused;
    op->fail(std::move(why));
  });
}

void api_core::connect_steps(
  const operation& op, const std::string& sandbox, std::chrono::seconds timeout, api_operation::next then) {
  auto body = e2b::connect_json({timeout.count()});
  api_request newer{"POST", "/v2" + path_of(sandbox, "/connect"), body};
  api_request older{"POST", path_of(sandbox, "/connect"), body};
  send_either(op, &api_core::connect_, newer, older, std::move(then));
}

void api_core::connect(operation_id id, std::string sandbox, std::chrono::seconds timeout, call_limits limits,
  completion<ports::sandbox_connected> done) {
  auto op = begin(id, limits, effect::changes, failing(done));
  if (op->ended())
    return;
  connect_steps(op, sandbox, timeout, [this, op, sandbox, timeout, done](http_answer answer) {
    if (!answer.success())
      return op->fail(answer);
    auto connected = access_from(answer).map([&answer](ports::sandbox_access access) {
      return ports::sandbox_connected{std::move(access), answer.head.status == 201};
    });
    if (!connected || options_.kind->connect_counts)
      return complete(*op, done, std::move(connected));
    confirm(
      op, sandbox, timeout, [op, done, connected = std::move(connected)] { complete(*op, done, connected); });
  });
}

void api_core::confirm(
  const operation& op, const std::string& sandbox, std::chrono::seconds timeout, std::function<void()> runs) {
  auto look = [op, sandbox, runs] {
    op->send({"GET", path_of(sandbox)}, [op, runs](http_answer told) {
      auto info = info_from(told);
      if (!info)
        return op->fail(info.error());
      if (!*info)
        return op->fail({errc::hand_deleted, "the provider connects to a sandbox that it does not have"});
      if ((*info)->state == ports::sandbox_state::paused)
        return op->fail({errc::provider_busy, "the provider took the resume and has not executed it"});
      runs();
    });
  };
  api_request request{"POST", path_of(sandbox, "/timeout"), e2b::timeout_json(timeout.count())};
  op->send(std::move(request), [op, look, runs](http_answer answer) {
    if (answer.success())
      return runs();
    if (!answer.end.ok())
      return op->fail(answer);
    look(); // paused, gone, or a version that cannot set timeouts
  });
}

void api_core::info(operation_id id, std::string sandbox, call_limits limits,
  completion<std::optional<ports::sandbox_info>> done) {
  auto op = begin(id, limits, effect::reads, failing(done));
  if (op->ended())
    return;
  op->send(
    {"GET", path_of(sandbox)}, [op, done](http_answer answer) { complete(*op, done, info_from(answer)); });
}

void api_core::list(
  operation_id id, ports::sandbox_query query, call_limits limits, completion<ports::sandbox_page> done) {
  auto op = begin(id, limits, effect::reads, failing(done));
  if (op->ended())
    return;
  op->send(
    {"GET", "/v2/sandboxes" + query_of(query, *options_.kind)}, [this, op, done, query](http_answer answer) {
      if (!answer.success())
        return op->fail(answer);
      complete(*op, done, page_from(answer, query, *options_.kind));
    });
}

void api_core::kill(operation_id id, std::string sandbox, call_limits limits, completion<bool> done) {
  auto op = begin(id, limits, effect::changes, failing(done));
  if (!op->ended())
    kill_steps(op, sandbox, false, done);
}

// Some providers do not delete a paused sandbox: it is resumed first, once.
void api_core::kill_steps(
  const operation& op, const std::string& sandbox, bool resumed, completion<bool> done) {
  op->send({"DELETE", path_of(sandbox)}, [this, op, sandbox, resumed, done](http_answer answer) {
    if (answer.success())
      return complete(*op, done, result<bool>{true});
    auto why = api_failure(answer, effect::changes);
    if (why.code == errc::hand_deleted)
      return complete(*op, done, result<bool>{false});
    if (resumed || cube_number(why.detail) != 130593)
      return op->fail(std::move(why));
    connect_steps(op, sandbox, std::chrono::seconds{60},
      [this, op, sandbox, done](const http_answer&) { kill_steps(op, sandbox, true, done); });
  });
}

void api_core::set_timeout(operation_id id, std::string sandbox, std::chrono::seconds timeout,
  call_limits limits, completion<void> done) {
  auto op = begin(id, limits, effect::changes, failing(done));
  if (!op->ended())
    timeout_steps(op, sandbox, timeout, done);
}

void api_core::timeout_steps(
  const operation& op, const std::string& sandbox, std::chrono::seconds timeout, completion<void> done) {
  api_request request{"POST", path_of(sandbox, "/timeout"), e2b::timeout_json(timeout.count())};
  op->send(std::move(request), [this, op, sandbox, timeout, done](http_answer answer) {
    if (answer.success())
      return complete(*op, done, result<void>{});
    auto status = answer.head.status;
    if (!answer.end.ok() || (status != 404 && status != 405 && status != 500))
      return op->fail(answer);
    explain_timeout(op, sandbox, timeout, done);
  });
}

// "Not found" is said of paused sandboxes too, and some providers fail where they do not know the call: then
// a connect prolongs what runs.
void api_core::explain_timeout(
  const operation& op, const std::string& sandbox, std::chrono::seconds timeout, completion<void> done) {
  op->send({"GET", path_of(sandbox)}, [this, op, sandbox, timeout, done](http_answer told) {
    auto info = info_from(told);
    if (!info)
      return op->fail(info.error());
    if (!*info)
      return op->fail({errc::hand_deleted, {}});
    if ((*info)->state == ports::sandbox_state::paused)
      return op->fail({errc::hand_stopped, "the sandbox is paused"});
    connect_steps(op, sandbox, timeout, [op, done](http_answer connected) {
      if (!connected.success())
        return op->fail(connected);
      complete(*op, done, result<void>{});
    });
  });
}

void api_core::refresh(operation_id id, std::string sandbox, std::chrono::seconds timeout, call_limits limits,
  completion<void> done) {
  constexpr std::chrono::seconds longest{3600}; // of this call
  auto op = begin(id, limits, effect::changes, failing(done));
  if (op->ended())
    return;
  if (timeout > longest || !options_.kind->refreshes)
    return timeout_steps(op, sandbox, timeout, done);
  api_request request{"POST", path_of(sandbox, "/refreshes"), refresh_json(timeout)};
  op->send(std::move(request), [this, op, sandbox, timeout, done](http_answer answer) {
    if (answer.success())
      return complete(*op, done, result<void>{});
    auto status = answer.head.status;
    if (!answer.end.ok() || (status != 400 && status != 404 && status != 405 && status != 500))
      return op->fail(answer);
    timeout_steps(op, sandbox, timeout, done);
  });
}

void api_core::pause(
  operation_id id, std::string sandbox, bool keep_memory, call_limits limits, completion<bool> done) {
  auto op = begin(id, limits, effect::changes, failing(done));
  if (op->ended())
    return;
  api_request request{"POST", path_of(sandbox, "/pause"), pause_json(keep_memory)};
  request.settled = says_paused_already;
  op->send(std::move(request), [op, done](http_answer answer) {
    if (answer.success())
      return complete(*op, done, result<bool>{true});
    if (answer.end.ok() && says_paused_already(answer))
      return complete(*op, done, result<bool>{false});
    op->fail(answer);
  });
}

void api_core::cancel(operation_id id) {
  auto found = operations_.find(id);
  if (found != operations_.end())
    operation {
      found->second
      } -> cancel();
}

void api_core::close() {
  closed_ = true;
  while (!operations_.empty())
    cancel(operations_.begin()->first);
  client_->close();
}

} // namespace agentpool::net
