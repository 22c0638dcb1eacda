// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace agentpool {

/// Where a running daemon can be reached: `run/endpoints.json`, for the command line and for tests.
struct endpoints {
  std::string gateway_url;
  std::string device_token;
  std::string ops_url;
  std::string ops_token;
  std::string demo_model_url; ///< empty: none
  int demo_model_pid = 0;
  std::string sandboxd_url; ///< with its pid: the provider of this machine
  std::string sandboxd_api_key;
  int sandboxd_pid = 0; ///< 0: none
};

/// The address of a listener, as clients write it; an IPv6 address in brackets.
std::string http_url(const std::string& address, uint16_t port);

/// `{"gateway":{url,device_token,pid},"ops":{url,token,pid},"demo_model":{url,pid},
/// "sandboxd":{url,api_key,pid}}`; the first two pids are this process's.
std::string endpoints_json(const endpoints& where);

} // namespace agentpool
