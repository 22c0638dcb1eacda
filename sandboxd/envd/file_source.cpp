// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/file_source.hpp"

#include "sandboxd/envd/limits.hpp"
#include "sandboxd/envd/paths.hpp"

#include <algorithm>
#include <array>

namespace agentpool::envd {

namespace {

void read_first(file_source& what, const file_wishes& wanted) {
  what.first = what.file.read(what.range.first, std::min<uint64_t>(what.range.size, limits::io_bytes));
  what.type = content_type_of(base_name(wanted.path));
  if (what.type.empty())
    what.type = sniffed_type(what.range.first == 0 ? what.first : what.file.read(0, sniffed_bytes));
  if (wanted.coding != content_coding::gzip)
    return;
  what.gzip = std::make_unique<gzip_writer>();
  if (what.range.size <= limits::io_bytes)
    what.first = packed(*what.gzip, what.first, true);
}

} // namespace

plain<file_source> file_source::open(const file_wishes& wanted) {
  auto file = download::open(wanted.path);
  if (!file)
    return tl::unexpected<plain_error>{file.error()};
  file_source out{std::move(*file), precondition::holds, range_kind::whole, {}, {}, {}, nullptr};
  out.range = {0, out.file.size};
  out.state = check_conditions(wanted.request, out.file.modified);
  auto if_range = wanted.request.header("If-Range");
  if (auto range = wanted.request.header("Range");
      range && (!if_range || *if_range == net::http_date(out.file.modified)))
    out.kind = read_range(*range, out.file.size, out.range);
  if (out.state == precondition::holds && out.kind != range_kind::unsatisfiable)
    read_first(out, wanted);
  return out;
}

std::string packed(gzip_writer& writer, std::string_view bytes, bool last) {
  std::string out;
  std::array<char, 64 * 1024> step;
  for (size_t size = step.size(); !bytes.empty() || size == step.size() || (last && !writer.complete());) {
    size = writer.write(bytes, step, last);
    out.append(step.data(), size);
  }
  return out;
}

} // namespace agentpool::envd
