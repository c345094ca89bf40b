/*
 * QTest testcase for pvrdma: shared receive queues
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "pvrdma-pair.h"
#include "pvrdma-tests.h"

#define SRQ_WRS 8

#define BAD_SRQ(field, value) \
    g_assert_cmpuint(PVRDMA_SPOIL(g, PVRDMA_CMD_CREATE_SRQ, &good, \
                                  create_srq.field, value), !=, 0)

static void test_srq_commands(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_new();
    PvrdmaPages mem;
    PvrdmaReq good, req = { };
    PvrdmaResp resp;
    PvrdmaTestSrq srq;
    uint32_t pd;

    pvrdma_guest_setup(g);
    pd = pvrdma_pd_new(g, 0);
    mem = pvrdma_pages(g, 2);
    good = pvrdma_req_srq(pd, 64, 2, &mem);
    BAD_SRQ(pd_handle, pd + 1);
    BAD_SRQ(attrs.max_wr, 0);
    BAD_SRQ(attrs.max_wr, 63);
    BAD_SRQ(attrs.max_wr, 128); /* more than the pages hold */
    BAD_SRQ(attrs.max_wr, 8192);
    BAD_SRQ(attrs.max_sge, 17);
    BAD_SRQ(attrs.max_sge, UINT32_MAX);
    BAD_SRQ(attrs.srq_limit, 65);
    BAD_SRQ(nchunks, 1);
    BAD_SRQ(nchunks, 0);
    BAD_SRQ(pdir_dma, 0);
    BAD_SRQ(pdir_dma, g->regs.addr);
    BAD_SRQ(srq_type, 1);
    srq = pvrdma_srq_new(g, pd, 64);
    g_assert_cmpuint(pvrdma_cmd_handle(g, PVRDMA_CMD_DESTROY_PD, pd), !=, 0);
    req.modify_srq.srq_handle = srq.handle;
    req.modify_srq.attrs.srq_limit = 3;
    req.modify_srq.attr_mask = PVRDMA_SRQ_ATTR_MAX_WR;
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_MODIFY_SRQ, &req, NULL), !=, 0);
    req.modify_srq.attr_mask = PVRDMA_SRQ_ATTR_LIMIT;
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_MODIFY_SRQ, &req, NULL), ==, 0);
    req.handle.handle = srq.handle;
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_QUERY_SRQ, &req, &resp), ==, 0);
    g_assert_cmpuint(resp.query_srq.attrs.max_wr, ==, 64);
    g_assert_cmpuint(resp.query_srq.attrs.max_sge, ==, 2);
    g_assert_cmpuint(resp.query_srq.attrs.srq_limit, ==, 3);
    g_assert_cmpuint(pvrdma_cmd_handle(g, PVRDMA_CMD_DESTROY_SRQ, srq.handle),
                     ==, 0);
    g_assert_cmpuint(pvrdma_cmd_handle(g, PVRDMA_CMD_DESTROY_SRQ, srq.handle),
                     !=, 0);
    g_assert_cmpuint(pvrdma_cmd_handle(g, PVRDMA_CMD_DESTROY_PD, pd), ==, 0);
}

static void post_srq(PvrdmaPair *t, PvrdmaTestSrq *srq, uint64_t wr_id)
{
    const PvrdmaWireRecvWr wr = { .wr_id = wr_id, .num_sge = 1 };
    const PvrdmaWireSge s = pair_sge(t, PAIR_RECV + wr_id % 8 * 64, 64);

    pvrdma_post_srq(t->g, srq, &wr, &s);
}

/* The second QP of a process's pair becomes one that receives from an SRQ. */
static PvrdmaTestSrq use_srq(PvrdmaPair *t)
{
    PvrdmaTestSrq srq = pvrdma_srq_new(t->g, t->pd, SRQ_WRS);

    srq.uar = t->uar;
    for (int i = 0; i < 2; i++) {
        t->qp[i] = i ? pvrdma_qp_new_srq(t->g, t->pd, PVRDMA_QPT_RC,
                                         t->cq[i].handle, t->cq[i].handle,
                                         srq.handle)
                     : pvrdma_qp_new(t->g, t->pd, PVRDMA_QPT_RC,
                                     t->cq[i].handle, t->cq[i].handle);
        t->qp[i].uar = t->uar;
    }
    for (int i = 0; i < 2; i++) {
        pvrdma_qp_connect(t->g, t->qp[i].handle, PVRDMA_QPT_RC,
                          t->qp[!i].qpn);
    }
    return srq;
}

static void send_to_srq(PvrdmaPair *t, uint64_t wr_id)
{
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_SEND);
    PvrdmaWireCqe cqe;

    pair_fill(t, 0, 40, wr_id);
    pair_send(t, 0, &wr, 0, 40);
    cqe = pvrdma_cqe_wait(t->g, &t->cq[0]);
    check_cqe(&cqe, &t->qp[0], PAIR_WR_ID, PVRDMA_WC_OP_SEND);
    cqe = pvrdma_cqe_wait(t->g, &t->cq[1]);
    check_cqe(&cqe, &t->qp[1], wr_id, PVRDMA_WC_OP_RECV);
    g_assert_cmpuint(cqe.byte_len, ==, 40);
    pair_same(t, 0, PAIR_RECV + wr_id % 8 * 64, 40);
}

/* The ring goes round several times; the limit fires once. */
static void test_srq(void)
{
    PvrdmaPair t = pair_new_user(PVRDMA_QPT_RC);
    PvrdmaTestSrq srq = use_srq(&t);
    PvrdmaReq req = {
        .modify_srq = {
            .srq_handle = srq.handle,
            .attr_mask = PVRDMA_SRQ_ATTR_LIMIT,
            .attrs.srq_limit = 3,
        },
    };
    PvrdmaResp resp;
    uint64_t next = 0;

    for (int i = 0; i < SRQ_WRS; i++) {
        post_srq(&t, &srq, i);
    }
    for (; next < 20; next++) {
        send_to_srq(&t, next);
        post_srq(&t, &srq, next + SRQ_WRS);
    }
    g_assert_cmpuint(pvrdma_cmd(t.g, PVRDMA_CMD_MODIFY_SRQ, &req, NULL), ==,
                     0);
    for (int i = 0; i < SRQ_WRS - 3; i++) {
        send_to_srq(&t, next++);
    }
    pvrdma_event_none(t.g);
    send_to_srq(&t, next++);
    pvrdma_event_expect(t.g, PVRDMA_EVENT_SRQ_LIMIT_REACHED, srq.handle);
    send_to_srq(&t, next++);
    pvrdma_event_none(t.g);
    req.handle.handle = srq.handle;
    g_assert_cmpuint(pvrdma_cmd(t.g, PVRDMA_CMD_QUERY_SRQ, &req, &resp), ==,
                     0);
    g_assert_cmpuint(resp.query_srq.attrs.srq_limit, ==, 0);
    pair_free(&t);
}

/* ERR: the last receive of the SRQ is behind it, and those left stay. */
static void test_srq_last_wqe(void)
{
    PvrdmaPair t = pair_new_user(PVRDMA_QPT_RC);
    PvrdmaTestSrq srq = use_srq(&t);

    post_srq(&t, &srq, 0);
    post_srq(&t, &srq, 1);
    send_to_srq(&t, 0);
    g_assert_cmpuint(pvrdma_cmd_handle(t.g, PVRDMA_CMD_DESTROY_SRQ,
                                       srq.handle), !=, 0);
    g_assert_cmpuint(pvrdma_qp_to(t.g, t.qp[1].handle, PVRDMA_QPS_ERR), ==, 0);
    pvrdma_event_expect(t.g, PVRDMA_EVENT_QP_LAST_WQE_REACHED, t.qp[1].handle);
    pvrdma_cqe_none(t.g, &t.cq[1]);
    g_assert_cmpuint(pvrdma_cmd_handle(t.g, PVRDMA_CMD_DESTROY_QP,
                                       t.qp[1].handle), ==, 0);
    g_assert_cmpuint(pvrdma_cmd_handle(t.g, PVRDMA_CMD_DESTROY_SRQ,
                                       srq.handle), ==, 0);
    pair_free(&t);
}

/* No QP fails with a broken SRQ, but its owner is told. */
static void test_srq_broken(void)
{
    PvrdmaPair t = pair_new_user(PVRDMA_QPT_RC);
    PvrdmaTestSrq srq = use_srq(&t);
    const PvrdmaWireRecvWr wr = { .num_sge = 3 };
    const PvrdmaWireSge none[3] = { };

    /* from the page of the kernel: nothing happens */
    srq.uar = 0;
    pvrdma_post_srq(t.g, &srq, &wr, none);
    pvrdma_event_none(t.g);
    srq.uar = t.uar;
    pvrdma_post_srq(t.g, &srq, &wr, none);
    pvrdma_event_expect(t.g, PVRDMA_EVENT_SRQ_ERR, srq.handle);
    pvrdma_post_srq(t.g, &srq, &wr, none);
    pvrdma_event_none(t.g);
    srq = pvrdma_srq_new(t.g, t.pd, 4);
    qtest_writel(t.g->qts, srq.mem.addr + PVRDMA_RING2_TAIL, 5);
    pvrdma_uar_write(t.g, t.uar, PVRDMA_UAR_SRQ,
                     PVRDMA_UAR_SRQ_RECV | srq.handle);
    pvrdma_event_expect(t.g, PVRDMA_EVENT_SRQ_ERR, srq.handle);
    pair_free(&t);
}

void pvrdma_add_srq_tests(void)
{
    qtest_add_func("/pvrdma/soft/srq-commands", test_srq_commands);
    qtest_add_func("/pvrdma/soft/srq", test_srq);
    qtest_add_func("/pvrdma/soft/srq-last-wqe", test_srq_last_wqe);
    qtest_add_func("/pvrdma/soft/srq-broken", test_srq_broken);
}
