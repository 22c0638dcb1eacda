// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/protobuf.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

namespace agentpool::protobuf {

/// A whole message: `take` reads its fields into a new value.
template <class Message, class Take>
connect::outcome<Message> parse(std::string_view bytes, Take take) {
  std::optional<connect::error> fault;
  Message out{};
  take(reader{bytes, fault}, out);
  if (fault)
    return tl::unexpected<connect::error>{std::move(*fault)};
  return out;
}

/// The member `Alternative` of a oneof: the last one holds, and merges with what it has.
template <class Alternative, class Variant>
Alternative& alternative(Variant& out) {
  return std::holds_alternative<Alternative>(out) ? std::get<Alternative>(out)
                                                  : out.template emplace<Alternative>();
}

using text_map = std::vector<std::pair<std::string, std::string>>;

inline void read_entry(reader in, text_map& out) {
  auto& entry = out.emplace_back();
  while (in.next())
    switch (in.tag()) {
    case bytes_field(1): entry.first = in.text(); break;
    case bytes_field(2): entry.second = in.text(); break;
    default: break;
    }
}

/// The entries of a map as they came, made one of names in order: the last of a name holds.
inline void settle_map(text_map& entries) {
  std::ranges::stable_sort(entries, {}, &text_map::value_type::first);
  std::ranges::reverse(entries);
  auto twice = std::ranges::unique(entries, {}, &text_map::value_type::first);
  entries.erase(twice.begin(), twice.end());
  std::ranges::reverse(entries);
}

} // namespace agentpool::protobuf
