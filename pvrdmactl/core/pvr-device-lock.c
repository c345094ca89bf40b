/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-device-lock.h"

#include <string.h>

static PvrLock *
take(PvrHost *host, const char *kind, const char *key, guint timeout_ms, GError **error)
{
    g_autofree char *name = g_strconcat(kind, key, NULL);
    g_autofree char *path = pvr_host_path(host, PVR_DIR_RUN, "locks", name, NULL);

    return pvr_lock_take_passing(path, timeout_ms, error);
}

PvrLock *
pvr_domain_lock(PvrHost *host, const char *uuid, guint timeout_ms, GError **error)
{
    g_autofree char *lower = g_ascii_strdown(uuid, -1);

    return take(host, "domain-", lower, timeout_ms, error);
}

PvrLock *
pvr_device_lock(PvrHost *host, const char *key, guint timeout_ms, GError **error)
{
    return take(host, "device-", key, timeout_ms, error);
}

static int
compare_keys(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

GPtrArray *
pvr_device_lock_all(PvrHost *host, GPtrArray *keys, guint timeout_ms, GError **error)
{
    g_autoptr(GPtrArray) locks = g_ptr_array_new_with_free_func((GDestroyNotify)pvr_lock_free);
    const char *last = NULL;

    g_ptr_array_sort(keys, compare_keys);
    for (guint i = 0; i < keys->len; i++) {
        const char *key = g_ptr_array_index(keys, i);
        PvrLock *lock = NULL;

        if (g_strcmp0(key, last) == 0) {
            continue;
        }
        lock = pvr_device_lock(host, key, timeout_ms, error);
        if (lock == NULL) {
            return NULL;
        }
        g_ptr_array_add(locks, lock);
        last = key;
    }
    return g_steal_pointer(&locks);
}

char *
pvr_device_key_of_netdev(PvrHost *host, const char *netdev)
{
    g_autofree char *path = pvr_host_path(host, PVR_DIR_SYS_NET, netdev, "device", NULL);
    g_autofree char *target = g_file_read_link(path, NULL);
    g_autofree char *name = target != NULL ? g_path_get_basename(target) : NULL;
    char *address = name != NULL ? pvr_pci_parse_address(name) : NULL;

    return address != NULL ? address : g_strdup(netdev);
}

char *
pvr_device_key_of_ibdev(PvrHost *host, const PvrIbdev *ibdev)
{
    if (ibdev->parent == NULL) {
        return g_strdup(ibdev->name);
    }
    return pvr_ibdev_is_rxe(ibdev) ? pvr_device_key_of_netdev(host, ibdev->parent)
                                   : g_strdup(ibdev->parent);
}
