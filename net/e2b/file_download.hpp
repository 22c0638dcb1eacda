// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/e2b/faults.hpp"
#include "net/e2b/link_state.hpp"
#include "protocol/ports/http_client.hpp"
#include "protocol/ports/sandbox_link.hpp"

#include <memory>
#include <optional>

namespace agentpool::net {

/// The answer of a GET of `/files` as the bytes of the range that was asked for, also where the server does
/// not know ranges.
class file_download : public ports::http_receiver {
public:
  file_download(std::weak_ptr<ports::http_client> client, std::shared_ptr<const link_state> state,
    std::shared_ptr<ports::byte_sink> sink, ports::byte_range range);

  void on_head(ports::http_head head) override;
  void on_bytes(std::string bytes) override;
  void on_end(ports::http_end end) override;

private:
  enum class mode : uint8_t { content, empty, refusal };

  void begin_whole();
  void begin_part();
  void begin_behind_the_end();
  void refuse(std::string_view what);
  void finish(result<void> how);
  void stop();

  std::weak_ptr<ports::http_client> client_;
  std::shared_ptr<const link_state> state_;
  std::shared_ptr<ports::byte_sink> sink_;
  ports::byte_range range_;
  mode mode_ = mode::refusal;
  uint64_t skip_ = 0;              ///< bytes before the range
  std::optional<uint64_t> wanted_; ///< bytes of the range that are still to come
  http_answer answer_;
};

} // namespace agentpool::net
