// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/options.hpp"

#include <charconv>
#include <csignal>

namespace agentpool::envd {

namespace {

template <class T>
bool number(const std::string& text, T least, T& out) {
  T value{};
  auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || end.ec != std::errc{} || end.ptr != text.data() + text.size() || value < least)
    return false;
  out = value;
  return true;
}

// False for a bad value; `known` false for an unknown name.
bool take(const std::string& name, const std::string& value, options& out, bool& known) {
  if (name == "--listen")
    return out.listen = value, true;
  if (name == "--passwd")
    return out.passwd = value, true;
  if (name == "--group")
    return out.group = value, true;
  if (name == "--port")
    return number<uint16_t>(value, 0, out.port);
  if (name == "--lifeline-fd")
    return number(value, 3, out.lifeline_fd);
  if (name == "--init-fd")
    return number(value, 3, out.init_fd);
  if (name == "--announce-fd")
    return number(value, 1, out.announce_fd);
  if (name == "--three-fds") {
    out.lifeline_fd = 0, out.announce_fd = 1, out.init_fd = 2;
    return value == "standard";
  }
  if (name == "--commands-fd")
    return number(value, 3, out.commands_fd);
  if (name == "--count-fd")
    return number(value, 3, out.count_fd);
  if (name == "--processes")
    return number<uint64_t>(value, 1, out.processes);
  if (name == "--parent-death-signal")
    return number(value, 1, out.parent_death_signal) && out.parent_death_signal < NSIG;
  return known = false;
}

} // namespace

tl::expected<options, std::string> read_options(const std::vector<std::string>& arguments) {
  using wrong = tl::unexpected<std::string>;
  options out;
  for (size_t i = 0; i < arguments.size(); i += 2) {
    const auto& name = arguments[i];
    bool known = true;
    if (i + 1 == arguments.size())
      return wrong{name + " needs a value, or is no option; see sandboxd/envd/README.md"};
    if (!take(name, arguments[i + 1], out, known))
      return wrong{known ? "'" + arguments[i + 1] + "' is no value of " + name : "unknown option " + name};
  }
  return out;
}

} // namespace agentpool::envd
