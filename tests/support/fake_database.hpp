// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/ports/database.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace agentpool::test {

/// What a fake database holds, and its faults. Shared by the write side, the read side and the test.
struct fake_tables {
  struct session {
    session_row row;
    std::vector<event_row> events;
    std::vector<turn_row> turns;
  };

  std::map<std::string, device_row> devices; ///< by token hash
  std::map<session_id, session> sessions;
  std::vector<idempotency_row> keys;
  std::map<session_id, hand_row> hands;
  std::map<std::string, intent_row> intents;
  std::vector<ports::store_op> ops; ///< all that succeeded, in order
  uint64_t commits = 0;

  /// A reason makes one write fail.
  std::function<std::optional<failure>(const ports::store_op&)> refuse;
  /// A reason makes a read of events fail.
  std::function<std::optional<failure>()> refuse_read;
  uint64_t page_reads = 0;
  size_t page_limit = SIZE_MAX; ///< events per page at most, whatever is asked

  const std::vector<event_row>& events(const session_id& id) const { return sessions.at(id).events; }
};

/// Keeps everything in memory with the store's promises (epochs, seq without holes, turns that never go back,
/// keys used once), so that a test can make any write or read fail.
class fake_database : public ports::database {
public:
  using answer = result<ports::store_answer>;

  explicit fake_database(std::shared_ptr<fake_tables> tables) : tables_{std::move(tables)} {}

  std::vector<answer> apply(std::span<const ports::store_op> ops) override {
    std::vector<answer> out;
    ++tables_->commits;
    for (const auto& op : ops) {
      auto why = tables_->refuse ? tables_->refuse(op) : std::nullopt;
      out.push_back(
        why ? answer{tl::unexpected{*why}} : std::visit([this](const auto& one) { return on(one); }, op));
      if (out.back())
        tables_->ops.push_back(op);
    }
    return out;
  }

private:
  answer on(const ports::create_device& op) {
    if (!tables_->devices.emplace(op.row.token_hash, op.row).second)
      return fail(errc::bad_request);
    return ports::store_answer{};
  }

  answer on(const ports::create_session& op) {
    if (op.idempotency)
      if (auto why = known(*op.idempotency))
        return fail(*why);
    auto owned = std::ranges::count_if(
      tables_->sessions, [&](const auto& entry) { return entry.second.row.device == op.row.device; });
    if (op.limit > 0 && owned >= op.limit)
      return fail(errc::too_many_sessions);
    auto& added = tables_->sessions[op.row.id];
    added.row = op.row;
    added.events = op.events;
    added.row.last_seq = op.events.size();
    if (op.idempotency)
      tables_->keys.push_back(*op.idempotency);
    return ports::store_answer{};
  }

  answer on(const session_write& op) {
    auto found = owned(op.session, op.epoch);
    if (!found)
      return tl::unexpected{found.error()};
    if (op.idempotency)
      if (auto why = known(*op.idempotency))
        return fail(*why);
    auto& [row, events, turns] = **found;
    for (auto seq = row.last_seq; const auto& event : op.events)
      if (event.seq != ++seq)
        return fail(
          errc::internal, "seq " + std::to_string(event.seq) + " instead of " + std::to_string(seq));
    if (op.turn)
      if (auto ok = put(turns, *op.turn); !ok)
        return tl::unexpected{ok.error()};
    events.insert(events.end(), op.events.begin(), op.events.end());
    row.last_seq = events.size();
    row.brain = op.brain.value_or(row.brain);
    row.last_input = op.last_input.value_or(row.last_input);
    row.closed = row.closed || op.closed.value_or(false);
    row.updated = op.now;
    if (op.idempotency)
      tables_->keys.push_back(*op.idempotency);
    return ports::store_answer{};
  }

  answer on(const ports::claim_session& op) {
    auto i = tables_->sessions.find(op.session);
    if (i == tables_->sessions.end())
      return fail(errc::not_found);
    ++i->second.row.epoch;
    session_claim claim{i->second.row, {}};
    std::ranges::copy_if(i->second.turns, std::back_inserter(claim.open_turns),
      [](const turn_row& turn) { return turn.phase != turn_phase::ended; });
    std::ranges::copy_if(i->second.events, std::back_inserter(claim.approvals), [&](const event_row& event) {
      return event.type.starts_with("permission_") &&
             std::ranges::find(claim.open_turns, event.turn, &turn_row::id) != claim.open_turns.end();
    });
    return ports::store_answer{std::move(claim)};
  }

  answer on(const ports::delete_session& op) {
    if (auto found = owned(op.session, op.epoch); !found)
      return tl::unexpected{found.error()};
    tables_->sessions.erase(op.session);
    tables_->hands.erase(op.session);
    return ports::store_answer{};
  }

  answer on(const ports::remember_answer& op) {
    if (auto why = known(op.row))
      return fail(*why);
    if (tables_->sessions.contains(op.session))
      tables_->keys.push_back(op.row);
    return ports::store_answer{};
  }

  answer on(const ports::expire_idempotency& op) {
    std::erase_if(tables_->keys, [&](const idempotency_row& row) { return row.created < op.before; });
    return ports::store_answer{};
  }

  answer on(const ports::claim_hand& op) {
    auto i = tables_->sessions.find(op.session);
    if (i == tables_->sessions.end())
      return fail(errc::not_found);
    auto& row = tables_->hands[op.session];
    row.session = op.session;
    row.device = i->second.row.device;
    ++row.epoch;
    hand_claim claim{row, {}};
    for (const auto& [id, intent] : tables_->intents)
      if (intent.session == op.session)
        claim.intents.push_back(intent);
    return ports::store_answer{std::move(claim)};
  }

  answer on(const hand_write& op) {
    auto i = tables_->hands.find(op.row.session);
    if (i == tables_->hands.end() || i->second.epoch != op.row.epoch)
      return fail(errc::stale_epoch);
    i->second = op.row;
    return on(op.intents);
  }

  answer on(const intent_write& op) {
    for (const auto& one : op.put)
      tables_->intents[one.id] = one;
    for (const auto& id : op.remove)
      tables_->intents.erase(id);
    return ports::store_answer{};
  }

  answer on(const ports::read_hands& op) {
    hand_book book{"node-1", {}, {}};
    for (auto& [id, row] : tables_->hands) {
      row.epoch += op.fence ? 1 : 0;
      book.hands.push_back(row);
    }
    for (const auto& [id, intent] : tables_->intents)
      book.intents.push_back(intent);
    return ports::store_answer{std::move(book)};
  }

  std::optional<errc> known(const idempotency_row& row) const {
    for (const auto& key : tables_->keys)
      if (key.device == row.device && key.route == row.route && key.key == row.key)
        return key.request_hash == row.request_hash ? errc::idempotency_in_progress
                                                    : errc::idempotency_mismatch;
    return std::nullopt;
  }

  result<fake_tables::session*> owned(const session_id& id, uint64_t epoch) {
    auto i = tables_->sessions.find(id);
    if (i == tables_->sessions.end())
      return fail(errc::not_found);
    if (i->second.row.epoch != epoch)
      return fail(errc::stale_epoch);
    return &i->second;
  }

  static result<void> put(std::vector<turn_row>& turns, const turn_row& turn) {
    auto i = std::ranges::find(turns, turn.id, &turn_row::id);
    if (i == turns.end())
      turns.push_back(turn);
    else if (i->phase == turn_phase::ended || i->phase > turn.phase)
      return fail(errc::internal, "turn " + turn.id.value + " cannot go back");
    else
      *i = turn;
    return {};
  }

  std::shared_ptr<fake_tables> tables_;
};

/// The read side of a fake database.
class fake_database_reader : public ports::database_reader {
public:
  explicit fake_database_reader(std::shared_ptr<fake_tables> tables) : tables_{std::move(tables)} {}

  result<std::vector<device_row>> devices() override {
    std::vector<device_row> out;
    for (const auto& [hash, row] : tables_->devices)
      out.push_back(row);
    return out;
  }

  result<session_row> session(const session_id& id) override {
    auto i = tables_->sessions.find(id);
    if (i == tables_->sessions.end())
      return fail(errc::not_found);
    return i->second.row;
  }

  result<session_page> sessions(const device_id& device, const std::string&, size_t) override {
    session_page page;
    for (const auto& [id, entry] : tables_->sessions)
      if (entry.row.device == device && !entry.row.closed)
        page.sessions.push_back(entry.row);
    return page;
  }

  result<event_page> events(
    const session_id& id, uint64_t after, size_t max_events, size_t max_bytes) override {
    ++tables_->page_reads;
    if (auto why = tables_->refuse_read ? tables_->refuse_read() : std::nullopt)
      return tl::unexpected{*why};
    auto i = tables_->sessions.find(id);
    if (i == tables_->sessions.end())
      return fail(errc::not_found);
    event_page page;
    page.last_seq = i->second.row.last_seq;
    size_t bytes = 0;
    for (const auto& event : i->second.events)
      if (event.seq > after && page.events.size() < std::min(max_events, tables_->page_limit) &&
          (page.events.empty() || bytes < max_bytes)) {
        page.events.push_back(event);
        bytes += event.data.size();
      }
    page.complete = (page.events.empty() ? after : page.events.back().seq) >= page.last_seq;
    return page;
  }

  result<idempotency_row> idempotency(
    const device_id& device, const std::string& route, const std::string& key) override {
    for (const auto& row : tables_->keys)
      if (row.device == device && row.route == route && row.key == key)
        return row;
    return fail(errc::not_found);
  }

  result<std::vector<session_id>> sessions_with_open_turns() override {
    std::vector<session_id> out;
    for (const auto& [id, entry] : tables_->sessions)
      if (entry.row.closed || std::ranges::any_of(entry.turns,
                                [](const turn_row& turn) { return turn.phase != turn_phase::ended; }))
        out.push_back(id);
    return out;
  }

  result<uint64_t> count_sessions() override { return tables_->sessions.size(); }

  result<std::vector<std::pair<session_id, brain_session_id>>> brain_sessions() override {
    std::vector<std::pair<session_id, brain_session_id>> out;
    for (const auto& [id, entry] : tables_->sessions)
      out.emplace_back(id, entry.row.brain);
    return out;
  }

private:
  std::shared_ptr<fake_tables> tables_;
};

} // namespace agentpool::test
