// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/hand_io.hpp"

#include "actors/hands/world/sinks.hpp"
#include "actors/hands/world/trouble.hpp"
#include "protocol/wire/envd_process.hpp"

namespace agentpool::world {

namespace {

constexpr int most_links = 4; // a resolved target that is a link again was changed meanwhile
constexpr size_t error_bytes = 4096;
// Nobody waits long for facts that a sandbox in order has at hand.
constexpr ports::call_limits look{.first_byte = defaults::world_look};

void append(std::string& to, std::string_view bytes, size_t most, bool& cut) {
  auto room = most - std::min(most, to.size());
  cut = cut || bytes.size() > room;
  to += bytes.substr(0, room);
}

} // namespace

struct hand_io::wave {
  std::vector<std::string> paths;
  then<std::vector<seen>> next;
  std::vector<seen> stats{};
  bool chain = false;
  size_t most = 0; ///< so many are asked for
  size_t asked = 0, answered = 0;
  bool filling = false;
  std::optional<failure> error{};
};

struct hand_io::ahead {
  std::vector<std::string> paths;
  uint64_t generation = 0;
};

hand_io::hand_io(std::shared_ptr<loop> home, std::shared_ptr<ports::sandbox_link> link, uint64_t continuity,
  give_back done, hand_memory with)
    : home_{std::move(home)}, link_{std::move(link)},
      continuity_{continuity}, done_{std::move(done)}, with_{std::move(with)} {}

hand_io::~hand_io() {
  done_(outcome_, std::move(why_));
}

void hand_io::failed(const failure& why) {
  auto outcome = outcome_of(why);
  if (static_cast<uint8_t>(outcome) <= static_cast<uint8_t>(outcome_))
    return;
  outcome_ = outcome;
  why_ = why.text();
}

void hand_io::over(const traced& call, const failure* why) {
  if (why)
    failed(*why);
  if (call && why)
    call->failed(*why);
  if (call)
    call->end();
}

hand_io::traced hand_io::begin(std::string_view what, std::string_view subject, call_kind kind) const {
  return with_.trace ? with_.trace->begin(what, subject, kind) : nullptr;
}

// -- what is known, and asking for what is not

void hand_io::lstat(const std::string& path, then<seen> next) {
  if (!with_.known || with_.fresh)
    return fetch(path, call_kind::plain, std::move(next));
  with_.known->use(path);
  if (const auto* found = with_.known->find(path)) {
    if (with_.trace)
      with_.trace->hit();
    return next(*found);
  }
  if (auto flying = with_.known->find_flight(path)) {
    auto call = with_.trace ? with_.trace->join() : nullptr;
    flying->waiting.emplace_back([call, next = std::move(next)](result<seen> got) {
      if (call)
        call->end();
      next(std::move(got));
    });
    return;
  }
  fetch(path, call_kind::plain, std::move(next));
  look_ahead();
}

void hand_io::lstat_now(const std::string& path, then<seen> next) {
  fetch(path, call_kind::plain, std::move(next));
}

void hand_io::fetch(const std::string& path, call_kind kind, then<seen> next) {
  auto flight = with_.known ? with_.known->start_flight(path) : std::make_shared<known_files::flight>();
  flight->waiting.push_back(std::move(next));
  auto landed = [known = with_.known, path, flight](result<seen> got) {
    if (!got && says_not_a_directory(got.error()))
      got = seen{};
    if (known)
      return known->land(path, flight, std::move(got));
    flight->waiting.front()(std::move(got));
  };
  link_->stat(path, hand_user, look, bring<seen>(begin("stat", path, kind), std::move(landed)));
}

// The first question after a change: all that was used before is asked for as well.
void hand_io::look_ahead() {
  auto all = std::make_shared<ahead>(ahead{with_.known->ahead(), with_.known->now().generation});
  for (size_t i = 0; i < defaults::known_ahead; ++i)
    next_ahead(all);
}

void hand_io::next_ahead(const std::shared_ptr<ahead>& all) {
  while (!all->paths.empty() && all->generation == with_.known->now().generation) {
    auto path = std::move(all->paths.back());
    all->paths.pop_back();
    if (with_.known->find(path) || with_.known->find_flight(path))
      continue;
    return fetch(path, call_kind::aside,
      [self = shared_from_this(), all](const result<seen>&) { self->next_ahead(all); });
  }
}

void hand_io::touch(const std::string& path) const {
  if (with_.known)
    with_.known->touch(path);
}

void hand_io::lstats(std::vector<std::string> paths, then<std::vector<seen>> next) {
  start_wave({std::move(paths), std::move(next)});
}

void hand_io::lstats_down(std::vector<std::string> paths, then<std::vector<seen>> next) {
  start_wave({.paths = std::move(paths), .next = std::move(next), .chain = true});
}

void hand_io::start_wave(wave what) {
  auto all = std::make_shared<wave>(std::move(what));
  all->most = all->paths.size();
  all->stats.resize(all->paths.size());
  fill(all);
}

// What is known is answered inside the loop.
void hand_io::fill(const std::shared_ptr<wave>& all) {
  if (std::exchange(all->filling, true))
    return;
  while (all->asked < all->most && all->asked - all->answered < defaults::world_wave) {
    auto i = all->asked++;
    lstat(all->paths[i], [self = shared_from_this(), all, i](result<seen> got) {
      if (!got || (all->chain && !*got)) // nothing is below nothing
        all->most = std::min(all->most, i + 1);
      if (got)
        all->stats[i] = std::move(*got);
      else if (!all->error)
        all->error = std::move(got.error());
      ++all->answered;
      self->fill(all);
    });
  }
  all->filling = false;
  if (all->answered < std::max(all->asked, all->most) || !all->next)
    return;
  auto done = std::exchange(all->next, nullptr);
  if (all->error)
    return done(tl::unexpected{std::move(*all->error)});
  done(std::move(all->stats));
}

void hand_io::stat(const std::string& path, then<seen> next, bool now) {
  follow(path, 0, now, std::move(next));
}

void hand_io::follow(const std::string& path, int links, bool now, then<seen> next) {
  auto look = now ? &hand_io::lstat_now : &hand_io::lstat;
  (this->*look)(path, [self = shared_from_this(), links, now, next = std::move(next)](result<seen> got) {
    if (!got || !*got || !(*got)->symlink)
      return next(std::move(got));
    if (leads_nowhere(**got) || links == most_links)
      return next(seen{});
    self->follow((*got)->link_target, links + 1, now, next);
  });
}

void hand_io::read_all(const std::string& path, size_t most, then<std::string> next) {
  struct state {
    std::string bytes;
    bool cut = false;
  };
  auto kept = std::make_shared<state>();
  auto sink = std::make_shared<bytes_home>(home_);
  auto self = shared_from_this();
  auto call = begin("read", path, call_kind::stream);
  auto op = link_->read_file(path, hand_user, {.offset = 0, .length = most + 1}, {}, sink);
  sink->listen({.bytes =
                  [self, call, kept, op, most](std::string bytes) {
                    if (call)
                      call->add_bytes(bytes.size());
                    append(kept->bytes, bytes, most, kept->cut);
                    self->link_->consumed(op, bytes.size());
                  },
    .end =
      [self, call, kept, next = std::move(next)](result<void> how) {
        self->over(call, how ? nullptr : &how.error());
        if (!how)
          return next(tl::unexpected{how.error()});
        if (kept->cut)
          return next(fail(errc::payload_too_large));
        next(std::move(kept->bytes));
      }});
}

void hand_io::remove(const std::string& path) {
  touch(path);
  auto call = begin("remove", path, call_kind::aside);
  link_->remove(path, hand_user, {}, bring<void>(call, [](const result<void>&) {}));
}

void hand_io::run(script what, then<script_output> next) {
  auto kept = std::make_shared<script_output>();
  auto sink = std::make_shared<process_home>(home_);
  auto self = shared_from_this();
  auto call = begin("start", what.label, what.kind);
  ports::command_spec command;
  command.argv = std::move(what.argv);
  for (const auto& argument : command.argv)
    if (call)
      call->add_bytes(argument.size());
  command.cwd = "/";
  command.user = std::move(what.user);
  command.tag = envd::own_tag;
  auto op = link_->start(std::move(command), what.options, sink);
  sink->listen({.output =
                  [self, call, kept, op, most = what.most](ports::output_stream which, std::string bytes) {
                    bool cut = false;
                    if (call)
                      call->add_bytes(bytes.size());
                    append(which == ports::output_stream::err ? kept->err : kept->out, bytes,
                      which == ports::output_stream::err ? error_bytes : most, cut);
                    kept->cut = kept->cut || (cut && which != ports::output_stream::err);
                    self->link_->consumed(op, bytes.size());
                  },
    .end =
      [self, call, kept, next = std::move(next)](result<ports::process_end> how) {
        self->over(call, how ? nullptr : &how.error());
        if (!how)
          return next(tl::unexpected{how.error()});
        kept->end = std::move(*how);
        next(std::move(*kept));
      }});
}

} // namespace agentpool::world
