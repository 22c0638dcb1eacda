// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/actors/interfaces.hpp"

#include <caf/all.hpp>

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace agentpool::test {

/// What one fake worker was told.
struct fake_worker_notes {
  worker_id id;
  worker_actor handle;
  session_actor session;
  assignment what;
  std::vector<turn_id> prompts;
  std::vector<std::string> blocks;
  std::vector<std::pair<std::string, std::string>> answers; ///< request, option
  unsigned cancels = 0;
  unsigned releases = 0;
  std::vector<failure> kills;
  bool ended = false;
};

/// What fake workers and their pool do, and what they saw.
struct brains_script {
  std::deque<failure> take_errors;   ///< answers to the next requests for a worker
  std::deque<failure> assign_errors; ///< answers to the next assignments; the worker ends
  std::optional<failure> prompt_error;
  std::optional<failure> refusal; ///< of a cancel or a decision: the worker is ending
  bool hold_takes = false;        ///< a request for a worker waits for `pool_go`
  bool hold_withdrawals = true;   ///< they come too late
  int withdrawals = 0;
  bool hold_assigns = false;  ///< an assignment waits for `"assigned"`
  bool hold_releases = false; ///< a release waits for `"released"`
  bool stubborn = false;      ///< a killed worker waits for `"buried"`
  unsigned takes = 0;
  std::vector<std::shared_ptr<fake_worker_notes>> workers;
  std::vector<std::string> steps; ///< all of it in order, as text

  void note(const std::string& what) { steps.push_back(what); }
  size_t count(const std::string& what) const { return static_cast<size_t>(std::ranges::count(steps, what)); }
};

struct fake_worker_state {
  caf::typed_response_promise<brain_session_id> assigning;
  caf::typed_response_promise<void> releasing;
};

/// A worker without a process: does what the script says, never more.
inline caf::behavior fake_worker(caf::stateful_actor<fake_worker_state>* self,
  std::shared_ptr<brains_script> script, std::shared_ptr<fake_worker_notes> notes) {
  auto step = [=](const std::string& what) { script->note(what + " " + notes->id.value); };
  auto end = [=](caf::error why = {}) {
    notes->ended = true;
    step("end");
    self->quit(std::move(why));
  };
  auto assigned = [=] {
    auto brain = notes->what.brain.empty() ? brain_session_id{"brain_1"} : notes->what.brain;
    self->state.assigning.deliver(brain);
  };
  return {
    [=](assign_atom, const assignment& what, const session_actor& session) -> caf::result<brain_session_id> {
      step("assign");
      notes->what = what;
      notes->session = session;
      if (!script->assign_errors.empty()) {
        auto why = script->assign_errors.front();
        script->assign_errors.pop_front();
        end(to_error(why));
        return to_error(why);
      }
      auto answer = self->state.assigning = self->make_response_promise<brain_session_id>();
      if (!script->hold_assigns)
        assigned();
      return answer;
    },
    [=](prompt_atom, const brain_session_id&, const turn_id& turn,
      const std::string& blocks) -> caf::result<void> {
      step("prompt");
      if (script->prompt_error)
        return to_error(*script->prompt_error);
      notes->prompts.push_back(turn);
      notes->blocks.push_back(blocks);
      return caf::unit;
    },
    [=](cancel_atom, const brain_session_id&) -> caf::result<void> {
      step("cancel");
      ++notes->cancels;
      return script->refusal ? caf::result<void>{to_error(*script->refusal)} : caf::unit;
    },
    [=](release_atom, const brain_session_id&) -> caf::result<void> {
      step("release");
      ++notes->releases;
      auto answer = self->state.releasing = self->make_response_promise<void>();
      if (!script->hold_releases) {
        self->state.releasing.deliver();
        end();
      }
      return answer;
    },
    [=](answer_atom, const std::string& request, const std::string& option) -> caf::result<void> {
      step("answer");
      notes->answers.emplace_back(request, option);
      return script->refusal ? caf::result<void>{to_error(*script->refusal)} : caf::unit;
    },
    [](idle_atom) { return caf::timespan{0}; },
    [](yield_atom) { return false; },
    [=](kill_atom, const failure& why) {
      step("kill");
      notes->kills.push_back(why);
      if (!script->stubborn)
        end(to_error(why));
    },
    [=](const std::string& order) {
      if (order == "assigned") {
        if (self->state.assigning.pending())
          assigned();
      } else if (order == "released") {
        if (self->state.releasing.pending())
          self->state.releasing.deliver(), end();
      } else {
        end(to_error({errc::brain_lost, order}));
      }
    },
  };
}

struct fake_pool_state {
  std::deque<caf::typed_response_promise<worker_id, worker_actor>> waiting;
};

/// Hands out fake workers.
inline caf::behavior fake_pool(
  caf::stateful_actor<fake_pool_state>* self, std::shared_ptr<brains_script> script) {
  auto serve = [=] { // the newest: an older one may belong to somebody who is gone
    auto answer = std::move(self->state.waiting.back());
    self->state.waiting.pop_back();
    auto notes = std::make_shared<fake_worker_notes>();
    notes->id.value = "w" + std::to_string(script->workers.size() + 1);
    auto handle = self->home_system().spawn(fake_worker, script, notes);
    notes->handle = caf::actor_cast<worker_actor>(caf::actor_cast<caf::strong_actor_ptr>(handle));
    script->workers.push_back(notes);
    answer.deliver(notes->id, notes->handle);
  };
  return {
    [=](cancel_atom, const session_id&) {
      ++script->withdrawals;
      if (!script->hold_withdrawals)
        for (auto& answer : std::exchange(self->state.waiting, {}))
          answer.deliver(to_error({errc::cancelled, {}}));
    },
    [=](take_atom, const take_request&) -> caf::result<worker_id, worker_actor> {
      ++script->takes;
      script->note("take");
      if (!script->take_errors.empty()) {
        auto why = script->take_errors.front();
        script->take_errors.pop_front();
        return to_error(why);
      }
      auto answer = self->make_response_promise<worker_id, worker_actor>();
      self->state.waiting.push_back(answer);
      if (!script->hold_takes)
        serve();
      return answer;
    },
    [=](const std::string& order) {
      while (!self->state.waiting.empty())
        if (order == "serve")
          serve();
        else
          self->state.waiting.front().deliver(
            to_error({order == "withdraw" ? errc::cancelled : errc::no_worker, order})),
            self->state.waiting.pop_front();
    },
  };
}

} // namespace agentpool::test
