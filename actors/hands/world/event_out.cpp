// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/event_out.hpp"

#include "protocol/wire/base64.hpp"
#include "protocol/wire/defaults.hpp"

namespace agentpool::world {

namespace {

constexpr size_t output_bytes = 128 * 1024; // of one event
constexpr size_t write_bytes = 256 * 1024;  // joined into one write

} // namespace

event_out::event_out(std::shared_ptr<loop> home, std::shared_ptr<ports::event_sink> sink)
    : home_{std::move(home)}, sink_{std::move(sink)} {}

void event_out::open(std::function<void()> closed) {
  on_closed_ = std::move(closed);
  // Weak: the connection would hold what holds it.
  homing gone{home_, [weak = weak_from_this()] {
                if (auto self = weak.lock())
                  self->lost();
              }};
  sink_->on_closed([gone] { gone.last(); });
  ping_later();
}

void event_out::send(const json_object& event, credit held) {
  add(event.str() + '\n', std::move(held));
}

void event_out::send_error(const reply& why) {
  add("{\"event\":\"error\"," + why.body.substr(1) + '\n', nullptr);
}

void event_out::send_output(std::string_view stream, std::string_view bytes, const credit& held) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min(output_bytes, bytes.size()))) {
    json_object event;
    event.add("event", "output").add_if("stream", stream);
    send(event.add("data", base64_encode(bytes.substr(0, output_bytes))), held);
  }
}

void event_out::finish() {
  if (std::exchange(finishing_, true) || closed_)
    return;
  home_->stop(std::exchange(ping_, 0));
  on_closed_ = nullptr;
  if (flying_.empty() && lines_.empty())
    sink_->finish("the command is gone");
}

void event_out::add(std::string text, credit held) {
  if (closed_ || finishing_)
    return;
  lines_.push_back({std::move(text), std::move(held)});
  if (flying_.empty())
    write();
}

void event_out::write() {
  auto chunk = std::make_shared<std::string>();
  while (!lines_.empty() && (chunk->empty() || chunk->size() + lines_.front().text.size() <= write_bytes)) {
    *chunk += lines_.front().text;
    lines_.front().text.clear();
    flying_.push_back(std::move(lines_.front()));
    lines_.pop_front();
  }
  homing taken{home_, [self = shared_from_this()](bool how) { self->written(how); }};
  sink_->write(std::move(chunk), [taken](bool how) { taken.last(how); });
}

void event_out::written(bool taken) {
  flying_.clear();
  if (!taken)
    return lost();
  if (closed_)
    return;
  if (!lines_.empty())
    return write();
  if (finishing_)
    sink_->finish("the command is gone");
  else
    ping_later();
}

void event_out::lost() {
  if (std::exchange(closed_, true))
    return;
  lines_.clear();
  home_->stop(std::exchange(ping_, 0));
  if (auto closed = std::exchange(on_closed_, nullptr))
    closed();
}

void event_out::abandon() {
  on_closed_ = nullptr; // it holds who holds this
  if (!finishing_ && !std::exchange(closed_, true))
    sink_->abort("the world of this session ended");
  lines_.clear();
}

void event_out::ping_later() {
  home_->stop(ping_);
  ping_ = home_->after(defaults::world_ping, [weak = weak_from_this()] {
    if (auto self = weak.lock())
      self->send(json_object{}.add("event", "ping"));
  });
}

} // namespace agentpool::world
