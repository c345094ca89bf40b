/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel's errno means to the user. The requests themselves are tested on the test host. */
#include <errno.h>
#include <string.h>

#include "pvr-error.h"
#include "pvr-rdmanl.h"

typedef struct {
    int err;
    int code;
    const char *text;
} Row;

static void
test_add_errors(void)
{
    static const Row rows[] = {
        { EPERM, PVR_ERROR_PRIVILEGE, "CAP_NET_ADMIN" },
        { EACCES, PVR_ERROR_PRIVILEGE, "CAP_NET_ADMIN" },
        { ENODEV, PVR_ERROR_NOT_FOUND, "no network device 'd0'" },
        { EEXIST, PVR_ERROR_BUSY, "'d0' already carries" },
        { ENFILE, PVR_ERROR_BUSY, "'rxe0' is taken" },
        { EINVAL, PVR_ERROR_UNSUPPORTED, "module rdma_rxe" },
        { EPROTONOSUPPORT, PVR_ERROR_UNSUPPORTED, "module rdma_rxe" },
        { EOPNOTSUPP, PVR_ERROR_UNSUPPORTED, "module rdma_rxe" },
        { ENOENT, PVR_ERROR_UNSUPPORTED, "crc32" },
        { ENOMEM, PVR_ERROR_FAILED, "Cannot allocate memory" },
    };

    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;

        pvr_rdmanl_set_add_error(rows[i].err, "rxe0", "d0", &error);
        g_assert_error(error, PVR_ERROR, rows[i].code);
        g_assert_nonnull(strstr(error->message, rows[i].text));
    }
}

static void
test_del_errors(void)
{
    static const Row rows[] = {
        { EPERM, PVR_ERROR_PRIVILEGE, "CAP_NET_ADMIN" },
        { ENODEV, PVR_ERROR_NOT_FOUND, "no RDMA device 'rxe0'" },
        { EPROTONOSUPPORT, PVR_ERROR_NOT_FOUND, "no RDMA device 'rxe0'" },
        { EINVAL, PVR_ERROR_UNSUPPORTED, "not a software device" },
        { EBUSY, PVR_ERROR_FAILED, "Device or resource busy" },
    };

    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;

        pvr_rdmanl_set_del_error(rows[i].err, "rxe0", &error);
        g_assert_error(error, PVR_ERROR, rows[i].code);
        g_assert_nonnull(strstr(error->message, rows[i].text));
    }
}

/* Real requests that no kernel fulfils, whether it has RDMA or not, root or not. */
static void
test_impossible_requests(void)
{
    g_autoptr(GError) error = NULL;

    g_assert_false(pvr_rdmanl_rxe_add("pvrdma-test", "pvrdma-nonesuch", &error));
    g_assert_nonnull(error);
    g_assert_true(error->domain == PVR_ERROR);
    g_clear_error(&error);
    g_assert_false(pvr_rdmanl_ibdev_del("pvrdma-nonesuch", &error));
    g_assert_nonnull(error);
    g_assert_true(error->domain == PVR_ERROR);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/rdmanl/add-errors", test_add_errors);
    g_test_add_func("/rdmanl/del-errors", test_del_errors);
    g_test_add_func("/rdmanl/impossible-requests", test_impossible_requests);
    return g_test_run();
}
