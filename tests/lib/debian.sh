# SPDX-License-Identifier: GPL-2.0-or-later
# What comes from Debian: packages of this machine, and source packages of
# other suites through an apt configuration of our own (the machine's is never
# touched).  Needs common.sh.

apt_update_once() {
  local stamp=$PVR_CACHE/apt-updated
  if [ -z "$(find "$stamp" -mmin -720 2>/dev/null)" ]; then
    run_logged apt-update apt-get update || return
    touch "$stamp"
  fi
}

# apt_need PACKAGE...: installs those that are missing.
apt_need() {
  local missing=() p
  for p in "$@"; do
    dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null | grep -qx installed || missing+=("$p")
  done
  [ ${#missing[@]} -eq 0 ] && return
  [ "$(id -u)" = 0 ] || die "need root to install: ${missing[*]}"
  apt_update_once
  DEBIAN_FRONTEND=noninteractive run_logged apt-install \
    apt-get -y --no-install-recommends install "${missing[@]}"
}

# The archive this machine itself uses for Debian (one URI, no suite).
debian_mirror() {
  apt_update_once >&2
  # shellcheck disable=SC2016
  apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(SITE)' 'Created-By: Packages' |
    awk -F'|' '$1 == "Debian" && $2 == "Debian" { print $3; exit }'
}

# src_apt SUITE COMMAND...: apt-get or apt-cache that knows SUITE's sources only.
src_apt() {
  local suite=$1 dir=$PVR_CACHE/apt/$1 tool=$2
  shift 2
  "$tool" -o Dir::Etc::sourcelist="$dir/sources.list" -o Dir::Etc::sourceparts=- \
    -o Dir::State::lists="$dir/lists" -o Dir::Cache="$dir/cache" \
    -o Dir::Etc::preferences=- -o Dir::Etc::preferencesparts=- -o APT::Sandbox::User=root "$@"
}

# src_setup SUITE [deb|deb-src]: prepares src_apt for SUITE.
src_setup() {
  local suite=$1 type=${2:-deb-src} dir=$PVR_CACHE/apt/$1 mirror
  [ -n "$(find "$dir/ready" -mmin -720 2>/dev/null)" ] && return
  mirror=$(debian_mirror)
  [ -n "$mirror" ] || die "this machine's apt names no Debian archive"
  mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
  echo "$type [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$dir/sources.list"
  run_logged "apt-$suite" src_apt "$suite" apt-get update || return
  touch "$dir/ready"
}

# src_version SUITE PACKAGE PREFIX: newest source version that starts with
# PREFIX, with any epoch; empty if there is none.
src_version() {
  src_apt "$1" apt-cache showsrc --only-source "$2" 2>/dev/null |
    awk '$1 == "Version:" { print $2 }' | grep -E "^([0-9]+:)?${3//./\\.}" | sort -V | tail -n 1
}

# orig_tarball SUITE PACKAGE VERSION DIR: fetches the package's files to DIR,
# prints the path of the upstream tarball.
orig_tarball() {
  mkdir -p "$4"
  (cd "$4" && run_logged "source-$2-${3##*:}" src_apt "$1" apt-get source --download-only "$2=$3") || return
  ls "$4/$2"_*.orig.tar.* | grep -v '\.asc$' | head -n 1
}

# from_backports NAME PACKAGE...: unpacked from this suite's backports below $PVR_CACHE/NAME.tmp/root.
from_backports() {
  local name=$1 dir=$PVR_CACHE/$1.tmp suite deb
  shift
  suite=$(. /etc/os-release; echo "$VERSION_CODENAME")-backports
  src_setup "$suite" deb || return
  rm -rf "$dir"; mkdir -p "$dir/deb"
  (cd "$dir/deb" && run_logged "$name-download" src_apt "$suite" apt-get download "$@") || return
  for deb in "$dir"/deb/*.deb; do dpkg-deb -x "$deb" "$dir/root" || return; done
  rm -rf "$dir/deb"
}

# new_meson: prints the path of a meson >= 1.5 (QEMU's need), from the system
# or from backports.
new_meson() {
  local dir=$PVR_CACHE/meson have
  have=$(meson --version 2>/dev/null || echo 0)
  if [ "$(printf '%s\n1.5\n' "$have" | sort -V | head -n 1)" = 1.5 ]; then command -v meson; return; fi
  if [ ! -x "$dir/bin/meson" ]; then
    from_backports meson meson || return
    mkdir "$dir.tmp/bin"
    printf '#!/bin/sh\nPYTHONPATH=%s/root/usr/lib/python3/dist-packages exec /usr/bin/python3 -m mesonbuild.mesonmain "$@"\n' \
      "$dir" >"$dir.tmp/bin/meson"
    chmod +x "$dir.tmp/bin/meson"
    commit_dir "$dir.tmp" "$dir"
  fi
  echo "$dir/bin/meson"
}

# new_qemu: prints the path of a QEMU that has an igb, a NIC with SR-IOV (QEMU 8
# and later), from the system or from backports.
new_qemu() (
  dir=$PVR_CACHE/qemu-igb
  if has_igb qemu-system-x86_64; then command -v qemu-system-x86_64; return; fi
  exec 7>"$dir.lock"
  flock 7
  if [ ! -x "$dir/qemu-system-x86_64" ]; then
    from_backports qemu-igb qemu-system-x86 qemu-system-common || return
    # its modules are of the same build; firmware is the system's
    printf '#!/bin/sh\nexport QEMU_MODULE_DIR=%s\nexec %s -L /usr/share/qemu -L /usr/share/seabios "$@"\n' \
      "$dir/root/usr/lib/$(uname -m)-linux-gnu/qemu" "$dir/root/usr/bin/qemu-system-x86_64" >"$dir.tmp/qemu-system-x86_64"
    chmod +x "$dir.tmp/qemu-system-x86_64"
    commit_dir "$dir.tmp" "$dir"
  fi
  has_igb "$dir/qemu-system-x86_64" || die "neither this system's QEMU nor that of its backports has an igb"
  echo "$dir/qemu-system-x86_64"
)
has_igb() { timeout 30 "$1" -device igb,help </dev/null 2>&1 | grep -q '^igb options'; }
