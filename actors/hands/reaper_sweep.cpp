// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

// The provider's list against the store.
#include "actors/hands/reaper.hpp"
#include "actors/log.hpp"

#include <utility>

namespace agentpool {

namespace {

constexpr size_t most_pages = 1000; // an endless list is no list

std::string label(const ports::sandbox_info& info, const std::string& name) {
  auto i = info.metadata.find(name);
  return i == info.metadata.end() ? std::string{} : i->second;
}

} // namespace

/// The debt of earlier lives is read first: it does not wait for the provider's list.
void reaper_state::sweep() {
  if (sweep_) {
    again_ = true;
    return;
  }
  sweep_.emplace();
  since_ = self_->clock().now();
  read_book([this](hand_book& book) {
    config_.node = book.node;
    for (auto& intent : book.intents)
      if (intent.kind == intent_kind::kill)
        add(std::move(intent));
    kill_due();
    sweep_->begun = config_.clock->now();
    ask_page({});
  });
}

void reaper_state::read_book(std::function<void(hand_book&)> then) {
  auto store = find_store(self_->system());
  if (!store)
    return sweep_failed(not_there(names::store));
  self_->request(store, defaults::store_deadline, hands_atom_v, false)
    .then(std::move(then), [this](const caf::error& why) { sweep_failed(to_failure(why)); });
}

void reaper_state::ask_page(const std::string& cursor) {
  auto op = ++calls_;
  list_call_ = op;
  config_.provider->list(
    {{}, cursor, 100}, within(defaults::hand_total), mail(op).template answer<ports::sandbox_page>());
}

void reaper_state::take_page(const ports::sandbox_page& page) {
  for (const auto& one : page.sandboxes)
    sweep_->listed.emplace(one.id, one);
  if (!page.next.empty() && ++sweep_->pages >= most_pages)
    return sweep_failed({errc::provider_nonsense, "the provider's list of sandboxes has no end"});
  if (!page.next.empty())
    return ask_page(page.next);
  read_book([this](hand_book& book) { compare(book); });
}

void reaper_state::compare(const hand_book& book) {
  auto found = std::move(*std::exchange(sweep_, std::nullopt));
  std::map<session_id, uint64_t> epochs;
  std::set<std::string> known, creating;
  std::vector<std::string> stale;
  for (const auto& row : book.hands) {
    epochs[row.session] = row.epoch;
    if (row.sandbox.empty())
      continue;
    known.insert(row.sandbox);
    if (!found.listed.contains(row.sandbox) && row.updated < found.begun)
      if (auto broker = find_broker(self_->system()))
        self_->send(broker, gone_atom_v, row.session, row.sandbox);
  }
  for (const auto& intent : book.intents) {
    if (intent.kind == intent_kind::kill)
      known.insert(intent.sandbox);
    else if (auto i = epochs.find(intent.session); i != epochs.end() && i->second == intent.epoch)
      creating.insert(intent.id);
    else
      stale.push_back(intent.id);
  }
  std::vector<ports::sandbox_info> orphans;
  foreign_ = 0;
  for (const auto& [id, info] : found.listed) {
    if (label(info, sandbox_label::node) != book.node)
      ++foreign_;
    else if (!known.contains(id) && !creating.contains(label(info, sandbox_label::intent)))
      orphans.push_back(info);
  }
  ++sweeps_;
  since_ = self_->clock().now();
  reap(orphans, std::move(stale));
  timers_.arm(sweep_purpose, config_.settings.sweep);
  if (std::exchange(again_, false))
    sweep();
}

/// Intents of creates that nobody works on any more go with the orphans' becoming debt.
void reaper_state::reap(const std::vector<ports::sandbox_info>& orphans, std::vector<std::string> stale) {
  intent_write write{{}, std::move(stale)};
  for (const auto& info : orphans) {
    intent_row row;
    row.id = random_id("int_");
    row.session.value = label(info, sandbox_label::session);
    row.kind = intent_kind::kill;
    row.sandbox = info.id;
    row.detail = "no session has it";
    row.created = config_.clock->now();
    write.put.push_back(std::move(row));
  }
  if (!orphans.empty())
    log::worker().warn("{} sandbox(es) of this node belong to no session and are killed", orphans.size());
  auto store = find_store(self_->system());
  if ((write.put.empty() && write.remove.empty()) || !store)
    return;
  self_->request(store, defaults::store_deadline, append_atom_v, write)
    .then(
      [this, rows = write.put] {
        for (const auto& row : rows)
          add(row);
        kill_due();
      },
      [this](const caf::error& why) { last_error_ = to_failure(why).text(); });
}

void reaper_state::sweep_failed(const failure& why) {
  sweep_.reset();
  since_ = self_->clock().now();
  last_error_ = "the sandboxes could not be compared with the provider's list: " + why.text();
  log::worker().error("{}", last_error_);
  timers_.arm(sweep_purpose, std::min<caf::timespan>(config_.settings.sweep, defaults::hand_backoff_max));
}

} // namespace agentpool
