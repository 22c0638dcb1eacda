# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing and builds a CMake preset. Needs common.sh, packages.sh and prefixes.sh.

CAF_PREFIX=
DSH_PREFIX=

# Runs one of the install scripts; it prints its own steps and has its own log.
run_installer() {
  bound TERM "$ROOT/scripts/$1" &
  STEP_PID=$!
  wait "$STEP_PID" || exit $?
  STEP_PID=
}

# Installs packages, CAF and dsh where they are missing; sets CAF_PREFIX and DSH_PREFIX.
ensure_dependencies() {
  ensure_packages
  find_caf >/dev/null || run_installer install-caf
  CAF_PREFIX=$(find_caf) || die "CAF $CAF_VERSION is not where scripts/install-caf puts it"
  [ -n "${AGENTPOOL_DSH_PREFIX:-}" ] || find_dsh >/dev/null || run_installer install-dsh
  DSH_PREFIX=$(find_dsh) || exit 1
}

# One build of a preset at a time in a clone: a second one waits. The lock is held until unlock_build, and by a build step
# that outlives a script that was killed.
lock_build() {
  mkdir -p "$ROOT/build" 2>/dev/null && exec 8>"$ROOT/build/$1.lock" || die "cannot write $ROOT/build"
  flock -n 8 || { echo "another script builds $1 in this clone; waiting for it" && flock 8; }
}

unlock_build() { exec 8>&-; }

# Usage: build_preset PRESET [TARGET...]. Configures only when the preset file or the CAF in use has changed; of
# everything else ninja knows itself.
build_preset() {
  local preset=$1 folder=$ROOT/build/$1 mark
  shift
  mark="$CAF_PREFIX $(sha256sum <"$ROOT/CMakePresets.json")"
  if [ ! -f "$folder/build.ninja" ] || [ "$(cat "$folder/.configured" 2>/dev/null)" != "$mark" ]; then
    step "$preset configured" cmake -S "$ROOT" --preset "$preset" "-DCMAKE_PREFIX_PATH=$CAF_PREFIX"
    printf '%s' "$mark" >"$folder/.configured"
  fi
  step "$preset built" ninja -C "$folder" -j "$(compile_jobs)" "$@"
}
