# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts: messages, steps with elapsed time, signals. Source it after `set -euo pipefail`.

# shellcheck disable=SC2034
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
PROGRAM=$(basename "$0")
LOG=
STEP_PID=

# One sentence on standard error, then the end. Usage: die MESSAGE [EXIT_CODE]
die() {
  printf '%s: %s\n' "$PROGRAM" "$1" >&2
  exit "${2:-1}"
}

# The first line of a script whose steps take long. Usage: announce WHAT HOW_LONG
announce() { printf '%s: %s (%s; details in %s)\n' "$PROGRAM" "$1" "$2" "${LOG#"$ROOT/"}"; }

# Chooses the file that takes the details of all steps; the steps of one run are appended to it.
log_to() {
  LOG=$1
  if ! { mkdir -p "$(dirname "$LOG")" && : >>"$LOG"; } 2>/dev/null; then
    die "cannot write $LOG; choose another place or make its folder writable"
  fi
}

# Seconds with one decimal since the given $EPOCHREALTIME.
seconds_since() {
  local tenths=$((($(tr -d .,<<<"$EPOCHREALTIME") - $(tr -d ., <<<"$1")) / 100000))
  printf '%d.%d' $((tenths / 10)) $((tenths % 10))
}

# Starts COMMAND so that it ends with this script, however the script ends; a program, not a function.
# Usage: bound SIGNAL COMMAND... &
bound() {
  local sig=$1
  shift
  exec setpriv --pdeathsig "$sig" -- "$@"
}

# Runs one program with its output in the log and prints "[12.3s] LABEL". On failure prints the end of its output
# and ends the script with its status. Usage: step LABEL COMMAND...
step() {
  local label=$1 from=$EPOCHREALTIME start status=0
  shift
  start=$(stat -c %s "$LOG")
  printf '\n## %s: %s\n' "$label" "$*" >>"$LOG"
  [ ! -t 1 ] || printf '[ ... ] %s' "$label"
  bound TERM "$@" >>"$LOG" 2>&1 </dev/null &
  STEP_PID=$!
  wait "$STEP_PID" || status=$?
  STEP_PID=
  [ ! -t 1 ] || printf '\r\033[K'
  if [ "$status" -ne 0 ]; then
    tail -c "+$((start + 1))" "$LOG" | tail -n 30 >&2
    die "failed after $(seconds_since "$from") s: $label; the whole output is in $LOG" "$status"
  fi
  printf '[%ss] %s\n' "$(seconds_since "$from")" "$label"
}

# Ends the running step; for the scripts' signal traps.
stop_step() {
  [ -z "$STEP_PID" ] || kill -TERM "$STEP_PID" 2>/dev/null || true
  [ -z "$STEP_PID" ] || wait "$STEP_PID" 2>/dev/null || true
  STEP_PID=
}

# Compile jobs: one per core, at most one per 1.5 GiB of free memory; AGENTPOOL_JOBS overrides.
compile_jobs() {
  local cores by_memory
  cores=$(nproc)
  by_memory=$(awk '/^MemAvailable/ {n = int($2 / 1572864); print (n > 0 ? n : 1)}' /proc/meminfo)
  printf '%s' "${AGENTPOOL_JOBS:-$((cores < by_memory ? cores : by_memory))}"
}
