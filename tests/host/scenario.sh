#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In the L1: from a bare machine to RDMA between two libvirt guests, with our
# pvrdmactl, our hook and our QEMU.  Every check counts.
#
# usage: scenario.sh KERNEL-DIR INITRAMFS-DIR QEMU-DIR
. "$PVR_TOP/tests/lib/common.sh"
for part in tap guest l1 traffic domains two-devices; do . "$PVR_TOP/tests/lib/$part.sh"; done
KERNEL=$1 INITRAMFS=$2 QEMU=$3 TOOLS_DIR=$2

# go_on NAME COMMAND...: a check without which nothing that follows makes sense.
go_on() {
  check "$@"
  [ "$TAP_FAILED_LAST" = 0 ] && return
  tail -n 20 /run/guests/*.log /var/log/libvirt/qemu/vm?.log
  tap_end
  exit 1
}

stage "two Soft-RoCE links"
links_up
check "rxe add d0" pvrdmactl rxe add d0 --name rxe0
check "rxe add d1, name chosen" pvrdmactl rxe add d1
check "list shows both links active" until_true 10 both_active
bare_sides
check_verbs "bare rxe" a0 a1 $RXE_LACKS

stage "libvirt and two domains"
l1_images "$KERNEL" "$INITRAMFS" "$QEMU"
check "libvirtd starts" libvirt_up
define_domains
check_fails "attach: unknown device" "nosuch" pvrdmactl attach vm1 --rxe nosuch --bridge br-guests
check_fails "attach: unknown domain" "nodomain" pvrdmactl attach nodomain --rxe d0 --bridge br-guests
check "failed attaches changed nothing" same_xml vm1
check "attach --dry-run shows a diff" dry_run_diff
check "attach --dry-run changed nothing" same_xml vm1
check "attach vm1" pvrdmactl attach vm1 --rxe d0 --bridge br-guests
check "attach vm2" pvrdmactl attach vm2 --rxe d1 --bridge br-guests
check_fails "attach: twice" "" pvrdmactl attach vm1 --rxe d0 --bridge br-guests
check_fails "attach: link held by another domain" "vm1" pvrdmactl attach vm2 --rxe d0 --bridge br-guests
check "doctor vm1" pvrdmactl doctor vm1
baseline

stage "negative starts"
negative_starts

stage "start"
check "virsh start vm1" virsh start vm1
check "virsh start vm2" virsh start vm2
go_on "both domains run" both_run
for vm in vm1 vm2; do
  check "$vm: QEMU is unprivileged" unprivileged $vm
  check "$vm: QEMU has a mount namespace and a device cgroup of its own" confined $vm
  check "$vm: lease and symlink" lease_exists $vm
  check "$vm: memlock raised" memlock_raised $vm
done
check "status names both domains" status_both
go_on "guest vm1 is up" guest_ready vm1 240
go_on "guest vm2 is up" guest_ready vm2 240

stage "devices in the guests"
for vm in vm1 vm2; do
  check "$vm: PORT_ACTIVE" port_active $vm
  check "$vm: has the host's GID" has_host_gid $vm
  check "$vm: both drivers bound" drivers_bound $vm
done
guest_sides

stage "ping-pong"
check "ibv_rc_pingpong, polled, verified" pair 90 18515 vm1 vm2 ibv_rc_pingpong -c -d @DEV@ -g @GID@ -n 100
check "ibv_rc_pingpong, events" pair 90 18515 vm2 vm1 ibv_rc_pingpong -e -d @DEV@ -g @GID@ -n 100
check "ibv_ud_pingpong, polled" pair 90 18515 vm1 vm2 ibv_ud_pingpong -d @DEV@ -g @GID@ -n 100 -s 1024
check "ibv_ud_pingpong, events" pair 90 18515 vm2 vm1 ibv_ud_pingpong -e -d @DEV@ -g @GID@ -n 100 -s 1024

stage "payload, byte by byte"
check_verbs guests vm1 vm2
check_verbs "guests, other way" vm2 vm1 -t send,write,read,cas,event,ud

stage "perftest"
perf_matrix

stage "driver rebind and guest reboot"
rebind vm1 check "vm1: no host object while unbound" rdma_like_baseline vm1
reboot_guest vm2
check "ibv_rc_pingpong after both" pair 90 18515 vm2 vm1 ibv_rc_pingpong -c -d @DEV@ -g @GID@ -n 100
check_verbs "after rebind and reboot" vm1 vm2 -t send,write,read,faa,event,ud
link_flap

stage "destroy in mid-traffic"
destroy_in_traffic

stage "two devices in one guest, and detach"
two_devices
check "rxe del" pvrdmactl rxe del rxe0
check_fails "rxe0 is gone" "rxe0" pvrdmactl gid rxe0

stage "end"
tap_end
