/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "pvr-ibdev.h"
#include "pvr-nl.h"

/* As pvr_host_get_netdev(), from the kernel, in the network namespace of the caller. */
PvrNetdev *pvr_rtnl_get_netdev(const char *name, GError **error);

/* As pvr_host_set_netdev_mac() and pvr_host_set_netdev_up(). */
gboolean pvr_rtnl_set_mac(const char *name, const PvrMac *mac, GError **error);
gboolean pvr_rtnl_set_up(const char *name, gboolean up, GError **error);

/* A request about the network device of that name, with these IFF_ flags in @change; NULL: no memory. */
PvrNlMsg *pvr_rtnl_new_message(int type, int nlm_flags, const char *name, guint iff_flags,
                               guint iff_change);

/* What the kernel's errno means when "@what" ("the MAC") of a network device was to be changed; for the tests. */
void pvr_rtnl_set_change_error(int err, const char *name, const char *what, GError **error);
