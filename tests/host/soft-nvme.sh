#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In l0: the guests' kernels use the soft device: NVMe over RDMA.  vm1 exports a
# RAM disk, vm2 writes it full, both checksum it, vm2 reads it back.
#
# usage: soft-nvme.sh KERNEL-DIR INITRAMFS-DIR QEMU-DIR
. "$PVR_TOP/tests/lib/common.sh"
for part in tap guest l1 traffic domains soft; do . "$PVR_TOP/tests/lib/$part.sh"; done
# An emulated guest needs a minute to checksum 1 GiB, and each byte is summed thrice.
case $(domain_type) in
  kvm) DISK_MIB=${NVME_MIB:-1024} ;;
  *) DISK_MIB=${NVME_MIB:-256} ;;
esac

# with_room NAME: memory for the disk, or for a copy of it.
with_room() {
  with_memory "$1" $((DISK_MIB + 400)) && edit_guest "$1" "s|quiet|& brd.rd_nr=1 brd.rd_size=$((DISK_MIB * 1024))|"
}

# A command is one line to the guest.
export_disk() {
  local steps=(
    'mount -t configfs configfs /sys/kernel/config' 'cd /sys/kernel/config/nvmet'
    'mkdir -p subsystems/disk/namespaces/1 ports/1'
    'echo 1 >subsystems/disk/attr_allow_any_host'
    'echo /dev/ram0 >subsystems/disk/namespaces/1/device_path'
    'echo 1 >subsystems/disk/namespaces/1/enable'
    'echo rdma >ports/1/addr_trtype' 'echo ipv4 >ports/1/addr_adrfam'
    "echo ${VM_ADDR[vm1]} >ports/1/addr_traddr" 'echo 4420 >ports/1/addr_trsvcid'
    'ln -s /sys/kernel/config/nvmet/subsystems/disk ports/1/subsystems/disk')
  guest vm1 "set -e; $(printf '%s; ' "${steps[@]}")"
}
connect_disk() {
  guest vm2 "echo transport=rdma,traddr=${VM_ADDR[vm1]},trsvcid=4420,nqn=disk,nr_io_queues=1,queue_size=32 >/dev/nvme-fabrics" || { guest vm2 dmesg | tail; return 1; }
  until_true 20 guest vm2 'test -b /dev/nvme0n1' || { guest vm2 dmesg | tail; return 1; }
}

# sum_of NAME VM COMMAND: keeps the checksum that the command prints.
sum_of() {
  guest "$2" -t 300 "$3" | tee "/run/sum.out" | grep -oE '^[0-9a-f]{32}' >"/run/sum.$1" || { cat /run/sum.out; return 1; }
}
same_sums() { cat "/run/sum.$1" "/run/sum.$2"; cmp "/run/sum.$1" "/run/sum.$2"; }
random_data() { guest vm2 -t 300 "mkdir /data && mount -t tmpfs -o size=100% data /data && dd bs=1M count=$DISK_MIB if=/dev/urandom of=/data/file"; }

stage "two guests"
soft_host "$@"
define_soft vm1
define_soft vm2
for vm in vm1 vm2; do check "$vm: memory for $DISK_MIB MiB more" with_room $vm; done
start_soft vm1 vm2

stage "NVMe over RDMA, $DISK_MIB MiB"
check "vm1 exports a RAM disk" export_disk
go_on "vm2 connects to it" connect_disk
check "vm2: $DISK_MIB MiB of random data" random_data
check "vm2: its checksum" sum_of data vm2 "md5sum /data/file"
check "vm2 writes the disk full" guest vm2 -t 300 "dd bs=1M if=/data/file of=/dev/nvme0n1 oflag=direct"
check "vm1: checksum of its disk" sum_of disk vm1 "md5sum /dev/ram0"
check "the disk has what vm2 wrote" same_sums data disk
check "vm2 reads the disk back" guest vm2 -t 300 "dd bs=1M if=/dev/nvme0n1 iflag=direct of=/data/file"
check "vm2: checksum of what it read" sum_of back vm2 "md5sum /data/file"
check "vm2 read what it wrote" same_sums data back
check "vm2 disconnects" guest vm2 'echo 1 >/sys/class/nvme/nvme0/delete_controller; ! test -b /dev/nvme0n1'
soft_end
