/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-rtnl.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netlink/route/link.h>
#include <string.h>
#include <unistd.h>

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

PvrNlMsg *
pvr_rtnl_new_message(int type, int nlm_flags, const char *name, guint iff_flags, guint iff_change)
{
    struct ifinfomsg body = { .ifi_family = AF_UNSPEC, .ifi_flags = iff_flags,
                              .ifi_change = iff_change };
    g_autoptr(PvrNlMsg) msg = nlmsg_alloc_simple(type, NLM_F_REQUEST | nlm_flags);

    if (msg == NULL || nlmsg_append(msg, &body, sizeof(body), NLMSG_ALIGNTO) < 0 ||
        nla_put_string(msg, IFLA_IFNAME, name) < 0)
        return NULL;
    return g_steal_pointer(&msg);
}

/* EPERM with all privileges: a VF whose PF keeps its address. */
void
pvr_rtnl_set_change_error(int err, const char *name, const char *what, GError **error)
{
    const gboolean forbidden = err == EPERM || err == EACCES;

    if (err == ENODEV)
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "no network device '%s'\n"
                    "'ip link' shows the names", name);
    else if (forbidden && geteuid() != 0)
        g_set_error(error, PVR_ERROR, PVR_ERROR_PRIVILEGE, "no permission to change %s of '%s'\n"
                    "run it as root (it needs CAP_NET_ADMIN)", what, name);
    else if (forbidden || err == EADDRNOTAVAIL || err == EOPNOTSUPP)
        pvr_set_error_errno(error, PVR_ERROR_UNSUPPORTED, err,
                            "the driver of '%s', or its PF, refuses to change %s", name, what);
    else if (err == EBUSY)
        g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY, "cannot change %s of '%s' while it is up\n"
                    "'ip link set %s down' first", what, name, name);
    else
        pvr_set_error_errno(error, PVR_ERROR_FAILED, err, "cannot change %s of '%s'", what, name);
}

/* Sends and takes the message; NULL: there was no memory for it. */
static gboolean
change_link(PvrNlMsg *msg, const char *name, const char *what, GError **error)
{
    g_autoptr(PvrNlMsg) owned = msg;
    int err = 0;
    g_autoptr(PvrNlSock) sock = pvr_nl_open(NETLINK_ROUTE, &err);

    if (sock != NULL)
        err = owned != NULL ? pvr_nl_transact(sock, g_steal_pointer(&owned)) : ENOMEM;
    if (err != 0)
        pvr_rtnl_set_change_error(err, name, what, error);
    return err == 0;
}

gboolean
pvr_rtnl_set_mac(const char *name, const PvrMac *mac, GError **error)
{
    g_autoptr(PvrNlMsg) msg = pvr_rtnl_new_message(RTM_SETLINK, NLM_F_ACK, name, 0, 0);

    if (msg != NULL && nla_put(msg, IFLA_ADDRESS, sizeof(mac->raw), mac->raw) < 0)
        g_clear_pointer(&msg, nlmsg_free);
    return change_link(g_steal_pointer(&msg), name, "the MAC", error);
}

gboolean
pvr_rtnl_set_up(const char *name, gboolean up, GError **error)
{
    return change_link(pvr_rtnl_new_message(RTM_SETLINK, NLM_F_ACK, name, up ? IFF_UP : 0, IFF_UP),
                       name, "the state", error);
}
