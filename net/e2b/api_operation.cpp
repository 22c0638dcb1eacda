// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/e2b/api_operation.hpp"

#include "net/e2b/route.hpp"
#include "protocol/wire/defaults.hpp"
#include "protocol/wire/e2b_error.hpp"
#include "protocol/wire/e2b_route.hpp"

#include <charconv>
#include <utility>

namespace agentpool::net {

using ports::http_fault;
using std::chrono::milliseconds;

namespace {

std::optional<milliseconds> retry_after(const http_answer& answer) {
  auto text = answer.head.header("Retry-After");
  int seconds = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size() || seconds < 0)
    return std::nullopt;
  return std::chrono::seconds{seconds};
}

// A status that says: not executed, ask again.
bool refused_for_now(const http_answer& answer) {
  auto status = answer.head.status;
  if (status == 429 || status == 503 || status == 409)
    return true;
  if (status < 500)
    return false;
  auto number = cube_number(e2b::parse_error(status, answer.body).message);
  return number == 130409 || number == 130589 || number == 130597;
}

// No answer, and it is safe to ask again.
bool lost_for_now(const http_answer& answer, bool repeatable) {
  switch (answer.end.fault) {
  case http_fault::connect:
  case http_fault::connect_deadline: return true;
  case http_fault::broken: return repeatable || !answer.end.sent;
  default: return false;
  }
}

} // namespace

api_operation::api_operation(boost::asio::io_context& io, const e2b_options& options,
  std::shared_ptr<ports::http_client> client, ports::call_limits limits, effect what,
  std::function<void(failure)> failed)
    : options_{options}, client_{std::move(client)}, limits_{limits}, what_{what}, failed_{std::move(failed)},
      timer_{io} {}

void api_operation::send(api_request request, next then) {
  request_ = std::move(request);
  then_ = std::move(then);
  tries_ = 0;
  attempt();
}

void api_operation::attempt() {
  ++tries_;
  auto receiver = std::make_shared<collector>([self = shared_from_this()](http_answer answer) {
    if (!self->ended_)
      self->answered(std::move(answer));
  });
  exchange_ = client_->send(make_call(), std::move(receiver));
}

ports::http_call api_operation::make_call() const {
  ports::http_call call;
  call.method = request_.method;
  call.url = without_slash(options_.api_url) + request_.path;
  call.headers = {std::string{e2b::api_key_header} + ": " + options_.api_key, "Accept: application/json"};
  if (!request_.body.empty()) {
    call.body = request_.body;
    call.headers.push_back("Content-Type: application/json");
  }
  call.limits = limits_;
  if (auto rest = left())
    call.limits.total = std::max(*rest, milliseconds{1});
  call.repeatable = request_.repeatable;
  call.most_body = defaults::provider_answer;
  return call;
}

std::optional<milliseconds> api_operation::left() const {
  if (limits_.total.count() == 0)
    return std::nullopt;
  return limits_.total - std::chrono::duration_cast<milliseconds>(clock::now() - started_);
}

void api_operation::answered(http_answer answer) {
  auto pause = pause_before_repeat(answer);
  if (!pause)
    return std::exchange(then_, nullptr)(std::move(answer));
  timer_.expires_after(*pause);
  timer_.async_wait([self = shared_from_this()](boost::system::error_code error) {
    if (!error && !self->ended_)
      self->attempt();
  });
}

// Nothing = this answer is the last one.
std::optional<milliseconds> api_operation::pause_before_repeat(const http_answer& answer) const {
  auto settled = request_.settled && answer.end.ok() && request_.settled(answer);
  auto again =
    answer.end.ok() ? !settled && refused_for_now(answer) : lost_for_now(answer, request_.repeatable);
  if (!again || tries_ >= defaults::provider_tries)
    return std::nullopt;
  milliseconds pause = defaults::provider_backoff * (1 << (tries_ - 1));
  if (auto told = retry_after(answer); told && answer.end.ok())
    pause = *told;
  auto rest = left();
  if (pause > defaults::provider_backoff_max || (rest && pause >= *rest))
    return std::nullopt;
  return pause;
}

void api_operation::cancel() {
  client_->cancel(exchange_);
  fail({errc::cancelled, "the call was cancelled"});
}

bool api_operation::finish() {
  if (std::exchange(ended_, true))
    return false;
  timer_.cancel();
  then_ = nullptr; // it holds this operation
  if (on_finished)
    std::exchange(on_finished, nullptr)();
  return true;
}

void api_operation::fail(failure why) {
  if (finish())
    failed_(std::move(why));
}

} // namespace agentpool::net
