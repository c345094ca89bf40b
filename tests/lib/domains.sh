# SPDX-License-Identifier: GPL-2.0-or-later
# The scenario's two domains vm1 and vm2 on the links d0 and d1, and what is
# checked about them.  Runs in the L1.  Needs tap.sh, guest.sh, l1.sh, traffic.sh.

UUID1=6a0f6a6c-0000-4000-8000-000000000001
UUID2=6a0f6a6c-0000-4000-8000-000000000002
declare -A VM_UUID=([vm1]=$UUID1 [vm2]=$UUID2)
declare -A VM_LINK=([vm1]=d0 [vm2]=d1) VM_RXE=([vm1]=rxe0 [vm2]=rxe1)
declare -A VM_ADDR=([vm1]=10.77.0.1 [vm2]=10.77.0.2)

both_active() { [ "$(pvrdmactl list | grep -c ACTIVE)" = 2 ]; }

define_domains() {
  define_domain vm1
  define_domain vm2
}
define_domain() {
  guest_pipes "$1"
  domain_xml "$1" "${VM_UUID[$1]}" "${VM_ADDR[$1]}" >"/run/$1.xml"
  check "define $1" virsh define "/run/$1.xml"
  keep_xml "$1"
}

# keep_xml VM: its XML as same_xml wants to find it again.  Controllers that
# libvirt added by itself are put in order when it reads the definition a second
# time, as its next start does: let it settle first.
keep_xml() {
  virsh dumpxml --inactive "$1" >"/run/$1.first"
  virsh -q define "/run/$1.first"
  virsh dumpxml --inactive "$1" >"/run/$1.before"
}

same_xml() { virsh dumpxml --inactive "$1" | diff "/run/$1.before" -; }

dry_run_diff() { pvrdmactl attach vm1 --rxe d0 --bridge br-guests --dry-run | grep -q "^+.*/dev/pvrdma/$UUID1-0"; }

# What the kernel counts on a link: its own objects are there from the start.
rdma_objects() { rdma resource show "$1" | sed "s/^[0-9]*: //"; }
baseline() {
  rdma_objects rxe0 >/run/rxe0.objects
  rdma_objects rxe1 >/run/rxe1.objects
}

# nothing_left VM: no host object, no lease, no symlink.
nothing_left() {
  rdma_objects "${VM_RXE[$1]}" | diff "/run/${VM_RXE[$1]}.objects" - || return
  nothing_claimed "$1"
}
nothing_claimed() {
  local path
  for path in "/run/pvrdma/leases/${VM_UUID[$1]}-0.json" "/dev/pvrdma/${VM_UUID[$1]}-0"; do
    if [ -e "$path" ] || [ -L "$path" ]; then echo "$path is still there"; return 1; fi
  done
}

both_run() { [ "$(virsh -q list --name | grep -c vm)" = 2 ]; }
qemu_pid() { cat "/run/libvirt/qemu/$1.pid"; }
unprivileged() {
  local uid
  uid=$(id -u libvirt-qemu)
  grep -x "Uid:.$uid.$uid.$uid.$uid" "/proc/$(qemu_pid "$1")/status" || { grep Uid "/proc/$(qemu_pid "$1")/status"; return 1; }
}
confined() {
  local pid
  pid=$(qemu_pid "$1")
  [ "$(readlink "/proc/$pid/ns/mnt")" != "$(readlink /proc/self/ns/mnt)" ] || { echo "no mount namespace"; return 1; }
  grep -q machine "/proc/$pid/cgroup" || { cat "/proc/$pid/cgroup"; return 1; }
  # a node that nobody gave it
  ! nsenter -t "$pid" -m test -e /dev/mem || { echo "/dev/mem is in its /dev"; return 1; }
}
lease_exists() {
  cat "/run/pvrdma/leases/${VM_UUID[$1]}-0.json" && readlink -e "/dev/pvrdma/${VM_UUID[$1]}-0" | grep infiniband/uverbs
}
memlock_raised() { grep 'Max locked memory  *unlimited' "/proc/$(qemu_pid "$1")/limits"; }
status_both() { pvrdmactl status >/run/status && grep vm1 /run/status && grep vm2 /run/status; }

port_active() { until_true 30 guest_port_active "$1" || guest "$1" ibv_devinfo -v; }
guest_port_active() { guest "$1" ibv_devinfo | grep PORT_ACTIVE; }
has_host_gid() {
  local gid
  gid=$(cat "/sys/class/infiniband/${VM_RXE[$1]}/ports/1/gids/0")
  guest "$1" 'cat /sys/class/infiniband/*/ports/1/gids/*' | grep -x "$gid"
}
drivers_bound() {
  guest "$1" 'ls /sys/bus/pci/drivers/vmw_pvrdma /sys/bus/pci/drivers/vmxnet3' >/run/drivers
  grep -q '^0000:.*\.0$' /run/drivers && grep -q '^0000:.*\.1$' /run/drivers || { cat /run/drivers; guest "$1" dmesg | tail -n 20; return 1; }
}
guest_side() {
  SIDE_DEV[$1]=$(guest "$1" 'ls /sys/class/infiniband' | head -n 1)
  SIDE_GID[$1]=$(guest "$1" gid-index "${SIDE_DEV[$1]}")
  SIDE_ADDR[$1]=${VM_ADDR[$1]}
}
guest_sides() {
  check "vm1: a RoCE v2 GID with the MAC" guest_side vm1
  check "vm2: a RoCE v2 GID with the MAC" guest_side vm2
}

# Each row costs a nested guest seconds: all of them at one size, and bandwidth of
# what fills every window.  verbs-check goes through the sizes, byte by byte.
PERF_SIZES=${PERF_SIZES:-4096}
PERF_BULK=${PERF_BULK:-1048576}
perf_matrix() {
  local tool size
  for size in $PERF_SIZES; do
    for tool in ib_send_bw ib_send_lat ib_write_bw ib_write_lat ib_read_bw ib_read_lat; do
      check "$tool, $size bytes, polled" perf vm1 vm2 $tool "$size"
      # perftest has no events for WRITE
      [[ $tool = ib_write_* ]] || check "$tool, $size bytes, events" perf vm1 vm2 $tool "$size" -e
    done
  done
  for tool in ib_send_bw ib_write_bw ib_read_bw; do
    check "$tool, $PERF_BULK bytes, polled" perf vm1 vm2 $tool "$PERF_BULK"
  done
  check "ib_atomic_lat, FAA, polled" perf vm1 vm2 ib_atomic_lat 8 -A FETCH_AND_ADD
  check "ib_atomic_lat, CAS, polled" perf vm1 vm2 ib_atomic_lat 8 -A CMP_AND_SWAP
  check "ib_atomic_lat, events" perf vm1 vm2 ib_atomic_lat 8 -e
}

# rebind VM [COMMAND...]: COMMAND is run while no driver is bound.
PCI_DRIVER=/sys/bus/pci/drivers/vmw_pvrdma
rebind() {
  local fn
  fn=$(guest "$1" "ls $PCI_DRIVER" | grep '^0000:')
  check "$1: driver unbinds" guest "$1" "echo $fn >$PCI_DRIVER/unbind"
  "${@:2}"
  check "$1: driver binds again" guest "$1" "echo $fn >$PCI_DRIVER/bind"
  check "$1: PORT_ACTIVE after rebind" port_active "$1"
  check "$1: GID after rebind" guest_side "$1"
}
# QEMU keeps the device open, so the context (ctx) stays.
rdma_like_baseline() { until_true 10 diff_objects "${VM_RXE[$1]}" || diff_objects "${VM_RXE[$1]}"; }
diff_objects() { diff <(sed 's/ ctx [0-9]*//' "/run/$1.objects") <(rdma_objects "$1" | sed 's/ ctx [0-9]*//'); }

reboot_guest() {
  printf '0 5 reboot -f\n' >&"${GUEST_TX[$1]}"
  check "$1: up after reboot" guest_ready "$1" 240
  check "$1: PORT_ACTIVE after reboot" port_active "$1"
  check "$1: GID after reboot" guest_side "$1"
}

# The host's port goes down and comes back: the guest must be told.
link_flap() {
  ip link set d0 down
  check "vm1: port down when the host's is" until_true 20 guest_port_state vm1 PORT_DOWN
  ip link set d0 up
  check "vm1: port active again" until_true 20 guest_port_state vm1 PORT_ACTIVE
}
guest_port_state() { guest "$1" ibv_devinfo | grep "$2"; }

destroy_in_traffic() {
  local limit
  guest vm2 "serve 18515 timeout 100 $(for_side vm2 'ib_write_bw -d @DEV@ -x @GID@ -F -s 4096 -D 60')"
  guest vm1 "(timeout 100 $(for_side vm1 'ib_write_bw -d @DEV@ -x @GID@ -F -s 4096 -D 60') ${VM_ADDR[vm2]} >/tmp/bw.out 2>&1 &) </dev/null"
  sleep 8
  check "traffic is flowing" guest vm1 'pidof ib_write_bw'
  check "the link has objects of vm1" objects_differ rxe0
  check "virsh destroy vm1 in mid-traffic" virsh destroy vm1
  check "vm1: nothing left after destroy" until_true 5 nothing_left vm1
  check "vm2 lives on" guest vm2 -t 90 'ibv_devinfo | grep PORT_ACTIVE'
  check "virsh destroy vm2" virsh destroy vm2
  check "vm2: nothing left after destroy" until_true 5 nothing_left vm2
}
objects_differ() { ! diff_objects "$1" >/dev/null; }

# with_edited_xml VM SED-SCRIPT COMMAND...: COMMAND while the persistent XML is changed.
with_edited_xml() {
  local vm=$1 script=$2 rc=0
  shift 2
  virsh dumpxml --inactive "$vm" >/run/edit.orig
  sed "$script" /run/edit.orig >/run/edit.xml
  ! cmp -s /run/edit.orig /run/edit.xml || { echo "the edit '$script' changed nothing"; return 0; }
  virsh define /run/edit.xml >/dev/null
  "$@" || rc=$?
  virsh define /run/edit.orig >/dev/null
  return $rc
}

# The netdev is away, and with it the Soft-RoCE link.
missing_link() {
  pvrdmactl rxe del rxe0
  ip link set d0 down
  ip link set d0 name away
  check_fails "missing link: refused" "d0" virsh start vm1
  check "missing link: nothing claimed" nothing_claimed vm1
  ip link set away name d0
  ip link set d0 up
  pvrdmactl rxe add d0 --name rxe0
  until_true 10 both_active
}

negative_starts() {
  check_fails "private RAM: refused with the XML to add" "memoryBacking|<source type='memfd'" \
    with_edited_xml vm1 '/<memoryBacking>/,/<\/memoryBacking>/d' virsh start vm1
  check "private RAM: nothing claimed" nothing_left vm1
  check_fails "wrong MAC: refused" "52:54:00:aa:00:01" \
    with_edited_xml vm1 "/<mac address=/s/$MAC0/52:54:00:aa:00:99/" virsh start vm1
  check "wrong MAC: nothing claimed" nothing_left vm1
  missing_link
  printf '#!/bin/sh\n[ "$2" != prepare ] || { echo "another hook objects" >&2; exit 1; }\n' >/etc/libvirt/hooks/qemu.d/60-objects
  chmod +x /etc/libvirt/hooks/qemu.d/60-objects
  check_fails "another hook fails: start fails" "another hook objects" virsh start vm1
  check "another hook fails: nothing claimed" nothing_left vm1
  rm /etc/libvirt/hooks/qemu.d/60-objects
  chmod -x /etc/libvirt/hooks/qemu.d/50-pvrdma
  check_fails "our hook did not run: start fails" "/dev/pvrdma/$UUID1-0" virsh start vm1
  chmod +x /etc/libvirt/hooks/qemu.d/50-pvrdma
  check "our hook did not run: nothing claimed" nothing_left vm1
}
