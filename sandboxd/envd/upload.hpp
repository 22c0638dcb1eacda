// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/unique_fd.hpp"
#include "protocol/wire/envd_process.hpp"
#include "sandboxd/envd/users.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace agentpool::envd {

/// An error of a plain route.
struct plain_error {
  int status = 500;
  std::string message;
};

template <class T>
using plain = tl::expected<T, plain_error>;

/// 507 for an errno that says that the disk is full, else 500.
tl::unexpected<plain_error> write_fault(const std::string& what, int error);

/// A file that an upload writes in place (e2b wire, section 5.5). The calls block.
class upload {
public:
  /// Makes missing parents, opens and truncates; a new file is 0644, all belong to `owner`; its metadata is
  /// replaced by `metadata`. Only regular files are written.
  static plain<upload> open(const std::string& path, const user& owner, const string_map& metadata);

  /// All of `bytes`. A full disk is 507.
  plain<void> write(std::string_view bytes);
  const std::string& path() const { return path_; }

private:
  upload(std::string path, net::unique_fd file) : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  net::unique_fd file_;
};

/// A regular file that is read.
struct download {
  net::unique_fd file;
  uint64_t size = 0;
  int64_t modified = 0; ///< Unix seconds

  /// 404 for nothing there, 400 for a directory and for what is no file, else 500.
  static plain<download> open(const std::string& path);
  /// Up to `size` bytes from `offset`; empty at the end of the file and when it cannot be read.
  std::string read(uint64_t offset, size_t size) const;
};

} // namespace agentpool::envd
