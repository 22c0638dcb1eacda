// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/facts.hpp"
#include "actors/hands/world/operation.hpp"
#include "actors/hands/world/pump.hpp"
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

// The version was taken before the content: it is never newer.
void send(const operation& op, const read_request& asked, const ports::entry_info& entry) {
  auto version = version_of(asked.path, entry.type, facts_of(entry), op.hand->continuity());
  ports::stream_head head{200, "application/octet-stream", {{"X-Agentpool-Version", version}}};
  if (asked.length == 0u) {
    answer_empty(*op.stream, std::move(head));
    return op.done({0, {}});
  }
  pump::order order{asked.path, {asked.offset, asked.length}, asked.max_bytes, std::move(head)};
  std::make_shared<pump>(op.hand, op.stream, std::move(order), [op](std::optional<failure> why) {
    why ? op.fail(*why) : op.done({0, {}});
  })->start();
}

} // namespace

void read(const operation& op) {
  auto asked = read_read(op.body);
  if (!asked)
    return op.fail(asked.error());
  op.hand->stat(asked->path, [op, asked = *asked](const result<seen>& entry) {
    if (!entry)
      return op.fail(entry.error());
    if (auto refused = refusal(asked, *entry))
      return op.done(std::move(*refused));
    send(op, asked, **entry);
  });
}

} // namespace agentpool::world
