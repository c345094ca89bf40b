/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps on netdevs of the host. */
#include <string.h>

#include "pvr-error.h"
#include "pvr-step-priv.h"

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
    return pvr_netdev_check_name(step->what, NULL) &&
           (is_up(step->on) || strcmp(step->on, "down") == 0) &&
           (is_up(step->was) || strcmp(step->was, "down") == 0);
}

static gboolean
make_up(const PvrStep *step, PvrHost *host, GError **error)
{
    return pvr_host_set_netdev_up(host, step->what, is_up(step->on), error);
}

static gboolean
undo_up(const PvrStep *step, PvrHost *host, GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autoptr(PvrNetdev) netdev = find_netdev(step, host, &local);

    if (local != NULL) {
        g_propagate_error(error, g_steal_pointer(&local));
        return FALSE;
    }
    return netdev == NULL || netdev->up != is_up(step->on) ||
           pvr_host_set_netdev_up(host, step->what, is_up(step->was), error);
}

const PvrStepClass pvr_step_netdev_up = {check_up, make_up, undo_up, TRUE};
