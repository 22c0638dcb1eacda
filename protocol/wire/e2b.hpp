// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/e2b_network.hpp"
#include "protocol/wire/json.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Bodies of the E2B control plane (REST, https://e2b.dev/docs/api-reference), both directions: servers parse
/// requests strictly (`bad_request` with the sentence of the reply), clients parse replies leniently: unknown
/// members mean nothing, null counts as absent, what only some servers send has a default.
namespace agentpool::e2b {

using string_map = std::map<std::string, std::string>;

/// The two generations of create and connect.
enum class api : uint8_t {
  v1, ///< /sandboxes, /sandboxes/{id}/connect
  v2, ///< /v2/sandboxes, /v2/sandboxes/{id}/connect
};

/// Default timeouts in seconds when a create or connect names none.
inline constexpr int64_t default_timeout_v1 = 15;
inline constexpr int64_t default_timeout_v2 = 300;

/// POST /sandboxes and /v2/sandboxes (NewSandbox, NewSandboxV2).
struct new_sandbox {
  std::string template_id;
  std::optional<int64_t> timeout; ///< seconds until the timeout action; nothing: the generation's default
  std::optional<bool> secure;     ///< envd wants a token; nothing: v1 no, v2 yes
  bool auto_pause = false;        ///< the timeout action: pause, else kill
  bool auto_pause_memory = true;  ///< false: only the file system survives the pause
  bool auto_resume = false;       ///< traffic resumes a paused sandbox
  std::optional<bool> allow_internet_access; ///< false: no way out
  string_map metadata;
  std::optional<network_options> network;
  string_map env_vars;                  ///< environment of every process
  std::vector<std::string> unsupported; ///< members that were sent and that this codec does not know how to
                                        ///< hold: mcp, volumeMounts, iam. Never encoded.

  int64_t timeout_or_default(api version) const {
    return timeout.value_or(version == api::v1 ? default_timeout_v1 : default_timeout_v2);
  }
  bool secure_or_default(api version) const { return secure.value_or(version == api::v2); }
};

/// The request as this generation writes it: v1 always names `secure` and `timeout`.
std::string new_sandbox_json(const new_sandbox& request, api version);
result<new_sandbox> parse_new_sandbox(std::string_view body);

/// Replies of create, connect and resume (Sandbox).
struct sandbox {
  std::string sandbox_id;
  std::string template_id;
  std::string alias;
  std::string client_id;
  std::string envd_version = "0.0.0";              ///< semver
  std::optional<std::string> envd_access_token;    ///< of secure sandboxes; the same after every resume
  std::optional<std::string> traffic_access_token; ///< for ports of the user
  std::optional<std::string> domain;               ///< host names below it, in place of the client's own
};

std::string sandbox_json(const sandbox& reply);
/// `bad_json` without a `sandboxID`.
result<sandbox> parse_sandbox(std::string_view body);

/// One row of GET /v2/sandboxes (ListedSandbox).
struct listed_sandbox {
  std::string sandbox_id;
  std::string template_id;
  std::string alias;
  std::string client_id;
  int64_t started_at = 0;        ///< milliseconds since the Unix epoch
  std::optional<int64_t> end_at; ///< the same; paused: when it was; nothing: never ends
  std::string envd_version = "0.0.0";
  int64_t cpu_count = 0;
  int64_t memory_mb = 0;
  int64_t disk_size_mb = 0;
  string_map metadata;
  std::string state; ///< running or paused; clients pass others through
};

/// GET /sandboxes/{id} (SandboxDetail).
struct sandbox_detail : listed_sandbox {
  std::optional<std::string> envd_access_token;
  std::optional<bool> allow_internet_access;
  std::optional<network_options> network;
  std::optional<std::string> domain;
  bool auto_resume = false;
  bool auto_pause = false; ///< lifecycle.onTimeout: pause or kill
};

std::string sandbox_detail_json(const sandbox_detail& reply);
result<sandbox_detail> parse_sandbox_detail(std::string_view body);

std::string sandbox_list_json(const std::vector<listed_sandbox>& rows);
/// Rows without an id are left out.
result<std::vector<listed_sandbox>> parse_sandbox_list(std::string_view body);

/// POST …/connect and …/resume.
struct connect_request {
  std::optional<int64_t> timeout; ///< seconds; v1 requires it
  bool memory = true;             ///< false: boot a paused sandbox from its disk
};

std::string connect_json(const connect_request& request);
/// An empty body counts as `{}`. v1 without `timeout` is refused.
result<connect_request> parse_connect(std::string_view body, api version);

/// POST …/timeout: `{"timeout":seconds}`; negative counts as 0.
std::string timeout_json(int64_t seconds);
result<int64_t> parse_timeout(std::string_view body);

/// POST …/refreshes: `{"duration":0…3600}`; an absent body means 0.
result<int64_t> parse_refresh(std::string_view body);

/// POST …/pause: whether memory is to be kept; an empty body counts as `{}`.
result<bool> parse_pause(std::string_view body);

} // namespace agentpool::e2b
