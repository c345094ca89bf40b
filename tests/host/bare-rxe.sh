#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In the L1: two bare Soft-RoCE links against each other, without any of our
# parts.  Shows that the test host and verbs-check are sound.
. "$PVR_TOP/tests/lib/common.sh"
. "$PVR_TOP/tests/lib/tap.sh"
. "$PVR_TOP/tests/lib/guest.sh"
. "$PVR_TOP/tests/lib/l1.sh"
. "$PVR_TOP/tests/lib/traffic.sh"
TOOLS_DIR=$2

links_up
rdma link add rxe0 type rxe netdev d0
rdma link add rxe1 type rxe netdev d1
bare_sides
check "bare: both links are active" until_true 10 sh -c 'rdma link show | grep -c "state ACTIVE" | grep -qx 2'
check_verbs bare a0 a1 $RXE_LACKS
check "bare: ibv_rc_pingpong" pair 60 18515 a0 a1 ibv_rc_pingpong -c -d @DEV@ -g @GID@
for tool in ib_send_lat ib_write_lat ib_read_lat ib_send_bw ib_write_bw ib_read_bw ib_atomic_lat; do
  check "bare: $tool" perf a0 a1 $tool 64
done
tap_end
