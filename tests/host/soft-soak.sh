#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In l0: two guests with the soft device; one sends while the other's driver is
# unbound and bound SOAK_BINDS times, and reset SOAK_RESETS times.
#
# usage: soft-soak.sh KERNEL-DIR INITRAMFS-DIR QEMU-DIR
. "$PVR_TOP/tests/lib/common.sh"
for part in tap guest l1 traffic domains soft soak; do . "$PVR_TOP/tests/lib/$part.sh"; done

stage "two guests"
soft_host "$@"
define_soft vm1
define_soft vm2
check "vm1: memory for the emulator is bounded" bound_emulator vm1
start_soft vm1 vm2
stage "$SOAK_BINDS binds and $SOAK_RESETS resets under traffic"
soak vm1 vm2
check "ibv_rc_pingpong after all of them" pair 90 18515 vm2 vm1 ibv_rc_pingpong -c -d @DEV@ -g @GID@ -n 100
soft_end
