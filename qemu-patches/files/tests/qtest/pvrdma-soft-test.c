/*
 * QTest testcase for pvrdma: what only RDMA in software promises: limits,
 * timers, completions without polls
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "pvrdma-pair.h"
#include "pvrdma-tests.h"

static void test_caps(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_new();
    PvrdmaDevCaps c;

    pvrdma_guest_setup(g);
    c = pvrdma_guest_caps(g);
    g_assert_cmpuint(c.max_qp, ==, 4096);
    g_assert_cmpuint(c.max_cqe, ==, 65536);
    g_assert_cmpuint(c.max_srq, ==, 1024);
    g_assert_cmpuint(c.max_srq_wr, ==, 4096);
    g_assert_cmpuint(c.max_srq_sge, ==, 16);
    g_assert_cmpuint(c.max_qp_rd_atom, ==, 16);
    g_assert_cmpuint(c.max_qp_init_rd_atom, ==, 16);
    g_assert_cmpuint(c.atomic_ops, ==, 3);
    g_assert_cmpuint(c.bmme_flags, ==, 7);
    g_assert_cmpuint(c.max_fast_reg_page_list_len, ==, 128);
}

/* Queues whose memory in the guest is always the same: what they cost the host
 * has an end. */
static void test_queue_budget(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_new();
    PvrdmaTestCq cq;
    PvrdmaPages mem;
    PvrdmaReq req;
    uint32_t n = 0, pd;

    pvrdma_guest_setup(g);
    cq = pvrdma_cq_new(g, 0, 64);
    pd = pvrdma_pd_new(g, 0);
    mem = pvrdma_pages(g, 1025);
    req = pvrdma_req_qp(pd, PVRDMA_QPT_UD, cq.handle, cq.handle, 4096, 16,
                        &mem);
    while (!pvrdma_cmd(g, PVRDMA_CMD_CREATE_QP, &req, NULL)) {
        n++;
    }
    g_assert_cmpuint(n, >, 100);
    g_assert_cmpuint(n, <, 1000);
    /* a reset gives it all back */
    pvrdma_guest_setup(g);
    cq = pvrdma_cq_new(g, 0, 64);
    pvrdma_qp_new(g, pvrdma_pd_new(g, 0), PVRDMA_QPT_UD, cq.handle,
                  cq.handle);
}

/* Armed for solicited completions only, it is told of nothing else. */
static void test_solicited(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_SEND);
    uint32_t handle = 0;

    pvrdma_uar_write(t.g, 0, PVRDMA_UAR_CQ,
                     PVRDMA_UAR_CQ_ARM_SOL | t.cq[1].handle);
    for (int i = 0; i < 3; i++) {
        pair_recv(&t, 1, PAIR_RECV, 64, i);
        wr.send_flags = PVRDMA_SEND_SIGNALED |
                        (i == 2 ? PVRDMA_SEND_SOLICITED : 0);
        pair_send(&t, 0, &wr, 0, 64);
        pair_sent(&t, PVRDMA_WC_OP_SEND);
        g_assert_cmpuint(pair_status(&t, 1), ==, PVRDMA_WC_SUCCESS);
        g_assert_cmpint(pvrdma_notification_get(t.g, &handle), ==, i == 2);
    }
    g_assert_cmpuint(handle, ==, t.cq[1].handle);
    pair_free(&t);
}

/* Completions are in the guest's ring without its asking. */
static void test_no_poll(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_SEND);
    uint64_t tail = t.cq[1].mem.addr + PVRDMA_RING2_TAIL;

    pair_recv(&t, 1, PAIR_RECV, 64, 1);
    pair_send(&t, 0, &wr, 0, 64);
    for (int i = 0; i < 1000 && !qtest_readl(t.g->qts, tail); i++) {
        g_usleep(1000);
    }
    g_assert_cmpuint(qtest_readl(t.g->qts, tail), ==, 1);
    pair_free(&t);
}

/* No receive: the sender waits for the receiver's timer, then it arrives. */
static void test_rnr(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_SEND);

    pair_send(&t, 0, &wr, 0, 64);
    pvrdma_cqe_none(t.g, &t.cq[0]);
    pair_recv(&t, 1, PAIR_RECV, 64, 1);
    qtest_clock_step(t.g->qts, 1000000); /* 0.64 ms */
    pair_sent(&t, PVRDMA_WC_OP_SEND);
    g_assert_cmpuint(pair_status(&t, 1), ==, PVRDMA_WC_SUCCESS);
    /* and with no receive at all, it gives up */
    pair_send(&t, 0, &wr, 0, 64);
    for (int i = 0; i < 10; i++) {
        qtest_clock_step(t.g->qts, 1000000);
    }
    g_assert_cmpuint(pair_status(&t, 0), ==, PVRDMA_WC_RNR_RETRY_EXC_ERR);
    pair_free(&t);
}

/* The guest stops sending for a while; what it had begun is completed. */
static void test_sqd(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_SEND);
    PvrdmaWireQpAttr attr = {
        .qp_state = PVRDMA_QPS_SQD, .en_sqd_async_notify = 1,
    };

    pair_send(&t, 0, &wr, 0, 64); /* waits for a receive */
    g_assert_cmpuint(pvrdma_qp_modify(t.g, t.qp[0].handle,
                                      PVRDMA_QP_ATTR_STATE |
                                      PVRDMA_QP_ATTR_EN_SQD_ASYNC_NOTIFY,
                                      &attr), ==, 0);
    pair_send(&t, 0, &wr, 0, 64); /* stays in the ring */
    pvrdma_event_none(t.g);
    g_assert_cmpuint(pvrdma_qp_query(t.g, t.qp[0].handle).sq_draining, ==, 1);
    pair_recv(&t, 1, PAIR_RECV, 64, 1);
    pair_recv(&t, 1, PAIR_RECV, 64, 2);
    qtest_clock_step(t.g->qts, 1000000);
    pair_sent(&t, PVRDMA_WC_OP_SEND);
    pvrdma_event_expect(t.g, PVRDMA_EVENT_SQ_DRAINED, t.qp[0].handle);
    pvrdma_cqe_none(t.g, &t.cq[0]);
    g_assert_cmpuint(pvrdma_qp_to(t.g, t.qp[0].handle, PVRDMA_QPS_RTS), ==, 0);
    pair_sent(&t, PVRDMA_WC_OP_SEND);
    pair_free(&t);
}

void pvrdma_add_soft_tests(void)
{
    qtest_add_func("/pvrdma/soft/caps", test_caps);
    qtest_add_func("/pvrdma/soft/queue-budget", test_queue_budget);
    qtest_add_func("/pvrdma/soft/solicited", test_solicited);
    qtest_add_func("/pvrdma/soft/no-poll", test_no_poll);
    qtest_add_func("/pvrdma/soft/rnr", test_rnr);
    qtest_add_func("/pvrdma/soft/sqd", test_sqd);
}
