// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/e2b_form.hpp"

#include "protocol/wire/e2b_list.hpp"

#include <algorithm>
#include <charconv>

namespace agentpool::e2b {

tl::unexpected<failure> invalid_parameter(std::string_view parameter, std::string_view rule) {
  return fail(errc::bad_request,
    "validation error: the parameter " + std::string{parameter} + " must be " + std::string{rule});
}

result<void> read_form(std::string_view form, const take_pair& take) {
  while (!form.empty()) {
    auto pair = form.substr(0, form.find('&'));
    form.remove_prefix(std::min(form.size(), pair.size() + 1));
    auto equals = pair.find('=');
    auto name = url_decode(pair.substr(0, equals), true);
    auto value =
      url_decode(equals == std::string_view::npos ? std::string_view{} : pair.substr(equals + 1), true);
    if (!name || !value)
      return invalid_parameter("query", "percent-encoded");
    if (name->empty())
      continue;
    if (auto good = take(*name, *value); !good)
      return good;
  }
  return {};
}

result<int64_t> read_integer(std::string_view parameter, std::string_view text, int64_t least, int64_t most) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most)
    return invalid_parameter(parameter, "between " + std::to_string(least) + " and " + std::to_string(most));
  return value;
}

} // namespace agentpool::e2b
