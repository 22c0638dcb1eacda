// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/ports/http_client.hpp"

#include <functional>
#include <string>
#include <utility>

namespace agentpool::net {

/// A whole answer. Head and body are what came before `end`.
struct http_answer {
  ports::http_head head;
  std::string body;
  ports::http_end end;

  bool success() const { return end.ok() && head.status / 100 == 2; }
};

/// Collects an answer; the call's `most_body` bounds it.
class collector : public ports::http_receiver {
public:
  explicit collector(std::function<void(http_answer)> done) : done_(std::move(done)) {}

  void on_head(ports::http_head head) override { answer_.head = std::move(head); }
  void on_bytes(std::string bytes) override {
    if (answer_.body.empty())
      answer_.body = std::move(bytes);
    else
      answer_.body += bytes;
  }
  void on_end(ports::http_end end) override {
    answer_.end = std::move(end);
    done_(std::move(answer_));
  }

private:
  std::function<void(http_answer)> done_;
  http_answer answer_;
};

} // namespace agentpool::net
