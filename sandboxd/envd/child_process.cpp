// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/child_process.hpp"

#include "protocol/wire/envd_proto.hpp"
#include "sandboxd/envd/limits.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/ioctl.h>
#include <sys/wait.h>

namespace agentpool::envd {

using connect::code;

namespace {

std::string lower_first(std::string text) {
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z' &&
      !(text.size() > 1 && text[1] >= 'A' && text[1] <= 'Z'))
    text[0] = static_cast<char>(text[0] + 32);
  return text;
}

subscription::envelope_ptr envelope_of(const process_event& event, connect::codec as) {
  return std::make_shared<const std::string>(connect::envelope_bytes(encode(as, event)));
}

subscription::envelope_ptr envelope_of(
  process_output::source from, std::string_view bytes, connect::codec as) {
  constexpr size_t around = 64; // of the bytes, and more than it
  bool json = as == connect::codec::json;
  auto write = [&](
                 std::string& out) { json ? append_json(out, from, bytes) : append_proto(out, from, bytes); };
  auto size = around + (json ? bytes.size() / 3 * 4 : bytes.size());
  return std::make_shared<const std::string>(connect::make_envelope(size, write));
}

} // namespace

process_ended ended_event(int wait_status) {
  process_ended out;
  if (WIFEXITED(wait_status)) {
    out.exit_code = WEXITSTATUS(wait_status);
    out.exited = true;
    out.status = "exit status " + std::to_string(out.exit_code);
  } else {
    out.exit_code = -1;
    out.status = "signal: " + lower_first(::strsignal(WTERMSIG(wait_status)));
    if (WCOREDUMP(wait_status))
      out.status += " (core dumped)";
  }
  if (out.exit_code != 0)
    out.error = out.status;
  return out;
}

// The number of a group is nobody else's while the group has members; that of an empty one may be anybody's.
void kill_group(pid_t pid, bool reaped) {
  auto group = ::getpgid(pid);
  if (reaped ? group < 0 : group == pid)
    ::kill(-pid, SIGKILL);
}

child_process::child_process(
  const asio::any_io_executor& executor, life_clock& clock, process_info info, bool terminal)
    : info_(std::move(info)), terminal_(terminal), executor_(executor), clock_(clock),
      deadline_(clock, executor), end_wait_(executor) {}

void child_process::start(spawned files, std::function<void(const process_ended&)> on_end) {
  using source = process_output::source;
  on_end_ = std::move(on_end);
  input_ = std::make_shared<input_queue>(executor_, std::move(files.input));
  auto add = [&](net::unique_fd from, source what) {
    auto self = shared_from_this();
    output_pump::owner calls{
      [self](source from_it, std::string_view bytes) { self->publish(from_it, bytes); },
      [self] { return self->has_room(); }, [self] { self->output_ended(); }};
    outputs_.push_back(std::make_shared<output_pump>(executor_, std::move(from), what, std::move(calls)));
  };
  add(std::move(files.output), terminal_ ? source::terminal : source::standard_output);
  if (files.errors)
    add(std::move(files.errors), source::standard_error);
  open_outputs_ = outputs_.size();
  for (const auto& one : outputs_)
    one->start();
}

// -- subscribers

std::shared_ptr<subscription> child_process::subscribe(bool first, connect::codec as) {
  if (subscribers_.size() >= limits::subscribers)
    return nullptr;
  auto made = std::make_shared<subscription>(executor_, clock_, as, [self = weak_from_this()] {
    if (auto alive = self.lock())
      for (const auto& one : alive->outputs_)
        one->wake();
  });
  made->push(envelope_of(process_started{info_.pid}, as));
  subscribers_.push_back(made);
  if (first)
    first_ = made;
  return made;
}

void child_process::unsubscribe(const std::shared_ptr<subscription>& who) {
  std::erase(subscribers_, who);
  for (const auto& one : outputs_)
    one->wake();
}

template <class Make>
void child_process::push_to_all(Make make) {
  std::array<subscription::envelope_ptr, 2> made; // one for each codec
  for (const auto& one : subscribers_) {
    auto& envelope = made[static_cast<size_t>(one->as())];
    if (!envelope)
      envelope = make(one->as());
    one->push(envelope);
  }
}

void child_process::publish(process_output::source from, std::string_view bytes) {
  push_to_all([&](connect::codec as) { return envelope_of(from, bytes, as); });
}

void child_process::broadcast(const process_event& event) {
  push_to_all([&](connect::codec as) { return envelope_of(event, as); });
}

// One that stands still holds the process up, but not the others for ever.
bool child_process::has_room() {
  auto full = [](const auto& one) { return one->full(); };
  auto stalled = std::ranges::count_if(subscribers_, full);
  if (stalled == 0) {
    full_since_.reset();
    return true;
  }
  auto now = asio::steady_timer::clock_type::now();
  if (!full_since_)
    full_since_ = now;
  if (static_cast<size_t>(stalled) == subscribers_.size() || now - *full_since_ < limits::stalled_subscriber)
    return false;
  for (const auto& one : subscribers_)
    if (one->full())
      one->drop();
  std::erase_if(subscribers_, [](const auto& one) { return one->over(); });
  full_since_.reset();
  return true;
}

// -- requests

awaitable<child_process::outcome> child_process::write(process_input input) {
  using target = process_input::target;
  using result = input_queue::result;
  auto self = shared_from_this();
  std::string_view name = terminal_ ? "tty" : "stdin";
  if (input.to == target::none)
    co_return connect::fail(code::unimplemented, "invalid input type <nil>");
  if (terminal_ && input.to == target::standard_input)
    co_return connect::fail(code::internal,
      "error writing to stdin: tty assigned to process — input should be written to the pty, not the stdin");
  if (!terminal_ && input.to == target::terminal)
    co_return connect::fail(code::internal, "error writing to tty: tty not assigned to process — input "
                                            "should be written to the stdin, not the tty");
  auto done = result::written;
  if (!input.bytes.empty() || !input_->is_open())
    done = co_await input_->write(std::move(input.bytes));
  auto prefix = "error writing to " + std::string{name} + ": ";
  switch (done) {
  case result::written: co_return outcome{};
  case result::closed: co_return connect::fail(code::internal, prefix + "stdin not enabled or closed");
  case result::broken: co_return connect::fail(code::internal, prefix + "broken pipe");
  default: co_return connect::fail(code::resource_exhausted, prefix + "too much input waits for the process");
  }
}

child_process::outcome child_process::close_input() {
  if (terminal_)
    return connect::fail(
      code::unknown, "error closing stdin: cannot close stdin for PTY process — send Ctrl+D (0x04) instead");
  input_->close();
  return {};
}

child_process::outcome child_process::send_signal(int signal) {
  if (signal != SIGTERM && signal != SIGKILL)
    return connect::fail(code::unimplemented, "invalid signal: SIGNAL_UNSPECIFIED");
  signalled_ = true;
  if (signal == SIGKILL)
    kill_group(static_cast<pid_t>(info_.pid), wait_status_.has_value());
  if (wait_status_)
    finish(); // it waited for outputs that others hold
  else if (::kill(static_cast<pid_t>(info_.pid), signal) != 0)
    return connect::fail(code::internal, "error sending signal: " + std::string{std::strerror(errno)});
  return {};
}

child_process::outcome child_process::resize(const pty_size& size) {
  if (!terminal_)
    return connect::fail(code::internal, "error resizing tty: tty not assigned to process");
  if (auto error = outputs_.front()->resize(size); error != 0)
    return connect::fail(code::internal, "error resizing tty: " + std::string{std::strerror(error)});
  return {};
}

void child_process::set_deadline(std::chrono::milliseconds from_now) {
  deadline_.set(clock_.now() + from_now, [this] { on_deadline(); });
}

void child_process::on_deadline() {
  auto self = shared_from_this();
  if (end_)
    return;
  if (auto first = first_.lock())
    first->end(connect::error{code::deadline_exceeded, "context deadline exceeded"});
  [[maybe_unused]] auto ignored = send_signal(SIGKILL);
}

awaitable<void> child_process::wait_end(std::chrono::milliseconds most) {
  auto self = shared_from_this();
  asio::steady_timer limit{executor_, most};
  limit.async_wait([this, self](error_code error) {
    if (!error)
      end_wait_.notify();
  });
  if (!end_)
    co_await end_wait_.wait();
}

// -- the end

void child_process::exited(int wait_status) {
  wait_status_ = wait_status;
  if (outputs_.empty())
    return; // not started yet, or never
  if (signalled_ || open_outputs_ == 0)
    finish();
}

void child_process::output_ended() {
  --open_outputs_;
  if (open_outputs_ == 0 && wait_status_)
    finish();
}

void child_process::finish() {
  if (end_)
    return;
  end_ = ended_event(*wait_status_);
  auto self = shared_from_this(); // the outputs may hold the last references
  deadline_.cancel();
  for (const auto& one : outputs_)
    one->end_now();
  if (input_)
    input_->abort();
  broadcast(*end_);
  for (const auto& one : subscribers_)
    one->end(std::nullopt);
  subscribers_.clear();
  end_wait_.notify();
  if (auto call = std::exchange(on_end_, nullptr))
    call(*end_);
}

} // namespace agentpool::envd
