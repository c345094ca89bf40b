/*
 * QTest testcase for pvrdma: what the administrator lets a guest have
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/units.h"
#include "pvrdma-guest.h"
#include "pvrdma-tests.h"

static PvrdmaGuest *guest_with(const char *props)
{
    g_autofree char *mac = pvrdma_mac();
    g_autofree char *machine = pvrdma_machine_args(mac);
    g_autofree char *args = g_strdup_printf(
        "%s -device pvrdma,id=rdma%u,addr=%x.1,backend-dev=%s,%s", machine,
        PVRDMA_SLOT, PVRDMA_SLOT, pvrdma_ibdev() ?: "", props);
    PvrdmaGuest *g = pvrdma_guest_start(args);

    pvrdma_guest_setup(g);
    return g;
}

static uint32_t create(PvrdmaGuest *g, uint32_t cmd, const PvrdmaReq *req,
                       uint32_t *ret_handle)
{
    PvrdmaReq copy = *req;
    PvrdmaResp resp;
    uint32_t err = pvrdma_cmd(g, cmd, &copy, &resp);

    if (!err) {
        *ret_handle = cmd == PVRDMA_CMD_CREATE_QP ? resp.create_qp.qp_handle
                                                  : resp.handle.handle;
    }
    return err;
}

/*
 * Objects as @req asks for until there is no room; that has to be for more than
 * @least and not more than @most.  Then one goes, and one fits in its place.
 */
static void check_limit(PvrdmaGuest *g, uint32_t cmd, const PvrdmaReq *req,
                        uint32_t destroy, uint32_t least, uint32_t most)
{
    uint32_t handle = 0, n = 0, err;

    while (!(err = create(g, cmd, req, &handle))) {
        n++;
        g_assert_cmpuint(n, <=, most);
    }
    g_assert_cmpuint(err, ==, ENOMEM);
    g_assert_cmpuint(n, >=, least);
    for (int i = 0; i < 3; i++) {
        g_assert_cmpuint(pvrdma_cmd_handle(g, destroy, handle), ==, 0);
        g_assert_cmpuint(create(g, cmd, req, &handle), ==, 0);
        g_assert_cmpuint(create(g, cmd, req, &handle), ==, ENOMEM);
    }
}

static PvrdmaReq qp_req(PvrdmaGuest *g, uint32_t pd, uint32_t wrs,
                        PvrdmaPages *mem)
{
    uint32_t cq = pvrdma_cq_new(g, 0, 64).handle;

    *mem = pvrdma_pages(g, 1 + wrs);
    return pvrdma_req_qp(pd, PVRDMA_QPT_RC, cq, cq, wrs, 1, mem);
}

/* Number 0 is nobody's. */
static void test_qp(void)
{
    g_autoptr(PvrdmaGuest) g = guest_with("max-qp=9");
    PvrdmaPages mem;
    PvrdmaReq req = qp_req(g, pvrdma_pd_new(g, 0), 16, &mem);

    g_assert_cmpuint(pvrdma_guest_caps(g).max_qp, ==, 9);
    g_assert_cmpuint(pvrdma_usage(g, "qp", "limit"), ==, 8);
    check_limit(g, PVRDMA_CMD_CREATE_QP, &req, PVRDMA_CMD_DESTROY_QP, 8, 8);
    g_assert_cmpuint(pvrdma_usage(g, "qp", "used"), ==, 8);
}

static void test_cq(void)
{
    g_autoptr(PvrdmaGuest) g = guest_with("max-cq=5");
    PvrdmaPages mem = pvrdma_pages(g, 2);
    PvrdmaReq req = pvrdma_req_cq(0, 64, &mem);

    g_assert_cmpuint(pvrdma_guest_caps(g).max_cq, ==, 5);
    g_assert_cmpuint(pvrdma_usage(g, "cq", "limit"), ==, 4);
    check_limit(g, PVRDMA_CMD_CREATE_CQ, &req, PVRDMA_CMD_DESTROY_CQ, 4, 4);
}

static void test_mr(void)
{
    g_autoptr(PvrdmaGuest) g = guest_with("max-mr=7");
    PvrdmaPages mem = pvrdma_pages(g, 1);
    PvrdmaReq req = pvrdma_req_mr(pvrdma_pd_new(g, 0), &mem);

    g_assert_cmpuint(pvrdma_guest_caps(g).max_mr, ==, 7);
    g_assert_cmpuint(pvrdma_usage(g, "mr", "limit"), ==, 7);
    check_limit(g, PVRDMA_CMD_CREATE_MR, &req, PVRDMA_CMD_DESTROY_MR, 7, 7);
    g_assert_cmpuint(pvrdma_usage(g, "extents", "used"), ==, 7);
}

static void test_mr_size(void)
{
    g_autoptr(PvrdmaGuest) g = guest_with("max-mr-size=12K");
    PvrdmaPages mem = pvrdma_pages(g, 4);
    PvrdmaReq req = pvrdma_req_mr(pvrdma_pd_new(g, 0), &mem);

    g_assert_cmpuint(pvrdma_guest_caps(g).max_mr_size, ==, 12 * KiB);
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_MR, &req, NULL), ==,
                     EINVAL);
    req.create_mr.length = 12 * KiB;
    req.create_mr.nchunks = 3;
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_MR, &req, NULL), ==, 0);
}

/* As little as possible is still enough for the guest's driver. */
static void test_least(void)
{
    g_autoptr(PvrdmaGuest) g = guest_with(
        "max-qp=2,max-cq=2,max-mr=1,max-mr-size=4K,max-queue-memory=1M");
    uint32_t pd = pvrdma_pd_new(g, 0);
    uint32_t cq = pvrdma_cq_new(g, 0, 1024).handle;
    PvrdmaPages mem = pvrdma_pages(g, 200);
    PvrdmaReq qp = pvrdma_req_qp(pd, PVRDMA_QPT_GSI, cq, cq, 512, 2, &mem);
    PvrdmaReq mr = {
        .create_mr = {
            .pd_handle = pd,
            .access_flags = PVRDMA_ACCESS_LOCAL_WRITE,
            .flags = PVRDMA_MR_FLAG_DMA,
        },
    };

    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_MR, &mr, NULL), ==, 0);
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_QP, &qp, NULL), ==, 0);
}

/* All name the same guest memory. */
static void test_queue_memory(void)
{
    g_autoptr(PvrdmaGuest) g = guest_with("max-queue-memory=4M");
    uint32_t pd = pvrdma_pd_new(g, 0);
    PvrdmaPages mem;
    PvrdmaReq req = qp_req(g, pd, 1024, &mem);

    check_limit(g, PVRDMA_CMD_CREATE_QP, &req, PVRDMA_CMD_DESTROY_QP, 4, 15);
    g_assert_cmpuint(pvrdma_usage(g, "queue-bytes", "limit"), ==, 4 * MiB);
    g_assert_cmpuint(pvrdma_usage(g, "queue-bytes", "used"), >, 3 * MiB);
    pvrdma_guest_setup(g);
    g_assert_cmpuint(pvrdma_usage(g, "queue-bytes", "used"), ==, 0);
}

/* A queue's list of pages is what the guest says, up to a point. */
static void test_queue_pages(void)
{
    g_autoptr(PvrdmaGuest) g = guest_with("max-queue-memory=1M");
    uint32_t pd = pvrdma_pd_new(g, 0);
    uint32_t cq = pvrdma_cq_new(g, 0, 64).handle;
    PvrdmaPages mem = pvrdma_pages(g, 8192);
    PvrdmaReq req = pvrdma_req_qp(pd, PVRDMA_QPT_RC, cq, cq, 16, 1, &mem);

    req.create_qp.send_chunks = 8190;
    check_limit(g, PVRDMA_CMD_CREATE_QP, &req, PVRDMA_CMD_DESTROY_QP, 4, 6);
}

static void test_srq_memory(void)
{
    g_autoptr(PvrdmaGuest) g = guest_with("max-queue-memory=4M");
    PvrdmaPages mem = pvrdma_pages(g, 1025);
    PvrdmaReq req = pvrdma_req_srq(pvrdma_pd_new(g, 0), 1024, 1, &mem);

    check_limit(g, PVRDMA_CMD_CREATE_SRQ, &req, PVRDMA_CMD_DESTROY_SRQ, 8, 15);
}

/* From here on with an RDMA device of the host */

static void test_cq_memory(void)
{
    g_autoptr(PvrdmaGuest) g = guest_with("max-queue-memory=2M");
    PvrdmaPages mem = pvrdma_pages(g, 17);
    PvrdmaReq req = pvrdma_req_cq(0, 1024, &mem);

    check_limit(g, PVRDMA_CMD_CREATE_CQ, &req, PVRDMA_CMD_DESTROY_CQ, 4, 8);
}

/* Whole pages count, those of several MRs for each. */
static void test_pinned(void)
{
    g_autoptr(PvrdmaGuest) g = guest_with("max-pinned=64K");
    PvrdmaPages mem = pvrdma_pages(g, 4);
    PvrdmaReq req = pvrdma_req_mr(pvrdma_pd_new(g, 0), &mem);

    req.create_mr.start += 4095;
    req.create_mr.length = 2 * PVRDMA_PAGE + 2;
    check_limit(g, PVRDMA_CMD_CREATE_MR, &req, PVRDMA_CMD_DESTROY_MR, 4, 4);
    g_assert_cmpuint(pvrdma_usage(g, "pinned-bytes", "used"), ==, 64 * KiB);
    g_assert_cmpuint(pvrdma_usage(g, "pinned-bytes", "limit"), ==, 64 * KiB);
}

/* Pages of which no two are neighbours */
static void scatter(PvrdmaGuest *g, PvrdmaPages *mem)
{
    uint64_t table = qtest_readq(g->qts, mem->pdir);

    for (uint32_t i = 0; i < mem->n; i++) {
        qtest_writeq(g->qts, table + 8 * i,
                     mem->addr + (mem->n - 1 - i) * PVRDMA_PAGE);
    }
}

/* Each run is one, and both ends of the window; one run needs no window. */
static void test_mappings(void)
{
    g_autoptr(PvrdmaGuest) g = guest_with("max-mappings=20");
    PvrdmaPages mem = pvrdma_pages(g, 3), one = pvrdma_pages(g, 1);
    uint32_t pd = pvrdma_pd_new(g, 0);
    PvrdmaReq req = pvrdma_req_mr(pd, &mem);

    scatter(g, &mem);
    check_limit(g, PVRDMA_CMD_CREATE_MR, &req, PVRDMA_CMD_DESTROY_MR, 4, 4);
    g_assert_cmpuint(pvrdma_usage(g, "mappings", "used"), ==, 20);
    g_assert_cmpuint(pvrdma_usage(g, "mappings", "limit"), ==, 20);
    req = pvrdma_req_mr(pd, &one);
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_MR, &req, NULL), ==, 0);
    g_assert_cmpuint(pvrdma_usage(g, "mappings", "used"), ==, 20);
}

void pvrdma_add_limits_tests(void)
{
    qtest_add_func("/pvrdma/limits/qp", test_qp);
    qtest_add_func("/pvrdma/limits/cq", test_cq);
    qtest_add_func("/pvrdma/limits/mr", test_mr);
    qtest_add_func("/pvrdma/limits/mr-size", test_mr_size);
    qtest_add_func("/pvrdma/limits/least", test_least);
    qtest_add_func("/pvrdma/limits/queue-memory", test_queue_memory);
    qtest_add_func("/pvrdma/limits/queue-pages", test_queue_pages);
    if (pvrdma_ibdev()) {
        qtest_add_func("/pvrdma/limits/cq-memory", test_cq_memory);
        qtest_add_func("/pvrdma/limits/pinned", test_pinned);
        qtest_add_func("/pvrdma/limits/mappings", test_mappings);
    } else {
        qtest_add_func("/pvrdma/limits/srq-memory", test_srq_memory);
    }
}
