/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-rtnl-vf.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <unistd.h>

#include "pvr-error.h"
#include "pvr-rtnl.h"

/* What a driver without the attribute leaves in it (rtnl_fill_vfinfo() starts with -1). */
#define NOT_THERE G_MAXUINT32

/* The payload of an attribute when it has at least @size bytes, else NULL. */
static const void *
payload(struct nlattr *attr, gsize size)
{
    return attr != NULL && nla_len(attr) >= 0 && (gsize) nla_len(attr) >= size ? nla_data(attr)
                                                                              : NULL;
}

static void
take_switch(PvrVf *vf, PvrVfSet bit, guint32 setting, gboolean *ret_on)
{
    if (setting == NOT_THERE)
        return;
    *ret_on = setting != 0;
    vf->set |= bit;
}

static void
take_switches(PvrVf *vf, struct nlattr **attrs)
{
    const struct ifla_vf_spoofchk *spoofchk = payload(attrs[IFLA_VF_SPOOFCHK], sizeof(*spoofchk));
    const struct ifla_vf_trust *trust = payload(attrs[IFLA_VF_TRUST], sizeof(*trust));
    const struct ifla_vf_link_state *state = payload(attrs[IFLA_VF_LINK_STATE], sizeof(*state));

    if (spoofchk != NULL)
        take_switch(vf, PVR_VF_SPOOFCHK, spoofchk->setting, &vf->spoofchk);
    if (trust != NULL)
        take_switch(vf, PVR_VF_TRUST, trust->setting, &vf->trust);
    if (state != NULL && state->link_state < __IFLA_VF_LINK_STATE_MAX) {
        vf->link_state = state->link_state;
        vf->set |= PVR_VF_LINK_STATE;
    }
}

static void
take_guids(PvrVf *vf, struct nlattr **attrs)
{
    const struct ifla_vf_guid *node = payload(attrs[IFLA_VF_IB_NODE_GUID], sizeof(*node));
    const struct ifla_vf_guid *port = payload(attrs[IFLA_VF_IB_PORT_GUID], sizeof(*port));

    if (node != NULL) {
        memcpy(&vf->node_guid, &node->guid, sizeof(vf->node_guid));
        vf->set |= PVR_VF_NODE_GUID;
    }
    if (port != NULL) {
        memcpy(&vf->port_guid, &port->guid, sizeof(vf->port_guid));
        vf->set |= PVR_VF_PORT_GUID;
    }
}

static void
take_numbers(PvrVf *vf, struct nlattr **attrs)
{
    const struct ifla_vf_vlan *vlan = payload(attrs[IFLA_VF_VLAN], sizeof(*vlan));
    const struct ifla_vf_rate *rate = payload(attrs[IFLA_VF_RATE], sizeof(*rate));

    if (vlan != NULL) {
        vf->vlan = vlan->vlan;
        vf->qos = vlan->qos;
        vf->set |= PVR_VF_VLAN;
    }
    if (rate != NULL) {
        vf->min_tx_rate = rate->min_tx_rate;
        vf->max_tx_rate = rate->max_tx_rate;
        vf->set |= PVR_VF_RATE;
    }
}

static gboolean
parse_vf(struct nlattr *info, PvrVf *vf)
{
    struct nlattr *attrs[IFLA_VF_MAX + 1] = { NULL };
    const struct ifla_vf_mac *mac;

    if (nla_parse_nested(attrs, IFLA_VF_MAX, info, NULL) < 0)
        return FALSE;
    mac = payload(attrs[IFLA_VF_MAC], sizeof(*mac));
    if (mac == NULL)
        return FALSE;
    vf->index = mac->vf;
    memcpy(vf->mac.raw, mac->mac, sizeof(vf->mac.raw));
    vf->set = PVR_VF_MAC;
    take_numbers(vf, attrs);
    take_switches(vf, attrs);
    take_guids(vf, attrs);
    return TRUE;
}

static int
compare_vfs(gconstpointer a, gconstpointer b)
{
    const PvrVf *const *x = a, *const *y = b;

    return ((*x)->index > (*y)->index) - ((*x)->index < (*y)->index);
}

GPtrArray *
pvr_rtnl_parse_vfs(struct nlmsghdr *header)
{
    struct nlattr *attrs[IFLA_MAX + 1] = { NULL };
    g_autoptr(GPtrArray) vfs = g_ptr_array_new_with_free_func(g_free);
    struct nlattr *info;
    int left;

    if (nlmsg_parse(header, sizeof(struct ifinfomsg), attrs, IFLA_MAX, NULL) < 0 ||
        attrs[IFLA_VFINFO_LIST] == NULL)
        return NULL;
    nla_for_each_nested(info, attrs[IFLA_VFINFO_LIST], left) {
        g_autofree PvrVf *vf = g_new0(PvrVf, 1);

        if (nla_type(info) == IFLA_VF_INFO && parse_vf(info, vf))
            g_ptr_array_add(vfs, g_steal_pointer(&vf));
    }
    g_ptr_array_sort(vfs, compare_vfs);
    return g_steal_pointer(&vfs);
}

static int
take_answer(struct nl_msg *msg, void *arg)
{
    GPtrArray **vfs = arg;

    g_clear_pointer(vfs, g_ptr_array_unref);
    *vfs = pvr_rtnl_parse_vfs(nlmsg_hdr(msg));
    return NL_OK;
}

static int
request_vfs(const char *netdev, GPtrArray **ret_vfs)
{
    int err = 0;
    g_autoptr(PvrNlSock) sock = pvr_nl_open(NETLINK_ROUTE, &err);
    g_autoptr(PvrNlMsg) msg = pvr_rtnl_new_message(RTM_GETLINK, 0, netdev, 0, 0);

    if (sock == NULL)
        return err;
    /* Without their statistics: with them the list of some 200 VFs is longer than an attribute can be. */
    if (msg == NULL ||
        nla_put_u32(msg, IFLA_EXT_MASK, RTEXT_FILTER_VF | RTEXT_FILTER_SKIP_STATS) < 0)
        return ENOMEM;
    nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, take_answer, ret_vfs);
    return pvr_nl_transact(sock, g_steal_pointer(&msg));
}

static void
set_no_netdev(const char *netdev, GError **error)
{
    g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "no network device '%s'\n"
                "'ip link' shows the names", netdev);
}

GPtrArray *
pvr_rtnl_get_vfs(const char *pf_netdev, GError **error)
{
    g_autoptr(GPtrArray) vfs = NULL;
    const int err = request_vfs(pf_netdev, &vfs);

    if (err == ENODEV)
        set_no_netdev(pf_netdev, error);
    else if (err != 0)
        pvr_set_error_errno(error, PVR_ERROR_FAILED, err, "cannot ask for the VFs of '%s'",
                            pf_netdev);
    else if (vfs == NULL)
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                    "the driver of '%s' tells nothing about VFs\n"
                    "it has none, or they cannot be set through this network device", pf_netdev);
    return err == 0 ? g_steal_pointer(&vfs) : NULL;
}

/* The attribute of that bit in @msg; FALSE: no memory. */
static gboolean
put_attr(PvrNlMsg *msg, const PvrVf *vf, PvrVfSet bit)
{
    struct ifla_vf_mac mac = { .vf = vf->index };
    const struct ifla_vf_vlan vlan = { .vf = vf->index, .vlan = vf->vlan, .qos = vf->qos };
    const struct ifla_vf_rate rate = { .vf = vf->index, .min_tx_rate = vf->min_tx_rate,
                                       .max_tx_rate = vf->max_tx_rate };
    const struct ifla_vf_spoofchk spoofchk = { .vf = vf->index, .setting = vf->spoofchk != 0 };
    const struct ifla_vf_trust trust = { .vf = vf->index, .setting = vf->trust != 0 };
    const struct ifla_vf_link_state state = { .vf = vf->index, .link_state = vf->link_state };
    struct ifla_vf_guid guid = { .vf = vf->index };

    switch (bit) {
    case PVR_VF_MAC:
        memcpy(mac.mac, vf->mac.raw, sizeof(vf->mac.raw));
        return nla_put(msg, IFLA_VF_MAC, sizeof(mac), &mac) == 0;
    case PVR_VF_VLAN:
        return nla_put(msg, IFLA_VF_VLAN, sizeof(vlan), &vlan) == 0;
    case PVR_VF_RATE:
        return nla_put(msg, IFLA_VF_RATE, sizeof(rate), &rate) == 0;
    case PVR_VF_SPOOFCHK:
        return nla_put(msg, IFLA_VF_SPOOFCHK, sizeof(spoofchk), &spoofchk) == 0;
    case PVR_VF_TRUST:
        return nla_put(msg, IFLA_VF_TRUST, sizeof(trust), &trust) == 0;
    case PVR_VF_LINK_STATE:
        return nla_put(msg, IFLA_VF_LINK_STATE, sizeof(state), &state) == 0;
    case PVR_VF_NODE_GUID:
        guid.guid = vf->node_guid;
        return nla_put(msg, IFLA_VF_IB_NODE_GUID, sizeof(guid), &guid) == 0;
    case PVR_VF_PORT_GUID:
        guid.guid = vf->port_guid;
        return nla_put(msg, IFLA_VF_IB_PORT_GUID, sizeof(guid), &guid) == 0;
    }
    g_return_val_if_reached(FALSE);
}

static int
request_set(const char *netdev, const PvrVf *vf, PvrVfSet bit)
{
    int err = 0;
    g_autoptr(PvrNlSock) sock = pvr_nl_open(NETLINK_ROUTE, &err);
    g_autoptr(PvrNlMsg) msg = pvr_rtnl_new_message(RTM_SETLINK, NLM_F_ACK, netdev, 0, 0);
    struct nlattr *list, *info;

    if (sock == NULL)
        return err;
    list = msg != NULL ? nla_nest_start(msg, IFLA_VFINFO_LIST) : NULL;
    info = list != NULL ? nla_nest_start(msg, IFLA_VF_INFO) : NULL;
    if (info == NULL || !put_attr(msg, vf, bit))
        return ENOMEM;
    nla_nest_end(msg, info);
    nla_nest_end(msg, list);
    return pvr_nl_transact(sock, g_steal_pointer(&msg));
}

void
pvr_rtnl_set_vf_error(int err, const char *pf_netdev, guint index, const char *attr, GError **error)
{
    const gboolean forbidden = err == EPERM || err == EACCES;

    if (err == ENODEV)
        set_no_netdev(pf_netdev, error);
    else if (forbidden && geteuid() != 0)
        g_set_error(error, PVR_ERROR, PVR_ERROR_PRIVILEGE, "no permission to set '%s' of VF %u of "
                    "'%s'\nrun it as root (it needs CAP_NET_ADMIN)", attr, index, pf_netdev);
    else if (err == EOPNOTSUPP || err == EPROTONOSUPPORT)
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                    "the driver of '%s' cannot set '%s' of a VF\n"
                    "leave it out; 'ip link show %s' shows what it has", pf_netdev, attr, pf_netdev);
    else if (err == EBUSY || err == EAGAIN)
        g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY,
                    "the driver of '%s' cannot set '%s' of VF %u now\n"
                    "try again: the VF is being reset", pf_netdev, attr, index);
    else
        pvr_set_error_errno(error, forbidden ? PVR_ERROR_PRIVILEGE : PVR_ERROR_FAILED, err,
                            "the driver of '%s' refuses '%s' of VF %u", pf_netdev, attr, index);
}

/* Drivers say EINVAL both for a VF that there is not and for a value they do not like. */
static gboolean
check_index(const char *pf_netdev, guint index, GError **error)
{
    g_autoptr(GPtrArray) vfs = pvr_rtnl_get_vfs(pf_netdev, NULL);

    for (guint i = 0; vfs != NULL && i < vfs->len; i++) {
        const PvrVf *vf = g_ptr_array_index(vfs, i);

        if (vf->index == index)
            return TRUE;
    }
    if (vfs == NULL)
        return TRUE;
    g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "'%s' has no VF %u, it has %u of them",
                pf_netdev, index, vfs->len);
    return FALSE;
}

gboolean
pvr_rtnl_set_vf(const char *pf_netdev, const PvrVf *vf, GError **error)
{
    for (guint bit = PVR_VF_MAC; bit <= PVR_VF_PORT_GUID; bit <<= 1) {
        const int err = vf->set & bit ? request_set(pf_netdev, vf, bit) : 0;
        g_autofree char *attr = NULL;

        if (err == 0)
            continue;
        if (err == EINVAL && !check_index(pf_netdev, vf->index, error))
            return FALSE;
        attr = pvr_vf_describe(vf, bit);
        pvr_rtnl_set_vf_error(err, pf_netdev, vf->index, attr, error);
        return FALSE;
    }
    return TRUE;
}
