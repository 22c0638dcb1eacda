// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/processes.hpp"

#include "actors/hands/world/search_args.hpp"
#include "actors/hands/world/wrapper.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace agentpool::world {

namespace {

constexpr std::array<std::string_view, 5> signals{"SIGINT", "SIGTERM", "SIGKILL", "SIGTSTP", "SIGHUP"};
constexpr size_t prefix = 3; // SIG

reply unknown(std::string_view what) {
  return coded_error(
    "unknown_process", "There is no such " + std::string{what} + " of this session (it may be gone).");
}

} // namespace

processes::~processes() {
  for (const auto& [id, one] : commands_)
    one->abandon();
  for (const auto& [id, one] : terminals_)
    one->abandon();
}

bool processes::full(const operation& op) const {
  if (size() < defaults::world_processes)
    return false;
  op.done(coded_error("too_many", "64 commands of this session run already; end some of them."));
  return true;
}

std::shared_ptr<event_out> processes::begin(const operation& op) {
  auto sink = op.stream->begin({200, "application/x-ndjson", {}});
  op.done({0, {}});
  return std::make_shared<event_out>(op.hand->home(), std::move(sink));
}

void processes::spawn(const operation& op, std::string& notice) {
  auto asked = read_spawn(op.body);
  if (asked && asked->search) {
    auto argv = search_argv(asked->argv);
    if (!argv)
      return op.fail(argv.error());
    asked->argv = std::move(*argv);
  }
  if (!asked)
    return op.fail(asked.error());
  if (full(op))
    return;
  auto id = random_id("p-");
  command::parts parts{
    id, std::move(*asked), op.hand, begin(op), nullptr, std::exchange(notice, {}), nullptr, nullptr};
  if (!parts.asked.tool_call.empty())
    parts.live = std::make_shared<live_output>(op.hand->home(), parts.asked.tool_call, id, live_);
  parts.no_room = [weak = weak_from_this(), hand = op.hand] {
    auto self = weak.lock();
    return self && self->end_what_was_left(hand);
  };
  parts.gone = [weak = weak_from_this(), id, continuity = op.hand->continuity()] {
    if (auto self = weak.lock())
      self->forget(id, continuity);
  };
  if (op.hand->known() && !parts.asked.search) {
    parts.writes = op.hand->known()->begin_writer();
    parts.left_behind = left_behind_;
  }
  auto made = std::make_shared<command>(std::move(parts));
  commands_.emplace(id, made);
  made->start();
}

void processes::forget(const std::string& id, uint64_t continuity) {
  auto found = commands_.find(id);
  if (auto group = found->second->left_running(); group != 0)
    left_.push_back({group, continuity});
  if (left_.size() > defaults::world_processes)
    left_.pop_front();
  commands_.erase(found);
}

// A fork bomb in the background is over as a command, and nothing could be started any more that ends it.
bool processes::end_what_was_left(const std::shared_ptr<hand_io>& hand) {
  std::set<uint32_t> groups;
  for (const auto& [group, continuity] : std::exchange(left_, {}))
    if (continuity == hand->continuity())
      groups.insert(group);
  for (const auto& [id, one] : commands_)
    if (auto group = one->left_running(); group != 0)
      groups.insert(group);
    else
      groups.erase(one->group()); // the number of an old group that is gone may be a new one's
  for (auto group : groups)
    hand->run(
      {kill_group(group, 0), "root", 0, "kill group", call_kind::aside}, [](const result<script_output>&) {});
  return !groups.empty();
}

void processes::open_terminal(const operation& op) {
  auto asked = read_terminal(op.body);
  if (!asked)
    return op.fail(asked.error());
  if (full(op))
    return;
  auto id = random_id("t-");
  terminal::parts parts{id, std::move(*asked), op.hand, begin(op), [weak = weak_from_this(), id] {
                          if (auto self = weak.lock())
                            self->terminals_.erase(id);
                        }};
  if (op.hand->known()) {
    parts.writes = op.hand->known()->begin_writer();
    parts.left_behind = left_behind_;
  }
  auto made = std::make_shared<terminal>(std::move(parts));
  terminals_.emplace(id, made);
  made->start();
}

void processes::input(const operation& op) {
  auto id = read_handle(op.body, "process");
  if (!id)
    return op.fail(id.error());
  auto found = commands_.find(*id);
  if (found == commands_.end())
    return op.done(unknown("process"));
  auto end = op.body["end"].boolean().value_or(false);
  found->second->input(op.content, end, [op](const result<void>& how) {
    if (how)
      return op.done({200, "{}"});
    how.error().code == errc::envd_not_found ? op.done(unknown("process"))
                                             : op.fail(how.error(), effect::change);
  });
}

void processes::terminate(const operation& op) {
  auto id = read_handle(op.body, "process");
  if (!id)
    return op.fail(id.error());
  if (auto found = commands_.find(*id); found != commands_.end())
    found->second->terminate();
  op.done({200, "{}"}); // one that is gone is fine
}

// -- terminals

std::shared_ptr<terminal> processes::find_terminal(const operation& op) {
  auto id = read_handle(op.body, "terminal");
  if (!id) {
    op.fail(id.error());
    return nullptr;
  }
  auto found = terminals_.find(*id);
  if (found != terminals_.end())
    return found->second;
  op.done(unknown("terminal"));
  return nullptr;
}

void processes::write(const operation& op) {
  auto one = find_terminal(op);
  if (!one)
    return;
  one->input(op.content, [op](const result<void>& how) {
    if (how)
      return op.done({200, "{}"});
    how.error().code == errc::envd_not_found ? op.done(unknown("terminal"))
                                             : op.fail(how.error(), effect::change);
  });
}

void processes::resize(const operation& op) {
  auto one = find_terminal(op);
  if (!one)
    return;
  auto rows = op.body["rows"].integer().value_or(0);
  auto cols = op.body["cols"].integer().value_or(0);
  if (std::min(rows, cols) < 1 || std::max(rows, cols) > 1000)
    return op.fail({errc::bad_request, "The members 'rows' and 'cols' must be integers from 1 to 1000."});
  one->resize(static_cast<uint32_t>(rows), static_cast<uint32_t>(cols), op.done);
}

void processes::foreground(const operation& op) {
  if (auto one = find_terminal(op))
    one->foreground(op.done);
}

void processes::signal(const operation& op) {
  auto one = find_terminal(op);
  if (!one)
    return;
  auto name = op.body["signal"].text().value_or("");
  if (std::ranges::find(signals, name) == signals.end())
    return op.fail(
      {errc::bad_request, "The member 'signal' must be SIGINT, SIGTERM, SIGKILL, SIGTSTP or SIGHUP."});
  one->signal(std::string{name.substr(prefix)}, op.done);
}

void processes::terminate_terminal(const operation& op) {
  if (auto one = find_terminal(op))
    one->terminate(op.done);
}

} // namespace agentpool::world
