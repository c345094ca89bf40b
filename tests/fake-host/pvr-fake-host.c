/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-fake-host.h"

#include <errno.h>
#include <ftw.h>
#include <glib/gstdio.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "pvr-error.h"
#include "pvr-fake-priv.h"
#include "pvr-sysfs-pci.h"
#include "pvr-sysfs.h"

#define GID_SLOTS 8

/* ---- files ---- */

char *
pvr_fake_root_new(void)
{
    GError *error = NULL;
    char *root = g_dir_make_tmp("pvrdma-test-XXXXXX", &error);

    g_assert_no_error(error);
    return root;
}

static int
remove_entry(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    return remove(path);
}

static void
remove_tree(const char *path)
{
    if (nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS) != 0 && errno != ENOENT)
        g_error("cannot remove %s: %s", path, g_strerror(errno));
}

void
pvr_fake_root_free(char *root)
{
    remove_tree(root);
    g_free(root);
}

static char *
prepare_path(const char *root, const char *path)
{
    char *full = g_build_filename(root, path, NULL);
    g_autofree char *dir = g_path_get_dirname(full);

    if (g_mkdir_with_parents(dir, 0755) != 0)
        g_error("cannot make %s: %s", dir, g_strerror(errno));
    return full;
}

void
pvr_fake_write(const char *root, const char *path, const char *content)
{
    g_autofree char *full = prepare_path(root, path);
    GError *error = NULL;

    g_file_set_contents(full, content, -1, &error);
    g_assert_no_error(error);
}

char *
pvr_fake_read(const char *root, const char *path)
{
    g_autofree char *full = g_build_filename(root, path, NULL);
    char *content = NULL;

    g_file_get_contents(full, &content, NULL, NULL);
    return content;
}

void
pvr_fake_remove(const char *root, const char *path)
{
    g_autofree char *full = g_build_filename(root, path, NULL);

    remove_tree(full);
}

void
pvr_fake_link(const char *root, const char *path, const char *target)
{
    g_autofree char *full = prepare_path(root, path);

    if (symlink(target, full) != 0)
        g_error("cannot link %s: %s", full, g_strerror(errno));
}

gboolean
pvr_fake_exists(const char *root, const char *dir, const char *name)
{
    g_autofree char *full = g_build_filename(root, dir, name, NULL);

    return g_file_test(full, G_FILE_TEST_EXISTS);
}

void
pvr_fake_put(const char *root, const char *content, const char *format, ...)
{
    g_autofree char *path = NULL;
    g_autofree char *line = g_strconcat(content, "\n", NULL);
    va_list args;

    va_start(args, format);
    path = g_strdup_vprintf(format, args);
    va_end(args);
    pvr_fake_write(root, path, line);
}

/* ---- fixtures ---- */

void
pvr_fake_add_netdev(const char *root, const char *name, const char *mac, gboolean up)
{
    pvr_fake_put(root, mac, SYS_NET "/%s/address", name);
    pvr_fake_put(root, "1500", SYS_NET "/%s/mtu", name);
    pvr_fake_put(root, up ? "0x1003" : "0x1002", SYS_NET "/%s/flags", name);
    if (up)
        pvr_fake_put(root, "1", SYS_NET "/%s/carrier", name);
}

void
pvr_fake_set_gid(const char *root, const char *name, guint port, guint index, const char *gid,
                 const char *type, const char *netdev)
{
    g_autofree char *dir = g_strdup_printf(SYS_IB "/%s/ports/%u", name, port);

    pvr_fake_put(root, gid, "%s/gids/%u", dir, index);
    pvr_fake_put(root, type, "%s/gid_attrs/types/%u", dir, index);
    if (netdev != NULL)
        pvr_fake_put(root, netdev, "%s/gid_attrs/ndevs/%u", dir, index);
}

void
pvr_fake_set_port_state(const char *root, const char *name, guint port, const char *state)
{
    static const char *const words[] = { "NOP", "DOWN", "INIT", "ARMED", "ACTIVE" };
    g_autofree char *line = NULL;

    for (guint i = 0; i < G_N_ELEMENTS(words); i++)
        if (g_str_equal(words[i], state))
            line = g_strdup_printf("%u: %s", i, state);
    g_assert_nonnull(line);
    pvr_fake_put(root, line, SYS_IB "/%s/ports/%u/state", name, port);
    pvr_fake_put(root, g_str_equal(state, "DOWN") ? "3: Disabled" : "5: LinkUp",
        SYS_IB "/%s/ports/%u/phys_state", name, port);
}

void
pvr_fake_add_port(const char *root, const char *name, guint port, const char *link_layer)
{
    pvr_fake_put(root, link_layer, SYS_IB "/%s/ports/%u/link_layer", name, port);
    for (guint i = 0; i < GID_SLOTS; i++)
        pvr_fake_put(root, "0000:0000:0000:0000:0000:0000:0000:0000",
            SYS_IB "/%s/ports/%u/gids/%u", name, port, i);
}

/* The lowest uverbs number that is free, as the kernel takes it. */
void
pvr_fake_add_uverbs(const char *root, const char *ibdev)
{
    g_autofree char *uverbs = NULL;
    guint number = 0;

    do {
        g_free(uverbs);
        uverbs = g_strdup_printf("uverbs%u", number++);
    } while (pvr_fake_exists(root, SYS_VERBS, uverbs));
    pvr_fake_put(root, ibdev, SYS_VERBS "/%s/ibdev", uverbs);
    pvr_fake_put(root, "", "dev/infiniband/%s", uverbs);
}

void
pvr_fake_remove_uverbs(const char *root, const char *ibdev)
{
    for (guint number = 0; number < 64; number++) {
        g_autofree char *dir = g_strdup_printf(SYS_VERBS "/uverbs%u", number);
        g_autofree char *file = g_strconcat(dir, "/ibdev", NULL);
        g_autofree char *node = g_strdup_printf("dev/infiniband/uverbs%u", number);
        g_autofree char *content = pvr_fake_read(root, file);

        if (content == NULL || !g_str_equal(g_strstrip(content), ibdev))
            continue;
        pvr_fake_remove(root, dir);
        pvr_fake_remove(root, node);
    }
}

void
pvr_fake_remove_ibdev(const char *root, const char *name)
{
    g_autofree char *dir = g_build_filename(SYS_IB, name, NULL);

    pvr_fake_remove_uverbs(root, name);
    pvr_fake_remove(root, dir);
}

void
pvr_fake_add_rxe(const char *root, const char *name, const char *netdev)
{
    g_autofree char *mac_path = g_strdup_printf(SYS_NET "/%s/address", netdev);
    g_autofree char *mac_text = pvr_fake_read(root, mac_path);
    g_autofree char *carrier_path = g_strdup_printf(SYS_NET "/%s/carrier", netdev);
    g_autofree char *carrier = NULL;
    g_autofree char *gid_text = NULL;
    PvrMac mac;
    PvrGid gid;

    g_assert_nonnull(mac_text);
    g_assert_true(pvr_mac_parse(g_strstrip(mac_text), &mac, NULL));
    pvr_gid_from_mac(&mac, &gid);
    gid_text = pvr_gid_to_string(&gid);

    pvr_fake_put(root, netdev, SYS_IB "/%s/parent", name);
    pvr_fake_put(root, gid_text + 20, SYS_IB "/%s/node_guid", name);
    pvr_fake_add_port(root, name, 1, "Ethernet");
    pvr_fake_set_gid(root, name, 1, 0, gid_text, "RoCE v2", netdev);
    carrier = pvr_fake_read(root, carrier_path);
    pvr_fake_set_port_state(root, name, 1, carrier != NULL ? "ACTIVE" : "DOWN");
    pvr_fake_add_uverbs(root, name);
}

void
pvr_fake_add_function(const char *root, const char *pci, const char *driver)
{
    g_autofree char *bus_link = g_strdup_printf("sys/bus/pci/devices/%s", pci);
    g_autofree char *bus_target = g_strdup_printf("../../../devices/%s", pci);
    g_autofree char *driver_link = g_strdup_printf("sys/devices/%s/driver", pci);
    g_autofree char *driver_target = g_strconcat("../../bus/pci/drivers/", driver, NULL);

    if (pvr_fake_exists(root, "sys/bus/pci/devices", pci))
        return;
    pvr_fake_put(root, "0x15b3", "sys/devices/%s/vendor", pci);
    pvr_fake_put(root, "0x1018", "sys/devices/%s/device", pci);
    pvr_fake_put(root, "0", "sys/devices/%s/numa_node", pci);
    pvr_fake_link(root, bus_link, bus_target);
    if (driver != NULL)
        pvr_fake_link(root, driver_link, driver_target);
}

void
pvr_fake_make_pf(const char *root, const char *pci, guint total, guint number)
{
    g_autofree char *max = g_strdup_printf("%u", total);
    g_autofree char *now = g_strdup_printf("%u", number);

    pvr_fake_put(root, max, "sys/devices/%s/sriov_totalvfs", pci);
    pvr_fake_put(root, now, "sys/devices/%s/sriov_numvfs", pci);
}

void
pvr_fake_make_vf(const char *root, const char *pci, const char *pf, guint index)
{
    g_autofree char *physfn = g_strdup_printf("sys/devices/%s/physfn", pci);
    g_autofree char *pf_target = g_strdup_printf("../%s", pf);
    g_autofree char *virtfn = g_strdup_printf("sys/devices/%s/virtfn%u", pf, index);
    g_autofree char *vf_target = g_strdup_printf("../%s", pci);

    pvr_fake_link(root, physfn, pf_target);
    pvr_fake_link(root, virtfn, vf_target);
}

void
pvr_fake_set_function(const char *root, const char *netdev, const char *pci)
{
    g_autofree char *link = g_strdup_printf(SYS_NET "/%s/device", netdev);
    g_autofree char *target = g_strdup_printf("../../../devices/%s", pci);

    pvr_fake_link(root, link, target);
}

void
pvr_fake_add_hca(const char *root, const char *name, const char *driver, const char *pci,
                 const char *link_layer, guint ports)
{
    g_autofree char *device = g_strdup_printf(SYS_IB "/%s/device", name);
    g_autofree char *target = g_strdup_printf("../../../devices/%s", pci);

    pvr_fake_put(root, "0c42:a103:0065:bd12", SYS_IB "/%s/node_guid", name);
    pvr_fake_link(root, device, target);
    pvr_fake_add_function(root, pci, driver);
    for (guint port = 1; port <= ports; port++) {
        pvr_fake_add_port(root, name, port, link_layer);
        pvr_fake_set_port_state(root, name, port, "ACTIVE");
    }
    pvr_fake_add_uverbs(root, name);
}

/* The uverbs node keeps its number. */
void
pvr_fake_rename_ibdev(const char *root, const char *name, const char *new_name)
{
    g_autofree char *from = g_build_filename(root, SYS_IB, name, NULL);
    g_autofree char *to = g_build_filename(root, SYS_IB, new_name, NULL);

    if (rename(from, to) != 0)
        g_error("cannot rename %s: %s", from, g_strerror(errno));
    for (guint number = 0; number < 64; number++) {
        g_autofree char *file = g_strdup_printf(SYS_VERBS "/uverbs%u/ibdev", number);
        g_autofree char *content = pvr_fake_read(root, file);

        if (content != NULL && g_str_equal(g_strstrip(content), name))
            pvr_fake_put(root, new_name, "%s", file);
    }
}

void
pvr_fake_set_failure(const char *root, const char *op, int code, const char *message)
{
    g_autofree char *path = g_strdup_printf(".fake/fail-%s", op);
    g_autofree char *content = g_strdup_printf("%d %s", code, message);

    if (message != NULL)
        pvr_fake_write(root, path, content);
    else
        pvr_fake_remove(root, path);
}

/* ---- operations ---- */

PvrLock *
pvr_fake_lock(PvrHost *host)
{
    g_autofree char *path = prepare_path(pvr_host_get_root(host), ".fake/lock");
    GError *error = NULL;
    PvrLock *lock = pvr_lock_take(path, 60000, &error);

    g_assert_no_error(error);
    return lock;
}

void
pvr_fake_log_call(PvrHost *host, const char *format, ...)
{
    g_autofree char *path = prepare_path(pvr_host_get_root(host), ".fake/log");
    FILE *file = fopen(path, "ae");
    g_autofree char *line = NULL;
    va_list args;

    g_assert_nonnull(file);
    va_start(args, format);
    line = g_strdup_vprintf(format, args);
    va_end(args);
    fprintf(file, "%s\n", line);
    fclose(file);
}

/* TRUE when the fixture wants this operation to fail; sets the error. */
gboolean
pvr_fake_wanted_failure(PvrHost *host, const char *op, GError **error)
{
    g_autofree char *path = g_strdup_printf(".fake/fail-%s", op);
    g_autofree char *content = pvr_fake_read(pvr_host_get_root(host), path);
    char *message = NULL;
    guint64 code;

    if (content == NULL)
        return FALSE;
    code = g_ascii_strtoull(content, &message, 10);
    g_set_error(error, PVR_ERROR, (int) code, "%s", g_strstrip(message));
    return TRUE;
}

static GPtrArray *
fake_list_ibdevs(PvrHost *host, gpointer user_data, const PvrIbdevFilter *filter, GError **error)
{
    if (pvr_fake_wanted_failure(host, "list_ibdevs", error))
        return NULL;
    return pvr_sysfs_list_ibdevs(host, filter, error);
}

static PvrNetdev *
fake_get_netdev(PvrHost *host, gpointer user_data, const char *name, GError **error)
{
    if (pvr_fake_wanted_failure(host, "get_netdev", error))
        return NULL;
    return pvr_sysfs_get_netdev(host, name, error);
}

static GPtrArray *
fake_list_pci(PvrHost *host, gpointer user_data, const char *address, GError **error)
{
    if (pvr_fake_wanted_failure(host, "list_pci", error))
        return NULL;
    return pvr_sysfs_list_pci(host, address, error);
}

static gboolean
fake_rxe_add(PvrHost *host, gpointer user_data, const char *name, const char *netdev,
             GError **error)
{
    G_GNUC_UNUSED g_autoptr(PvrLock) lock = pvr_fake_lock(host);

    pvr_fake_log_call(host, "rxe_add %s %s", name, netdev);
    if (pvr_fake_wanted_failure(host, "rxe_add", error))
        return FALSE;
    pvr_fake_add_rxe(pvr_host_get_root(host), name, netdev);
    return TRUE;
}

static gboolean
fake_ibdev_del(PvrHost *host, gpointer user_data, const char *name, GError **error)
{
    const char *root = pvr_host_get_root(host);
    G_GNUC_UNUSED g_autoptr(PvrLock) lock = pvr_fake_lock(host);

    pvr_fake_log_call(host, "ibdev_del %s", name);
    if (pvr_fake_wanted_failure(host, "ibdev_del", error))
        return FALSE;
    pvr_fake_remove_ibdev(root, name);
    return TRUE;
}

static gboolean
fake_set_memlock(PvrHost *host, gpointer user_data, pid_t pid, guint64 bytes, GError **error)
{
    pvr_fake_log_call(host, "set_memlock %d %" G_GUINT64_FORMAT, (int) pid, bytes);
    return !pvr_fake_wanted_failure(host, "set_memlock", error);
}

static gboolean
fake_query_verbs(PvrHost *host, gpointer user_data, const char *ibdev, PvrVerbsInfo *ret_info,
                 GError **error)
{
    g_autoptr(PvrIbdev) dev = pvr_host_get_ibdev(host, ibdev, error);

    if (dev == NULL || pvr_fake_wanted_failure(host, "query_verbs", error))
        return FALSE;
    *ret_info = (PvrVerbsInfo) {
        .fw_ver = "0.0.0", .max_qp = 1024, .max_cq = 1024, .max_mr = 2048, .max_pd = 1024,
        .max_srq = 1024, .max_qp_wr = 16384, .max_sge = 32, .max_cqe = 32767,
        .max_mr_size = G_MAXUINT64, .atomics = TRUE,
    };
    return TRUE;
}

static const PvrHostOps fake_ops = {
    .list_ibdevs = fake_list_ibdevs,
    .get_netdev = fake_get_netdev,
    .rxe_add = fake_rxe_add,
    .ibdev_del = fake_ibdev_del,
    .set_memlock = fake_set_memlock,
    .query_verbs = fake_query_verbs,
    .list_pci = fake_list_pci,
    .get_vfs = pvr_fake_get_vfs,
    .set_vf = pvr_fake_set_vf,
    .set_num_vfs = pvr_fake_set_num_vfs,
    .bind = pvr_fake_bind,
    .unbind = pvr_fake_unbind,
    .set_netdev_mac = pvr_fake_set_netdev_mac,
    .set_netdev_up = pvr_fake_set_netdev_up,
    .wait_event = pvr_fake_wait_event,
};

PvrHost *
pvr_host_new_fake(const char *root)
{
    return pvr_host_new(root, &fake_ops, NULL, NULL);
}

void
pvr_fake_machine_init(PvrFakeMachine *machine)
{
    machine->root = pvr_fake_root_new();
    machine->host = pvr_host_new_fake(machine->root);
}

void
pvr_fake_machine_clear(PvrFakeMachine *machine, gconstpointer data)
{
    pvr_host_free(machine->host);
    pvr_fake_root_free(machine->root);
}
