/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-place.h"

#include "pvr-resolve.h"

char *
pvr_place_function(PvrHost *host, PvrDir dir, const char *name)
{
    g_autofree char *path = pvr_host_path(host, dir, name, "device", NULL);
    g_autofree char *target = g_file_read_link(path, NULL);
    g_autofree char *base = target != NULL ? g_path_get_basename(target) : NULL;

    return base != NULL ? pvr_pci_parse_address(base) : NULL;
}

char *
pvr_place_master(PvrHost *host, const char *netdev)
{
    g_autofree char *path = pvr_host_path(host, PVR_DIR_SYS_NET, netdev, "master", NULL);
    g_autofree char *target = g_file_read_link(path, NULL);

    return target != NULL ? g_path_get_basename(target) : NULL;
}

static gboolean
contains(const GPtrArray *names, const char *name)
{
    return g_ptr_array_find_with_equal_func((gpointer) names, name, g_str_equal, NULL);
}

/*
 * TRUE when @netdev is one of the function, or a bond of such. A GID table is no proof: it goes on naming netdevs
 * that are in another network namespace, where one of ours may have the same name.
 */
static gboolean
is_netdev_of(PvrHost *host, const PvrPci *pci, const char *netdev)
{
    for (guint i = 0; i < pci->netdevs->len; i++) {
        g_autofree char *master = pvr_place_master(host, g_ptr_array_index(pci->netdevs, i));

        if (g_strcmp0(master, netdev) == 0)
            return TRUE;
    }
    return contains(pci->netdevs, netdev);
}

char *
pvr_place_netdev(PvrHost *host, const PvrIbdev *ibdev, const PvrPci *pci)
{
    const PvrPort *port = ibdev->ports->len != 0 ? g_ptr_array_index(ibdev->ports, 0) : NULL;

    if (port != NULL && port->netdev != NULL && is_netdev_of(host, pci, port->netdev))
        return g_strdup(port->netdev);
    return pci->netdevs->len != 0 ? g_strdup(g_ptr_array_index(pci->netdevs, 0)) : NULL;
}

static gboolean
has_port_on(const PvrIbdev *ibdev, const char *netdev)
{
    for (guint i = 0; i < ibdev->ports->len; i++) {
        const PvrPort *port = g_ptr_array_index(ibdev->ports, i);

        if (g_strcmp0(port->netdev, netdev) == 0)
            return TRUE;
    }
    return FALSE;
}

gboolean
pvr_place_is_on(PvrHost *host, const PvrIbdev *bare, const char *netdev)
{
    g_autoptr(PvrIbdev) ibdev = NULL;
    g_autoptr(PvrPci) pci = NULL;

    if (pvr_ibdev_is_rxe(bare))
        return g_strcmp0(bare->parent, netdev) == 0;
    ibdev = pvr_host_get_ibdev(host, bare->name, NULL);
    pci = ibdev != NULL && has_port_on(ibdev, netdev) ? pvr_resolve_ibdev_pci(host, ibdev, NULL)
                                                      : NULL;
    return pci != NULL && is_netdev_of(host, pci, netdev);
}
