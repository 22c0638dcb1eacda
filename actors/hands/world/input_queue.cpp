// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/input_queue.hpp"

namespace agentpool::world {

namespace {

constexpr size_t piece_bytes = 256 * 1024;

// A pipe that nobody reads takes as long as it takes.
ports::call_limits patient() {
  using namespace std::chrono_literals;
  return {.first_byte = 0ms, .idle = 0ms, .total = 0ms};
}

} // namespace

void input_queue::open(std::shared_ptr<hand_io> hand, uint32_t pid, bool terminal) {
  all_->hand = std::move(hand);
  all_->process.pid = pid;
  all_->terminal = terminal;
  next(all_);
}

void input_queue::add(std::string bytes, bool end, hand_io::then<void> done) {
  if (all_->closed)
    return done(fail(errc::envd_not_found));
  if (all_->items.size() >= defaults::world_inputs)
    return done(fail(errc::overloaded, "Too much input for this process waits already."));
  all_->items.push_back({std::move(bytes), end, std::move(done)});
  next(all_);
}

void input_queue::close() {
  if (std::exchange(all_->closed, true))
    return;
  auto waiting = std::exchange(all_->items, {});
  if (all_->busy) {
    all_->items.push_back(std::move(waiting.front()));
    waiting.pop_front();
  }
  for (auto& item : waiting)
    item.done(fail(errc::envd_not_found));
  all_->hand = nullptr;
}

void input_queue::next(const std::shared_ptr<state>& all) {
  if (all->busy || !all->hand || all->items.empty())
    return;
  all->busy = true;
  auto& item = all->items.front();
  auto bring = [&](std::string_view what) {
    auto call = all->hand->begin(what, std::to_string(all->process.pid));
    if (call)
      call->add_bytes(std::min(item.bytes.size(), piece_bytes));
    return all->hand->bring<void>(call, [all](result<void> how) { sent(all, std::move(how)); });
  };
  if (!item.bytes.empty()) {
    auto done = bring("input");
    auto piece = item.bytes.substr(0, piece_bytes);
    item.bytes.erase(0, piece.size());
    all->hand->link().send_input(all->process, std::move(piece), all->terminal, patient(), std::move(done));
  } else if (item.end && !all->terminal) {
    auto done = bring("close input");
    item.end = false;
    all->closing = true;
    all->hand->link().close_stdin(all->process, patient(), std::move(done));
  } else {
    all->hand->home()->post([all] { sent(all, {}); });
  }
}

void input_queue::sent(const std::shared_ptr<state>& all, result<void> how) {
  all->busy = false;
  bool closing = std::exchange(all->closing, false);
  auto& item = all->items.front();
  bool more = !item.bytes.empty() || (item.end && !all->terminal);
  if (how && more && !all->closed)
    return next(all);
  if (all->closed && closing)
    how = {}; // all bytes had arrived, and the end of the process has closed its input
  else if (all->closed && how && !item.bytes.empty())
    how = fail(errc::envd_not_found);
  auto done = std::move(item.done);
  all->items.pop_front();
  done(std::move(how));
  next(all);
}

} // namespace agentpool::world
