/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-ibdev.h"

#include <string.h>

#include "pvr-error.h"

/* Sizes with the final NUL: IB_DEVICE_NAME_MAX and IFNAMSIZ of the kernel. */
#define IBDEV_NAME_SIZE 64
#define NETDEV_NAME_SIZE 16

void
pvr_gid_entry_free(PvrGidEntry *entry)
{
    g_free(entry->netdev);
    g_free(entry);
}

PvrPort *
pvr_port_new(guint num)
{
    PvrPort *port = g_new0(PvrPort, 1);

    port->num = num;
    port->gids = g_ptr_array_new_with_free_func((GDestroyNotify) pvr_gid_entry_free);
    return port;
}

void
pvr_port_free(PvrPort *port)
{
    g_free(port->state);
    g_free(port->phys_state);
    g_free(port->link_layer);
    g_free(port->netdev);
    g_ptr_array_unref(port->gids);
    g_free(port);
}

PvrIbdev *
pvr_ibdev_new(const char *name)
{
    PvrIbdev *ibdev = g_new0(PvrIbdev, 1);

    ibdev->name = g_strdup(name);
    ibdev->ports = g_ptr_array_new_with_free_func((GDestroyNotify) pvr_port_free);
    return ibdev;
}

void
pvr_ibdev_free(PvrIbdev *ibdev)
{
    g_free(ibdev->name);
    g_free(ibdev->driver);
    g_free(ibdev->node_guid);
    g_free(ibdev->uverbs);
    g_free(ibdev->parent);
    g_ptr_array_unref(ibdev->ports);
    g_free(ibdev);
}

void
pvr_netdev_free(PvrNetdev *netdev)
{
    g_free(netdev->name);
    g_free(netdev);
}

const char *
pvr_gid_type_to_string(PvrGidType type)
{
    switch (type) {
    case PVR_GID_ROCE_V1:
        return "RoCE v1";
    case PVR_GID_ROCE_V2:
        return "RoCE v2";
    case PVR_GID_IB:
    default:
        return "IB";
    }
}

gboolean
pvr_ibdev_is_rxe(const PvrIbdev *ibdev)
{
    return g_strcmp0(ibdev->driver, "rxe") == 0;
}

gboolean
pvr_port_is_active(const PvrPort *port)
{
    return g_strcmp0(port->state, "ACTIVE") == 0;
}

PvrPort *
pvr_ibdev_get_port(const PvrIbdev *ibdev, guint num, GError **error)
{
    g_autoptr(GString) names = g_string_new(NULL);

    for (guint i = 0; i < ibdev->ports->len; i++) {
        PvrPort *port = g_ptr_array_index(ibdev->ports, i);

        if (port->num == num)
            return port;
        g_string_append_printf(names, "%s%u", i ? ", " : "", port->num);
    }
    g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "RDMA device '%s' has no port %u\n"
                "its ports: %s", ibdev->name, num, names->len ? names->str : "none");
    return NULL;
}

PvrGidEntry *
pvr_port_get_gid(const PvrPort *port, guint index)
{
    for (guint i = 0; i < port->gids->len; i++) {
        PvrGidEntry *entry = g_ptr_array_index(port->gids, i);

        if (entry->index == index)
            return entry;
    }
    return NULL;
}

PvrGidEntry *
pvr_port_find_gid(const PvrPort *port, const PvrGid *gid)
{
    PvrGidEntry *best = NULL;

    for (guint i = 0; i < port->gids->len; i++) {
        PvrGidEntry *entry = g_ptr_array_index(port->gids, i);

        if (pvr_gid_equal(&entry->gid, gid) && (best == NULL || entry->type > best->type))
            best = entry;
    }
    return best;
}

PvrGidEntry *
pvr_port_find_gid_of_mac(const PvrPort *port, const PvrMac *mac)
{
    PvrGid gid;

    pvr_gid_from_mac(mac, &gid);
    return pvr_port_find_gid(port, &gid);
}

/* Why the kernel would refuse the name; NULL when it would not. */
static const char *
bad_name_reason(const char *name, gsize size, const char *forbidden)
{
    if (name[0] == '\0')
        return "it is empty";
    if (strlen(name) >= size)
        return "it is too long";
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return "it is a directory name";
    if (strpbrk(name, forbidden) != NULL)
        return "it has a character that is not allowed";
    for (const char *c = name; *c; c++)
        if (!g_ascii_isgraph(*c))
            return "it has a blank or a character that is not ASCII";
    return NULL;
}

static gboolean
check_name(const char *name, const char *what, gsize size, const char *forbidden, GError **error)
{
    const char *reason = bad_name_reason(name, size, forbidden);

    if (reason != NULL) {
        g_autofree char *shown = g_strndup(name, 2 * size);
        g_autofree char *safe = g_strescape(shown, NULL);

        g_set_error(error, PVR_ERROR, PVR_ERROR_USAGE, "'%s' cannot be the name of %s: %s\n"
                    "use at most %" G_GSIZE_FORMAT " letters, digits, '_', '-' and '.'",
                    safe, what, reason, size - 1);
    }
    return reason == NULL;
}

gboolean
pvr_ibdev_check_name(const char *name, GError **error)
{
    return check_name(name, "an RDMA device", IBDEV_NAME_SIZE, "/%", error);
}

gboolean
pvr_netdev_check_name(const char *name, GError **error)
{
    return check_name(name, "a network device", NETDEV_NAME_SIZE, "/:%", error);
}
