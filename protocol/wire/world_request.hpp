// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/errors.hpp"
#include "protocol/wire/json.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The bodies of world requests, checked (docs/world-protocol.md, sections 4 to 6). A reader answers
/// `bad_request` with a sentence that names the member.
namespace agentpool::world {

/// One JSON object.
result<json> read_object(std::string_view text);

/// The member `path`, absolute or behind the member `cwd`, folded; empty when it is blank.
result<std::string> read_any_path(const json& body);
/// The member `name`, an absolute path, folded.
result<std::string> read_absolute_path(const json& body, std::string_view name = "path");

struct read_request {
  std::string path;
  uint64_t offset = 0;
  std::optional<uint64_t> length;    ///< nothing = to the end
  std::optional<uint64_t> max_bytes; ///< a larger file is an error
};
result<read_request> read_read(const json& body);

/// What a mutation expects to find.
struct expectation {
  enum class kind : uint8_t { anything, absent, version };
  kind what = kind::anything;
  std::string version;
};

struct write_request {
  std::string path, display;
  expectation expected;
};
result<write_request> read_write(const json& line);

struct edit_request {
  std::string path, display;
  std::string old_text, new_text;
  bool all = false;
  expectation expected;
};
result<edit_request> read_edit(const json& body);

/// Where one output stream of a command goes.
struct output_mode {
  bool pipe = false;                   ///< lossless; else the reader keeps a tail
  uint64_t max_bytes = 0;              ///< of the tail
  std::optional<uint64_t> spill_bytes; ///< longest complete copy in a file of the hand
};

enum class input_mode : uint8_t { none, pipe, data };

/// Names with values, or with nothing: removed.
using environment = std::vector<std::pair<std::string, std::optional<std::string>>>;

struct spawn_request {
  std::vector<std::string> argv;
  std::string cwd;
  environment env;
  uint32_t grace_ms = 1;
  input_mode input = input_mode::none;
  std::string data;
  output_mode out, err;
  bool search = false; ///< the seam's search program
  std::string tool_call;
};
result<spawn_request> read_spawn(const json& body);

struct terminal_request {
  std::vector<std::string> argv;
  std::string cwd;
  environment env;
  uint32_t rows = 24, cols = 80;
  std::string term;
  uint32_t grace_ms = 1;
  std::string tool_call;
};
result<terminal_request> read_terminal(const json& body);

/// The member `name`, text of 1 to 64 bytes: the id of a process or terminal.
result<std::string> read_handle(const json& body, std::string_view name);

/// A framed body: its line and what follows. Nothing when there is no line end within 64 KiB.
std::optional<std::pair<std::string_view, std::string_view>> split_frame(std::string_view body);

} // namespace agentpool::world
