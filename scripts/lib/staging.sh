# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
# Installs a prefix at once or not at all: build beside it, stamp, rename. Needs common.sh and prefixes.sh.

STAGE=
WORK=

# Makes $WORK (scratch) and $STAGE (the future prefix, on its file system) and holds the prefix's lock until the
# script ends. Returns 1 when another run has just installed the same. Usage: stage_begin PREFIX STAMP
stage_begin() {
  local prefix=$1 stamp=$2 parent
  parent=$(dirname "$prefix")
  mkdir -p "$parent" 2>/dev/null && [ -w "$parent" ] ||
    die "cannot write $parent; give another PREFIX or make the folder writable"
  exec 9>"$prefix.lock"
  flock 9
  ! has_stamp "$prefix" "$stamp" || return 1
  if [ -e "$prefix" ] && [ ! -f "$prefix/$STAMP_FILE" ] && [ -n "$(ls -A "$prefix")" ]; then
    die "$prefix holds files that this script did not install; give an empty or new PREFIX"
  fi
  rm -rf "$prefix".new.* "$prefix".old.*  # of a run that was killed: the lock says that none is alive
  WORK=$(mktemp -d)
  STAGE=$(mktemp -d "$prefix.new.XXXXXX")
  chmod 755 "$STAGE"
}

# Puts the stage in the place of the prefix. Usage: stage_publish PREFIX STAMP
stage_publish() {
  local prefix=$1 stamp=$2 old
  printf '%s' "$stamp" >"$STAGE/$STAMP_FILE"
  if [ -e "$prefix" ]; then
    old=$(mktemp -d "$prefix.old.XXXXXX")
    mv -T "$prefix" "$old"
    mv -T "$STAGE" "$prefix"
    rm -rf "$old"
  else
    mv -T "$STAGE" "$prefix"
  fi
  STAGE=
}

# The same for one more version of a template: $STAGE lies in PREFIX/versions. Usage: stage_version PREFIX
stage_version() {
  local prefix=$1
  mkdir -p "$prefix/versions" 2>/dev/null && [ -w "$prefix/versions" ] ||
    die "cannot write $prefix; give another --prefix or make the folder writable"
  exec 9>"$prefix.lock"
  flock 9
  # Of builds and removals that were killed: the lock says that none is alive.
  rm -rf --one-file-system "$prefix"/versions/.new-* "$prefix"/versions/.removed-* "$prefix"/.removed \
    "$(dirname "$prefix")/.removed-$(basename "$prefix")"
  mkdir -p "$prefix/versions" # a removal may have taken it before the lock was ours
  WORK=$(mktemp -d)
  STAGE=$(mktemp -d "$prefix/versions/.new-XXXXXX")
  chmod 755 "$STAGE"
}

stage_clean() {
  stop_step
  [ -z "$WORK" ] || rm -rf "$WORK"
  [ -z "$STAGE" ] || rm -rf --one-file-system "$STAGE"
}
trap stage_clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
