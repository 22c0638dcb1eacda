// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoolctl/doctor/steps.hpp"
#include "apps/agentpoolctl/doctor/waiting.hpp"
#include "protocol/wire/ids.hpp"

#include <cstdlib>

namespace agentpool::ctl::doctor {

namespace {

constexpr int64_t skew_to_tell_ms = 5'000;
constexpr size_t file_bytes = 1u << 20;

int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// The sandbox says which one it is: by what create gave it, and by what its provider did.
finding identity(examined& x) {
  auto told = x.run("echo \"$E2B_SANDBOX_ID $AGENTPOOL_DOCTOR.\"");
  if (!told) {
    x.broken = true;
    return bad(told.error(), "a command failed");
  }
  std::string line = first_line(told->out);
  auto blank = line.find(' ');
  auto id = line.substr(0, blank), nonce = blank == line.npos ? "." : line.substr(blank + 1);
  if ((!id.empty() && id != x.id) || (nonce != "." && nonce != x.nonce + ".")) {
    x.broken = true;
    return bad("requests for this sandbox reach another one",
      "the provider's proxy routes wrongly: use it for nothing until its operator has mended that");
  }
  if (nonce == ".")
    return odd("create does not set the environment of processes",
      "nothing to do: the daemon gives it with each command");
  return good("a command runs in the right sandbox");
}

finding template_of(examined& x) {
  auto said = x.run(
    "id -un; for p in bash setsid pgrep git python3 tar gzip; do command -v $p > /dev/null || printf ' %s' "
    "$p; done");
  auto root = x.run("id -u", "root");
  if (!said)
    return bad(said.error(), "a command failed");
  if (first_line(said->out) != "user")
    return bad(
      "commands run as '" + first_line(said->out) + "'", "the template needs a user 'user' with a home");
  if (!root || first_line(root->out) != "0")
    return bad("nothing runs as root: " + (root ? root->out : root.error().text()),
      "the daemon proves a sandbox's identity as root: envd must run as root");
  auto missing = said->out.substr(said->out.find('\n') + 1);
  if (missing.find("bash") != missing.npos || missing.find("setsid") != missing.npos)
    return bad("the template lacks" + missing, "make the template by the recipe in docs/providers.md");
  if (!missing.empty())
    return odd("the template lacks" + missing, "tools work; programs that models expect are missing");
  return good("the template has what tools need");
}

finding ends(examined& x) {
  auto three = x.run("echo out; exit 3");
  if (!three)
    return bad(three.error(), "a command's end does not arrive");
  if (three->exit_code != 3 || three->out != "out\n")
    return bad("a command that ended with 3 is told as " + std::to_string(three->exit_code),
      "do not use this provider");
  return good("output and exit codes arrive");
}

finding input(examined& x) {
  auto fed = x.run("cat", "user", "hello");
  if (!fed && fed.error().code == errc::envd_unsupported)
    return odd(
      "this envd cannot close a command's input", "commands that read all of their input will wait for ever");
  if (!fed)
    return bad(fed.error(), "input does not reach a command");
  return fed->out == "hello" ? good("input reaches a command, and its end too")
                             : bad("input reaches a command changed", "do not use this provider");
}

finding clock(examined& x) {
  auto before = now_ms();
  auto told = x.run("date +%s%3N");
  auto after = now_ms();
  if (!told)
    return bad(told.error(), "a command failed");
  auto ahead = std::strtoll(told->out.c_str(), nullptr, 10) - (before + after) / 2;
  if (std::llabs(ahead) < skew_to_tell_ms + (after - before))
    return good("the sandbox's clock and this machine's agree");
  return odd("the sandbox's clock is " + std::to_string(std::llabs(ahead) / 1000) + " s " +
               (ahead > 0 ? "ahead of" : "behind") + " this machine's",
    "builds and TLS in it may fail: ask the operator to set the clock at a resume");
}

finding files(examined& x) {
  std::string bytes;
  while (bytes.size() < file_bytes)
    bytes += random_token("");
  bytes.resize(file_bytes);
  x.hash = sha256_hex(bytes);
  waiting<std::string> wrote;
  x.link().write_file(file_path, "user", bytes, x.limits(), wrote.completion());
  if (auto how = wrote.get(); !how)
    return bad(how.error(), "a file cannot be written");
  auto back = x.read(file_path);
  if (!back)
    return bad(back.error(), "a file cannot be read");
  auto inside = x.run(std::string{"sha256sum < "} + file_path);
  if (*back != bytes || !inside || inside->out.substr(0, 64) != x.hash)
    return bad("a file comes back changed", "look at the proxies on the way: they must not touch bodies");
  return good("1 MiB was written, read and hashed there");
}

} // namespace

void check_commands(examined& x) {
  x.step("identity", [&x] { return identity(x); });
  x.step("template", [&x] { return template_of(x); });
  x.step("exit-codes", [&x] { return ends(x); });
  x.step("input", [&x] { return input(x); });
  x.step("clock-sandbox", [&x] { return clock(x); });
}

void check_files(examined& x) {
  x.step("files", [&x] { return files(x); });
}

} // namespace agentpool::ctl::doctor
