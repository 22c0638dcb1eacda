# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
# Long-running children of a script: start, first line of output, orderly stop. Needs common.sh.
# Every child is in a session of its own, so that Ctrl-C reaches only the script, which stops the children in order;
# the kernel kills them when the script ends in any other way.

declare -A CHILD_PID=() CHILD_OUT=() CHILD_LOG_START=()
MAX_LOG_BYTES=10485760

# Whether the child still runs; asks the shell, because the kernel may give the number of an ended one to another.
running() { [[ " $(jobs -pr | tr '\n' ' ') " == *" $1 "* ]]; }

# Usage: ended_within SECONDS PID
ended_within() { ! running "$2" || timeout "$1" tail --pid="$2" -s 0.02 -f /dev/null; }

# Usage: start_child NAME LOG PROGRAM ARGUMENT...; standard error goes to LOG, output is for read_first_line.
start_child() {
  local name=$1 log=$2 folder fd
  shift 2
  if [ -f "$log" ] && [ "$(stat -c %s "$log")" -gt "$MAX_LOG_BYTES" ]; then mv -f "$log" "$log.1"; fi
  : >>"$log"
  CHILD_LOG_START[$name]=$(stat -c %s "$log")
  folder=$(mktemp -d)
  mkfifo "$folder/out"
  setsid setpriv --pdeathsig KILL -- "$@" >"$folder/out" 2>>"$log" </dev/null &
  CHILD_PID[$name]=$!
  exec {fd}<"$folder/out"
  rm -rf "$folder"
  CHILD_OUT[$name]=$fd
}

# Reads the child's first line into a variable; fails at its end or after the deadline.
# Usage: read_first_line NAME SECONDS VARIABLE
read_first_line() { IFS= read -r -t "$2" -u "${CHILD_OUT[$1]}" "$3"; }

# Ends the script with the child's own words and status. Usage: child_failed NAME TITLE LOG
child_failed() {
  local name=$1 title=$2 log=$3 status=0 said
  if ! ended_within 2 "${CHILD_PID[$name]}"; then
    tail -n 20 "$log" >&2
    die "$title was not ready in time; its output is in $log"
  fi
  wait "${CHILD_PID[$name]}" || status=$?
  unset "CHILD_PID[$name]"
  said=$(tail -c "+$((CHILD_LOG_START[$name] + 1))" "$log" | tail -n 20)
  [ -z "$said" ] || printf '%s\n' "$said" >&2
  die "$title ended with status $status${said:+, its last words are above}; its output is in $log" \
    "$((status == 0 ? 1 : status))"
}

# Whether the child ended with this status; its name is free again then. Usage: child_refused NAME STATUS
child_refused() {
  local status=0
  ended_within 5 "${CHILD_PID[$1]}" || return 1
  wait "${CHILD_PID[$1]}" || status=$?
  [ "$status" -eq "$2" ] || return 1
  unset "CHILD_PID[$1]"
}

# Waits until one of the children ends, which is a failure. Usage: wait_for_children NAME:TITLE:LOG...
wait_for_children() {
  local entry name title log pids=()
  for entry; do
    name=${entry%%:*}
    [ -z "${CHILD_PID[$name]:-}" ] || pids+=("${CHILD_PID[$name]}")
  done
  wait -n "${pids[@]}" || true
  for entry; do
    IFS=: read -r name title log <<<"$entry"
    [ -z "${CHILD_PID[$name]:-}" ] || running "${CHILD_PID[$name]}" || child_failed "$name" "$title" "$log"
  done
}

# Asks the children to end, one after another, and kills what does not. Usage: stop_children NAME:SECONDS...
stop_children() {
  local entry pid
  for entry; do
    pid=${CHILD_PID[${entry%%:*}]:-}
    [ -n "$pid" ] && running "$pid" || continue
    kill -TERM "$pid" 2>/dev/null || true
    ended_within "${entry##*:}" "$pid" || kill -KILL "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
}
