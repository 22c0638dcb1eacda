// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/connect.hpp"
#include "protocol/wire/envd_process.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The messages of envd's `filesystem.Filesystem` service and of its `/files` as JSON, in both directions.
/// Rules as in envd_process.hpp.
namespace agentpool::envd {

namespace method {
inline constexpr std::string_view stat = "/filesystem.Filesystem/Stat";
inline constexpr std::string_view list_dir = "/filesystem.Filesystem/ListDir";
inline constexpr std::string_view make_dir = "/filesystem.Filesystem/MakeDir";
inline constexpr std::string_view move = "/filesystem.Filesystem/Move";
inline constexpr std::string_view remove = "/filesystem.Filesystem/Remove";
inline constexpr std::string_view watch_dir = "/filesystem.Filesystem/WatchDir"; ///< server stream
inline constexpr std::string_view create_watcher = "/filesystem.Filesystem/CreateWatcher";
inline constexpr std::string_view get_watcher_events = "/filesystem.Filesystem/GetWatcherEvents";
inline constexpr std::string_view remove_watcher = "/filesystem.Filesystem/RemoveWatcher";
} // namespace method

/// `unspecified`: sockets, pipes, devices, links that lead nowhere.
enum class file_type : uint8_t { unspecified, file, directory };

/// Since the Unix epoch; `nanos` 0…999 999 999.
struct timestamp {
  int64_t seconds = 0;
  int32_t nanos = 0;
  friend bool operator==(const timestamp&, const timestamp&) = default;
};

/// RFC 3339 in UTC with 0, 3, 6 or 9 digits of a second. Years 1…9999.
std::string to_text(const timestamp& t);
/// Offsets and 0 to 9 digits are accepted.
std::optional<timestamp> timestamp_from(std::string_view text);

struct entry_info {
  std::string name;
  file_type type = file_type::unspecified; ///< of a link: of its target
  std::string path;
  int64_t size = 0;                          ///< bytes; of a link: of the link
  uint32_t mode = 0;                         ///< permission bits only; of a link: of its target
  std::string permissions;                   ///< `-rw-r--r--`, `drwxr-xr-x`, `Lrwxrwxrwx`
  std::string owner, group;                  ///< names, or decimal ids
  std::optional<timestamp> modified;         ///< of a link: of the link
  std::optional<std::string> symlink_target; ///< set for links: the whole path resolved
  string_map metadata;
  friend bool operator==(const entry_info&, const entry_info&) = default;
};

/// Stat, MakeDir and Remove.
struct path_request {
  std::string path;
  friend bool operator==(const path_request&, const path_request&) = default;
};

struct list_request {
  std::string path;
  uint32_t depth = 0; ///< 0 means 1
  friend bool operator==(const list_request&, const list_request&) = default;
};

struct move_request {
  std::string source, destination;
  friend bool operator==(const move_request&, const move_request&) = default;
};

std::string to_json(const path_request& x);
std::string to_json(const list_request& x);
std::string to_json(const move_request& x);
std::string to_json(const entry_info& entry);                ///< reply `{"entry":…}`
std::string to_json(const std::vector<entry_info>& entries); ///< reply `{"entries":[…]}`

outcome<path_request> read_path(std::string_view text);
outcome<list_request> read_list(std::string_view text);
outcome<move_request> read_move(std::string_view text);
outcome<entry_info> read_entry(std::string_view text); ///< of `{"entry":…}`
outcome<std::vector<entry_info>> read_entries(std::string_view text);

// -- watching

/// WatchDir and CreateWatcher.
struct watch_request {
  std::string path;
  bool recursive = false;
  bool include_entry = false;        ///< events of what is there bring it along
  bool allow_network_mounts = false; ///< where changes made elsewhere are not seen
  friend bool operator==(const watch_request&, const watch_request&) = default;
};

/// GetWatcherEvents and RemoveWatcher; the reply of CreateWatcher.
struct watcher_id {
  std::string id;
  friend bool operator==(const watcher_id&, const watcher_id&) = default;
};

/// The numbers are those of the wire; `unspecified` is a kind that this version does not know.
enum class file_change : uint8_t { unspecified, create, write, remove, rename, chmod };

struct file_event {
  std::string name; ///< relative to the watched directory, `.` is that itself
  file_change type = file_change::unspecified;
  std::optional<entry_info> entry; ///< of create, write and chmod, when it was asked for and is still there
  friend bool operator==(const file_event&, const file_event&) = default;
};

struct watch_started {
  friend bool operator==(const watch_started&, const watch_started&) = default;
};

/// One message of WatchDir; `monostate` is one that this version does not know.
using watch_message = std::variant<std::monostate, watch_started, file_event, keepalive>;

std::string to_json(const watch_request& x);
std::string to_json(const watcher_id& x);
std::string to_json(const watch_message& x);
std::string to_json(const std::vector<file_event>& events); ///< reply of GetWatcherEvents

outcome<watch_request> read_watch(std::string_view text);
outcome<watcher_id> read_watcher_id(std::string_view text);
outcome<watch_message> read_watch_message(std::string_view text);
outcome<std::vector<file_event>> read_file_events(std::string_view text);

// -- /files

/// One file that an upload wrote.
struct written_file {
  std::string path, name;
  string_map metadata;
  friend bool operator==(const written_file&, const written_file&) = default;
};

/// The reply of a POST: a JSON array.
std::string written_body(const std::vector<written_file>& files);
outcome<std::vector<written_file>> read_written(std::string_view text);

/// The body of `POST /files/compose`: its reply is one item of the array above.
struct compose_request {
  std::vector<std::string> sources;
  std::string destination, username;
  friend bool operator==(const compose_request&, const compose_request&) = default;
};
std::string to_json(const compose_request& x);
outcome<compose_request> read_compose(std::string_view text);
std::string to_json(const written_file& x);

/// `{"code":<status>,"message":…}` and a line end: an error of `/files` and of envd's other plain routes.
std::string plain_error_body(int status, std::string_view message);
/// The message of such a body, or the whole text when it is none.
std::string read_plain_error(std::string_view body);

/// `text` for a query value: all but letters, digits and `-._~` percent-encoded.
std::string query_escape(std::string_view text);

} // namespace agentpool::envd
