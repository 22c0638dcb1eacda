// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/terminal.hpp"

#include "actors/hands/world/exit_status.hpp"
#include "actors/hands/world/leftovers.hpp"
#include "actors/hands/world/sinks.hpp"
#include "actors/hands/world/trouble.hpp"
#include "actors/hands/world/wrapper.hpp"

#include <charconv>

namespace agentpool::world {

namespace {

constexpr size_t pgid_bytes = 32;
constexpr int kill_refused = 3; // of the script

std::optional<uint32_t> read_pgid(const script_output& ran) {
  uint32_t pgid = 0;
  auto [end, error] = std::from_chars(ran.out.data(), ran.out.data() + ran.out.size(), pgid);
  return ran.end.exited && ran.end.exit_code == 0 && error == std::errc{} && pgid > 0 ? std::optional{pgid}
                                                                                      : std::nullopt;
}

reply unknown() {
  return coded_error("unknown_process", "There is no such terminal any more.");
}

} // namespace

void terminal::start() {
  auto self = shared_from_this();
  all_.out->open([self] { self->terminate([](const reply&) {}); });
  ports::command_spec spec;
  spec.argv = wrap_terminal(all_.asked.env, all_.asked.argv);
  spec.env["TERM"] = all_.asked.term;
  for (const auto& [name, value] : all_.asked.env)
    if (value)
      spec.env[name] = *value;
  spec.cwd = all_.asked.cwd;
  spec.user = hand_user;
  spec.tag = tag_of(all_.id);
  spec.pty = ports::pty_size{all_.asked.cols, all_.asked.rows};
  auto sink = std::make_shared<process_home>(all_.hand->home());
  call_ = all_.hand->begin("start", "terminal", call_kind::stream);
  stream_ = all_.hand->link().start(std::move(spec), {}, sink);
  auto started = [self](uint32_t pid) {
    self->leader_ = pid;
    if (self->call_)
      self->call_->answered();
    self->all_.out->send(
      json_object{}.add("event", "started").add("terminal", self->all_.id).add("pid", pid));
    self->input_.open(self->all_.hand, pid, true);
    if (self->terminate_)
      self->terminate([](const reply&) {});
  };
  auto output = [self](ports::output_stream, const std::string& bytes) {
    event_out::credit held{nullptr, [hand = self->all_.hand, id = self->stream_, size = bytes.size()](
                                      void*) { hand->link().consumed(id, size); }};
    self->all_.out->send_output({}, bytes, held);
  };
  sink->listen({.started = started, .output = output, .end = [self](result<ports::process_end> how) {
                  self->ended(std::move(how));
                }});
}

void terminal::ended(result<ports::process_end> how) {
  ended_ = true;
  call_ = nullptr;
  input_.close();
  if (!how)
    all_.hand->failed(how.error());
  if (over_)
    return;
  if (!how) {
    all_.out->send_error(leader_ == 0 ? not_started("terminal", how.error()) : trouble(how.error()));
    return finish();
  }
  auto status = status_from(*how);
  json_object event;
  event.add("event", "exit");
  event.add_raw("exit_code", status.code ? std::to_string(*status.code) : "null");
  event.add_raw("signal", status.code ? "null" : json_quote(status.signal));
  all_.out->send(event);
  all_.out->send(json_object{}.add("event", "gone"));
  finish();
}

void terminal::finish() {
  if (std::exchange(over_, true))
    return;
  all_.out->finish();
  if (!ended_)
    all_.hand->link().cancel(stream_);
  if (all_.left_behind && leader_ != 0)
    all_.left_behind(0);
  all_.writes = nullptr;
  std::exchange(all_.gone, nullptr)();
}

void terminal::input(std::string bytes, hand_io::then<void> done) {
  input_.add(std::move(bytes), false, std::move(done));
}

void terminal::resize(uint32_t rows, uint32_t cols, const answer& done) {
  if (leader_ == 0)
    return done(unknown());
  all_.hand->link().resize({leader_, {}}, {cols, rows}, {},
    all_.hand->bring<void>(
      all_.hand->begin("resize", std::to_string(leader_)), [done](const result<void>& how) {
        done(how                                        ? reply{200, "{}"}
             : how.error().code == errc::envd_not_found ? unknown()
                                                        : trouble(how.error()));
      }));
}

void terminal::foreground(const answer& done) {
  all_.hand->run({foreground_group(leader_), hand_user, pgid_bytes, "foreground group"},
    [done](const result<script_output>& ran) {
      if (!ran)
        return done(trouble(ran.error()));
      auto pgid = read_pgid(*ran);
      done({200, json_object{}
                   .add_raw("pgid", pgid ? std::to_string(*pgid) : "null")
                   .add("input_waiting", false)
                   .str()});
    });
}

void terminal::signal(const std::string& signal, const answer& done) {
  all_.hand->run({signal_foreground(leader_, signal), "root", pgid_bytes, "signal"},
    [done](const result<script_output>& ran) {
      if (!ran)
        return done(trouble(ran.error(), effect::change));
      if (ran->end.exit_code == kill_refused)
        return done(coded_error("bad_request", "The shell of a terminal is not killed; terminate it."));
      auto pgid = read_pgid(*ran);
      done(pgid ? reply{200, json_object{}.add("pgid", *pgid).str()} : unknown());
    });
}

void terminal::terminate(const answer& done) {
  terminate_ = true;
  if (leader_ == 0 || over_)
    return done({200, "{}"});
  auto self = shared_from_this();
  all_.hand->run({kill_session(leader_, all_.asked.grace_ms), "root", 0, "kill session"},
    [self, done](const result<script_output>& ran) {
      if (!ran)
        return done(trouble(ran.error(), effect::change));
      done({200, "{}"});
    });
}

} // namespace agentpool::world
