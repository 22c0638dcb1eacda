// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoolctl/doctor/finding.hpp"

#include "protocol/wire/json.hpp"

#include <algorithm>
#include <string_view>

namespace agentpool::ctl::doctor {

namespace {

std::string_view name_of(verdict how) {
  switch (how) {
  case verdict::ok: return "OK";
  case verdict::warn: return "WARN";
  case verdict::fail: return "FAIL";
  case verdict::skipped: break;
  }
  return "SKIP";
}

std::string padded(std::string_view text, size_t width) {
  return std::string{text} + std::string(width - std::min(width, text.size()), ' ');
}

} // namespace

std::string as_text(const std::vector<finding>& all) {
  std::string out;
  for (const auto& one : all) {
    auto took = one.took ? std::to_string(one.took->count()) + " ms" : std::string{};
    out += padded(name_of(one.how), 5) + padded(one.step, 14) + padded(took, 10) + one.text + '\n';
    if (!one.fix.empty())
      out += std::string(29, ' ') + "-> " + one.fix + '\n';
  }
  return out;
}

std::string as_json(const std::vector<finding>& all) {
  json_array rows;
  for (const auto& one : all) {
    json_object row;
    row.add("step", one.step).add("verdict", name_of(one.how)).add("text", one.text).add_if("fix", one.fix);
    if (one.took)
      row.add("ms", static_cast<int64_t>(one.took->count()));
    rows.add_raw(row.str());
  }
  return json_object{}.add("ok", exit_code(all) == 0).add_raw("findings", rows.str()).str() + '\n';
}

int exit_code(const std::vector<finding>& all) {
  auto failed = [](const finding& one) { return one.how == verdict::fail; };
  return std::any_of(all.begin(), all.end(), failed) ? 1 : 0;
}

} // namespace agentpool::ctl::doctor
