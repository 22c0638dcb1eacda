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
  size_t asked = 0, answered = 0;
  std::optional<failure> error{};
};

hand_io::hand_io(
  std::shared_ptr<loop> home, std::shared_ptr<ports::sandbox_link> link, uint64_t continuity, give_back done)
    : home_{std::move(home)}, link_{std::move(link)}, continuity_{continuity}, done_{std::move(done)} {}

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

void hand_io::lstat(const std::string& path, then<seen> next) {
  link_->stat(path, hand_user, look, bring<seen>([next = std::move(next)](result<seen> got) {
    if (!got && says_not_a_directory(got.error()))
      got = seen{};
    next(std::move(got));
  }));
}

void hand_io::lstats(std::vector<std::string> paths, then<std::vector<seen>> next) {
  if (paths.empty())
    return next(std::vector<seen>{});
  auto all = std::make_shared<wave>(wave{std::move(paths), std::move(next)});
  all->stats.resize(all->paths.size());
  while (all->asked < std::min(defaults::world_wave, all->paths.size()))
    lstat_next(all);
}

void hand_io::lstat_next(const std::shared_ptr<wave>& all) {
  auto i = all->asked++;
  lstat(all->paths[i], [self = shared_from_this(), all, i](result<seen> got) {
    if (got)
      all->stats[i] = std::move(*got);
    else if (!all->error)
      all->error = std::move(got.error());
    if (all->asked < all->paths.size())
      self->lstat_next(all);
    if (++all->answered < all->paths.size())
      return;
    if (all->error)
      return all->next(tl::unexpected{std::move(*all->error)});
    all->next(std::move(all->stats));
  });
}

void hand_io::stat(const std::string& path, then<seen> next) {
  follow(path, 0, std::move(next));
}

void hand_io::follow(const std::string& path, int links, then<seen> next) {
  lstat(path, [self = shared_from_this(), links, next = std::move(next)](result<seen> got) {
    if (!got || !*got || !(*got)->symlink)
      return next(std::move(got));
    if (leads_nowhere(**got) || links == most_links)
      return next(seen{});
    self->follow((*got)->link_target, links + 1, next);
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
  auto op = link_->read_file(path, hand_user, {.offset = 0, .length = most + 1}, {}, sink);
  sink->listen({.bytes =
                  [self, kept, op, most](std::string bytes) {
                    append(kept->bytes, bytes, most, kept->cut);
                    self->link_->consumed(op, bytes.size());
                  },
    .end =
      [self, kept, next = std::move(next)](result<void> how) {
        if (!how) {
          self->failed(how.error());
          return next(tl::unexpected{how.error()});
        }
        if (kept->cut)
          return next(fail(errc::payload_too_large));
        next(std::move(kept->bytes));
      }});
}

void hand_io::remove(const std::string& path) {
  link_->remove(path, hand_user, {}, bring<void>([](const result<void>&) {}));
}

void hand_io::run(std::vector<std::string> argv, const std::string& user, size_t most,
  then<script_output> next, ports::stream_options options) {
  auto kept = std::make_shared<script_output>();
  auto sink = std::make_shared<process_home>(home_);
  auto self = shared_from_this();
  ports::command_spec command;
  command.argv = std::move(argv);
  command.cwd = "/";
  command.user = user;
  command.tag = envd::own_tag;
  auto op = link_->start(std::move(command), options, sink);
  sink->listen({.output =
                  [self, kept, op, most](ports::output_stream which, std::string bytes) {
                    bool cut = false;
                    append(which == ports::output_stream::err ? kept->err : kept->out, bytes,
                      which == ports::output_stream::err ? error_bytes : most, cut);
                    kept->cut = kept->cut || (cut && which != ports::output_stream::err);
                    self->link_->consumed(op, bytes.size());
                  },
    .end =
      [self, kept, next = std::move(next)](result<ports::process_end> how) {
        if (!how) {
          self->failed(how.error());
          return next(tl::unexpected{how.error()});
        }
        kept->end = std::move(*how);
        next(std::move(*kept));
      }});
}

} // namespace agentpool::world
