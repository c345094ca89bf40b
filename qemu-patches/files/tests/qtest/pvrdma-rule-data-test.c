/*
 * QTest testcase for pvrdma: what was wrong with the data path of the device
 * that QEMU had before, and must not be with this one; docs/security.md
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "pvrdma-pair.h"
#include "pvrdma-tests.h"
#include "pvrdma-watch.h"

#define NOBODYS_PAGE 9
#define GSI_QKEY 0x80010000
#define SOON_US (10 * G_USEC_PER_SEC) /* also on a busy machine */
#define RESETS 20

static void expect_states(PvrdmaPair *t, int i, uint32_t state)
{
    g_assert_cmpuint(pvrdma_qp_query(t->g, t->qp[i].handle).qp_state, ==,
                     state);
}

/* B5: a bad WQE that is found again and again */

/* A bad send and two good ones, with one doorbell: one completion each */
static void check_bad_then_good(PvrdmaPair *t, const PvrdmaWireSendWr *bad,
                                const PvrdmaWireSendWr *good, uint32_t state)
{
    uint64_t head = t->qp[0].mem.addr + PVRDMA_RING1_HEAD;
    uint32_t page = t->qp[0].uar;

    t->qp[0].uar = NOBODYS_PAGE;
    pair_send(t, 0, bad, 0, 64);
    pair_send(t, 0, good, 0, 64);
    t->qp[0].uar = page;
    pair_send(t, 0, good, 0, 64);
    g_assert_cmpuint(pair_status(t, 0), ==, PVRDMA_WC_LOC_QP_OP_ERR);
    g_assert_cmpuint(pair_status(t, 0), ==, PVRDMA_WC_WR_FLUSH_ERR);
    g_assert_cmpuint(pair_status(t, 0), ==, PVRDMA_WC_WR_FLUSH_ERR);
    pvrdma_cqe_none(t->g, &t->cq[0]);
    g_assert_cmpuint(qtest_readl(t->g->qts, head), ==, t->qp[0].sq_tail);
    expect_states(t, 0, state);
}

static void check_bad_receives(PvrdmaPair *t)
{
    const PvrdmaWireSge s[4] = { pair_sge(t, 0, 64) };

    pair_connect(t, PVRDMA_QPT_RC);
    t->qp[0].uar = NOBODYS_PAGE;
    pvrdma_post_recv(t->g, &t->qp[0], &(PvrdmaWireRecvWr) { 1, 5 }, s);
    t->qp[0].uar = t->uar;
    pvrdma_post_recv(t->g, &t->qp[0], &(PvrdmaWireRecvWr) { 2, 1 }, s);
    g_assert_cmpuint(pair_status(t, 0), ==, PVRDMA_WC_LOC_QP_OP_ERR);
    g_assert_cmpuint(pair_status(t, 0), ==, PVRDMA_WC_WR_FLUSH_ERR);
    pvrdma_cqe_none(t->g, &t->cq[0]);
    g_assert_cmpuint(qtest_readl(t->g->qts, t->qp[0].mem.addr +
                                 PVRDMA_RING2_HEAD), ==, 2);
    expect_states(t, 0, PVRDMA_QPS_ERR);
}

static void test_bad_wqe_once(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_UD);
    PvrdmaWireSendWr good = pair_ud_wr(&t, t.qp[1].qpn), bad = good;

    bad.wr.ud.av.gid_index = 77;
    check_bad_then_good(&t, &bad, &good, PVRDMA_QPS_SQE);
    pair_connect(&t, PVRDMA_QPT_UD);
    bad = good = pair_ud_wr(&t, t.qp[1].qpn);
    bad.num_sge = 5;
    check_bad_then_good(&t, &bad, &good, PVRDMA_QPS_SQE);
    pair_connect(&t, PVRDMA_QPT_RC);
    bad = good = pair_send_wr(PVRDMA_WR_SEND);
    bad.num_sge = UINT32_MAX;
    check_bad_then_good(&t, &bad, &good, PVRDMA_QPS_ERR);
    check_bad_receives(&t);
    watch_alive(t.g);
    pair_free(&t);
}

/* B6: lengths whose sum is a small number in 32 bits */

static uint32_t all_memory_key(PvrdmaPair *t)
{
    PvrdmaReq req = {
        .create_mr = {
            .pd_handle = t->pd,
            .access_flags = PVRDMA_ACCESS_LOCAL_WRITE,
            .flags = PVRDMA_MR_FLAG_DMA,
        },
    };
    PvrdmaResp resp;

    g_assert_cmpuint(pvrdma_cmd(t->g, PVRDMA_CMD_CREATE_MR, &req, &resp), ==,
                     0);
    return resp.create_mr.lkey;
}

static PvrdmaTestQp gsi_new(PvrdmaPair *t)
{
    PvrdmaWireQpAttr attr = { .qp_state = PVRDMA_QPS_INIT, .qkey = GSI_QKEY };
    PvrdmaTestQp qp = pvrdma_qp_new(t->g, t->pd, PVRDMA_QPT_GSI,
                                    t->cq[0].handle, t->cq[0].handle);

    g_assert_cmpuint(
        pvrdma_qp_modify(t->g, qp.handle, PVRDMA_QP_ATTR_STATE |
                         PVRDMA_QP_ATTR_PKEY_INDEX | PVRDMA_QP_ATTR_QKEY,
                         &attr), ==, 0);
    g_assert_cmpuint(pvrdma_qp_to(t->g, qp.handle, PVRDMA_QPS_RTR), ==, 0);
    attr.qp_state = PVRDMA_QPS_RTS;
    g_assert_cmpuint(
        pvrdma_qp_modify(t->g, qp.handle, PVRDMA_QP_ATTR_STATE |
                         PVRDMA_QP_ATTR_SQ_PSN, &attr), ==, 0);
    return qp;
}

/* All four SGEs are of all memory, as those of MADs. */
static void check_sum(PvrdmaPair *t, PvrdmaWireSendWr wr,
                      const uint32_t length[4])
{
    uint32_t key = all_memory_key(t);
    PvrdmaWireSge s[4];

    for (int i = 0; i < 4; i++) {
        s[i] = (PvrdmaWireSge) { t->mr.mem.addr, length[i], key };
    }
    wr.num_sge = 4;
    pvrdma_post_send(t->g, &t->qp[0], &wr, s);
    g_assert_cmpuint(pair_status(t, 0), ==, PVRDMA_WC_LOC_LEN_ERR);
}

static void test_length_sums(void)
{
    const uint32_t sums[][4] = {
        { 0x80000000, 0x80000000, 64, 0 },
        { 0xffffff00, 0x140, 0, 0 },
        { UINT32_MAX, 1, 24, 0 },
        { UINT32_MAX, UINT32_MAX, UINT32_MAX, 3 },
    };
    PvrdmaPair t = pair_new(PVRDMA_QPT_UD);
    PvrdmaWireSendWr mad;

    t.qp[0] = gsi_new(&t);
    for (unsigned i = 0; i < ARRAY_SIZE(sums); i++) {
        mad = pair_ud_wr(&t, 1);
        mad.wr.ud.remote_qkey = GSI_QKEY;
        check_sum(&t, mad, sums[i]);
        g_assert_cmpuint(pvrdma_qp_to(t.g, t.qp[0].handle, PVRDMA_QPS_RTS),
                         ==, 0);
    }
    for (unsigned i = 0; i < ARRAY_SIZE(sums); i++) {
        pair_connect(&t, PVRDMA_QPT_RC);
        check_sum(&t, pair_send_wr(PVRDMA_WR_SEND), sums[i]);
    }
    watch_alive(t.g);
    pair_free(&t);
}

/* B7: a MAD that nobody has posted a receive for */
static void test_mad_without_receive(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_UD);
    PvrdmaWireSendWr mad = pair_ud_wr(&t, 1);
    int64_t begin = g_get_monotonic_time();
    uint64_t dropped = pvrdma_counter(t.g, "rx-no-buffer");

    t.qp[0] = gsi_new(&t);
    mad.wr.ud.remote_qkey = GSI_QKEY;
    for (int i = 0; i < 10; i++) {
        pair_send(&t, 0, &mad, 0, 256);
        g_assert_cmpuint(pair_status(&t, 0), ==, PVRDMA_WC_SUCCESS);
    }
    g_assert_cmpuint(pvrdma_counter(t.g, "rx-no-buffer"), ==, dropped + 10);
    watch_alive(t.g);
    g_assert_cmpint(g_get_monotonic_time() - begin, <, SOON_US);
    /* and the next one arrives */
    pair_recv(&t, 0, PAIR_RECV, 296, 5);
    pair_send(&t, 0, &mad, 0, 256);
    g_assert_cmpuint(pair_status(&t, 0), ==, PVRDMA_WC_SUCCESS);
    g_assert_cmpuint(pair_status(&t, 0), ==, PVRDMA_WC_SUCCESS);
    pair_free(&t);
}

/* More than fits into one go */
static void start_traffic(PvrdmaPair *t)
{
    pair_traffic(t, 8);
    for (int i = 0; i < 4; i++) {
        pair_recv(t, 0, PAIR_RECV, 64, i);
    }
}

/* B8: reset and start-up that wait for somebody */

static bool takes_long(PvrdmaGuest *g, void (*what)(PvrdmaGuest *))
{
    int64_t begin = g_get_monotonic_time();

    what(g);
    return g_get_monotonic_time() - begin > G_USEC_PER_SEC;
}

static void reset(PvrdmaGuest *g)
{
    pvrdma_reg_write(g, PVRDMA_REG_CTL, PVRDMA_CTL_RESET);
}

/* One or the other may have been the machine's fault. */
static void test_reset_is_quick(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    int slow = 0;

    for (int i = 0; i < RESETS; i++) {
        start_traffic(&t);
        slow += takes_long(t.g, reset);
        slow += takes_long(t.g, pvrdma_guest_setup);
        pvrdma_bind_gid(t.g, 0);
        t.pd = pvrdma_pd_new(t.g, 0);
        t.mr = pvrdma_mr_new(t.g, t.pd, PAIR_MR_PAGES);
        t.va = pvrdma_req_mr(t.pd, &t.mr.mem).create_mr.start;
        pair_connect(&t, PVRDMA_QPT_RC);
    }
    g_assert_cmpint(slow, <, RESETS / 2);
    pair_free(&t);
}

/* B9: rings that are written after their object was destroyed */

static void let_time_pass(PvrdmaGuest *g)
{
    for (int i = 0; i < 20; i++) {
        qtest_clock_step(g->qts, 100 * 1000 * 1000);
        qtest_readl(g->qts, g->req);
    }
}

static void destroy(PvrdmaPair *t, uint32_t cmd, uint32_t handle,
                    const PvrdmaPages *mem)
{
    g_assert_cmpuint(pvrdma_cmd_handle(t->g, cmd, handle), ==, 0);
    watch_mark(t->g, mem);
}

/* Each goes while there is work for it, and its memory is the guest's. */
static void test_nothing_after_destroy(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaTestQp dead[2];
    PvrdmaTestCq cq[2];

    for (int i = 0; i < 10; i++) {
        start_traffic(&t);
        memcpy(dead, t.qp, sizeof(dead));
        memcpy(cq, t.cq, sizeof(cq));
        destroy(&t, PVRDMA_CMD_DESTROY_QP, dead[i & 1].handle,
                &dead[i & 1].mem);
        destroy(&t, PVRDMA_CMD_DESTROY_CQ, cq[i & 1].handle, &cq[i & 1].mem);
        if (i < 5) {
            destroy(&t, PVRDMA_CMD_DESTROY_MR, t.mr.handle, &t.mr.mem);
        }
        let_time_pass(t.g);
        watch_marked(t.g, &dead[i & 1].mem);
        watch_marked(t.g, &cq[i & 1].mem);
        if (i < 5) {
            watch_marked(t.g, &t.mr.mem);
            t.mr = pvrdma_mr_new(t.g, t.pd, PAIR_MR_PAGES);
            t.va = pvrdma_req_mr(t.pd, &t.mr.mem).create_mr.start;
        }
        pair_connect(&t, PVRDMA_QPT_RC);
    }
    pair_free(&t);
}

/* B10: notifications that two threads give out */

static void expect_notification(PvrdmaPair *t, int i)
{
    uint32_t handle = 0;

    for (int n = 0; n < 10000 && !pvrdma_notification_get(t->g, &handle);
         n++) {
        g_usleep(1000);
    }
    g_assert_cmpuint(handle, ==, t->cq[i].handle);
}

static void arm(PvrdmaPair *t, int i)
{
    pvrdma_uar_write(t->g, t->uar, PVRDMA_UAR_CQ,
                     PVRDMA_UAR_CQ_ARM | t->cq[i].handle);
}

/*
 * Completions come from doorbells, timers and the main loop, while the guest
 * polls and arms: one for each WR, and one notification for each ARM.
 */
static void test_one_each(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_SEND);
    uint32_t handle;

    for (int i = 0; i < 300; i++) {
        bool late = i % 8 == 0, armed = i % 3 > 0;

        if (armed) {
            arm(&t, 1);
        }
        if (late) { /* it waits for its receive, and for a timer then */
            pair_send(&t, 0, &wr, 0, 3000);
        }
        pair_recv(&t, 1, PAIR_RECV, 4000, i);
        if (late) {
            qtest_clock_step(t.g->qts, 1000 * 1000);
        } else {
            pair_send(&t, 0, &wr, 0, 3000);
        }
        if (armed) {
            expect_notification(&t, 1);
        }
        g_assert_cmpuint(pvrdma_cqe_wait(t.g, &t.cq[1]).wr_id, ==, i);
        pair_sent(&t, PVRDMA_WC_OP_SEND);
        g_assert_false(pvrdma_notification_get(t.g, &handle));
    }
    pvrdma_cqe_none(t.g, &t.cq[0]);
    pvrdma_cqe_none(t.g, &t.cq[1]);
    pair_free(&t);
}

/* B14: any process's objects, by whatever page */

static const uint32_t foreign_pages[] = { 0, 2, NOBODYS_PAGE, 255 };

/* One of each kind is rung from page @page: a flush would be its answer. */
static void ring_all(PvrdmaPair *t, const PvrdmaTestSrq *srq, uint32_t page)
{
    for (uint32_t bits = 0; bits < 4; bits++) {
        pvrdma_uar_write(t->g, page, PVRDMA_UAR_QP,
                         bits << 30 | t->qp[0].handle);
        pvrdma_uar_write(t->g, page, PVRDMA_UAR_CQ,
                         bits << 29 | t->cq[0].handle);
        pvrdma_uar_write(t->g, page, PVRDMA_UAR_SRQ,
                         bits << 30 | srq->handle);
    }
}

static void test_doorbell_pages(void)
{
    PvrdmaPair t = pair_new_user(PVRDMA_QPT_RC);
    PvrdmaTestSrq srq = pvrdma_srq_new(t.g, t.pd, 8);
    uint64_t tail = t.cq[0].mem.addr + PVRDMA_RING2_TAIL;
    uint32_t handle;

    pvrdma_uc_new(t.g, 2);
    g_assert_cmpuint(pvrdma_qp_to(t.g, t.qp[0].handle, PVRDMA_QPS_ERR), ==, 0);
    qtest_writel(t.g->qts, t.qp[0].mem.addr + PVRDMA_RING1_TAIL, 1);
    qtest_writel(t.g->qts, t.qp[0].mem.addr + PVRDMA_RING2_TAIL, 1);
    qtest_writel(t.g->qts, srq.mem.addr + PVRDMA_RING2_TAIL, 77); /* broken */
    for (unsigned i = 0; i < ARRAY_SIZE(foreign_pages); i++) {
        ring_all(&t, &srq, foreign_pages[i]);
    }
    let_time_pass(t.g);
    g_assert_cmpuint(qtest_readl(t.g->qts, tail), ==, 0);
    g_assert_false(pvrdma_notification_get(t.g, &handle));
    pvrdma_event_none(t.g);
    ring_all(&t, &srq, t.uar);
    pvrdma_event_expect(t.g, PVRDMA_EVENT_SRQ_ERR, srq.handle);
    g_assert_cmpuint(pair_status(&t, 0), ==, PVRDMA_WC_WR_FLUSH_ERR);
    g_assert_cmpuint(pair_status(&t, 0), ==, PVRDMA_WC_WR_FLUSH_ERR);
    pair_free(&t);
}

void pvrdma_add_rule_data_tests(void)
{
    qtest_add_func("/pvrdma/rule/b5", test_bad_wqe_once);
    qtest_add_func("/pvrdma/rule/b6", test_length_sums);
    qtest_add_func("/pvrdma/rule/b7", test_mad_without_receive);
    qtest_add_func("/pvrdma/rule/b8", test_reset_is_quick);
    qtest_add_func("/pvrdma/rule/b9", test_nothing_after_destroy);
    qtest_add_func("/pvrdma/rule/b10", test_one_each);
    qtest_add_func("/pvrdma/rule/b14", test_doorbell_pages);
}
