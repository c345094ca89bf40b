/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-host.h"

#include <string.h>

#include "pvr-error.h"

struct _PvrHost {
    char *root;
    const PvrHostOps *ops;
    gpointer user_data;
    GDestroyNotify free_user_data;
};

/* The only absolute paths in the project. */
static const char *const dir_table[PVR_DIR_LAST] = {
    [PVR_DIR_SYS_IB] = "/sys/class/infiniband",
    [PVR_DIR_SYS_VERBS] = "/sys/class/infiniband_verbs",
    [PVR_DIR_SYS_NET] = "/sys/class/net",
    [PVR_DIR_SYS_PCI] = "/sys/bus/pci",
    [PVR_DIR_SYS_MODULE] = "/sys/module",
    [PVR_DIR_DEV] = "/dev",
    [PVR_DIR_DEV_IB] = "/dev/infiniband",
    [PVR_DIR_DEV_PVRDMA] = "/dev/pvrdma",
    [PVR_DIR_RUN] = "/run/pvrdma",
    [PVR_DIR_LIB] = "/var/lib/pvrdma",
    [PVR_DIR_HOOKS] = "/etc/libvirt/hooks/qemu.d",
    [PVR_DIR_RUN_QEMU] = "/run/libvirt/qemu",
    [PVR_DIR_PROC] = "/proc",
    [PVR_DIR_MODULES] = "/lib/modules",
    [PVR_DIR_ETC] = "/etc",
    [PVR_DIR_CONF] = "/etc/pvrdma",
    [PVR_DIR_ROOT] = "/",
};

PvrHost *
pvr_host_new(const char *root, const PvrHostOps *ops, gpointer user_data,
             GDestroyNotify free_user_data)
{
    PvrHost *host = g_new0(PvrHost, 1);

    host->root = g_strdup(root != NULL ? root : "");
    host->ops = ops;
    host->user_data = user_data;
    host->free_user_data = free_user_data;
    return host;
}

void
pvr_host_free(PvrHost *host)
{
    if (host->free_user_data != NULL)
        host->free_user_data(host->user_data);
    g_free(host->root);
    g_free(host);
}

const char *
pvr_host_get_root(PvrHost *host)
{
    return host->root;
}

static char *
build_path(const char *root, PvrDir dir, va_list args)
{
    GString *path = g_string_new(root);
    const char *component;

    g_string_append(path, dir_table[dir]);
    while ((component = va_arg(args, const char *)) != NULL) {
        if (path->len == 0 || path->str[path->len - 1] != '/')
            g_string_append_c(path, '/');
        g_string_append(path, component);
    }
    return g_string_free(path, FALSE);
}

char *
pvr_host_path(PvrHost *host, PvrDir dir, ...)
{
    va_list args;
    char *path;

    va_start(args, dir);
    path = build_path(host->root, dir, args);
    va_end(args);
    return path;
}

char *
pvr_host_plain_path(PvrDir dir, ...)
{
    va_list args;
    char *path;

    va_start(args, dir);
    path = build_path("", dir, args);
    va_end(args);
    return path;
}

/* FALSE with an error when the host does not offer the operation. */
static gboolean
have_op(gboolean present, const char *what, GError **error)
{
    if (!present)
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED, "this host cannot %s", what);
    return present;
}

static int
compare_ibdevs(gconstpointer a, gconstpointer b)
{
    const PvrIbdev *const *x = a, *const *y = b;

    return g_strcmp0((*x)->name, (*y)->name);
}

static GPtrArray *
list_filtered(PvrHost *host, const PvrIbdevFilter *filter, GError **error)
{
    GPtrArray *ibdevs;

    if (!have_op(host->ops->list_ibdevs != NULL, "list RDMA devices", error))
        return NULL;
    ibdevs = host->ops->list_ibdevs(host, host->user_data, filter, error);
    if (ibdevs != NULL)
        g_ptr_array_sort(ibdevs, compare_ibdevs);
    return ibdevs;
}

GPtrArray *
pvr_host_list_ibdevs(PvrHost *host, GError **error)
{
    const PvrIbdevFilter all = { NULL };

    return list_filtered(host, &all, error);
}

GPtrArray *
pvr_host_list_bare_ibdevs(PvrHost *host, GError **error)
{
    const PvrIbdevFilter names = { .no_ports = TRUE };

    return list_filtered(host, &names, error);
}

static void
set_no_ibdev(GPtrArray *ibdevs, const char *name, GError **error)
{
    g_autoptr(GString) names = g_string_new(NULL);

    for (guint i = 0; i < ibdevs->len; i++) {
        const PvrIbdev *ibdev = g_ptr_array_index(ibdevs, i);

        g_string_append_printf(names, "%s%s", i ? ", " : "", ibdev->name);
    }
    if (names->len != 0)
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "no RDMA device '%s'\n"
                    "this host has: %s", name, names->str);
    else
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "no RDMA device '%s'\n"
                    "this host has none; 'pvrdmactl rxe add NETDEV' makes one", name);
}

PvrIbdev *
pvr_host_get_ibdev(PvrHost *host, const char *name, GError **error)
{
    const PvrIbdevFilter this_one = { .name = name };
    g_autoptr(GPtrArray) found = list_filtered(host, &this_one, error);
    g_autoptr(GPtrArray) others = NULL;

    if (found == NULL)
        return NULL;
    if (found->len != 0)
        return g_ptr_array_steal_index(found, 0);
    others = pvr_host_list_bare_ibdevs(host, error);
    if (others != NULL)
        set_no_ibdev(others, name, error);
    return NULL;
}

PvrIbdev *
pvr_host_find_rxe(PvrHost *host, const char *netdev, GError **error)
{
    const PvrIbdevFilter on_netdev = { .rxe_netdev = netdev };
    g_autoptr(GPtrArray) found = list_filtered(host, &on_netdev, error);

    return found != NULL && found->len != 0 ? g_ptr_array_steal_index(found, 0) : NULL;
}

static int
compare_functions(gconstpointer a, gconstpointer b)
{
    const PvrPci *const *x = a, *const *y = b;

    return g_strcmp0((*x)->address, (*y)->address);
}

GPtrArray *
pvr_host_list_pci(PvrHost *host, GError **error)
{
    GPtrArray *functions;

    if (!have_op(host->ops->list_pci != NULL, "list PCI functions", error))
        return NULL;
    functions = host->ops->list_pci(host, host->user_data, NULL, error);
    if (functions != NULL)
        g_ptr_array_sort(functions, compare_functions);
    return functions;
}

PvrPci *
pvr_host_get_pci(PvrHost *host, const char *address, GError **error)
{
    g_autoptr(GPtrArray) found = NULL;

    if (!have_op(host->ops->list_pci != NULL, "list PCI functions", error))
        return NULL;
    found = host->ops->list_pci(host, host->user_data, address, error);
    if (found == NULL)
        return NULL;
    if (found->len == 0) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND,
                    "no PCI function '%s' with a network or RDMA device, or for SR-IOV\n"
                    "'pvrdmactl vf list' and 'lspci' show what there is", address);
        return NULL;
    }
    return g_ptr_array_steal_index(found, 0);
}

PvrNetdev *
pvr_host_get_netdev(PvrHost *host, const char *netdev, GError **error)
{
    if (!have_op(host->ops->get_netdev != NULL, "look up network devices", error))
        return NULL;
    if (!pvr_netdev_check_name(netdev, error))
        return NULL;
    return host->ops->get_netdev(host, host->user_data, netdev, error);
}

/* What can be said better than with the kernel's errno; the kernel still has the last word. */
static gboolean
check_rxe_add(PvrHost *host, const char *name, const char *netdev, GError **error)
{
    g_autoptr(PvrNetdev) dev = pvr_host_get_netdev(host, netdev, error);
    g_autoptr(GPtrArray) ibdevs = dev != NULL ? pvr_host_list_bare_ibdevs(host, error) : NULL;

    for (guint i = 0; ibdevs != NULL && i < ibdevs->len; i++) {
        const PvrIbdev *ibdev = g_ptr_array_index(ibdevs, i);

        if (pvr_ibdev_is_rxe(ibdev) && g_strcmp0(ibdev->parent, netdev) == 0) {
            g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY,
                        "network device '%s' already carries Soft-RoCE link '%s'\n"
                        "use that one; there can be only one per network device",
                        netdev, ibdev->name);
            return FALSE;
        }
        if (g_strcmp0(ibdev->name, name) == 0) {
            g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY,
                        "there is already an RDMA device '%s'\nchoose another name", name);
            return FALSE;
        }
    }
    return ibdevs != NULL;
}

gboolean
pvr_host_rxe_add(PvrHost *host, const char *name, const char *netdev, GError **error)
{
    return have_op(host->ops->rxe_add != NULL, "make Soft-RoCE links", error) &&
           pvr_ibdev_check_name(name, error) && check_rxe_add(host, name, netdev, error) &&
           host->ops->rxe_add(host, host->user_data, name, netdev, error);
}

gboolean
pvr_host_ibdev_del(PvrHost *host, const char *name, GError **error)
{
    g_autoptr(PvrIbdev) ibdev = NULL;

    if (!have_op(host->ops->ibdev_del != NULL, "remove RDMA devices", error) ||
        !pvr_ibdev_check_name(name, error))
        return FALSE;
    ibdev = pvr_host_get_ibdev(host, name, error);
    if (ibdev == NULL)
        return FALSE;
    if (!pvr_ibdev_is_rxe(ibdev)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                    "RDMA device '%s' is not a Soft-RoCE link but driver %s: it cannot be removed",
                    name, ibdev->driver);
        return FALSE;
    }
    return host->ops->ibdev_del(host, host->user_data, name, error);
}

gboolean
pvr_host_set_memlock(PvrHost *host, pid_t pid, guint64 bytes_or_max, GError **error)
{
    return have_op(host->ops->set_memlock != NULL, "change memory limits", error) &&
           host->ops->set_memlock(host, host->user_data, pid, bytes_or_max, error);
}

gboolean
pvr_host_query_verbs(PvrHost *host, const char *ibdev, PvrVerbsInfo *ret_info, GError **error)
{
    return have_op(host->ops->query_verbs != NULL, "open RDMA devices", error) &&
           host->ops->query_verbs(host, host->user_data, ibdev, ret_info, error);
}

/* Only the long form reaches a path: "0000:3b:00.2". */
static gboolean
check_pci(const char *address, GError **error)
{
    g_autofree char *parsed = pvr_pci_parse_address(address);

    if (g_strcmp0(parsed, address) == 0)
        return TRUE;
    g_set_error(error, PVR_ERROR, PVR_ERROR_USAGE, "'%s' is no PCI address\n"
                "write it like 0000:3b:00.2", address);
    return FALSE;
}

GPtrArray *
pvr_host_get_vfs(PvrHost *host, const char *pf_netdev, GError **error)
{
    if (!have_op(host->ops->get_vfs != NULL, "look at VFs", error) ||
        !pvr_netdev_check_name(pf_netdev, error))
        return NULL;
    return host->ops->get_vfs(host, host->user_data, pf_netdev, error);
}

gboolean
pvr_host_set_vf(PvrHost *host, const char *pf_netdev, const PvrVf *vf, GError **error)
{
    return have_op(host->ops->set_vf != NULL, "change VFs", error) &&
           pvr_netdev_check_name(pf_netdev, error) &&
           host->ops->set_vf(host, host->user_data, pf_netdev, vf, error);
}

gboolean
pvr_host_set_num_vfs(PvrHost *host, const char *pf, guint number, GError **error)
{
    return have_op(host->ops->set_num_vfs != NULL, "make VFs", error) && check_pci(pf, error) &&
           host->ops->set_num_vfs(host, host->user_data, pf, number, error);
}

/* The name of a directory in /sys/bus/pci/drivers. */
static gboolean
check_driver(const char *driver, GError **error)
{
    if (driver[0] != '\0' && driver[0] != '.' && strchr(driver, '/') == NULL)
        return TRUE;
    g_set_error(error, PVR_ERROR, PVR_ERROR_USAGE, "'%s' cannot be the name of a driver", driver);
    return FALSE;
}

gboolean
pvr_host_bind(PvrHost *host, const char *pci, const char *driver, GError **error)
{
    return have_op(host->ops->bind != NULL, "bind drivers", error) && check_pci(pci, error) &&
           check_driver(driver, error) &&
           host->ops->bind(host, host->user_data, pci, driver, error);
}

gboolean
pvr_host_unbind(PvrHost *host, const char *pci, GError **error)
{
    return have_op(host->ops->unbind != NULL, "unbind drivers", error) && check_pci(pci, error) &&
           host->ops->unbind(host, host->user_data, pci, error);
}

gboolean
pvr_host_set_netdev_mac(PvrHost *host, const char *netdev, const PvrMac *mac, GError **error)
{
    return have_op(host->ops->set_netdev_mac != NULL, "change network devices", error) &&
           pvr_netdev_check_name(netdev, error) &&
           host->ops->set_netdev_mac(host, host->user_data, netdev, mac, error);
}

gboolean
pvr_host_set_netdev_up(PvrHost *host, const char *netdev, gboolean up, GError **error)
{
    return have_op(host->ops->set_netdev_up != NULL, "change network devices", error) &&
           pvr_netdev_check_name(netdev, error) &&
           host->ops->set_netdev_up(host, host->user_data, netdev, up, error);
}

void
pvr_host_wait_event(PvrHost *host, guint timeout_ms)
{
    if (host->ops->wait_event != NULL)
        host->ops->wait_event(host, host->user_data, timeout_ms);
    else
        g_usleep(timeout_ms * 1000);
}
