/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-verify.h"

#include <string.h>

#include "pvr-error.h"

#define REATTACH "'pvrdmactl detach %s %u', then attach it again"

gboolean
pvr_verify_memory(const PvrDomainView *view, GError **error)
{
    if (!view->memory_shared) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED,
                    "the memory of '%s' is private\n"
                    "add <memoryBacking><source type='memfd'/><access mode='shared'/>"
                    "</memoryBacking> with 'virsh edit %s'",
                    view->name, view->name);
        return FALSE;
    }
    return TRUE;
}

static gboolean
fail_functions(const PvrDomainView *view, const PvrMetaDevice *device, const char *what,
               GError **error)
{
    g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED, "device %u of '%s': %s\n" REATTACH, device->id,
                view->name, what, view->name, device->id);
    return FALSE;
}

/* A backend-dev makes the device one that works through the host, so soft is to have none. */
static gboolean
verify_backend(const PvrDomainView *view, const PvrMetaDevice *device, const PvrRngView *rng,
               GError **error)
{
    g_autofree char *what = NULL;

    if (device->backend == PVR_BACKEND_SOFT) {
        if (rng->backend_dev == NULL) {
            return TRUE;
        }
        what = g_strdup_printf("function 1 has the backend-dev %s, a soft device has none",
                               rng->backend_dev);
        return fail_functions(view, device, what, error);
    }
    if (g_strcmp0(rng->path, device->path) == 0 && g_strcmp0(rng->backend_dev, device->path) == 0) {
        return TRUE;
    }
    what = g_strdup_printf("function 1 does not use the node %s", device->path);
    return fail_functions(view, device, what, error);
}

static gboolean
verify_function1(const PvrDomainView *view, const PvrMetaDevice *device, const PvrRngView *rng,
                 GError **error)
{
    if (rng == NULL) {
        g_autofree char *what = g_strdup_printf("there is no function 1 (alias %s)", device->alias);

        return fail_functions(view, device, what, error);
    }
    if (!rng->has_addr || rng->addr.function != 1) {
        return fail_functions(view, device, "its PCI address is not function 1 of a slot", error);
    }
    if (g_strcmp0(rng->driver, "pvrdma") != 0) {
        return fail_functions(view, device, "no <qemu:override> makes function 1 a pvrdma", error);
    }
    return verify_backend(view, device, rng, error);
}

gboolean
pvr_verify_functions(const PvrDomainView *view, const PvrMetaDevice *device, GError **error)
{
    const PvrRngView *rng = pvr_domain_view_function1(view, device);
    const PvrNicView *nic;

    if (!verify_function1(view, device, rng, error)) {
        return FALSE;
    }
    nic = pvr_domain_view_function0(view, rng);
    if (nic == NULL) {
        return fail_functions(view, device, "there is no interface at function 0 of its slot",
                              error);
    }
    if (g_strcmp0(nic->model, "vmxnet3") != 0) {
        g_autofree char *what = g_strdup_printf("function 0 of its slot is '%s', not vmxnet3",
                                                nic->model != NULL ? nic->model : "unknown");

        return fail_functions(view, device, what, error);
    }
    if (!nic->multifunction) {
        return fail_functions(view, device, "the address of function 0 lacks multifunction='on'",
                              error);
    }
    return TRUE;
}

gboolean
pvr_verify_mac(const PvrDomainView *view, const PvrMetaDevice *device, GError **error)
{
    const PvrRngView *rng = pvr_domain_view_function1(view, device);
    const PvrNicView *nic = rng != NULL ? pvr_domain_view_function0(view, rng) : NULL;
    g_autofree char *gid = pvr_gid_to_string(&device->gid);
    g_autofree char *want = NULL;
    PvrMac carried, mac;

    if (nic == NULL) {
        return fail_functions(view, device, "there is no interface at function 0 of its slot",
                              error);
    }
    if (!pvr_gid_to_mac(&device->gid, &carried, error)) {
        return FALSE;
    }
    if (nic->mac != NULL && pvr_mac_parse(nic->mac, &mac, NULL) && pvr_mac_equal(&mac, &carried)) {
        return TRUE;
    }
    want = pvr_mac_to_string(&carried);
    g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED,
                "the MAC of function 0 is %s, but the GID %s carries %s\n"
                "set <mac address='%s'/> in that interface with 'virsh edit %s'",
                nic->mac != NULL ? nic->mac : "not given", gid, want, want, view->name);
    return FALSE;
}

/* A vhost-user or passed-through card moves its frames past QEMU; with "null" there are none. */
static const char *const bad_connections[] = {"vhostuser", "vdpa", "hostdev", "null", NULL};

gboolean
pvr_verify_connection(const PvrDomainView *view, const PvrMetaDevice *device, GError **error)
{
    const PvrRngView *rng = pvr_domain_view_function1(view, device);
    const PvrNicView *nic = rng != NULL ? pvr_domain_view_function0(view, rng) : NULL;

    if (nic == NULL) {
        return fail_functions(view, device, "there is no interface at function 0 of its slot",
                              error);
    }
    if (nic->type != NULL && !g_strv_contains(bad_connections, nic->type)) {
        return TRUE;
    }
    g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED,
                "device %u of '%s': a soft device sends through function 0, but that is an "
                "interface of type '%s', whose frames QEMU does not see\n"
                "connect it to a network, a bridge or a macvtap with 'virsh edit %s'",
                device->id, view->name, nic->type != NULL ? nic->type : "", view->name);
    return FALSE;
}

gboolean
pvr_verify_netdev(PvrHost *host, const char *netdev, GError **error)
{
    g_autoptr(PvrNetdev) dev = pvr_host_get_netdev(host, netdev, error);

    if (dev == NULL) {
        return FALSE;
    }
    if (!dev->up) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED,
                    "the netdev '%s' is down\nip link set %s up", netdev, netdev);
        return FALSE;
    }
    if (!dev->carrier) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED,
                    "the netdev '%s' has no carrier\nconnect it, or set its peer up", netdev);
        return FALSE;
    }
    return TRUE;
}

gboolean
pvr_verify_port(const PvrIbdev *ibdev, const PvrMetaDevice *device, GError **error)
{
    const PvrPort *port = pvr_ibdev_get_port(ibdev, device->port, error);
    const char *netdev;

    if (port == NULL) {
        return FALSE;
    }
    if (!pvr_port_is_active(port)) {
        netdev = port->netdev != NULL || !pvr_ibdev_is_rxe(ibdev) ? port->netdev : ibdev->parent;
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED,
                    "port %u of '%s' is %s (%s)\nset its netdev%s%s up and see that it has a "
                    "carrier",
                    port->num, ibdev->name, port->state, port->phys_state,
                    netdev != NULL ? " " : "", netdev != NULL ? netdev : "");
        return FALSE;
    }
    return TRUE;
}

static gboolean
fail_gid_index(const PvrIbdev *ibdev, const PvrMetaDevice *device, const PvrPort *port,
               const PvrGidEntry *fit, GError **error)
{
    const PvrGidEntry *entry = pvr_port_get_gid(port, (guint)device->gid_index);
    g_autofree char *have = entry != NULL ? pvr_gid_to_string(&entry->gid) : g_strdup("empty");
    g_autofree char *want = pvr_gid_to_string(&device->gid);

    g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED,
                "GID index %d of '%s' port %u is %s, but the domain was given %s\n"
                "that GID is at index %u now: detach and attach again",
                device->gid_index, ibdev->name, port->num, have, want, fit->index);
    return FALSE;
}

static gboolean
fail_gid_by_hand(const PvrIbdev *ibdev, const PvrMetaDevice *device, const PvrPort *port,
                 GError **error)
{
    const PvrGidEntry *entry = pvr_port_get_gid(port, (guint)device->gid_index);
    g_autofree char *have = entry != NULL ? pvr_gid_to_string(&entry->gid) : g_strdup("empty");
    g_autofree char *mac = pvr_mac_to_string(&device->mac);

    g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED,
                "backend-gid-idx is %d, but that GID of '%s' port %u is %s%s, no RoCE v2 GID for the "
                "MAC %s of function 0\n"
                "'pvrdmactl gid %s --why' shows which are; without backend-gid-idx the device finds "
                "it by itself",
                device->gid_index, ibdev->name, port->num, have,
                entry != NULL && entry->type != PVR_GID_ROCE_V2 ? " (RoCE v1)" : "", mac,
                ibdev->name);
    return FALSE;
}

static gboolean
fail_gid_policy(const PvrIbdev *ibdev, const PvrMetaDevice *device, const PvrPort *port,
                GError **error)
{
    g_autofree char *policy = pvr_gid_policy_to_string(device->gid_policy);
    g_autofree char *mac = pvr_mac_to_string(&device->mac);

    g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED,
                "port %u of '%s' has no GID that fits the policy %s and carries the MAC %s of "
                "function 0\n"
                "'pvrdmactl gid %s --why' shows what it has; if the netdev got another MAC, detach "
                "and attach again",
                port->num, ibdev->name, policy, mac, ibdev->name);
    return FALSE;
}

static gboolean
fail_gid(const PvrIbdev *ibdev, const PvrMetaDevice *device, const PvrPort *port, GError **error)
{
    g_autofree char *text = pvr_gid_to_string(&device->gid);
    const PvrGidEntry *fit = pvr_port_find_gid(port, &device->gid);

    if (device->gid_index_by_hand) {
        return fail_gid_by_hand(ibdev, device, port, error);
    }
    if (device->gid_policy != PVR_GID_FIXED && device->gid_policy != PVR_GID_EXACT) {
        return fail_gid_policy(ibdev, device, port, error);
    }
    if (fit != NULL && fit->type == PVR_GID_ROCE_V2) {
        return fail_gid_index(ibdev, device, port, fit, error);
    }
    g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED,
                "port %u of '%s' has %s GID %s\n"
                "'pvrdmactl gid %s --why' shows what it has; if the netdev got another MAC, detach "
                "and attach again",
                port->num, ibdev->name, fit != NULL ? "no RoCE v2 entry of the" : "no", text,
                ibdev->name);
    return FALSE;
}

const PvrGidEntry *
pvr_verify_find_gid(const PvrIbdev *ibdev, const PvrMetaDevice *device)
{
    const PvrPort *port = pvr_ibdev_get_port(ibdev, device->port, NULL);
    /* QEMU takes any GID at the index that carries the MAC. */
    const PvrGidScope scope = device->gid_index_by_hand ? PVR_GID_ANY : device->gid_policy;
    const PvrGidEntry *best = NULL;
    guint best_rate = 0;

    for (guint i = 0; port != NULL && i < port->gids->len; i++) {
        const PvrGidEntry *entry = g_ptr_array_index(port->gids, i);
        guint rate = pvr_gid_policy_rate(scope, &device->gid, &device->mac, entry);

        if (device->gid_index >= 0 && entry->index != (guint)device->gid_index) {
            continue;
        }
        if (rate > best_rate) {
            best = entry;
            best_rate = rate;
        }
    }
    return best;
}

gboolean
pvr_verify_gid(const PvrIbdev *ibdev, const PvrMetaDevice *device, GError **error)
{
    const PvrPort *port = pvr_ibdev_get_port(ibdev, device->port, error);

    return port != NULL && (pvr_verify_find_gid(ibdev, device) != NULL ||
                            fail_gid(ibdev, device, port, error));
}

void
pvr_verify_adopt_index(const PvrDomainView *view, PvrMetaDevice *device)
{
    const PvrRngView *rng = pvr_domain_view_function1(view, device);

    if (device->backend != PVR_BACKEND_SOFT && rng != NULL && rng->gid_index >= 0 &&
        rng->gid_index != device->gid_index) {
        device->gid_index = rng->gid_index;
        device->gid_index_by_hand = TRUE;
    }
}

gboolean
pvr_verify_node(PvrHost *host, const PvrIbdev *ibdev, GError **error)
{
    g_autofree char *path = NULL;

    if (ibdev->uverbs == NULL) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED,
                    "'%s' has no uverbs device\nmodprobe ib_uverbs", ibdev->name);
        return FALSE;
    }
    path = pvr_host_path(host, PVR_DIR_DEV_IB, ibdev->uverbs, NULL);
    if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED,
                    "the node '%s' of '%s' does not exist\n"
                    "udevadm trigger --subsystem-match=infiniband_verbs",
                    path, ibdev->name);
        return FALSE;
    }
    return TRUE;
}
