#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How long a guest waits for CREATE_MR of 1 GiB, with pages in one run, in runs
# of 2 MiB and in runs of 4 KiB, on ordinary and on huge pages of the host.  In
# the L1 on a Soft-RoCE link, elsewhere in software.
#
# usage: mr-bench.sh KERNEL-DIR INITRAMFS-DIR QEMU-DIR
. "${PVR_TOP:=$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/common.sh"
for part in tap l1 hugepages; do . "$PVR_TOP/tests/lib/$part.sh"; done
export QTEST_QEMU_BINARY=$3/qemu-system-x86_64 PVRDMA_TEST_IBDEV= PVRDMA_TEST_HUGE=

# times LABEL: what the test prints of the best of its tries
times() {
  local out
  out=$(timeout -k 5 600 "${QTEST_QEMU_BINARY%/*}/pvrdma-test" --tap -m perf -p /x86_64/pvrdma/mr/registration-time 2>&1 </dev/null) ||
    { failed "$1"; printf '%s\n' "$out"; return; }
  passed "$1"
  printf '%s\n' "$out" | sed -n 's/^# bench: /     /p'
}

if [ -n "${L1_OUT:-}" ]; then
  links_up
  rdma link add rxe0 type rxe netdev d0
  PVRDMA_TEST_IBDEV=rxe0
  check "the link is active" until_true 10 sh -c 'rdma link show rxe0/1 | grep -q "state ACTIVE"'
fi
log=$(mktemp)
times "CREATE_MR, ordinary pages"
PVRDMA_TEST_HUGE=memfd with_huge_pages 1280 times "CREATE_MR, huge pages" | tee "$log"
count_log "huge pages" "$log"
tap_end
