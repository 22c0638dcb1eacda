// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/ports/sandbox_link.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace agentpool::test {

/// A hand in memory that does what envd does and fails where a test wants it to. Its files follow links as
/// the kernel does; the publishing program and rmdir are carried out on them; every other process is the
/// test's to drive.
class fault_link : public ports::sandbox_link {
public:
  struct node {
    ports::entry_type type = ports::entry_type::file;
    std::string content;
    std::string target; ///< of a link, not empty
    uint32_t mode = 0644;
    int64_t modified_ns = 0;
    std::string owner = "user";
  };
  struct process {
    ports::operation_id id = 0;
    ports::command_spec spec;
    std::shared_ptr<ports::process_sink> sink; ///< null once it ended
    size_t consumed = 0;

    void end(int32_t code);
    void killed();
    void fail(failure why);
  };
  struct input {
    uint32_t pid = 0;
    std::string bytes;
    bool end = false;
    ports::completion<void> done;
  };

  fault_link();

  void put(const std::string& path, node what);
  void file(const std::string& path, std::string content) { put(path, {.content = std::move(content)}); }
  void directory(const std::string& path);
  void symlink(const std::string& path, std::string target);
  const node* find(const std::string& path) const;
  std::string content(const std::string& path) const;
  /// Names in a directory.
  std::vector<std::string> names(const std::string& path) const;
  process& last() { return *started.back(); }

  /// Called before each call is carried out, with its name and path; what it returns fails the call.
  std::function<std::optional<failure>(const std::string& call, const std::string& path)> fault;
  std::vector<std::string> calls; ///< `stat /workspace`
  std::vector<std::shared_ptr<process>> started;
  std::vector<input> inputs;                   ///< not answered yet
  std::vector<ports::running_process> running; ///< the list
  size_t piece_bytes = 7;                      ///< of file content per delivery
  std::map<ports::operation_id, size_t> consumed_bytes;
  std::vector<ports::operation_id> cancelled;

  // -- sandbox_link
  ports::operation_id stat(std::string path, std::string user, ports::call_limits limits,
    ports::completion<std::optional<ports::entry_info>> done) override;
  ports::operation_id list_dir(std::string path, uint32_t depth, std::string user, ports::call_limits limits,
    ports::completion<std::vector<ports::entry_info>> done) override;
  ports::operation_id make_dir(
    std::string path, std::string user, ports::call_limits limits, ports::completion<bool> done) override;
  ports::operation_id move(std::string source, std::string destination, std::string user,
    ports::call_limits limits, ports::completion<ports::entry_info> done) override;
  ports::operation_id remove(
    std::string path, std::string user, ports::call_limits limits, ports::completion<void> done) override;
  ports::operation_id read_file(std::string path, std::string user, ports::byte_range range,
    ports::stream_options options, std::shared_ptr<ports::byte_sink> sink) override;
  ports::operation_id write_file(std::string path, std::string user,
    std::shared_ptr<ports::byte_source> source, ports::stream_options options,
    ports::completion<std::string> done) override;
  ports::operation_id write_file(std::string path, std::string user, std::string bytes,
    ports::call_limits limits, ports::completion<std::string> done) override;
  ports::operation_id start(ports::command_spec command, ports::stream_options options,
    std::shared_ptr<ports::process_sink> sink) override;
  ports::operation_id attach(ports::process_ref process, ports::stream_options options,
    std::shared_ptr<ports::process_sink> sink) override;
  ports::operation_id send_input(ports::process_ref process, std::string bytes, bool to_pty,
    ports::call_limits limits, ports::completion<void> done) override;
  ports::operation_id close_stdin(
    ports::process_ref process, ports::call_limits limits, ports::completion<void> done) override;
  ports::operation_id signal(ports::process_ref process, ports::process_signal signal,
    ports::call_limits limits, ports::completion<void> done) override;
  ports::operation_id resize(ports::process_ref process, ports::pty_size size, ports::call_limits limits,
    ports::completion<void> done) override;
  ports::operation_id processes(
    ports::call_limits limits, ports::completion<std::vector<ports::running_process>> done) override;
  ports::operation_id health(ports::call_limits limits, ports::completion<void> done) override;
  ports::operation_id init(
    ports::envd_init init, ports::call_limits limits, ports::completion<void> done) override;
  void consumed(ports::operation_id id, size_t bytes) override;
  void cancel(ports::operation_id id) override;
  void close(failure why) override;

private:
  struct walked {
    std::string path; ///< canonical up to the last component, which may be missing
    std::optional<failure> error;
  };
  walked walk(const std::string& path, bool follow_last) const;
  std::optional<failure> begin(const std::string& call, const std::string& path);
  ports::entry_info entry(const std::string& path, const std::string& real) const;
  void publish(const ports::command_spec& command, ports::process_sink& sink);
  std::string publish(const ports::command_spec& command);
  void remove_empty(const std::string& path, ports::process_sink& sink);
  std::string store(const ports::command_spec& command, bool had);
  void touch_parent(const std::string& path);
  std::string above(const std::string& path) const;

  std::map<std::string, node> nodes_;
  int64_t now_ns_ = 1'700'000'000'000'000'001;
  ports::operation_id last_id_ = 0;
};

} // namespace agentpool::test
