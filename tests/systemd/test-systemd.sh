#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The units and udev rules as systemd's own tools see them, where those exist.
#
# usage: test-systemd.sh RULES UNIT...
set -u
rules=$1
shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=

fail() { echo "FAIL: $*"; failed=1; }
have() { "$@" --help >/dev/null 2>&1; }

# verify_units DIR: what is started must exist, and our programs are not installed here.
verify_units() {
  SYSTEMD_UNIT_PATH=$1: systemd-analyze verify --man=no --recursive-errors=no \
    "$1/pvrdma-host.service" "$1/pvrdma-pf@.service" >"$tmp/out" 2>&1
}

units() {
  local dir=$tmp/units unit
  mkdir "$dir"
  for unit; do sed 's|=\(-\?\)/[^ ]*/pvrdmactl |=\1/bin/true |' "$unit" >"$dir/${unit##*/}"; done
  verify_units "$dir" && ! grep -q pvrdma "$tmp/out" || { fail "systemd-analyze verify"; cat "$tmp/out"; }
  # that it would say so
  sed -i 's/^Type=/Tpye=/' "$dir/pvrdma-host.service"
  verify_units "$dir"
  grep -q "pvrdma-host.service.*Tpye" "$tmp/out" || { fail "a misspelt key goes unnoticed"; cat "$tmp/out"; }
}

udev() {
  udevadm verify --resolve-names=never "$rules" || fail "udevadm verify"
  sed 's/SUBSYSTEM==/SUBSYSTEMM==/' "$rules" >"$tmp/60-wrong.rules"
  ! udevadm verify --resolve-names=never "$tmp/60-wrong.rules" >/dev/null 2>&1 || fail "an unknown key goes unnoticed"
}

# Rules only tag: no key that runs or changes something.
tags_only() {
  ! grep -nE '(^|[ ,])(RUN|PROGRAM|IMPORT|NAME|SYMLINK|MODE|OWNER|GROUP|ATTR\{[^}]*\} *=[^=]|SYSCTL)' "$rules" |
    grep -v '^[0-9]*:#' || fail "a rule does more than tag"
}

# The device unit that pvrdma-pf@.service is bound to is the one that the rules name.
same_device() {
  local alias unit
  alias=$(sed -n 's|.*ENV{SYSTEMD_ALIAS}+="\([^$"]*\)$kernel".*|\1|p' "$rules")
  unit=$(systemd-escape --path --suffix=device "${alias}0000:01:00.0")
  [ -n "$alias" ] && grep -qx "BindsTo=${unit/0000:01:00.0/%i}" "${@: -1}" || fail "the rules' alias '$alias' is $unit"
}

tags_only
skipped=0
if have systemd-analyze; then units "$@"; same_device "$@"; else echo "no systemd-analyze"; skipped=1; fi
if have udevadm verify; then udev; else echo "no 'udevadm verify' (systemd 254)"; fi
[ -z "$failed" ] || exit 1
[ "$skipped" = 0 ] || exit 77
