/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel's errno means to the user. The requests themselves are tested on the test host. */
#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "pvr-error.h"
#include "pvr-nl.h"
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

/* An RTM_GETLINK request; index 0 = all. */
static PvrNlMsg *
link_request(int flags, int index)
{
    struct ifinfomsg body = { .ifi_family = AF_UNSPEC, .ifi_index = index };
    PvrNlMsg *msg = nlmsg_alloc_simple(RTM_GETLINK, NLM_F_REQUEST | flags);

    g_assert_nonnull(msg);
    g_assert_cmpint(nlmsg_append(msg, &body, sizeof(body), NLMSG_ALIGNTO), ==, 0);
    return msg;
}

static int
count_message(struct nl_msg *msg, void *arg)
{
    (*(guint *) arg)++;
    return NL_OK;
}

/* rtnetlink is everywhere and answers like RDMA netlink: acknowledgement, errno, dump. */
static void
test_transact(void)
{
    int err = 0;
    g_autoptr(PvrNlSock) sock = pvr_nl_open(NETLINK_ROUTE, &err);
    guint count = 0;

    g_assert_nonnull(sock);
    g_assert_cmpint(pvr_nl_transact(sock, link_request(NLM_F_ACK, G_MAXINT32)), ==, ENODEV);
    nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, count_message, &count);
    g_assert_cmpint(pvr_nl_transact(sock, link_request(NLM_F_DUMP, 0)), ==, 0);
    g_assert_cmpuint(count, >=, 1);
    /* The socket is as good as new after an error. */
    g_assert_cmpint(pvr_nl_transact(sock, link_request(NLM_F_ACK, G_MAXINT32)), ==, ENODEV);
    g_assert_cmpint(pvr_nl_transact(sock, link_request(NLM_F_DUMP, 0)), ==, 0);
}

static void
test_no_such_protocol(void)
{
    int err = 0;
    g_autoptr(PvrNlSock) sock = pvr_nl_open(MAX_LINKS - 1, &err);

    g_assert_null(sock);
    g_assert_cmpint(err, ==, EPROTONOSUPPORT);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/rdmanl/add-errors", test_add_errors);
    g_test_add_func("/rdmanl/del-errors", test_del_errors);
    g_test_add_func("/rdmanl/transact", test_transact);
    g_test_add_func("/rdmanl/no-such-protocol", test_no_such_protocol);
    g_test_add_func("/rdmanl/impossible-requests", test_impossible_requests);
    return g_test_run();
}
