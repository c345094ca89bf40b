#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In l0: rdma-core's own test suite in a guest with the soft device.
#
# usage: soft-pyverbs.sh KERNEL-DIR INITRAMFS-DIR QEMU-DIR IMAGE-DIR
. "$PVR_TOP/tests/lib/common.sh"
for part in tap guest l1 traffic domains soft; do . "$PVR_TOP/tests/lib/$part.sh"; done

# with_disk NAME IMAGE: read-only, as the guest's first virtio disk.
with_disk() {
  local disk="<disk type='file' device='disk'><source file='$2'/><target dev='vda' bus='virtio'/><readonly/></disk>"
  edit_guest "$1" "s|^ *<memballoon|    $disk\n&|"
}

mount_suite() {
  guest vm1 "mount -t ext4 -o ro /dev/vda /mnt && for d in proc sys dev tmp run; do mount --rbind /\$d /mnt/\$d || exit; done"
}

# Its lines are checks of ours.
run_suite() {
  guest vm1 -t 600 "chroot /mnt /bin/python3 /suite/run.py --dev ${SIDE_DEV[vm1]} --gid ${SIDE_GID[vm1]}" >"$L0_OUT/pyverbs.out" 2>&1
  local rc=$?
  cat "$L0_OUT/pyverbs.out"
  count_log pyverbs "$L0_OUT/pyverbs.out"
  [ $rc = 0 ]
}

stage "a guest"
soft_host "$1" "$2" "$3"
define_soft vm1
install -m 644 "$4/pyverbs.img" /var/lib/libvirt/images/
check "vm1: a disk with Python and the suite" with_disk vm1 /var/lib/libvirt/images/pyverbs.img
check "vm1: memory for Python" with_memory vm1 1024
start_soft vm1
go_on "vm1: the disk is mounted" mount_suite
check "vm1: a GID of its IPv4 address" use_gids ipv4 vm1

stage "rdma-core's tests"
run_suite || failed "rdma-core's tests as a whole"
soft_end
