/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What libvirt sees of the hook as a process: its speed for a foreign domain, that it leaves nobody
 * behind with the pipes open, that a reconnect succeeds whatever happens.
 */
#include <gio/gio.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "pvr-fake-domain.h"
#include "pvr-fake-host.h"
#include "pvr-lock.h"

#define RUNS 21

typedef struct {
    char *root;
    char *xml;
} Fixture;

static void
setup(Fixture *f, gconstpointer data)
{
    const PvrFakeDevice *devices[] = {&pvr_fake_rxe0};

    f->root = pvr_fake_root_new();
    pvr_fake_add_netdev(f->root, "d0", PVR_FAKE_MAC0, TRUE);
    f->xml = pvr_fake_domain_xml("vm1", PVR_FAKE_UUID1, devices, 1);
}

static void
teardown(Fixture *f, gconstpointer data)
{
    g_free(f->xml);
    pvr_fake_root_free(f->root);
}

/* Waits for the end of the process and of both its pipes, as libvirt does. */
static int
run(const char *hook, const char *root, const char *op, const char *xml, char **ret_stderr)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GSubprocess) process =
        g_subprocess_new(G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE |
                             G_SUBPROCESS_FLAGS_STDERR_PIPE,
                         &error, g_getenv(hook), "--root", root, "vm1", op, "begin", "-", NULL);
    g_autofree char *out = NULL;
    g_autofree char *err = NULL;

    g_assert_no_error(error);
    g_subprocess_communicate_utf8(process, xml, NULL, &out, &err, &error);
    g_assert_no_error(error);
    if (!g_str_has_prefix(out, "Bail out!")) { /* of an assertion in the fake host */
        g_assert_cmpstr(out, ==, "");
    }
    if (ret_stderr != NULL) {
        *ret_stderr = g_steal_pointer(&err);
    }
    return g_subprocess_get_if_exited(process) ? g_subprocess_get_exit_status(process) : -1;
}

static int
compare_times(gconstpointer a, gconstpointer b)
{
    const gint64 *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void
test_foreign_speed(Fixture *f, gconstpointer data)
{
    static const char xml[] = "<domain><name>x</name><uuid>" PVR_FAKE_UUID2 "</uuid></domain>";
    gint64 times[RUNS];

    for (int i = 0; i < RUNS; i++) {
        gint64 start = g_get_monotonic_time();

        g_assert_cmpint(run("PVRDMA_TEST_FRONT_REAL", f->root, "prepare", xml, NULL), ==, 0);
        times[i] = g_get_monotonic_time() - start;
    }
    qsort(times, RUNS, sizeof(times[0]), compare_times);
    g_test_message("foreign domain: best %.1f ms, median %.1f ms of %d runs, with fork and exec",
                   (double)times[0] / 1000, (double)times[RUNS / 2] / 1000, RUNS);
    /* The best one: other work on this machine must not fail the test. */
    g_assert_cmpint(times[0], <, FOREIGN_MAX_MS * 1000);
}

/* The lock is held by somebody who never lets go. */
static void
test_reconnect_locked(Fixture *f, gconstpointer data)
{
    g_autofree char *path = g_build_filename(f->root, "run/pvrdma/locks/domain-" PVR_FAKE_UUID1, NULL);
    g_autofree char *err = NULL;
    g_autoptr(PvrLock) lock = pvr_lock_take(path, 0, NULL);
    gint64 start = g_get_monotonic_time();

    g_assert_nonnull(lock);
    pvr_fake_add_qemu(f->root, "vm1", PVR_FAKE_UUID1, 4711);
    g_assert_cmpint(run("PVRDMA_TEST_FRONT_FAKE", f->root, "reconnect", f->xml, &err), ==, 0);
    g_assert_nonnull(strstr(err, "has been held by process"));
    g_assert_cmpint(g_get_monotonic_time() - start, <, 9 * G_USEC_PER_SEC);
}

static void
test_reconnect_crash(Fixture *f, gconstpointer data)
{
    g_autofree char *err = NULL;

    pvr_fake_add_qemu(f->root, "vm1", PVR_FAKE_UUID1, 4711);
    /* The fake host asserts that it can write its log. */
    pvr_fake_write(f->root, ".fake/log/is-a-directory", "");
    g_assert_cmpint(run("PVRDMA_TEST_FRONT_FAKE", f->root, "reconnect", f->xml, &err), ==, 0);
    g_assert_nonnull(strstr(err, "ERROR"));
    g_assert_cmpint(run("PVRDMA_TEST_FRONT_FAKE", f->root, "started", f->xml, NULL), !=, 0);
}

/* Without input: it may be gone before it could read any. */
static void
test_not_root(Fixture *f, gconstpointer data)
{
    const char *front = g_getenv("PVRDMA_TEST_FRONT_REAL");
    const char *const other[] = {"setpriv", "--reuid=65534", "--clear-groups", "--",
                                 front, "vm1", "prepare", "begin", "-", NULL};
    const char *const *argv = geteuid() == 0 ? other : other + 4;
    g_autoptr(GError) error = NULL;
    g_autofree char *err = NULL;
    g_autoptr(GSubprocess) process =
        g_subprocess_newv(argv, G_SUBPROCESS_FLAGS_STDERR_PIPE, &error);

    g_assert_no_error(error);
    g_subprocess_communicate_utf8(process, NULL, NULL, NULL, &err, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(err, ==, "");
    g_assert_cmpint(g_subprocess_get_exit_status(process), ==, 0);
}

#define ADD(path, func) g_test_add("/hook/" path, Fixture, NULL, setup, func, teardown)

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    signal(SIGPIPE, SIG_IGN);
    ADD("foreign-speed", test_foreign_speed);
    ADD("reconnect-locked", test_reconnect_locked);
    ADD("reconnect-crash", test_reconnect_crash);
    ADD("not-root", test_not_root);
    return g_test_run();
}
