#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a 64 byte send costs in the device alone, from the doorbell to the call of verbs, and a completion from there to
# the guest: QEMU's own test of batches on tests/loop-verbs, which takes the time.  The best of five.  With few signaled,
# each completion stands for the 32 sends of a batch.
#
# usage: wqe-bench.sh [10.0|10.2]
set -eu
. "$(dirname "$0")/../lib/common.sh"
# shellcheck disable=SC1090
for p in debian build tap suites; do . "$PVR_TOP/tests/lib/$p.sh"; done
dir=$("$PVR_TOP/tests/host/build-qemu" "${1:-10.0}")
so=$(loop_verbs)
for name in each-signaled few-signaled; do
  report=$(mktemp)
  for _ in 1 2 3 4 5; do
    LOOP_VERBS_REPORT=$report loop_qtest "$so" "$dir" "/x86_64/pvrdma/batch/$name" >/dev/null
  done
  for what in sends completions; do
    printf '%s: %s: %s ns\n' "$name" "$what" "$(sed -n "s/^$what: .* \([0-9]*\) ns each.*/\1/p" "$report" | sort -n | head -n 1)"
  done
  rm -f "$report"
done
