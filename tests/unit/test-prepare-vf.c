/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * VFs at the start of domains: a hook that is killed at any step leaves a VF that release, or the next domain, puts
 * right; and a crowd of hooks shares a pool without taking anything twice.
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pvr-error.h"
#include "pvr-fake-domain.h"
#include "pvr-fake-host.h"
#include "pvr-fake-kill.h"
#include "pvr-fake-sriov.h"
#include "pvr-lease.h"
#include "pvr-prepare.h"
#include "pvr-vf-plan.h"

#define U1 PVR_FAKE_UUID1
#define PF "0000:3b:00.0"
#define VF0 "0000:3b:00.2"

enum {
    CROWD = 64,
    MEMBERS = 32
};

static const PvrFakePf big_pf = {
    .address = PF, .driver = "mlx5_core", .vf_driver = "mlx5_core", .netdev = "ens1f0np0",
    .mac = "0c:42:a1:65:bd:12", .vfs_max = MEMBERS, .ibdev = "mlx5_0", .link_layer = "Ethernet",
};

static const PvrPrepareOptions patient = {.lock_ms = 300000, .settle_ms = 5000};

static void
setup(PvrFakeMachine *f, gconstpointer data)
{
    pvr_fake_machine_init(f);
    pvr_fake_add_pf(f->root, &big_pf);
    pvr_fake_write(f->root, "etc/pvrdma/host.json",
                   "{\"version\": 1, \"pools\": [{\"name\": \"fast\", "
                   "\"members\": [{\"pf\": \"" PF "\"}]}]}");
}

static void
make_vfs(PvrFakeMachine *f, guint number)
{
    g_assert_true(pvr_host_set_num_vfs(f->host, PF, number, NULL));
}

/* A domain with the MAC of its own. */
static char *
domain_xml(const char *uuid, const char *backend)
{
    PvrMac mac;
    PvrGid gid;
    g_autofree char *mac_text = NULL;
    g_autofree char *gid_text = NULL;
    g_autofree char *xml = NULL;

    pvr_mac_of_domain(uuid, 0, &mac);
    pvr_gid_from_mac(&mac, &gid);
    mac_text = pvr_mac_to_string(&mac);
    gid_text = pvr_gid_to_string(&gid);

    const PvrFakeDevice device = {
        .backend = "ibdev", .ibdev = "x", .mac = mac_text, .gid = gid_text};
    const PvrFakeDevice *devices[] = {&device};

    xml = pvr_fake_domain_xml("vm", uuid, devices, 1);
    return pvr_fake_replace(xml, "backend='ibdev' ibdev='x'", backend);
}

/* Without an administrator's the driver makes one up at each bind. */
static const char *
hide_random(const char *mac)
{
    return mac != NULL && g_str_has_prefix(mac, "02:fa:4e:") ? "of no domain" : mac;
}

static char *
describe_vf(PvrHost *host, const PvrPci *vf)
{
    PvrVf record = {0};
    g_autofree char *pf_netdev = pvr_vf_find_record(host, vf, &record, NULL);
    g_autofree char *mac = pvr_mac_to_string(&record.mac);
    g_autoptr(PvrNetdev) netdev =
        vf->netdevs->len > 0 ? pvr_host_get_netdev(host, vf->netdevs->pdata[0], NULL) : NULL;
    g_autofree char *own = netdev != NULL ? pvr_mac_to_string(&netdev->mac) : NULL;

    return g_strdup_printf("%s of %s: driver %s, admin %s, netdev %s, %u ibdevices\n", vf->address,
                           pf_netdev, vf->driver, mac, hide_random(own), vf->ibdevs->len);
}

/* All VFs as a user would find them, and what we left. */
static char *
describe(PvrFakeMachine *f)
{
    g_autoptr(GPtrArray) pcis = pvr_host_list_pci(f->host, NULL);
    g_autoptr(GPtrArray) leases = pvr_lease_list(f->host, NULL);
    g_autoptr(GString) text = g_string_new(NULL);
    g_autofree char *links = pvr_host_path(f->host, PVR_DIR_DEV_PVRDMA, NULL);
    g_autoptr(GDir) dir = g_dir_open(links, 0, NULL);

    for (guint i = 0; i < pcis->len; i++) {
        const PvrPci *pci = g_ptr_array_index(pcis, i);
        g_autofree char *line = pci->pf != NULL ? describe_vf(f->host, pci) : NULL;

        g_string_append(text, line != NULL ? line : "");
    }
    g_string_append_printf(text, "%u leases, %s\n", leases->len,
                           dir != NULL && g_dir_read_name(dir) != NULL ? "links" : "no links");
    return g_string_free(g_steal_pointer(&text), FALSE);
}

static void
assert_as(PvrFakeMachine *f, const char *start)
{
    g_autofree char *now = describe(f);

    g_assert_cmpstr(now, ==, start);
}

/* TRUE when prepare was killed at checkpoint @nth, FALSE when it has fewer and succeeded. */
static gboolean
killed_at(PvrFakeMachine *f, const char *xml, int nth)
{
    const PvrPrepareOptions options = {
        .lock_ms = 1000, .settle_ms = 1000, .checkpoint = pvr_fake_die_at_zero, .user_data = &nth};
    pid_t pid = fork();

    if (pid == 0) {
        _exit(pvr_prepare(f->host, xml, strlen(xml), &options, NULL) ? 0 : 1);
    }
    return pvr_fake_was_killed(pid);
}

static void
release(PvrFakeMachine *f, const char *xml)
{
    GError *error = NULL;

    g_assert_true(pvr_release(f->host, xml, strlen(xml), &patient, &error));
    g_assert_no_error(error);
}

static void
test_killed(PvrFakeMachine *f, gconstpointer backend)
{
    g_autofree char *xml = domain_xml(U1, backend);
    g_autofree char *start = NULL;
    int nth = 0;

    make_vfs(f, 1);
    start = describe(f);
    while (killed_at(f, xml, nth)) {
        release(f, xml);
        assert_as(f, start);
        nth++;
    }
    /* the lease, and a record and a deed of each: unbind, MAC, bind, node */
    g_assert_cmpint(nth, >=, 9);
    release(f, xml);
    assert_as(f, start);
}

/* The next domain gets the only VF, and gives it back as it was before the first. */
static void
test_other_after(PvrFakeMachine *f, gconstpointer backend)
{
    g_autofree char *xml = domain_xml(U1, backend);
    g_autofree char *other = domain_xml(PVR_FAKE_UUID2, backend);
    g_autofree char *start = NULL;

    make_vfs(f, 1);
    start = describe(f);
    for (int nth = 0; killed_at(f, xml, nth); nth++) {
        GError *error = NULL;

        g_assert_true(pvr_prepare(f->host, other, strlen(other), &patient, &error));
        g_assert_no_error(error);
        release(f, other);
        release(f, xml);
        assert_as(f, start);
    }
    release(f, xml);
}

static char *
nth_xml(int nth)
{
    g_autofree char *uuid = g_strdup_printf("5b4ac7b1-1f7b-4c5a-9a0e-%012d", nth);

    return domain_xml(uuid, "backend='pool' pool='fast'");
}

static int
prepare_nth(PvrFakeMachine *f, int nth)
{
    g_autofree char *xml = nth_xml(nth);
    g_autoptr(GError) error = NULL;

    if (pvr_prepare(f->host, xml, strlen(xml), &patient, &error)) {
        return 0;
    }
    return g_error_matches(error, PVR_ERROR, PVR_ERROR_BUSY) && strstr(error->message, "fast") ? 1
                                                                                               : 2;
}

static void
count_crowd(PvrFakeMachine *f, guint *ret_won)
{
    pid_t pids[CROWD];
    guint count[2] = {0};

    for (int i = 0; i < CROWD; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            _exit(prepare_nth(f, i));
        }
    }
    for (int i = 0; i < CROWD; i++) {
        int status;

        g_assert_cmpint(waitpid(pids[i], &status, 0), ==, pids[i]);
        g_assert_true(WIFEXITED(status));
        g_assert_cmpint(WEXITSTATUS(status), <, 2);
        count[WEXITSTATUS(status)]++;
    }
    *ret_won = count[0];
}

static void
assert_distinct(const GPtrArray *leases)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

    for (guint i = 0; i < leases->len; i++) {
        const PvrLease *lease = g_ptr_array_index(leases, i);

        g_assert_nonnull(lease->device);
        g_assert_true(g_hash_table_add(seen, lease->device));
    }
}

/* 64 hooks at once for the 32 members of a pool: 32 get one each, the others are told that all are taken. */
static void
test_crowd(PvrFakeMachine *f, gconstpointer data)
{
    g_autoptr(GPtrArray) leases = NULL;
    g_autofree char *start = NULL;
    guint won = 0;

    make_vfs(f, MEMBERS);
    start = describe(f);
    count_crowd(f, &won);
    g_assert_cmpuint(won, ==, MEMBERS);
    leases = pvr_lease_list(f->host, NULL);
    g_assert_cmpuint(leases->len, ==, MEMBERS);
    assert_distinct(leases);
    for (int i = 0; i < CROWD; i++) {
        g_autofree char *xml = nth_xml(i);

        release(f, xml);
    }
    assert_as(f, start);
}

#define ADD(path, func, data) \
    g_test_add("/prepare-vf/" path, PvrFakeMachine, data, setup, func, pvr_fake_machine_clear)

int
main(int argc, char **argv)
{
    static const char vf[] = "backend='vf' pci='" VF0 "'";
    static const char pool[] = "backend='pool' pool='fast'";

    g_test_init(&argc, &argv, NULL);
    ADD("killed-vf", test_killed, vf);
    ADD("killed-pool", test_killed, pool);
    ADD("other-after-vf", test_other_after, vf);
    ADD("other-after-pool", test_other_after, pool);
    ADD("crowd", test_crowd, NULL);
    return g_test_run();
}
