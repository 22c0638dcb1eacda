// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/templates/store.hpp"

#include "protocol/wire/json.hpp"
#include "sandboxd/files.hpp"
#include "sandboxd/isolation/tool.hpp"
#include "sandboxd/limits.hpp"
#include "sandboxd/templates/users.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>

namespace agentpool::sandboxd {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code error;
  for (fs::directory_iterator i{folder, error}, end; !error && i != end; i.increment(error))
    out.push_back(i->path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

bool has_tree(const std::string& folder) {
  std::error_code error;
  return fs::is_directory(folder + "/rootfs", error);
}

// The last part of what a link names; empty when there is no link.
std::string link_target(const std::string& path) {
  std::error_code error;
  auto target = fs::read_symlink(path, error);
  return error ? "" : target.filename().string();
}

// NAME/rootfs that is no link to the current version.
bool is_unversioned(const std::string& folder) {
  std::error_code error;
  return fs::is_directory(fs::symlink_status(folder + "/rootfs", error));
}

std::string chosen_version(const std::string& folder, const std::string& wanted) {
  if (wanted.empty())
    return link_target(folder + "/current");
  auto tagged = link_target(folder + "/tags/" + wanted);
  return tagged.empty() ? wanted : tagged;
}

} // namespace

result<template_settings> read_template_settings(const template_version& which) {
  template_settings out;
  std::error_code error;
  auto file = which.folder + "/template.json";
  if (!fs::exists(file, error))
    return out;
  auto text = read_whole(file);
  auto read = text ? json::parse(*text) : tl::unexpected{text.error()};
  if (!read)
    return fail(errc::internal, "cannot read " + file + ": " + read.error().text() + "; build it again");
  out.user = (*read)["user"].text_or(out.user);
  out.workdir = (*read)["workdir"].text_or(out.workdir);
  for (const auto& name : (*read)["env"].keys())
    out.env[name] = (*read)["env"][name].text_or("");
  out.bytes = static_cast<uint64_t>((*read)["bytes"].integer().value_or(0));
  out.made_at = (*read)["made_at"].integer().value_or(0);
  out.made_from = (*read)["from"].text_or("");
  return out;
}

result<net::unique_fd> lock_template(
  const template_version& which, int kind, std::chrono::milliseconds patience) {
  auto name = which.name + "@" + which.version;
  net::unique_fd tree{::open(which.root().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!tree)
    return errno == ENOENT ? fail(errc::not_found, name + " was just removed")
                           : system_failure("cannot open the template " + which.root());
  if (!take_lock(tree.get(), patience, kind))
    return errno == EWOULDBLOCK
             ? fail(errc::overloaded,
                 name + (kind == LOCK_SH ? " is being removed" : " is used by a running sandboxd"))
             : system_failure("cannot lock " + which.root());
  struct stat locked {
  }, named{};
  if (::fstat(tree.get(), &locked) != 0 || ::stat(which.root().c_str(), &named) != 0 ||
      locked.st_ino != named.st_ino || locked.st_dev != named.st_dev)
    return fail(errc::not_found, name + " was just removed");
  return tree;
}

template_store::template_store(std::string folder, std::string data)
    : folder_(std::move(folder)), data_(std::move(data)) {}

result<template_version> template_store::find(const template_ref& wanted) const {
  auto folder = folder_of(wanted.name);
  auto version = chosen_version(folder, wanted.version);
  if (!version.empty() && has_tree(folder + "/versions/" + version))
    return template_version{wanted.name, version, folder + "/versions/" + version};
  if ((version.empty() || version == unversioned) && is_unversioned(folder))
    return template_version{wanted.name, unversioned, folder};
  return fail(errc::not_found,
    "template '" + wanted.name + (wanted.version.empty() ? "" : ":" + wanted.version) + "' not found");
}

result<std::shared_ptr<const held_template>> template_store::hold(
  const std::string& name, const std::string& version) {
  std::lock_guard guard{mutex_};
  auto which = find({name, version});
  if (!which)
    return tl::unexpected{which.error()};
  if (auto held = held_[which->folder].lock())
    return held;
  auto lock = lock_template(*which, LOCK_SH, limits::template_lock);
  if (!lock)
    return tl::unexpected{lock.error()};
  auto settings = read_template_settings(*which);
  if (!settings)
    return tl::unexpected{settings.error()};
  if (auto noted = note_user(*which, data_); !noted)
    return tl::unexpected{noted.error()};
  auto held = std::make_shared<const held_template>(
    held_template{std::move(*which), std::move(*settings), std::move(*lock)});
  held_[held->which.folder] = held;
  return held;
}

std::vector<template_version> template_store::all() const {
  std::vector<template_version> out;
  for (const auto& name : names_in(folder_)) {
    if (!parse_template_ref(name))
      continue;
    auto folder = folder_of(name);
    for (const auto& version : names_in(folder + "/versions"))
      if (is_template_version(version) && has_tree(folder + "/versions/" + version))
        out.push_back({name, version, folder + "/versions/" + version});
    if (is_unversioned(folder))
      out.push_back({name, unversioned, folder});
  }
  return out;
}

std::map<std::string, std::string> template_store::tags(const std::string& name) const {
  std::map<std::string, std::string> out;
  for (const auto& tag : names_in(folder_of(name) + "/tags"))
    if (auto version = link_target(folder_of(name) + "/tags/" + tag);
        is_template_version(tag) && !version.empty())
      out[tag] = version;
  return out;
}

} // namespace agentpool::sandboxd
