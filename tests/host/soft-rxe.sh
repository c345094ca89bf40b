#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In l0: the soft device against Linux's own Soft-RoCE, which runs in a guest on
# a virtio-net card of the same Ethernet network.
#
# usage: soft-rxe.sh KERNEL-DIR INITRAMFS-DIR QEMU-DIR
. "$PVR_TOP/tests/lib/common.sh"
for part in tap guest l1 traffic domains soft; do . "$PVR_TOP/tests/lib/$part.sh"; done
SIZES=${PERF_SIZES:-64 65536}

# both_ways A B: perftest with either side as the server.
both_ways() {
  local size tool
  for size in $SIZES; do
    for tool in ib_send_bw ib_write_bw ib_read_bw ib_send_lat ib_write_lat ib_read_lat; do
      check "$1 serves $2: $tool, $size bytes" perf "$1" "$2" $tool "$size"
      check "$2 serves $1: $tool, $size bytes" perf "$2" "$1" $tool "$size"
    done
  done
  for tool in FETCH_AND_ADD CMP_AND_SWAP; do
    check "$1 serves $2: ib_atomic_lat, $tool" perf "$1" "$2" ib_atomic_lat 8 -A $tool
    check "$2 serves $1: ib_atomic_lat, $tool" perf "$2" "$1" ib_atomic_lat 8 -A $tool
  done
}

stage "a guest with the soft device, a guest with Soft-RoCE"
soft_host "$@"
define_soft vm1
define_peer peer1 virtio
start_soft vm1
start_peer peer1

stage "ping-pong"
for kind in link-local ipv4 ipv6; do
  pingpong_checks $kind vm1 peer1
  pingpong_checks $kind peer1 vm1
done

stage "rdma_cm"
for pair in "vm1 peer1" "peer1 vm1"; do
  set -- $pair
  cm_checks "$1" "$2" "${VM_ADDR[$1]}"
  cm_checks "$1" "$2" "${VM_ADDR6[$1]}"
  cm_perf_checks "$1" "$2"
done

stage "perftest"
check "GIDs: ipv4" use_gids ipv4 vm1 peer1
both_ways vm1 peer1
check_verbs "soft serves rxe" vm1 peer1 $RXE_LACKS
check_verbs "rxe serves soft" peer1 vm1 $RXE_LACKS

stage "MTU 9000"
check "MTU 9000" use_mtu 9000 vm1 peer1
pingpong_checks ipv4 vm1 peer1
SIZES=65536 both_ways vm1 peer1
soft_end
