// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/http/client/fault_text.hpp"

namespace agentpool::net {

using ports::http_fault;

http_fault fault_from(CURLcode code, bool sent) noexcept {
  switch (code) {
  case CURLE_UNSUPPORTED_PROTOCOL:
  case CURLE_WEIRD_SERVER_REPLY:
  case CURLE_HTTP2:
  case CURLE_BAD_CONTENT_ENCODING: return http_fault::malformed;
  default: return sent ? http_fault::broken : http_fault::connect;
  }
}

std::string fault_text(http_fault fault, CURLcode code) {
  auto reason = [code](const char* what) {
    return code == CURLE_OK ? std::string{what} : std::string{what} + " (" + ::curl_easy_strerror(code) + ")";
  };
  switch (fault) {
  case http_fault::none: return {};
  case http_fault::cancelled: return "the call was cancelled";
  case http_fault::connect: return reason("no connection");
  case http_fault::connect_deadline: return "no connection in time";
  case http_fault::first_byte_deadline: return "no answer in time";
  case http_fault::idle_deadline: return "the transfer stood still";
  case http_fault::total_deadline: return "not done in time";
  case http_fault::broken: return reason("the connection broke");
  case http_fault::header_too_large: return "the head of the answer is too large";
  case http_fault::body_too_large: return "the answer is too large";
  case http_fault::malformed: return reason("the answer is no HTTP");
  case http_fault::source: return "the content could not be read";
  case http_fault::overloaded: return "too many calls wait";
  }
  return {};
}

} // namespace agentpool::net
