// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoolctl/templates.hpp"

#include "apps/agentpoolctl/tables.hpp"
#include "protocol/wire/text.hpp"
#include "sandboxd/templates/removal.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace agentpool::ctl {

namespace fs = std::filesystem;

namespace {

std::string variable(const char* name) {
  const auto* value = std::getenv(name);
  return value ? value : "";
}

std::string size_of(uint64_t bytes) {
  return bytes == 0 ? "?" : std::to_string((bytes + (1u << 20) - 1) >> 20) + " MiB";
}

std::string users_of(const sandboxd::template_row& row) {
  auto count = row.users.size();
  if (count == 0)
    return row.held ? "yes" : "-";
  return std::to_string(count) + (count == 1 ? " sandbox" : " sandboxes") + (row.held ? "" : ", not running");
}

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const auto& text : texts)
    out += (out.empty() ? "" : ",") + text;
  return out.empty() ? "-" : out;
}

std::string find_script() {
  std::error_code error;
  for (auto at = fs::read_symlink("/proc/self/exe", error).parent_path(); !at.empty();
       at = at.parent_path()) {
    auto script = at / "scripts" / "build-template";
    if (::access(script.c_str(), X_OK) == 0)
      return script.string();
    if (at == at.root_path())
      break;
  }
  return {};
}

} // namespace

std::string default_templates() {
  if (auto set = variable("AGENTPOOL_TEMPLATES"); !set.empty())
    return set;
  if (::geteuid() == 0)
    return "/opt/agentpool/templates";
  auto data = variable("XDG_DATA_HOME");
  return (data.empty() ? variable("HOME") + "/.local/share" : data) + "/agentpool/templates";
}

std::string templates_table(const std::string& folder) {
  std::vector<std::vector<std::string>> rows{
    {"NAME", "VERSION", "CURRENT", "TAGS", "SIZE", "IN USE", "MADE", "FROM"}};
  for (const auto& row : sandboxd::list_templates(folder))
    rows.push_back({row.which.name, row.which.version, row.current ? "yes" : "-", joined(row.tags),
      size_of(row.settings.bytes), users_of(row), row.settings.made_at ? iso_time(row.settings.made_at) : "?",
      row.settings.made_from.empty() ? "-" : row.settings.made_from});
  return rows.size() > 1 ? columns(rows)
                         : "there is no template in " + folder + "; agentpoolctl template build makes one\n";
}

result<std::string> remove_templates(const std::string& folder, const std::string& what) {
  auto removed = sandboxd::parse_template_ref(what).and_then(
    [&](const auto& wanted) { return sandboxd::remove_template(folder, wanted); });
  return removed.map([](const auto& all) {
    std::string out;
    for (const auto& one : all)
      out += "removed " + one + "\n";
    return out;
  });
}

failure build_template(const std::string& folder, const std::string& recipe, const std::string& tag) {
  auto script = find_script();
  if (script.empty())
    return {errc::unsupported,
      "there is no scripts/build-template above this program; run the one of a clone "
      "of the repository, where the recipes are"};
  std::vector<std::string> words{script, "--prefix", folder};
  if (!tag.empty())
    words.insert(words.end(), {"--tag", tag});
  words.push_back(recipe);
  std::vector<char*> argv;
  for (auto& word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(script.c_str(), argv.data());
  return {errc::internal, "cannot run " + script + ": " + std::strerror(errno)};
}

} // namespace agentpool::ctl
