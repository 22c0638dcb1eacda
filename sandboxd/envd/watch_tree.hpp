// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/unique_fd.hpp"
#include "protocol/wire/envd_files.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <unordered_map>
#include <vector>

struct inotify_event;

namespace agentpool::envd {

/// What the bits of one inotify event mean, in the order of the wire: create, rename, chmod, write, remove.
std::vector<file_change> changes_of(uint32_t inotify_mask);

/// A directory, or with `recursive` all below it, under inotify(7). Directories that are made or moved into a
/// recursive tree are watched from then on; what is in them already is told as created, files with content as
/// written too, since nobody else tells it. The calls block; one thread at a time.
class watch_tree {
public:
  /// An errno: EMFILE, ENOSPC when the kernel gives no more watches, EUSERS over
  /// `limits::watched_directories`.
  static tl::expected<watch_tree, int> open(std::string root, bool recursive);

  /// Readable when `read` has something to tell.
  int descriptor() const { return inotify_.get(); }
  const std::string& root() const { return root_; }

  /// Appends what happened since the last call, without waiting. False when some of it is lost: the queue of
  /// the kernel was full, or there are more directories than can be watched.
  bool read(std::vector<file_event>& out);

private:
  watch_tree(net::unique_fd inotify, std::string root, bool recursive)
      : inotify_(std::move(inotify)), root_(std::move(root)), recursive_(recursive) {}

  using events = std::vector<file_event>;

  int add(const std::string& name);
  int add_all(const std::string& name, events* tell);
  std::vector<std::string> scan(const std::string& name, events* tell);
  void take(const inotify_event& what, events& out);
  void take_own(int watch, uint32_t mask, events& out);
  void take_child(const std::string& name, uint32_t mask, uint32_t cookie, events& out);
  void follow(const std::string& name, uint32_t mask, uint32_t cookie, events& out);
  bool relabel(const std::string& from, const std::string& to);
  void forget(const std::string& name);
  std::string path_of(const std::string& name) const;

  net::unique_fd inotify_;
  std::string root_;
  bool recursive_, whole_ = true;
  int root_watch_ = -1;
  std::unordered_map<int, std::string> names_; // by watch; relative, of the root empty
  std::map<uint32_t, std::string> moving_;     // old names of directories, by the cookie of their move
  std::set<std::string, std::less<>> told_;    // found by a scan, and the kernel's own word may still come
};

} // namespace agentpool::envd
