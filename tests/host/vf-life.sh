#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In the L1: what pvrdmactl vf does to the VFs of its igb, seen with the kernel's own tools.
. "$PVR_TOP/tests/lib/common.sh"
for part in tap guest l1; do . "$PVR_TOP/tests/lib/$part.sh"; done
PF=0000:01:00.0
PF_DIR=/sys/bus/pci/devices/$PF
pf=$(ls $PF_DIR/net)

vf_of() { basename "$(readlink "$PF_DIR/virtfn$1")"; }
netdev_of() { ls "/sys/bus/pci/devices/$(vf_of "$1")/net"; }
mac_of() { cat "/sys/class/net/$(netdev_of "$1")/address"; }
# has_gid DEV MAC
has_gid() { pvrdmactl gid "$1" | grep -q "$2"; }
refused() { ! "$@"; }

[ -s /etc/machine-id ] || tr -d - </proc/sys/kernel/random/uuid >/etc/machine-id
ip link set "$pf" down
check "more VFs than the firmware allows are refused" refused pvrdmactl vf create $PF 100
time pvrdmactl vf create "$pf" 2
check "two VFs" test "$(cat $PF_DIR/sriov_numvfs)" = 2
check "the PF is up" sh -c "ip link show $pf | grep -q '[<,]UP[,>]'"
mac0=$(mac_of 0) mac1=$(mac_of 1)
check "other addresses" test "$mac0" != "$mac1"
check "again: nothing to do" sh -c "pvrdmactl vf create $pf 2; test \$? = 4"
check "another number is refused" refused pvrdmactl vf create "$pf" 3
check "remove" pvrdmactl vf remove "$pf"
check "create again" pvrdmactl vf create "$pf" 2
check "the same addresses" test "$(mac_of 0) $(mac_of 1)" = "$mac0 $mac1"
check "a link on a VF" pvrdmactl rxe add "$(netdev_of 0)" --name mlx5_4
time pvrdmactl vf set mlx5_4 --mac 52:54:00:bb:00:01
check "its MAC" test "$(mac_of 0)" = 52:54:00:bb:00:01
check "the GID of it" has_gid mlx5_4 52:54:00:bb:00:01
check "the port is ACTIVE" until_true 20 sh -c 'rdma link show mlx5_4/1 | grep -q "state ACTIVE"'
check "attributes" pvrdmactl vf set "$(vf_of 0)" --vlan 5 --rate 100 --spoofchk off --trust on
ip link show "$pf"
check "reset" pvrdmactl vf reset mlx5_4
check "its own MAC" test "$(mac_of 0)" = "$mac0"
check "no VLAN, no trust" sh -c "ip link show $pf | grep 'vf 0' | grep 'spoof checking on' | grep -v vlan | grep -q 'trust off'"
ip link show "$pf"
pvrdmactl list
check "nothing is left open" test -z "$(ls /run/pvrdma/journal 2>/dev/null | grep json)"
check "remove with a link on one" pvrdmactl vf remove "$pf"
check "no RDMA device is left" sh -c '! rdma link show | grep -q mlx5_4'
tap_end
