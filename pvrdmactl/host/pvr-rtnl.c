/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-rtnl.h"

#include <errno.h>
#include <net/if.h>
#include <netlink/route/link.h>
#include <string.h>

#include "pvr-error.h"
#include "pvr-nl.h"

typedef struct rtnl_link PvrRtnlLink;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrRtnlLink, rtnl_link_put)

static PvrNetdev *
convert_link(const char *name, PvrRtnlLink *link)
{
    PvrNetdev *netdev = g_new0(PvrNetdev, 1);
    const struct nl_addr *addr = rtnl_link_get_addr(link);

    netdev->name = g_strdup(name);
    if (addr != NULL && nl_addr_get_len(addr) == sizeof(netdev->mac.raw))
        memcpy(netdev->mac.raw, nl_addr_get_binary_addr(addr), sizeof(netdev->mac.raw));
    netdev->mtu = rtnl_link_get_mtu(link);
    netdev->up = (rtnl_link_get_flags(link) & IFF_UP) != 0;
    netdev->carrier = netdev->up && rtnl_link_get_carrier(link) != 0;
    return netdev;
}

PvrNetdev *
pvr_rtnl_get_netdev(const char *name, GError **error)
{
    int err = 0;
    g_autoptr(PvrNlSock) sock = pvr_nl_open(NETLINK_ROUTE, &err);
    g_autoptr(PvrRtnlLink) link = NULL;
    int nle;

    if (sock == NULL) {
        pvr_set_error_errno(error, PVR_ERROR_FAILED, err, "cannot ask for network devices");
        return NULL;
    }
    nle = rtnl_link_get_kernel(sock, 0, name, &link);
    if (nle == -NLE_NODEV || nle == -NLE_OBJ_NOTFOUND) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "no network device '%s'\n"
                    "'ip link' shows the names", name);
        return NULL;
    }
    if (nle < 0) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED, "cannot look at network device '%s': %s",
                    name, nl_geterror(nle));
        return NULL;
    }
    return convert_link(name, link);
}
