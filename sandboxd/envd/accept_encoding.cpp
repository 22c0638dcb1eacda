// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/accept_encoding.hpp"

#include "net/http/ascii.hpp"

#include <algorithm>
#include <optional>

namespace agentpool::envd {

namespace {

// The weight in thousandths; one that is malformed counts as 1.
int weight_of(std::string_view parameters) {
  while (!parameters.empty()) {
    auto end = parameters.find(';');
    auto one = net::trim_blanks(parameters.substr(0, end));
    parameters.remove_prefix(end == std::string_view::npos ? parameters.size() : end + 1);
    if (one.size() < 3 || (one[0] != 'q' && one[0] != 'Q') || one[1] != '=')
      continue;
    auto value = one.substr(2);
    if (value[0] != '0' || (value.size() > 1 && value[1] != '.'))
      return 1000;
    int out = 0;
    for (size_t i = 2, scale = 100; i < std::min<size_t>(value.size(), 5); ++i, scale /= 10)
      out += value[i] >= '0' && value[i] <= '9' ? (value[i] - '0') * static_cast<int>(scale) : 0;
    return out;
  }
  return 1000;
}

struct named {
  int weight = 0;
  size_t place = 0;
};

struct wishes {
  std::optional<named> gzip, identity, any;
};

wishes read(std::string_view header) {
  wishes out;
  for (size_t place = 0; !header.empty(); ++place) {
    auto end = header.find(',');
    auto one = header.substr(0, end);
    header.remove_prefix(end == std::string_view::npos ? header.size() : end + 1);
    auto mark = std::min(one.find(';'), one.size());
    auto name = net::trim_blanks(one.substr(0, mark));
    named what{weight_of(one.substr(std::min(mark + 1, one.size()))), place};
    if (net::iequals(name, "gzip") || net::iequals(name, "x-gzip"))
      out.gzip = out.gzip.value_or(what);
    else if (net::iequals(name, "identity"))
      out.identity = out.identity.value_or(what);
    else if (name == "*")
      out.any = out.any.value_or(what);
  }
  return out;
}

bool identity_allowed(const wishes& from) {
  auto rule = from.identity ? from.identity : from.any;
  return !rule || rule->weight > 0;
}

} // namespace

bool accepts_identity(std::string_view accept_encoding) {
  return identity_allowed(read(accept_encoding));
}

content_coding choose_coding(std::string_view accept_encoding) {
  auto wanted = read(accept_encoding);
  bool identity = identity_allowed(wanted);
  auto gzip = wanted.gzip ? wanted.gzip : identity ? std::nullopt : wanted.any;
  if (!gzip || gzip->weight == 0)
    return identity ? content_coding::identity : content_coding::none;
  const auto& other = wanted.identity;
  bool liked_less =
    identity && other &&
    (other->weight > gzip->weight || (other->weight == gzip->weight && other->place < gzip->place));
  return liked_less ? content_coding::identity : content_coding::gzip;
}

} // namespace agentpool::envd
