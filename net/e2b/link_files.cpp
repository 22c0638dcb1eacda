// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/e2b/envd_answers.hpp"
#include "net/e2b/file_download.hpp"
#include "net/e2b/form_source.hpp"
#include "net/e2b/link.hpp"

#include <utility>

namespace agentpool::net {

using ports::call_limits;
using ports::completion;
using ports::entry_info;
using ports::operation_id;

namespace {

tl::unexpected<failure> refused_size() {
  return fail(errc::payload_too_large, "the file is larger than the sandbox's provider lets through");
}

} // namespace

bool e2b_link::too_large(std::optional<uint64_t> size) const {
  return requests_.most_body() != 0 && size.value_or(0) > requests_.most_body();
}

operation_id e2b_link::stat(
  std::string path, std::string user, call_limits limits, completion<std::optional<entry_info>> done) {
  auto call = requests_.unary(envd::method::stat, to_json(envd::path_request{path}), user, limits);
  completion<entry_info> found_or_not = [done = std::move(done)](result<entry_info> found) {
    if (!found && found.error().code == errc::envd_not_found)
      return done(std::optional<entry_info>{});
    done(std::move(found).map([](entry_info entry) { return std::optional{std::move(entry)}; }));
  };
  return send<entry_info>(std::move(call), effect::reads, std::move(found_or_not), entry_from);
}

operation_id e2b_link::list_dir(std::string path, uint32_t depth, std::string user, call_limits limits,
  completion<std::vector<entry_info>> done) {
  auto call = requests_.unary(envd::method::list_dir, to_json(envd::list_request{path, depth}), user, limits);
  return send<std::vector<entry_info>>(std::move(call), effect::reads, std::move(done), entries_from);
}

operation_id e2b_link::make_dir(
  std::string path, std::string user, call_limits limits, completion<bool> done) {
  auto call = requests_.unary(envd::method::make_dir, to_json(envd::path_request{path}), user, limits);
  completion<entry_info> made_or_not = [done = std::move(done)](result<entry_info> made) {
    if (!made && made.error().code == errc::envd_exists)
      return done(false);
    done(std::move(made).map([](const entry_info&) { return true; }));
  };
  return send<entry_info>(std::move(call), effect::changes, std::move(made_or_not), entry_from);
}

operation_id e2b_link::move(std::string source, std::string destination, std::string user, call_limits limits,
  completion<entry_info> done) {
  auto message = to_json(envd::move_request{std::move(source), std::move(destination)});
  auto call = requests_.unary(envd::method::move, std::move(message), user, limits);
  return send<entry_info>(std::move(call), effect::changes, std::move(done), entry_from);
}

operation_id e2b_link::remove(std::string path, std::string user, call_limits limits, completion<void> done) {
  auto call = requests_.unary(envd::method::remove, to_json(envd::path_request{path}), user, limits);
  return send<void>(std::move(call), effect::changes, std::move(done), empty_from);
}

operation_id e2b_link::read_file(std::string path, std::string user, ports::byte_range range,
  ports::stream_options options, std::shared_ptr<ports::byte_sink> sink) {
  return client_->send(requests_.read_file(path, user, range, options),
    std::make_shared<file_download>(client_, state_, std::move(sink), range));
}

operation_id e2b_link::write_file(std::string path, std::string user,
  std::shared_ptr<ports::byte_source> source, ports::stream_options options, completion<std::string> done) {
  if (too_large(source->length()))
    return refuse([done = std::move(done)] { done(refused_size()); });
  auto call = requests_.write_file(path, user, options.limits);
  call.stream = true;
  if (requests_.takes_octets()) {
    call.headers.push_back("Content-Type: application/octet-stream");
    call.source = std::move(source);
  } else {
    auto frame = make_form_frame();
    call.headers.push_back("Content-Type: " + frame.content_type);
    call.source = std::make_shared<form_source>(std::move(frame), std::move(source));
  }
  return send<std::string>(std::move(call), effect::changes, std::move(done), written_from, files_failure);
}

operation_id e2b_link::write_file(
  std::string path, std::string user, std::string bytes, call_limits limits, completion<std::string> done) {
  if (too_large(bytes.size()))
    return refuse([done = std::move(done)] { done(refused_size()); });
  auto call = requests_.write_file(path, user, limits);
  if (requests_.takes_octets()) {
    call.headers.push_back("Content-Type: application/octet-stream");
    call.body = std::move(bytes);
  } else {
    auto frame = make_form_frame();
    call.headers.push_back("Content-Type: " + frame.content_type);
    call.body = frame.before + bytes + frame.after;
  }
  return send<std::string>(std::move(call), effect::changes, std::move(done), written_from, files_failure);
}

} // namespace agentpool::net
