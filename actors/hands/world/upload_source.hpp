// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/ports/byte_stream.hpp"

#include <memory>
#include <optional>
#include <string>

namespace agentpool::world {

/// The bytes of a request's body on their way into the hand: what came with the request, then the rest, which
/// may be null.
class upload_source : public ports::byte_source {
public:
  upload_source(std::string first, std::shared_ptr<ports::byte_source> rest)
      : first_{std::move(first)}, rest_{std::move(rest)} {}

  std::optional<uint64_t> length() const override {
    auto more = rest_ ? rest_->length() : std::optional<uint64_t>{0};
    return more ? std::optional{first_.size() + *more} : std::nullopt;
  }

  void pull(size_t most, std::function<void(result<std::string>)> answer) override {
    if (sent_ < first_.size()) {
      auto piece = first_.substr(sent_, most);
      sent_ += piece.size();
      return answer(std::move(piece));
    }
    rest_ ? rest_->pull(most, std::move(answer)) : answer(std::string{});
  }

private:
  std::string first_;
  std::shared_ptr<ports::byte_source> rest_;
  size_t sent_ = 0;
};

} // namespace agentpool::world
