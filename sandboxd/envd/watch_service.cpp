// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/watch_service.hpp"

#include "sandboxd/envd/limits.hpp"
#include "sandboxd/envd/network_mount.hpp"
#include "sandboxd/envd/paths.hpp"
#include "sandboxd/envd/rpc.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <cerrno>
#include <functional>
#include <sys/stat.h>

namespace agentpool::envd::watch_service {

using connect::code;
using watcher_ptr = watcher_table::watcher_ptr;

namespace {

const connect::error lost_events{code::internal, "watcher error: queue overflow, events were lost"};

template <class T>
tl::unexpected<connect::error> failed(const connect::outcome<T>& what) {
  return tl::unexpected<connect::error>{what.error()};
}

connect::outcome<void> check_root(const std::string& path, const watch_request& what) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) {
    if (errno == ENOENT)
      return connect::fail(
        code::not_found, "path " + path + " not found: stat " + path + ": no such file or directory");
    return connect::fail(
      code::internal, "error statting path " + path + ": stat " + path + ": " + system_words(errno));
  }
  if (!S_ISDIR(found.st_mode))
    return connect::fail(code::invalid_argument, "path " + path + " not a directory");
  if (!what.allow_network_mounts && on_network_mount(path))
    return connect::fail(code::invalid_argument, "cannot watch path on network filesystem: " + path);
  return {};
}

connect::outcome<watch_tree> open_tree(const std::string& path, const watch_request& what) {
  if (auto fault = check_root(path, what); !fault)
    return failed(fault);
  auto tree = watch_tree::open(path, what.recursive);
  if (tree)
    return std::move(*tree);
  auto error = tree.error();
  bool full = error == EMFILE || error == ENFILE || error == ENOSPC || error == EUSERS || error == ENOMEM;
  auto words = error == EUSERS ? "more than " + std::to_string(limits::watched_directories) + " directories"
                               : system_words(error);
  return connect::fail(
    full ? code::resource_exhausted : code::internal, "error adding path " + path + " to watcher: " + words);
}

awaitable<connect::outcome<watcher_ptr>> make_watcher(context& with, watch_request what, user who) {
  auto path = expand_path(what.path, who, with.config.workdir());
  if (!path)
    co_return failed(path);
  auto job = [path = *path, &what] { return open_tree(path, what); };
  auto tree = co_await offload(with.files, std::move(job));
  if (!tree)
    co_return failed(tree);
  auto users = what.include_entry ? std::optional{with.config.users()} : std::nullopt;
  auto executor = co_await asio::this_coro::executor;
  co_return std::make_shared<watcher>(executor, with.clock, std::move(*tree), std::move(users));
}

awaitable<watcher::batch> take(context& with, watcher_ptr who) {
  auto job = [self = who.get()] { return self->take(); };
  auto out = co_await offload(with.files, std::move(job));
  co_return out;
}

using time_point = std::optional<life_clock::time_point>;

// Events until the client leaves, the deadline, or a loss.
awaitable<void> serve_events(context& with, http_call& call, watcher_ptr who, time_point deadline) {
  auto interval = connect::read_keepalive(call.request().header(connect::keepalive_header));
  auto silent_until = with.clock.now() + interval;
  std::string bytes;
  auto append = [as = rpc::codec_of(call), &bytes](
                  const watch_message& message) { connect::append_envelope(bytes, encode(as, message)); };
  append(watch_started{});
  for (bool over = false; !who->stopped();) {
    if (!bytes.empty()) {
      std::vector<std::shared_ptr<const std::string>> parts{
        std::make_shared<const std::string>(std::move(bytes))};
      if (!co_await call.chunk(std::move(parts)))
        co_return;
      if (over)
        co_return static_cast<void>(co_await call.end_chunks());
      bytes.clear();
      silent_until = with.clock.now() + interval;
    }
    co_await who->wait(deadline ? std::min(*deadline, silent_until) : silent_until);
    auto batch = co_await take(with, who);
    for (auto& one : batch.events)
      append(std::move(one));
    auto late = deadline && with.clock.now() >= *deadline;
    over = batch.lost || late;
    if (over)
      bytes += connect::end_of_stream(
        late ? connect::error{code::deadline_exceeded, "context deadline exceeded"} : lost_events);
    else if (bytes.empty() && with.clock.now() >= silent_until)
      append(keepalive{});
  }
}

awaitable<void> keep_gathering(context& with, watcher_ptr who) {
  for (;;) {
    co_await who->wait(life_clock::time_point::max());
    if (who->stopped())
      co_return;
    auto job = [self = who.get()] { return self->gather(), true; };
    co_await offload(with.files, std::move(job));
  }
}

} // namespace

awaitable<void> watch_dir(context& with, http_call& call, user who) {
  auto message = co_await rpc::read_stream_message(call);
  if (!message)
    co_return co_await rpc::reply_end(call, message.error());
  auto timeout = rpc::timeout_of(call);
  if (!timeout)
    co_return co_await rpc::reply_end(call, timeout.error());
  auto request = read_watch(rpc::codec_of(call), *message);
  if (!request)
    co_return co_await rpc::reply_end(call, request.error());
  time_point deadline;
  if (*timeout)
    deadline = with.clock.now() + **timeout;
  auto seat = with.watchers.take_seat();
  if (!seat)
    co_return co_await rpc::reply_end(call, seat.error());
  auto events = co_await make_watcher(with, std::move(*request), std::move(who));
  if (!events)
    co_return co_await rpc::reply_end(call, events.error());
  auto head = rpc::stream_head(call);
  std::function<void()> gone = [&call, events = *events] { events->stop(), call.reset(); };
  if (co_await call.begin_chunks(std::move(head), std::move(gone)))
    co_await serve_events(with, call, *events, deadline);
}

awaitable<reply> create_watcher(context& with, connect::codec as, std::string body, user who) {
  auto request = read_watch(as, body);
  if (!request)
    co_return failed(request);
  auto seat = with.watchers.take_seat();
  if (!seat)
    co_return failed(seat);
  auto events = co_await make_watcher(with, std::move(*request), std::move(who));
  if (!events)
    co_return failed(events);
  auto executor = co_await asio::this_coro::executor;
  asio::co_spawn(executor, keep_gathering(with, *events), asio::detached);
  co_return encode(as, watcher_id{with.watchers.add(*events, *seat)});
}

awaitable<reply> get_watcher_events(context& with, connect::codec as, std::string body, user) {
  auto request = read_watcher_id(as, body);
  if (!request)
    co_return failed(request);
  auto found = with.watchers.find(request->id);
  if (!found)
    co_return failed(found);
  auto batch = co_await take(with, *found);
  if (batch.lost)
    co_return tl::unexpected<connect::error>{lost_events};
  co_return encode(as, batch.events);
}

awaitable<reply> remove_watcher(context& with, connect::codec as, std::string body, user) {
  auto request = read_watcher_id(as, body);
  if (!request)
    co_return failed(request);
  auto outcome = with.watchers.remove(request->id);
  if (!outcome)
    co_return failed(outcome);
  co_return std::string{empty_message_in(as)};
}

} // namespace agentpool::envd::watch_service
