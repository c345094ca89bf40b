/*
 * QTest testcase for pvrdma: counts and tables that the device that QEMU had
 * before got wrong; docs/security.md
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "hw/rdma/pvrdma_ring.h"
#include "pvrdma-guest.h"
#include "pvrdma-tests.h"
#include "pvrdma-watch.h"

#define SQ_HEADER 80
#define RQ_HEADER 16

static bool works(PvrdmaGuest *g, uint32_t cmd, PvrdmaReq *req)
{
    return !pvrdma_cmd(g, cmd, req, NULL);
}

static uint32_t queue_pages(uint32_t header, uint32_t wrs, uint32_t sges)
{
    return DIV_ROUND_UP(wrs * pvrdma_wqe_stride(header, sges), PVRDMA_PAGE);
}

/* B2: elements that the pages do not hold */

static void check_cq_fits(PvrdmaGuest *g, const PvrdmaPages *mem, uint32_t n)
{
    uint32_t need = 1 + DIV_ROUND_UP(n * 64, PVRDMA_PAGE);
    PvrdmaReq req = pvrdma_req_cq(0, n, mem);

    g_test_message("CQ of %u", n);
    req.create_cq.nchunks = need - 1;
    g_assert_false(works(g, PVRDMA_CMD_CREATE_CQ, &req));
    req.create_cq.nchunks = need;
    g_assert_true(works(g, PVRDMA_CMD_CREATE_CQ, &req));
}

static void check_srq_fits(PvrdmaGuest *g, const PvrdmaPages *mem, uint32_t pd,
                           uint32_t n, uint32_t sges)
{
    uint32_t need = 1 + queue_pages(RQ_HEADER, n, sges);
    PvrdmaReq req = pvrdma_req_srq(pd, n, sges, mem);

    g_test_message("SRQ of %u x %u", n, sges);
    req.create_srq.nchunks = need - 1;
    g_assert_false(works(g, PVRDMA_CMD_CREATE_SRQ, &req));
    req.create_srq.nchunks = need;
    g_assert_true(works(g, PVRDMA_CMD_CREATE_SRQ, &req));
}

static void check_qp_fits(PvrdmaGuest *g, const PvrdmaPages *mem, uint32_t pd,
                          uint32_t cq, uint32_t n, uint32_t sges)
{
    uint32_t sq = queue_pages(SQ_HEADER, n, sges);
    uint32_t rq = queue_pages(RQ_HEADER, n, sges);
    PvrdmaReq req = pvrdma_req_qp(pd, PVRDMA_QPT_RC, cq, cq, n, sges, mem);

    g_test_message("QP of %u x %u", n, sges);
    req.create_qp.total_chunks = sq + rq; /* one short */
    g_assert_false(works(g, PVRDMA_CMD_CREATE_QP, &req));
    req.create_qp.total_chunks++;
    req.create_qp.send_chunks = sq - 1;
    g_assert_false(works(g, PVRDMA_CMD_CREATE_QP, &req));
    req.create_qp.send_chunks = sq + 1; /* the receive queue's */
    g_assert_false(works(g, PVRDMA_CMD_CREATE_QP, &req));
    req.create_qp.send_chunks = sq;
    g_assert_true(works(g, PVRDMA_CMD_CREATE_QP, &req));
}

/* A CQ of just the pages that it needs is filled, and no other is written. */
static void check_cq_last_element(PvrdmaGuest *g, uint32_t pd)
{
    const PvrdmaWireSge none = { };
    PvrdmaTestCq cq = { .cqe = 128, .mem = pvrdma_pages(g, 4) };
    PvrdmaPages rest = { .addr = cq.mem.addr + 3 * PVRDMA_PAGE, .n = 1 };
    PvrdmaReq req = pvrdma_req_cq(0, cq.cqe, &cq.mem);
    PvrdmaTestQp qp;
    PvrdmaResp resp;

    req.create_cq.nchunks = 3;
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_CQ, &req, &resp), ==, 0);
    cq.handle = resp.handle.handle;
    watch_mark(g, &rest);
    qp = pvrdma_qp_new(g, pd, PVRDMA_QPT_UD, cq.handle, cq.handle);
    pvrdma_qp_init(g, qp.handle, PVRDMA_QPT_UD);
    pvrdma_qp_to(g, qp.handle, PVRDMA_QPS_ERR);
    for (uint64_t i = 0; i < cq.cqe; i++) {
        pvrdma_post_recv(g, &qp, &(PvrdmaWireRecvWr) { .wr_id = 1000 + i },
                         &none);
    }
    g_assert_cmpuint(qtest_readl(g->qts, cq.mem.addr + PVRDMA_RING2_TAIL), ==,
                     cq.cqe);
    g_assert_cmpuint(qtest_readq(g->qts, rest.addr - 64), ==,
                     1000 + cq.cqe - 1);
    watch_marked(g, &rest);
}

static void test_fits(void)
{
    const uint32_t counts[] = { 1, 64, 128, 1024, 4096 };
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_ready();
    PvrdmaPages mem = pvrdma_pages(g, 1100);
    uint32_t pd = pvrdma_pd_new(g, 0);
    uint32_t cq = pvrdma_cq_new(g, 0, 64).handle;

    for (unsigned i = 0; i < ARRAY_SIZE(counts); i++) {
        check_cq_fits(g, &mem, counts[i]);
        for (uint32_t sges = 1; sges <= 16; sges += 5) {
            check_srq_fits(g, &mem, pd, counts[i], sges);
            check_qp_fits(g, &mem, pd, cq, counts[i], sges);
        }
    }
    check_cq_fits(g, &mem, 65536);
    check_cq_last_element(g, pd);
}

/* B3: counts that all index arithmetic would get wrong */
static void test_powers_of_2(void)
{
    const uint32_t bad[] = { 0, 3, 5, 6, 7, 12, 63, 65, 1000, 4095 };
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_ready();
    PvrdmaPages mem = pvrdma_pages(g, 1025);
    uint32_t pd = pvrdma_pd_new(g, 0);
    uint32_t cq = pvrdma_cq_new(g, 0, 64).handle;
    PvrdmaReq qp = pvrdma_req_qp(pd, PVRDMA_QPT_RC, cq, cq, 4096, 16, &mem);
    PvrdmaReq new_cq = pvrdma_req_cq(0, 64, &mem);
    PvrdmaReq srq = pvrdma_req_srq(pd, 64, 2, &mem);

    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
        g_assert_cmpuint(PVRDMA_SPOIL(g, PVRDMA_CMD_CREATE_CQ, &new_cq,
                                      create_cq.cqe, bad[i]), !=, 0);
        g_assert_cmpuint(PVRDMA_SPOIL(g, PVRDMA_CMD_CREATE_SRQ, &srq,
                                      create_srq.attrs.max_wr, bad[i]), !=, 0);
        g_assert_cmpuint(PVRDMA_SPOIL(g, PVRDMA_CMD_CREATE_QP, &qp,
                                      create_qp.max_send_wr, bad[i]), !=, 0);
        g_assert_cmpuint(PVRDMA_SPOIL(g, PVRDMA_CMD_CREATE_QP, &qp,
                                      create_qp.max_recv_wr, bad[i]), !=, 0);
    }
    g_assert_true(works(g, PVRDMA_CMD_CREATE_QP, &qp));
    g_assert_true(works(g, PVRDMA_CMD_CREATE_CQ, &new_cq));
    g_assert_true(works(g, PVRDMA_CMD_CREATE_SRQ, &srq));
}

/* B4: tables, to the brim */

/* As many as @most of what @req asks for; the handles are below @most, too. */
static void check_brim(PvrdmaGuest *g, uint32_t cmd, uint32_t destroy,
                       PvrdmaReq *req, size_t handle_at, uint32_t most)
{
    uint32_t handle, n = 1;

    g_assert_true(works(g, cmd, req));
    for (; n < most; n++) {
        pvrdma_reg_write(g, PVRDMA_REG_REQUEST, 0);
        if (pvrdma_reg_read(g, PVRDMA_REG_ERR)) {
            break;
        }
    }
    g_test_message("command %u: %u", cmd, n);
    g_assert_cmpuint(n, ==, most);
    handle = qtest_readl(g->qts, g->resp + handle_at);
    g_assert_cmpuint(handle, >, 0);
    g_assert_cmpuint(handle, <=, most);
    g_assert_false(works(g, cmd, req));
    g_assert_cmpuint(pvrdma_cmd_handle(g, destroy, handle), ==, 0);
    g_assert_true(works(g, cmd, req));
    g_assert_cmpuint(qtest_readl(g->qts, g->resp + handle_at), ==, handle);
    g_assert_false(works(g, cmd, req));
}

static void check_all_brims(PvrdmaGuest *g)
{
    PvrdmaDevCaps caps = pvrdma_guest_caps(g);
    PvrdmaPages mem = pvrdma_pages(g, 3);
    uint32_t pd = pvrdma_pd_new(g, 0);
    uint32_t cq = pvrdma_cq_new(g, 0, 1).handle;
    PvrdmaReq qp = pvrdma_req_qp(pd, PVRDMA_QPT_UD, cq, cq, 1, 1, &mem);
    PvrdmaReq srq = pvrdma_req_srq(pd, 1, 1, &mem);
    PvrdmaReq mr = {
        .create_mr = { .pd_handle = pd, .flags = PVRDMA_MR_FLAG_DMA },
    };
    const size_t at = offsetof(PvrdmaResp, handle.handle);

    check_brim(g, PVRDMA_CMD_CREATE_QP, PVRDMA_CMD_DESTROY_QP, &qp,
               offsetof(PvrdmaResp, create_qp.qp_handle), caps.max_qp - 1);
    check_brim(g, PVRDMA_CMD_CREATE_SRQ, PVRDMA_CMD_DESTROY_SRQ, &srq, at,
               caps.max_srq - 1);
    check_brim(g, PVRDMA_CMD_CREATE_MR, PVRDMA_CMD_DESTROY_MR, &mr, at,
               caps.max_mr);
}

static void check_parents_brim(PvrdmaGuest *g)
{
    PvrdmaDevCaps caps = pvrdma_guest_caps(g);
    PvrdmaPages mem = pvrdma_pages(g, 2);
    PvrdmaReq cq = pvrdma_req_cq(0, 1, &mem), pd = { };
    const size_t at = offsetof(PvrdmaResp, handle.handle);

    check_brim(g, PVRDMA_CMD_CREATE_CQ, PVRDMA_CMD_DESTROY_CQ, &cq, at,
               caps.max_cq - 1);
    check_brim(g, PVRDMA_CMD_CREATE_PD, PVRDMA_CMD_DESTROY_PD, &pd, at,
               caps.max_pd);
    for (uint32_t i = 1; i < caps.max_uar; i++) {
        g_assert_cmpuint(pvrdma_uc_new(g, i), <, caps.max_uar);
    }
}

/* Tables of the usual size, but for MRs: there are very many. */
static void test_brims(void)
{
    g_autofree char *mac = pvrdma_mac();
    g_autofree char *machine = pvrdma_machine_args(mac);
    g_autofree char *args = g_strdup_printf(
        "%s -device pvrdma,id=rdma5,addr=%x.1,max-mr=1000", machine,
        PVRDMA_SLOT);
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_start(args);

    pvrdma_guest_setup(g);
    check_all_brims(g);
    pvrdma_guest_setup(g);
    check_parents_brim(g);
    pvrdma_guest_setup(g);
    watch_alive(g);
}

void pvrdma_add_rule_create_tests(void)
{
    qtest_add_func("/pvrdma/rule/b2", test_fits);
    qtest_add_func("/pvrdma/rule/b3", test_powers_of_2);
    qtest_add_func("/pvrdma/rule/b4", test_brims);
}
