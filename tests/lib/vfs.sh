# SPDX-License-Identifier: GPL-2.0-or-later
# VFs of the L1's igb with Soft-RoCE on them, as devices of a domain.  Needs
# tap.sh, guest.sh, l1.sh, traffic.sh, domains.sh and two-devices.sh.

PF=0000:01:00.0 VFS=(0000:01:10.0 0000:01:10.2)
VM_RXE=([vm1]=mlx5_4)

# Soft-RoCE makes an RDMA device of a VF; hardware does that by itself.
make_vfs() {
  check "vf create" pvrdmactl vf create $PF 2
  check "both VFs are there" have_vfs
  check_fails "vf create: more than the card can" "7" pvrdmactl vf create $PF 8
  check "rxe add on VF 0" pvrdmactl rxe add "$(vf_netdev 0)" --name mlx5_4
  check "rxe add on VF 1" pvrdmactl rxe add "$(vf_netdev 1)" --name mlx5_5
  ip link set "$(vf_netdev 0)" up
  ip link set "$(vf_netdev 1)" up
  check "both are active" until_true 20 vfs_active
}
vf_netdev() { ls "/sys/bus/pci/devices/${VFS[$1]}/net"; }
have_vfs() { [ -e "/sys/bus/pci/devices/${VFS[0]}" ] && [ -e "/sys/bus/pci/devices/${VFS[1]}" ]; }
vfs_active() { [ "$(pvrdmactl list | grep -cE 'mlx5_[45].*ACTIVE')" = 2 ]; }

# --vf: the VF gets the domain's MAC at start; --ibdev: function 0 gets the VF's.
attach_vfs() {
  check "attach vm1 --vf" pvrdmactl attach vm1 --vf mlx5_4 --bridge br-guests
  check "attach vm1 --ibdev, by the VF's PCI address" pvrdmactl attach vm1 --ibdev "${VFS[1]}" --bridge br-guests
}

declare_host() {
  mkdir -p /etc/pvrdma
  check "export" sh -c 'pvrdmactl export >/run/host.json && mv /run/host.json /etc/pvrdma/'
  check "apply has nothing to do" nothing_to_apply
  check "pvrdma-host.service is enabled" systemctl --quiet enable pvrdma-host.service
}
nothing_to_apply() {
  local rc=0
  pvrdmactl apply || rc=$?
  [ $rc = 4 ]
}

found_as_declared() {
  check "no unit has failed" no_unit_failed
  check "pvrdma-host.service has done its work" systemctl is-active pvrdma-host.service
  check "pvrdma-host.service was ready before libvirtd" before_libvirtd
  check "pvrdma-pf@$PF.service is active" until_true 30 systemctl is-active "pvrdma-pf@$PF.service"
  check "both VFs are there" have_vfs
  check "both are active" until_true 20 vfs_active
  check "apply has nothing to do" nothing_to_apply
}
no_unit_failed() {
  local failed
  failed=$(systemctl --failed --plain --no-legend)
  [ -z "$failed" ] || { echo "$failed"; return 1; }
}
usec() { systemctl show --value -p "$2" "$1"; }
before_libvirtd() {
  local host libvirtd
  host=$(usec pvrdma-host.service ActiveEnterTimestampMonotonic) libvirtd=$(usec libvirtd.service InactiveExitTimestampMonotonic)
  echo "$host $libvirtd"
  [ "$host" -gt 0 ] && [ "$host" -lt "$libvirtd" ]
}

start_on_vfs() {
  guest_pipes vm1
  check "virsh start vm1" virsh start vm1
  check "vm1: lease and symlink" lease_exists vm1
  check "vm1 is up" guest_ready vm1 240
  check "vm1: both ports active" until_true 30 both_ports_active
  check "vm1: two RDMA devices with a GID each" second_side
  check "vm1: the GID of the VF's device" has_host_gid vm1
  check "vm1: ping-pong from one VF to the other" second_traffic
  check "virsh destroy vm1" virsh destroy vm1
  check "vm1: no lease, no symlink" until_true 10 no_claim_at_all
}

# All that depends on the card goes with it, quietly, and is made again.
card_goes_and_comes() {
  echo 1 >/sys/bus/pci/devices/$PF/remove
  check "the card is gone: its unit is, too" until_true 20 unit_is inactive
  check "the card is gone: no unit has failed" no_unit_failed
  echo 1 >/sys/bus/pci/rescan
  check "the card is back: its unit is, too" until_true 60 unit_is active
  check "the card is back: both VFs are there" have_vfs
  check "the card is back: both are active" until_true 20 vfs_active
}
unit_is() { [ "$(systemctl is-active "pvrdma-pf@$PF.service")" = "$1" ]; }
