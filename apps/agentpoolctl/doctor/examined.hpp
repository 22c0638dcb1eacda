// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "apps/agentpoolctl/doctor/finding.hpp"
#include "net/e2b/e2b_api.hpp"
#include "net/io_thread.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace agentpool::ctl::doctor {

/// What is examined, and within which time each call must be answered.
struct settings {
  net::e2b_options provider;
  std::string template_id = "base";
  std::chrono::milliseconds patience{60'000};
};

/// A command that ended.
struct ran {
  int exit_code = 0;
  std::string out;
};

/// A plain answer, with what the ports do not tell.
struct plain_answer {
  int status = 0;
  std::string body;
  std::string date;
  std::string next_token;
};

/// The provider under examination, the sandbox that was made there, and what was found. All calls block.
class examined {
public:
  explicit examined(settings given);
  ~examined();

  const settings given;
  const std::string nonce; ///< in the metadata and the environment of every sandbox of this run
  std::string id;          ///< empty: there is no sandbox
  ports::sandbox_access access;
  std::string hash; ///< of the file at `file_path`
  uint32_t sleeper = 0;
  int64_t api_ahead_ms = 0; ///< the API's clock against ours
  bool paused = false;
  bool broken = false;      ///< later steps have nothing to stand on
  bool interrupted = false; ///< by the user: later steps are left out
  std::vector<finding> found;

  /// Runs a step; `body` returns what it found. Its time is measured unless it told one.
  void step(const std::string& name, const std::function<finding()>& body);

  net::e2b_provider& api() { return *api_; }
  ports::sandbox_link& link() { return *link_; }
  std::shared_ptr<ports::sandbox_link> shared_link() { return link_; }
  /// New connections, as after every resume.
  void fresh_link();
  ports::call_limits limits() const;

  result<ran> run(
    const std::string& command, const std::string& user = "user", const std::string& input = {});
  /// A process that goes on; its pid.
  result<uint32_t> start(const std::string& command);
  result<std::string> read(const std::string& path);
  /// As it is, without repetitions.
  result<plain_answer> plain(
    const std::string& url, std::vector<std::string> headers, const std::string& connect_to = {});
  /// The sandboxes of this run, by the list.
  result<std::vector<ports::sandbox_info>> listed();
  std::string key_line() const;

private:
  net::io_thread io_;
  std::shared_ptr<net::e2b_provider> api_;
  std::shared_ptr<ports::sandbox_link> link_;
};

inline constexpr auto file_path = "/home/user/agentpool-doctor.bin";

finding good(std::string text);
finding odd(std::string text, std::string fix);
finding bad(std::string text, std::string fix);
/// A failed call, with the usual fix for its code.
finding bad(const failure& why, const std::string& what);

} // namespace agentpool::ctl::doctor
