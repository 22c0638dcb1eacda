// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/sse_reader.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace agentpool {

std::vector<sse_frame> sse_reader::feed(std::string_view bytes) {
  std::vector<sse_frame> out;
  while (!bytes.empty() && !broken_) {
    if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    auto end = bytes.find_first_of("\r\n");
    line_ += bytes.substr(0, end);
    broken_ = line_.size() > max_frame;
    if (broken_ || end == std::string_view::npos)
      break;
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    take_line(line_, out);
    line_.clear();
  }
  return out;
}

void sse_reader::reconnect() {
  line_.clear();
  frame_ = {};
  start_ = true;
  after_cr_ = false;
  broken_ = false;
}

void sse_reader::take_line(std::string_view line, std::vector<sse_frame>& out) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (std::exchange(start_, false) && line.starts_with(byte_order_mark))
    line.remove_prefix(byte_order_mark.size());
  if (line.empty())
    return dispatch(out);
  auto colon = line.find(':');
  if (colon == 0)
    return;
  auto value = colon == std::string_view::npos ? std::string_view{} : line.substr(colon + 1);
  if (value.starts_with(' '))
    value.remove_prefix(1);
  take_field(line.substr(0, colon), value);
}

void sse_reader::take_field(std::string_view name, std::string_view value) {
  if (name == "event") {
    frame_.event = value;
  } else if (name == "data") {
    frame_.data.append(value).push_back('\n');
    broken_ = frame_.data.size() > max_frame;
  } else if (name == "id" && value.find('\0') == std::string_view::npos) {
    frame_.id = value;
    frame_.has_id = true;
  } else if (name == "retry" && !value.empty() &&
             std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; })) {
    uint64_t time = 0;
    if (std::from_chars(value.data(), value.data() + value.size(), time).ec == std::errc{})
      retry_ = time;
  }
}

// An id counts even when its frame has no data.
void sse_reader::dispatch(std::vector<sse_frame>& out) {
  auto frame = std::exchange(frame_, {});
  if (frame.has_id)
    last_id_ = frame.id;
  if (frame.data.empty())
    return;
  frame.data.pop_back();
  frame.id = last_id_;
  if (frame.event.empty())
    frame.event = "message";
  out.push_back(std::move(frame));
}

} // namespace agentpool
