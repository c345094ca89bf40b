/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-gid-why.h"

#include <string.h>

#include "pvr-error.h"

/* What the entries of one port share. */
typedef struct {
    PvrHost *host;
    const PvrIbdev *ibdev;
    const PvrPort *port;
    GArray *addresses;   /* of PvrInet6; NULL when they cannot be told */
    GHashTable *netdevs; /* name -> PvrNetdev, or NULL when there is none in this namespace */
} Port;

static void
port_clear(Port *port)
{
    g_clear_pointer(&port->addresses, g_array_unref);
    g_clear_pointer(&port->netdevs, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Port, port_clear)

static void
why_free(gpointer data)
{
    PvrGidWhy *why = data;

    g_free(why->why);
    g_free(why);
}

const char *
pvr_gid_verdict_to_string(PvrGidVerdict verdict)
{
    static const char *const words[] = {
        [PVR_GID_USABLE] = "usable",
        [PVR_GID_EMPTY] = "empty",
        [PVR_GID_INFINIBAND] = "infiniband",
        [PVR_GID_V1] = "roce-v1",
        [PVR_GID_NO_MAC] = "no-mac",
        [PVR_GID_NO_NETDEV] = "no-netdev",
        [PVR_GID_OTHER_NAMESPACE] = "other-namespace",
        [PVR_GID_NO_ADDRESS] = "no-address",
        [PVR_GID_DUPLICATE_ADDRESS] = "duplicate-address",
        [PVR_GID_PORT_DOWN] = "port-down",
    };

    return words[verdict];
}

static void G_GNUC_PRINTF(3, 4)
decide(PvrGidWhy *why, PvrGidVerdict verdict, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    why->verdict = verdict;
    why->why = g_strdup_vprintf(format, args);
    va_end(args);
}

static void
netdev_free(gpointer data)
{
    if (data != NULL) {
        pvr_netdev_free(data);
    }
}

/* FALSE when there is surely none in this namespace. */
static gboolean
find_netdev(const Port *port, const char *name, const PvrNetdev **ret_netdev)
{
    g_autoptr(GError) error = NULL;
    gpointer known = NULL;

    if (!g_hash_table_lookup_extended(port->netdevs, name, NULL, &known)) {
        PvrNetdev *netdev = pvr_host_get_netdev(port->host, name, &error);

        if (error != NULL && !g_error_matches(error, PVR_ERROR, PVR_ERROR_NOT_FOUND)) {
            *ret_netdev = NULL;
            return TRUE;
        }
        g_hash_table_insert(port->netdevs, g_strdup(name), netdev);
        known = netdev;
    }
    *ret_netdev = known;
    return known != NULL;
}

/* The RoCE v2 entry with the same GID, if there is one: that is what the reader looks for. */
static void
decide_type(const Port *port, PvrGidWhy *why)
{
    const PvrGidEntry *twin = pvr_port_find_gid(port->port, &why->entry->gid);

    if (why->entry->type == PVR_GID_IB) {
        decide(why, PVR_GID_INFINIBAND, "InfiniBand; the device speaks RoCE v2");
    } else if (twin != NULL && twin->type == PVR_GID_ROCE_V2) {
        decide(why, PVR_GID_V1, "RoCE v1; the same GID is RoCE v2 at index %u", twin->index);
    } else {
        decide(why, PVR_GID_V1, "RoCE v1; the device speaks RoCE v2");
    }
}

static void
decide_usable(const Port *port, PvrGidWhy *why, const PvrMac *mac, const PvrNetdev *netdev,
              const char *remark)
{
    const char *scope = pvr_gid_is_link_local(&why->entry->gid) ? "link-local" : "routable";
    gboolean own = netdev != NULL && pvr_mac_equal(mac, &netdev->mac);

    if (!pvr_port_is_active(port->port)) {
        decide(why, PVR_GID_PORT_DOWN, "%s, but port %u is %s", scope, port->port->num,
               port->port->state);
    } else if (netdev != NULL) {
        decide(why, PVR_GID_USABLE, "%s, for %s of %s%s", scope, own ? "the MAC" : "another MAC than that",
               netdev->name, remark);
    } else {
        decide(why, PVR_GID_USABLE, "%s%s", scope, remark);
    }
}

/*
 * The kernel keeps a default GID for each netdev, also when the address is not configured. Hardware
 * takes packets to it all the same; those for rxe come through the IP stack, which drops them.
 */
static void
decide_address(const Port *port, PvrGidWhy *why, const PvrMac *mac, const PvrNetdev *netdev)
{
    const char *name = why->entry->netdev;
    const PvrInet6 *address =
        port->addresses != NULL ? pvr_inet6_find(port->addresses, name, &why->entry->gid) : NULL;

    if (address != NULL && address->duplicate) {
        decide(why, PVR_GID_DUPLICATE_ADDRESS, "%s has the address, but so has another host", name);
    } else if (address != NULL || port->addresses == NULL) {
        decide_usable(port, why, mac, netdev,
                      address != NULL && address->tentative ? " (address still tentative)" : "");
    } else if (!pvr_ibdev_is_rxe(port->ibdev) && pvr_gid_is_link_local(&why->entry->gid)) {
        decide_usable(port, why, mac, netdev, " (no address, which hardware does not need)");
    } else {
        decide(why, PVR_GID_NO_ADDRESS, "%s does not have the address", name);
    }
}

static void
decide_entry(const Port *port, PvrGidWhy *why)
{
    const PvrGidEntry *entry = why->entry;
    const char *no_mac = pvr_gid_no_mac_reason(&entry->gid);
    const PvrNetdev *netdev = NULL;
    PvrMac mac = {{0}};

    if (entry->type != PVR_GID_ROCE_V2) {
        decide_type(port, why);
    } else if (no_mac != NULL) {
        decide(why, PVR_GID_NO_MAC, "carries no MAC: %s", no_mac);
    } else if (entry->netdev == NULL) {
        decide(why, PVR_GID_NO_NETDEV, "its netdev is down, or gone");
    } else if (!find_netdev(port, entry->netdev, &netdev)) {
        decide(why, PVR_GID_OTHER_NAMESPACE, "%s is in another network namespace", entry->netdev);
    } else {
        pvr_gid_to_mac(&entry->gid, &mac, NULL);
        decide_address(port, why, &mac, netdev);
    }
}

static void
add_empty(GPtrArray *list, guint first, guint end)
{
    PvrGidWhy *why;

    if (first >= end) {
        return;
    }
    why = g_new0(PvrGidWhy, 1);
    why->first = first;
    why->last = end - 1;
    decide(why, PVR_GID_EMPTY, "empty");
    g_ptr_array_add(list, why);
}

GPtrArray *
pvr_gid_why_port(PvrHost *host, const PvrIbdev *ibdev, const PvrPort *port)
{
    g_auto(Port) shared = {
        .host = host, .ibdev = ibdev, .port = port, .addresses = pvr_inet6_list(host)};
    GPtrArray *list = g_ptr_array_new_with_free_func(why_free);
    guint next = 0;

    shared.netdevs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, netdev_free);
    for (guint i = 0; i < port->gids->len; i++) {
        const PvrGidEntry *entry = g_ptr_array_index(port->gids, i);
        PvrGidWhy *why = g_new0(PvrGidWhy, 1);

        add_empty(list, next, entry->index);
        next = entry->index + 1;
        why->first = why->last = entry->index;
        why->entry = entry;
        decide_entry(&shared, why);
        g_ptr_array_add(list, why);
    }
    add_empty(list, next, port->gid_slots);
    return list;
}
