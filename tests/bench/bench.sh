#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In the L1: perftest between two guests, and between the two bare Soft-RoCE
# links in the same boot; medians and their ratio (how many times slower the
# guests are).  Then the time of the hook's prepare.
#
# usage: bench.sh KERNEL-DIR INITRAMFS-DIR QEMU-DIR [REPETITIONS]
. "$PVR_TOP/tests/lib/common.sh"
for part in tap guest l1 traffic domains measure; do . "$PVR_TOP/tests/lib/$part.sh"; done
TOOLS_DIR=$2 REPEAT=${4:-3}
HOOK=/etc/libvirt/hooks/qemu.d/50-pvrdma

compare() {
  local tool=$1 size=$2 bare guest
  bare=$(measure a0 a1 "$tool" "$size") && guest=$(measure vm1 vm2 "$tool" "$size") ||
    { failed "$tool, $size bytes"; printf '%s\n%s\n' "$bare" "$guest"; return; }
  case $tool in
    *_lat) ratio=$(awk "BEGIN { printf \"%.1f\", $guest / $bare }") ;;
    *) ratio=$(awk "BEGIN { printf \"%.1f\", $bare / $guest }") ;;
  esac
  printf '%-14s %9s %12s %12s %8s\n' "$tool" "$size" "$bare" "$guest" "$ratio"
  TAP_PASSED=$((TAP_PASSED + 1))
}

# hook_ms OPERATION XML: milliseconds of one call.
hook_ms() {
  local from=$EPOCHREALTIME to sub=begin
  [ "$1" != release ] || sub=end
  "$HOOK" vm1 "$1" $sub - <"$2" || return
  to=$EPOCHREALTIME
  awk "BEGIN { printf \"%.1f\n\", ($to - $from) * 1000 }"
}

hook_times() {
  local i
  for ((i = 0; i < 15; i++)); do hook_ms prepare /run/vm1.before; done | median >/run/foreign
  for ((i = 0; i < 15; i++)); do
    hook_ms prepare /run/vm1.attached
    hook_ms release /run/vm1.attached >/dev/null
  done | median >/run/own
  for ((i = 0; i < 15; i++)); do /bin/true; from=$EPOCHREALTIME; /bin/true; to=$EPOCHREALTIME
    awk "BEGIN { printf \"%.1f\n\", ($to - $from) * 1000 }"; done | median >/run/true
  printf '\nhook prepare, median of 15: foreign domain %s ms, domain of ours %s ms (/bin/true: %s ms)\n' \
    "$(cat /run/foreign)" "$(cat /run/own)" "$(cat /run/true)"
  check "hook times" test -s /run/own -a -s /run/foreign
}

links_up
l1_images "$1" "$2" "$3"
pvrdmactl rxe add d0 --name rxe0 && pvrdmactl rxe add d1 --name rxe1
until_true 10 both_active
libvirt_up
define_domains
for vm in vm1 vm2; do
  check "attach $vm" pvrdmactl attach $vm --rxe "${VM_LINK[$vm]}" --bridge br-guests
  virsh dumpxml --inactive $vm >/run/$vm.attached
done
hook_times
for vm in vm1 vm2; do check "start $vm" virsh start $vm; done
for vm in vm1 vm2; do check "guest $vm is up" guest_ready $vm 240; done
for vm in vm1 vm2; do check "$vm: PORT_ACTIVE" port_active $vm; guest_side $vm; done
bare_sides

printf '\n%-14s %9s %12s %12s %8s   medians of %d; latency in microseconds, bandwidth in MB/s\n' \
  tool bytes bare guests slower "$REPEAT"
for tool in ib_send_lat ib_write_lat ib_read_lat ib_send_bw ib_write_bw ib_read_bw; do
  for size in ${PERF_SIZES:-64 4096 65536 1048576}; do compare $tool $size; done
done
compare ib_atomic_lat 8
for vm in vm1 vm2; do check "destroy $vm" virsh destroy $vm; done
tap_end
