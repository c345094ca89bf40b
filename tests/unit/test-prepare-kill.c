/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The promise of the journal: whenever the hook is killed, the next release (or prepare) leaves the
 * host as if nothing had been. A child runs prepare and is killed with SIGKILL at its nth checkpoint.
 */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pvr-fake-domain.h"
#include "pvr-fake-host.h"
#include "pvr-fake-kill.h"
#include "pvr-lease.h"
#include "pvr-prepare.h"

#define U1 PVR_FAKE_UUID1

typedef struct {
    char *root;
    PvrHost *host;
    char *start;
    char *xml;
} Fixture;

static void
setup(Fixture *f, gconstpointer data)
{
    const PvrFakeDevice *devices[] = {&pvr_fake_rxe0, &pvr_fake_rxe1};

    f->root = pvr_fake_root_new();
    f->host = pvr_host_new_fake(f->root);
    pvr_fake_add_netdev(f->root, "d0", PVR_FAKE_MAC0, TRUE);
    pvr_fake_add_netdev(f->root, "d1", PVR_FAKE_MAC1, TRUE);
    f->start = pvr_fake_snapshot(f->root);
    f->xml = pvr_fake_domain_xml("vm1", U1, devices, 2);
}

static void
teardown(Fixture *f, gconstpointer data)
{
    g_free(f->xml);
    g_free(f->start);
    pvr_host_free(f->host);
    pvr_fake_root_free(f->root);
}

/* TRUE when prepare was killed at checkpoint @nth, FALSE when it has fewer and succeeded. */
static gboolean
prepare_killed_at(Fixture *f, int nth)
{
    const PvrPrepareOptions options = {
        .lock_ms = 1000, .checkpoint = pvr_fake_die_at_zero, .user_data = &nth};
    pid_t pid = fork();

    if (pid == 0) {
        _exit(pvr_prepare(f->host, f->xml, strlen(f->xml), &options, NULL) ? 0 : 1);
    }
    return pvr_fake_was_killed(pid);
}

static void
assert_start(Fixture *f)
{
    g_autofree char *now = pvr_fake_snapshot(f->root);

    g_assert_cmpstr(now, ==, f->start);
}

static void
release(Fixture *f)
{
    GError *error = NULL;

    g_assert_true(pvr_release(f->host, f->xml, strlen(f->xml), &pvr_prepare_defaults, &error));
    g_assert_no_error(error);
}

/* A soft device beside one of the host has no steps. */
static void
test_mixed(Fixture *f, gconstpointer data)
{
    const PvrFakeDevice *devices[] = {&pvr_fake_rxe0, &pvr_fake_soft1};
    int nth = 0;

    g_free(f->xml);
    f->xml = pvr_fake_domain_xml("vm1", U1, devices, 2);
    while (prepare_killed_at(f, nth)) {
        release(f);
        assert_start(f);
        nth++;
    }
    g_assert_cmpint(nth, ==, 5);
    release(f);
    assert_start(f);
}

static void
test_release_after(Fixture *f, gconstpointer data)
{
    int nth = 0;

    while (prepare_killed_at(f, nth)) {
        release(f);
        assert_start(f);
        nth++;
    }
    /* Two devices with a lease record, and a record and a deed for each of two steps. */
    g_assert_cmpint(nth, ==, 10);
    release(f);
    assert_start(f);
}

static void
test_prepare_after(Fixture *f, gconstpointer data)
{
    for (int nth = 0; nth < 10; nth++) {
        GError *error = NULL;

        g_assert_true(prepare_killed_at(f, nth));
        g_assert_true(pvr_prepare(f->host, f->xml, strlen(f->xml), &pvr_prepare_defaults, &error));
        g_assert_no_error(error);
        release(f);
        assert_start(f);
    }
}

/* The undo is killed too, after each of its steps: the next one does the rest. */
static void
test_partial_undo(Fixture *f, gconstpointer data)
{
    for (int done = 1; done <= 3; done++) {
        g_assert_false(prepare_killed_at(f, 1000));
        pvr_fake_remove(f->root, "dev/pvrdma/" U1 "-1");
        if (done >= 2) {
            g_assert_true(pvr_host_ibdev_del(f->host, "rxe_d1", NULL));
        }
        if (done >= 3) {
            pvr_fake_remove(f->root, "run/pvrdma/leases/" U1 "-1.json");
        }
        release(f);
        assert_start(f);
    }
}

/* Many hooks at once, all for the one link: one gets it, all others are told, nothing is lost. */
static void
test_crowd(Fixture *f, gconstpointer data)
{
    enum {
        N = 32
    };
    const PvrFakeDevice *devices[] = {&pvr_fake_rxe0};
    g_autoptr(GPtrArray) leases = NULL;
    pid_t pids[N];
    int won = 0;

    for (int i = 0; i < N; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            g_autofree char *uuid = g_strdup_printf("5b4ac7b1-1f7b-4c5a-9a0e-%012d", i);
            g_autofree char *xml = pvr_fake_domain_xml("vm", uuid, devices, 1);

            _exit(pvr_prepare(f->host, xml, strlen(xml), &pvr_prepare_defaults, NULL) ? 0 : 1);
        }
    }
    for (int i = 0; i < N; i++) {
        int status;

        g_assert_cmpint(waitpid(pids[i], &status, 0), ==, pids[i]);
        g_assert_true(WIFEXITED(status));
        won += WEXITSTATUS(status) == 0;
    }
    g_assert_cmpint(won, ==, 1);
    leases = pvr_lease_list(f->host, NULL);
    g_assert_cmpuint(leases->len, ==, 1);
    g_assert_true(pvr_lease_undo(g_ptr_array_index(leases, 0), f->host, NULL, NULL, NULL));
    assert_start(f);
}

/* A domain whose prepare was killed keeps nobody else from what it wanted. */
static void
test_other_after(Fixture *f, gconstpointer data)
{
    const PvrFakeDevice *devices[] = {&pvr_fake_rxe1, &pvr_fake_rxe0};
    g_autofree char *xml = pvr_fake_domain_xml("vm2", PVR_FAKE_UUID2, devices, 2);

    for (int nth = 0; nth < 10; nth++) {
        GError *error = NULL;

        g_assert_true(prepare_killed_at(f, nth));
        g_assert_true(pvr_prepare(f->host, xml, strlen(xml), &pvr_prepare_defaults, &error));
        g_assert_no_error(error);
        release(f);
        g_assert_true(pvr_release(f->host, xml, strlen(xml), &pvr_prepare_defaults, NULL));
        assert_start(f);
    }
}

/* TRUE when no two of them hold the same. */
static gboolean
are_distinct(const GPtrArray *leases)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

    for (guint i = 0; i < leases->len; i++) {
        const PvrLease *lease = g_ptr_array_index(leases, i);

        if (!g_hash_table_add(seen, lease->ibdev)) {
            return FALSE;
        }
    }
    return TRUE;
}

static void
add_cards(const char *root, guint count)
{
    for (guint i = 0; i < count; i++) {
        g_autofree char *name = g_strdup_printf("mlx5_%u", i);
        g_autofree char *pci = g_strdup_printf("0000:%02x:00.0", i + 3);

        pvr_fake_add_hca(root, name, "mlx5_core", pci, "Ethernet", 1);
        pvr_fake_set_gid(root, name, 1, 0, PVR_FAKE_GID0, "RoCE v2", "d0");
    }
}

/* The exit status of a prepare of the nth domain, which wants the nth card of @cards. */
static int
prepare_nth(Fixture *f, int nth, int cards)
{
    g_autofree char *ibdev = g_strdup_printf("mlx5_%d", nth % cards);
    g_autofree char *uuid = g_strdup_printf("5b4ac7b1-1f7b-4c5a-9a0e-%012d", nth);
    const PvrFakeDevice card = {
        .backend = "ibdev", .ibdev = ibdev, .mac = PVR_FAKE_MAC0, .gid = PVR_FAKE_GID0};
    const PvrFakeDevice *devices[] = {&card};
    g_autofree char *xml = pvr_fake_domain_xml("vm", uuid, devices, 1);
    g_autoptr(GError) error = NULL;

    if (pvr_prepare(f->host, xml, strlen(xml), &pvr_prepare_defaults, &error)) {
        return 0;
    }
    return strstr(error->message, "is held by domain 'vm'") != NULL ? 1 : 2;
}

/* Two domains for each card, all at once. */
static void
test_crowd_of_cards(Fixture *f, gconstpointer data)
{
    enum {
        DOMAINS = 64,
        CARDS = 32
    };
    g_autoptr(GPtrArray) leases = NULL;
    pid_t pids[DOMAINS];
    int count[2] = {0};

    add_cards(f->root, CARDS);
    for (int i = 0; i < DOMAINS; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            _exit(prepare_nth(f, i, CARDS));
        }
    }
    for (int i = 0; i < DOMAINS; i++) {
        int status;

        g_assert_cmpint(waitpid(pids[i], &status, 0), ==, pids[i]);
        g_assert_true(WIFEXITED(status));
        g_assert_cmpint(WEXITSTATUS(status), <, 2);
        count[WEXITSTATUS(status)]++;
    }
    g_assert_cmpint(count[0], ==, CARDS);
    leases = pvr_lease_list(f->host, NULL);
    g_assert_cmpuint(leases->len, ==, CARDS);
    g_assert_true(are_distinct(leases));
}

#define ADD(path, func) g_test_add("/prepare-kill/" path, Fixture, NULL, setup, func, teardown)

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("mixed", test_mixed);
    ADD("release-after", test_release_after);
    ADD("prepare-after", test_prepare_after);
    ADD("other-after", test_other_after);
    ADD("crowd-of-cards", test_crowd_of_cards);
    ADD("partial-undo", test_partial_undo);
    ADD("crowd", test_crowd);
    return g_test_run();
}
