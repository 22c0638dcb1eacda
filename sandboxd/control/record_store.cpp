// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/control/record.hpp"
#include "sandboxd/files.hpp"
#include "sandboxd/isolation/tool.hpp"

#include <filesystem>
#include <sys/stat.h>

namespace agentpool::sandboxd {

namespace {

namespace fs = std::filesystem;

std::string record_file(const std::string& folder) {
  return folder + "/record.json";
}

} // namespace

result<void> record_store::make_folder(const std::string& id) const {
  // The sandbox's root is reached through it with the sandbox's ids: passable, but not listable.
  if (::mkdir(folder_of(id).c_str(), 0711) != 0)
    return system_failure("cannot make " + folder_of(id));
  return {};
}

result<void> record_store::save(const sandbox_record& record) const {
  return write_durably(record_file(folder_of(record.id)), record_json(record), 0600);
}

void record_store::erase(const std::string& id) const {
  std::error_code error;
  fs::remove(record_file(folder_of(id)), error);
  fs::remove_all(folder_of(id), error);
}

std::vector<sandbox_record> record_store::load(std::vector<std::string>& faults) const {
  std::vector<sandbox_record> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator{folder_, error}) {
    auto folder = entry.path().string();
    if (!fs::exists(record_file(folder))) {
      fs::remove_all(folder, error);
      continue;
    }
    auto record = read_whole(record_file(folder)).and_then(parse_record);
    if (record && record->id == entry.path().filename())
      out.push_back(std::move(*record));
    else
      faults.push_back(record_file(folder) + " is no record of a sandbox; the folder is left as it is");
  }
  return out;
}

} // namespace agentpool::sandboxd
