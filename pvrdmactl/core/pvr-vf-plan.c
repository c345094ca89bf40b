/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-vf-plan.h"

#include <string.h>

#include "pvr-error.h"

#define VF_GUIDS (PVR_VF_NODE_GUID | PVR_VF_PORT_GUID)

static const PvrVfSet attr_bits[] = { PVR_VF_VLAN, PVR_VF_RATE, PVR_VF_SPOOFCHK, PVR_VF_TRUST,
                                      PVR_VF_LINK_STATE };

/* ---- what there is ---- */

static gboolean
find_in_netdev(PvrHost *host, const char *netdev, guint index, PvrVf *ret_record, GError **error)
{
    g_autoptr(GPtrArray) vfs = pvr_host_get_vfs(host, netdev, error);

    for (guint i = 0; vfs != NULL && i < vfs->len; i++) {
        const PvrVf *vf = g_ptr_array_index(vfs, i);

        if (vf->index == index) {
            *ret_record = *vf;
            return TRUE;
        }
    }
    if (vfs != NULL)
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "'%s' has no VF %u", netdev, index);
    return FALSE;
}

/* In switchdev mode the PF has netdevs more that stand for its VFs: only one of them has the list. */
char *
pvr_vf_find_record(PvrHost *host, const PvrPci *vf, PvrVf *ret_record, GError **error)
{
    g_autoptr(PvrPci) pf = NULL;
    g_autoptr(GError) first = NULL;

    if (vf->pf == NULL) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED, "%s is no VF\n"
                    "'pvrdmactl vf list' shows the VFs", vf->address);
        return NULL;
    }
    pf = pvr_host_get_pci(host, vf->pf, error);
    if (pf == NULL)
        return NULL;
    for (guint i = 0; i < pf->netdevs->len; i++) {
        const char *netdev = g_ptr_array_index(pf->netdevs, i);

        if (find_in_netdev(host, netdev, vf->vf, ret_record, first == NULL ? &first : NULL))
            return g_strdup(netdev);
    }
    if (first != NULL)
        g_propagate_error(error, g_steal_pointer(&first));
    else
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND,
                    "the PF %s has no network device here to set %s through\n"
                    "bind its driver, or bring the network device back from the namespace that it is in",
                    pf->address, vf->address);
    return NULL;
}

static gboolean
is_address_in_effect(PvrHost *host, const PvrPci *vf, const PvrVf *want)
{
    g_autofree char *guid = pvr_guid_to_string(want->node_guid);

    if ((want->set & VF_GUIDS) && vf->node_guid != NULL && !g_str_equal(vf->node_guid, guid))
        return FALSE;
    for (guint i = 0; (want->set & PVR_VF_MAC) && i < vf->netdevs->len; i++) {
        g_autoptr(PvrNetdev) netdev = pvr_host_get_netdev(host, vf->netdevs->pdata[i], NULL);

        if (netdev != NULL && !pvr_mac_equal(&netdev->mac, &want->mac))
            return FALSE;
    }
    return TRUE;
}

static gboolean
is_netdev_up(PvrHost *host, const PvrPci *pci)
{
    for (guint i = 0; i < pci->netdevs->len; i++) {
        g_autoptr(PvrNetdev) netdev = pvr_host_get_netdev(host, pci->netdevs->pdata[i], NULL);

        if (netdev != NULL && netdev->up)
            return TRUE;
    }
    return FALSE;
}

/* ---- what is refused ---- */

static gboolean
check_given_away(const PvrPci *vf, GError **error)
{
    const gboolean vfio = g_strcmp0(vf->driver, "vfio-pci") == 0;

    if (!vfio && !vf->netdev_elsewhere)
        return TRUE;
    g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY, "%s %s\nbring it back first", vf->address,
                vfio ? "is bound to vfio-pci: it was given away as a whole"
                     : "has its network device in another network namespace");
    return FALSE;
}

static gboolean
check_address(const PvrVf *want, GError **error)
{
    if ((want->set & PVR_VF_MAC) && !pvr_mac_is_usable(&want->mac)) {
        g_autofree char *mac = pvr_mac_to_string(&want->mac);

        g_set_error(error, PVR_ERROR, PVR_ERROR_USAGE, "no VF can have the MAC %s\n"
                    "give one that is neither zero nor multicast", mac);
        return FALSE;
    }
    if (((want->set & PVR_VF_NODE_GUID) && want->node_guid == 0) ||
        ((want->set & PVR_VF_PORT_GUID) && want->port_guid == 0)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_USAGE, "no VF can use the GUID 0\n"
                    "give another one");
        return FALSE;
    }
    return TRUE;
}

static const char *
attr_name(guint bit)
{
    switch (bit) {
    case PVR_VF_MAC:
        return "MAC";
    case PVR_VF_VLAN:
        return "VLAN";
    case PVR_VF_RATE:
        return "rate";
    case PVR_VF_SPOOFCHK:
        return "spoofchk";
    case PVR_VF_TRUST:
        return "trust";
    case PVR_VF_LINK_STATE:
        return "link state";
    default:
        return "GUIDs";
    }
}

static gboolean
check_supported(const PvrPci *vf, const PvrVf *want, const PvrVf *record, GError **error)
{
    const guint lacks = want->set & ~record->set;

    if (lacks == 0 && (record->set & VF_GUIDS) && (want->set & PVR_VF_MAC)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                    "%s is on InfiniBand, and has no MAC of its own\ngive it GUIDs", vf->address);
        return FALSE;
    }
    if (lacks == 0)
        return TRUE;
    g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED, "the driver of PF %s has no %s for its VFs\n"
                "leave it out; 'pvrdmactl vf list' shows what there is", vf->pf,
                attr_name(lacks & (~lacks + 1)));
    return FALSE;
}

/* ---- steps ---- */

static void
add_step(GPtrArray *steps, PvrStepKind kind, const char *what, const char *on, const char *was)
{
    g_ptr_array_add(steps, pvr_step_new(kind, what, on, was));
}

static void
add_attrs(GPtrArray *steps, const PvrPci *vf, const PvrVf *want, const PvrVf *record)
{
    for (guint i = 0; i < G_N_ELEMENTS(attr_bits); i++) {
        const PvrVfSet bit = want->set & attr_bits[i];

        if (bit != 0 && !pvr_vf_same(want, record, bit)) {
            g_autofree char *on = pvr_vf_attr_to_string(want, bit);
            g_autofree char *was = pvr_vf_attr_to_string(record, bit);

            add_step(steps, PVR_STEP_VF_ATTR, vf->address, on, was);
        }
    }
}

static char *
guids_to_string(const PvrVf *vf)
{
    g_autofree char *node = pvr_guid_to_string(vf->node_guid);
    g_autofree char *port = pvr_guid_to_string(vf->port_guid);

    return g_strdup_printf("%s %s", node, port);
}

static void
add_address(GPtrArray *steps, const PvrPci *vf, const PvrVf *want, const PvrVf *record)
{
    if ((want->set & PVR_VF_MAC) && !pvr_vf_same(want, record, PVR_VF_MAC)) {
        g_autofree char *on = pvr_mac_to_string(&want->mac);
        g_autofree char *was = pvr_mac_to_string(&record->mac);

        add_step(steps, PVR_STEP_VF_MAC, vf->address, on, was);
    }
    if ((want->set & VF_GUIDS) && !pvr_vf_same(want, record, want->set & VF_GUIDS)) {
        const PvrVf both = {
            .node_guid = want->set & PVR_VF_NODE_GUID ? want->node_guid : record->node_guid,
            .port_guid = want->set & PVR_VF_PORT_GUID ? want->port_guid : record->port_guid,
        };
        g_autofree char *on = guids_to_string(&both);
        g_autofree char *was = guids_to_string(record);

        add_step(steps, PVR_STEP_VF_GUID, vf->address, on, was);
    }
}

/* Names of the rxe links on the VF's netdevs. */
static GPtrArray *
list_rxe(PvrHost *host, const PvrPci *vf, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);

    for (guint i = 0; i < vf->netdevs->len; i++) {
        g_autoptr(GError) local = NULL;
        g_autoptr(PvrIbdev) rxe = pvr_host_find_rxe(host, vf->netdevs->pdata[i], &local);

        if (local != NULL) {
            g_propagate_error(error, g_steal_pointer(&local));
            return NULL;
        }
        if (rxe != NULL)
            g_ptr_array_add(names, g_strdup(rxe->name));
    }
    return g_steal_pointer(&names);
}

/* Each undone in reverse gives back what was: the link goes first and comes last, also on the way back. */
static gboolean
add_rebind(GPtrArray *steps, PvrHost *host, const PvrPci *vf, const PvrVf *want,
           const PvrVf *record, GError **error)
{
    g_autofree char *netdev = g_strdup_printf("pci %s", vf->address);
    g_autoptr(GPtrArray) rxe = list_rxe(host, vf, error);
    const gboolean up = is_netdev_up(host, vf);

    if (rxe == NULL)
        return FALSE;
    for (guint i = 0; i < rxe->len; i++)
        add_step(steps, PVR_STEP_RXE_DEL, rxe->pdata[i], netdev, NULL);
    if (up)
        add_step(steps, PVR_STEP_NETDEV_UP, netdev, "down", "up");
    add_step(steps, PVR_STEP_UNBIND, vf->address, vf->driver, NULL);
    add_attrs(steps, vf, want, record);
    add_address(steps, vf, want, record);
    add_step(steps, PVR_STEP_BIND, vf->address, vf->driver, NULL);
    if (vf->netdevs->len != 0 && (up || vf->ibdevs->len != 0))
        add_step(steps, PVR_STEP_NETDEV_UP, netdev, "up", "down");
    for (guint i = 0; i < rxe->len; i++)
        add_step(steps, PVR_STEP_RXE_ADD, rxe->pdata[i], netdev, NULL);
    return TRUE;
}

GPtrArray *
pvr_vf_plan(PvrHost *host, const PvrPci *vf, const PvrVf *want, GError **error)
{
    g_autoptr(GPtrArray) steps = pvr_steps_new();
    PvrVf record;
    g_autofree char *pf_netdev = pvr_vf_find_record(host, vf, &record, error);
    const guint address = want->set & (PVR_VF_MAC | VF_GUIDS);

    if (pf_netdev == NULL || !check_given_away(vf, error) || !check_address(want, error) ||
        !check_supported(vf, want, &record, error))
        return NULL;
    if (vf->driver != NULL &&
        (!pvr_vf_same(want, &record, address) || !is_address_in_effect(host, vf, want)))
        return add_rebind(steps, host, vf, want, &record, error) ? g_steal_pointer(&steps) : NULL;
    add_attrs(steps, vf, want, &record);
    add_address(steps, vf, want, &record);
    if (address != 0 && vf->netdevs->len != 0 && vf->ibdevs->len != 0 && !is_netdev_up(host, vf)) {
        g_autofree char *netdev = g_strdup_printf("pci %s", vf->address);

        add_step(steps, PVR_STEP_NETDEV_UP, netdev, "up", "down");
    }
    return g_steal_pointer(&steps);
}

static gboolean
check_number(const PvrPci *pf, guint number, GError **error)
{
    if (pf->vfs_max == 0)
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED, "%s has no SR-IOV\n"
                    "%s", pf->address,
                    pf->pf != NULL ? "it is a VF itself: name its PF"
                    : "if the card can do it, enable it in its firmware and in the host's");
    else if (number > pf->vfs_max)
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                    "the firmware of %s allows %u VFs, not %u\n"
                    "ask for fewer, or raise it with the vendor's tool (mlxconfig NUM_OF_VFS=, "
                    "niccli, ...) and reboot", pf->address, pf->vfs_max, number);
    return pf->vfs_max != 0 && number <= pf->vfs_max;
}

static void
add_number(GPtrArray *steps, const PvrPci *pf, guint number, guint former)
{
    g_autofree char *on = g_strdup_printf("%u", number);
    g_autofree char *was = g_strdup_printf("%u", former);

    add_step(steps, PVR_STEP_NUM_VFS, pf->address, on, was);
}

GPtrArray *
pvr_vf_plan_number(PvrHost *host, const PvrPci *pf, guint number, GError **error)
{
    g_autoptr(GPtrArray) steps = NULL;

    if (!check_number(pf, number, error))
        return NULL;
    steps = pvr_steps_new();
    if (number == pf->vfs)
        return g_steal_pointer(&steps);
    if (number != 0 && pf->netdevs->len != 0 && !is_netdev_up(host, pf))
        add_step(steps, PVR_STEP_NETDEV_UP, pf->netdevs->pdata[0], "up", "down");
    if (pf->vfs != 0)
        add_number(steps, pf, 0, pf->vfs);
    if (number != 0)
        add_number(steps, pf, number, 0);
    return g_steal_pointer(&steps);
}
