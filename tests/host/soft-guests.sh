#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In l0: two libvirt guests whose RDMA is the soft device, wired up by our
# pvrdmactl; all traffic that the host's RDMA would carry, rdma_cm, and what
# happens to guests.  Every check counts.
#
# usage: soft-guests.sh KERNEL-DIR INITRAMFS-DIR QEMU-DIR
. "$PVR_TOP/tests/lib/common.sh"
for part in tap guest l1 traffic domains two-devices soft soak; do . "$PVR_TOP/tests/lib/$part.sh"; done

stage "two domains"
soft_host "$@"
define_domains
check_fails "attach: no such bridge" "nosuch" pvrdmactl attach vm1 --soft --bridge nosuch
check_fails "attach: no such domain" "nodomain" pvrdmactl attach nodomain --soft --bridge br-guests
check "failed attaches changed nothing" same_xml vm1
check "attach --dry-run shows a diff" soft_dry_run
check "attach --dry-run changed nothing" same_xml vm1
check "attach vm1, soft by default" pvrdmactl attach vm1 --bridge br-guests
check "attach vm2 --soft" pvrdmactl attach vm2 --soft --bridge br-guests
check "the guest's memory stays private" memory_is_private vm1
check "doctor vm1" pvrdmactl doctor vm1

stage "start"
start_soft vm1 vm2
for vm in vm1 vm2; do
  check "$vm: QEMU is unprivileged" unprivileged $vm
  check "$vm: no RDMA device of the host, no raised limit" no_privileges $vm
  check "$vm: both drivers bound" drivers_bound $vm
  check "$vm: the GID is made of the card's MAC" gid_of_card $vm
done
check "status names both domains" status_both

stage "ping-pong and perftest"
check "counters of vm1: no QP but its kernel's" idle_counters vm1
pingpong_checks link-local vm1 vm2
perf_matrix
check "counters of vm1 have grown with the traffic" counters_grew vm1
check "counters of vm1, while they are watched" watch_counters vm1

stage "payload, byte by byte"
check_verbs guests vm1 vm2
check_verbs "guests, other way" vm2 vm1 -t send,write,read,cas,event,ud

stage "rdma_cm, addresses and MTU"
pingpong_checks ipv4 vm1 vm2
cm_checks vm1 vm2 "${VM_ADDR[vm1]}"
cm_perf_checks vm1 vm2
pingpong_checks ipv6 vm2 vm1
cm_checks vm2 vm1 "${VM_ADDR6[vm2]}"
check "MTU 9000" use_mtu 9000 vm1 vm2
pingpong_checks ipv4 vm1 vm2
check_verbs "MTU 9000" vm1 vm2 -t send,write,read,ud
check "rping, MTU 9000" two_commands 60 cm:7174 vm1 vm2 \
  "rping -s -a @SERVER@ -C 5 -S 60000 -V" "rping -c -a @SERVER@ -C 5 -S 60000 -V"
check "MTU 1500" use_mtu 1500 vm1 vm2
check "GIDs: link-local" use_gids link-local vm1 vm2

stage "driver rebind, guest reboot"
rebind vm1
reboot_guest vm2
check "vm2: network after reboot" guest_network vm2
check "ibv_rc_pingpong after both" pair 90 18515 vm2 vm1 ibv_rc_pingpong -c -d @DEV@ -g @GID@ -n 100
check_verbs "after rebind and reboot" vm1 vm2 -t send,write,read,faa,event,ud
stage "binds and resets under traffic"
soak vm1 vm2
check "vm1: network after that" guest_network vm1

stage "link"
check "vm1: cable pulled" virsh domif-setlink vm1 "$(card_mac vm1)" down
check "vm1: port down" until_true 20 guest_port_state vm1 PORT_DOWN
check "vm1: cable back" virsh domif-setlink vm1 "$(card_mac vm1)" up
check "vm1: port active again" until_true 20 guest_port_state vm1 PORT_ACTIVE
check "ibv_rc_pingpong after that" pair 90 18515 vm1 vm2 ibv_rc_pingpong -c -d @DEV@ -g @GID@ -n 100

stage "destroy in mid-traffic"
check "traffic is flowing" start_traffic vm1 vm2
check "counters of vm2 tell the QP that is busy" busy_qp vm2
check "a watch of vm1 begins" start_watch vm1
check "virsh destroy vm1 in mid-traffic" virsh destroy vm1
check "the watch of vm1 ends with it" watch_ended
check_fails "no counters of what does not run" "not running" pvrdmactl status vm1 --stats
check "vm2 lives on" guest vm2 -t 90 'ibv_devinfo | grep PORT_ACTIVE'
check "vm2: its WRITEs fail" guest vm2 -t 60 'while pidof ib_write_bw >/dev/null; do sleep 1; done; cat /tmp/bw.out; grep "Failed status 12" /tmp/bw.out'
start_soft vm1
check "ibv_rc_pingpong with vm1 again" pair 90 18515 vm2 vm1 ibv_rc_pingpong -c -d @DEV@ -g @GID@ -n 100
for vm in vm1 vm2; do check "virsh destroy $vm" virsh destroy $vm; done

stage "two devices in one guest, and detach"
check "attach a second device to vm1" pvrdmactl attach vm1 --bridge br-guests --mac 52:54:00:77:01:01
start_guest vm1
check "vm1: both ports active" until_true 30 both_ports_active
check "vm1: two RDMA devices with a GID each" second_side
check "vm1: ping-pong from one device to the other" second_traffic
check "virsh destroy vm1" virsh destroy vm1
check "detach vm1 0, the older device first" pvrdmactl detach vm1 0
check "detach vm1 1" pvrdmactl detach vm1 1
check "detach vm2" pvrdmactl detach vm2
for vm in vm1 vm2; do check "$vm: XML as before attach" same_xml $vm; done
check_fails "detach with nothing attached" "" pvrdmactl detach vm1
soft_end
