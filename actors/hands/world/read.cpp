// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/facts.hpp"
#include "actors/hands/world/operation.hpp"
#include "actors/hands/world/pump.hpp"
#include "actors/hands/world/target_guard.hpp"
#include "protocol/wire/text.hpp"
#include "protocol/wire/world_request.hpp"

namespace agentpool::world {

namespace {

std::string quoted(std::string_view path) {
  return '"' + printable(path, path_bytes) + '"';
}

std::optional<reply> refusal(const read_request& asked, const seen& entry) {
  if (!entry)
    return coded_error("FS_NOT_FOUND", "There is no file " + quoted(asked.path) + ".");
  if (entry->type != ports::entry_type::file)
    return coded_error("FS_NOT_REGULAR_FILE", quoted(asked.path) + " is not a regular file.");
  if (asked.max_bytes && entry->size > *asked.max_bytes)
    return coded_error(
      "FS_TOO_LARGE", quoted(asked.path) + " is larger than " + std::to_string(*asked.max_bytes) + " bytes.");
  return std::nullopt;
}

// Known content of the version that was asked about.
void send_kept(const operation& op, const read_request& asked, ports::stream_head head,
  const std::shared_ptr<const std::string>& content) {
  auto begin = std::min<uint64_t>(asked.offset, content->size());
  auto part = std::make_shared<const std::string>(
    content->substr(begin, asked.length ? *asked.length : std::string::npos));
  if (part->empty())
    answer_empty(*op.stream, std::move(head));
  else {
    auto sink = op.stream->begin(std::move(head));
    sink->write(part, [sink](bool taken) {
      if (taken)
        sink->finish("all of the file was sent");
    });
  }
  op.done({0, {}});
}

// Content that came while nothing ran belongs to the version that was known before and is after.
void keep_copy(pump::order& order, const std::shared_ptr<hand_io>& hand, const std::string& version) {
  if (!hand->is_quiet() || order.range.offset != 0 || order.range.length)
    return;
  order.copy_most = defaults::kept_file;
  order.copy = [hand, path = order.path, version, asked = hand->known()->now()](std::string bytes) {
    if (asked == hand->known()->now())
      hand->known()->content().put(path, version, std::move(bytes));
  };
}

// The version was taken before the content: it is never newer.
void send(const operation& op, const read_request& asked, const ports::entry_info& entry) {
  auto version = version_of(asked.path, entry.type, facts_of(entry), op.hand->continuity());
  ports::stream_head head{200, "application/octet-stream", {{"X-Agentpool-Version", version}}};
  if (asked.length == 0u) {
    answer_empty(*op.stream, std::move(head));
    return op.done({0, {}});
  }
  if (auto content = kept_text(*op.hand, asked.path, entry))
    return send_kept(op, asked, std::move(head), content);
  pump::order order{asked.path, {asked.offset, asked.length}, asked.max_bytes, std::move(head)};
  keep_copy(order, op.hand, version);
  std::make_shared<pump>(op.hand, op.stream, std::move(order), [op](std::optional<failure> why) {
    why ? op.fail(*why) : op.done({0, {}});
  })->start();
}

// What may be out of date refuses nothing.
void look(const operation& op, const read_request& asked, bool now) {
  op.hand->stat(
    asked.path,
    [op, asked, now](const result<seen>& entry) {
      if (!entry)
        return op.fail(entry.error());
      auto refused = refusal(asked, *entry);
      if (refused && !now && op.hand->known() && !op.hand->is_quiet())
        return look(op, asked, true);
      if (refused)
        return op.done(std::move(*refused));
      send(op, asked, **entry);
    },
    now);
}

} // namespace

void read(const operation& op) {
  auto asked = read_read(op.body);
  asked ? look(op, *asked, false) : op.fail(asked.error());
}

} // namespace agentpool::world
