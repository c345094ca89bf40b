/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-system.h"

#include "pvr-limit.h"
#include "pvr-rdmanl.h"
#include "pvr-rtnl.h"
#include "pvr-sysfs-pci.h"
#include "pvr-sysfs.h"
#include "pvr-verbs.h"

static GPtrArray *
list_ibdevs(PvrHost *host, gpointer user_data, const PvrIbdevFilter *filter, GError **error)
{
    return pvr_sysfs_list_ibdevs(host, filter, error);
}

static PvrNetdev *
get_rooted_netdev(PvrHost *host, gpointer user_data, const char *name, GError **error)
{
    return pvr_sysfs_get_netdev(host, name, error);
}

static PvrNetdev *
get_netdev(PvrHost *host, gpointer user_data, const char *name, GError **error)
{
    return pvr_rtnl_get_netdev(name, error);
}

static gboolean
rxe_add(PvrHost *host, gpointer user_data, const char *name, const char *netdev, GError **error)
{
    return pvr_rdmanl_rxe_add(name, netdev, error);
}

static gboolean
ibdev_del(PvrHost *host, gpointer user_data, const char *name, GError **error)
{
    return pvr_rdmanl_ibdev_del(name, error);
}

static gboolean
set_memlock(PvrHost *host, gpointer user_data, pid_t pid, guint64 bytes, GError **error)
{
    return pvr_limit_set_memlock(pid, bytes, error);
}

static gboolean
query_verbs(PvrHost *host, gpointer user_data, const char *ibdev, PvrVerbsInfo *ret_info,
            GError **error)
{
    return pvr_verbs_query(ibdev, ret_info, error);
}

static GPtrArray *
list_pci(PvrHost *host, gpointer user_data, const char *address, GError **error)
{
    return pvr_sysfs_list_pci(host, address, error);
}

static const PvrHostOps system_ops = {
    .list_ibdevs = list_ibdevs,
    .get_netdev = get_netdev,
    .rxe_add = rxe_add,
    .ibdev_del = ibdev_del,
    .set_memlock = set_memlock,
    .query_verbs = query_verbs,
    .list_pci = list_pci,
};

/* The running kernel is not below the root: no operation may reach it. */
static const PvrHostOps rooted_ops = {
    .list_ibdevs = list_ibdevs,
    .get_netdev = get_rooted_netdev,
    .list_pci = list_pci,
};

PvrHost *
pvr_host_new_system(void)
{
    return pvr_host_new("", &system_ops, NULL, NULL);
}

PvrHost *
pvr_host_new_system_at(const char *root)
{
    if (root[0] == '\0')
        return pvr_host_new_system();
    return pvr_host_new(root, &rooted_ops, NULL, NULL);
}
