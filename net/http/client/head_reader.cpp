// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/http/client/head_reader.hpp"

#include "net/http/ascii.hpp"

#include <charconv>

namespace agentpool::ports {

std::string_view http_head::header(std::string_view name) const {
  for (const auto& [key, value] : headers)
    if (net::iequals(key, name))
      return value;
  return {};
}

} // namespace agentpool::ports

namespace agentpool::net {

namespace {

std::string_view trimmed(std::string_view text) {
  auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

// "HTTP/1.1 200 OK"
int status_of(std::string_view line) {
  int status = 0;
  if (auto space = line.find(' '); space != std::string_view::npos)
    std::from_chars(line.data() + space + 1, line.data() + line.size(), status);
  return status;
}

} // namespace

head_reader::step head_reader::feed(std::string_view line) {
  if (complete_)
    return step::more;
  size_ += line.size();
  if (size_ > most_)
    return step::too_large;
  if (line.starts_with("HTTP/")) {
    head_ = {};
    head_.status = status_of(line);
    return step::more;
  }
  if (!trimmed(line).empty()) {
    auto colon = line.find(':');
    if (colon != std::string_view::npos)
      head_.headers.emplace_back(line.substr(0, colon), trimmed(line.substr(colon + 1)));
    return step::more;
  }
  if (head_.status / 100 == 1)
    return step::more;
  complete_ = true;
  return step::complete;
}

} // namespace agentpool::net
