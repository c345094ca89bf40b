/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The address that a VF gets when nobody gave it one: made from /etc/machine-id and the VF's PCI address, so it
 * is the same after each reboot and on no other machine. All are locally administered (IEEE 802, EUI-48 and EUI-64).
 */
#pragma once

#include "pvr-host.h"

/* Fills mac, node_guid and port_guid. FAILED when the machine has no id yet. */
gboolean pvr_vf_make_address(PvrHost *host, const char *pci, PvrVf *vf, GError **error);
