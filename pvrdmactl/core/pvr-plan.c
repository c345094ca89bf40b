/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-plan.h"

#include <string.h>

#include "pvr-error.h"
#include "pvr-gid-policy.h"
#include "pvr-gid-why.h"
#include "pvr-inet6.h"
#include "pvr-resolve.h"
#include "pvr-verify.h"

static gboolean
check_roce_v2(const PvrIbdev *ibdev, const PvrPort *port, const PvrGidEntry *entry, GError **error)
{
    if (entry->type == PVR_GID_ROCE_V2) {
        return TRUE;
    }
    g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                "GID %u of port %u of '%s' is of type %s, the device needs RoCE v2\n"
                "'pvrdmactl gid %s' shows the types",
                entry->index, port->num, ibdev->name, pvr_gid_type_to_string(entry->type),
                ibdev->name);
    return FALSE;
}

static const PvrGidEntry *
entry_at(const PvrIbdev *ibdev, const PvrPort *port, guint index, GError **error)
{
    const PvrGidEntry *entry = pvr_port_get_gid(port, index);

    if (!entry) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND,
                    "port %u of '%s' has no GID at index %u\n'pvrdmactl gid %s' shows the GIDs",
                    port->num, ibdev->name, index, ibdev->name);
    }
    return entry;
}

static const PvrGidEntry *
entry_of_text(const PvrIbdev *ibdev, const PvrPort *port, const char *text, GError **error)
{
    const PvrGidEntry *entry = NULL;
    PvrGid gid = {{0}};

    if (!pvr_gid_parse(text, &gid, error)) {
        return NULL;
    }
    entry = pvr_port_find_gid(port, &gid);
    if (!entry) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND,
                    "port %u of '%s' has no GID %s\n'pvrdmactl gid %s' shows the GIDs", port->num,
                    ibdev->name, text, ibdev->name);
    }
    return entry;
}

/* An entry whose netdev the kernel does not tell is given the benefit of the doubt. */
static gboolean
is_usable(const PvrGidWhy *why)
{
    return why->verdict == PVR_GID_USABLE || why->verdict == PVR_GID_NO_NETDEV;
}

/* What is wrong with the entries that would fit; with none of them, that there is none. */
static void
set_no_choice(const PvrPlanRequest *request, const PvrIbdev *ibdev, const PvrPort *port,
              const PvrGidWhy *closest, GError **error)
{
    if (closest) {
        g_autofree char *gid = pvr_gid_to_string(&closest->entry->gid);

        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED,
                    "port %u of '%s' has the GID %s, but a guest cannot use it: %s\n"
                    "'pvrdmactl gid %s --why' shows all of them",
                    port->num, ibdev->name, gid, closest->why, ibdev->name);
    } else if (request->gid_policy) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND,
                    "port %u of '%s' has no RoCE v2 GID that carries a MAC and fits the policy '%s'\n"
                    "'pvrdmactl gid %s --why' shows the GIDs; an address whose interface id is an "
                    "EUI-64 makes one",
                    port->num, ibdev->name, request->gid_policy, ibdev->name);
    } else {
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED,
                    "port %u of '%s' has no RoCE v2 GID that carries a MAC\n"
                    "'pvrdmactl gid %s' shows the GIDs; the netdev's link-local IPv6 address must "
                    "be an EUI-64",
                    port->num, ibdev->name, ibdev->name);
    }
}

/* The best entry that fits the policy of @device. */
static const PvrGidEntry *
choose_entry(PvrHost *host, const PvrPlanRequest *request, const PvrMetaDevice *device,
             const PvrIbdev *ibdev, const PvrPort *port, GError **error)
{
    const PvrGidScope scope =
        device->gid_policy != PVR_GID_FIXED ? device->gid_policy : PVR_GID_ANY;
    g_autoptr(GPtrArray) list = pvr_gid_why_port(host, ibdev, port);
    const PvrGidWhy *best = NULL, *closest = NULL;
    guint best_rate = 0;

    for (guint i = 0; i < list->len; i++) {
        const PvrGidWhy *why = g_ptr_array_index(list, i);
        guint rate =
            why->entry ? pvr_gid_policy_rate(scope, &device->gid, NULL, why->entry) : 0;

        if (rate > 0 && !is_usable(why)) {
            closest = closest ? closest : why;
        } else if (rate > best_rate) {
            best = why;
            best_rate = rate;
        }
    }
    if (!best) {
        set_no_choice(request, ibdev, port, closest, error);
    }
    return best ? best->entry : NULL;
}

static const PvrGidEntry *
find_entry(PvrHost *host, const PvrPlanRequest *request, const PvrMetaDevice *device,
           const PvrIbdev *ibdev, const PvrPort *port, GError **error)
{
    const PvrGidEntry *entry = NULL;

    if (request->gid_index >= 0) {
        entry = entry_at(ibdev, port, (guint)request->gid_index, error);
    } else if (request->gid) {
        entry = entry_of_text(ibdev, port, request->gid, error);
    } else {
        entry = choose_entry(host, request, device, ibdev, port, error);
    }
    return entry && check_roce_v2(ibdev, port, entry, error) ? entry : NULL;
}

/* Without an index the device looks for a GID that carries its MAC, so only who wants one gets one. */
static gboolean
set_gid(PvrHost *host, PvrMetaDevice *device, const PvrPlanRequest *request,
        const PvrIbdev *ibdev, const PvrPort *port, GError **error)
{
    const PvrGidEntry *entry = find_entry(host, request, device, ibdev, port, error);

    if (!entry || !pvr_gid_to_mac(&entry->gid, &device->mac, error)) {
        return FALSE;
    }
    device->gid = entry->gid;
    if (request->gid_index >= 0 || request->gid) {
        device->gid_index = (int)entry->index;
    }
    return TRUE;
}

static gboolean
check_link_layer(const PvrIbdev *ibdev, const PvrPort *port, GError **error)
{
    if (g_strcmp0(port->link_layer, "InfiniBand") != 0) {
        return TRUE;
    }
    g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                "port %u of '%s' is InfiniBand, the device speaks RoCE v2\n"
                "choose a port whose link layer is Ethernet; 'pvrdmactl list' shows them",
                port->num, ibdev->name);
    return FALSE;
}

static gboolean
plan_on_port(PvrHost *host, PvrMetaDevice *device, const PvrPlanRequest *request,
             const PvrIbdev *ibdev, GError **error)
{
    const PvrPort *port = pvr_ibdev_get_port(ibdev, request->port, error);

    g_free(device->ibdev);
    device->ibdev = g_strdup(ibdev->name);
    return port && check_link_layer(ibdev, port, error) && pvr_verify_port(ibdev, device, error) &&
           set_gid(host, device, request, ibdev, port, error);
}

/* "rxe_NETDEV"; with a number if that name is another's. A netdev's name is short enough. */
static char *
choose_link_name(PvrHost *host, const char *netdev)
{
    char *name = g_strdup_printf("rxe_%s", netdev);

    for (guint n = 2; n < 100; n++) {
        g_autoptr(PvrIbdev) taken = pvr_host_get_ibdev(host, name, NULL);

        if (!taken) {
            break;
        }
        g_free(name);
        name = g_strdup_printf("rxe_%s_%u", netdev, n);
    }
    return name;
}

static gboolean
check_future_port(const PvrPlanRequest *request, GError **error)
{
    if (request->port != 1) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND,
                    "a Soft-RoCE device has port 1 only, not port %u", request->port);
        return FALSE;
    }
    return TRUE;
}

static gboolean
check_future_gid(const PvrPlanRequest *request, const PvrMetaDevice *device, GError **error)
{
    g_autofree char *want = pvr_gid_to_string(&device->gid);
    PvrGid gid = {{0}};

    if (request->gid && !pvr_gid_parse(request->gid, &gid, error)) {
        return FALSE;
    }
    if (request->gid_index >= 0 || (request->gid && !pvr_gid_equal(&gid, &device->gid))) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND,
                    "'%s' has no Soft-RoCE device yet, its GID will be %s\n"
                    "to choose another, make the device first: pvrdmactl rxe add %s",
                    device->netdev, want, device->netdev);
        return FALSE;
    }
    return TRUE;
}

/*
 * The GIDs that the kernel will give a link on @netdev: the link-local one of the MAC, and one for each
 * address. As a port, so that the same rules choose from it.
 */
static PvrPort *
future_port(PvrHost *host, const PvrNetdev *netdev)
{
    g_autoptr(GArray) addresses = pvr_inet6_list(host);
    PvrPort *port = pvr_port_new(1);
    PvrGid own;

    pvr_gid_from_mac(&netdev->mac, &own);
    for (guint i = 0; i <= (addresses ? addresses->len : 0); i++) {
        const PvrInet6 *address = i > 0 ? &g_array_index(addresses, PvrInet6, i - 1) : NULL;
        PvrGidEntry *entry;

        if (address && !g_str_equal(address->netdev, netdev->name)) {
            continue;
        }
        entry = g_new0(PvrGidEntry, 1);
        entry->index = i;
        entry->gid = address ? address->address : own;
        entry->type = PVR_GID_ROCE_V2;
        g_ptr_array_add(port->gids, entry);
    }
    return port;
}

static gboolean
choose_future_gid(PvrHost *host, PvrMetaDevice *device, const PvrPlanRequest *request,
                  const PvrNetdev *netdev, GError **error)
{
    g_autoptr(PvrPort) port = future_port(host, netdev);
    const PvrGidEntry *best = NULL;

    for (guint i = 0; i < port->gids->len; i++) {
        const PvrGidEntry *entry = g_ptr_array_index(port->gids, i);
        guint rate = pvr_gid_policy_rate(device->gid_policy, &device->gid, NULL, entry);

        if (rate > (best ? pvr_gid_policy_rate(device->gid_policy, &device->gid, NULL, best) : 0)) {
            best = entry;
        }
    }
    if (!best) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND,
                    "a Soft-RoCE device on '%s' would have no GID that fits the policy '%s'\n"
                    "give '%s' such an address, its interface id the EUI-64 of a MAC",
                    netdev->name, request->gid_policy, netdev->name);
        return FALSE;
    }
    device->gid = best->gid;
    return pvr_gid_to_mac(&best->gid, &device->mac, error);
}

/* The kernel gives a new link the link-local GID of the netdev's MAC. */
static gboolean
plan_future_link(PvrHost *host, PvrMetaDevice *device, const PvrPlanRequest *request,
                 const PvrNetdev *netdev, GError **error)
{
    if (!pvr_mac_is_usable(&netdev->mac)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                    "the netdev '%s' has no MAC, so Soft-RoCE cannot use it", netdev->name);
        return FALSE;
    }
    device->ibdev = choose_link_name(host, netdev->name);
    if (request->gid_policy) {
        return check_future_port(request, error) &&
               choose_future_gid(host, device, request, netdev, error);
    }
    device->mac = netdev->mac;
    pvr_gid_from_mac(&netdev->mac, &device->gid);
    return check_future_port(request, error) && check_future_gid(request, device, error);
}

static gboolean
plan_rxe(PvrHost *host, PvrMetaDevice *device, const PvrPlanRequest *request, GError **error)
{
    g_autofree char *name = pvr_resolve_netdev(host, request->netdev, error);
    g_autoptr(PvrNetdev) netdev = name ? pvr_host_get_netdev(host, name, error) : NULL;
    g_autoptr(PvrIbdev) link = NULL;
    g_autoptr(GError) failed = NULL;

    if (!netdev || !pvr_verify_netdev(host, name, error)) {
        return FALSE;
    }
    device->backend = PVR_BACKEND_RXE;
    device->netdev = g_strdup(name);
    link = pvr_host_find_rxe(host, name, &failed);
    if (failed) {
        g_propagate_error(error, g_steal_pointer(&failed));
        return FALSE;
    }
    return link ? plan_on_port(host, device, request, link, error)
                : plan_future_link(host, device, request, netdev, error);
}

/* Names change with udev, the kernel and the order of probing: these do not. */
static gboolean
store_identity(PvrHost *host, PvrMetaDevice *device, const PvrIbdev *ibdev, GError **error)
{
    g_autoptr(GError) failed = NULL;
    g_autoptr(PvrPci) pci = pvr_resolve_ibdev_pci(host, ibdev, &failed);
    guint64 guid = 0;

    if (failed) {
        g_propagate_error(error, g_steal_pointer(&failed));
        return FALSE;
    }
    device->pci = pci ? g_strdup(pci->address) : NULL;
    if (ibdev->node_guid && pvr_guid_parse(ibdev->node_guid, &guid, NULL) && guid != 0) {
        device->guid = pvr_guid_to_string(guid);
    }
    return TRUE;
}

static gboolean
plan_ibdev(PvrHost *host, PvrMetaDevice *device, const PvrPlanRequest *request,
           char **ret_rxe_netdev, GError **error)
{
    g_autoptr(PvrIbdev) ibdev = pvr_resolve_ibdev(host, request->ibdev, error);

    if (!ibdev || !plan_on_port(host, device, request, ibdev, error)) {
        return FALSE;
    }
    device->backend = PVR_BACKEND_IBDEV;
    if (pvr_ibdev_is_rxe(ibdev)) {
        *ret_rxe_netdev = g_strdup(ibdev->parent);
    }
    return pvr_ibdev_is_rxe(ibdev) || store_identity(host, device, ibdev, error);
}

static gboolean
set_policy(PvrMetaDevice *device, const PvrPlanRequest *request, GError **error)
{
    if (!request->gid_policy) {
        return TRUE;
    }
    if (!pvr_gid_policy_parse(request->gid_policy, &device->gid_policy, &device->gid, error)) {
        return FALSE;
    }
    if (device->gid_policy == PVR_GID_EXACT && pvr_gid_is_zero(&device->gid)) {
        g_set_error_literal(error, PVR_ERROR, PVR_ERROR_USAGE,
                            "GID policy 'exact' does not say which GID\ngive the GID itself");
        return FALSE;
    }
    return TRUE;
}

PvrMetaDevice *
pvr_plan_device(PvrHost *host, const PvrPlanRequest *request, char **ret_rxe_netdev,
                GError **error)
{
    g_autoptr(PvrMetaDevice) device = g_new0(PvrMetaDevice, 1);
    g_autofree char *rxe_netdev = NULL;

    device->port = request->port;
    device->gid_index = -1;
    device->controller = -1;
    if (!set_policy(device, request, error)) {
        return NULL;
    }
    if (request->netdev) {
        if (!plan_rxe(host, device, request, error)) {
            return NULL;
        }
        rxe_netdev = g_strdup(device->netdev);
    } else if (!plan_ibdev(host, device, request, &rxe_netdev, error)) {
        return NULL;
    }
    *ret_rxe_netdev = g_steal_pointer(&rxe_netdev);
    return g_steal_pointer(&device);
}

PvrMetaDevice *
pvr_plan_soft(const PvrMac *mac)
{
    PvrMetaDevice *device = g_new0(PvrMetaDevice, 1);

    device->backend = PVR_BACKEND_SOFT;
    device->mac = *mac;
    pvr_gid_from_mac(mac, &device->gid);
    device->gid_index = -1;
    device->controller = -1;
    return device;
}
