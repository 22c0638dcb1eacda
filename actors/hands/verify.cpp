// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/verify.hpp"

#include "protocol/wire/envd_process.hpp"

#include <charconv>
#include <optional>

namespace agentpool {

namespace {

constexpr size_t output_bytes = 8 * 1024;

// A file appears whole or not at all: what a lost answer left behind is found by the next attempt. The
// workspace is there, and its user can enter it. After a restart nobody finishes an upload of before.
constexpr auto script = R"sh(
home=/workspace
if [ ! -d "$home" ]; then
  if [ -e "$home" ] || [ -L "$home" ]; then mv -T "$home" "$home.replaced-$(date +%s)"; fi
  mkdir -m 755 "$home" && chown user: "$home"
fi
enter() { setpriv --reuid user --regid user --clear-groups /bin/sh -c 'cd "$1"' sh "$home" 2>/dev/null; }
if command -v setpriv >/dev/null && ! enter; then chmod u+rwx,go+rx / "$home"; fi
/bin/sh -c : || exit 1
umask 077
nonce=/var/lib/agentpool/nonce
boot=/dev/shm/.agentpool-boot
if [ "$AGENTPOOL_FRESH" = 1 ] && [ ! -e "$nonce" ]; then
  mkdir -p /var/lib/agentpool && printf %s "$AGENTPOOL_NONCE" > "$nonce.new" && mv "$nonce.new" "$nonce"
fi
printf 'nonce %s\n' "$(cat "$nonce" 2>/dev/null)"
printf 'boot %s\n' "$(cat "$boot" 2>/dev/null)"
if [ ! -e "$boot" ]; then
  printf %s "$AGENTPOOL_BOOT" > "$boot.new" && mv "$boot.new" "$boot"
  find "$home" -xdev -type f -name '.agentpool-??????????????????????????' ! -newer "$boot" -delete >/dev/null 2>&1 &
fi
printf 'clock %s\n' "$(date +%s.%N)"
printf 'user %s\n' "$(id -u user)"
)sh";

/// The rest of the line that begins with `key` and a space.
std::optional<std::string> line_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.starts_with(key) && line.size() > key.size() && line[key.size()] == ' ')
      return std::string{line.substr(key.size() + 1)};
  }
  return std::nullopt;
}

int64_t to_ms(std::string_view clock) {
  int64_t seconds = 0, millis = 0;
  auto [end, bad] = std::from_chars(clock.data(), clock.data() + clock.size(), seconds);
  if (bad != std::errc{})
    return 0;
  auto rest = std::string_view{end, static_cast<size_t>(clock.data() + clock.size() - end)};
  if (rest.size() >= 4 && rest.front() == '.')
    std::from_chars(rest.data() + 1, rest.data() + 4, millis);
  return seconds * 1000 + millis;
}

} // namespace

ports::command_spec verify_command(const verify_order& order) {
  ports::command_spec out;
  // Started as every command is: a sandbox without these programs runs nothing.
  out.argv = {"/usr/bin/setsid", "-w", "/bin/bash", "--noprofile", "--norc", "-p", "-c", script};
  out.env = {{"AGENTPOOL_FRESH", order.fresh ? "1" : "0"}, {"AGENTPOOL_NONCE", order.nonce},
    {"AGENTPOOL_BOOT", order.boot_marker}};
  out.cwd = "/";
  out.user = "root";
  out.tag = envd::own_tag;
  return out;
}

result<hand_proof> parse_proof(const command_output& output) {
  auto nonce = line_of(output.text, "nonce"), boot = line_of(output.text, "boot"),
       clock = line_of(output.text, "clock"), user = line_of(output.text, "user");
  if (!output.exited_well || !nonce || !boot || !clock || !user)
    return fail(errc::provider_nonsense, "the command that verifies a sandbox did not print what it should");
  if (user->empty())
    return fail(errc::hand_damaged, "the sandbox does not know its user any more");
  return hand_proof{std::move(*nonce), std::move(*boot), to_ms(*clock)};
}

void output_collector::on_output(ports::output_stream which, std::string bytes) {
  if (which == ports::output_stream::out)
    text_.append(bytes, 0, std::min(bytes.size(), output_bytes - text_.size()));
}

void output_collector::on_end(result<ports::process_end> how) {
  provider_event event;
  if (!how)
    event.why = started_ && how.error().code == errc::outcome_unknown
                  ? failure{errc::deadline, "the command that verifies a sandbox was started and did not end"}
                  : how.error();
  else
    event.value = command_output{std::move(text_), how->exited && how->exit_code == 0};
  done_(std::move(event));
}

} // namespace agentpool
