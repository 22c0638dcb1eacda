// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/e2b/envd_requests.hpp"
#include "net/e2b/faults.hpp"
#include "net/e2b/input_queue.hpp"
#include "net/e2b/link_state.hpp"
#include "net/e2b/read_repeater.hpp"
#include "protocol/ports/sandbox.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace agentpool::net {

/// The implementation of `make_e2b_link`.
class e2b_link : public ports::sandbox_link {
public:
  e2b_link(boost::asio::io_context& io, const e2b_options& options, const ports::sandbox_access& access);
  ~e2b_link() override;

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
  /// Marks ids that are not the client's: of input, and of what was refused.
  static constexpr ports::operation_id input_bit = ports::operation_id{1} << 63;
  static constexpr ports::operation_id refused_bit = ports::operation_id{1} << 62;

  template <class T>
  using reader = std::function<result<T>(const http_answer&)>;
  using refusal = failure (*)(const http_answer&, effect);

  /// Sends `call`; the completion gets what `read` makes of a success, else the failure.
  template <class T>
  ports::operation_id send(ports::http_call call, effect what, ports::completion<T> done, reader<T> read,
    refusal why = envd_failure);
  /// Ends a call that is refused before anything is sent.
  template <class Refused>
  ports::operation_id refuse(Refused refused) {
    auto id = ++last_input_ | refused_bit;
    boost::asio::post(io_, std::move(refused));
    return id;
  }
  bool too_large(std::optional<uint64_t> size) const;
  ports::operation_id queue_input(
    const ports::process_ref& process, ports::http_call call, ports::completion<void> done);
  std::shared_ptr<ports::http_receiver> process_receiver(
    std::shared_ptr<ports::process_sink> sink, effect what);

  boost::asio::io_context& io_;
  envd_requests requests_;
  std::shared_ptr<link_state> state_ = std::make_shared<link_state>();
  std::shared_ptr<ports::http_client> client_;
  std::shared_ptr<read_repeater> reads_;
  std::shared_ptr<input_queue> inputs_;
  std::atomic<ports::operation_id> last_input_{0};
};

template <class T>
ports::operation_id e2b_link::send(
  ports::http_call call, effect what, ports::completion<T> done, reader<T> read, refusal why) {
  auto answered = [state = state_, what, done = std::move(done), read = std::move(read), why](
                    http_answer answer) {
    if (answer.success())
      return done(read(answer));
    done(tl::unexpected{state->explain(why(answer, what))});
  };
  if (what == effect::reads)
    return reads_->send(std::move(call), std::move(answered));
  return client_->send(std::move(call), std::make_shared<collector>(std::move(answered)));
}

} // namespace agentpool::net
