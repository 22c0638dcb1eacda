// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/e2b/faults.hpp"
#include "net/e2b/link_state.hpp"
#include "protocol/ports/http_client.hpp"
#include "protocol/ports/sandbox_link.hpp"
#include "protocol/wire/connect_stream.hpp"
#include "protocol/wire/envd_process.hpp"

#include <memory>
#include <optional>
#include <string>

namespace agentpool::net {

/// The answer of Start or Connect as a process's events. Decides how a stream ended that ended badly.
class process_stream : public ports::http_receiver {
public:
  process_stream(std::weak_ptr<ports::http_client> client, std::shared_ptr<const link_state> state,
    std::shared_ptr<ports::process_sink> sink, effect what);

  void on_head(ports::http_head head) override;
  void on_bytes(std::string bytes) override;
  void on_end(ports::http_end end) override;

private:
  enum class mode : uint8_t { head, events, refusal };

  void take_events(std::string_view bytes);
  void take(const connect::envelope& message);
  void handle(envd::process_started& event);
  void handle(envd::process_output& event);
  void handle(envd::process_ended& event);
  void nonsense_event(std::string_view what);
  void keep_refusal(std::string_view bytes);
  void finish(result<ports::process_end> how);
  failure why(const ports::http_end& end) const;
  void consumed(size_t bytes);

  std::weak_ptr<ports::http_client> client_;
  std::shared_ptr<const link_state> state_;
  std::shared_ptr<ports::process_sink> sink_;
  effect what_;
  mode mode_ = mode::head;
  http_answer refusal_; ///< a head, and the body of an answer that is no stream
  connect::envelope_reader reader_;
  std::optional<failure> told_; ///< by the end of the stream, or found in it
  int64_t packing_ =
    0; ///< bytes that came beyond the output that was delivered, not consumed yet; less than 0:
       ///< of the output that was delivered so much came in pieces that were consumed already
  bool any_bytes_ = false;
  bool started_ = false;
  bool finished_ = false;
};

} // namespace agentpool::net
