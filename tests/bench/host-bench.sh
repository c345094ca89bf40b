#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: host-bench.sh PVRDMACTL
# How long commands take that look at the whole host, on hosts of 1 to 8 cards with 128 VFs each (tests/fixtures):
# milliseconds of CPU time (user and system) per run, so that what else the machine does counts little.
set -eu
ctl=$1
make_host=$(dirname "$0")/../fixtures/make-host
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
runs=5

cpu_ms() {
    python3 - "$runs" "$@" <<'PY'
import os, subprocess, sys
runs, command = int(sys.argv[1]), sys.argv[2:]
subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
start = os.times()
for _ in range(runs):
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
end = os.times()
used = end.children_user + end.children_system - start.children_user - start.children_system
print(round(used * 1000 / runs))
PY
}

echo "PFS  VFS   list  vf-list  gid-by-pci"
for pfs in 1 2 4 8; do
    root=$top/$pfs
    mkdir "$root"
    "$make_host" "scale:$pfs:128" "$root"
    printf '%-4s %-5s %-5s %-8s %s\n' "$pfs" $((pfs * 128)) \
        "$(cpu_ms "$ctl" --root "$root" list)" "$(cpu_ms "$ctl" --root "$root" vf list)" \
        "$(cpu_ms "$ctl" --root "$root" gid 20:00.2)"
    rm -rf "$root"
done
