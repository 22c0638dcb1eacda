// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/pump.hpp"

#include "actors/hands/world/sinks.hpp"

namespace agentpool::world {

pump::pump(std::shared_ptr<hand_io> hand, std::shared_ptr<ports::world_stream> to, order what,
  std::function<void(std::optional<failure>)> begun)
    : hand_{std::move(hand)}, to_{std::move(to)}, order_{std::move(what)}, begun_{std::move(begun)} {}

void pump::start() {
  auto sink = std::make_shared<bytes_home>(hand_->home());
  call_ = hand_->begin("read", order_.path, call_kind::stream);
  id_ = hand_->link().read_file(order_.path, hand_user, order_.range, {}, sink);
  auto self = shared_from_this();
  sink->listen({.head = [self](const ports::byte_head& told) { self->begin(told); },
    .bytes = [self](std::string bytes) { self->take(std::move(bytes)); },
    .end = [self](result<void> how) { self->end(std::move(how)); }});
}

// A file that grew or shrank since it was looked at is sent as it is now; of a part the bounds were told.
void pump::begin(const ports::byte_head& told) {
  if (sink_)
    return;
  if (order_.head.length && !order_.range.length)
    order_.head.length = told.length;
  sink_ = to_->begin(std::move(order_.head));
  homing closed{hand_->home(), [self = shared_from_this()] { self->peer_closed(); }};
  sink_->on_closed([closed] { closed.last(); });
  begun_(std::nullopt);
}

void pump::take(std::string bytes) {
  begin({});
  came_ += bytes.size();
  if (call_) {
    call_->answered();
    call_->add_bytes(bytes.size());
  }
  if (order_.copy && came_ <= order_.copy_most)
    copied_ += bytes;
  if (closed_)
    return hand_->link().consumed(id_, bytes.size());
  if (order_.most && came_ > *order_.most) {
    closed_ = true;
    sink_->abort("the file grew past the bound of its reader");
    return hand_->link().cancel(id_);
  }
  queue_.push_back(std::move(bytes));
  send();
}

void pump::send() {
  if (writing_ > 0 || queue_.empty() || closed_)
    return;
  writing_ = queue_.front().size();
  auto chunk = std::make_shared<const std::string>(std::move(queue_.front()));
  queue_.pop_front();
  homing taken{hand_->home(), [self = shared_from_this()](bool how) { self->written(how); }};
  sink_->write(std::move(chunk), [taken](bool how) { taken.last(how); });
}

void pump::written(bool taken) {
  hand_->link().consumed(id_, std::exchange(writing_, 0));
  if (!taken)
    return peer_closed();
  send();
  finish_when_sent();
}

void pump::end(result<void> how) {
  ended_ = true;
  if (call_ && !how)
    call_->failed(how.error());
  call_ = nullptr;
  if (how && order_.copy && came_ <= order_.copy_most)
    order_.copy(std::move(copied_));
  if (!how) {
    hand_->failed(how.error());
    if (!sink_)
      return begun_(how.error());
    closed_ = true;
    queue_.clear();
    // A body that ends early is a failed read.
    return sink_->abort("the sandbox ended the file early");
  }
  begin({});
  finish_when_sent();
}

void pump::finish_when_sent() {
  if (ended_ && writing_ == 0 && queue_.empty() && !closed_)
    sink_->finish("all of the file was sent");
}

void pump::peer_closed() {
  if (std::exchange(closed_, true))
    return;
  queue_.clear();
  if (!ended_)
    hand_->link().cancel(id_);
}

void answer_empty(ports::world_stream& to, ports::stream_head head) {
  to.begin(std::move(head))->finish("nothing to send");
}

} // namespace agentpool::world
