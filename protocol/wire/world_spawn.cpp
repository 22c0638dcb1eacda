// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/base64.hpp"
#include "protocol/wire/environment.hpp"
#include "protocol/wire/world_checks.hpp"
#include "protocol/wire/world_paths.hpp"
#include "protocol/wire/world_request.hpp"

#include <algorithm>
#include <limits>

/// The bodies of process/spawn and terminal/spawn.
namespace agentpool::world {

namespace {

constexpr size_t most_arguments = 4096;
constexpr size_t longest_tool_call = 256;
constexpr int64_t most_cells = 1000;

bool has_nul(std::string_view text) {
  return text.find('\0') != std::string_view::npos;
}

result<std::vector<std::string>> read_argv(const json& body) {
  constexpr std::string_view rule = "1 to 4096 texts without NUL, the first not empty";
  auto list = body["argv"];
  if (!list.is_array() || list.size() == 0 || list.size() > most_arguments)
    return wrong_member("argv", rule);
  std::vector<std::string> out;
  for (size_t i = 0; i < list.size(); ++i) {
    auto text = list.at(i).text();
    if (!text || has_nul(*text) || (i == 0 && text->empty()))
      return wrong_member("argv", rule);
    out.emplace_back(*text);
  }
  return out;
}

// The brain's own environment is none of the hand's.
bool is_hidden(std::string_view name) {
  constexpr std::string_view prefix = "dsh_";
  auto same = [](char a, char b) { return a == ((b >= 'A' && b <= 'Z') ? b + ('a' - 'A') : b); };
  return name.size() >= prefix.size() && std::ranges::equal(prefix, name.substr(0, prefix.size()), same);
}

result<environment> read_environment(const json& body) {
  auto members = body["env"];
  environment out;
  if (members.missing() || members.is_null())
    return out;
  if (!members.is_object())
    return wrong_member("env", "an object of texts and nulls");
  for (auto& name : members.keys()) {
    auto value = members[name];
    if (!(value.is_null() || value.text()) || !environment_fault(name, value.text().value_or("")).empty())
      return wrong_member("env", "an object of texts and nulls");
    if (is_hidden(name))
      continue;
    auto text = value.text();
    out.emplace_back(std::move(name), text ? std::optional{std::string{*text}} : std::nullopt);
  }
  return out;
}

result<uint32_t> read_grace(const json& body) {
  auto grace = body["grace_ms"].integer();
  if (!grace || *grace < 1 || *grace > std::numeric_limits<int32_t>::max())
    return wrong_member("grace_ms", "an integer from 1 to 2147483647");
  return static_cast<uint32_t>(*grace);
}

result<output_mode> read_output(const json& body, std::string_view name) {
  constexpr std::string_view rule = "{mode:pipe} or {mode:collect,max_bytes,spill_bytes?}";
  auto member = body[name];
  if (member["mode"].text() == "pipe")
    return output_mode{.pipe = true};
  auto most = member["max_bytes"].integer();
  auto spill = member["spill_bytes"].missing() ? std::optional<int64_t>{} : member["spill_bytes"].integer();
  bool bad_spill = !member["spill_bytes"].missing() && (!spill || *spill < 0);
  if (member["mode"].text() != "collect" || !most || *most < 0 || bad_spill)
    return wrong_member(name, rule);
  output_mode out{.max_bytes = static_cast<uint64_t>(*most)};
  if (spill)
    out.spill_bytes = static_cast<uint64_t>(*spill);
  return out;
}

result<void> read_input(const json& body, spawn_request& out) {
  auto mode = body["stdin"].text_or("none");
  if (mode == "pipe")
    out.input = input_mode::pipe;
  else if (mode == "data") {
    auto data = base64_decode(body["stdin_data"].text_or(""));
    if (!data)
      return wrong_member("stdin_data", "base64");
    out.input = input_mode::data;
    out.data = std::move(*data);
  } else if (mode != "none")
    return wrong_member("stdin", "none, pipe or data");
  return {};
}

result<std::string> read_tool_call(const json& body) {
  auto member = body["tool_call"];
  auto text = member.text();
  if (!member.missing() && (!text || text->size() > longest_tool_call))
    return wrong_member("tool_call", "a text of 1 to 256 bytes");
  return std::string{text.value_or("")};
}

// What both kinds have.
template <class Request>
result<Request> read_common(const json& body) {
  auto argv = read_argv(body);
  if (!argv)
    return tl::unexpected{argv.error()};
  auto cwd = read_absolute_path(body, "cwd");
  if (!cwd)
    return tl::unexpected{cwd.error()};
  auto env = read_environment(body);
  if (!env)
    return tl::unexpected{env.error()};
  auto grace = read_grace(body);
  if (!grace)
    return tl::unexpected{grace.error()};
  auto call = read_tool_call(body);
  if (!call)
    return tl::unexpected{call.error()};
  Request out;
  out.argv = std::move(*argv);
  out.cwd = std::move(*cwd);
  out.env = std::move(*env);
  out.grace_ms = *grace;
  out.tool_call = std::move(*call);
  return out;
}

} // namespace

result<spawn_request> read_spawn(const json& body) {
  auto out = read_common<spawn_request>(body);
  if (!out)
    return out;
  auto stdout_mode = read_output(body, "stdout");
  auto stderr_mode = read_output(body, "stderr");
  if (!stdout_mode || !stderr_mode)
    return tl::unexpected{stdout_mode ? stderr_mode.error() : stdout_mode.error()};
  out->out = *stdout_mode;
  out->err = *stderr_mode;
  out->search = body["seam"].text() == "search" && out->argv.front() == "rg";
  if (auto input = read_input(body, *out); !input)
    return tl::unexpected{input.error()};
  return out;
}

result<terminal_request> read_terminal(const json& body) {
  auto out = read_common<terminal_request>(body);
  if (!out)
    return out;
  auto rows = body["rows"].integer().value_or(0);
  auto cols = body["cols"].integer().value_or(0);
  for (auto cells : {rows, cols})
    if (cells < 1 || cells > most_cells)
      return wrong_member("rows and cols", "integers from 1 to 1000");
  out->rows = static_cast<uint32_t>(rows);
  out->cols = static_cast<uint32_t>(cols);
  out->term = body["term"].text_or("xterm-256color");
  return out;
}

} // namespace agentpool::world
