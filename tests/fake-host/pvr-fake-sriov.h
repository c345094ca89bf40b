/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PFs and VFs of the fake host. A PF is a function with sriov_totalvfs; writing its number makes VFs appear below
 * sys/devices and sys/bus/pci, bound to their driver; bound, a VF has the netdev and ibdevice that its driver
 * would give it, with the MAC or GUIDs that the PF keeps for it. Unbinding takes them away, and the rxe links with them.
 *
 * What drivers do differently is in files ROOT/.fake/pf-ADDRESS/QUIRK, which exist or not, or have a value:
 *   needs-link-up   takes the number and makes no VFs while the PF's netdev is down
 *   lacks           words that set_vf answers with UNSUPPORTED: "trust rate"
 *   late            netdev and ibdevice of a VF appear this many wait_event() after it was bound
 *   new-names       a netdev has another name after each bind
 *   no-netdev       the VFs' netdevs are in another namespace
 *   zero-guid       node GUIDs stay zero whatever is set
 *   no-autoprobe    new VFs have no driver
 *   no-sm           InfiniBand without a subnet manager
 * Several failures have no file of their own: pvr_fake_set_failure() with get_vfs, set_vf, set_num_vfs, bind, unbind,
 * set_netdev_mac, set_netdev_up. ROOT/.fake/vanish, "OP ADDRESS": that function is gone when OP is to be done on it.
 */
#pragma once

#include <glib.h>

typedef struct {
    const char *address;    /* "0000:3b:00.0" */
    const char *driver;     /* of the PF */
    const char *vf_driver;
    const char *netdev;     /* of the PF; those of VFs are NETDEVv0, ... */
    const char *mac;
    guint vfs_max;
    const char *ibdev;      /* of the PF, "mlx5_0"; NULL: neither it nor its VFs have one of their own */
    const char *link_layer; /* of that: "Ethernet", "InfiniBand" */
} PvrFakePf;

/* A PF without VFs, its netdev up. */
void pvr_fake_add_pf(const char *root, const PvrFakePf *pf);

/* igb: netdevs only. mlx5 on Ethernet, and on InfiniBand. 8 VFs each. */
extern const PvrFakePf pvr_fake_igb, pvr_fake_mlx5, pvr_fake_mlx5_ib;

/* @value NULL takes the quirk away. */
void pvr_fake_set_quirk(const char *root, const char *pf, const char *quirk, const char *value);

/* Address of the VF with that index: the functions from PF + 2 on. */
char *pvr_fake_vf_address(const char *pf, guint index);
