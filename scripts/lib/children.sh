# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
# Long-running children of a script: start, first line of output, orderly stop. Needs common.sh.
# Every child is in a session of its own, so that Ctrl-C reaches only the script, which stops the children in order;
# the kernel kills them when the script ends in any other way.

declare -A CHILD_PID=() CHILD_OUT=() CHILD_LOG_START=()
# By name: the function that starts the child again when it ended by itself, and when that was done.
declare -A CHILD_AGAIN=() CHILD_RESTARTS=()
MAX_LOG_BYTES=10485760
# One restart more within so many seconds is a failure; the daemon's supervisors count the same way.
MAX_RESTARTS=3
RESTART_PERIOD=60
# Of a child that a signal ended bash tells with its own words and a line number, unless it has a trap for that signal;
# how_ended says it better. (Nothing runs here for these.)
trap : KILL ABRT SEGV BUS

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

# "ended with status 7" or "was killed by signal 9". Usage: how_ended STATUS
how_ended() { if [ "$1" -gt 128 ]; then printf 'was killed by signal %d' $(($1 - 128)); else printf 'ended with status %d' "$1"; fi; }

# Takes an ended child's status into a variable; its name is free again. Usage: bury NAME VARIABLE
bury() {
  local ended=0 fd=${CHILD_OUT[$1]}
  wait "${CHILD_PID[$1]}" || ended=$?
  exec {fd}<&-
  unset "CHILD_PID[$1]" "CHILD_OUT[$1]"
  printf -v "$2" '%d' "$ended"
}

# Ends the script with the child's own words and status. Usage: child_failed NAME TITLE LOG
child_failed() {
  local name=$1 title=$2 log=$3 status=0 said
  if ! ended_within 2 "${CHILD_PID[$name]}"; then
    tail -n 20 "$log" >&2
    die "$title was not ready in time; its output is in $log"
  fi
  bury "$name" status
  said=$(tail -c "+$((CHILD_LOG_START[$name] + 1))" "$log" | tail -n 20)
  [ -z "$said" ] || printf '%s\n' "$said" >&2
  die "$title $(how_ended "$status")${said:+, its last words are above}; its output is in $log" \
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

# Starts an ended child again; fails when nobody said how, or too often. Usage: start_again NAME TITLE LOG
start_again() {
  local name=$1 title=$2 log=$3 status at recent=()
  [ -n "${CHILD_AGAIN[$name]:-}" ] || return 1
  for at in ${CHILD_RESTARTS[$name]:-}; do
    [ $((SECONDS - at)) -ge "$RESTART_PERIOD" ] || recent+=("$at")
  done
  [ "${#recent[@]}" -lt "$MAX_RESTARTS" ] || return 1
  CHILD_RESTARTS[$name]="${recent[*]} $SECONDS"
  bury "$name" status
  printf '%s: %s %s and is started again; its output is in %s\n' "$PROGRAM" "$title" "$(how_ended "$status")" "$log" >&2
  "${CHILD_AGAIN[$name]}"
}

# Returns when one of the children has ended. Usage: wait_for_an_end PID...
wait_for_an_end() {
  local pid
  # One whose end bash has noticed already would not end its wait.
  for pid; do kill -0 "$pid" 2>/dev/null || return 0; done
  wait -n "$@" || true
}

# Watches the children for good: an end is a failure, unless the child can be started again.
# Usage: wait_for_children NAME:TITLE:LOG...
wait_for_children() {
  local entry name title log pids
  while :; do
    pids=()
    for entry; do
      name=${entry%%:*}
      [ -z "${CHILD_PID[$name]:-}" ] || pids+=("${CHILD_PID[$name]}")
    done
    wait_for_an_end "${pids[@]}"
    for entry; do
      IFS=: read -r name title log <<<"$entry"
      [ -z "${CHILD_PID[$name]:-}" ] || running "${CHILD_PID[$name]}" || start_again "$name" "$title" "$log" ||
        child_failed "$name" "$title" "$log"
    done
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
