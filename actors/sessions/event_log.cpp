// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/sessions/event_log.hpp"

#include "protocol/wire/acp.hpp"
#include "protocol/wire/defaults.hpp"

#include <algorithm>
#include <utility>

namespace agentpool {

event_log::event_log(session_actor::pointer self, const session_row& row,
  std::function<void(const caf::error&)> failed, on_durable settled)
    : self_{self}, session_{row.id}, epoch_{row.epoch}, next_seq_{row.last_seq + 1}, committed_{row.last_seq},
      committed_at_{row.updated}, failed_{std::move(failed)}, settled_{std::move(settled)} {}

void event_log::add(std::string_view type, const turn_id& turn, int64_t time, std::string_view fields) {
  waiting_.push_back(make_event(next_seq_++, type, turn, time, fields));
}

bool event_log::add_text(std::string_view type, std::string_view message_id, std::string_view text,
  const turn_id& turn, int64_t time) {
  if (text_type_ != type || text_message_ != message_id)
    flush_text(turn, time);
  text_type_ = type;
  text_message_ = message_id;
  text_ += text;
  return text_.size() >= defaults::coalesce_bytes || !waiting_.empty();
}

void event_log::flush_text(const turn_id& turn, int64_t time) {
  if (text_.empty())
    return;
  add(text_type_, turn, time, acp::text_chunk_fields(text_, text_message_));
  text_.clear();
}

void event_log::commit(session_write write, on_durable done) {
  write.session = session_;
  write.epoch = epoch_;
  write.events = std::exchange(waiting_, {});
  auto store = find_store(self_->system());
  if (!store)
    return failed_(to_error(not_there(names::store)));
  event_batch batch{std::make_shared<const std::vector<event_row>>(write.events)};
  commit_mark mark{next_seq_ - 1, write.now};
  in_flight_ += batch.events->size();
  self_->request(store, defaults::store_deadline, append_atom_v, std::move(write))
    .then([this, batch, mark, done] { durable(batch, mark, done); },
      [this](const caf::error& why) { failed_(why); });
}

void event_log::durable(const event_batch& batch, const commit_mark& mark, const on_durable& done) {
  in_flight_ -= batch.events->size();
  committed_ = std::max(committed_, mark.last);
  committed_at_ = std::max(committed_at_, mark.at);
  if (!batch.events->empty())
    for (auto& viewer : viewers_)
      self_->send(viewer.handle, events_atom_v, batch);
  if (done)
    done();
  if (settled_ && in_flight_ == 0)
    settled_();
}

void event_log::add_viewer(const viewer_actor& viewer, bool live) {
  if (std::ranges::any_of(viewers_, [&](const viewer_entry& entry) { return entry.handle == viewer; }))
    return;
  self_->monitor(viewer);
  viewers_.push_back({viewer, live});
}

void event_log::remove_viewer(const caf::actor_addr& addr) {
  std::erase_if(viewers_, [&](const viewer_entry& entry) { return entry.handle.address() == addr; });
}

void event_log::dismiss_viewers(const std::string& reason) {
  for (auto& viewer : viewers_)
    self_->send(viewer.handle, stop_atom_v, reason);
}

void event_log::push_live(const live_frame& frame) {
  for (auto& viewer : viewers_)
    if (viewer.live)
      self_->send(viewer.handle, live_atom_v, frame);
}

} // namespace agentpool
