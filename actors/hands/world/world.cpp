// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/world.hpp"

#include "actors/hands/world/leftovers.hpp"
#include "actors/hands/world/world_state.hpp"
#include "actors/log.hpp"
#include "protocol/wire/world_request.hpp"

namespace agentpool {

using world::operation;

namespace {

constexpr int hand_tries = 3;

/// What was asked of the sandbox did not reach it, or only looked: nothing was done. Getting at it again is
/// the hand's work.
bool never_began(const world::reply& reply) {
  auto code = world::code_of(reply);
  auto is = [&](errc one) { return code == describe(one).name; };
  return is(errc::hand_stopped) || is(errc::hand_deleted) || is(errc::hand_unreachable);
}

/// Ends with its answer; one that was dropped unanswered is an internal error.
class answer_slot {
public:
  answer_slot(std::shared_ptr<world::loop> home, world::loop::step dropped)
      : home_{std::move(home)}, dropped_{std::move(dropped)} {}
  ~answer_slot() { home_->post(std::move(dropped_)); }
  answer_slot(const answer_slot&) = delete;
  answer_slot& operator=(const answer_slot&) = delete;

private:
  std::shared_ptr<world::loop> home_;
  world::loop::step dropped_;
};

result<void> take_apart(bool framed, world::call& call, operation& op) {
  if (!framed)
    return world::read_object(call.body.empty() ? "{}" : call.body).map([&](json body) {
      op.body = std::move(body);
    });
  auto parts = world::split_frame(call.body);
  if (!parts)
    return fail(errc::bad_request, "A framed body begins with one line of JSON of at most 64 KiB.");
  auto line = world::read_object(parts->first);
  if (!line)
    return tl::unexpected{line.error()};
  op.body = std::move(*line);
  op.content = parts->second;
  return {};
}

} // namespace

caf::result<world::reply> world_state::take(world::call& call, std::shared_ptr<ports::world_stream> stream) {
  ++calls_;
  const auto* how = find_route(call);
  if (!how)
    return world::reply{404, json_object{}
                               .add("code", "unknown_route")
                               .add("message", "There is no such call of the world protocol.")
                               .str()};
  auto promise = self_->make_response_promise<world::reply>();
  operation op;
  op.stream = std::move(stream);
  op.targets = targets_;
  op.trace = trace_of(call);
  op.done = make_answer(call, promise, op.trace);
  if (auto read = take_apart(how->framed, call, op); !read)
    op.done(world::error_reply(read.error()));
  else if (how->streams && !op.stream)
    op.done(world::error_reply({errc::internal, {}}));
  else if (call.path == "cancel")
    cancel(call, op);
  else if (call.worker.empty())
    run_app(*how, call, op, hand_tries);
  else if (how->hand == use::probe && !how->streams)
    run_probe(*how, call, op, hand_tries);
  else
    run(*how, call, std::move(op));
  return promise;
}

/// A probe changes nothing: one that lost its hand on the way is asked again of the next one. And an agent
/// whose working directory cannot be looked at gives its turn up: that it is a directory holds for any hand.
void world_state::run_probe(const route& how, const world::call& call, const operation& op, int tries_left) {
  auto watched = op;
  watched.done = [this, &how, call, op, tries_left](world::reply reply) {
    auto code = world::code_of(reply);
    bool lost = code == "WORLD_LOST";
    if (lost && tries_left > 1) // when the hand that was lost is given back
      return loop_->post([=, this, &how] { run_probe(how, call, op, tries_left - 1); });
    if (lost || code == "WORLD_TIMEOUT" || code == "WORLD_NO_HAND")
      if (auto known = world::steady_probe(call))
        return op.done(std::move(*known));
    op.done(std::move(reply));
  };
  run(how, call, std::move(watched));
}

/// An App hears nothing of a sandbox, or of a provider, that is being restarted.
void world_state::run_app(const route& how, const world::call& call, const operation& op, int tries_left) {
  auto watched = op;
  if (tries_left > 1)
    watched.done = [this, &how, call, op, tries_left](world::reply reply) {
      if (*op.spent || !never_began(reply))
        return op.done(std::move(reply));
      loop_->post([=, this, &how] { run_app(how, call, op, tries_left - 1); });
    };
  run(how, call, std::move(watched));
}

world::answer world_state::make_answer(
  const world::call& call, replies promise, std::shared_ptr<world::tool_trace> trace) {
  auto id = ++last_answer_;
  answers_.emplace(id, std::move(promise));
  request_key key{call.worker, call.request};
  auto slot = std::make_shared<answer_slot>(loop_, [this, id] { drop(id); });
  return [this, id, key, slot, trace](world::reply reply) {
    mutations_.erase(key);
    if (trace)
      trace->seen_now();
    deliver(id, std::move(reply));
  };
}

void world_state::deliver(uint64_t id, world::reply reply) {
  if (auto found = answers_.extract(id); !found.empty())
    found.mapped().deliver(std::move(reply));
}

void world_state::drop(uint64_t id) {
  deliver(id, world::error_reply({errc::internal, {}}));
}

void world_state::run(const route& how, const world::call& call, operation op) {
  if (how.hand == use::none)
    return how.run(*this, std::move(op));
  if (call.request != 0)
    op.cancelled = watch_cancel(call);
  if (op.is_cancelled())
    return op.done(world::coded_error("FS_ABORTED", "The change was cancelled before it began."));
  // The hand answers within its own deadlines, and its end is an answer too.
  self_->request(hand_, defaults::hand_lease, lease_atom_v, hand_use{call.path, how.hand == use::wake})
    .then([this, &how, op, fresh = call.worker.empty()](
            hand_lease& lease) { lend(how, op, std::move(lease), fresh); },
      [this, &how, call, op](const caf::error& why) { no_hand(how, call, op, to_failure(why)); });
}

void world_state::lend(const route& how, operation op, hand_lease lease, bool fresh) {
  if (!lease.notice.empty())
    notice_ += (notice_.empty() ? "" : " ") + lease.notice;
  op.hand = take_hand(
    std::move(lease), {known_, op.trace, fresh, [this](uint64_t since) { survivors_->left(since); }});
  if (!op.hand)
    return op.done(world::error_reply({errc::internal, {}}));
  survivors_->go_on();
  if (!std::exchange(taken_over_, true))
    world::end_leftovers(op.hand, [all = processes_](const std::string& id) { return all->has(id); });
  how.run(*this, std::move(op));
}

std::shared_ptr<world::hand_io> world_state::take_hand(hand_lease lease, world::hand_memory with) {
  auto give_back = [hand = hand_, id = lease.id](hand_outcome outcome, std::string why) {
    caf::anon_send(hand, give_back_atom_v, id, outcome, std::move(why));
  };
  if (!lease.link) {
    give_back(hand_outcome::done, {});
    return nullptr;
  }
  meet(lease);
  return std::make_shared<world::hand_io>(
    loop_, std::move(lease.link), lease.continuity, std::move(give_back), std::move(with));
}

/// With another continuity all processes are gone; of a sandbox that is older than we are nobody knows what
/// runs in it.
void world_state::meet(const hand_lease& lease) {
  known_->enter(lease.generation, lease.continuity);
  bool other = std::exchange(continuity_, lease.continuity) != lease.continuity;
  if (!std::exchange(met_, true)) {
    if (!fresh_)
      survivors_->left(0);
  } else if (other) {
    survivors_->forget();
  }
}

/// For what looks after the hand by itself: a probe, so that it makes none.
void world_state::borrow(world::hand_io::then<std::shared_ptr<world::hand_io>> next) {
  self_->request(hand_, defaults::hand_lease, lease_atom_v, hand_use{"watch", false})
    .then(
      [this, next](hand_lease& lease) {
        auto hand = take_hand(std::move(lease), {});
        hand ? next(std::move(hand)) : next(fail(errc::internal));
      },
      [next](const caf::error& why) { next(tl::unexpected{to_failure(why)}); });
}

void world_state::note(const hand_report& report) {
  fresh_ = fresh_ || (!met_ && (report.state == "none" || report.state == "creating"));
}

void world_state::no_hand(
  const route& how, const world::call& call, const operation& op, const failure& why) {
  if (how.hand == use::probe && why.code == errc::world_no_hand) {
    auto empty = call.worker.empty() ? world::absent_files(call) : world::absent_hand(call);
    return op.done(empty ? std::move(*empty) : world::error_reply(why));
  }
  op.done(call.worker.empty() ? world::error_reply(why) : world::trouble(why));
}

/// Null for the App. The session knows which turn runs.
std::shared_ptr<world::tool_trace> world_state::trace_of(const world::call& call) {
  if (call.worker.empty() || (call.tool_call.empty() && !met_))
    return nullptr;
  bool fresh = false;
  auto trace = traces_.open(call, fresh);
  if (fresh && viewer_)
    self_->request(viewer_, defaults::status_deadline, view_atom_v)
      .then(
        [trace](const session_view& view) { trace->turn = view.running.value; }, [](const caf::error&) {});
  return trace;
}

void world_state::show(live_frame frame) {
  if (viewer_)
    self_->send(viewer_, live_atom_v, std::vector<live_frame>{std::move(frame)});
}

// -- cancelling: the request may come before what it cancels, on another connection

std::shared_ptr<bool> world_state::watch_cancel(const world::call& call) {
  request_key key{call.worker, call.request};
  auto early = std::ranges::find(early_cancels_, key);
  auto flag = std::make_shared<bool>(early != early_cancels_.end());
  if (*flag)
    early_cancels_.erase(early);
  mutations_[key] = flag;
  return flag;
}

void world_state::cancel(const world::call& call, const operation& op) {
  constexpr size_t remembered = 64;
  auto number = op.body["request"].integer().value_or(0);
  if (number < 1)
    return op.fail({errc::bad_request, "The member 'request' must be an integer of at least 1."});
  request_key key{call.worker, static_cast<uint64_t>(number)};
  if (auto found = mutations_.find(key); found != mutations_.end())
    *found->second = true;
  else
    early_cancels_.push_back(key);
  if (early_cancels_.size() > remembered)
    early_cancels_.pop_front();
  op.done({200, "{}"});
}

} // namespace agentpool
