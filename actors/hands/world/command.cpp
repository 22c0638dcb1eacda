// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/command.hpp"

#include "actors/hands/world/leftovers.hpp"
#include "actors/hands/world/sinks.hpp"
#include "actors/hands/world/trouble.hpp"
#include "actors/hands/world/wrapper.hpp"
#include "protocol/wire/crash_point.hpp"

namespace agentpool::world {

command::command(parts all)
    : all_{std::move(all)}, nonce_{random_id("")}, markers_{nonce_}, out_{"stdout", all_.asked.out, nullptr},
      err_{"stderr", all_.asked.err, nullptr} {}

void command::start() {
  auto self = shared_from_this();
  out_.copy = make_spill(out_);
  err_.copy = make_spill(err_);
  all_.out->open([self] { self->exit_told_ ? self->finish(false) : self->terminate(); });
  // A connection that was closed while the hand was made says so before.
  all_.hand->home()->post([self] { self->launch(); });
}

void command::launch() {
  if (asked_to_end_)
    return finish(false);
  auto self = shared_from_this();
  ports::command_spec spec;
  spec.argv = wrap(nonce_, all_.asked.env, all_.asked.argv);
  for (const auto& [name, value] : all_.asked.env)
    if (value)
      spec.env[name] = *value;
  spec.cwd = all_.asked.cwd;
  spec.user = hand_user;
  spec.tag = tag_of(all_.id);
  spec.stdin_open = all_.asked.input != input_mode::none;
  auto sink = std::make_shared<process_home>(all_.hand->home());
  call_ = all_.hand->begin("start", all_.asked.search ? "rg" : "command", call_kind::stream);
  for (const auto& argument : spec.argv)
    if (call_)
      call_->add_bytes(argument.size());
  crash_point("hand.command.before");
  stream_ = all_.hand->link().start(std::move(spec), {}, sink);
  sink->listen({.started = [self](uint32_t pid) { self->started(pid); },
    .output = [self](ports::output_stream which, std::string bytes) { self->took(which, std::move(bytes)); },
    .end = [self](result<ports::process_end> how) { self->ended(std::move(how)); }});
}

void command::started(uint32_t pid) {
  group_ = pid;
  if (call_)
    call_->answered();
  begin_timer_ =
    all_.hand->home()->after(defaults::hand_first_byte, [self = shared_from_this()] { self->never_began(); });
  crash_point("hand.command.started");
  all_.out->send(json_object{}.add("event", "started").add("process", all_.id));
  if (!all_.notice.empty())
    all_.out->send(json_object{}.add("event", "notice").add("text", all_.notice));
  input_.open(all_.hand, pid, false);
  if (all_.asked.input == input_mode::data)
    input_.add(std::move(all_.asked.data), true, [](const result<void>&) {}); // who does not read it may
}

// Before the wrapper has said so there is no group: the program that makes its session may not have got
// there.
void command::terminate() {
  asked_to_end_ = true;
  if (wrapped_)
    kill();
}

void command::input(std::string bytes, bool end, hand_io::then<void> done) {
  if (all_.asked.input != input_mode::pipe)
    return done(fail(errc::bad_request, "This process has no open standard input."));
  input_.add(std::move(bytes), end, std::move(done));
}

// -- output

// The link reads on when everybody who holds the credit has dropped it.
event_out::credit command::make_credit(size_t bytes) {
  return {nullptr, [hand = all_.hand, id = stream_, bytes](void*) { hand->link().consumed(id, bytes); }};
}

void command::took(ports::output_stream which, std::string bytes) {
  auto held = make_credit(bytes.size());
  if (call_)
    call_->add_bytes(bytes.size());
  if (which != ports::output_stream::err)
    return deliver(out_, bytes, held);
  std::string text;
  markers_.feed(bytes, text);
  deliver(err_, text, held);
  if (markers_.begun() && !std::exchange(wrapped_, true)) {
    all_.hand->home()->stop(std::exchange(begin_timer_, 0));
    group_ = static_cast<uint32_t>(markers_.begun()->value);
    if (asked_to_end_)
      kill();
  }
  if (markers_.exited())
    drain();
}

void command::deliver(output& to, std::string_view bytes, const event_out::credit& held) {
  bool unwanted = all_.out->closed() || (exit_told_ && !to.mode.pipe);
  if (bytes.empty() || unwanted)
    return;
  all_.out->send_output(to.name, bytes, held);
  if (to.copy && !settled_)
    to.copy->feed(bytes, held);
  if (all_.live && !settled_)
    all_.live->feed(&to == &err_, bytes);
}

std::shared_ptr<spill> command::make_spill(const output& of) {
  const auto& most = of.mode.spill_bytes;
  if (of.mode.pipe || !most || *most <= of.mode.max_bytes)
    return nullptr;
  auto path = "/tmp/agentpool-" + all_.id + "." + std::string{of.name};
  auto told = [out = all_.out, name = std::string{of.name}](const std::optional<std::string>& path) {
    json_object event;
    event.add("event", "spill").add("stream", name);
    out->send(event.add_raw("path", path ? json_quote(*path) : "null"));
  };
  return std::make_shared<spill>(all_.hand, path, of.mode.max_bytes, *most, std::move(told));
}

} // namespace agentpool::world
