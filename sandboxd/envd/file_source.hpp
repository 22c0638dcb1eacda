// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandboxd/envd/accept_encoding.hpp"
#include "sandboxd/envd/file_conditions.hpp"
#include "sandboxd/envd/file_range.hpp"
#include "sandboxd/envd/gzip.hpp"
#include "sandboxd/envd/upload.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace agentpool::envd {

/// What a GET wants of its file.
struct file_wishes {
  std::string path;
  net::http_request request;
  content_coding coding = content_coding::identity;
};

/// A file that is sent, with its first bytes: a small one is read, and compressed, in the step that opens it.
struct file_source {
  download file;
  precondition state = precondition::holds;
  range_kind kind = range_kind::whole;
  byte_range range;
  std::string first, type;
  std::unique_ptr<gzip_writer> gzip; ///< `complete` when `first` is all

  /// Blocks. The first bytes are there when `state` holds and the range can be satisfied.
  static plain<file_source> open(const file_wishes& wanted);
};

/// What `writer` makes of `bytes`; all there is with `last`.
std::string packed(gzip_writer& writer, std::string_view bytes, bool last);

} // namespace agentpool::envd
