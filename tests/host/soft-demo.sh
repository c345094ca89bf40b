#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In l0: RDMA between two libvirt guests on a machine that has none, shown.
# Every command is printed before it runs; the first one that fails ends the
# demonstration.
#
# usage: soft-demo.sh KERNEL-DIR INITRAMFS-DIR QEMU-DIR
. "$PVR_TOP/tests/lib/common.sh"
for part in tap guest l1 traffic domains soft show; do . "$PVR_TOP/tests/lib/$part.sh"; done

# show_cm SERVER CLIENT SERVER-COMMAND CLIENT-COMMAND: connected by rdma_cm.
show_cm() {
  local out
  printf '%s# %s\n%s# %s\n' "$1" "$3" "$2" "$4"
  out=$(two_commands 60 cm:7174 "$@") || { printf '%s\n' "$out"; give_up "$4"; }
  tail -n 3 <<<"$out"
}

title "a host with a bridge, and no RDMA at all"
bridges br-guests
l1_images "$@"
libvirt_up || give_up "libvirtd does not start"
printf 'host# ls /sys/class/infiniband\n'
ls /sys/class/infiniband || true
for vm in vm1 vm2; do
  guest_pipes $vm
  domain_xml $vm "${VM_UUID[$vm]}" "${VM_ADDR[$vm]}" >/run/$vm.xml
  show virsh -q define /run/$vm.xml
  keep_xml $vm
done

title "an RDMA device for each domain"
for vm in vm1 vm2; do
  show pvrdmactl attach $vm --bridge br-guests
  show virsh -q start $vm
done
show pvrdmactl status

title "the guests boot ($(domain_type))"
for vm in vm1 vm2; do guest_ready $vm 100 || give_up "$vm did not boot"; done
for vm in vm1 vm2; do port_active $vm >/dev/null || give_up "$vm: the port is not active"; done
show_in vm1 "ibv_devinfo | grep -E 'hca_id|transport|state|active_mtu|link_layer'"
for vm in vm1 vm2; do guest_side $vm || give_up "$vm has no RoCE v2 GID"; done
for vm in vm1 vm2; do use_gids ipv4 $vm || give_up "$vm has no GID of its IPv4 address"; done
show_in vm1 "rdma link; ip addr show eth0"

title "RDMA between the guests"
show_pair vm1 vm2 ibv_rc_pingpong -c -d @DEV@ -g @GID@ -n 500
show_pair vm1 vm2 ibv_ud_pingpong -d @DEV@ -g @GID@ -n 500 -s 1024
DEMO_PORT=18520 DEMO_LINES=20 show_pair vm1 vm2 verbs-check -d @DEV@ -g @GID@ -p 18520 -t send,write,read,cas,faa

title "connections made by rdma_cm"
show_cm vm1 vm2 "rping -s -a ${VM_ADDR[vm1]} -C 3 -S 40 -v" "rping -c -a ${VM_ADDR[vm1]} -C 3 -S 40 -v"
show_cm vm1 vm2 "udaddy -C 100" "udaddy -s ${VM_ADDR[vm1]} -C 100"

show_table

title "all given back"
show virsh -q destroy vm1
show virsh -q destroy vm2
show pvrdmactl detach vm1
show pvrdmactl detach vm2
for vm in vm1 vm2; do same_xml $vm || give_up "$vm's XML is not what it was"; done
printf '\nDone in %d s: both domains are as they were.\n\n' "$SECONDS"
cat /run/table
