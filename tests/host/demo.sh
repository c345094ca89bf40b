#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In the L1: the main job, shown.  Every command is printed before it runs; the
# first one that fails ends the demonstration.
#
# usage: demo.sh KERNEL-DIR INITRAMFS-DIR QEMU-DIR
. "$PVR_TOP/tests/lib/common.sh"
for part in tap guest l1 traffic domains show; do . "$PVR_TOP/tests/lib/$part.sh"; done

title "a host with two Ethernet links, d0 and d1, and a bridge for the guests' own network"
links_up
l1_images "$1" "$2" "$3"
libvirt_up || give_up "libvirtd does not start"
show ip -br link show type veth
for vm in vm1 vm2; do
  guest_pipes $vm
  domain_xml $vm "${VM_UUID[$vm]}" "${VM_ADDR[$vm]}" >/run/$vm.xml
  show virsh -q define /run/$vm.xml
  keep_xml $vm
done

title "Soft-RoCE on both links"
show pvrdmactl rxe add d0 --name rxe0
show pvrdmactl rxe add d1
until_true 10 both_active
show pvrdmactl list
baseline

title "one for each domain"
show pvrdmactl attach vm1 --rxe d0 --bridge br-guests
show virsh -q start vm1
show pvrdmactl attach vm2 --rxe d1 --bridge br-guests
show virsh -q start vm2
show pvrdmactl status

title "the guests boot (an emulated guest in an emulated host: about a minute)"
for vm in vm1 vm2; do guest_ready $vm 200 || give_up "$vm did not boot"; done
for vm in vm1 vm2; do port_active $vm >/dev/null || give_up "$vm: the port is not active"; done
show_in vm1 "ibv_devinfo | grep -E 'hca_id|transport|state|active_mtu|link_layer'"
show_in vm1 "grep . /sys/class/infiniband/*/ports/1/gids/0"
show grep . /sys/class/infiniband/rxe0/ports/1/gids/0
for vm in vm1 vm2; do guest_side $vm || give_up "$vm has no RoCE v2 GID"; done

title "RDMA between the guests"
show_pair vm1 vm2 ibv_rc_pingpong -c -d @DEV@ -g @GID@ -n 100
show_pair vm1 vm2 ibv_ud_pingpong -d @DEV@ -g @GID@ -n 100 -s 1024
DEMO_PORT=18520 DEMO_LINES=20 show_pair vm1 vm2 verbs-check -d @DEV@ -g @GID@ -p 18520 -t write,read,cas,faa

show_table

title "all given back"
show virsh -q destroy vm1
show virsh -q destroy vm2
for vm in vm1 vm2; do until_true 10 nothing_left $vm || { nothing_left $vm; give_up "$vm left something behind"; }; done
show pvrdmactl detach vm1
show pvrdmactl detach vm2
for vm in vm1 vm2; do same_xml $vm || give_up "$vm's XML is not what it was"; done
show pvrdmactl rxe del rxe0
printf '\nDone in %d s: no lease, no link and no RDMA object is left, and both domains are as they were.\n\n' "$SECONDS"
cat /run/table
