// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/http/client/client_core.hpp"

#include "net/http/client/fault_text.hpp"
#include "protocol/wire/defaults.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace agentpool::net {

namespace asio = boost::asio;
using ports::http_fault;
using ports::operation_id;

client_core::client_core(asio::io_context& io, http_client_options options)
    : io_{io}, options_{std::move(options)} {}

// curl frees what a paused transfer holds only when the handle leaves its multi first.
client_core::~client_core() {
  for (auto& [id, one] : exchanges_)
    if (one.running)
      multi_->remove(one.what->easy());
}

void client_core::start(
  operation_id id, ports::http_call call, std::shared_ptr<ports::http_receiver> receiver) {
  if (closed_ || !admit(call)) {
    auto fault = closed_ ? http_fault::cancelled : http_fault::overloaded;
    receiver->on_end({fault, false, fault_text(fault, CURLE_OK), {}});
    return;
  }
  auto& one = exchanges_.try_emplace(id, io_).first->second;
  auto reader = source_reader(id, call.source);
  auto changed = [this, id, &one] { watch_deadline(id, one); }; // both outlive the transfer
  one.what = std::make_unique<transfer>(
    id, options_, std::move(call), std::move(receiver), std::move(reader), std::move(changed));
  ids_.emplace(one.what->easy(), id);
  if (one.what->call().stream || unary_ < defaults::client_unary)
    dispatch(id, one);
  else
    waiting_.push_back(id);
  watch_deadline(id);
}

bool client_core::admit(const ports::http_call& call) const {
  return call.stream ? streams_ < defaults::client_streams : waiting_.size() < defaults::client_waiting;
}

// The source answers on any thread, also inside the question.
std::function<void(size_t)> client_core::source_reader(
  operation_id id, const std::shared_ptr<ports::byte_source>& source) {
  if (!source)
    return [](size_t) {};
  return [this, id, source](size_t most) {
    auto answer = [&io = io_, weak = weak_from_this(), id](result<std::string> piece) {
      asio::post(io, [weak, id, piece = std::move(piece)]() mutable {
        if (auto self = weak.lock())
          self->supply(id, std::move(piece));
      });
    };
    asio::post(io_, [source, most, answer] { source->pull(most, answer); }); // never inside curl
  };
}

void client_core::dispatch(operation_id id, exchange& one) {
  if (!multi_)
    multi_ = std::make_shared<curl_multi>(io_, [this](CURL* easy, CURLcode code) { done(easy, code); });
  one.running = true;
  (one.what->call().stream ? streams_ : unary_) += 1;
  one.what->clock().dispatched(std::chrono::steady_clock::now());
  if (!multi_->add(one.what->easy()))
    end(id, http_fault::overloaded);
}

void client_core::dispatch_waiting() {
  while (!closed_ && !waiting_.empty() && unary_ < defaults::client_unary) {
    auto id = waiting_.front();
    waiting_.pop_front();
    if (auto found = exchanges_.find(id); found != exchanges_.end()) {
      dispatch(id, found->second);
      watch_deadline(id);
    }
  }
}

void client_core::watch_deadline(operation_id id) {
  if (auto found = exchanges_.find(id); found != exchanges_.end())
    watch_deadline(id, found->second);
}

// One timer for the next deadline. Bytes that move a deadline back do not touch it: it is looked at again
// when the timer fires.
void client_core::watch_deadline(operation_id id, exchange& one) {
  auto next = one.what->clock().next();
  if (!next)
    return static_cast<void>(one.timer.cancel());
  one.timer.expires_at(next->at);
  one.timer.async_wait([weak = weak_from_this(), id](boost::system::error_code error) {
    if (auto self = weak.lock(); self && !error)
      self->deadline(id);
  });
}

void client_core::deadline(operation_id id) {
  auto found = exchanges_.find(id);
  if (found == exchanges_.end())
    return;
  auto next = found->second.what->clock().next();
  if (next && next->at <= std::chrono::steady_clock::now())
    return end(id, next->fault);
  watch_deadline(id, found->second);
}

void client_core::consumed(operation_id id, size_t bytes) {
  auto found = exchanges_.find(id);
  if (found != exchanges_.end() && found->second.what->consumed(bytes))
    unpause(id, found->second);
}

void client_core::supply(operation_id id, result<std::string> piece) {
  auto found = exchanges_.find(id);
  if (found == exchanges_.end())
    return;
  auto& one = found->second;
  auto waited = one.what->supply(std::move(piece));
  if (one.what->source_failure())
    return end(id, http_fault::source);
  if (waited)
    unpause(id, one);
}

void client_core::unpause(operation_id id, exchange& one) {
  auto code = multi_->pause(one.what->easy(), one.what->pause_bits());
  if (code == CURLE_OK)
    return;
  take(id)->end(code);
  dispatch_waiting();
}

void client_core::done(CURL* easy, CURLcode code) {
  auto found = ids_.find(easy);
  if (found == ids_.end())
    return multi_->remove(easy);
  auto& one = exchanges_.at(found->second);
  if (one.what->try_again(code)) {
    multi_->remove(easy);
    if (options_.connects_repeated)
      ++*options_.connects_repeated;
    if (multi_->add(easy))
      return;
  }
  take(found->second)->end(code);
  dispatch_waiting();
}

// Out of curl's and the client's hands; its connection is closed unless its answer was whole.
std::unique_ptr<transfer> client_core::take(operation_id id) {
  auto found = exchanges_.find(id);
  if (found == exchanges_.end())
    return nullptr;
  auto what = std::move(found->second.what);
  if (found->second.running) {
    multi_->remove(what->easy());
    (what->call().stream ? streams_ : unary_) -= 1;
  } else {
    std::erase(waiting_, id);
  }
  ids_.erase(what->easy());
  exchanges_.erase(found);
  return what;
}

void client_core::end(operation_id id, http_fault fault) {
  if (auto what = take(id))
    what->end(fault);
  dispatch_waiting();
}

void client_core::close() {
  closed_ = true;
  while (!exchanges_.empty())
    end(exchanges_.begin()->first, http_fault::cancelled);
  if (auto multi = std::exchange(multi_, nullptr))
    multi->close();
}

} // namespace agentpool::net
