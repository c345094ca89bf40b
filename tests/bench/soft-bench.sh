#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In l0: the soft device against what guests without it would use, Linux's
# Soft-RoCE inside the guests on an ordinary network card; the same kernel, one
# pair of guests after the other.  Medians, and how much better soft is than the
# better of the two others.
#
# usage: soft-bench.sh KERNEL-DIR INITRAMFS-DIR QEMU-DIR [REPETITIONS]
. "$PVR_TOP/tests/lib/common.sh"
for part in tap guest l1 traffic domains soft measure; do . "$PVR_TOP/tests/lib/$part.sh"; done
REPEAT=${4:-3}
declare -A RESULT

# What is measured: a title, the tool, the size, messages, the column (5 of
# *_bw: millions of messages a second), and which end is better.
METRICS="ib_send_lat:64:200::low
ib_write_lat:64:200::low
ib_read_lat:64:200::low
ib_send_bw:4096:1000::high
ib_write_bw:4096:1000::high
ib_read_bw:4096:1000::high
ib_send_bw:1048576:30::high
ib_write_bw:1048576:30::high
ib_read_bw:1048576:30::high
ib_send_bw:64:2000:5:high
ib_write_bw:64:2000:5:high"

# measure_all NAME SERVER CLIENT: RESULT[NAME METRIC].
measure_all() {
  local metric tool size n column
  for metric in $METRICS; do
    IFS=: read -r tool size n column _ <<<"$metric"
    check "$1: $tool, $size bytes" keep_median "$1 $metric" "$2" "$3" "$tool" "$size" "$n" "$column"
  done
}
keep_median() {
  RESULT[$1]=$(PERF_ITERATIONS=$6 PERF_COLUMN=$7 measure "$2" "$3" "$4" "$5") || { echo "${RESULT[$1]}"; RESULT[$1]=nan; return 1; }
}

ratio() {
  awk -v s="$1" -v a="$2" -v b="$3" -v better="$4" 'BEGIN {
    if (better == "low") { best = a < b ? a : b; r = best / s } else { best = a > b ? a : b; r = s / best }
    printf "%.1f", r }'
}

unit() {
  case $1 in
    *_lat:*) echo us ;;
    *:5:*) echo Mmsg/s ;;
    *) echo MB/s ;;
  esac
}

table() {
  local metric tool size s a b
  printf '\n%-14s %9s %7s %12s %12s %12s %8s   medians of %d; %s, %s\n' tool bytes unit rxe/virtio rxe/vmxnet3 soft \
    better "$REPEAT" "$(domain_type)" "$(grep -m 1 -oP 'model name\s*: \K.*' /proc/cpuinfo)"
  for metric in $METRICS; do
    IFS=: read -r tool size _ <<<"$metric"
    a=${RESULT[virtio $metric]} b=${RESULT[vmxnet3 $metric]} s=${RESULT[soft $metric]}
    printf '%-14s %9s %7s %12s %12s %12s %8s\n' "$tool" "$size" "$(unit "$metric")" "$a" "$b" "$s" "$(ratio "$s" "$a" "$b" "${metric##*:}")"
  done
}

soft_host "$1" "$2" "$3"
for model in virtio vmxnet3; do
  stage "Soft-RoCE in the guests, on $model"
  for vm in peer1 peer2; do define_peer $vm $model; done
  for vm in peer1 peer2; do start_peer $vm; done
  measure_all $model peer1 peer2
  for vm in peer1 peer2; do check "destroy $vm" remove_guest $vm; done
done
stage "the soft device"
for vm in vm1 vm2; do define_soft $vm; done
start_soft vm1 vm2
measure_all soft vm1 vm2
table
soft_end
