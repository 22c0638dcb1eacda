// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/process/line_reader.hpp"

#include <utility>

namespace agentpool::net {

bool line_reader::feed(std::string_view bytes, const sink& line) {
  while (!bytes.empty()) {
    auto newline = bytes.find('\n');
    if (!append(bytes.substr(0, newline)))
      return false;
    if (newline == std::string_view::npos)
      return true;
    if (policy_ == overflow::fail && partial_.size() > max_line_ && partial_.back() != '\r')
      return false;
    finish(line);
    bytes.remove_prefix(newline + 1);
  }
  return true;
}

std::string line_reader::take_rest() {
  if (partial_.size() > max_line_)
    partial_.resize(max_line_);
  return std::exchange(partial_, {});
}

// One byte more than max_line may wait: it can be the CR of a line that is just long enough.
bool line_reader::append(std::string_view part) {
  if (skipping_)
    return true;
  auto room = max_line_ + 1 - partial_.size();
  if (part.size() <= room) {
    partial_ += part;
    return policy_ == overflow::cut || partial_.size() <= max_line_ || partial_.back() == '\r';
  }
  if (policy_ == overflow::fail)
    return false;
  partial_ += part.substr(0, room);
  partial_.resize(max_line_);
  skipping_ = true;
  return true;
}

void line_reader::finish(const sink& line) {
  auto whole = std::exchange(partial_, {});
  if (!skipping_ && !whole.empty() && whole.back() == '\r')
    whole.pop_back();
  if (whole.size() > max_line_)
    whole.resize(max_line_);
  skipping_ = false;
  line(std::move(whole));
}

} // namespace agentpool::net
