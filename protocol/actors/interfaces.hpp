// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/actors/atoms.hpp"
#include "protocol/actors/messages.hpp"

#include <caf/result.hpp>
#include <caf/typed_actor.hpp>

#include <memory>

/// Every message of the system on one page. An actor that is not alone of its kind is reached through a
/// handle, the others by name (`protocol/actors/names.hpp`). Failures are `errc` values inside `caf::error`.
namespace agentpool {

namespace ports {
class event_sink;
/// A world request whose body or answer travels in pieces; bounded both ways, like `event_sink`.
class world_stream;
} // namespace ports

namespace world {
/// A step of an operation, brought home to the world's actor (actors/hands/world).
struct job;
} // namespace world

/// What a provider's callback brings home to the actor that asked (actors/hands).
struct provider_event;

/// What every actor answers.
using status_interface = caf::typed_actor<
  // Who it is, its state, what it waits for and what comes next.
  caf::result<actor_status>(status_atom)>;

// -- infrastructure
// ---------------------------------------------------------------------------------------------------

/// STORE: owns the database; writes that wait together become durable with one commit (detached).
using store_actor = status_interface::extend<
  // One atomic write to a session. Fails with stale_epoch, idempotency_mismatch, idempotency_in_progress,
  // store_unavailable.
  caf::result<void>(append_atom, session_write),
  // Raises the epoch and reads the session with its open turns. Fails with not_found.
  caf::result<session_claim>(claim_atom, session_id),
  // A new device. Fails with bad_request when the token exists.
  caf::result<void>(create_atom, device_row),
  // A new session with its first events, at most `limit` per device. Fails with too_many_sessions and as
  // append does.
  caf::result<void>(
    create_atom, session_row, std::vector<event_row>, std::optional<idempotency_row>, uint32_t limit),
  // Deletes a session of this epoch with all that belongs to it.
  caf::result<void>(erase_atom, session_id, uint64_t epoch),
  // The hand of a session with its open intents; raises the hand's epoch, so that an earlier owner writes
  // nothing any more. Fails with not_found when there is no such session.
  caf::result<hand_claim>(hand_atom, session_id),
  // One atomic write to a hand and to intents. Fails with stale_epoch.
  caf::result<void>(append_atom, hand_write),
  // Intents alone: added, replaced, removed.
  caf::result<void>(append_atom, intent_write),
  // All hands that have a sandbox, and all intents. With `fence` the epoch of every hand rises: whatever was
  // begun before is nobody's.
  caf::result<hand_book>(hands_atom, bool fence),
  // The answer of a keyed request of this session that was no write of its own. Fails as append does; a
  // session that is gone drops it.
  caf::result<void>(append_atom, session_id, idempotency_row),
  // INTERNAL: write what has gathered.
  caf::result<void>(commit_atom),
  // INTERNAL: a timer of the timer service fired.
  caf::result<void>(timer_atom, std::string purpose, uint64_t armed)>;

/// STORE READER: reads on a connection of its own (detached).
using store_reader_actor = status_interface::extend<caf::result<std::vector<device_row>>(devices_atom),
  // Fails with not_found.
  caf::result<session_row>(view_atom, session_id),
  caf::result<session_page>(list_atom, device_id, std::string cursor, uint64_t limit),
  // Events with seq > after, a page of them.
  caf::result<event_page>(events_atom, session_id, uint64_t after, uint64_t max_events, uint64_t max_bytes),
  // The remembered answer. Fails with not_found when the key is new.
  caf::result<idempotency_row>(recall_atom, device_id, std::string route, std::string key),
  // Sessions whose last turn did not end.
  caf::result<std::vector<session_id>>(open_turns_atom)>;

/// ONCE: keyed requests whose effect is not one write of the store.
using once_actor = status_interface::extend<
  // The answer from before. Status 0: it is new and under way now, the asker does it and sends `ended`. Fails
  // with idempotency_mismatch, idempotency_in_progress, overloaded.
  caf::result<idempotency_row>(begin_atom, idempotency_row asked),
  // Its answer, kept before this is answered; a passing failure (429, 5xx) forgets the key.
  caf::result<void>(ended_atom, session_id, idempotency_row)>;

/// TIMER SERVICE: all protocol timers. A timer belongs to the sender and has a purpose; arming the same
/// purpose again replaces it. When it fires the owner gets `(timer_atom, purpose, armed)` with the number it
/// gave; an owner drops numbers it no longer means.
using timer_service_actor = status_interface::extend<caf::result<void>(arm_atom, std::string owner,
                                                       std::string purpose, uint64_t armed, caf::timespan in),
  caf::result<void>(disarm_atom, std::string purpose),
  // The timers of all owners, the next one first.
  caf::result<std::vector<timer_status>>(list_atom),
  // INTERNAL: the earliest one is due.
  caf::result<void>(timer_atom, uint64_t armed)>;

/// HOMES: moves brain logs and makes workers' directories (detached).
using homes_actor =
  status_interface::extend<caf::result<home_paths>(prepare_atom, worker_id, std::string profile),
    caf::result<void>(move_in_atom, home_paths, session_id, brain_session_id, std::string profile),
    caf::result<void>(move_out_atom, home_paths, session_id, brain_session_id),
    caf::result<void>(discard_atom, home_paths, brain_session_id),
    // Removes a worker's directory.
    caf::result<void>(erase_atom, home_paths),
    // Deletes the brain log of a deleted session.
    caf::result<void>(erase_atom, session_id)>;

// -- conversations
// ----------------------------------------------------------------------------------------------------

/// VIEWER: one open event stream. Its cursor is its own; the store is its source, what is pushed only saves
/// reads.
using viewer_actor = status_interface::extend<
  // From the session: newly committed events.
  caf::result<void>(events_atom, event_batch),
  // From the session: a preview.
  caf::result<void>(live_atom, live_frame),
  // Ends the stream in order.
  caf::result<void>(stop_atom, std::string reason),
  // INTERNAL: the outstanding write was taken (true) or the peer is gone.
  caf::result<void>(written_atom, bool),
  // INTERNAL: the peer closed its side.
  caf::result<void>(closed_atom),
  // INTERNAL: heartbeat or stall.
  caf::result<void>(timer_atom, std::string purpose, uint64_t armed)>;

/// VIEWER SUPERVISOR: starts viewers, bounds them, closes them all at shutdown.
using viewer_sup_actor = status_interface::extend<
  // Fails with overloaded when there are too many; the sink is untouched then.
  caf::result<void>(watch_atom, viewer_order, std::shared_ptr<ports::event_sink>)>;

/// SESSION: one live conversation.
using session_actor = status_interface::extend<caf::result<session_view>(view_atom),
  // Takes a prompt: durable before it answers. Fails with turn_running, session_closed, shutting_down,
  // idempotency_mismatch.
  caf::result<prompt_accepted>(prompt_atom, prompt_order),
  // Cancels the running turn, if any; its turn_end follows as an event.
  caf::result<void>(cancel_atom),
  // The approvals that wait for an answer: a JSON array of permission_requested's members.
  caf::result<std::string>(permission_atom),
  // Answers an approval; the first answer wins. Fails with unknown_permission, bad_request for an option that
  // was not offered.
  caf::result<void>(answer_atom, std::string request, std::string option),
  // Ends the turn, releases the brain, deletes everything; then the actor ends.
  caf::result<void>(erase_atom),
  // Adds a viewer. Fails with too_many_viewers.
  caf::result<subscribed>(subscribe_atom, viewer_actor, bool live),
  // From the registry: leave memory, unless something came in between (then it answers `stay` to the
  // registry).
  caf::result<void>(leave_atom),
  // From the worker: something changed in the running turn, or outside one.
  caf::result<void>(update_atom, worker_id, acp::update),
  // From the worker: the agent asks for a decision.
  caf::result<void>(permission_atom, worker_id, acp::permission),
  // From the worker: the prompt was answered.
  caf::result<void>(ended_atom, worker_id, prompt_outcome),
  // From the worker: the brain is gone; its log is on its way back to rest.
  caf::result<void>(lost_atom, worker_id, failure),
  // From the worker: others wait for it. Given back as by T1: now (true), or when the running turn has ended.
  caf::result<bool>(yield_atom, worker_id),
  // From the world: what the model is saying, and what a tool call's command prints (`tool_output`).
  caf::result<void>(live_atom, std::vector<live_frame>),
  // From the broker, before it lets a mutation of the world through in mode `ask`: is a tool call that was
  // granted in the running turn still unfinished? `starting` is the tool call that the start of a process
  // names, empty for other mutations: a start may come after the end of its call, once. Always true in
  // `allow`, always false in `deny`.
  caf::result<bool>(granted_atom, std::string starting),
  // From the hand: its state or continuity changed. Becomes an event `hand_state`.
  caf::result<void>(hand_atom, hand_report),
  // From the hand or the world: a sentence for the person, as an event `notice` with this code.
  caf::result<void>(notice_atom, std::string code, std::string text),
  // INTERNAL: a timer of the timer service fired.
  caf::result<void>(timer_atom, std::string purpose, uint64_t armed)>;

/// SESSION SUPERVISOR: claims sessions and starts their actors; restarts those that fail, within bounds, then
/// quarantines.
using session_sup_actor = status_interface::extend<
  // The session's actor, started when it is not there. Fails with not_found, or with the reason of its
  // quarantine.
  caf::result<session_actor>(begin_atom, session_id),
  // INTERNAL: start a failed session again.
  caf::result<void>(restart_atom, session_id)>;

/// SESSION REGISTRY: knows devices and sessions, checks who asks, brings sessions into memory on first use.
using session_registry_actor = status_interface::extend<
  // The device of a token. Fails with unauthorized.
  caf::result<device_id>(authorize_atom, caller),
  // The caller's session exists. Fails with unauthorized, not_found.
  caf::result<void>(authorize_atom, caller, session_id),
  // A new device with its token.
  caf::result<device_created>(create_atom, std::string label),
  // Makes sure that a device with this token exists (the development token).
  caf::result<device_id>(create_atom, std::string label, std::string token),
  caf::result<session_view>(create_atom, caller, create_request, idempotency),
  caf::result<session_list>(list_atom, caller, std::string cursor, uint64_t limit),
  // Reading a session that is not in memory leaves it there.
  caf::result<session_view>(view_atom, caller, session_id),
  caf::result<prompt_accepted>(prompt_atom, caller, session_id, prompt_order),
  caf::result<void>(cancel_atom, caller, session_id), caf::result<void>(erase_atom, caller, session_id),
  caf::result<std::string>(permission_atom, caller, session_id),
  caf::result<void>(answer_atom, caller, session_id, std::string request, std::string option),
  // From a viewer that was authorized: see session_actor.
  caf::result<subscribed>(subscribe_atom, session_id, viewer_actor, bool live),
  // From a session: it is idle and would leave memory.
  caf::result<void>(leave_atom, session_id),
  // From a session: it was told to leave but has work.
  caf::result<void>(stay_atom, session_id),
  // From a session: a turn of it began or ended.
  caf::result<void>(turn_atom, session_id, device_id, bool running),
  // From the supervisor: this session's actor ended.
  caf::result<void>(gone_atom, session_id),
  // From a hand whose session may be out of memory: see session_actor. A session that is gone drops it.
  caf::result<void>(hand_atom, session_id, hand_report),
  caf::result<void>(notice_atom, session_id, std::string code, std::string text),
  // Status of every session in memory, each asked with a deadline.
  caf::result<std::vector<actor_status>>(list_atom),
  // No new prompts from now on; answers when no turn runs any more.
  caf::result<void>(drain_atom)>;

// -- brains
// -----------------------------------------------------------------------------------------------------------

/// WORKER: one brain process.
using worker_actor = status_interface::extend<
  // Takes the session in: moves its log, resumes it or makes a new one. Answers when prompts can come. Fails
  // with worker_boot_failed, not_resumable, brain_lost, agent_error.
  caf::result<brain_session_id>(assign_atom, assignment, session_actor),
  // Writes a prompt to the brain; `ended` follows later. Fails with brain_lost.
  caf::result<void>(prompt_atom, brain_session_id, turn_id, std::string blocks),
  caf::result<void>(cancel_atom, brain_session_id),
  // Closes the session, moves its log to rest; then the worker ends. Answers when the log is at rest.
  caf::result<void>(release_atom, brain_session_id),
  // Decides a permission request: an option id, or empty for `cancelled`.
  caf::result<void>(answer_atom, std::string request_id, std::string option),
  // Ends the process at once.
  caf::result<void>(kill_atom, failure why),
  // How long its brain has had nothing to do; zero while it has.
  caf::result<caf::timespan>(idle_atom),
  // Others wait for a worker: its session is asked to give this one back. True when it does so now.
  caf::result<bool>(yield_atom),
  // INTERNAL: from the child process.
  caf::result<void>(process_started_atom, int32_t pid), caf::result<void>(process_line_atom, std::string),
  caf::result<void>(process_stderr_atom, std::string),
  caf::result<void>(process_stdout_end_atom, uint8_t why),
  caf::result<void>(process_exit_atom, int32_t code, int32_t signal),
  caf::result<void>(process_failed_atom, failure),
  // INTERNAL: the world socket is open, or why not.
  caf::result<void>(opened_atom, failure),
  caf::result<void>(timer_atom, std::string purpose, uint64_t armed)>;

/// WORKER POOL: keeps workers warm, hands each out once.
using worker_pool_actor = status_interface::extend<
  // A warm worker, exactly once. Waits for one within a deadline. Fails with no_worker, unknown_profile,
  // worker_boot_failed, overloaded.
  caf::result<worker_id, worker_actor>(take_atom, take_request),
  // From a session that waits for a worker: its turn is over, nobody needs one. The request fails with
  // cancelled.
  caf::result<void>(cancel_atom, session_id),
  // From a worker: it is warm.
  caf::result<void>(warm_atom, worker_id),
  // From a worker: it ended before it was warm, with the reason.
  caf::result<void>(lost_atom, worker_id, failure),
  // Status of every worker, each asked with a deadline.
  caf::result<std::vector<actor_status>>(list_atom),
  // The node drains: no worker is kept warm any more.
  caf::result<void>(drain_atom), caf::result<void>(timer_atom, std::string purpose, uint64_t armed)>;

/// WORLD: files and processes of one session's hand, as its brain and the App see them; one beside each hand.
/// Its further messages are the world's own (actors/hands/world).
using world_actor = status_interface::extend<
  // A request of the brain whose credential, session and mode the broker checked. With a stream (null for
  // plain calls) the reply's status 0 says that the stream has the answer.
  caf::result<world::reply>(world_atom, world::call, std::shared_ptr<ports::world_stream>),
  // From the hand: another state, generation, continuity.
  caf::result<void>(hand_atom, hand_report),
  // From the broker, when a worker takes the session: who gets what commands print while they run.
  caf::result<void>(watch_atom, session_actor),
  // What tool calls have cost: JSON, as docs/operations.md says; of one turn, or of all that are remembered
  // (no turn).
  caf::result<std::string>(trace_atom, turn_id),
  // INTERNAL: something of an operation goes on.
  caf::result<void>(run_atom, std::shared_ptr<world::job>),
  caf::result<void>(timer_atom, std::string purpose, uint64_t armed)>;

/// HAND: the sandbox of one session, a child of the broker. It is made when it is first needed, verified on a
/// fresh connection before it is used, and kept alive at the provider until the session is deleted.
using hand_actor = status_interface::extend<
  // Lends the hand for one operation to the sender; creates the sandbox when there is none and `wake` is set;
  // waits while it is made or checked. Fails with world_no_hand (there is none and none can be had now),
  // deadline (it does not answer; it is not replaced for that), overloaded (too many operations),
  // shutting_down (the session is being deleted).
  caf::result<hand_lease>(lease_atom, hand_use),
  // The operation of this lease is over; `why` is a sentence for the operator when it did not end `done`.
  caf::result<void>(give_back_atom, uint64_t lease, hand_outcome, std::string why),
  // The state as it is; never creates or wakes anything.
  caf::result<hand_report>(hand_atom),
  // The hand's world: it gets a report at every change of state, generation or continuity.
  caf::result<void>(watch_atom, world_actor),
  // The session is being deleted: the intent is durable and one attempt to kill the sandbox was made before
  // it answers; what could not be killed is on the reaper's list. Then the actor ends.
  caf::result<void>(erase_atom),
  // From the reaper: the provider does not know this sandbox any more.
  caf::result<void>(gone_atom, std::string sandbox),
  // INTERNAL: the provider or the sandbox answered request `op` of this actor.
  caf::result<void>(provider_atom, uint64_t op, std::shared_ptr<provider_event>),
  caf::result<void>(timer_atom, std::string purpose, uint64_t armed)>;

/// BROKER: which worker may speak for which session, and the hands behind them.
using broker_actor = status_interface::extend<
  // From a worker: its one-time token.
  caf::result<void>(grant_atom, worker_grant),
  // From a worker: it holds this brain session for that session.
  caf::result<void>(bind_atom, worker_id, brain_session_id, session_id, session_actor, std::string mode),
  caf::result<void>(unbind_atom, worker_id, brain_session_id),
  // From a worker: it ends, all its rights with it.
  caf::result<void>(revoke_atom, worker_id),
  // A request on a worker's world socket; the stream as in world_actor.
  caf::result<world::reply>(world_atom, world::call),
  caf::result<world::reply>(world_atom, world::call, std::shared_ptr<ports::world_stream>),
  // The world of a session that the caller was authorized for; started when it is not there, which creates no
  // sandbox. Fails with world_no_hand when this node has no provider, or with the reason of a quarantine.
  caf::result<world_actor>(begin_atom, session_id),
  // From a session that is being deleted: see hand_actor. A session without a hand: at once.
  caf::result<void>(erase_atom, session_id),
  // From a hand: it would create or reconnect a sandbox. Answers when it may (`give_back` ends it); fails
  // with world_no_hand when the node or the device has as many as it may.
  caf::result<uint64_t>(admit_atom, session_id, device_id, bool create),
  caf::result<void>(give_back_atom, uint64_t ticket),
  // From a hand.
  caf::result<void>(hand_atom, session_id, hand_report),
  // The last report of this session's hand; state `none` when it has none.
  caf::result<hand_report>(hand_atom, session_id),
  // From the reaper: the provider does not know this session's sandbox any more.
  caf::result<void>(gone_atom, session_id, std::string sandbox),
  // Status of every hand, each asked with a deadline.
  caf::result<std::vector<actor_status>>(list_atom),
  // From the operator: see world_actor. Fails with not_found when no world of this session is in memory.
  caf::result<std::string>(trace_atom, session_id, turn_id),
  caf::result<void>(timer_atom, std::string purpose, uint64_t armed)>;

/// REAPER: compares what the provider has with what the store knows, both ways, at the start and
/// periodically; kills what nobody owns; keeps the list of what could not be killed yet.
using reaper_actor = status_interface::extend<
  // A sandbox that must go (its intent is durable already). Answers after the first attempt: true when it is
  // gone.
  caf::result<bool>(debt_atom, intent_row),
  // What waits for its deletion.
  caf::result<std::vector<intent_row>>(list_atom),
  // INTERNAL: the provider answered request `op`.
  caf::result<void>(provider_atom, uint64_t op, std::shared_ptr<provider_event>),
  caf::result<void>(timer_atom, std::string purpose, uint64_t armed)>;

// -- operation
// --------------------------------------------------------------------------------------------------------

/// OPS MONITOR: collects status with a deadline; one that does not answer is shown as such.
using ops_monitor_actor = status_interface::extend<
  // Every actor that has a name, and all timers.
  caf::result<std::vector<actor_status>>(list_atom)>;

} // namespace agentpool

#include "protocol/actors/type_ids.hpp"
