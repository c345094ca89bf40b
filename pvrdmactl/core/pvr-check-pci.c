/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Network cards that could do RDMA, and how many VFs they may have. */
#include <string.h>

#include "pvr-check-priv.h"
#include "pvr-store.h"

/* Drivers of cards whose RDMA is a module of its own. */
static const struct {
    const char *driver;
    const char *module;
} rdma_modules[] = {
    {"mlx5_core", "mlx5_ib"}, {"mlx4_core", "mlx4_ib"}, {"bnxt_en", "bnxt_re"},
    {"ice", "irdma"},         {"i40e", "irdma"},        {"qede", "qedr"},
    {"hns3", "hns_roce_hw_v2"},
};

/* TRUE when the driver has a function: their names have ':', those of attributes do not. */
static gboolean
drives_anything(PvrHost *host, const char *driver)
{
    g_autofree char *path = pvr_host_path(host, PVR_DIR_SYS_PCI, "drivers", driver, NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;

    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        if (strchr(name, ':') != NULL) {
            return TRUE;
        }
    }
    return FALSE;
}

static void
check_vendor(PvrHost *host, guint use, GPtrArray *checks)
{
    g_auto(PvrCheckNames) bad = {0}, good = {0};
    const char *first = NULL;

    for (guint i = 0; i < G_N_ELEMENTS(rdma_modules); i++) {
        if (!drives_anything(host, rdma_modules[i].driver)) {
            continue;
        }
        if (pvr_check_module_present(host, rdma_modules[i].module)) {
            pvr_check_names_add(&good, "%s", rdma_modules[i].module);
        } else {
            first = first != NULL ? first : rdma_modules[i].module;
            pvr_check_names_add(&bad, "%s for cards of %s", rdma_modules[i].module,
                                rdma_modules[i].driver);
        }
    }
    if (bad.count > 0) {
        g_autofree char *remedy = g_strdup_printf("modprobe %s", first);

        pvr_checks_add_missing(checks, "kernel.vendor", use, PVR_CHECK_WARNING, remedy,
                               "not loaded: %s", pvr_check_names_text(&bad));
    } else if (good.count > 0) {
        pvr_checks_add(checks, "kernel.vendor", PVR_CHECK_OK, NULL, "loaded: %s",
                       pvr_check_names_text(&good));
    } else {
        pvr_checks_add(checks, "kernel.vendor", PVR_CHECK_NA, NULL,
                       "there is no network card that is known to do RDMA");
    }
}

/* A number in an attribute of a PCI function; -1 when it has no such attribute. */
static gint64
read_number(const char *device, const char *attr)
{
    g_autofree char *path = g_build_filename(device, attr, NULL);
    gsize len = 0;
    g_autofree char *text = pvr_store_read(path, 64, &len, NULL);

    return text != NULL ? g_ascii_strtoll(text, NULL, 10) : -1;
}

static gboolean
has_driver(const char *device, const char *driver)
{
    g_autofree char *path = g_build_filename(device, "driver", NULL);
    g_autofree char *target = g_file_read_link(path, NULL);
    g_autofree char *name = target != NULL ? g_path_get_basename(target) : NULL;

    return g_strcmp0(name, driver) == 0;
}

/* VFs have no such attribute, but a link to their PF. */
static void
look_at_function(const char *address, const char *device, PvrCheckNames *some, PvrCheckNames *none)
{
    gint64 max = read_number(device, "sriov_totalvfs");
    g_autofree char *pf = g_build_filename(device, "physfn", NULL);

    if (max > 0) {
        pvr_check_names_add(some, "%s has %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT, address,
                            read_number(device, "sriov_numvfs"), max);
    } else if (has_driver(device, "mlx5_core") && !g_file_test(pf, G_FILE_TEST_EXISTS)) {
        pvr_check_names_add(none, "%s", address);
    }
}

static int
compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
check_vf_limit(PvrHost *host, GPtrArray *checks)
{
    g_autofree char *path = pvr_host_path(host, PVR_DIR_SYS_PCI, "devices", NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    g_autoptr(GPtrArray) addresses = g_ptr_array_new_with_free_func(g_free);
    g_auto(PvrCheckNames) some = {0}, none = {0};
    const char *name;

    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        g_ptr_array_add(addresses, g_strdup(name));
    }
    g_ptr_array_sort(addresses, compare_names);
    for (guint i = 0; i < addresses->len; i++) {
        g_autofree char *device = g_build_filename(path, g_ptr_array_index(addresses, i), NULL);

        look_at_function(g_ptr_array_index(addresses, i), device, &some, &none);
    }
    if (none.count > 0) {
        pvr_checks_add(checks, "vf.limit", PVR_CHECK_NA,
                       "to have VFs: mlxconfig -d ADDRESS set SRIOV_EN=1 NUM_OF_VFS=8, then reboot",
                       "the firmware of %s allows no VFs", pvr_check_names_text(&none));
    } else if (some.count > 0) {
        pvr_checks_add(checks, "vf.limit", PVR_CHECK_OK, NULL, "VFs: %s",
                       pvr_check_names_text(&some));
    } else {
        pvr_checks_add(checks, "vf.limit", PVR_CHECK_NA, NULL,
                       "there is no network card that can have VFs");
    }
}

void
pvr_check_pci(PvrHost *host, guint use, GPtrArray *checks)
{
    check_vendor(host, use, checks);
    check_vf_limit(host, checks);
}
