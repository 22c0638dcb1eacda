# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
# Parts of a long run: each has a log below $LOGS, its time and its result; a table at the end. Needs common.sh.

PARTS=()
PARTS_FAILED=0

# Runs a program as a part; its status is the program's. Usage: part LABEL COMMAND...
part() {
  local label=$1 from=$EPOCHREALTIME status=0 log result
  shift
  log=$LOGS/$(tr -cs 'a-zA-Z0-9' '-' <<<"$label" | sed 's/-*$//').log
  printf '[ ... ] %s\n' "$label"
  bound TERM "$@" >"$log" 2>&1 </dev/null &
  STEP_PID=$!
  wait "$STEP_PID" || status=$?
  STEP_PID=
  result=ok
  if [ "$status" -ne 0 ]; then
    result="FAILED ($status), see ${log#"$ROOT/"}"
    PARTS_FAILED=1
  fi
  printf '[%ss] %s: %s\n' "$(seconds_since "$from")" "$label" "$result"
  PARTS+=("$label|$(seconds_since "$from")|$(tests_of "$log")|$result")
  return "$status"
}

# What ctest, unittest or GoogleTest says of its tests: "49 of 50"; "-" when it says nothing.
tests_of() {
  awk '
    /^[0-9]+% tests passed, [0-9]+ tests failed out of [0-9]+/ { all += $NF; bad += $4 }
    /^\[=+\] [0-9]+ tests? from [0-9]+ test suites? ran/ { all += $2 }
    /^\[  FAILED  \] [0-9]+ tests?, listed below/ { bad += $4 }
    /^Ran [0-9]+ tests? in / { all += $2 }
    /^FAILED \(/ {
      gsub(/skipped=[0-9]+/, "")
      gsub(/[^0-9]+/, " ")
      for (i = split($0, counts, " "); i > 0; i--) bad += counts[i]
    }
    END { if (all == "") printf "-"; else printf "%d of %d", all - bad, all }' "$1"
}

# One row instead of those whose label starts with PREFIX; only for parts that all went well.
# Usage: fold_parts PREFIX LABEL
fold_parts() {
  local row kept=() seconds=0 tests=-
  for row in "${PARTS[@]}"; do
    if [[ $row != "$1"* ]]; then
      kept+=("$row")
      continue
    fi
    IFS='|' read -r _ time tests _ <<<"$row"
    seconds=$(awk -v a="$seconds" -v b="$time" 'BEGIN {printf "%.1f", a + b}')
  done
  PARTS=("${kept[@]}" "$2|$seconds|$tests|ok")
}

# The table; ends the script with 1 when a part failed.
print_parts() {
  local row label time tests result
  printf '\n%-44s %10s %12s  %s\n' part seconds tests result
  for row in "${PARTS[@]}"; do
    IFS='|' read -r label time tests result <<<"$row"
    printf '%-44s %10s %12s  %s\n' "$label" "$time" "$tests" "$result"
  done
  exit "$PARTS_FAILED"
}
