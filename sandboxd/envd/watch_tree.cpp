// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/watch_tree.hpp"

#include "sandboxd/envd/limits.hpp"

#include <array>
#include <cerrno>
#include <dirent.h>
#include <memory>
#include <sys/inotify.h>
#include <sys/stat.h>

namespace agentpool::envd {

namespace {

constexpr uint32_t watched = IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_MOVE_SELF | IN_ATTRIB | IN_MODIFY |
                             IN_DELETE | IN_DELETE_SELF | IN_ONLYDIR;

// Both ends of a move come at once, but a read may end between them. What stays longer had no watch of its
// own.
constexpr size_t moves_kept = 64;

bool is_below(std::string_view name, std::string_view directory) {
  return name.starts_with(directory) && (name.size() == directory.size() || name[directory.size()] == '/');
}

std::string joined(const std::string& directory, std::string_view name) {
  return directory.empty() ? std::string{name} : directory + "/" + std::string{name};
}

} // namespace

std::vector<file_change> changes_of(uint32_t mask) {
  std::vector<file_change> out;
  auto add = [&](uint32_t bits, file_change what) { (mask & bits) != 0 ? out.push_back(what) : void(); };
  add(IN_CREATE | IN_MOVED_TO, file_change::create);
  add(IN_MOVED_FROM | IN_MOVE_SELF, file_change::rename);
  add(IN_ATTRIB, file_change::chmod);
  add(IN_MODIFY, file_change::write);
  add(IN_DELETE | IN_DELETE_SELF, file_change::remove);
  return out;
}

tl::expected<watch_tree, int> watch_tree::open(std::string root, bool recursive) {
  net::unique_fd inotify{::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)};
  if (!inotify)
    return tl::unexpected<int>{errno};
  watch_tree out{std::move(inotify), std::move(root), recursive};
  if (auto error = out.add_all("", nullptr); error != 0)
    return tl::unexpected<int>{error};
  return out;
}

std::string watch_tree::path_of(const std::string& name) const {
  return name.empty() ? root_ : root_.ends_with('/') ? root_ + name : root_ + "/" + name;
}

// The root may be a link; below it links are not followed.
int watch_tree::add(const std::string& name) {
  if (names_.size() >= limits::watched_directories)
    return EUSERS;
  auto mask = name.empty() ? watched : watched | IN_DONT_FOLLOW;
  auto watch = ::inotify_add_watch(inotify_.get(), path_of(name).c_str(), mask);
  if (watch < 0)
    return errno;
  if (name.empty())
    root_watch_ = watch;
  auto [at, fresh] = names_.try_emplace(watch, name);
  bool known = !fresh && at->second == name;
  at->second = name;
  return known ? EEXIST : 0;
}

// Directories below that vanish, or may not be entered, are left out. 0 or an errno.
int watch_tree::add_all(const std::string& name, events* tell) {
  std::vector<std::string> pending{name};
  while (!pending.empty()) {
    auto next = std::move(pending.back());
    pending.pop_back();
    auto error = add(next);
    if (error != 0 && (next.empty() || error == ENOSPC || error == EUSERS || error == ENOMEM))
      return error;
    if (error != 0 || !recursive_)
      continue;
    for (auto& below : scan(next, tell))
      pending.push_back(std::move(below));
  }
  return 0;
}

// The directories in one; all that is in it is told.
std::vector<std::string> watch_tree::scan(const std::string& name, events* tell) {
  std::vector<std::string> out;
  std::unique_ptr<DIR, int (*)(DIR*)> handle{::opendir(path_of(name).c_str()), ::closedir};
  while (auto entry = handle ? ::readdir(handle.get()) : nullptr) {
    std::string_view own{entry->d_name};
    if (own == "." || own == "..")
      continue;
    auto child = joined(name, own);
    struct stat found {};
    bool stated =
      (tell != nullptr || entry->d_type == DT_UNKNOWN) && ::lstat(path_of(child).c_str(), &found) == 0;
    if (entry->d_type == DT_DIR || (stated && S_ISDIR(found.st_mode)))
      out.push_back(child);
    if (tell == nullptr || !stated)
      continue;
    told_.insert(child);
    tell->push_back({child, file_change::create, std::nullopt});
    if (S_ISREG(found.st_mode) && found.st_size > 0)
      tell->push_back({child, file_change::write, std::nullopt});
  }
  return out;
}

bool watch_tree::read(events& out) {
  alignas(inotify_event) std::array<char, 64 * 1024> bytes;
  for (;;) {
    auto size = ::read(inotify_.get(), bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR)
      continue;
    if (size <= 0)
      break;
    for (ssize_t at = 0; at < size;) {
      auto what = reinterpret_cast<const inotify_event*>(bytes.data() + at);
      take(*what, out);
      at += static_cast<ssize_t>(sizeof(inotify_event) + what->len);
    }
  }
  told_.clear(); // what the kernel said before the scans is read
  while (moving_.size() > moves_kept)
    moving_.erase(moving_.begin());
  return std::exchange(whole_, true);
}

void watch_tree::take(const inotify_event& what, events& out) {
  if ((what.mask & IN_Q_OVERFLOW) != 0)
    whole_ = false;
  auto found = names_.find(what.wd);
  if (found == names_.end())
    return;
  if ((what.mask & (IN_IGNORED | IN_UNMOUNT)) != 0)
    names_.erase(found);
  else if (what.len == 0)
    take_own(what.wd, what.mask, out);
  else
    take_child(joined(found->second, what.name), what.mask, what.cookie, out);
}

// What happens to a directory below is told by the one that has it; the root has none.
void watch_tree::take_own(int watch, uint32_t mask, events& out) {
  if (watch == root_watch_) {
    for (auto change : changes_of(mask))
      out.push_back({".", change, std::nullopt});
    if ((mask & IN_MOVE_SELF) != 0)
      forget("");
    return;
  }
  if ((mask & IN_MOVE_SELF) == 0)
    return;
  // It comes behind both ends of a move: without the second one the directory left the tree.
  auto name = names_[watch];
  for (auto at = moving_.begin(); at != moving_.end(); ++at)
    if (at->second == name) {
      forget(name);
      moving_.erase(at);
      return;
    }
}

void watch_tree::take_child(const std::string& name, uint32_t mask, uint32_t cookie, events& out) {
  bool told = told_.erase(name) > 0 && (mask & (IN_CREATE | IN_MOVED_TO)) != 0;
  for (auto change : changes_of(mask))
    if (!told || change != file_change::create)
      out.push_back({name, change, std::nullopt});
  if (recursive_ && (mask & IN_ISDIR) != 0)
    follow(name, mask, cookie, out);
}

void watch_tree::follow(const std::string& name, uint32_t mask, uint32_t cookie, events& out) {
  if ((mask & IN_MOVED_FROM) != 0)
    moving_.emplace(cookie, name);
  if ((mask & (IN_CREATE | IN_MOVED_TO)) == 0)
    return;
  auto moved = (mask & IN_MOVED_TO) != 0 ? moving_.extract(cookie) : decltype(moving_)::node_type{};
  if (moved && relabel(moved.mapped(), name))
    return;
  if (auto error = add_all(name, &out); error == ENOSPC || error == EUSERS || error == ENOMEM)
    whole_ = false;
}

// Whether there was one: a directory that moved at once may have got no watch at its old name.
bool watch_tree::relabel(const std::string& from, const std::string& to) {
  bool any = false;
  for (auto& [watch, name] : names_)
    if (watch != root_watch_ && is_below(name, from)) {
      any = any || name == from;
      name = to + name.substr(from.size());
    }
  return any;
}

void watch_tree::forget(const std::string& directory) {
  for (auto at = names_.begin(); at != names_.end();) {
    bool gone = directory.empty() || is_below(at->second, directory);
    if (gone)
      ::inotify_rm_watch(inotify_.get(), at->first);
    at = gone ? names_.erase(at) : std::next(at);
  }
}

} // namespace agentpool::envd
