// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/e2b_error.hpp"
#include "protocol/wire/e2b_snapshots.hpp"
#include "sandboxd/control/history.hpp"
#include "sandboxd/control/rate.hpp"
#include "sandboxd/control/record.hpp"
#include "sandboxd/control/snapshots.hpp"
#include "sandboxd/control/teams.hpp"
#include "sandboxd/isolation/runtime.hpp"
#include "sandboxd/templates/store.hpp"

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

///            create                 pause, timeout (autoPause)
///   starting ──────► running ◄───────────────────────────────► frozen
///                     ▲ │  freezing, thawing lie between          │
///                     │ │                                         │ connect without memory, death of envd
///                     │ │  pause without memory, death of envd    ▼
///                     └─┴───────────────────────────────────► stopped
///                          stopping, starting lie between
/// and from running, frozen and stopped to `killing`; `copying` is a running one that stands still for a
/// moment. The API calls frozen and stopped paused: a frozen one has its processes and memory, a stopped one
/// id, settings and disk only.
enum class sandbox_state : uint8_t {
  starting,
  running,
  copying,
  freezing,
  frozen,
  thawing,
  stopping,
  stopped,
  killing
};

/// As the texts of the API name it.
std::string_view state_name(sandbox_state state);

struct sandbox_entry {
  sandbox_entry(const boost::asio::any_io_executor& executor, sandbox_record from)
      : record(std::move(from)), expiry(executor),
        changed(executor, boost::asio::steady_timer::time_point::max()) {}

  sandbox_record record;
  sandbox_state state = sandbox_state::starting;
  std::optional<running_sandbox> run;
  /// Kept for as long as the sandbox exists; null before the first boot.
  std::shared_ptr<const held_template> made_from;
  bool born = false;              ///< the first boot succeeded: the id is known
  uint64_t boots = 0;             ///< counts the boots: what belongs to an older one means nothing
  bool network_kept = false;      ///< its network process is watched and started again
  std::set<data_stream*> streams; ///< of this boot; each leaves by itself
  std::string source_image{};     ///< its first boot has a copy of this disk; empty = a new one
  sandbox_log log{};
  usage_history history{};
  boost::asio::steady_timer expiry;  ///< the timeout action
  boost::asio::steady_timer changed; ///< never fires; cancelled at every change of state
};

/// Whether it takes connections of the data plane.
inline bool serves(const sandbox_entry& entry) {
  return entry.state == sandbox_state::running || entry.state == sandbox_state::copying;
}

struct sandboxes_config {
  std::string data;      ///< `sandboxes/` and `runc/` are made below it
  std::string templates; ///< as docs/templates.md says
  runtime_paths paths;
  sandbox_limits limits;
  network_mode network = network_mode::nat;
  std::string domain; ///< that replies name; empty = none
  /// Of packages, written into each new sandbox.
  mirrors sources;
  size_t running = 100; ///< sandboxes at once, and as many frozen ones; one more: 429
  team_list teams;
  uint64_t disk_reserve = 0;      ///< bytes that the host's disk keeps free: with less no sandbox is made
  uint32_t first_id = 0x20000000; ///< of the ranges of user ids
  uint32_t id_ranges = 0x4000;
  std::function<void(const std::shared_ptr<sandbox_entry>&)> on_running; ///< after each boot
  /// Whether envd of a running sandbox answers in time; empty = nobody asks.
  std::function<boost::asio::awaitable<bool>(const std::shared_ptr<sandbox_entry>&)> answers;
  /// An empty POST to envd of a sandbox that has processes: whether it succeeded; empty = nobody tells it.
  std::function<boost::asio::awaitable<bool>(const std::shared_ptr<sandbox_entry>&, const char* path)>
    tell_envd;
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

  task<reply<e2b::sandbox>> create(e2b::new_sandbox request, e2b::api version, std::string team);
  /// New sandboxes with copies of its disk as it is now; their processes are new. Each succeeds or fails
  /// alone.
  using fork_entry = std::variant<e2b::sandbox, e2b::api_error>;
  task<reply<std::vector<fork_entry>>> fork(std::string id, e2b::fork_request request);
  /// A copy of its disk as it is now, for creates; it stands still meanwhile. One of the same name is
  /// replaced.
  task<reply<e2b::snapshot_info>> snapshot_of(std::string id, std::string name);
  const snapshot_store& snapshots() const { return snapshots_; }
  /// Deletes the snapshot that is called so.
  task<reply<void>> remove_snapshot(std::string team, std::string called);
  struct connected {
    e2b::sandbox sandbox;
    bool resumed = false;
  };
  /// Resumes a paused sandbox: a frozen one as it was, or from its disk without `memory`. Extends a running
  /// one, never shortens it. Calls at once share one resume. 504 when envd of a running one does not answer:
  /// it is not extended.
  task<reply<connected>> connect(std::string id, int64_t timeout_s, bool memory = true);
  /// Like connect, but a running one is refused with 409.
  task<reply<e2b::sandbox>> resume(std::string id, int64_t timeout_s);
  /// Freezes it, or ends its processes and keeps the disk. Calls at once join.
  task<reply<void>> pause(std::string id, bool memory);
  task<reply<void>> kill(std::string id);
  task<reply<void>> set_timeout(std::string id, int64_t seconds);
  task<reply<void>> refresh(std::string id, int64_t seconds);
  /// Replaces what a running sandbox may reach; in force when this returns.
  task<reply<void>> set_network(std::string id, e2b::network_update update);
  reply<e2b::sandbox_detail> detail(const std::string& id) const;
  std::vector<e2b::listed_sandbox> list(const std::string& team) const;
  size_t count_running(const std::string& team) const;
  /// The sandbox in whatever state; null when its id means nothing.
  std::shared_ptr<sandbox_entry> known(const std::string& id) const;
  /// Every sandbox whose id is known, the running ones first.
  std::vector<std::shared_ptr<sandbox_entry>> known() const;
  /// The domain of their host names, when the service has one.
  std::optional<std::string> domain() const;
  /// Whether the team's key made it; others do not see it.
  bool belongs(const std::string& id, const std::string& team) const;
  /// Counts a create of the team; when there were too many in the last minute: how long to wait.
  std::optional<std::chrono::seconds> count_create(const std::string& team);
  const team_limits& limits_of(const std::string& team) const { return config_.teams.limits_of(team); }

  /// Those in the range that are kept; `limits::sample_every` lies between two.
  reply<std::vector<e2b::sandbox_metric>> metrics(
    const std::string& id, const e2b::metrics_query& range) const;
  std::map<std::string, e2b::sandbox_metric> latest_metrics(
    const std::vector<std::string>& ids, const std::string& team) const;
  reply<std::vector<e2b::log_entry>> logs(const std::string& id) const;
  /// Samples all running sandboxes until the service ends.
  task<void> watch_usage();

  /// The entry of a running sandbox, for its data plane; null when there is none.
  std::shared_ptr<sandbox_entry> running(const std::string& id) const;
  /// The same for traffic: a paused sandbox that was made so is resumed first, for the timeout of its create
  /// and at least `limits::least_wake_s`. 404 when it does not run then.
  task<reply<std::shared_ptr<sandbox_entry>>> wake(std::string id);

  /// Stops all sandboxes, keeping their disks; new work is refused.
  task<void> shut_down();

private:
  using entry_ptr = std::shared_ptr<sandbox_entry>;

  /// What the template's name leads to: a record that names it, and the disk to start from or empty.
  struct origin {
    sandbox_record record;
    std::string image;
  };
  reply<origin> find_template(const std::string& name, const std::string& team) const;
  reply<origin> new_record(const e2b::new_sandbox& request, e2b::api version, const std::string& team);
  task<reply<e2b::sandbox>> begin(sandbox_record record, std::string image, int64_t timeout_s);
  task<void> fork_one(sandbox_record from, std::string image, int64_t timeout_s, fork_entry* into);
  /// The disk of a running sandbox, which stands still meanwhile.
  task<reply<void>> copy_running(entry_ptr entry, std::string to, bool durable);
  task<void> go_on(entry_ptr entry);
  uint32_t free_range() const;
  boot boot_of(const sandbox_entry& entry) const;
  entry_ptr find(const std::string& id) const;
  /// Its template is kept from now on.
  task<result<void>> hold_template(entry_ptr entry);
  reply<void> check_timeout(int64_t seconds, const std::string& team) const;
  reply<void> check_room(const std::string& team) const;
  /// For one more sandbox of the team.
  reply<void> check_quota(const std::string& team) const;
  /// For one more that keeps its memory while it is paused.
  reply<void> check_frozen() const;
  reply<void> check_team_disk(const std::string& team) const;
  reply<void> check_disk() const;
  void note(sandbox_entry& entry, e2b::log_level level, const std::string& message);
  task<void> read_errors(entry_ptr entry, unique_fd errors);
  task<void> sample(entry_ptr entry);
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
  /// Waits while this boot stands still; whether it runs then.
  task<bool> runs_again(entry_ptr entry, uint64_t boots);
  task<void> settle(entry_ptr entry);
  task<void> erase(entry_ptr entry);
  /// From `running` to `frozen`, or back.
  task<reply<void>> freeze_running(entry_ptr entry);
  task<void> stop_running(entry_ptr entry);
  task<void> paused(entry_ptr entry, bool memory, sandbox_state state);
  /// From `frozen` to `running`, or to `stopped` when its first process was killed meanwhile.
  task<reply<void>> thaw(entry_ptr entry);
  /// From frozen or stopped to running, with a new end; there is room.
  task<reply<void>> bring_back(entry_ptr entry, int64_t timeout_s);
  task<bool> tell(entry_ptr entry, const char* path);
  /// Whether its first process is dead, which takes a moment.
  task<bool> has_died(entry_ptr entry);
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
  template_store templates_;
  boost::asio::thread_pool pool_{4};
  boost::asio::strand<boost::asio::thread_pool::executor_type> records_{
    pool_.get_executor()}; ///< one after another
  std::map<std::string, entry_ptr> entries_;
  snapshot_store snapshots_;
  std::map<std::string, rate> creates_; ///< by team
  bool closing_ = false;
};

/// Error bodies of the API.
tl::unexpected<e2b::api_error> api_fail(int code, std::string message, std::string error_code = {});
tl::unexpected<e2b::api_error> no_sandbox(const std::string& id);

} // namespace agentpool::sandboxd
