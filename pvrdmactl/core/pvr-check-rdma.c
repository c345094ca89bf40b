/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The RDMA devices of the host: libraries, nodes, GUIDs, namespaces. */
#include <string.h>

#include "pvr-check-priv.h"
#include "pvr-error.h"
#include "pvr-qemu-user.h"
#include "pvr-store.h"

/* rdma-core's name of what drives the devices of a kernel driver, where it is another. */
static const struct {
    const char *driver;
    const char *provider;
} providers[] = {
    {"mlx5_core", "mlx5"}, {"mlx4_core", "mlx4"}, {"bnxt_en", "bnxt_re"}, {"ice", "irdma"},
    {"i40e", "irdma"},     {"hns3", "hns"},       {"qede", "qedr"},       {"cxgb4", "cxgb4"},
};

static const char *
provider_of(const char *driver)
{
    for (guint i = 0; i < G_N_ELEMENTS(providers); i++) {
        if (g_str_equal(driver, providers[i].driver)) {
            return providers[i].provider;
        }
    }
    return driver;
}

/* TRUE when a file of @dir, below the root, begins with @prefix. */
static gboolean
dir_has(const char *dir, const char *prefix)
{
    g_autoptr(GDir) entries = g_dir_open(dir, 0, NULL);
    const char *name;

    while (entries != NULL && (name = g_dir_read_name(entries)) != NULL) {
        if (g_str_has_prefix(name, prefix)) {
            return TRUE;
        }
    }
    return FALSE;
}

/* In LIB/libibverbs, or in LIB/ARCHITECTURE/libibverbs as Debian has it. */
static gboolean
library_in(const char *lib, const char *prefix)
{
    g_autofree char *direct = g_build_filename(lib, "libibverbs", NULL);
    g_autoptr(GDir) dir = g_dir_open(lib, 0, NULL);
    const char *name;

    if (dir_has(direct, prefix)) {
        return TRUE;
    }
    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        g_autofree char *path = strstr(name, "-linux-") != NULL
                                    ? g_build_filename(lib, name, "libibverbs", NULL)
                                    : NULL;

        if (path != NULL && dir_has(path, prefix)) {
            return TRUE;
        }
    }
    return FALSE;
}

static gboolean
have_provider(PvrHost *host, const char *provider)
{
    g_autofree char *file = g_strdup_printf("%s.driver", provider);
    g_autofree char *known = pvr_host_path(host, PVR_DIR_ETC, "libibverbs.d", file, NULL);
    g_autofree char *lib = pvr_host_path(host, PVR_DIR_ROOT, "usr/lib", NULL);
    g_autofree char *lib64 = pvr_host_path(host, PVR_DIR_ROOT, "usr/lib64", NULL);
    g_autofree char *prefix = g_strdup_printf("lib%s-rdmav", provider);

    return g_file_test(known, G_FILE_TEST_EXISTS) &&
           (library_in(lib, prefix) || library_in(lib64, prefix));
}

static void
check_provider(PvrHost *host, guint use, const GPtrArray *ibdevs, GPtrArray *checks)
{
    g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
    g_auto(PvrCheckNames) bad = {0};

    for (guint i = 0; i < ibdevs->len; i++) {
        const PvrIbdev *ibdev = g_ptr_array_index(ibdevs, i);
        const char *provider = provider_of(ibdev->driver);
        gpointer have = NULL;

        if (!g_hash_table_lookup_extended(known, provider, NULL, &have)) {
            have = GINT_TO_POINTER(have_provider(host, provider));
            g_hash_table_insert(known, (gpointer)provider, have);
        }
        if (have == NULL) {
            pvr_check_names_add(&bad, "%s (%s)", ibdev->name, provider);
        }
    }
    if (bad.count > 0) {
        pvr_checks_add_missing(checks, "rdma.provider", use, PVR_CHECK_FAILED,
                               "install rdma-core's ibverbs-providers (Debian) or libibverbs (Fedora)",
                               "libibverbs has no provider for %s", pvr_check_names_text(&bad));
    } else {
        pvr_checks_add(checks, "rdma.provider", PVR_CHECK_OK, NULL,
                       "libibverbs has a provider for each RDMA device");
    }
}

/* Why QEMU could not open the node; NULL when it could. */
static const char *
node_problem(PvrHost *host, const PvrIbdev *ibdev, const PvrQemuUser *user)
{
    g_autofree char *path = NULL;
    struct stat st;

    if (ibdev->uverbs == NULL) {
        return "no uverbs device";
    }
    path = pvr_host_path(host, PVR_DIR_DEV_IB, ibdev->uverbs, NULL);
    if (stat(path, &st) < 0) {
        return "no node";
    }
    return user != NULL && !pvr_qemu_user_may_read_write(user, &st) ? "mode of the node" : NULL;
}

static void
check_nodes(PvrHost *host, guint use, const GPtrArray *ibdevs, GPtrArray *checks)
{
    g_autoptr(PvrQemuUser) user = pvr_qemu_user_find(host);
    g_auto(PvrCheckNames) bad = {0};

    for (guint i = 0; i < ibdevs->len; i++) {
        const PvrIbdev *ibdev = g_ptr_array_index(ibdevs, i);
        const char *problem = node_problem(host, ibdev, user);

        if (problem != NULL) {
            pvr_check_names_add(&bad, "%s (%s)", ibdev->name, problem);
        }
    }
    if (bad.count > 0) {
        pvr_checks_add_missing(checks, "rdma.nodes", use, PVR_CHECK_FAILED,
                               "modprobe ib_uverbs && udevadm trigger "
                               "--subsystem-match=infiniband_verbs",
                               "QEMU's user cannot open the node of %s",
                               pvr_check_names_text(&bad));
    } else if (user == NULL) {
        pvr_checks_add(checks, "rdma.nodes", PVR_CHECK_OK, NULL,
                       "each RDMA device has its node; as whom QEMU runs is not known");
    } else {
        pvr_checks_add(checks, "rdma.nodes", PVR_CHECK_OK, NULL,
                       "user '%s' can open the node of each RDMA device", user->name);
    }
}

static gboolean
is_zero_guid(const char *guid)
{
    return guid == NULL || guid[strspn(guid, "0:")] == '\0';
}

static void
check_guids(guint use, const GPtrArray *ibdevs, GPtrArray *checks)
{
    g_auto(PvrCheckNames) bad = {0};

    for (guint i = 0; i < ibdevs->len; i++) {
        const PvrIbdev *ibdev = g_ptr_array_index(ibdevs, i);

        if (is_zero_guid(ibdev->node_guid)) {
            pvr_check_names_add(&bad, "%s", ibdev->name);
        }
    }
    if (bad.count > 0) {
        pvr_checks_add_missing(checks, "rdma.guids", use, PVR_CHECK_FAILED,
                               "for a VF: pvrdmactl vf reset VF, which gives it an address",
                               "the node GUID of %s is zero", pvr_check_names_text(&bad));
    } else {
        pvr_checks_add(checks, "rdma.guids", PVR_CHECK_OK, NULL, "each RDMA device has a node GUID");
    }
}

/* The netdev of a port, if it is surely not in this namespace. */
static const char *
missing_netdev(PvrHost *host, const PvrIbdev *ibdev)
{
    for (guint i = 0; i < ibdev->ports->len; i++) {
        const PvrPort *port = g_ptr_array_index(ibdev->ports, i);
        g_autoptr(GError) error = NULL;
        g_autoptr(PvrNetdev) netdev =
            port->netdev != NULL ? pvr_host_get_netdev(host, port->netdev, &error) : NULL;

        if (netdev == NULL && g_error_matches(error, PVR_ERROR, PVR_ERROR_NOT_FOUND)) {
            return port->netdev;
        }
    }
    return NULL;
}

static void
check_namespaces(PvrHost *host, guint use, const GPtrArray *ibdevs, GPtrArray *checks)
{
    g_auto(PvrCheckNames) bad = {0};

    for (guint i = 0; i < ibdevs->len; i++) {
        const PvrIbdev *ibdev = g_ptr_array_index(ibdevs, i);
        const char *netdev = missing_netdev(host, ibdev);

        if (netdev != NULL) {
            pvr_check_names_add(&bad, "%s (%s)", ibdev->name, netdev);
        }
    }
    if (bad.count > 0) {
        pvr_checks_add_missing(checks, "rdma.namespaces", use, PVR_CHECK_WARNING,
                               "ip netns exec NAMESPACE ip link set NETDEV netns 1, or use others",
                               "the netdev of %s is in another network namespace",
                               pvr_check_names_text(&bad));
    } else {
        pvr_checks_add(checks, "rdma.namespaces", PVR_CHECK_OK, NULL,
                       "RDMA devices and their netdevs are in this network namespace");
    }
}

/* ib_core's parameter is what `rdma system set netns` changes. */
static void
check_netns_mode(PvrHost *host, GPtrArray *checks)
{
    g_autofree char *path =
        pvr_host_path(host, PVR_DIR_SYS_MODULE, "ib_core/parameters/netns_mode", NULL);
    gsize len = 0;
    g_autofree char *shared = pvr_store_read(path, 16, &len, NULL);

    if (shared == NULL) {
        pvr_checks_add(checks, "rdma.netns", PVR_CHECK_NA, NULL,
                       "whether network namespaces share RDMA devices is not known");
    } else if (*shared == 'Y') {
        pvr_checks_add(checks, "rdma.netns", PVR_CHECK_OK, NULL,
                       "all network namespaces share the RDMA devices");
    } else {
        pvr_checks_add(checks, "rdma.netns", PVR_CHECK_OK, NULL,
                       "each RDMA device is in one network namespace: those of others are not seen "
                       "here");
    }
}

void
pvr_check_rdma(PvrHost *host, guint use, const GPtrArray *ibdevs, GPtrArray *checks)
{
    static const char *const ids[] = {"rdma.provider", "rdma.nodes", "rdma.guids",
                                      "rdma.namespaces"};

    if (ibdevs == NULL || ibdevs->len == 0) {
        for (guint i = 0; i < G_N_ELEMENTS(ids); i++) {
            pvr_checks_add(checks, ids[i], PVR_CHECK_NA, NULL, "there is no RDMA device");
        }
    } else {
        check_provider(host, use, ibdevs, checks);
        check_nodes(host, use, ibdevs, checks);
        check_guids(use, ibdevs, checks);
        check_namespaces(host, use, ibdevs, checks);
    }
    check_netns_mode(host, checks);
}
