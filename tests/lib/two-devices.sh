# SPDX-License-Identifier: GPL-2.0-or-later
# One guest with two devices, each on a link of its own.  Runs in the L1 at the
# end of the scenario, with both domains shut off.  Needs domains.sh.

# Side vm1b is the second device of vm1, which talks to the first over the wire.
second_side() {
  local devs
  devs=$(guest vm1 'ls /sys/class/infiniband') || return
  set -- $devs
  [ $# = 2 ] || { echo "the guest has $# RDMA devices: $*"; return 1; }
  SECOND_FROM=$1 SECOND_TO=$2
  SECOND_FROM_GID=$(guest vm1 "gid-index $1") && SECOND_TO_GID=$(guest vm1 "gid-index $2")
}

both_ports_active() { [ "$(guest vm1 ibv_devinfo | grep -c PORT_ACTIVE)" = 2 ]; }

second_traffic() {
  guest vm1 "serve 18530 timeout 60 ibv_rc_pingpong -p 18530 -c -d $SECOND_FROM -g $SECOND_FROM_GID -n 50" &&
    guest vm1 -t 60 "ibv_rc_pingpong -p 18530 -c -d $SECOND_TO -g $SECOND_TO_GID -n 50 127.0.0.1" &&
    guest vm1 -t 60 served
}

no_claim_at_all() {
  local left
  left=$(ls /run/pvrdma/leases /dev/pvrdma 2>/dev/null | grep "$UUID1")
  [ -z "$left" ] || { echo "$left"; return 1; }
}

two_devices() {
  check "detach vm2, which frees d1" pvrdmactl detach vm2
  check "vm2: XML as before attach" same_xml vm2
  check "attach d1 to vm1 as its second device" pvrdmactl attach vm1 --rxe d1 --bridge br-guests
  check "status shows two devices of vm1" sh -c '[ "$(pvrdmactl status vm1 | grep -c vm1)" -ge 2 ]'
  check "virsh start vm1 with two devices" virsh start vm1
  check "vm1 is up" guest_ready vm1 240
  check "vm1: both ports active" until_true 30 both_ports_active
  check "vm1: two RDMA devices with a GID each" second_side
  check "vm1: ping-pong from one device to the other" second_traffic
  check "virsh destroy vm1" virsh destroy vm1
  check "vm1: no host object left on rxe0" until_true 5 diff_objects rxe0
  check "vm1: no host object left on rxe1" until_true 5 diff_objects rxe1
  check "vm1: no lease, no symlink" until_true 5 no_claim_at_all
  check "detach vm1 0, the older device first" pvrdmactl detach vm1 0
  check "detach vm1 1" pvrdmactl detach vm1 1
  check "vm1: XML as before both" same_xml vm1
  check_fails "detach with nothing attached" "" pvrdmactl detach vm1
}
