// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/service.hpp"

#include "protocol/wire/ids.hpp"
#include "sandboxd/await.hpp"
#include "sandboxd/files.hpp"
#include "sandboxd/front/dns.hpp"
#include "sandboxd/front/session.hpp"
#include "sandboxd/isolation/control_groups.hpp"
#include "sandboxd/limits.hpp"
#include "sandboxd/log.hpp"
#include "sandboxd/preflight.hpp"
#include "sandboxd/trial.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/mount.h>
#include <sys/stat.h>

namespace agentpool::sandboxd {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr size_t most_connections = 8'192; // over: closed at once
constexpr auto accept_pause = std::chrono::milliseconds{100};
constexpr auto quietly = asio::as_tuple(asio::use_awaitable);

result<team_list> load_keys(const std::string& file) {
  if (!std::filesystem::exists(file)) {
    auto key = "e2b_" + sha256_hex(random_token("")).substr(0, 40);
    if (auto written = write_durably(file, key + "\n", 0600); !written)
      return tl::unexpected{written.error()};
  }
  auto text = read_whole(file);
  if (!text)
    return tl::unexpected{text.error()};
  auto teams = team_list::parse(*text);
  return teams ? teams : fail(errc::bad_request, "the key file " + file + ": " + teams.error().detail);
}

// A copy in memory: the sandboxes see its mount, which must name no path and no disk of the host.
result<std::string> stage_envd(const options& wanted) {
  auto folder = wanted.data + "/bin";
  std::error_code error;
  std::filesystem::create_directories(folder);
  if (::mount("sandboxd", folder.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=0711,size=512m") != 0)
    return system_failure("cannot mount " + folder);
  std::filesystem::copy_file(wanted.envd, folder + "/envd", error);
  if (error || ::chmod((folder + "/envd").c_str(), 0755) != 0)
    return fail(errc::internal, "cannot copy " + wanted.envd + ": " + error.message());
  return folder + "/envd";
}

result<sandboxes_config> configure(const options& wanted) {
  sandboxes_config out;
  auto paths = read_runtime(wanted);
  if (!paths)
    return tl::unexpected{paths.error()};
  out.paths = std::move(*paths);
  out.data = wanted.data;
  out.templates = wanted.templates;
  out.limits = wanted.limits;
  out.network = wanted.network;
  out.sources = wanted.sources;
  out.running = wanted.sandboxes;
  out.domain = wanted.domain;
  out.disk_reserve = wanted.disk_reserve;
  out.paths.state = wanted.data + "/runc";
  for (const auto& folder : {out.data + "/sandboxes", out.data + "/snapshots", out.paths.state})
    std::filesystem::create_directories(folder);
  // Sandboxes reach their roots through these with their own ids.
  for (const auto& folder : {out.data, out.data + "/sandboxes"})
    ::chmod(folder.c_str(), 0711);
  for (const auto& folder : {out.paths.state, out.data + "/snapshots"})
    ::chmod(folder.c_str(), 0700);
  auto staged = stage_envd(wanted);
  if (!staged)
    return tl::unexpected{staged.error()};
  out.paths.envd = std::move(*staged);
  return out;
}

asio::awaitable<void> accept_all(tcp::acceptor& acceptor, std::shared_ptr<front_context> shared) {
  while (acceptor.is_open()) {
    auto [error, socket] = co_await acceptor.async_accept(quietly);
    if (error == asio::error::operation_aborted || error == asio::error::bad_descriptor)
      break;
    if (error) { // out of descriptors: those that are open end first
      asio::steady_timer pause{acceptor.get_executor(), accept_pause};
      co_await pause.async_wait(quietly);
      continue;
    }
    if (shared->open >= most_connections)
      continue;
    auto one = std::make_shared<session>(std::move(socket), shared);
    asio::co_spawn(acceptor.get_executor(), one->run(), asio::detached);
  }
}

asio::awaitable<void> stop_at_signal(tcp::acceptor& acceptor, sandboxes& all, asio::io_context& io) {
  asio::signal_set signals{io, SIGTERM, SIGINT};
  co_await signals.async_wait(quietly);
  acceptor.close();
  co_await all.shut_down();
  io.stop();
}

result<void> listen(tcp::acceptor& acceptor, const options& wanted) {
  boost::system::error_code error;
  tcp::endpoint where{asio::ip::make_address(wanted.address, error), static_cast<uint16_t>(wanted.port)};
  if (!error)
    acceptor.open(where.protocol(), error);
  if (!error)
    acceptor.set_option(tcp::acceptor::reuse_address{true}, error);
  if (!error)
    acceptor.bind(where, error);
  if (!error)
    acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error)
    return fail(errc::internal, "cannot listen on " + wanted.address + ":" + std::to_string(wanted.port) +
                                  ": " + error.message() + "; choose another --port");
  return {};
}

void say_ready(const tcp::acceptor& acceptor) {
  auto where = acceptor.local_endpoint();
  auto host = where.address().is_v6() ? "[" + where.address().to_string() + "]" : where.address().to_string();
  std::printf("ready http://%s:%u\n", host.c_str(), static_cast<unsigned>(where.port()));
  std::fflush(stdout);
}

result<unique_fd> lock_folder(const std::string& data) {
  auto path = data + "/lock";
  unique_fd lock{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
  if (!lock)
    return fail(errc::internal, "cannot open the lock file " + path + ": " + std::strerror(errno) +
                                  "; make the folder writable, or choose another one with --data");
  if (take_lock(lock.get(), limits::folder_lock))
    return lock;
  if (errno == EWOULDBLOCK)
    return fail(errc::internal,
      "another sandboxd runs on the folder " + data + "; stop it first or choose another one with --data");
  return fail(errc::internal, "cannot lock " + path + ": " + std::strerror(errno) +
                                "; choose a folder on a file system with locks with --data");
}

int serve(const options& wanted, sandboxes_config config, const namespace_sockets& sockets) {
  asio::io_context io{1};
  asio::thread_pool resolving{1}; // opens addresses to sandboxes whose way out goes by names
  tcp::acceptor acceptor{io};
  if (auto good = listen(acceptor, wanted); !good)
    return log_line(good.error().text()), 1;
  if (config.network == network_mode::nat)
    config.on_running = [&io, &resolving, &sockets](const std::shared_ptr<sandbox_entry>& entry) {
      serve_dns(io.get_executor(), resolving.get_executor(), sockets, entry);
    };
  config.answers = [&sockets](const std::shared_ptr<sandbox_entry>& entry) {
    return envd_answers(sockets, entry->run->net.get());
  };
  config.tell_envd = [&sockets](const std::shared_ptr<sandbox_entry>& entry, const char* path) {
    return tell_envd(sockets, entry->run->net.get(), path, entry->record.access_token);
  };
  const auto teams = config.teams;
  sandboxes all{io.get_executor(), std::move(config)};
  auto shared = std::make_shared<front_context>(front_context{all, sockets, teams, wanted.domain});
  for (const auto& line : all.recover())
    log_line(line);
  asio::co_spawn(io, accept_all(acceptor, shared), asio::detached);
  asio::co_spawn(io, all.watch_usage(), asio::detached);
  asio::co_spawn(io, stop_at_signal(acceptor, all, io), asio::detached);
  say_ready(acceptor);
  io.run();
  resolving.join();
  return 0;
}

} // namespace

void release_groups(const std::string& place) {
  if (place.empty())
    return;
  // Again and again: a runtime that was freezing one is killed too, but may just be doing it.
  await_true(limits::mourning, [&] {
    thaw_cgroups(place);
    return remove_cgroups(place);
  });
}

int run_service(options wanted, int will) {
  std::signal(SIGPIPE, SIG_IGN);
  auto lock = lock_folder(wanted.data);
  if (!lock)
    return log_line(lock.error().text()), 1;
  auto keys = load_keys(wanted.api_key_file);
  auto config = configure(wanted);
  auto sockets = namespace_sockets::make();
  auto groups = own_groups::make("/agentpool");
  for (const auto* why : {!keys ? &keys.error() : nullptr, !config ? &config.error() : nullptr,
         !sockets ? &sockets.error() : nullptr, !groups ? &groups.error() : nullptr})
    if (why)
      return log_line(why->text()), 1;
  config->paths.cgroup_parent = groups->place();
  if (::write(will, groups->place().data(), groups->place().size()) < 0)
    return log_line(std::string{"cannot tell where its control groups are: "} + std::strerror(errno)), 1;
  config->teams = std::move(*keys);
  return serve(wanted, std::move(*config), *sockets);
}

} // namespace agentpool::sandboxd
