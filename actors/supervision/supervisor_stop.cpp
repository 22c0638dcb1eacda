// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/log.hpp"
#include "actors/supervision/supervisor.hpp"

namespace agentpool {

void supervisor_state::shut_down(const caf::error& reason) {
  if (mode_ == mode::stopping)
    return;
  mode_ = mode::stopping;
  since_ = self_->clock().now();
  reason_ = reason;
  from_ = 0;
  for (auto& one : children_)
    one.pending.dispose();
  if (!current_)
    stop_next();
}

// The lost child starts again together with all behind it. Another one that is lost meanwhile, further in
// front, widens the group.
void supervisor_state::regroup(size_t lost) {
  mode_ = mode::regrouping;
  since_ = self_->clock().now();
  from_ = lost;
  for (auto i = lost; i < children_.size(); ++i)
    children_[i].pending.dispose();
  if (!current_)
    stop_next();
}

void supervisor_state::stop_next() {
  alarm_.dispose();
  current_.reset();
  for (auto i = children_.size(); i-- > from_;)
    if (children_[i].running)
      return tell_to_stop(i);
  all_stopped();
}

void supervisor_state::tell_to_stop(size_t index) {
  auto& one = children_[index];
  current_ = index;
  enter(one, phase::stopping);
  caf::anon_send_exit(one.running, caf::exit_reason::user_shutdown);
  alarm_ = self_->run_delayed(one.spec.stop_grace, [this] { kill_current(); });
}

void supervisor_state::kill_current() {
  auto& one = children_[*current_];
  log::ops().error("{} did not stop within its grace and is killed", one.spec.name);
  one.last_error = "did not stop when it was told to";
  caf::anon_send_exit(one.running, caf::exit_reason::kill);
  alarm_ = self_->run_delayed(one.spec.stop_grace, [this] { leave_current_behind(); });
}

void supervisor_state::leave_current_behind() {
  auto& one = children_[*current_];
  log::ops().critical("{} does not end even when killed and is left behind", one.spec.name);
  one.last_error = "did not end when it was killed";
  self_->demonitor(one.running);
  unpublish(one);
  one.running = nullptr;
  enter(one, phase::left_behind);
  stop_next();
}

void supervisor_state::all_stopped() {
  if (mode_ == mode::stopping)
    return self_->quit(reason_);
  alarm_ = self_->run_delayed(children_[from_].spec.backoff, [this] {
    mode_ = mode::serving;
    since_ = self_->clock().now();
    start_from(from_);
  });
}

size_t supervisor_state::index_of(const child& one) const {
  return static_cast<size_t>(&one - children_.data());
}

} // namespace agentpool
