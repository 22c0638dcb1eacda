// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/unique_fd.hpp"
#include "protocol/wire/errors.hpp"

#include <functional>
#include <string>
#include <sys/types.h>

/// Operations on directory trees that a worker's uid may change at the same time, with symbolic links planted
/// anywhere in them. Everything goes through descriptors of directories and never follows a link. Failures
/// are `internal` with path and reason.
namespace agentpool::net {

tl::unexpected<failure> file_failure(const std::string& what, const std::string& name);

/// Opens directory `name` in `dir`. `not_found` when there is none.
result<unique_fd> open_dir(int dir, const std::string& name);

/// Makes directory `name` in `dir` (or takes the one that is there) with exactly this mode.
result<unique_fd> make_dir(int dir, const std::string& name, mode_t mode);

/// Calls `each` with the name of every entry but . and ..; ends at its first failure.
result<void> each_entry(int dir, const std::function<result<void>(const std::string&)>& each);

/// Removes `name` in `dir` with all below it, however deep; nothing there is fine.
result<void> remove_tree(int dir, const std::string& name);

/// Copies the regular files and directories below `from` into the directory `to`; all are owned by the
/// daemon, readable for all and writable for the daemon only. Other kinds of files are left out.
result<void> copy_tree(const std::string& from, int to);

/// Gives `name` in `dir` and all below it to `uid`. A file with a second hard link is refused: that link may
/// be elsewhere.
result<void> own_tree(int dir, const std::string& name, uid_t uid);

/// Makes what was created, renamed or removed in `dir` durable.
result<void> sync_dir(int dir);

} // namespace agentpool::net
