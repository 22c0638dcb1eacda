// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/http/ascii.hpp"
#include "sandboxd/envd/file_routes.hpp"
#include "sandboxd/envd/limits.hpp"
#include "sandboxd/envd/metadata.hpp"
#include "sandboxd/envd/multipart.hpp"
#include "sandboxd/envd/paths.hpp"
#include "sandboxd/envd/upload_body.hpp"

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
  upload_body body;
  target to;
  string_map metadata;
  std::vector<written_file> done;
  upload_ptr current;
};

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

awaitable<plain<void>> take_body(uploading& job) {
  if (!job.to.path)
    co_return fail(400, "path query parameter is required for raw body upload");
  auto begun = co_await begin_file(job, *job.to.path);
  while (begun) {
    auto bytes = co_await job.body.read();
    if (!bytes)
      co_return tl::unexpected<plain_error>{bytes.error()};
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

// What follows the last part means nothing, but a coding has to be whole.
awaitable<plain<void>> read_rest(uploading& job) {
  for (;;) {
    auto bytes = co_await job.body.read();
    if (!bytes)
      co_return tl::unexpected<plain_error>{bytes.error()};
    if (bytes->empty())
      co_return plain<void>{};
  }
}

awaitable<plain<void>> take_parts(uploading& job, std::string boundary) {
  multipart_reader reader{boundary};
  size_t parts = 0;
  while (!reader.complete()) {
    auto bytes = co_await job.body.read();
    if (!bytes)
      co_return tl::unexpected<plain_error>{bytes.error()};
    if (bytes->empty() && reader.in_header())
      break; // a part that has not begun is none
    if (bytes->empty())
      co_return fail(400, "error reading multipart body: unexpected EOF");
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
  auto outcome = co_await read_rest(job);
  co_return outcome;
}

bool type_is(std::string_view content_type, std::string_view essence) {
  return net::iequals(content_type.substr(0, content_type.find(';')), essence);
}

awaitable<plain<void>> take(uploading& job, std::string type) {
  plain<void> outcome = co_await job.body.begin();
  if (!outcome)
    co_return outcome;
  if (type_is(type, "application/octet-stream"))
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
  uploading job{with, {call, with.files}, std::move(*to), metadata.value_or(string_map{}), {}, nullptr};
  std::string type{call.request().header("Content-Type").value_or("")};
  plain<void> outcome;
  if (metadata)
    outcome = co_await take(job, std::move(type));
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
