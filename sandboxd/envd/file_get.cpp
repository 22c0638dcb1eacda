// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/file_access.hpp"
#include "sandboxd/envd/file_range.hpp"
#include "sandboxd/envd/file_routes.hpp"
#include "sandboxd/envd/limits.hpp"
#include "sandboxd/envd/paths.hpp"
#include "sandboxd/envd/query.hpp"

#include <algorithm>
#include <ctime>

namespace agentpool::envd::file_routes {

namespace {

constexpr std::string_view json_type = "application/json; charset=utf-8";

// A file with its first bytes: small ones are read in the step that opens them.
struct opened {
  download file;
  range_kind kind = range_kind::whole;
  byte_range range;
  std::string first;
};

plain<opened> open(const std::string& path, const std::string& range, const std::string& if_range) {
  auto file = download::open(path);
  if (!file)
    return tl::unexpected<plain_error>{file.error()};
  opened out{std::move(*file), range_kind::whole, {}, {}};
  out.range = {0, out.file.size};
  bool current = if_range.empty() || if_range == http_date(out.file.modified);
  if (!range.empty() && current)
    out.kind = read_range(range, out.file.size, out.range);
  if (out.kind != range_kind::unsatisfiable)
    out.first = out.file.read(out.range.first, std::min<uint64_t>(out.range.size, limits::io_bytes));
  return out;
}

http_reply head_of(const opened& what, const std::string& path) {
  auto name = base_name(path);
  http_reply out{what.kind == range_kind::part ? 206 : 200, std::string{content_type_of(name)}, {}, {}};
  auto size = std::to_string(what.file.size);
  out.headers = {{"Accept-Ranges", "bytes"}, {"Content-Disposition", inline_disposition(name)},
    {"Last-Modified", http_date(what.file.modified)}, {"Vary", "Accept-Encoding"}};
  if (what.kind == range_kind::part)
    out.headers.emplace_back("Content-Range", "bytes " + std::to_string(what.range.first) + "-" +
                                                std::to_string(what.range.first + what.range.size - 1) + "/" +
                                                size);
  return out;
}

awaitable<std::string> read_step(context& with, const opened& what, uint64_t offset, size_t size) {
  auto job = [&what, offset, size] { return what.file.read(offset, size); };
  auto bytes = co_await offload(with.files, std::move(job));
  co_return bytes;
}

// The file may shrink while it is sent: then the connection breaks, so that nobody takes it for whole.
awaitable<void> send(context& with, http_call& call, opened what, std::string path) {
  auto head = head_of(what, path);
  bool alive = co_await call.begin_sized(std::move(head), what.range.size);
  uint64_t sent = 0;
  auto bytes = std::move(what.first);
  while (alive && sent < what.range.size) {
    if (bytes.empty())
      co_return call.reset();
    alive = co_await call.write(bytes);
    sent += bytes.size();
    auto next = std::min<uint64_t>(what.range.size - sent, limits::io_bytes);
    auto offset = what.range.first + sent;
    if (next > 0)
      bytes = co_await read_step(with, what, offset, next);
  }
}

bool refuses_identity(std::string_view accepted) {
  return accepted.find("identity;q=0") != std::string_view::npos &&
         accepted.find("identity;q=0.") == std::string_view::npos;
}

} // namespace

http_reply error_reply(const plain_error& why) {
  return {why.status, std::string{json_type}, plain_error_body(why.status, why.message),
    {{"X-Content-Type-Options", "nosniff"}}};
}

tl::expected<target, http_reply> admit(
  const context& with, const http_call& call, std::string_view operation, std::optional<user> basic) {
  const auto& request = call.request();
  if (auto refusal = refuse_file_access(request, operation, with.config.token(), std::time(nullptr))) {
    if (refusal->plain_text)
      return tl::unexpected<http_reply>{
        http_reply{refusal->status, "text/plain; charset=utf-8", refusal->message, {}}};
    return tl::unexpected<http_reply>{error_reply({refusal->status, refusal->message})};
  }
  auto name = query_value(request.query, "username").value_or("");
  auto who = !name.empty() ? with.config.users().find(name) : basic ? basic : with.config.default_user();
  if (!who)
    return tl::unexpected<http_reply>{
      error_reply({401, "error looking up user '" + name + "': user: unknown user " + name})};
  return target{std::move(*who), query_value(request.query, "path")};
}

awaitable<void> get(context& with, http_call& call, std::optional<user> basic) {
  auto to = admit(with, call, "read", std::move(basic));
  if (!to) {
    co_await call.reply(std::move(to.error()));
    co_return;
  }
  auto given = to->path.value_or("");
  auto path = expand_path(given, to->who, with.config.workdir());
  if (!path) {
    auto reply =
      error_reply({400, "error expanding and resolving path '" + given + "': " + path.error().message});
    co_await call.reply(std::move(reply));
    co_return;
  }
  std::string range{call.request().header("Range").value_or("")};
  std::string if_range{call.request().header("If-Range").value_or("")};
  auto job = [path = *path, range, if_range] { return open(path, range, if_range); };
  auto file = co_await offload(with.files, std::move(job));
  http_reply reply;
  if (!file)
    reply = error_reply(file.error());
  else if (refuses_identity(call.request().header("Accept-Encoding").value_or("")))
    reply = error_reply({406, "no acceptable encoding: only identity is served"});
  else if (file->kind == range_kind::unsatisfiable) {
    reply = error_reply({416, "invalid range: failed to overlap"});
    reply.headers.emplace_back("Content-Range", "bytes */" + std::to_string(file->file.size));
  } else
    co_return co_await send(with, call, std::move(*file), *path);
  co_await call.reply(std::move(reply));
}

} // namespace agentpool::envd::file_routes
