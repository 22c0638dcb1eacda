// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/file_service.hpp"

#include "sandboxd/envd/directories.hpp"
#include "sandboxd/envd/entry.hpp"
#include "sandboxd/envd/limits.hpp"
#include "sandboxd/envd/paths.hpp"

#include <cerrno>
#include <cstdio>
#include <sys/stat.h>

namespace agentpool::envd::file_service {

using connect::code;
using connect::fail;

namespace {

tl::unexpected<connect::error> failed(connect::error why) {
  return tl::unexpected<connect::error>{std::move(why)};
}

connect::outcome<std::string> expand(const file_caller& caller, std::string_view path) {
  return expand_path(path, caller.who, caller.workdir);
}

reply entry_at(const file_caller& caller, const std::string& path) {
  auto entry = entry_maker{caller.users, caller.legacy}.make(path);
  if (entry)
    return encode(caller.as, *entry);
  if (entry.error() == ENOENT)
    return fail(code::not_found, "file not found: lstat " + path + ": no such file or directory");
  return fail(code::internal, "error getting file info: lstat " + path + ": " + system_words(entry.error()));
}

// Depth first, in the order of the names; what vanishes meanwhile is skipped.
bool walk(
  const entry_maker& maker, const std::string& directory, uint32_t depth, std::vector<entry_info>& out) {
  int error = 0;
  for (const auto& name : names_in(directory, error)) {
    auto path = directory.ends_with('/') ? directory + name : directory + "/" + name;
    auto entry = maker.make(path);
    if (!entry)
      continue;
    bool descend = depth > 1 && entry->type == file_type::directory && !entry->symlink_target;
    out.push_back(std::move(*entry));
    if (out.size() > limits::list_entries || (descend && !walk(maker, path, depth - 1, out)))
      return false;
  }
  return true;
}

// What a path that cannot be listed is answered.
std::optional<connect::error> list_fault(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) {
    if (errno == ENOENT)
      return connect::error{code::not_found, "path not found: lstat " + path + ": no such file or directory"};
    return connect::error{code::internal, "error resolving symlink: " + system_words(errno)};
  }
  if (::stat(path.c_str(), &found) != 0) {
    if (errno == ELOOP)
      return connect::error{
        code::failed_precondition, "cyclic symlink or chain >255 links at \"" + path + "\""};
    return connect::error{code::not_found, "path not found: lstat " + path + ": " + system_words(errno)};
  }
  if (!S_ISDIR(found.st_mode))
    return connect::error{code::invalid_argument, "path is not a directory: " + path};
  return std::nullopt;
}

} // namespace

reply stat(const file_caller& caller, std::string_view body) {
  auto request = read_path(caller.as, body);
  if (!request)
    return failed(request.error());
  auto path = expand(caller, request->path);
  if (!path)
    return failed(path.error());
  return entry_at(caller, *path);
}

reply list_dir(const file_caller& caller, std::string_view body) {
  auto request = read_list(caller.as, body);
  if (!request)
    return failed(request.error());
  auto expanded = expand(caller, request->path);
  if (!expanded)
    return failed(expanded.error());
  if (auto fault = list_fault(*expanded))
    return failed(*fault);
  std::vector<entry_info> entries;
  auto depth = request->depth == 0 ? 1 : request->depth;
  if (!walk(entry_maker{caller.users, caller.legacy}, clean_path(*expanded), depth, entries))
    return fail(code::resource_exhausted,
      "the directory has more than " + std::to_string(limits::list_entries) + " entries");
  return encode(caller.as, entries);
}

reply make_dir(const file_caller& caller, std::string_view body) {
  auto request = read_path(caller.as, body);
  if (!request)
    return failed(request.error());
  auto path = expand(caller, request->path);
  if (!path)
    return failed(path.error());
  struct stat found {};
  if (::stat(path->c_str(), &found) == 0) {
    if (S_ISDIR(found.st_mode))
      return fail(code::already_exists, "directory already exists: " + *path);
    return fail(code::invalid_argument, "path already exists but it is not a directory: " + *path);
  }
  if (::lstat(path->c_str(), &found) == 0) // a link to nowhere
    return fail(code::internal, "failed to chown directory: chown " + *path + ": " + system_words(ENOENT));
  if (auto error = make_directories(*path, caller.who); error != 0)
    return fail(code::internal, "error creating directory: mkdir " + *path + ": " + system_words(error));
  return entry_at(caller, *path);
}

reply move(const file_caller& caller, std::string_view body) {
  auto request = read_move(caller.as, body);
  if (!request)
    return failed(request.error());
  auto source = expand(caller, request->source);
  auto destination = expand(caller, request->destination);
  if (!source || !destination)
    return failed(source ? destination.error() : source.error());
  auto what = "rename " + *source + " " + *destination + ": ";
  struct stat found {};
  if (::lstat(source->c_str(), &found) != 0 && errno == ENOENT)
    return fail(code::not_found, "source file not found: " + what + "no such file or directory");
  if (auto error = make_directories(parent_path(*destination), caller.who); error != 0)
    return fail(code::internal, "error ensuring directories: " + system_words(error));
  if (::rename(source->c_str(), destination->c_str()) != 0)
    return fail(code::internal, "error renaming: " + what + system_words(errno));
  return entry_at(caller, *destination);
}

reply remove(const file_caller& caller, std::string_view body) {
  auto request = read_path(caller.as, body);
  if (!request)
    return failed(request.error());
  auto path = expand(caller, request->path);
  if (!path)
    return failed(path.error());
  if (auto error = remove_all(*path); error != 0)
    return fail(code::internal, "error removing file or directory: " + *path + ": " + system_words(error));
  return std::string{empty_message_in(caller.as)};
}

} // namespace agentpool::envd::file_service
