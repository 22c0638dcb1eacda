// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/e2b_error.hpp"
#include "sandboxd/control/record.hpp"
#include "sandboxd/isolation/runtime.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>

#include <functional>
#include <map>
#include <memory>
#include <set>

namespace agentpool::sandboxd {

template <class T>
using reply = tl::expected<T, e2b::api_error>;

/// A connection that carries a sandbox's data: reset when the sandbox ends.
class data_stream {
public:
  virtual ~data_stream() = default;
  virtual void reset() = 0;
};

///            create                 timeout (autoPause), pause, death of envd
///   starting ──────► running ◄───────────────────────────────► stopped
///                       │  stopping, starting lie between         │
///                       └──────────────► killing ◄───────────────┘
/// `stopped` is what the API calls paused: id, settings and disk are there, processes and memory are not.
enum class sandbox_state : uint8_t { starting, running, stopping, stopped, killing };

struct sandbox_entry {
  sandbox_entry(const boost::asio::any_io_executor& executor, sandbox_record from)
      : record(std::move(from)), expiry(executor),
        changed(executor, boost::asio::steady_timer::time_point::max()) {}

  sandbox_record record;
  sandbox_state state = sandbox_state::starting;
  std::optional<running_sandbox> run;
  bool born = false;                 ///< the first boot succeeded: the id is known
  uint64_t boots = 0;                ///< counts the boots: what belongs to an older one means nothing
  bool network_kept = false;         ///< its network process is watched and started again
  std::set<data_stream*> streams;    ///< of this boot; each leaves by itself
  boost::asio::steady_timer expiry;  ///< the timeout action
  boost::asio::steady_timer changed; ///< never fires; cancelled at every change of state
};

struct sandboxes_config {
  std::string data;      ///< `sandboxes/` and `runc/` are made below it
  std::string templates; ///< NAME/rootfs
  runtime_paths paths;
  sandbox_limits limits;
  network_mode network = network_mode::nat;
  std::string domain;                 ///< that replies name; empty = none
  size_t running = 100;               ///< sandboxes at once; one more: 429
  int64_t longest_timeout_s = 86'400; ///< a longer one: 400
  uint32_t first_id = 0x20000000;     ///< of the ranges of user ids
  uint32_t id_ranges = 0x4000;
  std::function<void(const std::shared_ptr<sandbox_entry>&)> on_running; ///< after each boot
  /// Whether envd of a running sandbox answers in time; empty = nobody asks.
  std::function<boost::asio::awaitable<bool>(const std::shared_ptr<sandbox_entry>&)> answers;
};

/// All sandboxes of this service. Everything runs on one executor; what blocks runs on a pool. Outlives its
/// coroutines.
class sandboxes {
public:
  template <class T>
  using task = boost::asio::awaitable<T>;

  sandboxes(boost::asio::any_io_executor executor, sandboxes_config config);
  ~sandboxes();

  /// Sweeps what a dead process left and takes over its sandboxes as stopped ones; those whose time was over
  /// and that do not pause are deleted. Blocks; sentences for the log.
  std::vector<std::string> recover();

  task<reply<e2b::sandbox>> create(e2b::new_sandbox request, e2b::api version);
  struct connected {
    e2b::sandbox sandbox;
    bool resumed = false;
  };
  /// Boots a stopped sandbox; extends a running one, never shortens it. Calls at once share one boot. 504
  /// when envd of a running one does not answer: it is not extended.
  task<reply<connected>> connect(std::string id, int64_t timeout_s);
  /// Like connect, but a running one is refused with 409.
  task<reply<e2b::sandbox>> resume(std::string id, int64_t timeout_s);
  /// Ends the processes and keeps the disk.
  task<reply<void>> pause(std::string id);
  task<reply<void>> kill(std::string id);
  task<reply<void>> set_timeout(std::string id, int64_t seconds);
  task<reply<void>> refresh(std::string id, int64_t seconds);
  /// Replaces what a running sandbox may reach; in force when this returns.
  task<reply<void>> set_network(std::string id, e2b::network_update update);
  reply<e2b::sandbox_detail> detail(const std::string& id) const;
  std::vector<e2b::listed_sandbox> list() const;
  size_t count_running() const;
  /// Every sandbox whose id is known, the running ones first.
  std::vector<std::shared_ptr<sandbox_entry>> known() const;
  /// The domain of their host names, when the service has one.
  std::optional<std::string> domain() const;

  /// The entry of a running sandbox, for its data plane; null when there is none.
  std::shared_ptr<sandbox_entry> running(const std::string& id) const;

  /// Stops all sandboxes, keeping their disks; new work is refused.
  task<void> shut_down();

private:
  using entry_ptr = std::shared_ptr<sandbox_entry>;

  reply<sandbox_record> new_record(const e2b::new_sandbox& request, e2b::api version);
  uint32_t free_range() const;
  boot boot_of(const sandbox_record& record) const;
  entry_ptr find(const std::string& id) const;
  reply<void> check_timeout(int64_t seconds) const;
  reply<void> check_room() const;
  /// From `starting` to `running`; the caller decides what a failure leads to.
  task<reply<void>> start(entry_ptr entry, bool fresh);
  /// From `running` through `between` with its boot taken down; the caller enters the next state.
  task<void> take_down(entry_ptr entry, sandbox_state between);
  task<void> watch(entry_ptr entry, uint64_t boots, unique_fd pidfd);
  /// Starts its slirp4netns again whenever it died.
  task<void> keep_network(entry_ptr entry, uint64_t boots);
  task<result<void>> open_network(entry_ptr entry, uint64_t boots);
  task<void> watch_network(entry_ptr entry, uint64_t boots);
  task<result<nat>> new_network(entry_ptr entry, uint64_t boots);
  task<bool> network_ends(entry_ptr entry, uint64_t boots);
  static bool runs(const sandbox_entry& entry, uint64_t boots);
  task<void> settle(entry_ptr entry);
  task<void> erase(entry_ptr entry);
  task<void> pause_running(entry_ptr entry);
  task<void> expire(entry_ptr entry);
  /// The timeout action is due at this time, and the disk knows.
  task<reply<void>> due(entry_ptr entry, int64_t end_at);
  void arm(const entry_ptr& entry);
  void enter(sandbox_entry& entry, sandbox_state state);
  task<result<void>> save(sandbox_record record);
  template <class F>
  task<std::invoke_result_t<F>> on_pool(F job);

  boost::asio::any_io_executor executor_;
  const sandboxes_config config_;
  const record_store store_;
  boost::asio::thread_pool pool_{4};
  boost::asio::strand<boost::asio::thread_pool::executor_type> records_{
    pool_.get_executor()}; ///< one after another
  std::map<std::string, entry_ptr> entries_;
  bool closing_ = false;
};

/// Error bodies of the API.
tl::unexpected<e2b::api_error> api_fail(int code, std::string message, std::string error_code = {});
tl::unexpected<e2b::api_error> no_sandbox(const std::string& id);

} // namespace agentpool::sandboxd
