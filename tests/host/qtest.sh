#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In the L1: QEMU's own test of the device, with a Soft-RoCE link to work on.
# A first argument after the three directories selects tests (-p of GLib).
. "$PVR_TOP/tests/lib/common.sh"
. "$PVR_TOP/tests/lib/tap.sh"
. "$PVR_TOP/tests/lib/l1.sh"
QEMU_DIR=$3

links_up
rdma link add rxe0 type rxe netdev d0
export PVRDMA_TEST_IBDEV=rxe0 QTEST_QEMU_BINARY=$QEMU_DIR/qemu-system-x86_64
check "qtest: the link is active" until_true 10 sh -c 'rdma link show rxe0/1 | grep -q "state ACTIVE"'
rc=
while IFS= read -r line; do
  case $line in
    "ok "*) passed "qtest ${line#ok }" ;;
    "not ok "*) failed "qtest ${line#not ok }" ;;
    "exit code "*) rc=${line#exit code } ;;
    *) printf '%s\n' "$line" ;;
  esac
done < <("$QEMU_DIR/pvrdma-test" --tap -k ${4:+-p "$4"} 2>&1; echo "exit code $?")
check "qtest: the test ran to its end" test "$rc" -eq 0
check "qtest: nothing of it is left on the link" sh -c '! rdma resource show qp link rxe0/1 | grep -v "comm \\[" | grep .'
tap_end
