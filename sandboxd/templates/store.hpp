// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/unique_fd.hpp"
#include "sandboxd/templates/name.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace agentpool::sandboxd {

/// The version of a template that was put there without versions: NAME/rootfs.
inline constexpr auto unversioned = "v0";

/// One version of a template on the disk; docs/templates.md has the layout.
struct template_version {
  std::string name;
  std::string version;
  std::string folder; ///< with rootfs/, template.json and used-by/
  std::string root() const { return folder + "/rootfs"; }
};

/// What a version says of its sandboxes: template.json, made by scripts/build-template.
struct template_settings {
  std::string user = "user";          ///< of commands and files that name none
  std::string workdir = "/home/user"; ///< of commands that name none
  std::map<std::string, std::string> env;
  uint64_t bytes = 0;    ///< of its tree; 0 = unknown
  int64_t made_at = 0;   ///< milliseconds since the Unix epoch; 0 = unknown
  std::string made_from; ///< NAME@VERSION that it is a copy of; empty = of packages
};

/// Of the folder's template.json; a missing file means all defaults. Blocks for the disk.
result<template_settings> read_template_settings(const template_version& which);

/// A version that is kept for as long as this lives: `agentpoolctl template remove` refuses it.
struct held_template {
  template_version which;
  template_settings settings;
  net::unique_fd lock; ///< the tree's directory, locked shared
};

/// Opens the tree with a lock of this kind (LOCK_SH or LOCK_EX), or says who has it still after `patience`:
/// `overloaded`; `not_found` when it was removed meanwhile. Blocks.
/// The lock is on the directory itself, because it must hold where nothing can be written, and goes with it
/// when it is renamed.
result<net::unique_fd> lock_template(
  const template_version& which, int kind, std::chrono::milliseconds patience);

/// The templates below one folder, as they are at the moment of each call: new ones need no restart. Blocks
/// for the disk.
class template_store {
public:
  /// `data` is the service's folder: each version that its sandboxes use gets a reference to it, which counts
  /// also while no service runs. Empty: nobody will hold one.
  explicit template_store(std::string folder, std::string data = {});

  /// The version that this means now. `not_found` when there is none.
  result<template_version> find(const template_ref& wanted) const;

  /// Holds a version; the same object while somebody holds it already. For every thread.
  result<std::shared_ptr<const held_template>> hold(const std::string& name, const std::string& version);

  /// All versions, ordered by name and version.
  std::vector<template_version> all() const;
  /// The tags of a template: tag to version.
  std::map<std::string, std::string> tags(const std::string& name) const;

  std::string folder_of(const std::string& name) const { return folder_ + "/" + name; }

private:
  std::string folder_;
  std::string data_;
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<const held_template>> held_; ///< by folder
};

} // namespace agentpool::sandboxd
