#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In the L1: QEMU's own test of the device, with a Soft-RoCE link to work on.
#
# usage: qtest.sh KERNEL-DIR INITRAMFS-DIR QEMU-DIR [all|PART]
#
# Without a selection those tests for which the kernel's device matters: what the
# layers above do with any host device is tested in seconds with tests/loop-verbs.
# PART: those with it in their names.
. "$PVR_TOP/tests/lib/common.sh"
. "$PVR_TOP/tests/lib/tap.sh"
. "$PVR_TOP/tests/lib/l1.sh"
. "$PVR_TOP/tests/lib/hugepages.sh"
QEMU_DIR=$3

links_up
rdma link add rxe0 type rxe netdev d0
export PVRDMA_TEST_IBDEV=rxe0 QTEST_QEMU_BINARY=$QEMU_DIR/qemu-system-x86_64
check "qtest: the link is active" until_true 10 sh -c 'rdma link show rxe0/1 | grep -q "state ACTIVE"'
# One process each: a failed assertion ends it.
one_test() { timeout -k 5 300 "$QEMU_DIR/pvrdma-test" --tap -p "$1"; }
all_tests() { "$QEMU_DIR/pvrdma-test" -l 2>&1 | grep "^/" | grep -vE '/(soft|wire)/|-exhaust$'; }
case ${4:-} in
  '') selection='/(ibdev|life|qp|data|batch|mr)/' iothread='/batch/' huge='/mr/' ;;
  all) selection=/ iothread='/(life|data|batch)/' huge='/(mr|data)/' ;;
  *) selection=$4 iothread='/(life|data|batch)/' huge='/(mr|data)/' ;;
esac
for name in $(all_tests | grep -E -- "$selection"); do
  check "qtest $name" one_test "$name"
  if grep -qE "$iothread" <<<"$name"; then PVRDMA_TEST_IOTHREAD=1 check "qtest iothread $name" one_test "$name"; fi
done
# RAM on huge pages; what cannot be mapped is refused, and said once however often it happens
HUGE_LOG=$(mktemp)
huge_tests() {
  local name
  export PVRDMA_TEST_HUGE=memfd
  for name in $(all_tests | grep -E -- "$huge" | grep -E -- "$selection"); do
    check "qtest huge memfd $name" one_test "$name"
  done
  PVRDMA_TEST_HUGE=$HUGE_DIR
  for name in $(all_tests | grep /mr/ | grep -E -- "$selection"); do
    check "qtest huge file $name" one_test "$name"
  done
  one_test /x86_64/pvrdma/mr/scattered >"$HUGE_LOG" 2>&1
  check "qtest huge pages: one warning" test "$(grep -c 'pvrdma: an application in the guest' "$HUGE_LOG")" = 1
}
with_huge_pages 400 huge_tests | tee "$HUGE_LOG.lines"
count_log "huge pages" "$HUGE_LOG.lines"
check "qtest: nothing of it is left on the link" sh -c '! rdma resource show qp link rxe0/1 | grep -v "comm \\[" | grep .'
tap_end
