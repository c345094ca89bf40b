/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "pvr-check-priv.h"
#include "pvr-claim.h"
#include "pvr-lease.h"
#include "pvr-store.h"

#define MAX_LIST (4 << 20)
#define MAX_KALLSYMS (64 << 20)
#define APPARMOR_LOCAL "apparmor.d/local/abstractions/libvirt-qemu"

static char *
kernel_release(PvrHost *host)
{
    g_autofree char *path = pvr_host_path(host, PVR_DIR_PROC, "sys/kernel/osrelease", NULL);
    gsize len = 0;
    char *release = pvr_store_read(path, 128, &len, NULL);

    return release != NULL ? g_strchomp(release) : NULL;
}

/* TRUE when @list (modules.dep or modules.builtin of the running kernel) names the module. */
static gboolean
module_listed(PvrHost *host, const char *list, const char *module)
{
    g_autofree char *release = kernel_release(host);
    g_autofree char *path = NULL;
    g_autofree char *text = NULL;
    g_autofree char *name = g_strdup_printf("/%s.ko", module);
    gsize len = 0;

    if (release == NULL) {
        return FALSE;
    }
    path = pvr_host_path(host, PVR_DIR_MODULES, release, list, NULL);
    text = pvr_store_read(path, MAX_LIST, &len, NULL);
    return text != NULL && strstr(text, name) != NULL;
}

/* A kernel without module files says what it has only by its symbols. */
static gboolean
symbol_known(PvrHost *host, const char *symbol)
{
    g_autofree char *path = pvr_host_path(host, PVR_DIR_PROC, "kallsyms", NULL);
    g_autofree char *text = NULL;
    g_autofree char *word = g_strdup_printf(" %s\n", symbol);
    gsize len = 0;

    text = pvr_store_read(path, MAX_KALLSYMS, &len, NULL);
    return text != NULL && strstr(text, word) != NULL;
}

gboolean
pvr_check_module_present(PvrHost *host, const char *module)
{
    g_autofree char *loaded = pvr_host_path(host, PVR_DIR_SYS_MODULE, module, NULL);

    return g_file_test(loaded, G_FILE_TEST_IS_DIR) ||
           module_listed(host, "modules.builtin", module);
}

static void
check_module(PvrHost *host, guint use, const char *id, const char *module, const char *symbol,
             GPtrArray *checks)
{
    g_autofree char *loaded = pvr_host_path(host, PVR_DIR_SYS_MODULE, module, NULL);

    if (g_file_test(loaded, G_FILE_TEST_IS_DIR)) {
        pvr_checks_add(checks, id, PVR_CHECK_OK, NULL, "the module %s is loaded", module);
    } else if (module_listed(host, "modules.builtin", module) || symbol_known(host, symbol)) {
        pvr_checks_add(checks, id, PVR_CHECK_OK, NULL, "%s is built into the kernel", module);
    } else if (module_listed(host, "modules.dep", module)) {
        g_autofree char *remedy = g_strdup_printf("modprobe %s", module);

        pvr_checks_add_missing(checks, id, use, PVR_CHECK_WARNING, remedy,
                               "the module %s is not loaded yet", module);
    } else {
        pvr_checks_add_missing(checks, id, use, PVR_CHECK_FAILED,
                               "install the kernel package that has it, or boot a kernel with it",
                               "the running kernel has no %s", module);
    }
}

/* Soft-RoCE is not needed where every device is an HCA. */
static void
check_rxe(PvrHost *host, guint use, const GPtrArray *ibdevs, GPtrArray *checks)
{
    guint count = 0;

    for (guint i = 0; ibdevs != NULL && i < ibdevs->len; i++) {
        count += pvr_ibdev_is_rxe(g_ptr_array_index(ibdevs, i)) ? 1 : 0;
    }
    if (count > 0) {
        pvr_checks_add(checks, "kernel.rxe", PVR_CHECK_OK, NULL, "there is an rxe link already");
    } else {
        check_module(host, use, "kernel.rxe", "rdma_rxe", "rxe_newlink", checks);
    }
}

static void
check_ibdevs(guint use, const GPtrArray *ibdevs, const GError *error, GPtrArray *checks)
{
    if (ibdevs == NULL) {
        pvr_checks_add_result(checks, "rdma.devices", PVR_CHECK_FAILED, error, "unknown");
    } else if (ibdevs->len == 0) {
        pvr_checks_add_missing(checks, "rdma.devices", use, PVR_CHECK_NA,
                               "pvrdmactl rxe add NETDEV, or let the hook make the link at start",
                               "this host has no RDMA devices");
    } else {
        pvr_checks_add(checks, "rdma.devices", PVR_CHECK_OK, NULL, "this host has %u RDMA device%s",
                       ibdevs->len, ibdevs->len > 1 ? "s" : "");
    }
}

/* The first lease whose QEMU is gone, or NULL. */
static const PvrLease *
find_dead(PvrHost *host, const GPtrArray *leases)
{
    for (guint i = 0; i < leases->len; i++) {
        if (pvr_claim_is_dead(host, g_ptr_array_index(leases, i))) {
            return g_ptr_array_index(leases, i);
        }
    }
    return NULL;
}

static void
check_leases(PvrHost *host, GPtrArray *checks)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) leases = pvr_lease_list(host, &error);
    const PvrLease *dead = leases != NULL ? find_dead(host, leases) : NULL;

    if (dead == NULL) {
        pvr_checks_add_result(checks, "state.leases", PVR_CHECK_FAILED, error,
                              "%u lease%s, none damaged or left over",
                              leases != NULL ? leases->len : 0,
                              leases != NULL && leases->len == 1 ? "" : "s");
        return;
    }
    pvr_checks_add(checks, "state.leases", PVR_CHECK_WARNING, "pvrdmactl recover",
                   "domain '%s' still holds '%s', but its QEMU is gone", dead->domain, dead->ibdev);
}

/* A journal is there while a command works; one whose command is gone is unfinished business. */
static void
check_journals(PvrHost *host, GPtrArray *checks)
{
    g_autofree char *path = pvr_host_path(host, PVR_DIR_RUN, "journal", NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    g_auto(PvrCheckNames) found = {0};
    const char *name;

    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        if (g_str_has_suffix(name, ".json")) {
            pvr_check_names_add(&found, "%s", name);
        }
    }
    if (found.count > 0) {
        pvr_checks_add(checks, "state.journals", PVR_CHECK_WARNING, "pvrdmactl recover",
                       "a command has not finished its work: %s", pvr_check_names_text(&found));
    } else {
        pvr_checks_add(checks, "state.journals", PVR_CHECK_OK, NULL,
                       "no command has left its work unfinished");
    }
}

/* libvirt's profile for guests lets them open neither the node nor sysfs of RDMA devices. */
static void
check_apparmor(PvrHost *host, guint use, GPtrArray *checks)
{
    g_autofree char *flag =
        pvr_host_path(host, PVR_DIR_SYS_MODULE, "apparmor/parameters/enabled", NULL);
    g_autofree char *local = pvr_host_path(host, PVR_DIR_ETC, APPARMOR_LOCAL, NULL);
    gsize len = 0;
    g_autofree char *enabled = pvr_store_read(flag, 16, &len, NULL);
    g_autofree char *rules = pvr_store_read(local, MAX_LIST, &len, NULL);

    if (enabled == NULL || *enabled != 'Y') {
        pvr_checks_add(checks, "apparmor.rules", PVR_CHECK_NA, NULL, "AppArmor is not in use");
    } else if (rules != NULL && strstr(rules, "/dev/infiniband/") != NULL) {
        pvr_checks_add(checks, "apparmor.rules", PVR_CHECK_OK, NULL,
                       "guests may open RDMA nodes by /etc/" APPARMOR_LOCAL);
    } else {
        pvr_checks_add_missing(checks, "apparmor.rules", use, PVR_CHECK_WARNING,
                               "cat " PVR_DATADIR "/libvirt-qemu >> /etc/" APPARMOR_LOCAL,
                               "AppArmor is on and has no rules for RDMA nodes in guests");
    }
}

void
pvr_check_host(PvrHost *host, guint use, GPtrArray *checks)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) ibdevs = pvr_host_list_ibdevs(host, &error);

    check_rxe(host, use, ibdevs, checks);
    check_module(host, use, "kernel.uverbs", "ib_uverbs", "ib_uverbs_open", checks);
    pvr_check_pci(host, use, checks);
    check_ibdevs(use, ibdevs, error, checks);
    pvr_check_rdma(host, use, ibdevs, checks);
    pvr_check_bonds(host, use, ibdevs, checks);
    check_leases(host, checks);
    check_journals(host, checks);
    check_apparmor(host, use, checks);
}
