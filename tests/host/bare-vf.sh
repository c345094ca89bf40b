#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In the L1: Soft-RoCE on two VFs of its igb against each other, with the kernel's
# own means, without any of our parts.  Shows that the test host is sound.
. "$PVR_TOP/tests/lib/common.sh"
for part in tap guest l1 traffic; do . "$PVR_TOP/tests/lib/$part.sh"; done
TOOLS_DIR=$2
PF=/sys/bus/pci/devices/0000:01:00.0

# up NETDEV: a VF that starts before its PF has a carrier may never get one.
up() {
  ip link set "$1" up
  until_true 20 grep -qx 1 "/sys/class/net/$1/carrier"
}
# bare_vf N MAC: as the RDMA device mlx5_4 or mlx5_5
bare_vf() {
  local vf netdev
  vf=$(basename "$(readlink $PF/virtfn$1)")
  ip link set "$pf" vf "$1" mac "$2"
  # the VF's driver asks for its MAC when it starts
  echo "$vf" >/sys/bus/pci/drivers/igbvf/unbind
  echo "$vf" >/sys/bus/pci/drivers/igbvf/bind
  netdev=$(ls "/sys/bus/pci/devices/$vf/net")
  check "VF $1: its MAC" grep -qx "$2" "/sys/class/net/$netdev/address"
  check "VF $1: a carrier" up "$netdev"
  check "VF $1: rdma link add" rdma link add "mlx5_$((4 + $1))" type rxe netdev "$netdev"
  SIDE_DEV[a$1]=mlx5_$((4 + $1)) SIDE_ADDR[a$1]=127.0.0.1
  SIDE_GID[a$1]=$(on "a$1" gid-index "${SIDE_DEV[a$1]}")
}

pf=$(ls $PF/net)
check "PF: a carrier" up "$pf"
check "PF: two VFs" sh -c "echo 2 >$PF/sriov_numvfs"
bare_vf 0 52:54:00:bb:00:01
bare_vf 1 52:54:00:bb:00:02
check "both links are active" until_true 10 sh -c 'rdma link show | grep -c "state ACTIVE" | grep -qx 2'
check_verbs "bare VFs" a0 a1 $RXE_LACKS
check "bare VFs: ibv_rc_pingpong" pair 60 18515 a0 a1 ibv_rc_pingpong -c -d @DEV@ -g @GID@
for tool in ib_send_lat ib_write_bw ib_read_bw; do check "bare VFs: $tool" perf a0 a1 $tool 4096; done
check "unbinding a VF takes its RDMA device away" sh -c "echo $(basename "$(readlink $PF/virtfn0)") >/sys/bus/pci/drivers/igbvf/unbind; ! rdma link show mlx5_4"
tap_end
