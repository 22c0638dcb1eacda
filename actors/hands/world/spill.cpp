// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/spill.hpp"

namespace agentpool::world {

/// The link asks on a thread of its own; what there is, is known at home.
class spill::source : public ports::byte_source {
public:
  source(std::shared_ptr<loop> home, std::shared_ptr<spill> from)
      : home_{std::move(home)}, from_{std::move(from)} {}
  ~source() override {
    home_->post([from = std::move(from_)] {});
  }

  std::optional<uint64_t> length() const override { return std::nullopt; }
  void pull(size_t most, std::function<void(result<std::string>)> answer) override {
    home_->post([from = from_, most, answer = std::move(answer)] { from->pull(most, answer); });
  }

private:
  std::shared_ptr<loop> home_;
  std::shared_ptr<spill> from_;
};

spill::spill(std::shared_ptr<hand_io> hand, std::string path, uint64_t tail, uint64_t most,
  std::function<void(std::optional<std::string>)> told)
    : hand_{std::move(hand)}, path_{std::move(path)}, tail_{tail}, most_{most}, told_{std::move(told)} {}

void spill::feed(std::string_view bytes, event_out::credit held) {
  if (failed_ || ended_)
    return;
  size_ += bytes.size();
  if (size_ > most_)
    return give_up();
  // What still fits into the tail is small, and must not hold the process back.
  pieces_.push_back({std::string{bytes}, size_ > tail_ ? std::move(held) : nullptr});
  if (size_ > tail_ && !open_)
    open();
  serve();
}

void spill::finish(std::function<void()> then) {
  ended_ = true;
  if (!open_ || done_)
    return then();
  then_ = std::move(then);
  serve();
}

void spill::drop() {
  give_up();
}

void spill::open() {
  open_ = true;
  told_(path_);
  auto from = std::make_shared<source>(hand_->home(), shared_from_this());
  hand_->link().write_file(path_, hand_user, from, {},
    hand_->bring<std::string>(hand_->begin("write", path_, call_kind::aside),
      [self = shared_from_this()](const result<std::string>& how) { self->written(how); }));
}

void spill::pull(size_t most, pulled answer) {
  asked_ = most;
  answer_ = std::move(answer);
  serve();
}

void spill::serve() {
  if (!answer_)
    return;
  if (failed_)
    return std::exchange(answer_, nullptr)(fail(errc::cancelled));
  if (!pieces_.empty()) {
    auto& next = pieces_.front();
    auto bytes = next.bytes.substr(0, asked_);
    next.bytes.erase(0, bytes.size());
    if (next.bytes.empty())
      pieces_.pop_front();
    return std::exchange(answer_, nullptr)(std::move(bytes));
  }
  if (ended_)
    std::exchange(answer_, nullptr)(std::string{});
}

void spill::written(const result<std::string>& how) {
  done_ = true;
  answer_ = nullptr;
  if (!how || failed_) {
    if (!std::exchange(failed_, true))
      told_(std::nullopt);
    pieces_.clear();
    hand_->remove(path_);
  }
  if (auto then = std::exchange(then_, nullptr))
    then();
}

void spill::give_up() {
  if (std::exchange(failed_, true))
    return;
  pieces_.clear();
  if (open_)
    told_(std::nullopt);
  serve();
}

} // namespace agentpool::world
