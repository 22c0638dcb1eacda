// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <caf/all.hpp>

#include <deque>
#include <functional>
#include <memory>

namespace agentpool::test {

/// What a gate holds back.
struct gate_script {
  struct held_message {
    caf::strong_actor_ptr from;
    caf::message_id id;
    caf::message content;
  };

  caf::strong_actor_ptr behind;
  bool closed = false;
  /// Messages that a closed gate holds; unset: all.
  std::function<bool(const caf::message&)> holds;
  std::deque<held_message> held;

  void pass(held_message one) const { behind->enqueue(one.from, one.id, std::move(one.content), nullptr); }

  /// Lets one held message through.
  void pass_one() {
    pass(std::move(held.front()));
    held.pop_front();
  }

  void open() {
    closed = false;
    while (!held.empty())
      pass_one();
  }
};

/// Stands in front of an actor and, when it is closed, delays messages to it: a store that is slow, a worker
/// that does not come. Answers go straight to who asked.
inline caf::behavior fault_gate(caf::event_based_actor* self, std::shared_ptr<gate_script> script) {
  self->set_default_handler(
    [script](caf::scheduled_actor* gate, caf::message& content) -> caf::skippable_result {
      auto* element = gate->current_mailbox_element();
      gate_script::held_message one{element->sender, element->mid, content};
      if (script->closed && (!script->holds || script->holds(content)))
        script->held.push_back(std::move(one));
      else
        script->pass(std::move(one));
      return caf::delegated<caf::message>{};
    });
  return {[](caf::unit_t) {}};
}

} // namespace agentpool::test
