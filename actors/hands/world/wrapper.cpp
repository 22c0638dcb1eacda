// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/wrapper.hpp"

namespace agentpool::world {

namespace {

// $1 names that keep their values, $2 names to remove, each with blanks around; then, up to an empty one,
// what bash itself has removed when it started.
constexpr std::string_view scrub = R"sh(
shopt -s nocasematch
for v in $(compgen -e); do
  case $v in *key*|*password*|*secret*|*token*|dsh_*) [[ $1 == *" $v "* ]] || unset -v "$v";; esac
done
unset -v $2
shopt -u nocasematch
shift 2
while [[ -n $1 ]]; do export -- "$1"; shift; done
shift
)sh";

// Of a process the 20th word behind its name is when it began. TERM reaches the whole group, and the wrapper
// lives on to tell how the command took it. What bash says about a command that was killed is not the
// command's output. A subshell, so that names of builtins start programs.
constexpr std::string_view run = R"sh(
nonce=$1
shift
trap : TERM
read -r line <"/proc/$$/stat"
line=${line##*) }
for ((i = 1; i < 20; i++)); do line=${line#* }; done
begun=${line%% *}
printf '\036%s p %s %s\036' "$nonce" "$$" "$begun" >&2
exec 3>&2 2>/dev/null
(exec -- "$@" 2>&3 3>&-)
code=$?
alone=1 since=0
for f in /proc/[0-9]*/stat; do
  read -r line <"$f" || continue
  pid=${line%% *}
  set -- ${line##*) }
  if [[ $1 == Z || $pid == 1 || $pid == "$$" || $pid == "$PPID" ]]; then continue; fi
  if [[ $3 == "$$" ]]; then alone=0 since=$begun; break; fi
  if [[ ${20} -ge $begun ]]; then since=$begun; fi
done
printf '\036%s x %s %s %s\036' "$nonce" "$code" "$alone" "$since" >&3
exit "$code"
)sh";

// Something of the group $1 runs; a zombie that nobody has taken yet does not.
constexpr std::string_view group_alive = R"sh(
alive() {
  kill -s 0 -- "-$1" || return 1
  for f in /proc/[0-9]*/stat; do
    read -r line <"$f" || continue
    set -- "$1" ${line##*) }
    if [ "$4" = "$1" ] && [ "$2" != Z ]; then return 0; fi
  done
  return 1
}
)sh";

constexpr std::string_view kill_group_text = R"sh(
kill -s TERM -- "-$1"
i=0
while alive "$1"; do
  if [ "$i" -ge "$2" ]; then kill -s KILL -- "-$1"; fi
  sleep 0.02
  i=$((i + 20))
done
)sh";

// Something that came since tick $1 lives that is not one of our small programs; what cannot be read counts.
constexpr std::string_view await_quiet_text = R"sh(
busy() {
  for f in /proc/[0-9]*/stat; do
    read -r line <"$f" || continue
    pid=${line%% *}
    set -- "$1" ${line##*) }
    case $pid in 1|2|"$$"|"$PPID") continue ;; esac
    if [ "$2" = Z ] || [ "$3" = 2 ]; then continue; fi
    case ${21} in ''|*[!0-9]*) return 0 ;; esac
    if [ "${21}" -ge "$1" ]; then return 0; fi
  done
  return 1
}
i=0
while busy "$1"; do
  i=$((i + 1))
  if [ "$i" -gt 60 ]; then exit 1; fi
  sleep 1
done
)sh";

constexpr std::string_view await_group_text = R"sh(
while alive "$1"; do sleep 0.2; done
)sh";

// The wrapper leads a group itself, or the program that gave it its session waits for it.
constexpr std::string_view led_groups_text = R"sh(
for f in /proc/[0-9]*/stat; do
  read -r line <"$f" || continue
  pid=${line%% *}
  set -- "$1" ${line##*) }
  if [ "$2" = Z ] || [ "$4" != "$pid" ]; then continue; fi
  if [ "$pid" = "$1" ] || [ "$3" = "$1" ]; then echo "$pid"; fi
done
)sh";

// Members of a session are found by the sixth field of /proc/PID/stat; zombies are gone already.
constexpr std::string_view kill_session_text = R"sh(
members() {
  m=
  for f in /proc/[0-9]*/stat; do
    read -r line <"$f" || continue
    pid=${line%% *}
    set -- "$1" ${line##*) }
    if [ "$5" = "$1" ] && [ "$2" != Z ]; then m="$m $pid"; fi
  done
}
members "$1"
if [ -n "$m" ]; then kill -s TERM $m; kill -s HUP $m; fi
i=0
while members "$1"; [ -n "$m" ]; do
  if [ "$i" -ge "$2" ]; then kill -s KILL $m; fi
  sleep 0.02
  i=$((i + 20))
done
)sh";

constexpr std::string_view foreground_text = R"sh(
read -r line <"/proc/$1/stat" || exit 1
set -- ${line##*) }
[ "$6" -gt 0 ] && echo "$6"
)sh";

constexpr std::string_view signal_text = R"sh(
leader=$1 signal=$2
read -r line <"/proc/$1/stat" || exit 1
set -- ${line##*) }
[ "$6" -gt 0 ] || exit 1
if [ "$signal" = KILL ] && [ "$6" = "$leader" ]; then exit 3; fi
kill -s "$signal" -- "-$6" && echo "$6"
)sh";

std::vector<std::string> bash(std::string text) {
  // Privileged mode: neither BASH_ENV nor functions of the environment reach the wrapper.
  return {"/bin/bash", "--noprofile", "--norc", "-p", "-c", std::move(text), "bash"};
}

std::vector<std::string> shell(std::string_view text, uint64_t a, uint32_t b = 0) {
  return {
    "/bin/sh", "-c", "exec 2>/dev/null" + std::string{text}, "sh", std::to_string(a), std::to_string(b)};
}

void add_names(std::vector<std::string>& out, const environment& env) {
  std::string kept{" "}, removed{" "};
  for (const auto& [name, value] : env)
    (value ? kept : removed) += name + ' ';
  out.push_back(std::move(kept));
  out.push_back(std::move(removed));
  for (const auto& [name, value] : env)
    if (value && (name == "PS1" || name == "PS2"))
      out.push_back(name + '=' + *value);
  out.emplace_back();
}

} // namespace

std::vector<std::string> wrap(
  const std::string& nonce, const environment& env, const std::vector<std::string>& argv) {
  auto out = bash(std::string{scrub}.append(run));
  out.insert(out.begin(), {"/usr/bin/setsid", "-w"});
  add_names(out, env);
  out.push_back(nonce);
  out.insert(out.end(), argv.begin(), argv.end());
  return out;
}

std::vector<std::string> wrap_terminal(const environment& env, const std::vector<std::string>& argv) {
  auto out = bash(std::string{scrub}.append("exec -- \"$@\"\n"));
  add_names(out, env);
  out.insert(out.end(), argv.begin(), argv.end());
  return out;
}

std::vector<std::string> kill_group(uint32_t group, uint32_t grace_ms) {
  return shell(std::string{group_alive}.append(kill_group_text), group, grace_ms);
}

std::vector<std::string> led_groups(uint32_t pid) {
  return shell(led_groups_text, pid);
}

std::vector<std::string> await_group(uint32_t group) {
  return shell(std::string{group_alive}.append(await_group_text), group);
}

std::vector<std::string> await_quiet(uint64_t since) {
  return shell(await_quiet_text, since);
}

std::vector<std::string> kill_session(uint32_t leader, uint32_t grace_ms) {
  return shell(kill_session_text, leader, grace_ms);
}

std::vector<std::string> foreground_group(uint32_t leader) {
  return shell(foreground_text, leader);
}

std::vector<std::string> signal_foreground(uint32_t leader, const std::string& signal) {
  auto out = shell(signal_text, leader);
  out.back() = signal;
  return out;
}

} // namespace agentpool::world
