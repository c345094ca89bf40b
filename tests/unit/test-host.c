/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The port: paths, look-ups, what is refused before the kernel is asked, and the real host on a root. */
#include <string.h>
#include <unistd.h>

#include "pvr-error.h"
#include "pvr-fake-host.h"
#include "pvr-system.h"

typedef PvrFakeMachine Fixture;

static void
set_up(Fixture *f, gconstpointer data)
{
    pvr_fake_machine_init(f);
    pvr_fake_add_netdev(f->root, "d0", "52:54:00:00:00:01", TRUE);
    pvr_fake_add_netdev(f->root, "d1", "52:54:00:00:00:02", TRUE);
    pvr_fake_add_rxe(f->root, "rxe0", "d0");
    pvr_fake_add_hca(f->root, "mlx5_0", "mlx5_core", "0000:03:00.0", "Ethernet", 1);
}

static void
test_paths(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrHost) rooted = pvr_host_new("/r", NULL, NULL, NULL);
    g_autoptr(PvrHost) real = pvr_host_new(NULL, NULL, NULL, NULL);
    g_autofree char *a = pvr_host_path(rooted, PVR_DIR_SYS_IB, NULL);
    g_autofree char *b = pvr_host_path(rooted, PVR_DIR_SYS_IB, "x", "y", NULL);
    g_autofree char *c = pvr_host_path(real, PVR_DIR_RUN, "leases", NULL);
    g_autofree char *d = pvr_host_path(rooted, PVR_DIR_ROOT, "lib", NULL);
    g_autofree char *e = pvr_host_plain_path(PVR_DIR_DEV_PVRDMA, "u-0", NULL);

    g_assert_cmpstr(a, ==, "/r/sys/class/infiniband");
    g_assert_cmpstr(b, ==, "/r/sys/class/infiniband/x/y");
    g_assert_cmpstr(c, ==, "/run/pvrdma/leases");
    g_assert_cmpstr(d, ==, "/r/lib");
    g_assert_cmpstr(e, ==, "/dev/pvrdma/u-0");
    for (PvrDir dir = 0; dir < PVR_DIR_LAST; dir++) {
        g_autofree char *path = pvr_host_plain_path(dir, NULL);

        g_assert_true(g_path_is_absolute(path));
    }
}

static void
test_get_ibdev(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrIbdev) ibdev = pvr_host_get_ibdev(f->host, "mlx5_0", &error);
    g_autoptr(PvrIbdev) none = NULL;

    g_assert_no_error(error);
    g_assert_cmpstr(ibdev->driver, ==, "mlx5_core");
    g_assert_cmpstr(ibdev->parent, ==, "0000:03:00.0");
    none = pvr_host_get_ibdev(f->host, "nope", &error);
    g_assert_null(none);
    g_assert_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND);
    g_assert_cmpstr(error->message, ==, "no RDMA device 'nope'\nthis host has: mlx5_0, rxe0");
}

static void
test_find_rxe(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrIbdev) found = pvr_host_find_rxe(f->host, "d0", &error);
    g_autoptr(PvrIbdev) none = NULL;

    g_assert_no_error(error);
    g_assert_cmpstr(found->name, ==, "rxe0");
    none = pvr_host_find_rxe(f->host, "d1", &error);
    g_assert_no_error(error);
    g_assert_null(none);
    /* A PCI address is no netdev, whatever it is called. */
    none = pvr_host_find_rxe(f->host, "0000:03:00.0", &error);
    g_assert_no_error(error);
    g_assert_null(none);
    pvr_fake_set_failure(f->root, "list_ibdevs", PVR_ERROR_FAILED, "broken");
    none = pvr_host_find_rxe(f->host, "d0", &error);
    g_assert_error(error, PVR_ERROR, PVR_ERROR_FAILED);
    g_assert_null(none);
}

/* Found by name or netdev, a device is as complete as in the list. */
static void
test_complete(Fixture *f, gconstpointer data)
{
    g_autoptr(GPtrArray) all = pvr_host_list_ibdevs(f->host, NULL);
    g_autoptr(PvrIbdev) by_name = pvr_host_get_ibdev(f->host, "rxe0", NULL);
    g_autoptr(PvrIbdev) by_netdev = pvr_host_find_rxe(f->host, "d0", NULL);
    const PvrPort *port = g_ptr_array_index(by_name->ports, 0);
    const PvrPort *same = g_ptr_array_index(by_netdev->ports, 0);

    g_assert_cmpuint(all->len, ==, 2);
    g_assert_cmpuint(by_name->ports->len, ==, 1);
    g_assert_cmpuint(port->gids->len, ==, 1);
    g_assert_cmpuint(same->gids->len, ==, 1);
    g_assert_cmpstr(by_name->uverbs, ==, by_netdev->uverbs);
    g_assert_cmpstr(port->netdev, ==, "d0");
}

static void
check_add_refused(Fixture *f, const char *name, const char *netdev, int code, const char *text)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *log = NULL;

    g_assert_false(pvr_host_rxe_add(f->host, name, netdev, &error));
    g_assert_error(error, PVR_ERROR, code);
    g_assert_nonnull(strstr(error->message, text));
    /* The kernel was not asked. */
    log = pvr_fake_read(f->root, ".fake/log");
    g_assert_null(log);
}

static void
test_add_refused(Fixture *f, gconstpointer data)
{
    check_add_refused(f, "rxe1", "nope", PVR_ERROR_NOT_FOUND, "no network device 'nope'");
    check_add_refused(f, "rxe1", "d0", PVR_ERROR_BUSY, "already carries Soft-RoCE link 'rxe0'");
    check_add_refused(f, "rxe0", "d1", PVR_ERROR_BUSY, "already an RDMA device 'rxe0'");
    check_add_refused(f, "mlx5_0", "d1", PVR_ERROR_BUSY, "already an RDMA device 'mlx5_0'");
    check_add_refused(f, "", "d1", PVR_ERROR_USAGE, "empty");
    check_add_refused(f, "a/b", "d1", PVR_ERROR_USAGE, "not allowed");
    check_add_refused(f, "rxe%d", "d1", PVR_ERROR_USAGE, "not allowed");
    check_add_refused(f, "rxe\n", "d1", PVR_ERROR_USAGE, "blank");
    check_add_refused(f, "rxe\xc3\xa9", "d1", PVR_ERROR_USAGE, "not ASCII");
    check_add_refused(f, "rxe1", "", PVR_ERROR_USAGE, "empty");
    check_add_refused(f, "rxe1", "..", PVR_ERROR_USAGE, "directory name");
    check_add_refused(f, "rxe1", "0123456789abcdef", PVR_ERROR_USAGE, "too long");
    pvr_fake_set_failure(f->root, "list_ibdevs", PVR_ERROR_FAILED, "broken");
    check_add_refused(f, "rxe1", "d1", PVR_ERROR_FAILED, "broken");
}

static void
test_longest_names(Fixture *f, gconstpointer data)
{
    g_autofree char *longest = g_strnfill(63, 'x');
    g_autofree char *too_long = g_strnfill(64, 'x');

    g_assert_true(pvr_ibdev_check_name(longest, NULL));
    g_assert_false(pvr_ibdev_check_name(too_long, NULL));
    g_assert_true(pvr_netdev_check_name("0123456789abcde", NULL));
    g_assert_true(pvr_ibdev_check_name("rocep1s0f0.1_x-y", NULL));
}

static void
check_del_refused(Fixture *f, const char *name, int code)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *log = NULL;

    g_assert_false(pvr_host_ibdev_del(f->host, name, &error));
    g_assert_error(error, PVR_ERROR, code);
    log = pvr_fake_read(f->root, ".fake/log");
    g_assert_null(log);
}

static void
test_del_refused(Fixture *f, gconstpointer data)
{
    check_del_refused(f, "nope", PVR_ERROR_NOT_FOUND);
    check_del_refused(f, "mlx5_0", PVR_ERROR_UNSUPPORTED);
    check_del_refused(f, "../rxe0", PVR_ERROR_USAGE);
    check_del_refused(f, "", PVR_ERROR_USAGE);
}

/* A host that offers nothing says so, and does not crash. */
static void
test_no_operations(Fixture *f, gconstpointer data)
{
    static const PvrHostOps none = { NULL };
    g_autoptr(PvrHost) host = pvr_host_new(f->root, &none, NULL, NULL);
    GError *errors[6] = { NULL };
    PvrVerbsInfo info;

    g_assert_null(pvr_host_list_ibdevs(host, &errors[0]));
    g_assert_null(pvr_host_get_netdev(host, "d0", &errors[1]));
    g_assert_false(pvr_host_rxe_add(host, "rxe1", "d1", &errors[2]));
    g_assert_false(pvr_host_ibdev_del(host, "rxe0", &errors[3]));
    g_assert_false(pvr_host_set_memlock(host, 1, 1, &errors[4]));
    g_assert_false(pvr_host_query_verbs(host, "rxe0", &info, &errors[5]));
    for (guint i = 0; i < G_N_ELEMENTS(errors); i++) {
        g_assert_error(errors[i], PVR_ERROR, PVR_ERROR_UNSUPPORTED);
        g_clear_error(&errors[i]);
    }
}

/* With a root the real host reads files and never reaches the running kernel. */
static void
test_system_at_root(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrHost) host = pvr_host_new_system_at(f->root);
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrIbdev) ibdev = pvr_host_get_ibdev(host, "rxe0", &error);
    g_autoptr(PvrNetdev) netdev = NULL;

    g_assert_no_error(error);
    g_assert_cmpstr(ibdev->parent, ==, "d0");
    netdev = pvr_host_get_netdev(host, "d1", &error);
    g_assert_no_error(error);
    g_assert_cmpuint(netdev->mac.raw[5], ==, 2);
    g_assert_false(pvr_host_rxe_add(host, "rxe1", "d1", &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED);
    g_clear_error(&error);
    g_assert_false(pvr_host_ibdev_del(host, "rxe0", &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED);
}

/* The loopback device exists in every network namespace: the one real device we can count on. */
static void
test_system_netdev(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrHost) host = pvr_host_new_system();
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrNetdev) lo = pvr_host_get_netdev(host, "lo", &error);
    g_autoptr(PvrNetdev) none = NULL;

    g_assert_no_error(error);
    g_assert_cmpstr(lo->name, ==, "lo");
    g_assert_cmpuint(lo->mtu, >, 1500);
    g_assert_false(pvr_mac_is_usable(&lo->mac));
    none = pvr_host_get_netdev(host, "pvrdma-no-such", &error);
    g_assert_null(none);
    g_assert_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND);
}

static void
test_system_memlock(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrHost) host = pvr_host_new_system();
    g_autoptr(GError) error = NULL;

    g_assert_false(pvr_host_set_memlock(host, 0, 65536, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND);
    g_clear_error(&error);
    g_assert_false(pvr_host_set_memlock(host, -1, 65536, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND);
    g_clear_error(&error);
    /* Above any pid_max. */
    g_assert_false(pvr_host_set_memlock(host, G_MAXINT32, 65536, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND);
    g_clear_error(&error);
    /* Lowering our own limit is always allowed. */
    g_assert_true(pvr_host_set_memlock(host, getpid(), 65536, &error));
    g_assert_no_error(error);
}

static void
test_system_verbs(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrHost) host = pvr_host_new_system();
    g_autoptr(GError) error = NULL;
    PvrVerbsInfo info;

    g_assert_false(pvr_host_query_verbs(host, "pvrdma-no-such", &info, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND);
}

#define ADD(name, func) \
    g_test_add("/host/" name, Fixture, NULL, set_up, func, pvr_fake_machine_clear)

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("paths", test_paths);
    ADD("get-ibdev", test_get_ibdev);
    ADD("find-rxe", test_find_rxe);
    ADD("complete", test_complete);
    ADD("add-refused", test_add_refused);
    ADD("longest-names", test_longest_names);
    ADD("del-refused", test_del_refused);
    ADD("no-operations", test_no_operations);
    ADD("system-at-root", test_system_at_root);
    ADD("system-netdev", test_system_netdev);
    ADD("system-memlock", test_system_memlock);
    ADD("system-verbs", test_system_verbs);
    return g_test_run();
}
