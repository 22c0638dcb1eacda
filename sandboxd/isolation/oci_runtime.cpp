// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/isolation/oci_runtime.hpp"

#include "protocol/wire/text.hpp"
#include "sandboxd/isolation/tool.hpp"

#include <iterator>

namespace agentpool::sandboxd {

namespace {

constexpr size_t shown_bytes = 100;

} // namespace

std::vector<std::string> oci_runtime::argv(const std::string& state, std::vector<std::string> words) const {
  std::vector<std::string> out{program, "--root", state};
  if (gvisor) // the network of the namespace that it is given, which is the sandbox's own
    out.insert(out.end(), {"--network=host", "--host-uds=none"});
  out.insert(out.end(), std::make_move_iterator(words.begin()), std::make_move_iterator(words.end()));
  return out;
}

result<oci_runtime> runtime_of_version(const std::string& program, const std::string& said) {
  oci_runtime out;
  out.program = program;
  auto end = said.find(" version ");
  out.name = said.substr(0, end);
  if (end == std::string::npos || out.name.empty() ||
      out.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789._-") != std::string::npos)
    return fail(
      errc::unsupported, program + " is no OCI runtime: it does not answer --version as one, but: " +
                           printable(said, shown_bytes) + "; name runc, crun or runsc with --runtime");
  out.gvisor = out.name == "runsc";
  return out;
}

result<oci_runtime> inspect_runtime(const std::string& program) {
  auto said = run_tool({.argv = {program, "--version"}, .input = {}});
  if (!said)
    return fail(errc::unsupported, "the OCI runtime " + program + " cannot be run (" + said.error().detail +
                                     "); install it, or name another one with --runtime");
  return runtime_of_version(program, *said);
}

} // namespace agentpool::sandboxd
