// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/query.hpp"

#include <charconv>

namespace agentpool::envd {

std::string percent_decode(std::string_view text, bool plus) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    auto digits = text.substr(i + 1, 2);
    if (text[i] == '%' && digits.size() == 2 &&
        std::from_chars(digits.data(), digits.data() + 2, byte, 16).ptr == digits.data() + 2) {
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += plus && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

std::optional<std::string> query_value(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    auto end = query.find('&');
    auto part = query.substr(0, end);
    query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
    auto mark = part.find('=');
    if (percent_decode(part.substr(0, mark), true) == name)
      return mark == std::string_view::npos ? std::string{} : percent_decode(part.substr(mark + 1), true);
  }
  return std::nullopt;
}

} // namespace agentpool::envd
