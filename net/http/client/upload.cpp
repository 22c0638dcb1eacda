// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/http/client/upload.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace agentpool::net {

upload::state upload::take(char* to, size_t room, size_t& taken) {
  if (failed_)
    return state::failed;
  if (used_ < current_.size()) {
    taken = std::min(room, current_.size() - used_);
    std::memcpy(to, current_.data() + used_, taken);
    used_ += taken;
    return state::bytes;
  }
  if (ended_)
    return state::end;
  ask();
  waiting_ = true;
  return state::waiting;
}

void upload::ask() {
  if (asked_)
    return;
  asked_ = true;
  ask_(piece_);
}

bool upload::stop() {
  ended_ = true;
  current_.clear();
  used_ = 0;
  return std::exchange(waiting_, false);
}

void upload::supply(result<std::string> piece) {
  asked_ = false;
  if (ended_)
    return;
  waiting_ = false;
  if (!piece)
    failed_ = piece.error();
  else if (piece->size() > piece_)
    failed_ = failure{errc::internal, "the source gave more than it was asked for"};
  else if (piece->empty())
    ended_ = true;
  current_ = piece ? *std::move(piece) : std::string{};
  used_ = 0;
}

} // namespace agentpool::net
