// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/http/ascii.hpp"
#include "sandboxd/envd/file_routes.hpp"
#include "sandboxd/envd/limits.hpp"
#include "sandboxd/envd/multipart.hpp"
#include "sandboxd/envd/paths.hpp"

#include <algorithm>
#include <memory>

namespace agentpool::envd::file_routes {

namespace {

using upload_ptr = std::shared_ptr<upload>;

tl::unexpected<plain_error> fail(int status, std::string message) {
  return tl::unexpected<plain_error>{plain_error{status, std::move(message)}};
}

// One upload request: its files so far.
struct uploading {
  context& with;
  http_call& call;
  target to;
  string_map metadata;
  std::vector<written_file> done;
  upload_ptr current;
};

// Keys without the prefix, in lower case; the first value of a key counts.
plain<string_map> metadata_of(const http_headers& headers) {
  constexpr std::string_view prefix = "x-metadata-";
  string_map out;
  size_t total = 0;
  for (const auto& [name, value] : headers) {
    auto key =
      name.size() > prefix.size() && net::iequals(std::string_view{name}.substr(0, prefix.size()), prefix)
        ? name.substr(prefix.size())
        : std::string{};
    std::ranges::transform(
      key, key.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    bool known = std::ranges::find(out, key, &string_map::value_type::first) != out.end();
    if (key.empty() || known)
      continue;
    total += key.size() + value.size();
    bool printable = std::ranges::all_of(value, [](char c) { return c >= ' ' && c < 0x7f; });
    if (!printable || key.size() > limits::metadata_key || total > limits::metadata_bytes)
      return fail(400, "invalid metadata '" + key.substr(0, limits::metadata_key) + "'");
    out.emplace_back(std::move(key), value);
  }
  return out;
}

awaitable<plain<void>> begin_file(uploading& job, std::string given) {
  auto path = expand_path(given, job.to.who, job.with.config.workdir());
  if (!path)
    co_return fail(400, "error expanding and resolving path '" + given + "': " + path.error().message);
  if (std::ranges::find(job.done, *path, &written_file::path) != job.done.end())
    co_return fail(400, "you cannot upload multiple files to the same path '" + *path +
                          "' in one upload request, only the first specified file was uploaded");
  auto work = [path = *path, &job] { return upload::open(path, job.to.who, job.metadata); };
  auto opened = co_await offload(job.with.files, std::move(work));
  if (!opened)
    co_return tl::unexpected<plain_error>{opened.error()};
  job.current = std::make_shared<upload>(std::move(*opened));
  job.done.push_back({*path, base_name(*path), job.metadata});
  co_return plain<void>{};
}

awaitable<plain<void>> write(uploading& job, std::string_view bytes) {
  if (bytes.empty() || !job.current)
    co_return plain<void>{};
  auto work = [file = job.current, bytes] { return file->write(bytes); };
  auto outcome = co_await offload(job.with.files, std::move(work));
  co_return outcome;
}

const plain_error broken{0, {}}; // the peer is gone: nothing to answer

awaitable<plain<void>> take_body(uploading& job) {
  if (!job.to.path)
    co_return fail(400, "path query parameter is required for raw body upload");
  auto begun = co_await begin_file(job, *job.to.path);
  while (begun) {
    auto bytes = co_await job.call.read(true);
    if (!bytes)
      co_return tl::unexpected<plain_error>{broken};
    if (bytes->empty())
      break;
    begun = co_await write(job, *bytes);
  }
  co_return begun;
}

awaitable<plain<void>> begin_part(uploading& job, std::string disposition) {
  job.current.reset();
  if (header_parameter(disposition, "name").value_or("") != "file")
    co_return plain<void>{};
  auto name = header_parameter(disposition, "filename");
  if (!job.to.path && name.value_or("").empty())
    co_return fail(
      400, "error getting multipart custom part file name: the part has no filename and the query no path");
  auto path = job.to.path ? *job.to.path : *name;
  auto outcome = co_await begin_file(job, std::move(path));
  co_return outcome;
}

awaitable<plain<void>> take_part_event(uploading& job, multipart_reader::event event) {
  using kind = multipart_reader::event::kind;
  plain<void> outcome;
  if (event.what == kind::begin)
    outcome = co_await begin_part(job, std::move(event.disposition));
  else if (event.what == kind::data)
    outcome = co_await write(job, event.bytes);
  else
    job.current.reset();
  co_return outcome;
}

awaitable<plain<void>> take_parts(uploading& job, std::string boundary) {
  multipart_reader reader{boundary};
  size_t parts = 0;
  while (!reader.complete()) {
    auto bytes = co_await job.call.read(true);
    if (!bytes)
      co_return tl::unexpected<plain_error>{broken};
    if (bytes->empty())
      co_return fail(400, "error reading multipart body: unexpected end");
    auto events = reader.feed(*bytes);
    for (auto& event : events) {
      parts += event.what == multipart_reader::event::kind::begin ? 1 : 0;
      if (parts > limits::parts)
        co_return fail(400, "too many parts in one upload request");
      auto outcome = co_await take_part_event(job, std::move(event));
      if (!outcome)
        co_return outcome;
    }
    if (reader.broken())
      co_return fail(400, "malformed multipart body");
  }
  co_return plain<void>{};
}

bool type_is(std::string_view content_type, std::string_view essence) {
  return net::iequals(content_type.substr(0, content_type.find(';')), essence);
}

awaitable<plain<void>> take(uploading& job) {
  const auto& request = job.call.request();
  std::string type{request.header("Content-Type").value_or("")};
  auto coding = request.header("Content-Encoding").value_or("identity");
  plain<void> outcome;
  if (!net::iequals(coding, "identity"))
    outcome = fail(400, "unsupported Content-Encoding: " + std::string{coding});
  else if (type_is(type, "application/octet-stream"))
    outcome = co_await take_body(job);
  else if (!type_is(type, "multipart/form-data"))
    outcome = fail(400,
      "unsupported content type: " + type + ", expected multipart/form-data or application/octet-stream");
  else if (auto boundary = header_parameter(type, "boundary").value_or("");
           boundary.empty() || boundary.size() > 200)
    outcome = fail(500, "error parsing multipart form: no multipart boundary param in Content-Type");
  else
    outcome = co_await take_parts(job, std::move(boundary));
  co_return outcome;
}

} // namespace

awaitable<void> post(context& with, http_call& call, std::optional<user> basic) {
  auto to = admit(with, call, "write", std::move(basic));
  http_reply reply;
  if (!to) {
    reply = std::move(to.error());
    co_await call.reply(std::move(reply));
    co_return;
  }
  auto metadata = metadata_of(call.request().headers);
  uploading job{with, call, std::move(*to), metadata.value_or(string_map{}), {}, nullptr};
  plain<void> outcome;
  if (metadata)
    outcome = co_await take(job);
  else
    outcome = tl::unexpected<plain_error>{metadata.error()};
  if (!outcome && outcome.error().status == 0)
    co_return call.reset();
  if (outcome)
    reply = {200, "application/json", written_body(job.done), {}};
  else
    reply = error_reply(outcome.error());
  co_await call.reply(std::move(reply));
}

} // namespace agentpool::envd::file_routes
