// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/survivors.hpp"

#include "actors/hands/world/wrapper.hpp"

namespace agentpool::world {

void survivors::left(uint64_t since) {
  bool covered = writes_ && since_ <= since;
  if (covered)
    return go_on();
  since_ = since;
  if (!writes_)
    writes_ = known_->begin_writer();
  again_ = watching_; // that one looks at later ones only
  go_on();
}

void survivors::go_on() {
  if (writes_ && !watching_)
    watch();
}

void survivors::forget() {
  ++watch_;
  watching_ = again_ = false;
  writes_ = nullptr;
}

void survivors::watch() {
  watching_ = true;
  borrow_([weak = weak_from_this(), watch = ++watch_](result<std::shared_ptr<hand_io>> lent) {
    auto self = weak.lock();
    if (!self || watch != self->watch_)
      return;
    if (!lent)
      return self->watched(watch, false);
    auto& hand = *lent;
    hand->leave();
    hand->run({await_quiet(self->since_), "root", 0, "await quiet", call_kind::aside},
      [weak, watch](const result<script_output>& ran) {
        if (auto self = weak.lock())
          self->watched(watch, ran && ran->end.exited && ran->end.exit_code == 0);
      });
  });
}

void survivors::watched(uint64_t which, bool gone) {
  if (which != watch_)
    return;
  watching_ = false;
  if (std::exchange(again_, false))
    return watch();
  if (gone)
    writes_ = nullptr;
}

} // namespace agentpool::world
