#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In the L1: two guests on Soft-RoCE links; one sends while the other's driver is
# unbound and bound SOAK_BINDS times, and reset SOAK_RESETS times.
#
# usage: soak.sh KERNEL-DIR INITRAMFS-DIR QEMU-DIR
. "$PVR_TOP/tests/lib/common.sh"
for part in tap guest l1 traffic domains soak; do . "$PVR_TOP/tests/lib/$part.sh"; done

stage "two guests"
links_up
check "rxe add d0" pvrdmactl rxe add d0 --name rxe0
check "rxe add d1" pvrdmactl rxe add d1 --name rxe1
check "both links are active" until_true 10 both_active
l1_images "$@"
check "libvirtd starts" libvirt_up
define_domains
check "vm1: memory for the emulator is bounded" bound_emulator vm1
for n in 1 2; do
  check "attach vm$n" pvrdmactl attach vm$n --rxe d$((n - 1)) --bridge br-guests
  check "virsh start vm$n" virsh start vm$n
done
for vm in vm1 vm2; do
  check "$vm is up" guest_ready $vm 240
  check "$vm: PORT_ACTIVE" port_active $vm
done
guest_sides
stage "$SOAK_BINDS binds and $SOAK_RESETS resets under traffic"
soak vm1 vm2
check "ibv_rc_pingpong after all of them" pair 90 18515 vm2 vm1 ibv_rc_pingpong -c -d @DEV@ -g @GID@ -n 100
for vm in vm1 vm2; do check "virsh destroy $vm" virsh destroy $vm; done
check "nothing left" until_true 10 nothing_claimed vm1
tap_end
