/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-system.h"

#include "pvr-limit.h"
#include "pvr-rdmanl.h"
#include "pvr-rtnl-vf.h"
#include "pvr-rtnl.h"
#include "pvr-sriov.h"
#include "pvr-sysfs-pci.h"
#include "pvr-sysfs.h"
#include "pvr-uevent.h"
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

static GPtrArray *
get_vfs(PvrHost *host, gpointer user_data, const char *pf_netdev, GError **error)
{
    return pvr_rtnl_get_vfs(pf_netdev, error);
}

static gboolean
set_vf(PvrHost *host, gpointer user_data, const char *pf_netdev, const PvrVf *vf, GError **error)
{
    return pvr_rtnl_set_vf(pf_netdev, vf, error);
}

static gboolean
set_num_vfs(PvrHost *host, gpointer user_data, const char *pf, guint number, GError **error)
{
    return pvr_sriov_set_num_vfs(host, pf, number, error);
}

static gboolean
bind_driver(PvrHost *host, gpointer user_data, const char *pci, const char *driver, GError **error)
{
    return pvr_sriov_bind(host, pci, driver, error);
}

static gboolean
unbind_driver(PvrHost *host, gpointer user_data, const char *pci, GError **error)
{
    return pvr_sriov_unbind(host, pci, error);
}

static gboolean
set_netdev_mac(PvrHost *host, gpointer user_data, const char *netdev, const PvrMac *mac,
               GError **error)
{
    return pvr_rtnl_set_mac(netdev, mac, error);
}

static gboolean
set_netdev_up(PvrHost *host, gpointer user_data, const char *netdev, gboolean up, GError **error)
{
    return pvr_rtnl_set_up(netdev, up, error);
}

static void
wait_event(PvrHost *host, gpointer user_data, guint timeout_ms)
{
    pvr_uevents_wait(user_data, timeout_ms);
}

static void
free_uevents(gpointer data)
{
    pvr_uevents_free(data);
}

static const PvrHostOps system_ops = {
    .list_ibdevs = list_ibdevs,
    .get_netdev = get_netdev,
    .rxe_add = rxe_add,
    .ibdev_del = ibdev_del,
    .set_memlock = set_memlock,
    .query_verbs = query_verbs,
    .list_pci = list_pci,
    .get_vfs = get_vfs,
    .set_vf = set_vf,
    .set_num_vfs = set_num_vfs,
    .bind = bind_driver,
    .unbind = unbind_driver,
    .set_netdev_mac = set_netdev_mac,
    .set_netdev_up = set_netdev_up,
    .wait_event = wait_event,
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
    return pvr_host_new("", &system_ops, pvr_uevents_new(), free_uevents);
}

PvrHost *
pvr_host_new_system_at(const char *root)
{
    if (root[0] == '\0')
        return pvr_host_new_system();
    return pvr_host_new(root, &rooted_ops, NULL, NULL);
}
