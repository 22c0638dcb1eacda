// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/e2b/e2b_api.hpp"
#include "net/io_thread.hpp"
#include "tests/net/e2b/fault_server.hpp"
#include "tests/net/e2b/recorders.hpp"

#include <algorithm>
#include <map>

namespace agentpool::net::test {

using namespace std::chrono_literals;
using ports::sandbox_access;

inline const std::string sandbox_json =
  R"({"templateID":"base","sandboxID":"iabc","clientID":"0","envdVersion":"0.6.13","envdAccessToken":"t0k",)"
  R"("domain":null})";

inline std::string line_of(const std::string& request) {
  return request.substr(0, request.find(" HTTP/"));
}

class E2bApiTest : public ::testing::Test {
protected:
  /// A provider that answers `METHOD /path` by the table, again and again from its last answer; 404 else.
  void provide(std::map<std::string, std::vector<std::string>> answers) {
    server_ = std::make_unique<fault_server>([this, answers = std::move(answers)](fault_peer& peer) {
      while (auto request = peer.read_request()) {
        auto line = line_of(*request);
        size_t times = 0;
        seen_.change([&](auto& all) {
          for (const auto& one : all)
            times += line_of(one) == line;
          all.push_back(*request);
        });
        auto found = answers.find(line);
        if (found == answers.end())
          peer.send(answer(404, "404 page not found\n", "text/plain"));
        else if (!peer.send(found->second.at(std::min(times, found->second.size() - 1))))
          return;
      }
    });
    connect_to(*server_);
  }
  void connect_to(const fault_server& server) {
    e2b_options options{server.url(), "e2b_00"};
    options.kind = find_profile(profile_);
    api_ = make_e2b_api(io_.io, std::move(options));
  }
  std::vector<std::string> lines() {
    std::vector<std::string> all;
    for (const auto& request : seen_.now())
      all.push_back(line_of(request));
    return all;
  }
  result<sandbox_access> create(ports::call_limits limits = {}) {
    reply<sandbox_access> got;
    api_->create({"base", 60s, true, {}, {{"nonce", "n1"}}, {}}, limits, got.completion());
    return got.get();
  }
  result<ports::sandbox_connected> connect() {
    reply<ports::sandbox_connected> got;
    api_->connect("iabc", 60s, {}, got.completion());
    return got.get();
  }
  result<void> set_timeout() {
    reply<void> got;
    api_->set_timeout("iabc", 60s, {}, got.completion());
    return got.get();
  }
  result<bool> kill() {
    reply<bool> got;
    api_->kill("iabc", {}, got.completion());
    return got.get();
  }

  settled_io_thread io_;
  recorded<std::vector<std::string>> seen_;
  std::unique_ptr<fault_server> server_;
  std::string profile_ = "e2b"; ///< of the next client
  std::shared_ptr<e2b_provider> api_;
};

} // namespace agentpool::net::test
