// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/file_access.hpp"
#include "sandboxd/envd/file_routes.hpp"
#include "sandboxd/envd/file_source.hpp"
#include "sandboxd/envd/limits.hpp"
#include "sandboxd/envd/paths.hpp"
#include "sandboxd/envd/query.hpp"

#include <algorithm>
#include <ctime>

namespace agentpool::envd::file_routes {

namespace {

constexpr std::string_view json_type = "application/json; charset=utf-8";
constexpr std::string_view text_type = "text/plain; charset=utf-8";

http_reply head_of(const file_source& what, const std::string& path) {
  http_reply out{what.kind == range_kind::part ? 206 : 200, what.type, {}, {}};
  out.headers = {{"Content-Disposition", inline_disposition(base_name(path))},
    {"Last-Modified", net::http_date(what.file.modified)}, {"Vary", "Accept-Encoding"}};
  if (what.gzip)
    out.headers.emplace_back("Content-Encoding", "gzip");
  else
    out.headers.emplace_back("Accept-Ranges", "bytes");
  if (what.kind == range_kind::part)
    out.headers.emplace_back("Content-Range", "bytes " + std::to_string(what.range.first) + "-" +
                                                std::to_string(what.range.first + what.range.size - 1) + "/" +
                                                std::to_string(what.file.size));
  return out;
}

// The file may shrink while it is sent: then the connection breaks, so that nobody takes it for whole.
awaitable<void> send(context& with, http_call& call, file_source what, http_reply head) {
  bool alive = co_await call.begin_sized(std::move(head), what.range.size);
  if (alive && !what.first.empty())
    alive = co_await call.write(what.first);
  auto sent = what.first.size();
  auto rest = what.range.size - sent;
  if (alive && rest > 0 &&
      !co_await call.send_file(with.files, what.file.file.get(), what.range.first + sent, rest))
    call.reset();
}

awaitable<void> send_packed(context& with, http_call& call, file_source what, http_reply head) {
  bool alive = co_await call.begin_chunks(std::move(head), nullptr);
  auto bytes = std::move(what.first);
  for (uint64_t sent = bytes.size(); alive; sent += bytes.size()) {
    bool last = sent == what.range.size;
    auto job = [&what, &bytes, last] { return packed(*what.gzip, bytes, last); };
    auto part = co_await offload(with.files, std::move(job));
    std::vector<std::shared_ptr<const std::string>> parts{
      std::make_shared<const std::string>(std::move(part))};
    if (!parts.front()->empty())
      alive = co_await call.chunk(std::move(parts));
    if (alive && last)
      co_return static_cast<void>(co_await call.end_chunks());
    auto next = [&what, sent] {
      return what.file.read(sent, std::min<uint64_t>(what.range.size - sent, limits::io_bytes));
    };
    bytes = co_await offload(with.files, std::move(next));
    if (bytes.empty())
      co_return call.reset();
  }
}

http_reply without_content(const file_source& what) {
  http_headers headers{{"Last-Modified", net::http_date(what.file.modified)}, {"Vary", "Accept-Encoding"}};
  if (what.state == precondition::not_modified)
    return {304, {}, {}, std::move(headers)};
  if (what.state == precondition::failed)
    return {412, {}, {}, std::move(headers)};
  headers.emplace_back("Content-Range", "bytes */" + std::to_string(what.file.size));
  headers.emplace_back("X-Content-Type-Options", "nosniff");
  return {416, std::string{text_type}, "invalid range: failed to overlap\n", std::move(headers)};
}

awaitable<void> answer(context& with, http_call& call, file_source what, const std::string& path) {
  http_reply head;
  if (what.state != precondition::holds || what.kind == range_kind::unsatisfiable) {
    head = without_content(what);
    co_return static_cast<void>(co_await call.reply(std::move(head)));
  }
  head = head_of(what, path);
  if (!what.gzip)
    co_return co_await send(with, call, std::move(what), std::move(head));
  if (!what.gzip->complete())
    co_return co_await send_packed(with, call, std::move(what), std::move(head));
  head.body = std::move(what.first);
  co_await call.reply(std::move(head));
}

// The path that the query means; else the answer.
plain<std::string> path_of(const context& with, const target& to) {
  auto given = to.path.value_or("");
  if (given.find('\0') != std::string::npos)
    return tl::unexpected<plain_error>{
      {500, "error checking if path exists '" + given + "': invalid argument"}};
  auto path = expand_path(given, to.who, with.config.workdir());
  if (!path)
    return tl::unexpected<plain_error>{
      {400, "error expanding and resolving path '" + given + "': " + path.error().message}};
  return *path;
}

plain<content_coding> coding_of(const net::http_request& request) {
  auto accepted = request.header("Accept-Encoding").value_or("");
  auto coding = wants_identity(request) ? content_coding::identity : choose_coding(accepted);
  bool refused = coding == content_coding::none || (wants_identity(request) && !accepts_identity(accepted));
  if (!refused)
    return coding;
  return tl::unexpected<plain_error>{{406, "no acceptable encoding found, supported: gzip, identity"}};
}

} // namespace

http_reply error_reply(const plain_error& why) {
  return {why.status, std::string{json_type}, plain_error_body(why.status, why.message),
    {{"X-Content-Type-Options", "nosniff"}}};
}

plain<user> find_user(const context& with, const std::string& name, std::optional<user> basic) {
  auto who = !name.empty() ? with.config.users().find(name) : basic ? basic : with.config.default_user();
  if (who)
    return std::move(*who);
  return tl::unexpected<plain_error>{
    {401, "error looking up user '" + name + "': user: unknown user " + name}};
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
  auto who = find_user(with, query_value(request.query, "username").value_or(""), std::move(basic));
  if (!who)
    return tl::unexpected<http_reply>{error_reply(who.error())};
  return target{std::move(*who), query_value(request.query, "path")};
}

awaitable<void> get(context& with, http_call& call, std::optional<user> basic) {
  auto to = admit(with, call, "read", std::move(basic));
  if (!to)
    co_return static_cast<void>(co_await call.reply(std::move(to.error())));
  auto path = path_of(with, *to);
  auto coding = coding_of(call.request());
  plain<file_source> file = tl::unexpected<plain_error>{plain_error{}};
  if (path) {
    auto job = [wanted = file_wishes{*path, call.request(), coding.value_or(content_coding::identity)}] {
      return file_source::open(wanted);
    };
    file = co_await offload(with.files, std::move(job));
  } else {
    file = tl::unexpected<plain_error>{path.error()};
  }
  if (file && coding)
    co_return co_await answer(with, call, std::move(*file), *path);
  auto reply = error_reply(file ? coding.error() : file.error());
  co_await call.reply(std::move(reply));
}

} // namespace agentpool::envd::file_routes
