#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In the L1 with systemd, as an administrator goes: VFs and a domain with one of
# them by commands, a reboot, and all of it is there; RDMA in the guest; the card
# goes and comes back.  Started at each boot, see l1 -s.
#
# usage: systemd.sh KERNEL-DIR INITRAMFS-DIR QEMU-DIR
. "$PVR_TOP/tests/lib/common.sh"
for part in tap guest l1 traffic domains two-devices vfs; do . "$PVR_TOP/tests/lib/$part.sh"; done

guests_bridge
case $L1_BOOT in
  1)
    stage "by hand"
    make_vfs
    l1_images "$@"
    check "libvirtd starts" systemctl --quiet enable --now libvirtd.service
    define_domain vm1
    attach_vfs
    declare_host
    touch "$L1_OUT/reboot"
    ;;
  *)
    stage "after the reboot"
    found_as_declared
    start_on_vfs
    card_goes_and_comes
    ;;
esac
if [ "$TAP_FAILED" -gt 0 ]; then rm -f "$L1_OUT/reboot"; journalctl -b --no-pager -u 'pvrdma*' -u libvirtd | tail -n 40; fi
tap_end
