/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pvr-check: what doctor says of hosts and domains in good and bad order. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pvr-check-text.h"
#include "pvr-check.h"
#include "pvr-emulator.h"
#include "pvr-error.h"
#include "pvr-fake-domain.h"
#include "pvr-fake-host.h"
#include "pvr-fake-sriov.h"
#include "pvr-prepare.h"

#define U1 PVR_FAKE_UUID1
#define U2 PVR_FAKE_UUID2
#define PROGRAM "/usr/sbin/pvrdma-hook"
#define FRONT "etc/libvirt/hooks/qemu.d/50-pvrdma"
#define BOOT 1000000000

typedef struct {
    char *root;
    PvrHost *host;
    char *xml;
    guint use;
    GPtrArray *checks;
} Fixture;

static void
setup(Fixture *f, gconstpointer data)
{
    const PvrFakeDevice *devices[] = {&pvr_fake_rxe0};

    f->root = pvr_fake_root_new();
    f->host = pvr_host_new_fake(f->root);
    f->checks = pvr_checks_new();
    pvr_fake_add_netdev(f->root, "d0", PVR_FAKE_MAC0, TRUE);
    f->xml = pvr_fake_domain_xml("vm1", U1, devices, 1);
    f->use = pvr_use_of_domain(f->xml, strlen(f->xml));
}

static void
teardown(Fixture *f, gconstpointer data)
{
    g_free(f->xml);
    g_ptr_array_unref(f->checks);
    pvr_host_free(f->host);
    pvr_fake_root_free(f->root);
}

static const PvrCheck *
find(Fixture *f, const char *id)
{
    for (guint i = 0; i < f->checks->len; i++) {
        const PvrCheck *check = g_ptr_array_index(f->checks, i);

        if (g_str_equal(check->id, id)) {
            return check;
        }
    }
    return NULL;
}

/* Texts of checks that some test has seen the result of. */
static GHashTable *seen;

/* Each result has a text that explains it. */
static void
note_texts(Fixture *f)
{
    for (guint i = 0; i < f->checks->len; i++) {
        const PvrCheck *check = g_ptr_array_index(f->checks, i);
        const PvrCheckText *text = pvr_check_text_find(check->id);

        if (text == NULL) {
            g_error("no text explains '%s'", check->id);
        }
        g_hash_table_add(seen, (gpointer)text);
    }
}

static void
expect(Fixture *f, const char *id, const char *state, const char *evidence, const char *remedy)
{
    const PvrCheck *check = find(f, id);

    note_texts(f);
    if (check == NULL) {
        g_error("no check '%s'", id);
    }
    if (strcmp(pvr_check_state_to_string(check->state), state) != 0 ||
        strstr(check->evidence, evidence) == NULL || (remedy != NULL) != (check->remedy != NULL) ||
        (remedy != NULL && strstr(check->remedy, remedy) == NULL)) {
        g_error("%s is %s: '%s' -> '%s'", id, pvr_check_state_to_string(check->state),
                check->evidence, check->remedy != NULL ? check->remedy : "-");
    }
}

static void
check_host(Fixture *f)
{
    g_ptr_array_set_size(f->checks, 0);
    pvr_check_host(f->host, f->use, f->checks);
}

static void
check_hook(Fixture *f)
{
    g_ptr_array_set_size(f->checks, 0);
    pvr_check_hook(f->host, PROGRAM, f->use, f->checks);
}

static void
check_domain(Fixture *f, const char *xml, gboolean running)
{
    g_ptr_array_set_size(f->checks, 0);
    pvr_check_domain(f->host, xml, strlen(xml), running, f->checks);
}

static void
test_modules(Fixture *f, gconstpointer data)
{
    check_host(f);
    expect(f, "kernel.rxe", "failed", "has no rdma_rxe", "install the kernel");
    pvr_fake_write(f->root, "proc/sys/kernel/osrelease", "6.1.0-9\n");
    pvr_fake_write(f->root, "lib/modules/6.1.0-9/modules.dep",
                   "kernel/drivers/infiniband/sw/rxe/rdma_rxe.ko: x\n");
    check_host(f);
    expect(f, "kernel.rxe", "warning", "not loaded yet", "modprobe rdma_rxe");
    pvr_fake_write(f->root, "lib/modules/6.1.0-9/modules.builtin",
                   "kernel/drivers/infiniband/sw/rxe/rdma_rxe.ko\n");
    pvr_fake_write(f->root, "proc/kallsyms", "0 t other\n0 t ib_uverbs_open\n");
    check_host(f);
    expect(f, "kernel.rxe", "ok", "built into", NULL);
    expect(f, "kernel.uverbs", "ok", "ib_uverbs is built into", NULL);
    pvr_fake_write(f->root, "sys/module/rdma_rxe/refcnt", "0");
    check_host(f);
    expect(f, "kernel.rxe", "ok", "is loaded", NULL);
    expect(f, "rdma.devices", "n/a", "no RDMA devices", "rxe add");
    pvr_fake_add_rxe(f->root, "rxe0", "d0");
    check_host(f);
    expect(f, "kernel.rxe", "ok", "rxe link", NULL);
    expect(f, "rdma.devices", "ok", "1 RDMA device", NULL);
}

static void
test_leases(Fixture *f, gconstpointer data)
{
    check_host(f);
    expect(f, "state.leases", "ok", "0 leases", NULL);
    g_assert_true(pvr_prepare(f->host, f->xml, strlen(f->xml), &pvr_prepare_defaults, NULL));
    pvr_fake_add_qemu(f->root, "vm1", U1, 4711);
    g_assert_true(pvr_assert_running(f->host, f->xml, strlen(f->xml), &pvr_prepare_defaults, NULL));
    check_host(f);
    expect(f, "state.leases", "ok", "1 lease,", NULL);
    pvr_fake_remove_qemu(f->root, "vm1", 4711);
    check_host(f);
    expect(f, "state.leases", "warning", "its QEMU is gone", "pvrdmactl recover");
    pvr_fake_write(f->root, "run/pvrdma/leases/" U1 "-0.json", "{");
    check_host(f);
    expect(f, "state.leases", "failed", "is damaged", "then remove the file");
}

static void
test_apparmor(Fixture *f, gconstpointer data)
{
    check_host(f);
    expect(f, "apparmor.rules", "n/a", "not in use", NULL);
    pvr_fake_write(f->root, "sys/module/apparmor/parameters/enabled", "Y\n");
    check_host(f);
    expect(f, "apparmor.rules", "warning", "no rules", "/libvirt-qemu >> /etc/apparmor.d/local");
    pvr_fake_write(f->root, "etc/apparmor.d/local/abstractions/libvirt-qemu",
                   "  /dev/infiniband/uverbs* rw,\n");
    check_host(f);
    expect(f, "apparmor.rules", "ok", "may open", NULL);
}

#define IB "sys/class/infiniband/"

static void
test_rdma(Fixture *f, gconstpointer data)
{
    g_autofree char *node = g_build_filename(f->root, "dev/infiniband/uverbs0", NULL);

    check_host(f);
    expect(f, "rdma.provider", "n/a", "no RDMA device", NULL);
    expect(f, "rdma.netns", "n/a", "not known", NULL);
    pvr_fake_add_rxe(f->root, "rxe0", "d0");
    pvr_fake_write(f->root, "sys/module/ib_core/parameters/netns_mode", "N\n");
    check_host(f);
    expect(f, "rdma.provider", "failed", "no provider for rxe0 (rxe)", "ibverbs-providers");
    expect(f, "rdma.nodes", "ok", "as whom QEMU runs is not known", NULL);
    expect(f, "rdma.guids", "ok", "has a node GUID", NULL);
    expect(f, "rdma.namespaces", "ok", "in this network namespace", NULL);
    expect(f, "rdma.netns", "ok", "in one network namespace", NULL);
    pvr_fake_write(f->root, "etc/libibverbs.d/rxe.driver", "driver rxe\n");
    pvr_fake_write(f->root, "etc/passwd", "libvirt-qemu:x:64055:108::/:/bin/false\n");
    pvr_fake_write(f->root, "sys/module/ib_core/parameters/netns_mode", "Y\n");
    g_assert_cmpint(chmod(node, 0600), ==, 0);
    check_host(f);
    expect(f, "rdma.provider", "failed", "rxe0", "ibverbs-providers");
    expect(f, "rdma.nodes", "failed", "rxe0 (mode of the node)", "udevadm trigger");
    expect(f, "rdma.netns", "ok", "share the RDMA devices", NULL);
    pvr_fake_write(f->root, "usr/lib/x86_64-linux-gnu/libibverbs/librxe-rdmav34.so", "");
    g_assert_cmpint(chmod(node, 0666), ==, 0);
    check_host(f);
    expect(f, "rdma.provider", "ok", "a provider for each", NULL);
    expect(f, "rdma.nodes", "ok", "user 'libvirt-qemu' can open", NULL);
    /* What only others need. */
    f->use = PVR_USE_SOFT;
    pvr_fake_write(f->root, IB "rxe0/node_guid", "0000:0000:0000:0000\n");
    pvr_fake_remove(f->root, "sys/class/net/d0");
    check_host(f);
    expect(f, "rdma.guids", "n/a", "node GUID of rxe0 is zero", NULL);
    f->use = PVR_USE_HOST;
    check_host(f);
    expect(f, "rdma.guids", "failed", "node GUID of rxe0 is zero", "pvrdmactl vf reset");
    expect(f, "rdma.namespaces", "warning", "rxe0 (d0)", "netns 1");
}

/* Many devices are named in few words. */
static void
test_rdma_many(Fixture *f, gconstpointer data)
{
    for (guint i = 0; i < 9; i++) {
        g_autofree char *name = g_strdup_printf("mlx5_%u", i);
        g_autofree char *pci = g_strdup_printf("0000:03:00.%u", i);

        pvr_fake_add_hca(f->root, name, "mlx5_core", pci, "Ethernet", 1);
    }
    pvr_fake_write(f->root, "etc/libibverbs.d/mlx5.driver", "driver mlx5\n");
    pvr_fake_remove(f->root, "dev/infiniband/uverbs8");
    pvr_fake_remove(f->root, "sys/class/infiniband_verbs/uverbs7");
    check_host(f);
    expect(f, "rdma.provider", "failed",
           "for mlx5_0 (mlx5), mlx5_1 (mlx5), mlx5_2 (mlx5), mlx5_3 (mlx5) and 5 more", "install");
    expect(f, "rdma.nodes", "failed", "mlx5_7 (no uverbs device), mlx5_8 (no node)", "ib_uverbs");
    pvr_fake_write(f->root, "usr/lib64/libibverbs/libmlx5-rdmav57.so", "");
    check_host(f);
    expect(f, "rdma.provider", "ok", "a provider for each", NULL);
}

static void
test_pci(Fixture *f, gconstpointer data)
{
    check_host(f);
    expect(f, "kernel.vendor", "n/a", "no network card", NULL);
    expect(f, "vf.limit", "n/a", "no network card", NULL);
    pvr_fake_write(f->root, "sys/bus/pci/drivers/mlx5_core/0000:03:00.0/vendor", "0x15b3\n");
    pvr_fake_write(f->root, "sys/bus/pci/drivers/ice/module", "");
    pvr_fake_write(f->root, "sys/bus/pci/devices/0000:03:00.0/vendor", "0x15b3\n");
    pvr_fake_link(f->root, "sys/bus/pci/devices/0000:03:00.0/driver", "../../drivers/mlx5_core");
    check_host(f);
    expect(f, "kernel.vendor", "warning", "mlx5_ib for cards of mlx5_core", "modprobe mlx5_ib");
    expect(f, "vf.limit", "n/a", "0000:03:00.0 allows no VFs", "mlxconfig");
    pvr_fake_write(f->root, "sys/module/mlx5_ib/refcnt", "0");
    pvr_fake_write(f->root, "sys/bus/pci/devices/0000:03:00.0/sriov_totalvfs", "8\n");
    pvr_fake_write(f->root, "sys/bus/pci/devices/0000:03:00.0/sriov_numvfs", "2\n");
    pvr_fake_write(f->root, "sys/bus/pci/devices/0000:03:00.1/vendor", "0x15b3\n");
    pvr_fake_link(f->root, "sys/bus/pci/devices/0000:03:00.1/physfn", "../0000:03:00.0");
    pvr_fake_link(f->root, "sys/bus/pci/devices/0000:03:00.1/driver", "../../drivers/mlx5_core");
    check_host(f);
    expect(f, "kernel.vendor", "ok", "mlx5_ib", NULL);
    expect(f, "vf.limit", "ok", "0000:03:00.0 has 2 of 8", NULL);
}

static void
test_bonds(Fixture *f, gconstpointer data)
{
    check_host(f);
    expect(f, "rdma.bonds", "n/a", "no bond", NULL);
    pvr_fake_write(f->root, "sys/class/net/bonding_masters", "bond0\n");
    pvr_fake_write(f->root, "sys/class/net/bond0/bonding/slaves", "d0 d1\n");
    check_host(f);
    expect(f, "rdma.bonds", "n/a", "no RDMA device is on bond0", NULL);
    pvr_fake_add_rxe(f->root, "rxe0", "d0");
    check_host(f);
    expect(f, "rdma.bonds", "warning", "bond0 has rxe0 on d0", "pvrdmactl rxe add bond0");
    pvr_fake_remove(f->root, IB "rxe0");
    pvr_fake_add_hca(f->root, "mlx5_0", "mlx5_core", "0000:03:00.0", "Ethernet", 1);
    pvr_fake_set_gid(f->root, "mlx5_0", 1, 0, PVR_FAKE_GID0, "RoCE v2", "d0");
    check_host(f);
    expect(f, "rdma.bonds", "warning", "bond0 has mlx5_0 on d0", "LAG");
    pvr_fake_add_hca(f->root, "mlx5_bond_0", "mlx5_core", "0000:03:00.1", "Ethernet", 1);
    pvr_fake_set_gid(f->root, "mlx5_bond_0", 1, 0, PVR_FAKE_GID0, "RoCE v2", "bond0");
    check_host(f);
    expect(f, "rdma.bonds", "ok", "use mlx5_bond_0 for bond0", NULL);
}

static void
test_journals(Fixture *f, gconstpointer data)
{
    check_host(f);
    expect(f, "state.journals", "ok", "no command", NULL);
    pvr_fake_write(f->root, "run/pvrdma/journal/vf-create.json", "{}");
    pvr_fake_write(f->root, "run/pvrdma/journal/x.json.tmp", "{}");
    check_host(f);
    expect(f, "state.journals", "warning", "its work: vf-create.json", "pvrdmactl recover");
}

static void
install(Fixture *f, const char *path, mode_t mode)
{
    g_autofree char *full = g_build_filename(f->root, path, NULL);

    pvr_fake_write(f->root, path, "#!/bin/sh\n");
    g_assert_cmpint(chmod(full, mode), ==, 0);
}

static void
test_hook_files(Fixture *f, gconstpointer data)
{
    check_hook(f);
    expect(f, "hook.file", "failed", "'/etc/libvirt/hooks/qemu.d/50-pvrdma' is not installed",
           "install");
    expect(f, "hook.program", "failed", "'" PROGRAM "' is not installed", "install");
    install(f, FRONT, 0644);
    install(f, PROGRAM, 0775);
    check_hook(f);
    expect(f, "hook.file", "failed", "not executable", "chmod 755 /etc/");
    expect(f, "hook.program", "failed", "changed by others", "chmod go-w " PROGRAM);
    install(f, FRONT, 0755);
    install(f, PROGRAM, 0755);
    check_hook(f);
    expect(f, "hook.file", "ok", "is installed", NULL);
    expect(f, "hook.program", "ok", "is installed", NULL);
}

/* libvirtd as process 99, started @start_s seconds after a boot at @boot. */
static void
add_daemon(Fixture *f, gint64 boot, gint64 start_s, const char *status)
{
    g_autofree char *stat =
        g_strdup_printf("99 (libvirtd) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 %ld 0\n",
                        (long)(start_s * sysconf(_SC_CLK_TCK)));
    g_autofree char *btime = g_strdup_printf("cpu 1 2\nbtime %ld\n", (long)boot);

    pvr_fake_write(f->root, "proc/99/comm", "libvirtd\n");
    pvr_fake_write(f->root, "proc/99/stat", stat);
    pvr_fake_write(f->root, "proc/99/status", status);
    pvr_fake_write(f->root, "proc/stat", btime);
}

static void
test_hook_known(Fixture *f, gconstpointer data)
{
    gint64 now = g_get_real_time() / G_USEC_PER_SEC;

    check_hook(f);
    expect(f, "hook.known", "n/a", "neither libvirtd nor virtqemud", NULL);
    /* A daemon much older than the hook, which is written now. */
    add_daemon(f, BOOT, 5, "CapEff:\t000001ffffffffff\n");
    check_hook(f);
    expect(f, "hook.known", "warning", "libvirtd (process 99) started before", "kill -HUP 99");
    install(f, FRONT, 0755);
    check_hook(f);
    expect(f, "hook.known", "warning", "started before", "systemctl reload libvirtd");
    /* One that started an hour from now. */
    add_daemon(f, now, 3600, "CapEff:\t000001ffffffffff\n");
    check_hook(f);
    expect(f, "hook.known", "ok", "there was a hook before", NULL);
    /* Proof: this very process has run it. */
    add_daemon(f, BOOT, 5, "CapEff:\t000001ffffffffff\n");
    pvr_fake_write(f->root, "run/pvrdma/daemon", "99 1\n");
    check_hook(f);
    expect(f, "hook.known", "warning", "has not run it yet", "reload");
    pvr_fake_write(f->root, "run/pvrdma/daemon", "99 500\n");
    check_hook(f);
    expect(f, "hook.known", sysconf(_SC_CLK_TCK) == 100 ? "ok" : "warning", "run it",
           sysconf(_SC_CLK_TCK) == 100 ? NULL : "reload");
}

static void
test_memlock(Fixture *f, gconstpointer data)
{
    add_daemon(f, BOOT, 5, "CapEff:\t0000000001000000\n");
    check_hook(f);
    expect(f, "memlock.reachable", "ok", "may raise", NULL);
    add_daemon(f, BOOT, 5, "CapEff:\t0000000000ffffff\n");
    pvr_fake_write(f->root, "proc/99/limits",
                   "Limit  Soft\nMax locked memory         8388608   8388608   bytes\n");
    check_hook(f);
    expect(f, "memlock.reachable", "failed", "now 8388608 bytes", "LimitMEMLOCK=infinity");
    pvr_fake_write(f->root, "proc/99/limits", "Max locked memory     unlimited  unlimited bytes\n");
    check_hook(f);
    expect(f, "memlock.reachable", "ok", "without a limit", NULL);
}

static void
test_domain_off(Fixture *f, gconstpointer data)
{
    check_domain(f, f->xml, FALSE);
    g_assert_cmpint(pvr_checks_worst(f->checks), ==, PVR_CHECK_NA);
    expect(f, "domain.metadata", "ok", "'vm1' has 1 RDMA device", NULL);
    expect(f, "memory.shared", "ok", "shared", NULL);
    expect(f, "memory.pages", "ok", "ordinary pages", NULL);
    expect(f, "device0.functions", "ok", "vmxnet3", NULL);
    expect(f, "device0.mac", "ok", PVR_FAKE_MAC0, NULL);
    expect(f, "device0.netdev", "ok", "'d0' is up", NULL);
    expect(f, "device0.ibdev", "ok", "the hook makes the rxe link 'rxe_d0' on 'd0'", NULL);
    expect(f, "device0.lease", "ok", "'rxe_d0' is free", NULL);
    g_assert_null(find(f, "qemu.memlock"));
}

/* It works, but not for all that an application may register. */
static void
test_domain_huge(Fixture *f, gconstpointer data)
{
    g_autofree char *ram = pvr_fake_replace(f->xml, "<access mode='shared'/>",
                                            "<access mode='shared'/><hugepages/>");
    g_autofree char *dimm = pvr_fake_replace(
        f->xml, "</devices>",
        "<memory model='dimm'><source><pagesize>2048</pagesize></source></memory></devices>");

    check_domain(f, ram, FALSE);
    g_assert_cmpint(pvr_checks_worst(f->checks), ==, PVR_CHECK_WARNING);
    expect(f, "memory.shared", "ok", "shared", NULL);
    expect(f, "memory.pages", "warning", "on huge pages", "remove <hugepages/>");
    check_domain(f, dimm, FALSE);
    expect(f, "memory.pages", "warning", "on huge pages", "remove <hugepages/>");
}

static void
test_domain_bad(Fixture *f, gconstpointer data)
{
    g_autofree char *private = pvr_fake_replace(f->xml, "mode='shared'", "mode='private'");
    g_autofree char *nic = pvr_fake_replace(private, "vmxnet3", "e1000");
    g_autofree char *mac = pvr_fake_replace(nic, "<mac address='7c:fe", "<mac address='7c:ff");

    pvr_fake_remove(f->root, "sys/class/net/d0/carrier");
    check_domain(f, mac, FALSE);
    g_assert_cmpint(pvr_checks_worst(f->checks), ==, PVR_CHECK_FAILED);
    g_assert_cmpuint(pvr_checks_count(f->checks, PVR_CHECK_FAILED), ==, 4);
    expect(f, "memory.shared", "failed", "is private", "virsh edit vm1");
    expect(f, "device0.functions", "failed", "'e1000', not vmxnet3", "pvrdmactl detach vm1 0");
    expect(f, "device0.mac", "failed", "7c:ff:90:cb:74:3a", "virsh edit vm1");
    expect(f, "device0.netdev", "failed", "has no carrier", "connect it");
}

static void
test_domain_metadata(Fixture *f, gconstpointer data)
{
    g_autofree char *clone = pvr_fake_replace(f->xml, "<uuid>" U1, "<uuid>" U2);

    check_domain(f, "<domain", FALSE);
    expect(f, "domain.metadata", "failed", "malformed XML", NULL);
    check_domain(f, clone, FALSE);
    expect(f, "domain.metadata", "failed", "cloned", "attach a device of its own");
    check_domain(f, "<domain><name>x</name><uuid>" U2 "</uuid></domain>", FALSE);
    expect(f, "domain.metadata", "n/a", "'x' has no RDMA device", "pvrdmactl attach x");
    g_assert_cmpuint(f->checks->len, ==, 1);
}

static void
test_domain_running(Fixture *f, gconstpointer data)
{
    check_domain(f, f->xml, TRUE);
    expect(f, "device0.ibdev", "failed", "link on 'd0' is gone", "start it again");
    expect(f, "device0.lease", "failed", "without a lease", "hook.known");
    expect(f, "qemu.memlock", "n/a", "no process number", NULL);

    g_assert_true(pvr_prepare(f->host, f->xml, strlen(f->xml), &pvr_prepare_defaults, NULL));
    pvr_fake_add_qemu(f->root, "vm1", U1, 4711);
    g_assert_true(pvr_assert_running(f->host, f->xml, strlen(f->xml), &pvr_prepare_defaults, NULL));
    pvr_fake_write(f->root, "proc/4711/limits", "Max locked memory   8388608  8388608  bytes\n");
    check_domain(f, f->xml, TRUE);
    expect(f, "device0.port", "ok", "port 1 of 'rxe_d0' is ACTIVE", NULL);
    expect(f, "device0.gid", "ok", PVR_FAKE_GID0, NULL);
    expect(f, "device0.lease", "ok", "it holds 'rxe_d0' (running)", NULL);
    expect(f, "qemu.memlock", "failed", "may lock 8192 KiB", "prlimit --pid 4711");
    pvr_fake_write(f->root, "proc/4711/limits", "Max locked memory   unlimited  unlimited  b\n");
    check_domain(f, f->xml, TRUE);
    expect(f, "qemu.memlock", "ok", "all of the guest's memory", NULL);
}

#define COMMANDLINE(arg) \
    "<qemu:commandline><qemu:arg value='-device'/><qemu:arg value='" arg "'/></qemu:commandline>" \
    "</domain>"

static void
test_domain_order(Fixture *f, gconstpointer data)
{
    g_autofree char *other = pvr_fake_replace(f->xml, "</domain>", COMMANDLINE("edu"));
    g_autofree char *old = pvr_fake_replace(f->xml, "</domain>", COMMANDLINE("pvrdma,bus=pci.4"));
    g_autofree char *json =
        pvr_fake_replace(f->xml, "</domain>", COMMANDLINE("{&quot;driver&quot;:&quot;pvrdma&quot;}"));

    check_domain(f, other, FALSE);
    expect(f, "domain.order", "ok", "no pvrdma device", NULL);
    expect(f, "guest.order", "n/a", "vmxnet3 before vmw_pvrdma", "softdep vmw_pvrdma pre: vmxnet3");
    check_domain(f, old, FALSE);
    expect(f, "domain.order", "failed", "'-device pvrdma,bus=pci.4'", "pvrdmactl attach");
    check_domain(f, json, FALSE);
    expect(f, "domain.order", "warning", "of its own", "pvrdmactl attach");
}

static void
test_domain_place(Fixture *f, gconstpointer data)
{
    static const char *const with[] = {"0-1", "1", "0-3,^2"};
    static const char *const without[] = {"0", "0-3,^1", "x", "2-3,5"};

    pvr_fake_add_rxe(f->root, "rxe_d0", "d0");
    check_domain(f, f->xml, FALSE);
    expect(f, "device0.mtu", "ok", "MTU 1500: RDMA packets carry up to 1024 bytes", NULL);
    expect(f, "device0.numa", "n/a", "no certain NUMA node", NULL);
    expect(f, "device0.access", "n/a", "when the domain starts", NULL);
    pvr_fake_write(f->root, "sys/class/net/d0/mtu", "1000\n");
    pvr_fake_write(f->root, "sys/class/net/d0/device/numa_node", "1\n");
    check_domain(f, f->xml, FALSE);
    expect(f, "device0.mtu", "warning", "MTU 1000: RDMA packets carry 512 bytes", "mtu 1500");
    expect(f, "device0.numa", "n/a", "the guest's memory on no certain one", NULL);
    pvr_fake_write(f->root, "sys/class/net/d0/mtu", "9000\n");
    for (guint i = 0; i < G_N_ELEMENTS(with) + G_N_ELEMENTS(without); i++) {
        const gboolean has = i < G_N_ELEMENTS(with);
        g_autofree char *tune = g_strdup_printf("<numatune><memory nodeset='%s'/></numatune><os>",
                                                has ? with[i] : without[i - G_N_ELEMENTS(with)]);
        g_autofree char *xml = pvr_fake_replace(f->xml, "<os>", tune);

        check_domain(f, xml, FALSE);
        expect(f, "device0.numa", has ? "ok" : "warning", "NUMA node 1",
               has ? NULL : "virsh numatune vm1 --nodeset 1");
    }
    expect(f, "device0.mtu", "ok", "up to 4096 bytes", NULL);
}

static void
test_domain_access(Fixture *f, gconstpointer data)
{
    pvr_fake_add_rxe(f->root, "rxe_d0", "d0");
    check_domain(f, f->xml, TRUE);
    expect(f, "device0.access", "n/a", "cannot be seen", NULL);
    pvr_fake_add_qemu(f->root, "vm1", U1, 4711);
    pvr_fake_link(f->root, "proc/4711/fd/3", "/dev/null");
    check_domain(f, f->xml, TRUE);
    expect(f, "device0.access", "failed", "does not have '/dev/infiniband/uverbs0' open", "/var/log");
    pvr_fake_link(f->root, "proc/4711/fd/4", "/dev/infiniband/uverbs0");
    check_domain(f, f->xml, TRUE);
    expect(f, "device0.access", "ok", "(process 4711) has '/dev/infiniband/uverbs0' open", NULL);
}

static void
test_properties(Fixture *f, gconstpointer data)
{
    g_autofree char *index = pvr_fake_replace(
        f->xml, "</qemu:frontend>",
        "<qemu:property name='backend-gid-idx' type='unsigned' value='2'/></qemu:frontend>");

    pvr_check_properties("/usr/bin/qemu", "  backend-dev=<str>   - x\n", f->xml, strlen(f->xml),
                         f->checks);
    expect(f, "emulator.properties", "ok", "each property", NULL);
    g_ptr_array_set_size(f->checks, 0);
    pvr_check_properties("/usr/bin/qemu", "  backend-dev=<str>   - x\n", index, strlen(index),
                         f->checks);
    expect(f, "emulator.properties", "failed", "has no backend-gid-idx", "this release");
}

#define CHAIN(family, policy) \
    "{\"chain\":{\"family\":\"" family "\",\"table\":\"t\",\"name\":\"in\",\"hook\":\"input\"," \
    "\"policy\":\"" policy "\"}}"
#define RULE(expr) \
    "{\"rule\":{\"family\":\"inet\",\"table\":\"t\",\"chain\":\"in\",\"expr\":[" expr "]}}"
#define MATCH(right) \
    "{\"match\":{\"op\":\"==\",\"left\":{\"payload\":{\"field\":\"dport\"}},\"right\":" right "}}"
#define ACCEPT "{\"accept\":null}"
#define DROP "{\"drop\":null}"
#define NFT(items) "{\"nftables\":[{\"metainfo\":{}}," items "]}"

static void
test_firewall(Fixture *f, gconstpointer data)
{
    static const struct {
        const char *nft, *ip6tables, *state, *evidence;
    } cases[] = {
        {NULL, NULL, "n/a", "neither nft nor"},
        {"no json", NULL, "n/a", "neither nft nor"},
        {"{\"nftables\":1}", NULL, "n/a", "neither nft nor"},
        {NFT("1"), NULL, "ok", "no packet filter"},
        {NFT(CHAIN("ip", "drop")), NULL, "ok", "no packet filter"},
        {NFT(CHAIN("inet", "drop")), NULL, "warning", "chain 'inet t in' drops"},
        {NFT(CHAIN("inet", "drop") "," RULE(MATCH("22") "," ACCEPT)), NULL, "warning", "drops"},
        {NFT(CHAIN("inet", "drop") "," RULE(MATCH("4791") "," ACCEPT)), NULL, "ok", "a rule lets"},
        {NFT(CHAIN("inet", "drop") "," RULE(MATCH("{\"set\":[22,{\"range\":[4000,5000]}]}") "," ACCEPT)),
         NULL, "ok", "a rule lets"},
        {NFT(CHAIN("inet", "drop") "," RULE(MATCH("{\"range\":[5000,6000]}") "," ACCEPT)), NULL,
         "warning", "drops"},
        {NFT(CHAIN("inet", "accept") "," RULE("{\"counter\":null}," DROP)), NULL, "warning", "drops"},
        {NFT(CHAIN("inet", "accept") "," RULE(MATCH("23") "," DROP)), NULL, "ok", "no packet filter"},
        {NFT(CHAIN("inet", "accept") "," RULE(MATCH("4791") "," DROP)), NULL, "warning",
         "a rule drops UDP port 4791"},
        {NULL, "*filter\n:INPUT ACCEPT [0:0]\nCOMMIT\n", "ok", "no packet filter"},
        {NULL, ":INPUT DROP [0:0]\n", "warning", "chain 'ip6tables INPUT'"},
        {NULL, ":INPUT DROP [0:0]\n-A INPUT -p udp -m udp --dport 4791 -j ACCEPT\n", "ok", "lets"},
        {NULL, "-A INPUT -p udp -m udp --dport 4791 -j DROP\n", "warning", "a rule drops"},
    };

    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        const gboolean bad = g_str_equal(cases[i].state, "warning");

        g_ptr_array_set_size(f->checks, 0);
        pvr_check_firewall(cases[i].nft, cases[i].ip6tables, PVR_USE_HOST, f->checks);
        expect(f, "firewall.roce", cases[i].state, cases[i].evidence, bad ? "" : NULL);
    }
}

static void
test_libvirt(Fixture *f, gconstpointer data)
{
    pvr_check_libvirt(f->host, NULL, PVR_USE_HOST, f->checks);
    expect(f, "libvirt.version", "n/a", "tells its version", NULL);
    expect(f, "libvirt.shutdown", "n/a", "no libvirt-guests", NULL);
    g_ptr_array_set_size(f->checks, 0);
    pvr_fake_write(f->root, "usr/libexec/libvirt-guests.sh", "x=1\nON_SHUTDOWN=suspend\n");
    pvr_fake_write(f->root, "etc/sysconfig/libvirt-guests", "#ON_SHUTDOWN=shutdown\n");
    pvr_check_libvirt(f->host, "libvirtd (libvirt) 8.0.0\n", PVR_USE_SOFT, f->checks);
    expect(f, "libvirt.version", "failed", "libvirt is 8.0", "9.0 or later");
    expect(f, "libvirt.shutdown", "warning", "saves guests", "ON_SHUTDOWN=shutdown");
    g_ptr_array_set_size(f->checks, 0);
    pvr_fake_write(f->root, "etc/sysconfig/libvirt-guests", "ON_SHUTDOWN=\"shutdown\"\n");
    pvr_check_libvirt(f->host, "virtqemud (libvirt) 11.3.0\n", 0, f->checks);
    expect(f, "libvirt.version", "ok", "libvirt is 11.3", NULL);
    expect(f, "libvirt.shutdown", "ok", "does not save", NULL);
}

static void
test_denials(Fixture *f, gconstpointer data)
{
    pvr_check_denials(NULL, PVR_USE_HOST, f->checks);
    expect(f, "security.denials", "n/a", "cannot be read", NULL);
    g_ptr_array_set_size(f->checks, 0);
    pvr_check_denials("avc: denied { read } name=\"x\"\nusb uverbs fine\n", PVR_USE_HOST, f->checks);
    expect(f, "security.denials", "ok", "no security module", NULL);
    g_ptr_array_set_size(f->checks, 0);
    pvr_check_denials("a\napparmor=\"DENIED\" name=\"/dev/infiniband/uverbs0\"\nb\n", PVR_USE_HOST,
                      f->checks);
    expect(f, "security.denials", "warning", "DENIED\" name=\"/dev/infiniband", "audit2allow");
}

/* What became of the GID since attach. */
static void
test_domain_gid(Fixture *f, gconstpointer data)
{
    PvrFakeDevice device = pvr_fake_rxe0;
    const PvrFakeDevice *devices[] = {&device};
    g_autofree char *any = NULL;

    device.gid = "2001:0db8:0000:0000:7efe:90ff:fecb:743a";
    device.gid_policy = "v2,ipv6,any";
    any = pvr_fake_domain_xml("vm1", U1, devices, 1);
    pvr_fake_add_rxe(f->root, "rxe_d0", "d0");
    check_domain(f, any, FALSE);
    expect(f, "device0.gid", "ok",
           PVR_FAKE_GID0 " at index 0, which fits v2,ipv6,any; attach saw 2001:0db8", NULL);
    pvr_fake_write(f->root, "proc/net/if_inet6", "");
    check_domain(f, f->xml, FALSE);
    expect(f, "device0.gid", "failed", "cannot use it: d0 does not have the address", "gid rxe_d0 --why");
    pvr_fake_set_gid(f->root, "rxe_d0", 1, 0, PVR_FAKE_GID1, "RoCE v2", "d0");
    check_domain(f, any, FALSE);
    expect(f, "device0.gid", "failed", "no GID that fits the policy v2,ipv6,any", "--why");
    check_domain(f, f->xml, FALSE);
    expect(f, "device0.gid", "failed", "has no GID " PVR_FAKE_GID0, "--why");
}

/* What only devices of the host need is a warning when nobody knows, and n/a for soft ones. */
static void
test_use(Fixture *f, gconstpointer data)
{
    g_autofree char *mixed = NULL;
    const PvrFakeDevice *devices[] = {&pvr_fake_rxe0, &pvr_fake_soft1};

    pvr_fake_write(f->root, "sys/module/apparmor/parameters/enabled", "Y\n");
    f->use = 0;
    check_host(f);
    expect(f, "kernel.rxe", "warning", "(needed only for --rxe", "install the kernel");
    expect(f, "rdma.devices", "n/a", "(needed only for --rxe", "rxe add");
    expect(f, "apparmor.rules", "warning", "(needed only for --rxe", "libvirt-qemu");
    check_hook(f);
    expect(f, "hook.file", "warning", "(needed only for --rxe", "install");
    f->use = PVR_USE_SOFT;
    check_host(f);
    g_assert_cmpint(pvr_checks_worst(f->checks), ==, PVR_CHECK_NA);
    expect(f, "kernel.uverbs", "n/a", "no ib_uverbs (not needed for soft devices)", NULL);
    expect(f, "apparmor.rules", "n/a", "(not needed for soft", NULL);
    add_daemon(f, BOOT, 5, "CapEff:\t0000000000000000\n");
    check_hook(f);
    g_assert_cmpint(pvr_checks_worst(f->checks), ==, PVR_CHECK_NA);
    expect(f, "hook.program", "n/a", "is not installed (not needed", NULL);
    expect(f, "memlock.reachable", "n/a", "(not needed", NULL);
    /* libvirtd would run it as root all the same. */
    install(f, FRONT, 0777);
    check_hook(f);
    expect(f, "hook.file", "failed", "changed by others", "chmod go-w");
    mixed = pvr_fake_domain_xml("vm1", U1, devices, 2);
    g_assert_cmpuint(pvr_use_of_domain(mixed, strlen(mixed)), ==, PVR_USE_HOST | PVR_USE_SOFT);
    g_assert_cmpuint(pvr_use_of_domain("<domain", 7), ==, 0);
}

static void
test_domain_soft(Fixture *f, gconstpointer data)
{
    const PvrFakeDevice *devices[] = {&pvr_fake_soft1, &pvr_fake_rxe0};
    g_autofree char *xml = pvr_fake_domain_xml("vm1", U1, devices, 1);
    g_autofree char *mixed = pvr_fake_domain_xml("vm1", U1, devices, 2);
    g_autofree char *user = pvr_fake_replace(xml, "interface type='bridge'", "interface type='user'");
    g_autofree char *bad = pvr_fake_replace(xml, "interface type='bridge'", "interface type='vdpa'");
    g_autofree char *nic = pvr_fake_replace(bad, "vmxnet3", "e1000");

    check_domain(f, user, TRUE);
    g_assert_cmpint(pvr_checks_worst(f->checks), ==, PVR_CHECK_NA);
    expect(f, "domain.metadata", "ok", "1 RDMA device", NULL);
    expect(f, "memory.shared", "n/a", "any memory", NULL);
    expect(f, "memory.pages", "n/a", "any size", NULL);
    expect(f, "device0.functions", "ok", "vmxnet3", NULL);
    expect(f, "device0.connection", "ok", "type 'user'", NULL);
    expect(f, "device0.mac", "n/a", "takes the MAC", NULL);
    expect(f, "device0.ibdev", "n/a", "no RDMA device", NULL);
    expect(f, "device0.lease", "n/a", "holds nothing", NULL);
    expect(f, "qemu.memlock", "n/a", "locks no memory", NULL);
    check_domain(f, nic, FALSE);
    expect(f, "device0.functions", "failed", "'e1000', not vmxnet3", "pvrdmactl detach vm1 0");
    expect(f, "device0.connection", "failed", "type 'vdpa'", "virsh edit vm1");
    g_assert_null(find(f, "qemu.memlock"));
    check_domain(f, mixed, FALSE);
    expect(f, "memory.shared", "ok", "shared", NULL);
    expect(f, "device0.connection", "ok", "type 'bridge'", NULL);
    expect(f, "device1.ibdev", "ok", "the hook makes the rxe link", NULL);
    expect(f, "device1.lease", "ok", "is free", NULL);
}

static void
test_node(Fixture *f, gconstpointer data)
{
    g_autofree char *node = g_build_filename(f->root, "dev/infiniband/uverbs0", NULL);

    pvr_fake_add_rxe(f->root, "rxe_d0", "d0");
    g_assert_cmpint(chmod(node, 0600), ==, 0);
    check_domain(f, f->xml, FALSE);
    expect(f, "device0.node", "n/a", "as whom QEMU runs is not known", NULL);
    pvr_fake_write(f->root, "etc/passwd",
                   "root:x:0:0::/:/bin/sh\nlibvirt-qemu:x:64055:108::/:/bin/false\n"
                   "special:x:64099:108::/:/bin/false\n");
    check_domain(f, f->xml, FALSE);
    expect(f, "device0.node", "failed", "has mode 0600: user 'libvirt-qemu' cannot", "chmod 666");
    g_assert_cmpint(chmod(node, 0666), ==, 0);
    check_domain(f, f->xml, FALSE);
    expect(f, "device0.node", "ok", "user 'libvirt-qemu' can", NULL);
    pvr_fake_write(f->root, "etc/libvirt/qemu.conf", "#user = \"x\"\nuser = \"+64099\"\n");
    check_domain(f, f->xml, FALSE);
    expect(f, "device0.node", "ok", "user 'special' can", NULL);
    pvr_fake_remove(f->root, "dev/infiniband/uverbs0");
    check_domain(f, f->xml, FALSE);
    expect(f, "device0.node", "failed", "does not exist", "udevadm");
}

static void
test_held(Fixture *f, gconstpointer data)
{
    const PvrFakeDevice *devices[] = {&pvr_fake_rxe0};
    g_autofree char *other = pvr_fake_domain_xml("vm2", U2, devices, 1);

    g_assert_true(pvr_prepare(f->host, other, strlen(other), &pvr_prepare_defaults, NULL));
    check_domain(f, f->xml, FALSE);
    expect(f, "device0.lease", "warning", "held by domain 'vm2'", "shut that domain down");
}

static char *
with_backend(Fixture *f, const char *backend)
{
    g_autoptr(GString) xml = g_string_new(f->xml);

    g_assert_cmpuint(
        g_string_replace(xml, "backend='rxe' netdev='d0' ibdev='rxe_d0'", backend, 0), ==, 1);
    return g_string_free(g_steal_pointer(&xml), FALSE);
}

/* What the domain would get at start, or why it would get nothing. */
static void
test_vf(Fixture *f, gconstpointer data)
{
    g_autofree char *vf = with_backend(f, "backend='vf' pci='0000:01:00.2' ibdev='mlx5_4'");
    g_autofree char *pool = with_backend(f, "backend='pool' pool='fast'");

    check_domain(f, vf, FALSE);
    expect(f, "device0.ibdev", "failed", "0000:01:00.2", "vf create");
    check_domain(f, pool, FALSE);
    expect(f, "device0.ibdev", "failed", "'fast'", "/etc/pvrdma");
    expect(f, "device0.lease", "n/a", "chosen at start", NULL);

    pvr_fake_add_pf(f->root, &pvr_fake_igb);
    g_assert_true(pvr_host_set_num_vfs(f->host, pvr_fake_igb.address, 1, NULL));
    pvr_fake_add_rxe(f->root, "mlx5_4", "enp1s0f0v0");
    pvr_fake_write(f->root, "etc/pvrdma/host.json",
                   "{\"version\": 1, \"pools\": [{\"name\": \"fast\", "
                   "\"members\": [{\"pf\": \"0000:01:00.0\"}]}]}");
    check_domain(f, vf, FALSE);
    expect(f, "device0.ibdev", "ok", "VF 0000:01:00.2 ('mlx5_4')", NULL);
    expect(f, "device0.lease", "ok", "is free", NULL);
    check_domain(f, pool, FALSE);
    expect(f, "device0.ibdev", "ok", "VF 0000:01:00.2 ('mlx5_4')", NULL);
    check_domain(f, pool, TRUE);
    expect(f, "device0.ibdev", "n/a", "not known", NULL);
    expect(f, "device0.lease", "failed", "without a lease", "start it again");

    g_assert_true(pvr_prepare(f->host, pool, strlen(pool), &pvr_prepare_defaults, NULL));
    check_domain(f, pool, TRUE);
    expect(f, "device0.ibdev", "ok", "'mlx5_4' exists", NULL);
    expect(f, "device0.gid", "ok", "GID", NULL);
    expect(f, "device0.lease", "ok", "it holds 'mlx5_4'", NULL);
}

/* A script in the place of QEMU. */
static void
ask_emulator(Fixture *f, const char *script, guint timeout_ms)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *models = NULL;
    g_autofree char *properties = NULL;
    g_autofree char *full = g_build_filename(f->root, "usr/bin/qemu", NULL);

    if (script != NULL) {
        pvr_fake_write(f->root, "usr/bin/qemu", script);
        g_assert_cmpint(chmod(full, 0755), ==, 0);
    }
    models = pvr_emulator_ask(f->host, "/usr/bin/qemu", "help", timeout_ms, &error);
    properties = pvr_emulator_ask(f->host, "/usr/bin/qemu", "pvrdma,help", timeout_ms, NULL);
    g_ptr_array_set_size(f->checks, 0);
    pvr_check_emulator("/usr/bin/qemu", models, properties, error, f->checks);
}

static void
test_emulator(Fixture *f, gconstpointer data)
{
    gint64 start;

    ask_emulator(f, NULL, 5000);
    expect(f, "emulator.device", "failed", "no program '/usr/bin/qemu'", "install QEMU");
    ask_emulator(f,
                 "#!/bin/sh\ncase $5 in help) echo 'name \"pvrdma\", bus PCI';;"
                 " pvrdma,help) echo '  backend-dev=<str>';; esac\n",
                 5000);
    expect(f, "emulator.device", "ok", "has the device model pvrdma", NULL);
    ask_emulator(f, "#!/bin/sh\necho 'name \"pvrdma\", bus PCI'\n", 5000);
    expect(f, "emulator.device", "failed", "another device of the name", "install a QEMU");
    ask_emulator(f, "#!/bin/sh\necho 'name \"vmxnet3\", bus PCI'\n", 5000);
    expect(f, "emulator.device", "failed", "has no device model pvrdma", "install a QEMU");
    ask_emulator(f, "#!/bin/sh\nexit 1\n", 5000);
    expect(f, "emulator.device", "failed", "-device help' failed", NULL);
    ask_emulator(f, "#!/nonexistent/interpreter\n", 5000);
    expect(f, "emulator.device", "failed", "cannot run", NULL);
    start = g_get_monotonic_time();
    ask_emulator(f, "#!/bin/sh\nexec sleep 60\n", 300);
    expect(f, "emulator.device", "failed", "did not end within", NULL);
    g_assert_cmpint(g_get_monotonic_time() - start, <, 20 * G_USEC_PER_SEC);
}

/* As ask_emulator(), for a QEMU that says @script when it is started with a soft device. */
static void
try_soft(Fixture *f, const char *script, guint use, guint timeout_ms)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *full = g_build_filename(f->root, "usr/bin/qemu", NULL);

    pvr_fake_write(f->root, "usr/bin/qemu", script);
    g_assert_cmpint(chmod(full, 0755), ==, 0);
    g_assert_cmpint(pvr_emulator_try_soft(f->host, "/usr/bin/qemu", timeout_ms, &error), ==,
                    error == NULL);
    g_ptr_array_set_size(f->checks, 0);
    pvr_check_emulator_soft("/usr/bin/qemu", use, error, f->checks);
}

static void
test_emulator_soft(Fixture *f, gconstpointer data)
{
    static const char good[] = "#!/bin/sh\n[ \"$(cat)\" = quit ] || exit 1\n"
                               "case $* in *'-device pvrdma,addr=5.1 '*) ;; *) exit 1;; esac\n";
    static const char bad[] = "#!/bin/sh\necho 'q: -device pvrdma,addr=5.1: info: old' >&2\n"
                              "echo 'q: -device pvrdma,addr=5.1: needs a backend-dev' >&2\n"
                              "exit 1\n";

    try_soft(f, good, PVR_USE_SOFT, 5000);
    expect(f, "emulator.soft", "ok", "'/usr/bin/qemu' starts with a soft device", NULL);
    try_soft(f, bad, PVR_USE_SOFT | PVR_USE_HOST, 5000);
    expect(f, "emulator.soft", "failed", "soft device: needs a backend-dev", "install a QEMU");
    try_soft(f, bad, 0, 5000);
    expect(f, "emulator.soft", "warning", "needs a backend-dev", "install a QEMU");
    try_soft(f, bad, PVR_USE_HOST, 5000);
    expect(f, "emulator.soft", "n/a", "has no soft device", NULL);
    try_soft(f, "#!/bin/sh\nexit 3\n", PVR_USE_SOFT, 5000);
    expect(f, "emulator.soft", "failed", "-device pvrdma,addr=5.1' failed", NULL);
    try_soft(f, "#!/bin/sh\nexec sleep 60\n", PVR_USE_SOFT, 300);
    expect(f, "emulator.soft", "failed", "did not end within", NULL);
}

/* The last one: no text is about a check that there is not, and the man page has each of them. */
static void
test_texts(void)
{
    g_autofree char *path =
        g_test_build_filename(G_TEST_DIST, "..", "docs/man/pvrdmactl-doctor.8.rst", NULL);
    g_autofree char *page = NULL;
    const PvrCheckText *text;

    g_assert_true(g_file_get_contents(path, &page, NULL, NULL));
    for (guint i = 0; (text = pvr_check_text_nth(i)) != NULL; i++) {
        g_assert_true(pvr_check_text_find(text->id) == text);
        g_assert_true(g_str_has_suffix(text->text, ".\n"));
        g_assert_false(g_str_has_suffix(text->title, "."));
        if (!g_hash_table_contains(seen, text)) {
            g_error("no test has seen '%s'", text->id);
        }
        if (strstr(page, text->id) == NULL) {
            g_error("pvrdmactl-doctor(8) does not have '%s'", text->id);
        }
    }
}

#define ADD(path, func) g_test_add("/check/" path, Fixture, NULL, setup, func, teardown)

int
main(int argc, char **argv)
{
    g_autoptr(GHashTable) texts = g_hash_table_new(NULL, NULL);

    g_test_init(&argc, &argv, NULL);
    seen = texts;
    ADD("modules", test_modules);
    ADD("leases", test_leases);
    ADD("apparmor", test_apparmor);
    ADD("rdma", test_rdma);
    ADD("rdma-many", test_rdma_many);
    ADD("pci", test_pci);
    ADD("bonds", test_bonds);
    ADD("journals", test_journals);
    ADD("hook-files", test_hook_files);
    ADD("hook-known", test_hook_known);
    ADD("memlock", test_memlock);
    ADD("domain-off", test_domain_off);
    ADD("domain-huge", test_domain_huge);
    ADD("domain-bad", test_domain_bad);
    ADD("domain-metadata", test_domain_metadata);
    ADD("domain-running", test_domain_running);
    ADD("domain-order", test_domain_order);
    ADD("domain-place", test_domain_place);
    ADD("domain-access", test_domain_access);
    ADD("properties", test_properties);
    ADD("firewall", test_firewall);
    ADD("libvirt", test_libvirt);
    ADD("denials", test_denials);
    ADD("domain-gid", test_domain_gid);
    ADD("use", test_use);
    ADD("domain-soft", test_domain_soft);
    ADD("node", test_node);
    ADD("held", test_held);
    ADD("vf", test_vf);
    ADD("emulator", test_emulator);
    ADD("emulator-soft", test_emulator_soft);
    g_test_add_func("/check/texts", test_texts);
    return g_test_run();
}
