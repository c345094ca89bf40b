/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-system.h"

#include "pvr-sysfs.h"

static GPtrArray *
system_list_ibdevs(PvrHost *host, gpointer user_data, GError **error)
{
    return pvr_sysfs_list_ibdevs(host, error);
}

static PvrNetdev *
system_get_netdev(PvrHost *host, gpointer user_data, const char *name, GError **error)
{
    return pvr_sysfs_get_netdev(host, name, error);
}

static const PvrHostOps rooted_ops = {
    .list_ibdevs = system_list_ibdevs,
    .get_netdev = system_get_netdev,
};

PvrHost *
pvr_host_new_system_at(const char *root)
{
    return pvr_host_new(root, &rooted_ops, NULL, NULL);
}

PvrHost *
pvr_host_new_system(void)
{
    return pvr_host_new_system_at("");
}
