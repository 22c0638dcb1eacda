// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agentpool {

/// One dispatched frame of an event stream.
struct sse_frame {
  std::string id; ///< the last event id when it was dispatched; frames without an id keep the one before
  std::string event = "message";
  std::string data;
  bool has_id = false; ///< this very frame brought the id
};

/// Reads text/event-stream (WHATWG HTML, section 9.2.6) from bytes cut anywhere. Comments are skipped.
class sse_reader {
public:
  /// Bytes of one line or of one frame's data; more breaks the stream.
  static constexpr size_t max_frame = 32u << 20;

  /// The frames that `bytes` completed, in order. A broken stream gives none any more.
  std::vector<sse_frame> feed(std::string_view bytes);

  /// A new connection: what was incomplete is forgotten, the last event id stays.
  void reconnect();

  /// What a reconnect sends as Last-Event-ID; empty before the first id.
  const std::string& last_event_id() const { return last_id_; }
  /// The server's wish for the time before a reconnect, in milliseconds.
  std::optional<uint64_t> retry() const { return retry_; }
  bool broken() const { return broken_; }

private:
  void take_line(std::string_view line, std::vector<sse_frame>& out);
  void take_field(std::string_view name, std::string_view value);
  void dispatch(std::vector<sse_frame>& out);

  std::string line_;
  sse_frame frame_;
  std::string last_id_;
  std::optional<uint64_t> retry_;
  bool start_ = true;     ///< a byte order mark may come
  bool after_cr_ = false; ///< an LF now belongs to the line end before
  bool broken_ = false;
};

} // namespace agentpool
