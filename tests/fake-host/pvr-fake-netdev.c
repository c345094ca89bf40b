/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Network devices of the fake host that change, and what their ibdevices make of it. */
#include <string.h>

#include "pvr-error.h"
#include "pvr-fake-priv.h"
#include "pvr-fake-vf.h"
#include "pvr-sysfs.h"

/* The ibdevices on a netdev: rxe links, and those of the same function. */
static GPtrArray *
find_ibdevs(PvrHost *host, const char *netdev)
{
    const char *root = pvr_host_get_root(host);
    g_autofree char *function = pvr_fake_function_of_netdev(root, netdev);
    const PvrIbdevFilter filter = { .no_ports = FALSE };
    g_autoptr(GPtrArray) all = pvr_sysfs_list_ibdevs(host, &filter, NULL);
    GPtrArray *found = g_ptr_array_new_with_free_func((GDestroyNotify) pvr_ibdev_free);

    while (all->len > 0) {
        PvrIbdev *ibdev = g_ptr_array_steal_index(all, 0);

        if (ibdev->parent != NULL && (g_str_equal(ibdev->parent, netdev) ||
                                      g_strcmp0(ibdev->parent, function) == 0))
            g_ptr_array_add(found, ibdev);
        else
            pvr_ibdev_free(ibdev);
    }
    return found;
}

static gboolean
is_ethernet(const PvrIbdev *ibdev)
{
    const PvrPort *port = ibdev->ports->len > 0 ? g_ptr_array_index(ibdev->ports, 0) : NULL;

    return port != NULL && g_strcmp0(port->link_layer, "Ethernet") == 0;
}

gboolean
pvr_fake_set_netdev_up(PvrHost *host, gpointer user_data, const char *netdev, gboolean up,
                       GError **error)
{
    const char *root = pvr_host_get_root(host);
    G_GNUC_UNUSED g_autoptr(PvrLock) lock = pvr_fake_lock(host);
    g_autoptr(PvrNetdev) present = NULL;
    g_autoptr(GPtrArray) ibdevs = NULL;
    g_autofree char *carrier = g_build_filename(SYS_NET, netdev, "carrier", NULL);

    pvr_fake_log_call(host, "set_netdev_up %s %s", netdev, up ? "up" : "down");
    if (pvr_fake_wanted_failure(host, "set_netdev_up", error))
        return FALSE;
    present = pvr_host_get_netdev(host, netdev, error);
    if (present == NULL)
        return FALSE;
    pvr_fake_put(root, up ? "0x1003" : "0x1002", SYS_NET "/%s/flags", netdev);
    if (up)
        pvr_fake_put(root, "1", SYS_NET "/%s/carrier", netdev);
    else
        pvr_fake_remove(root, carrier);
    ibdevs = find_ibdevs(host, netdev);
    for (guint i = 0; i < ibdevs->len; i++) {
        const PvrIbdev *ibdev = g_ptr_array_index(ibdevs, i);

        if (is_ethernet(ibdev))
            pvr_fake_set_port_state(root, ibdev->name, 1, up ? "ACTIVE" : "DOWN");
    }
    return TRUE;
}

/* The default GIDs of a port follow the MAC; the others have an address behind them. */
static void
replace_gids(const char *root, const PvrIbdev *ibdev, const PvrMac *old, const PvrMac *new)
{
    const PvrPort *port = g_ptr_array_index(ibdev->ports, 0);
    g_autofree char *text = NULL;
    PvrGid from, to;

    pvr_gid_from_mac(old, &from);
    pvr_gid_from_mac(new, &to);
    text = pvr_gid_to_string(&to);
    for (guint i = 0; i < port->gids->len; i++) {
        const PvrGidEntry *entry = g_ptr_array_index(port->gids, i);

        if (pvr_gid_equal(&entry->gid, &from))
            pvr_fake_set_gid(root, ibdev->name, 1, entry->index, text,
                             entry->type == PVR_GID_ROCE_V2 ? "RoCE v2" : "IB/RoCE v1",
                             entry->netdev);
    }
}

gboolean
pvr_fake_set_netdev_mac(PvrHost *host, gpointer user_data, const char *netdev, const PvrMac *mac,
                        GError **error)
{
    const char *root = pvr_host_get_root(host);
    G_GNUC_UNUSED g_autoptr(PvrLock) lock = pvr_fake_lock(host);
    g_autofree char *text = pvr_mac_to_string(mac);
    g_autoptr(PvrNetdev) present = NULL;
    g_autoptr(GPtrArray) ibdevs = NULL;

    pvr_fake_log_call(host, "set_netdev_mac %s %s", netdev, text);
    if (pvr_fake_wanted_failure(host, "set_netdev_mac", error))
        return FALSE;
    present = pvr_host_get_netdev(host, netdev, error);
    if (present == NULL)
        return FALSE;
    ibdevs = find_ibdevs(host, netdev);
    for (guint i = 0; i < ibdevs->len; i++) {
        if (is_ethernet(g_ptr_array_index(ibdevs, i)))
            replace_gids(root, g_ptr_array_index(ibdevs, i), &present->mac, mac);
    }
    pvr_fake_put(root, text, SYS_NET "/%s/address", netdev);
    return TRUE;
}
