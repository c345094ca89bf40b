/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps on netdevs of the host. */
#include <string.h>

#include "pvr-error.h"
#include "pvr-step-priv.h"

const char *
pvr_step_pci_of(const char *text)
{
    return g_str_has_prefix(text, PVR_STEP_PCI_PREFIX) ? text + strlen(PVR_STEP_PCI_PREFIX) : NULL;
}

gboolean
pvr_step_check_netdev(const char *text)
{
    const char *pci = pvr_step_pci_of(text);

    return pci != NULL ? pvr_step_is_pci(pci) : pvr_netdev_check_name(text, NULL);
}

char *
pvr_step_find_netdev(const char *text, PvrHost *host, guint timeout_ms, GError **error)
{
    const char *address = pvr_step_pci_of(text);
    gint64 end = g_get_monotonic_time() + timeout_ms * G_TIME_SPAN_MILLISECOND;

    if (address == NULL) {
        return g_strdup(text);
    }
    for (;;) {
        g_autoptr(PvrPci) pci = pvr_host_get_pci(host, address, error);
        gint64 left = (end - g_get_monotonic_time()) / G_TIME_SPAN_MILLISECOND;

        if (pci == NULL) {
            return NULL;
        }
        if (pci->netdevs->len > 0) {
            return g_strdup(g_ptr_array_index(pci->netdevs, 0));
        }
        if (left <= 0 || pci->driver == NULL) {
            g_set_error(error, PVR_ERROR,
                        pci->driver == NULL ? PVR_ERROR_NOT_FOUND : PVR_ERROR_FAILED,
                        "PCI function %s has no netdev\n"
                        "is it in another network namespace?", address);
            return NULL;
        }
        pvr_host_wait_event(host, (guint)left);
    }
}

/* NULL with an error, or without one when the netdev is gone. */
static PvrNetdev *
find_netdev(const PvrStep *step, PvrHost *host, GError **error)
{
    g_autoptr(GError) local = NULL;
    PvrNetdev *netdev = pvr_host_get_netdev(host, step->what, &local);

    if (netdev == NULL) {
        pvr_step_is_gone(g_steal_pointer(&local), error);
    }
    return netdev;
}

static gboolean
check_mac(const PvrStep *step)
{
    PvrMac mac;

    return pvr_netdev_check_name(step->what, NULL) && pvr_mac_parse(step->on, &mac, NULL) &&
           pvr_mac_parse(step->was, &mac, NULL);
}

static gboolean
set_mac(const PvrStep *step, PvrHost *host, const char *text, GError **error)
{
    PvrMac mac;

    return pvr_mac_parse(text, &mac, error) &&
           pvr_host_set_netdev_mac(host, step->what, &mac, error);
}

static gboolean
make_mac(const PvrStep *step, PvrHost *host, GError **error)
{
    return set_mac(step, host, step->on, error);
}

static gboolean
undo_mac(const PvrStep *step, PvrHost *host, GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autoptr(PvrNetdev) netdev = find_netdev(step, host, &local);
    PvrMac made;

    if (local != NULL) {
        g_propagate_error(error, g_steal_pointer(&local));
        return FALSE;
    }
    return netdev == NULL || !pvr_mac_parse(step->on, &made, NULL) ||
           !pvr_mac_equal(&netdev->mac, &made) || set_mac(step, host, step->was, error);
}

const PvrStepClass pvr_step_netdev_mac = {check_mac, make_mac, undo_mac, TRUE};

static gboolean
is_up(const char *text)
{
    return strcmp(text, "up") == 0;
}

static gboolean
check_up(const PvrStep *step)
{
    return pvr_step_check_netdev(step->what) &&
           (is_up(step->on) || strcmp(step->on, "down") == 0) &&
           (is_up(step->was) || strcmp(step->was, "down") == 0);
}

static gboolean
make_up(const PvrStep *step, PvrHost *host, GError **error)
{
    g_autofree char *name = pvr_step_find_netdev(step->what, host, 0, error);

    return name != NULL && pvr_host_set_netdev_up(host, name, is_up(step->on), error);
}

static gboolean
undo_up(const PvrStep *step, PvrHost *host, GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autofree char *name =
        pvr_step_find_netdev(step->what, host, PVR_STEP_NETDEV_WAIT_MS, &local);
    g_autoptr(PvrNetdev) netdev = name != NULL ? pvr_host_get_netdev(host, name, &local) : NULL;

    if (netdev == NULL) {
        return pvr_step_is_gone(g_steal_pointer(&local), error);
    }
    return netdev->up != is_up(step->on) ||
           pvr_host_set_netdev_up(host, netdev->name, is_up(step->was), error);
}

const PvrStepClass pvr_step_netdev_up = {check_up, make_up, undo_up, TRUE};
