// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "gateway/bridge.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <caf/actor_companion.hpp>

#include <map>
#include <mutex>
#include <unordered_map>

namespace agentpool {

namespace asio = boost::asio;
using deadline_clock = std::chrono::steady_clock;

/// The requests that wait for their replies. Replies come on threads of CAF, questions on io threads.
struct bridge::core : std::enable_shared_from_this<core> {
  using due_map = std::multimap<deadline_clock::time_point, uint64_t>;

  struct waiting {
    asio::any_io_executor executor;
    handler done;
    due_map::iterator due;
  };

  explicit core(asio::any_io_executor timers) : timer{std::move(timers)} {}

  static void finish(asio::any_io_executor executor, handler done, answer got) {
    asio::post(executor, [done = std::move(done), got = std::move(got)]() mutable { done(std::move(got)); });
  }

  /// The number of the request; 0 when the bridge is closed: then it was answered here.
  uint64_t add(std::chrono::milliseconds deadline, asio::any_io_executor executor, handler done) {
    std::unique_lock guard{mutex};
    if (closed) {
      guard.unlock();
      finish(std::move(executor), std::move(done), fail(errc::shutting_down));
      return 0;
    }
    auto id = ++last;
    auto due_at = due.emplace(deadline_clock::now() + deadline, id);
    requests.emplace(id, waiting{std::move(executor), std::move(done), due_at});
    arm();
    return id;
  }

  /// Answers request `id`; a reply to one that is not waiting any more means nothing.
  void answer_to(uint64_t id, answer got) {
    std::unique_lock guard{mutex};
    auto found = requests.extract(id);
    if (found.empty())
      return;
    due.erase(found.mapped().due);
    guard.unlock();
    finish(std::move(found.mapped().executor), std::move(found.mapped().done), std::move(got));
  }

  // The timer runs to the earliest deadline that was known when it was armed; finding nothing due is cheaper
  // than moving it at every reply. Called with the lock held.
  void arm() {
    if (due.empty() || (armed && armed_for <= due.begin()->first))
      return;
    armed = true;
    armed_for = due.begin()->first;
    timer.expires_at(armed_for);
    timer.async_wait([self = weak_from_this()](const boost::system::error_code& error) {
      if (auto core = self.lock(); core && !error)
        core->expire();
    });
  }

  void expire() {
    std::unique_lock guard{mutex};
    armed = false;
    std::vector<uint64_t> late;
    auto end = due.upper_bound(deadline_clock::now());
    for (auto i = due.begin(); i != end; ++i)
      late.push_back(i->second);
    guard.unlock();
    for (auto id : late)
      answer_to(id, fail(errc::deadline, "This node did not answer in time; try again."));
    guard.lock();
    arm();
  }

  void close() {
    std::unique_lock guard{mutex};
    closed = true;
    due.clear();
    timer.cancel();
    auto all = std::move(requests);
    requests.clear();
    guard.unlock();
    for (auto& [id, request] : all)
      finish(std::move(request.executor), std::move(request.done), fail(errc::shutting_down));
  }

  std::mutex mutex;
  asio::steady_timer timer;
  std::unordered_map<uint64_t, waiting> requests;
  due_map due;
  deadline_clock::time_point armed_for;
  uint64_t last = 0;
  bool armed = false;
  bool closed = false;
};

bridge::bridge(caf::actor_system& sys, asio::any_io_executor timers)
    : core_{std::make_shared<core>(std::move(timers))} {
  auto companion = sys.spawn<caf::actor_companion, caf::hidden>();
  sender_ = caf::actor_cast<caf::strong_actor_ptr>(companion);
  static_cast<caf::actor_companion*>(sender_->get())
    ->on_enqueue([core = core_](caf::mailbox_element_ptr element) {
      if (element->mid.is_response())
        core->answer_to(element->mid.request_id().integer_value(), std::move(element->payload));
    });
}

bridge::~bridge() {
  close();
  // What still comes is dropped.
  static_cast<caf::actor_companion*>(sender_->get())->on_enqueue(nullptr);
}

void bridge::close() {
  core_->close();
}

void bridge::send(const caf::strong_actor_ptr& target, std::chrono::milliseconds deadline,
  asio::any_io_executor executor, handler done, caf::message content) {
  if (!target)
    return core::finish(std::move(executor), std::move(done), fail(errc::overloaded));
  auto id = core_->add(deadline, std::move(executor), std::move(done));
  if (id == 0)
    return;
  auto request = caf::make_message_id(caf::normal_message_priority_constant{}, id);
  // An actor that is gone bounces the request back to the sender as an error.
  target->enqueue(sender_, request, std::move(content), nullptr);
}

} // namespace agentpool
