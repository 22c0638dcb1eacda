# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
# Debian packages: installs what scripts/packages.txt names and the machine lacks. Needs common.sh.

# The packages of the list that are not installed, one per line.
missing_packages() {
  local wanted
  wanted=$(grep -v '^#' "$ROOT/scripts/packages.txt")
  # shellcheck disable=SC2086
  comm -23 <(sort <<<"$wanted") \
    <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null | sed -n 's/^installed //p' | sort)
}

# Installs the missing packages as root; everybody else is told the command. Never removes a package.
ensure_packages() {
  local missing
  command -v dpkg-query >/dev/null || die "this needs Debian 12: there is no dpkg on this machine"
  mapfile -t missing < <(missing_packages)
  [ "${#missing[@]}" -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    die "packages are missing; install them with: sudo apt-get install -y --no-install-recommends ${missing[*]}"
  fi
  export DEBIAN_FRONTEND=noninteractive
  step "package lists updated" apt-get -q -o DPkg::Lock::Timeout=300 update
  step "${#missing[@]} packages installed" apt-get -q -o DPkg::Lock::Timeout=300 install -y \
    --no-install-recommends --no-remove "${missing[@]}"
}
