// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/templates/users.hpp"

#include "protocol/wire/ids.hpp"
#include "protocol/wire/json.hpp"
#include "sandboxd/files.hpp"
#include "sandboxd/isolation/tool.hpp"

#include <cerrno>
#include <filesystem>
#include <sys/stat.h>

namespace agentpool::sandboxd {

namespace fs = std::filesystem;

namespace {

std::string notes_of(const template_version& which) {
  return which.folder + "/used-by";
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code error;
  for (fs::directory_iterator i{folder, error}, end; !error && i != end; i.increment(error))
    out.push_back(i->path());
  return out;
}

bool names(const fs::path& file, const template_version& which) {
  auto text = read_whole(file.string());
  auto record = text ? json::parse(*text) : tl::unexpected{text.error()};
  if (!record)
    return false;
  auto of_snapshot = (*record)["of"];
  const auto& sandbox = of_snapshot.is_object() ? of_snapshot : *record;
  auto base = sandbox["base_template"].text(); // of a copy of a disk: whose tree is below it
  return (base ? base : sandbox["template"].text()) == which.name &&
         sandbox["template_version"].text_or(unversioned) == which.version;
}

bool is_user(const fs::path& folder, const template_version& which) {
  for (const auto& file : entries_of(folder))
    if (file.extension() == ".json" && names(file, which))
      return true;
  return false;
}

} // namespace

result<void> note_user(const template_version& which, const std::string& data) {
  if (data.empty())
    return {};
  auto note = notes_of(which) + "/" + sha256_hex(data).substr(0, 16);
  std::error_code error;
  if (fs::exists(note, error))
    return {};
  if (::mkdir(notes_of(which).c_str(), 0755) != 0 && errno != EEXIST)
    return errno == EROFS ? result<void>{} : system_failure("cannot make " + notes_of(which));
  return write_durably(note, data + "\n", 0644);
}

std::vector<std::string> users_of(const template_version& which) {
  std::vector<std::string> out;
  for (const auto& note : entries_of(notes_of(which))) {
    auto data = read_whole(note.string()).value_or("");
    if (data.empty() ||
        note.extension() == ".new") // cut off while it was written: its folder has no record yet
      continue;
    data.pop_back();
    for (const auto& kind : entries_of(data))
      for (const auto& folder : entries_of(kind))
        if (is_user(folder, which))
          out.push_back(folder.string());
  }
  return out;
}

} // namespace agentpool::sandboxd
