/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "pvr-apply-priv.h"
#include "pvr-error.h"

#define WAIT_MS 200

/* NULL without error when the function has none (yet). */
static char *
netdev_of(PvrHost *host, const char *address, GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autoptr(PvrPci) pci = pvr_host_get_pci(host, address, &local);

    if (pci == NULL && !g_error_matches(local, PVR_ERROR, PVR_ERROR_NOT_FOUND)) {
        g_propagate_error(error, g_steal_pointer(&local));
    }
    return pci != NULL && pci->netdevs->len > 0 ? g_strdup(g_ptr_array_index(pci->netdevs, 0))
                                                : NULL;
}

static void
fail_no_netdev(PvrHost *host, const PvrConfLink *declared, GError **error)
{
    g_autoptr(PvrPci) pci = pvr_host_get_pci(host, declared->pci, error);

    if (pci != NULL) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "PCI function %s has no netdev%s\n%s",
                    declared->pci, pci->netdev_elsewhere ? " in this network namespace" : "",
                    pci->driver != NULL ? "'ip link' shows the netdevs"
                                        : "no driver is bound to it: see 'lspci -k'");
    }
}

/* VFs that were just made get their netdev, and that its name, a moment later. */
static char *
wait_netdev(PvrApply *apply, const PvrConfLink *declared, GError **error)
{
    const gint64 end =
        g_get_monotonic_time() + apply->options->settle_ms * G_TIME_SPAN_MILLISECOND;
    g_autoptr(GError) local = NULL;
    char *netdev = netdev_of(apply->host, declared->pci, &local);

    while (netdev == NULL && local == NULL && !apply->options->dry_run &&
           g_get_monotonic_time() < end) {
        pvr_host_wait_event(apply->host, WAIT_MS);
        netdev = netdev_of(apply->host, declared->pci, &local);
    }
    if (local != NULL) {
        g_propagate_error(error, g_steal_pointer(&local));
    } else if (netdev == NULL) {
        fail_no_netdev(apply->host, declared, error);
    }
    return netdev;
}

/* The link that is on the netdev, if any: TRUE when it is the declared one, or there is none. */
static gboolean
check_present(const PvrConfLink *declared, const char *netdev, const PvrIbdev *present,
              GError **error)
{
    if (present == NULL || strcmp(present->name, declared->name) == 0) {
        return TRUE;
    }
    g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY,
                "netdev '%s' has the Soft-RoCE link '%s' already\n"
                "remove that one ('pvrdmactl rxe del %s'), or correct %s",
                netdev, present->name, present->name, declared->where);
    return FALSE;
}

static gboolean
check_name_free(PvrHost *host, const PvrConfLink *declared, GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autoptr(PvrIbdev) other = pvr_host_get_ibdev(host, declared->name, &local);

    if (other != NULL) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY,
                    "there is an RDMA device '%s' already, on %s\ncorrect the name at %s",
                    other->name, other->parent != NULL ? other->parent : "something else",
                    declared->where);
        return FALSE;
    }
    if (!g_error_matches(local, PVR_ERROR, PVR_ERROR_NOT_FOUND)) {
        g_propagate_error(error, g_steal_pointer(&local));
        return FALSE;
    }
    return TRUE;
}

static gboolean
plan(PvrApply *apply, const PvrConfLink *declared, const char *netdev, GPtrArray *steps,
     GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autoptr(PvrIbdev) present = pvr_host_find_rxe(apply->host, netdev, &local);

    if (local != NULL) {
        g_propagate_error(error, g_steal_pointer(&local));
        return FALSE;
    }
    if (!check_present(declared, netdev, present, error) ||
        (present == NULL && !check_name_free(apply->host, declared, error)) ||
        !pvr_apply_add_up(apply, netdev, steps, error)) {
        return FALSE;
    }
    if (present == NULL) {
        g_ptr_array_add(steps, pvr_step_new(PVR_STEP_RXE_ADD, declared->name, netdev, NULL));
    }
    return TRUE;
}

static char *
apply_on(PvrApply *apply, const PvrConfLink *declared, const char *netdev,
         PvrApplyState *ret_state, GError **error)
{
    g_autofree char *key = pvr_device_key_of_netdev(apply->host, netdev);
    g_autoptr(GError) local = NULL;
    G_GNUC_UNUSED g_autoptr(PvrLock) lock = pvr_apply_lock(apply, key, &local);
    g_autoptr(GPtrArray) steps = pvr_steps_new();

    if (local != NULL) {
        g_propagate_error(error, g_steal_pointer(&local));
        return NULL;
    }
    if (!plan(apply, declared, netdev, steps, error) ||
        !pvr_apply_run(apply, key, steps, error)) {
        return NULL;
    }
    *ret_state = steps->len > 0 ? PVR_APPLY_CHANGED : PVR_APPLY_OK;
    return g_strdup_printf("on %s", netdev);
}

char *
pvr_apply_link(PvrApply *apply, const PvrConfLink *declared, PvrApplyState *ret_state,
               GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autoptr(PvrNetdev) named =
        declared->netdev != NULL ? pvr_host_get_netdev(apply->host, declared->netdev, &local) : NULL;
    g_autofree char *netdev = named != NULL          ? g_strdup(named->name)
                              : declared->pci != NULL ? wait_netdev(apply, declared, &local)
                                                      : NULL;

    if (netdev != NULL) {
        return apply_on(apply, declared, netdev, ret_state, error);
    }
    if (apply->options->dry_run && declared->pci != NULL && pvr_apply_will_have_vfs(apply)) {
        *ret_state = PVR_APPLY_CHANGED;
        return g_strdup_printf("on %s, if that is one of the VFs to come", declared->pci);
    }
    g_propagate_error(error, g_steal_pointer(&local));
    return NULL;
}
