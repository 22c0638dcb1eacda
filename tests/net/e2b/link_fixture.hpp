// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/e2b/e2b_link.hpp"
#include "net/io_thread.hpp"
#include "tests/net/e2b/fault_server.hpp"
#include "tests/net/e2b/recorders.hpp"

#include <memory>
#include <string>

namespace agentpool::net::test {

/// A link to a `fault_server`.
class LinkTest : public ::testing::Test {
protected:
  void serve(fault_server::script script, std::string version = "0.6.13") {
    link_.reset();
    server_ = std::make_unique<fault_server>(std::move(script));
    e2b_options options{server_->url(), "e2b_00"};
    options.kind = find_profile(profile_);
    options.counters = counters_;
    link_ = make_e2b_link(io_.io, options, {"iabc", "t0k", "", "", std::move(version)});
  }
  /// The same answer to every request; `seen` has the last one.
  void always(std::string bytes) {
    serve([this, bytes = std::move(bytes)](fault_peer& peer) {
      while (auto request = peer.read_request()) {
        seen_.change([&](auto& all) { all.push_back(*request); });
        if (!peer.send(bytes))
          return;
      }
    });
  }
  std::string last_seen() { return seen_.now().back(); }

  settled_io_thread io_;
  recorded<std::vector<std::string>> seen_;
  std::string profile_ = "e2b"; ///< of the next link
  std::shared_ptr<e2b_counters> counters_ = std::make_shared<e2b_counters>();
  std::unique_ptr<fault_server> server_;
  std::shared_ptr<ports::sandbox_link> link_;
};

} // namespace agentpool::net::test
