// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/templates/removal.hpp"

#include "sandboxd/files.hpp"
#include "sandboxd/isolation/tool.hpp"
#include "sandboxd/templates/users.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>

namespace agentpool::sandboxd {

namespace fs = std::filesystem;

namespace {

bool is_current(const template_store& store, const template_version& which) {
  auto current = store.find({which.name, {}});
  return current && current->version == which.version;
}

// Of scripts/build-template, and of another removal.
result<unique_fd> lock_builds(const template_store& store, const std::string& name) {
  auto path = store.folder_of(name) + ".lock";
  unique_fd lock{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)};
  if (!lock)
    return system_failure("cannot open " + path);
  if (take_lock(lock.get(), {}))
    return lock;
  return errno == EWOULDBLOCK
           ? fail(errc::overloaded, "the template " + name + " is being built; wait for it and try again")
           : system_failure("cannot lock " + path);
}

result<std::vector<template_version>> chosen(const template_store& store, const template_ref& wanted) {
  auto found = store.find(wanted);
  std::vector<template_version> out;
  if (!wanted.version.empty()) {
    if (!found)
      return tl::unexpected{found.error()};
    if (is_current(store, *found))
      return fail(
        errc::bad_request, found->name + "@" + found->version +
                             " is the current version; build another one first, or remove the whole "
                             "template: agentpoolctl template remove " +
                             found->name);
    return std::vector{*found};
  }
  for (auto& one : store.all())
    if (one.name == wanted.name)
      out.push_back(std::move(one));
  if (out.empty())
    return fail(errc::not_found, "there is no template " + wanted.name);
  return out;
}

// With the locks nobody can begin to use them.
result<std::vector<unique_fd>> lock_unused(const std::vector<template_version>& versions) {
  std::vector<unique_fd> locks;
  for (const auto& one : versions) {
    auto lock = lock_template(one, LOCK_EX, {});
    if (!lock && lock.error().code != errc::overloaded)
      return tl::unexpected{lock.error()};
    auto users = users_of(one);
    if (!users.empty())
      return fail(errc::overloaded, one.name + "@" + one.version + " is used by " +
                                      std::to_string(users.size()) + " sandboxes, the first is " +
                                      users.front() + "; delete them first");
    if (!lock)
      return fail(
        errc::overloaded, lock.error().detail + ", which just makes or deletes a sandbox of it: try again");
    locks.push_back(std::move(*lock));
  }
  return locks;
}

result<void> take_away(const std::string& path, const std::string& to) {
  std::error_code error;
  fs::remove_all(to, error); // of a removal that was killed
  if (std::rename(path.c_str(), to.c_str()) != 0)
    return system_failure("cannot rename " + path);
  fs::remove_all(to, error);
  return error ? fail(errc::internal, "cannot remove " + to + ": " + error.message()) : result<void>{};
}

result<void> take_version(const template_store& store, const template_version& which) {
  auto folder = store.folder_of(which.name);
  std::error_code error;
  for (const auto& [tag, version] : store.tags(which.name))
    if (version == which.version)
      fs::remove(folder + "/tags/" + tag, error);
  if (which.version == unversioned && which.folder == folder)
    return take_away(folder + "/rootfs", folder + "/.removed");
  return take_away(which.folder, folder + "/versions/.removed-" + which.version);
}

} // namespace

std::vector<template_row> list_templates(const std::string& folder) {
  template_store store{folder};
  std::vector<template_row> out;
  for (auto& which : store.all()) {
    template_row row;
    row.current = is_current(store, which);
    for (const auto& [tag, version] : store.tags(which.name))
      if (version == which.version)
        row.tags.push_back(tag);
    row.settings = read_template_settings(which).value_or(template_settings{});
    row.users = users_of(which);
    auto lock = lock_template(which, LOCK_EX, {});
    row.held = !lock && lock.error().code == errc::overloaded;
    row.which = std::move(which);
    out.push_back(std::move(row));
  }
  return out;
}

result<std::vector<std::string>> remove_template(const std::string& folder, const template_ref& wanted) {
  template_store store{folder};
  if (auto found = chosen(store, wanted); !found) // before a lock file is made for a name that means nothing
    return tl::unexpected{found.error()};
  auto building = lock_builds(store, wanted.name);
  if (!building)
    return tl::unexpected{building.error()};
  auto versions = chosen(store, wanted);
  auto locks = versions.and_then(lock_unused);
  if (!locks)
    return tl::unexpected{locks.error()};
  auto done = wanted.version.empty()
                ? take_away(store.folder_of(wanted.name), folder + "/.removed-" + wanted.name)
                : take_version(store, versions->front());
  if (!done)
    return tl::unexpected{done.error()};
  std::vector<std::string> out;
  for (const auto& one : *versions)
    out.push_back(one.name + "@" + one.version);
  return out;
}

} // namespace agentpool::sandboxd
