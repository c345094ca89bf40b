#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In l0: the guests' kernels use the soft device: NVMe over RDMA.  vm1 exports a
# RAM disk, vm2 writes it full, both checksum it, vm2 reads it back.
#
# usage: soft-nvme.sh KERNEL-DIR INITRAMFS-DIR QEMU-DIR
. "$PVR_TOP/tests/lib/common.sh"
for part in tap guest l1 traffic domains soft; do . "$PVR_TOP/tests/lib/$part.sh"; done
DISK_MIB=${NVME_MIB:-1024}

# roomy NAME: memory for the disk, or for a copy of it.
roomy() { virsh dumpxml --inactive "$1" | sed "s|\(<[a-zA-Z]*emory unit='KiB'>\)[0-9]*|\1$(((DISK_MIB + 400) * 1024))|; s|quiet|& brd.rd_nr=1 brd.rd_size=$((DISK_MIB * 1024))|" | virsh define /dev/stdin; }

export_disk() {
  guest vm1 "set -e
    mount -t configfs configfs /sys/kernel/config; cd /sys/kernel/config/nvmet
    mkdir -p subsystems/disk/namespaces/1 ports/1
    echo 1 >subsystems/disk/attr_allow_any_host
    echo /dev/ram0 >subsystems/disk/namespaces/1/device_path
    echo 1 >subsystems/disk/namespaces/1/enable
    echo rdma >ports/1/addr_trtype; echo ipv4 >ports/1/addr_adrfam
    echo ${VM_ADDR[vm1]} >ports/1/addr_traddr; echo 4420 >ports/1/addr_trsvcid
    ln -s /sys/kernel/config/nvmet/subsystems/disk ports/1/subsystems/disk"
}
connect_disk() {
  guest vm2 "echo transport=rdma,traddr=${VM_ADDR[vm1]},trsvcid=4420,nqn=disk,nr_io_queues=1,queue_size=32 >/dev/nvme-fabrics" || { guest vm2 dmesg | tail; return 1; }
  until_true 20 guest vm2 'test -b /dev/nvme0n1' || { guest vm2 dmesg | tail; return 1; }
}

# sum_of NAME VM COMMAND: keeps what md5sum says of the command's output.
sum_of() { guest "$2" -t 300 "$3 | md5sum" | tail -n 1 >"/run/sum.$1"; grep -E '^[0-9a-f]{32} ' "/run/sum.$1"; }
same_sums() { cat "/run/sum.$1" "/run/sum.$2"; cmp "/run/sum.$1" "/run/sum.$2"; }
# The last line of dd has the rate.
copy() { guest vm2 -t 300 "dd bs=1M count=$DISK_MIB $*"; }

stage "two guests"
soft_host "$@"
define_soft vm1
define_soft vm2
for vm in vm1 vm2; do check "$vm: memory for $DISK_MIB MiB more" roomy $vm; done
start_soft vm1 vm2

stage "NVMe over RDMA, $DISK_MIB MiB"
check "vm1 exports a RAM disk" export_disk
go_on "vm2 connects to it" connect_disk
check "vm2: $DISK_MIB MiB of random data" copy if=/dev/urandom of=/tmp/data
check "vm2: its checksum" sum_of data vm2 "cat /tmp/data"
check "vm2 writes the disk full" copy if=/tmp/data of=/dev/nvme0n1 oflag=direct
check "vm1: checksum of its disk" sum_of disk vm1 "cat /dev/ram0"
check "the disk has what vm2 wrote" same_sums data disk
check "vm2 reads the disk back" sum_of back vm2 "dd bs=1M count=$DISK_MIB if=/dev/nvme0n1 iflag=direct"
check "vm2 read what it wrote" same_sums data back
check "vm2 disconnects" guest vm2 'echo 1 >/sys/class/nvme/nvme0/delete_controller; ! test -b /dev/nvme0n1'
soft_end
