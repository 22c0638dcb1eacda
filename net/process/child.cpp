// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/process/child.hpp"

#include "net/process/pidfd.hpp"
#include "net/process/user_sweep.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>

#include <cerrno>
#include <signal.h>
#include <sys/ioctl.h>

namespace agentpool::net {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;

namespace {

constexpr size_t read_size = 64 * 1024;
constexpr size_t stderr_line = 4096;
constexpr auto drain_limit = 1s; // a grandchild may hold the pipes for ever
// A line costs its receiver a message, however short it is.
constexpr size_t least_cost_of_a_line = 512;
// A child that floods stderr must not fill the mailbox of its owner; over this, lines are dropped and
// counted.
constexpr size_t stderr_lines_per_second = 1000;

} // namespace

child::child(asio::io_context& io, std::shared_ptr<spawner> spawner, ports::process_spec spec,
  std::shared_ptr<ports::process_listener> listener)
    : strand_(io.get_executor()), spawner_(std::move(spawner)), spec_(std::move(spec)),
      listener_(std::move(listener)), out_(io), err_(io), exit_(io), drain_(io),
      stdin_(std::make_shared<stdin_queue>(strand_, spec_.write_limit)), out_buffer_(read_size),
      out_lines_(spec_.max_line, line_reader::overflow::fail),
      err_lines_(stderr_line, line_reader::overflow::cut) {}

// The io_context was destroyed with the child on it.
child::~child() {
  if (pid_ > 0) {
    kill_group(SIGKILL);
    if (spec_.uid)
      kill_user(*spec_.uid);
    reap();
  }
}

void child::start() {
  // The work guard keeps an otherwise idle io_context running until the start is known.
  auto guard = asio::make_work_guard(strand_.get_inner_executor());
  spawner_->submit([self = shared_from_this(), guard = std::move(guard)]() mutable {
    bool wanted;
    {
      std::lock_guard lock{self->mutex_};
      wanted = self->pending_signal_ != SIGKILL;
    }
    auto started = std::make_shared<result<spawned_child>>(
      wanted ? spawn_child(self->spec_) : fail(errc::cancelled, "the process was ended before it started"));
    auto strand = self->strand_;
    asio::post(strand, [self = std::move(self), started, guard = std::move(guard)] { self->adopt(started); });
  });
}

void child::adopt(std::shared_ptr<result<spawned_child>> started) {
  if (!*started) {
    {
      std::lock_guard lock{mutex_};
      pid_ = -1;
    }
    stdin_->drop();
    std::exchange(listener_, nullptr)->on_failed(started->error());
    return spawner_.reset();
  }
  auto& ends = **started;
  out_.assign(ends.out.release());
  err_.assign(ends.err.release());
  exit_.assign(ends.pidfd.release());
  {
    std::lock_guard lock{mutex_};
    pid_ = ends.pid;
    if (pending_signal_ != 0)
      ::kill(-pid_, pending_signal_);
  }
  listener_->on_started(ends.pid);
  stdin_->open(std::move(ends.in));
  watch_exit();
  read_stdout();
  read_stderr();
}

void child::watch_exit() {
  exit_.async_wait(asio::posix::descriptor_base::wait_read,
    asio::bind_executor(strand_, [self = shared_from_this()](error_code error) {
      if (!error)
        self->exited();
    }));
}

bool child::write_line(std::string line) {
  {
    std::lock_guard lock{mutex_};
    if (pid_ < 0)
      return false;
  }
  return stdin_->push(std::move(line));
}

void child::close_stdin() {
  stdin_->close();
}

void child::signal(int signal) {
  std::lock_guard lock{mutex_};
  if (pid_ > 0)
    ::kill(-pid_, signal);
  else if (pid_ == 0 && pending_signal_ != SIGKILL)
    pending_signal_ = signal;
}

void child::abandon() {
  signal(SIGKILL);
}

void child::consumed(size_t bytes) {
  asio::post(strand_, [self = shared_from_this(), bytes] {
    auto& lines = self->unconsumed_;
    if (bytes == 0 && !lines.empty() && lines.front() == 0)
      lines.pop_front();
    self->credit_ += bytes;
    while (self->credit_ > 0 && !lines.empty() && lines.front() <= self->credit_) {
      self->credit_ -= lines.front();
      self->unconsumed_bytes_ -= lines.front();
      lines.pop_front();
    }
    if (lines.empty())
      self->credit_ = 0;
    self->read_stdout();
  });
}

bool child::paused() const {
  return drain_bytes_ == 0 && (unconsumed_bytes_ >= spec_.read_window ||
                                unconsumed_.size() * least_cost_of_a_line >= spec_.read_window);
}

void child::read_stdout() {
  if (reading_ || !out_.is_open() || paused())
    return;
  reading_ = true;
  out_.async_read_some(asio::buffer(out_buffer_),
    asio::bind_executor(strand_, [self = shared_from_this()](error_code error, size_t size) {
      self->reading_ = false;
      if (!self->out_.is_open())
        return;
      if (error)
        return self->end_stdout(
          error == asio::error::eof ? ports::stdout_end::eof : ports::stdout_end::read_error);
      self->on_stdout({self->out_buffer_.data(), size});
      self->read_stdout();
    }));
}

void child::on_stdout(std::string_view bytes) {
  drain_bytes_ -= std::min(drain_bytes_, bytes.size());
  if (!out_lines_.feed(bytes, [this](std::string line) { deliver(std::move(line)); }))
    end_stdout(ports::stdout_end::line_too_long);
}

void child::deliver(std::string line) {
  unconsumed_.push_back(line.size());
  unconsumed_bytes_ += line.size();
  listener_->on_line(std::move(line));
}

// A line without its newline is none: half a message of a killed process must not look like a broken one.
void child::end_stdout(ports::stdout_end why) {
  error_code ignored;
  out_.close(ignored);
  out_lines_.take_rest();
  listener_->on_stdout_end(why);
  finish_when_drained();
}

void child::read_stderr() {
  err_.async_read_some(asio::buffer(err_buffer_),
    asio::bind_executor(strand_, [self = shared_from_this()](error_code error, size_t size) {
      if (!self->err_.is_open())
        return;
      if (error)
        return self->end_stderr();
      self->err_lines_.feed({self->err_buffer_.data(), size},
        [&self](std::string line) { self->deliver_stderr(std::move(line)); });
      self->read_stderr();
    }));
}

void child::deliver_stderr(std::string line) {
  auto now = std::chrono::steady_clock::now();
  if (now - stderr_window_ >= 1s) {
    report_dropped_stderr();
    stderr_window_ = now;
    stderr_in_window_ = 0;
  }
  if (++stderr_in_window_ > stderr_lines_per_second)
    ++stderr_dropped_;
  else
    listener_->on_stderr_line(std::move(line));
}

void child::report_dropped_stderr() {
  if (auto count = std::exchange(stderr_dropped_, 0); count > 0)
    listener_->on_stderr_line(
      "[" + std::to_string(count) + " stderr lines were dropped: too many per second]");
}

void child::end_stderr() {
  error_code ignored;
  err_.close(ignored);
  if (auto rest = err_lines_.take_rest(); !rest.empty())
    deliver_stderr(std::move(rest));
  report_dropped_stderr();
  finish_when_drained();
}

// The zombie keeps its pid, so the group can be killed safely until `finish` reaps it.
void child::exited() {
  exited_ = true;
  stdin_->drop();
  int waiting = 0;
  if (out_.is_open() && ::ioctl(out_.native_handle(), FIONREAD, &waiting) == 0)
    drain_bytes_ = static_cast<size_t>(waiting) + 1; // one more, to see the end behind them
  drain_.expires_after(drain_limit);
  drain_.async_wait(asio::bind_executor(strand_, [self = shared_from_this()](error_code error) {
    if (error)
      return;
    self->drain_over_ = true;
    self->finish_when_drained();
  }));
  spec_.uid ? sweep_user() : void(swept_ = true);
  read_stdout();
  finish_when_drained();
}

// What the child started may have left its group, but not its user. The exit is told after that: then the
// uid may be given to another child.
void child::sweep_user() {
  auto guard = asio::make_work_guard(strand_.get_inner_executor());
  spawner_->submit([self = shared_from_this(), guard = std::move(guard)]() mutable {
    kill_user(*self->spec_.uid);
    auto strand = self->strand_;
    asio::post(strand, [self = std::move(self), guard = std::move(guard)] {
      self->swept_ = true;
      self->finish_when_drained();
    });
  });
}

void child::finish_when_drained() {
  if (exited_ && swept_ && (drain_over_ || (!out_.is_open() && !err_.is_open())))
    finish();
}

void child::finish() {
  if (!listener_)
    return;
  exited_ = false; // ending the streams below does not come back here
  if (err_.is_open())
    end_stderr();
  if (out_.is_open())
    end_stdout(ports::stdout_end::eof);
  drain_.cancel();
  kill_group(SIGKILL);
  auto how = reap();
  error_code ignored;
  exit_.close(ignored);
  std::exchange(listener_, nullptr)->on_exit(how);
  spawner_.reset();
}

ports::exit_status child::reap() {
  std::lock_guard lock{mutex_};
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED) != 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (info.si_code == CLD_EXITED)
    return {info.si_status, 0};
  return {0, info.si_status};
}

void child::kill_group(int signal) {
  std::lock_guard lock{mutex_};
  if (pid_ > 0)
    ::kill(-pid_, signal);
}

} // namespace agentpool::net
