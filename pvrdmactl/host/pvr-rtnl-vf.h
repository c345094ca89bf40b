/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a PF's driver keeps for its VFs, through rtnetlink (kernel: net/core/rtnetlink.c). */
#pragma once

#include <linux/netlink.h>

#include "pvr-host.h"

/* As pvr_host_get_vfs() and pvr_host_set_vf(), in the network namespace of the caller. */
GPtrArray *pvr_rtnl_get_vfs(const char *pf_netdev, GError **error);
gboolean pvr_rtnl_set_vf(const char *pf_netdev, const PvrVf *vf, GError **error);

/*
 * The VFs in an RTM_NEWLINK message, which the caller knows to be whole. `set` is what the driver has; of the
 * rate that cannot be known. NULL: it has none of IFLA_VFINFO_LIST.
 */
GPtrArray *pvr_rtnl_parse_vfs(struct nlmsghdr *header);

/* What the kernel's errno means when @attr ("trust on") was to be set; for the tests. */
void pvr_rtnl_set_vf_error(int err, const char *pf_netdev, guint index, const char *attr,
                           GError **error);
