// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/entry.hpp"

#include "sandboxd/envd/metadata.hpp"
#include "sandboxd/envd/paths.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sys/stat.h>

namespace agentpool::envd {

namespace {

std::string name_of(const user_tables::names& names, uint32_t id) {
  auto found = names.find(id);
  return found == names.end() ? std::to_string(id) : found->second;
}

file_type type_of(mode_t mode) {
  return S_ISREG(mode) ? file_type::file : S_ISDIR(mode) ? file_type::directory : file_type::unspecified;
}

std::string resolved(const std::string& path) {
  std::unique_ptr<char, void (*)(void*)> real{::realpath(path.c_str(), nullptr), std::free};
  return real ? std::string{real.get()} : path;
}

// The type and the mode of a link are those of its target.
void follow(const std::string& path, entry_info& out) {
  struct stat target {};
  out.symlink_target = resolved(path);
  out.type = file_type::unspecified;
  out.mode = 0;
  if (::stat(path.c_str(), &target) == 0) {
    out.type = type_of(target.st_mode);
    out.mode = target.st_mode & 0777;
  }
}

} // namespace

std::string system_words(int error) {
  std::string out{::strerrordesc_np(error)};
  if (!out.empty() && out[0] >= 'A' && out[0] <= 'Z')
    out[0] = static_cast<char>(out[0] + 32);
  return out;
}

std::string permissions_text(mode_t mode) {
  std::string out;
  auto add = [&](bool is, const char* text) { out += is ? text : ""; };
  add(S_ISDIR(mode), "d");
  add(S_ISLNK(mode), "L");
  add(S_ISBLK(mode) || S_ISCHR(mode), "D");
  add(S_ISFIFO(mode), "p");
  add(S_ISSOCK(mode), "S");
  add((mode & S_ISUID) != 0, "u");
  add((mode & S_ISGID) != 0, "g");
  add(S_ISCHR(mode), "c");
  add((mode & S_ISVTX) != 0, "t");
  if (out.empty())
    out = "-";
  constexpr std::string_view letters = "rwxrwxrwx";
  for (size_t i = 0; i < letters.size(); ++i)
    out += (mode >> (8 - i) & 1) != 0 ? letters[i] : '-';
  return out;
}

entry_maker::entry_maker(const user_database& users, bool reduced)
    : users_(users.tables()), reduced_(reduced) {}

tl::expected<entry_info, int> entry_maker::make(const std::string& path) const {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0)
    return tl::unexpected<int>{errno};
  entry_info out;
  out.name = base_name(path);
  out.path = path;
  out.type = type_of(found.st_mode);
  if (reduced_ && !S_ISLNK(found.st_mode))
    return out;
  out.size = found.st_size;
  out.mode = found.st_mode & 0777;
  out.permissions = permissions_text(found.st_mode);
  out.owner = name_of(users_->user_names, found.st_uid);
  out.group = name_of(users_->group_names, found.st_gid);
  out.modified = timestamp{found.st_mtim.tv_sec, static_cast<int32_t>(found.st_mtim.tv_nsec)};
  if (S_ISLNK(found.st_mode))
    follow(path, out);
  else if (S_ISREG(found.st_mode) || S_ISDIR(found.st_mode))
    out.metadata = read_metadata(path);
  if (reduced_)
    return entry_info{out.name, out.type, out.path};
  return out;
}

} // namespace agentpool::envd
