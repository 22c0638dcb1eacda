# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
# The steps of scripts/build-template: from a recipe to a version of a template. Needs common.sh, prefixes.sh and
# packages.sh. They use TEMPLATES,
# RECIPE (folders), NAME, PREFIX (of the template), STAGE (the future version) and WORK (scratch).

# Python that neither the machine's nor the user's settings change.
recipe() { /usr/bin/python3 -I -B "$ROOT/scripts/lib/template_recipe.py" "$@"; }

# The folder of a version of the templates beside ours. Usage: version_folder NAME[@VERSION]
version_folder() {
  local name=${1%@*} version=current folder
  [ "$name" = "$1" ] || version=versions/${1#*@}
  folder=$(realpath -e "$TEMPLATES/$name/$version" 2>/dev/null) && [ -d "$folder/rootfs" ] ||
    die "$RECIPE is made from $1, which is not in $TEMPLATES; build it first: scripts/build-template $name"
  printf '%s' "$folder"
}

# Lines of sources.list for the Debian suites that this machine itself uses.
own_mirror() {
  apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk '$1 == "Debian" && $3 ~ /^bookworm/ {print "deb", $2, $3, $4}' | sort -u
}

find_mirror() {
  ensure_packages
  own_mirror >"$WORK/sources.list"
  if [ ! -s "$WORK/sources.list" ]; then
    step "package lists updated" apt-get -q -o DPkg::Lock::Timeout=300 update
    own_mirror >"$WORK/sources.list"
  fi
  [ -s "$WORK/sources.list" ] || die "apt on this machine names no Debian 12 mirror; add one to /etc/apt/sources.list.d"
}

# The packages of the recipe, one per line.
recipe_packages() { [ ! -f "$RECIPE/packages.txt" ] || grep -v '^#' "$RECIPE/packages.txt" | grep . || true; }

# A mirror's list may be past its date, as in install-caf; its signature counts all the same. Of apt's documentation
# the example is kept for a moment: with it the recipe replaces the list that names this machine's mirror.
# Nobody needs a half made tree after a loss of power: unsafe-io.
tree_of_packages() {
  find_mirror
  mkdir -m 755 "$STAGE/rootfs"
  step "$NAME: Debian installed" mmdebstrap --mode=root --variant=minbase \
    --include="$(recipe_packages | paste -sd ,)" \
    --aptopt='APT::Install-Recommends "false"' --aptopt='Acquire::Check-Valid-Until "false"' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-include=/usr/share/doc/apt' --dpkgopt='path-include=/usr/share/doc/apt/*' \
    --dpkgopt=force-unsafe-io --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/lib/python3*/EXTERNALLY-MANAGED' \
    bookworm "$STAGE/rootfs" "$WORK/sources.list"
  cp "$STAGE/rootfs/usr/share/doc/apt/examples/sources.list" "$STAGE/rootfs/etc/apt/sources.list"
  rm -rf "$STAGE"/rootfs/etc/apt/{sources.list.d/*,apt.conf.d/99mmdebstrap} "$STAGE/rootfs/usr/share/doc/apt"
}

# In a mount namespace of its own, so that no mount and no name of a mirror stays in the tree.
# shellcheck disable=SC2016
IN_TREE='
root=$1 sources=$2
shift 2
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --bind "$(realpath /etc/resolv.conf)" "$root/etc/resolv.conf"
mount --bind "$sources" "$root/etc/apt/sources.list"
for folder in var/lib/apt/lists var/cache/apt; do mount -t tmpfs -o mode=755 tmpfs "$root/$folder"; done
printf "#!/bin/sh\nexit 101\n" >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
chroot "$root" apt-get -q -o Acquire::Check-Valid-Until=false update
chroot "$root" apt-get -q install -y --no-install-recommends "$@"
rm -r "$root/usr/sbin/policy-rc.d" "$root"/var/log/{apt,dpkg.log}
'

# Usage: tree_of_template FOLDER-OF-THE-VERSION
tree_of_template() {
  local wanted
  exec 7<"$1/rootfs"
  flock -s 7 # nobody removes it meanwhile
  step "$NAME: $FROM copied" cp -a --reflink=auto "$1/rootfs" "$STAGE/rootfs"
  mapfile -t wanted < <(recipe_packages)
  [ "${#wanted[@]}" -gt 0 ] || return 0
  find_mirror
  step "$NAME: ${#wanted[@]} packages installed" unshare --mount --propagation private \
    bash -euc "$IN_TREE" in-tree "$STAGE/rootfs" "$WORK/sources.list" "${wanted[@]}"
}

# Wheels of the recipe, by this machine's pip and with their hashes checked; its own Python runs nothing of them.
download_wheels() {
  mkdir "$WORK/wheels"
  [ -f "$RECIPE/wheels.txt" ] || return 0
  ensure_packages
  step "$NAME: pip ready" /usr/bin/python3 -m venv "$WORK/venv"
  step "$NAME: wheels downloaded" "$WORK/venv/bin/pip" download --disable-pip-version-check --no-deps \
    --only-binary :all: --require-hashes --dest "$WORK/wheels" --requirement "$RECIPE/wheels.txt"
}

# What the recipe itself changes.
customize_tree() {
  [ ! -d "$RECIPE/files" ] || step "$NAME: files copied" cp -r --no-dereference --preserve=mode,links "$RECIPE/files/." "$STAGE/rootfs/"
  recipe mirrors "$RECIPE" "$STAGE/rootfs"
  [ ! -f "$RECIPE/customize" ] || step "$NAME: customized" "$RECIPE/customize" "$STAGE/rootfs" "$WORK/wheels"
}

# Usage: describe_version FROM-FOLDER; empty when it is made of packages
describe_version() {
  local bytes base=
  [ ! -f "$1/template.json" ] || base=$1/template.json
  bytes=$(du -s --block-size=1 "$STAGE/rootfs" | cut -f 1)
  recipe settings "$RECIPE" "$STAGE/template.json" version="$VERSION" from="${1:+$FROM}" bytes="$bytes" \
    made_at="$(date +%s%3N)" base="$base"
  printf '%s' "$STAMP" >"$STAGE/$STAMP_FILE"
}

# The version that is current already, or was when a killed build had just ended; empty when there is none.
version_with_stamp() {
  local folder
  for folder in "$PREFIX/current" "$PREFIX"/versions/*; do
    if has_stamp "$folder" "$STAMP"; then basename "$(realpath "$folder")" && return 0; fi
  done
}

# A link that is replaced at once. Usage: point LINK TARGET
point() {
  ln -sfn "$2" "$1.new"
  mv -Tf "$1.new" "$1"
}

# A tree of the time before versions becomes one, so that the sandboxes that are made from it keep it.
adopt_unversioned() {
  [ -d "$PREFIX/rootfs" ] && [ ! -L "$PREFIX/rootfs" ] || return 0
  mkdir -p "$PREFIX/versions/v0"
  [ -e "$PREFIX/current" ] || point "$PREFIX/current" versions/v0
  [ ! -d "$PREFIX/used-by" ] || mv -T "$PREFIX/used-by" "$PREFIX/versions/v0/used-by"
  mv -T "$PREFIX/rootfs" "$PREFIX/versions/v0/rootfs"
  rm -f "$PREFIX/$STAMP_FILE"
}

# From here on new sandboxes are made from the version. Usage: switch_to VERSION
switch_to() {
  adopt_unversioned
  point "$PREFIX/current" "versions/$1"
  [ -L "$PREFIX/rootfs" ] || point "$PREFIX/rootfs" current/rootfs
}
