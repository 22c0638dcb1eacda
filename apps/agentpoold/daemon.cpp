// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoold/daemon.hpp"

#include "actors/directory.hpp"
#include "apps/agentpoold/endpoints.hpp"
#include "apps/agentpoold/logging.hpp"
#include "apps/agentpoold/node.hpp"
#include "apps/agentpoold/prepare.hpp"
#include "apps/agentpoold/system_clock.hpp"
#include "gateway/gateway.hpp"
#include "gateway/world_gate.hpp"
#include "net/e2b/e2b_api.hpp"
#include "net/io_closing.hpp"
#include "net/io_thread.hpp"
#include "net/process/launcher.hpp"

#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <unistd.h>

namespace agentpool {

namespace {

struct actor_config : caf::actor_system_config {
  actor_config() {
    set("caf.scheduler.policy",
      "sharing"); // measured: a quarter of stealing's latency for a foreign thread's question
    set("caf.scheduler.max-threads", 2);
    set("caf.logger.console.verbosity", "quiet");
  }
};

sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

/// Everything that runs, in the order in which it is made; destroyed in reverse.
class daemon {
public:
  daemon(prepared_start start, const daemon_options& options) : start_{std::move(start)}, options_{options} {}

  int run();

private:
  std::shared_ptr<ports::sandbox_api> make_provider();
  void start_tree();
  result<void> open_gateway();
  void stop_tree();

  prepared_start start_;
  daemon_options options_;
  actor_config caf_config_;
  caf::actor_system sys_{caf_config_};
  net::io_thread io_;
  net::io_closing closing_{io_.io};
  std::shared_ptr<world_gate> gate_ = std::make_shared<world_gate>(sys_, io_.io);
  gateway gateway_{sys_, io_.io};
  std::shared_ptr<system_clock> clock_ = std::make_shared<system_clock>();
  caf::actor node_;
  std::shared_ptr<std::atomic<bool>> tree_failed_ = std::make_shared<std::atomic<bool>>(false);
};

/// Null: this daemon has no sandboxes.
std::shared_ptr<ports::sandbox_api> daemon::make_provider() {
  const auto& hands = start_.config.hands;
  if (!hands.enabled())
    return nullptr;
  net::e2b_options options;
  options.api_url = hands.url;
  options.api_key = start_.hands_key;
  options.domain = hands.domain;
  options.sandbox_url = start_.config.provider.sandbox_url;
  options.http.ca_file = start_.config.provider.ca_file;
  options.kind = net::find_profile(hands.provider);
  return net::make_e2b_api(io_.io, std::move(options));
}

void daemon::start_tree() {
  const auto& config = start_.config;
  node_parts parts{start_.data->path(), config.session, config.viewer, config.pool, config.hands, clock_,
    net::make_process_launcher(io_.io), gate_, make_provider()};
  node_ = spawn_supervisor(sys_, std::string{names::node}, node_children(parts));
  auto watcher = [failed = tree_failed_, node = node_.address()](
                   caf::event_based_actor* self) -> caf::behavior {
    self->set_down_handler([=](const caf::down_msg& down) {
      if (down.reason != caf::exit_reason::user_shutdown) {
        spdlog::critical("the actor tree ended: {}", to_string(down.reason));
        *failed = true;
        ::kill(::getpid(), SIGTERM);
      }
      self->quit();
    });
    self->monitor(caf::actor_cast<caf::actor>(node));
    return {[](int) {}};
  };
  sys_.spawn<caf::hidden>(watcher);
}

result<void> daemon::open_gateway() {
  auto token = start_.data->dev_token();
  if (!token)
    return tl::unexpected{token.error()};
  result<void> known = fail(errc::internal, "the session registry did not start; the log says why");
  caf::scoped_actor self{sys_};
  self->request(node_, defaults::request_deadline, status_atom_v)
    .receive([](actor_status&) {}, [](caf::error&) {});
  if (auto registry = find_registry(sys_))
    self->request(registry, defaults::request_deadline, create_atom_v, std::string{"development"}, *token)
      .receive([&](const device_id&) { known = {}; },
        [&](caf::error& why) { known = tl::unexpected{to_failure(why)}; });
  if (!known)
    return known;
  if (auto opened = gateway_.start(start_.config.gateway); !opened)
    return opened;
  endpoints where{http_url(start_.config.gateway.app.address, gateway_.app_port()), *token,
    http_url(start_.config.gateway.ops.address, gateway_.ops_port()), gateway_.ops_token(),
    options_.demo_model_url, options_.demo_model_pid, start_.config.hands.url, start_.hands_key,
    options_.sandboxd_pid};
  if (auto written = start_.data->write_endpoints(endpoints_json(where)); !written)
    return written;
  gateway_.ready();
  std::printf("ready %s device_token=%s\n", where.gateway_url.c_str(), token->c_str());
  std::fflush(stdout);
  return {};
}

/// Nothing new comes in, running turns may end within the drain limit, then the tree stops from the top.
void daemon::stop_tree() {
  caf::scoped_actor self{sys_};
  gateway_.drain();
  if (auto pool = find_pool(sys_))
    self->anon_send(pool, drain_atom_v);
  if (auto registry = find_registry(sys_); registry && !*tree_failed_)
    self->request(registry, start_.config.session.drain_limit, drain_atom_v)
      .receive(
        [] {}, [](caf::error&) { spdlog::warn("turns still run at the drain limit; they are interrupted"); });
  self->monitor(node_);
  self->send_exit(node_, caf::exit_reason::user_shutdown);
  self->receive([](const caf::down_msg&) {}, // every child of the tree has its own grace
    caf::after(std::chrono::seconds{90}) >> [] { spdlog::critical("the actor tree did not stop in time"); });
  gateway_.stop();
  gate_->stop();
  start_.data->remove_endpoints();
}

int daemon::run() {
  start_tree();
  auto opened = open_gateway();
  if (opened) {
    auto set = stop_signals();
    int signal = 0;
    sigwait(&set, &signal);
    spdlog::info("stopping");
  } else {
    std::fprintf(stderr, "agentpoold: %s\n", opened.error().text().c_str());
  }
  stop_tree();
  node_ = nullptr;
  sys_.await_all_actors_done(); // they use the io thread to their end, however late it is
  return !opened ? 2 : *tree_failed_ ? 1 : 0;
}

int complain(const std::vector<std::string>& mistakes) {
  for (const auto& line : mistakes)
    std::fprintf(stderr, "agentpoold: %s\n", line.c_str());
  return 2;
}

int check_configuration(const daemon_options& options) {
  auto configuration = read_configuration(options);
  return configuration ? 0 : complain(configuration.error());
}

} // namespace

int run_daemon(const daemon_options& options) {
  if (options.check_only)
    return check_configuration(options);
  register_types();
  std::signal(SIGPIPE, SIG_IGN);
  auto set = stop_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr); // inherited by every thread; children get theirs reset
  auto start = prepare_start(options);
  if (!start)
    return complain(start.error());
  auto code = daemon{std::move(*start), options}.run();
  spdlog::shutdown();
  return code;
}

} // namespace agentpool
