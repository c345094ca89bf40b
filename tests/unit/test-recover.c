/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whenever a command is killed, recover puts the host back as it was; and when recover is killed, the next one does. On
 * a fake PF with VFs: the number of VFs, a VF's MAC with the driver bound anew, an rxe link on it.
 */
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <sched.h>
#include <unistd.h>

#include "pvr-error.h"
#include "pvr-fake-domain.h"
#include "pvr-fake-host.h"
#include "pvr-fake-kill.h"
#include "pvr-fake-sriov.h"
#include "pvr-journal-file.h"
#include "pvr-lease.h"
#include "pvr-recover.h"
#include "pvr-vf-plan.h"

#define NAME "vf-set"
#define MAC "52:54:00:12:34:56"
#define OLD_MAC PVR_FAKE_MAC0

typedef struct {
    char *root;
    PvrHost *host;
    const char *pf;
    char *vf;
    char *start;
} Fixture;

/* A PF with two VFs, the first with a MAC and an rxe link on its netdev. */
static void
setup(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrPci) vf = NULL;
    PvrVf old = {.set = PVR_VF_MAC};

    f->root = pvr_fake_root_new();
    f->host = pvr_host_new_fake(f->root);
    f->pf = pvr_fake_igb.address;
    pvr_fake_add_pf(f->root, &pvr_fake_igb);
    f->vf = pvr_fake_vf_address(f->pf, 0);
    g_assert_true(pvr_host_set_num_vfs(f->host, f->pf, 2, NULL));
    g_assert_true(pvr_mac_parse(OLD_MAC, &old.mac, NULL));
    g_assert_true(pvr_host_set_vf(f->host, pvr_fake_igb.netdev, &old, NULL));
    g_assert_true(pvr_host_unbind(f->host, f->vf, NULL));
    g_assert_true(pvr_host_bind(f->host, f->vf, pvr_fake_igb.vf_driver, NULL));
    vf = pvr_host_get_pci(f->host, f->vf, NULL);
    g_assert_true(pvr_host_rxe_add(f->host, "mlx5_4", g_ptr_array_index(vf->netdevs, 0), NULL));
    f->start = pvr_fake_snapshot(f->root);
}

static void
teardown(Fixture *f, gconstpointer data)
{
    g_free(f->start);
    g_free(f->vf);
    pvr_host_free(f->host);
    pvr_fake_root_free(f->root);
}

static void
assert_start(Fixture *f)
{
    g_autofree char *now = pvr_fake_snapshot(f->root);

    g_assert_cmpstr(now, ==, f->start);
}

static PvrStep *
nth_step(Fixture *f, guint nth)
{
    g_autofree char *on_vf = g_strconcat("pci ", f->vf, NULL);
    const char *const driver = pvr_fake_igb.vf_driver;

    switch (nth) {
    case 0:
        return pvr_step_new(PVR_STEP_RXE_DEL, "mlx5_4", on_vf, NULL);
    case 1:
        return pvr_step_new(PVR_STEP_UNBIND, f->vf, driver, NULL);
    case 2:
        return pvr_step_new(PVR_STEP_VF_MAC, f->vf, MAC, OLD_MAC);
    case 3:
        return pvr_step_new(PVR_STEP_VF_ATTR, f->vf, "trust on", "trust off");
    case 4:
        return pvr_step_new(PVR_STEP_BIND, f->vf, driver, NULL);
    case 5:
        return pvr_step_new(PVR_STEP_RXE_ADD, "mlx5_4", on_vf, NULL);
    default:
        return NULL;
    }
}

/* Ends like a process that was killed, or 0. */
static int
run_plan(Fixture *f, int *left)
{
    g_autoptr(PvrJournal) journal =
        pvr_journal_begin(f->host, NAME, pvr_fake_die_at_zero, left, NULL);
    PvrStep *step;

    pvr_fake_die_at_zero("begun", left);
    for (guint i = 0; journal != NULL && (step = nth_step(f, i)) != NULL; i++) {
        if (!pvr_journal_run(journal, step, NULL)) {
            return 2;
        }
    }
    return journal != NULL && pvr_journal_commit(journal, NULL) ? 0 : 3;
}

/* TRUE when the child was killed at checkpoint @nth; FALSE when it has fewer, and succeeded. */
static gboolean
killed_at(Fixture *f, int (*work)(Fixture *, int *), int nth)
{
    pid_t pid = fork();

    if (pid == 0) {
        _exit(work(f, &nth));
    }
    return pvr_fake_was_killed(pid);
}

static int
run_recover(Fixture *f, int *left)
{
    const PvrPrepareOptions options = {
        .lock_ms = 1000, .checkpoint = pvr_fake_die_at_zero, .user_data = left};
    g_autoptr(GPtrArray) leftovers = pvr_recover(f->host, FALSE, &options, NULL);

    for (guint i = 0; leftovers != NULL && i < leftovers->len; i++) {
        const PvrLeftover *leftover = g_ptr_array_index(leftovers, i);

        if (leftover->error != NULL) {
            return 2;
        }
    }
    return leftovers != NULL ? 0 : 3;
}

static GPtrArray *
recover(Fixture *f, gboolean dry_run)
{
    GError *error = NULL;
    GPtrArray *leftovers = pvr_recover(f->host, dry_run, &pvr_prepare_defaults, &error);

    g_assert_no_error(error);
    for (guint i = 0; i < leftovers->len; i++) {
        const PvrLeftover *leftover = g_ptr_array_index(leftovers, i);

        g_assert_no_error(leftover->error);
    }
    return leftovers;
}

static void
test_command_killed(Fixture *f, gconstpointer data)
{
    int nth = 0;

    for (; killed_at(f, run_plan, nth); nth++) {
        g_autofree char *before = pvr_fake_snapshot(f->root);
        g_autoptr(GPtrArray) would = recover(f, TRUE);
        g_autofree char *after_dry = pvr_fake_snapshot(f->root);
        g_autoptr(GPtrArray) did = NULL;

        g_assert_cmpstr(after_dry, ==, before);
        g_assert_cmpuint(would->len, ==, 1);
        did = recover(f, FALSE);
        g_assert_cmpuint(did->len, ==, 1);
        assert_start(f);
    }
    /* After the beginning, and a record and a deed for each of six steps. */
    g_assert_cmpint(nth, ==, 13);
}

static void
test_recover_killed(Fixture *f, gconstpointer data)
{
    for (int at = 1; at <= 12; at++) {
        int nth = 0;

        for (;;) {
            g_autoptr(GPtrArray) rest = NULL;
            gboolean killed;

            g_assert_true(killed_at(f, run_plan, at));
            killed = killed_at(f, run_recover, nth);
            rest = recover(f, FALSE);
            assert_start(f);
            if (!killed) {
                break;
            }
            nth++;
        }
        g_assert_cmpint(nth, >, 0);
    }
}

static gboolean
run_in_journal(PvrStep *step, gpointer user_data, GError **error)
{
    return pvr_journal_run(user_data, step, error);
}

/* What vf create and vf set do: the steps of a plan in a journal. */
static int
run_steps(Fixture *f, const GPtrArray *steps, int *left)
{
    g_autoptr(PvrJournal) journal = pvr_journal_begin(f->host, NAME, pvr_fake_die_at_zero, left, NULL);
    const PvrVfRun run = {.timeout_ms = 20, .run = run_in_journal, .user_data = journal};

    if (steps == NULL || steps->len == 0 || journal == NULL ||
        !pvr_vf_run(f->host, steps, &run, NULL)) {
        return 2;
    }
    return pvr_journal_commit(journal, NULL) ? 0 : 3;
}

static int
run_vf_plan(Fixture *f, int *left)
{
    g_autoptr(PvrPci) vf = pvr_host_get_pci(f->host, f->vf, NULL);
    PvrVf want = {.set = PVR_VF_MAC};
    g_autoptr(GPtrArray) steps = NULL;

    pvr_mac_parse(MAC, &want.mac, NULL);
    steps = pvr_vf_plan(f->host, vf, &want, NULL);
    return run_steps(f, steps, left);
}

static int
run_number_plan(Fixture *f, int *left)
{
    g_autoptr(PvrPci) pf = pvr_host_get_pci(f->host, f->pf, NULL);
    g_autoptr(GPtrArray) steps = pvr_vf_plan_number(f->host, pf, 4, NULL);

    return run_steps(f, steps, left);
}

/* Returns how many checkpoints there were. */
static int
kill_everywhere(Fixture *f, int (*work)(Fixture *, int *))
{
    int nth = 0;

    for (; killed_at(f, work, nth); nth++) {
        g_autoptr(GPtrArray) did = recover(f, FALSE);

        g_assert_cmpuint(did->len, ==, 1);
        assert_start(f);
    }
    return nth;
}

static void
test_vf_plan(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrIbdev) rxe = NULL;

    /* Five steps at least: the link away, unbind, MAC, bind, the link again. */
    g_assert_cmpint(kill_everywhere(f, run_vf_plan), >=, 10);
    rxe = pvr_host_get_ibdev(f->host, "mlx5_4", NULL);
    g_assert_nonnull(rxe);
}

static void
test_number_plan(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrPci) pf = NULL;

    g_assert_true(pvr_host_set_num_vfs(f->host, f->pf, 0, NULL));
    g_assert_true(pvr_host_set_netdev_up(f->host, pvr_fake_igb.netdev, FALSE, NULL));
    g_free(f->start);
    f->start = pvr_fake_snapshot(f->root);
    /* The PF's netdev up, the number. */
    g_assert_cmpint(kill_everywhere(f, run_number_plan), ==, 4);
    pf = pvr_host_get_pci(f->host, f->pf, NULL);
    g_assert_cmpuint(pf->vfs, ==, 4);
}

/* VFs made by a command that was killed, and one of them given away since: they stay until it comes back. */
static void
test_in_use(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrJournal) journal = pvr_journal_begin(f->host, NAME, NULL, NULL, NULL);
    g_autoptr(GPtrArray) leftovers = NULL;
    g_autoptr(GPtrArray) rest = NULL;
    g_autoptr(PvrLease) lease = NULL;
    g_autoptr(PvrPci) pf = NULL;
    const PvrLeftover *leftover;
    PvrGid gid;

    g_assert_true(pvr_host_set_num_vfs(f->host, f->pf, 0, NULL));
    g_assert_true(pvr_journal_run(journal, pvr_step_new(PVR_STEP_NUM_VFS, f->pf, "2", "0"), NULL));
    g_clear_pointer(&journal, pvr_journal_free);
    g_assert_true(pvr_gid_parse(PVR_FAKE_GID0, &gid, NULL));
    lease = pvr_lease_new(PVR_FAKE_UUID1, "vm1", 0, "mlx5_4", 1, &gid);
    lease->device = g_strdup(f->vf);
    g_assert_true(pvr_lease_set_process(lease, f->host, PVR_LEASE_PREPARED, 0, NULL));
    leftovers = pvr_recover(f->host, FALSE, &pvr_prepare_defaults, NULL);
    leftover = g_ptr_array_index(leftovers, 0);
    g_assert_error(leftover->error, PVR_ERROR, PVR_ERROR_BUSY);
    g_assert_nonnull(strstr(leftover->error->message, "domain 'vm1' (device 0, prepared) holds"));
    pf = pvr_host_get_pci(f->host, f->pf, NULL);
    g_assert_cmpuint(pf->vfs, ==, 2);
    g_assert_true(pvr_lease_undo(lease, f->host, NULL, NULL, NULL));
    rest = recover(f, FALSE);
    g_clear_pointer(&pf, pvr_pci_free);
    pf = pvr_host_get_pci(f->host, f->pf, NULL);
    g_assert_cmpuint(pf->vfs, ==, 0);
}

/* The VF vanished, or the PF, or somebody else gave the VF another MAC: there is nothing to take back. */
static void
test_changed_meanwhile(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrStep) mac = pvr_step_new(PVR_STEP_VF_MAC, f->vf, MAC, OLD_MAC);
    g_autoptr(PvrStep) bind = pvr_step_new(PVR_STEP_BIND, f->vf, "vfio-pci", NULL);
    g_autoptr(PvrStep) unbind = pvr_step_new(PVR_STEP_UNBIND, f->vf, "igbvf", NULL);
    g_autoptr(PvrStep) number = pvr_step_new(PVR_STEP_NUM_VFS, f->pf, "4", "0");
    PvrStep *const steps[] = {mac, bind, unbind, number};
    PvrVf other = {.set = PVR_VF_MAC};

    g_assert_true(pvr_mac_parse(PVR_FAKE_MAC1, &other.mac, NULL));
    g_assert_true(pvr_host_set_vf(f->host, pvr_fake_igb.netdev, &other, NULL));
    for (int round = 0; round < 2; round++) {
        g_autofree char *before = pvr_fake_snapshot(f->root);
        g_autofree char *after = NULL;

        for (guint i = 0; i < G_N_ELEMENTS(steps); i++) {
            g_autoptr(GError) error = NULL;

            g_assert_true(pvr_step_undo(steps[i], f->host, &error));
            g_assert_no_error(error);
        }
        after = pvr_fake_snapshot(f->root);
        g_assert_cmpstr(after, ==, before);
        g_assert_true(pvr_host_set_num_vfs(f->host, f->pf, 0, NULL));
    }
}

/* The driver cannot be taken off: what lies behind stays, so that the next try can do all of it. */
static void
test_unbind_fails(Fixture *f, gconstpointer data)
{
    g_autoptr(GPtrArray) leftovers = NULL;
    g_autoptr(GPtrArray) rest = NULL;
    const PvrLeftover *leftover;

    g_assert_true(killed_at(f, run_plan, 12));
    pvr_fake_set_failure(f->root, "unbind", PVR_ERROR_BUSY, "the function is busy");
    leftovers = pvr_recover(f->host, FALSE, &pvr_prepare_defaults, NULL);
    leftover = g_ptr_array_index(leftovers, 0);
    g_assert_error(leftover->error, PVR_ERROR, PVR_ERROR_BUSY);
    pvr_fake_set_failure(f->root, "unbind", 0, NULL);
    rest = recover(f, FALSE);
    assert_start(f);
}

/* 0: refused as it should be. */
static int
begin_read_only(Fixture *f)
{
    g_autofree char *run = g_build_filename(f->root, "run", NULL);
    g_autoptr(PvrJournal) journal = NULL;
    g_autoptr(GError) error = NULL;

    if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        mount(run, run, NULL, MS_BIND, NULL) < 0 ||
        mount(NULL, run, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL) < 0) {
        return 77;
    }
    journal = pvr_journal_begin(f->host, NAME, NULL, NULL, &error);
    return journal == NULL && strstr(error->message, "Read-only file system") != NULL &&
                   strstr(error->message, "\nmount") != NULL
               ? 0
               : 1;
}

static void
test_read_only(Fixture *f, gconstpointer data)
{
    int status;
    pid_t pid;

    pvr_fake_write(f->root, "run/pvrdma/locks/x", "");
    pid = fork();
    if (pid == 0) {
        _exit(begin_read_only(f));
    }
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) {
        g_test_skip("mounts need root");
        return;
    }
    g_assert_cmpint(WEXITSTATUS(status), ==, 0);
    assert_start(f);
}

#define ADD(path, func) g_test_add("/recover/" path, Fixture, NULL, setup, func, teardown)

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("command-killed", test_command_killed);
    ADD("recover-killed", test_recover_killed);
    ADD("vf-plan", test_vf_plan);
    ADD("number-plan", test_number_plan);
    ADD("in-use", test_in_use);
    ADD("changed-meanwhile", test_changed_meanwhile);
    ADD("unbind-fails", test_unbind_fails);
    ADD("read-only", test_read_only);
    return g_test_run();
}
