/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why the port of a VF's RDMA device is not ACTIVE. */
#include "pvr-vf-plan.h"

#include <linux/if_link.h>

/* NULL when the PF does not hold the link of the VF down, or does not say. */
static char *
explain_link_state(PvrHost *host, const PvrPci *pci)
{
    PvrVf record;
    g_autofree char *pf_netdev = pci->pf != NULL ? pvr_vf_find_record(host, pci, &record, NULL)
                                                 : NULL;

    if (pf_netdev == NULL || !(record.set & PVR_VF_LINK_STATE) ||
        record.link_state != IFLA_VF_LINK_STATE_DISABLE)
        return NULL;
    return g_strdup_printf("the PF holds the VF's link down\n"
                           "'pvrdmactl vf set %s --link-state auto'", pci->address);
}

/* NULL when the PF's own link is there, or cannot be looked at. */
static char *
explain_pf(PvrHost *host, const PvrPci *pci)
{
    g_autoptr(PvrPci) pf = pci->pf != NULL ? pvr_host_get_pci(host, pci->pf, NULL) : NULL;
    g_autoptr(PvrNetdev) netdev = pf != NULL && pf->netdevs->len != 0
                                  ? pvr_host_get_netdev(host, pf->netdevs->pdata[0], NULL) : NULL;

    if (netdev != NULL && !netdev->up)
        return g_strdup_printf("the PF's network device '%s' is down\n'ip link set %s up'",
                               netdev->name, netdev->name);
    if (netdev != NULL && !netdev->carrier)
        return g_strdup_printf("the PF's network device '%s' has no carrier\n"
                               "look at cable, transceiver and switch port", netdev->name);
    return NULL;
}

static char *
explain_ethernet(PvrHost *host, const PvrPci *pci, const PvrPort *port)
{
    const char *name = port->netdev != NULL ? port->netdev
                       : pci->netdevs->len != 0 ? pci->netdevs->pdata[0] : NULL;
    g_autoptr(PvrNetdev) netdev = name != NULL ? pvr_host_get_netdev(host, name, NULL) : NULL;
    char *reason;

    if (netdev == NULL)
        return g_strdup("its network device is not in this network namespace\n"
                        "it comes back with that namespace, or 'ip -n NAMESPACE link set DEV netns 1'");
    if (!netdev->up)
        return g_strdup_printf("its network device '%s' is down\n'ip link set %s up'", netdev->name,
                               netdev->name);
    reason = explain_link_state(host, pci);
    if (reason == NULL)
        reason = explain_pf(host, pci);
    if (reason == NULL && !netdev->carrier)
        reason = g_strdup_printf("its network device '%s' has no carrier\n"
                                 "look at cable, transceiver and switch port", netdev->name);
    return reason;
}

/* InfiniBand specification, 14.2.5.6: INIT until the subnet manager has set the port up, ARMED until it said go. */
static char *
explain_infiniband(PvrHost *host, const PvrPci *pci, const PvrPort *port)
{
    char *reason = explain_link_state(host, pci);

    if (reason != NULL)
        return reason;
    if (g_strcmp0(port->state, "INIT") == 0 || g_strcmp0(port->state, "ARMED") == 0)
        return g_strdup_printf("no subnet manager has configured it (it is %s)\n"
                               "start one: 'systemctl start opensm' on a host of the fabric, or the "
                               "switch's own; it must allow virtual ports", port->state);
    reason = explain_pf(host, pci);
    if (reason == NULL && g_strcmp0(port->phys_state, "LINK_UP") != 0)
        reason = g_strdup_printf("its physical link is %s\nlook at cable and switch port",
                                 port->phys_state);
    return reason;
}

char *
pvr_vf_explain_port(PvrHost *host, const PvrPci *pci)
{
    g_autoptr(PvrIbdev) ibdev = pci->ibdevs->len != 0
                                ? pvr_host_get_ibdev(host, pci->ibdevs->pdata[0], NULL) : NULL;
    const PvrPort *port = ibdev != NULL && ibdev->ports->len != 0 ? ibdev->ports->pdata[0] : NULL;
    char *reason;

    if (port == NULL || pvr_port_is_active(port))
        return NULL;
    reason = g_strcmp0(port->link_layer, "InfiniBand") == 0 ? explain_infiniband(host, pci, port)
                                                            : explain_ethernet(host, pci, port);
    return reason != NULL ? reason
                          : g_strdup_printf("it is %s, and nothing shows why\n'dmesg' may say more",
                                            port->state);
}
