/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-error.h"
#include "pvr-fake-host.h"

static void
test_add_find_del(void)
{
    char *root = pvr_fake_root_new();
    g_autoptr(PvrHost) host = pvr_host_new_fake(root);
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrIbdev) none = NULL, rxe = NULL;
    g_autofree char *log = NULL;

    pvr_fake_add_netdev(root, "d0", "52:54:00:00:00:01", TRUE);
    none = pvr_host_find_rxe(host, "d0", &error);
    g_assert_no_error(error);
    g_assert_null(none);
    g_assert_true(pvr_host_rxe_add(host, "rxe0", "d0", &error));
    rxe = pvr_host_find_rxe(host, "d0", &error);
    g_assert_no_error(error);
    g_assert_cmpstr(rxe->name, ==, "rxe0");
    g_assert_cmpstr(rxe->uverbs, ==, "uverbs0");
    g_assert_true(pvr_host_ibdev_del(host, "rxe0", &error));
    none = pvr_host_get_ibdev(host, "rxe0", &error);
    g_assert_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND);
    log = pvr_fake_read(root, ".fake/log");
    g_assert_cmpstr(log, ==, "rxe_add rxe0 d0\nibdev_del rxe0\n");
    pvr_fake_root_free(root);
}

static void
test_failure_on_demand(void)
{
    char *root = pvr_fake_root_new();
    g_autoptr(PvrHost) host = pvr_host_new_fake(root);
    g_autoptr(GError) error = NULL;

    pvr_fake_add_netdev(root, "d0", "52:54:00:00:00:01", TRUE);
    pvr_fake_set_failure(root, "rxe_add", PVR_ERROR_PRIVILEGE, "not root");
    g_assert_false(pvr_host_rxe_add(host, "rxe0", "d0", &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_PRIVILEGE);
    g_assert_cmpstr(error->message, ==, "not root");
    g_clear_error(&error);
    pvr_fake_set_failure(root, "rxe_add", 0, NULL);
    g_assert_true(pvr_host_rxe_add(host, "rxe0", "d0", &error));
    g_assert_no_error(error);
    pvr_fake_root_free(root);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/fake-host/add-find-del", test_add_find_del);
    g_test_add_func("/fake-host/failure-on-demand", test_failure_on_demand);
    return g_test_run();
}
