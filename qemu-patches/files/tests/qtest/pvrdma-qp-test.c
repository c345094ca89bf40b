/*
 * QTest testcase for pvrdma: creating, modifying and destroying queue pairs;
 * rings that lie
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "pvrdma-guest.h"
#include "pvrdma-tests.h"

#define RING_BROKEN 0x80000000u

/* A device with a context of the kernel: PD, CQ, GID */
typedef struct QpTest {
    PvrdmaGuest *g;
    uint32_t pd;
    PvrdmaTestCq cq;
} QpTest;

static QpTest setup(void)
{
    QpTest t = { .g = pvrdma_guest_new() };

    pvrdma_guest_setup(t.g);
    t.pd = pvrdma_pd_new(t.g, 0);
    t.cq = pvrdma_cq_new(t.g, 0, 256);
    pvrdma_bind_gid(t.g, 0);
    return t;
}

static void teardown(QpTest *t)
{
    pvrdma_guest_free(t->g);
}

static PvrdmaTestQp new_qp(QpTest *t, uint8_t type)
{
    return pvrdma_qp_new(t->g, t->pd, type, t->cq.handle, t->cq.handle);
}

#define BAD_QP(field, value) \
    g_assert_cmpuint(PVRDMA_SPOIL(t.g, PVRDMA_CMD_CREATE_QP, &good, \
                                  create_qp.field, value), !=, 0)

static void test_create_bad(void)
{
    QpTest t = setup();
    PvrdmaDevCaps caps = pvrdma_guest_caps(t.g);
    /* 16 x 512 and 16 x 512 bytes: two pages each */
    PvrdmaPages mem = pvrdma_pages(t.g, 5);
    PvrdmaReq good = pvrdma_req_qp(t.pd, PVRDMA_QPT_RC, t.cq.handle,
                                   t.cq.handle, 16, 16, &mem);

    BAD_QP(pd_handle, 0);
    BAD_QP(pd_handle, t.pd + 1);
    BAD_QP(send_cq_handle, 0);
    BAD_QP(recv_cq_handle, t.cq.handle + 1);
    BAD_QP(recv_cq_handle, UINT32_MAX);
    BAD_QP(max_send_wr, 0);
    BAD_QP(max_send_wr, 15);
    BAD_QP(max_send_wr, 32);
    BAD_QP(max_recv_wr, 32);
    BAD_QP(max_send_wr, caps.max_qp_wr * 2);
    BAD_QP(max_recv_wr, 1u << 31);
    BAD_QP(max_recv_wr, UINT32_MAX);
    BAD_QP(max_send_sge, caps.max_sge * 2);
    BAD_QP(max_recv_sge, UINT32_MAX);
    BAD_QP(max_send_sge, 0x10000000);
    BAD_QP(total_chunks, 0);
    BAD_QP(total_chunks, 4);
    BAD_QP(send_chunks, 0);
    BAD_QP(send_chunks, 1);
    BAD_QP(send_chunks, 4);
    BAD_QP(send_chunks, 5);
    BAD_QP(send_chunks, UINT16_MAX);
    BAD_QP(qp_type, 0);
    BAD_QP(qp_type, 3);
    BAD_QP(qp_type, 8);
    BAD_QP(qp_type, 255);
    BAD_QP(is_srq, 1);
    BAD_QP(pdir_dma, 0);
    BAD_QP(pdir_dma, mem.pdir + 16);
    BAD_QP(pdir_dma, t.g->uar.addr);
    g_assert_cmpuint(pvrdma_cmd(t.g, PVRDMA_CMD_CREATE_QP, &good, NULL), ==,
                     0);
    teardown(&t);
}

/* Objects of different processes do not go together. */
static void test_create_foreign(void)
{
    QpTest t = setup();
    uint32_t uc = pvrdma_uc_new(t.g, 1);
    uint32_t pd = pvrdma_pd_new(t.g, uc);
    PvrdmaTestCq cq = pvrdma_cq_new(t.g, uc, 64);
    PvrdmaPages mem = pvrdma_pages(t.g, 5);
    PvrdmaReq req;

    req = pvrdma_req_qp(pd, PVRDMA_QPT_RC, t.cq.handle, t.cq.handle, 16, 16,
                        &mem);
    g_assert_cmpuint(pvrdma_cmd(t.g, PVRDMA_CMD_CREATE_QP, &req, NULL), !=, 0);
    req = pvrdma_req_qp(pd, PVRDMA_QPT_RC, cq.handle, t.cq.handle, 16, 16,
                        &mem);
    g_assert_cmpuint(pvrdma_cmd(t.g, PVRDMA_CMD_CREATE_QP, &req, NULL), !=, 0);
    req = pvrdma_req_qp(t.pd, PVRDMA_QPT_RC, cq.handle, cq.handle, 16, 16,
                        &mem);
    g_assert_cmpuint(pvrdma_cmd(t.g, PVRDMA_CMD_CREATE_QP, &req, NULL), !=, 0);
    /* nor may a process have the kernel's QP 1 */
    req = pvrdma_req_qp(pd, PVRDMA_QPT_GSI, cq.handle, cq.handle, 16, 16,
                        &mem);
    g_assert_cmpuint(pvrdma_cmd(t.g, PVRDMA_CMD_CREATE_QP, &req, NULL), !=, 0);
    teardown(&t);
}

static void test_create(void)
{
    QpTest t = setup();
    const uint8_t types[] = { PVRDMA_QPT_RC, PVRDMA_QPT_UD, PVRDMA_QPT_GSI };

    for (unsigned i = 0; i < ARRAY_SIZE(types); i++) {
        PvrdmaTestQp qp = new_qp(&t, types[i]);

        g_assert_cmpuint(qp.qpn, <, 1 << 24);
        g_assert_cmpint(qp.qpn == 1, ==, types[i] == PVRDMA_QPT_GSI);
        g_assert_cmpuint(
            pvrdma_cmd_handle(t.g, PVRDMA_CMD_DESTROY_CQ, t.cq.handle), !=, 0);
        g_assert_cmpuint(pvrdma_cmd_handle(t.g, PVRDMA_CMD_DESTROY_PD, t.pd),
                         !=, 0);
        g_assert_cmpuint(
            pvrdma_cmd_handle(t.g, PVRDMA_CMD_DESTROY_QP, qp.handle), ==, 0);
        g_assert_cmpuint(
            pvrdma_cmd_handle(t.g, PVRDMA_CMD_DESTROY_QP, qp.handle), !=, 0);
    }
    g_assert_cmpuint(
        pvrdma_cmd_handle(t.g, PVRDMA_CMD_DESTROY_CQ, t.cq.handle), ==, 0);
    g_assert_cmpuint(pvrdma_cmd_handle(t.g, PVRDMA_CMD_DESTROY_PD, t.pd), ==,
                     0);
    teardown(&t);
}

static void test_one_gsi(void)
{
    QpTest t = setup();
    PvrdmaPages mem = pvrdma_pages(t.g, 5);
    PvrdmaReq req = pvrdma_req_qp(t.pd, PVRDMA_QPT_GSI, t.cq.handle,
                                  t.cq.handle, 16, 16, &mem);
    PvrdmaTestQp qp = new_qp(&t, PVRDMA_QPT_GSI);

    g_assert_cmpuint(pvrdma_cmd(t.g, PVRDMA_CMD_CREATE_QP, &req, NULL), !=, 0);
    g_assert_cmpuint(pvrdma_cmd_handle(t.g, PVRDMA_CMD_DESTROY_QP, qp.handle),
                     ==, 0);
    new_qp(&t, PVRDMA_QPT_GSI);
    teardown(&t);
}

/*
 * A handle is not used again at once: a late completion would hit the wrong
 * one.
 */
static void test_handle_reuse(void)
{
    QpTest t = setup();
    uint32_t last = 0;

    for (int i = 0; i < 10; i++) {
        PvrdmaTestQp qp = new_qp(&t, PVRDMA_QPT_UD);

        g_assert_cmpuint(qp.handle, !=, last);
        last = qp.handle;
        g_assert_cmpuint(
            pvrdma_cmd_handle(t.g, PVRDMA_CMD_DESTROY_QP, last), ==, 0);
    }
    teardown(&t);
}

static void test_connect(void)
{
    QpTest t = setup();
    PvrdmaTestQp qp = new_qp(&t, PVRDMA_QPT_RC);
    PvrdmaWireQpAttr attr;

    pvrdma_qp_connect(t.g, qp.handle, PVRDMA_QPT_RC, qp.qpn);
    attr = pvrdma_qp_query(t.g, qp.handle);
    g_assert_cmpuint(attr.path_mtu, ==, 3);
    g_assert_cmpuint(attr.dest_qp_num, ==, qp.qpn);
    g_assert_cmpuint(attr.rq_psn, ==, 7);
    g_assert_cmpuint(attr.sq_psn, ==, 7);
    g_assert_cmpuint(attr.timeout, ==, 14);
    g_assert_cmpuint(attr.retry_cnt, ==, 3);
    g_assert_cmpuint(attr.rnr_retry, ==, 3);
    g_assert_cmpuint(attr.min_rnr_timer, ==, 12);
    g_assert_cmpuint(attr.max_rd_atomic, ==, 4);
    g_assert_cmpuint(attr.max_dest_rd_atomic, ==, 4);
    g_assert_cmpuint(attr.port_num, ==, 1);
    g_assert_cmpuint(attr.cap.max_send_wr, ==, qp.wrs);
    g_assert_cmpuint(attr.cap.max_send_sge, ==, qp.sges);
    g_assert_cmpuint(attr.ah_attr.sgid_index, ==, 0);
    g_assert_cmphex(attr.ah_attr.dgid[0], ==, 0xfe);
    for (int i = 0; i < 3; i++) {
        g_assert_cmpuint(pvrdma_qp_to(t.g, qp.handle, PVRDMA_QPS_ERR), ==, 0);
        g_assert_cmpuint(pvrdma_qp_query(t.g, qp.handle).qp_state, ==,
                         PVRDMA_QPS_ERR);
        g_assert_cmpuint(pvrdma_qp_to(t.g, qp.handle, PVRDMA_QPS_RESET), ==,
                         0);
        g_assert_cmpuint(pvrdma_qp_query(t.g, qp.handle).qp_state, ==,
                         PVRDMA_QPS_RESET);
        pvrdma_qp_connect(t.g, qp.handle, PVRDMA_QPT_RC, qp.qpn);
    }
    teardown(&t);
}

static void check_bad_modify(PvrdmaGuest *g, uint32_t qp, uint32_t mask,
                             const PvrdmaWireQpAttr *attr, uint32_t state)
{
    g_assert_cmpuint(pvrdma_qp_modify(g, qp, mask, attr), !=, 0);
    g_assert_cmpuint(pvrdma_qp_query(g, qp).qp_state, ==, state);
}

/* Transitions that do not exist, and existing ones without what they need */
static void test_modify_bad(void)
{
    QpTest t = setup();
    PvrdmaTestQp qp = new_qp(&t, PVRDMA_QPT_RC);
    uint32_t init = PVRDMA_QP_ATTR_STATE | PVRDMA_QP_ATTR_PORT |
                    PVRDMA_QP_ATTR_PKEY_INDEX | PVRDMA_QP_ATTR_ACCESS_FLAGS;
    PvrdmaWireQpAttr attr = { .qp_state = PVRDMA_QPS_INIT, .port_num = 1 };

    for (uint32_t to = PVRDMA_QPS_RTR; to < 12; to++) {
        PvrdmaWireQpAttr bad = { .qp_state = to };

        check_bad_modify(t.g, qp.handle, PVRDMA_QP_ATTR_STATE, &bad, 0);
    }
    for (int bit = 1; bit < 6; bit++) {
        if (init & (1 << bit)) {
            check_bad_modify(t.g, qp.handle, init & ~(1 << bit), &attr, 0);
        }
    }
    check_bad_modify(t.g, qp.handle, init | PVRDMA_QP_ATTR_DEST_QPN, &attr, 0);
    check_bad_modify(t.g, qp.handle, init | 1u << 21, &attr, 0);
    check_bad_modify(t.g, qp.handle, UINT32_MAX, &attr, 0);
    attr.port_num = 2;
    check_bad_modify(t.g, qp.handle, init, &attr, 0);
    attr.port_num = 1;
    attr.pkey_index = 1;
    check_bad_modify(t.g, qp.handle, init, &attr, 0);
    attr.pkey_index = 0;
    g_assert_cmpuint(pvrdma_qp_modify(t.g, qp.handle, init, &attr), ==, 0);
    g_assert_cmpuint(pvrdma_qp_modify(t.g, 0, init, &attr), !=, 0);
    g_assert_cmpuint(pvrdma_qp_modify(t.g, UINT32_MAX, init, &attr), !=, 0);
    teardown(&t);
}

/* RTR by way of a source GID that is not there, or values out of range */
static void test_rtr_bad(void)
{
    QpTest t = setup();
    PvrdmaTestQp qp = new_qp(&t, PVRDMA_QPT_RC);
    uint32_t init = PVRDMA_QP_ATTR_STATE | PVRDMA_QP_ATTR_PORT |
                    PVRDMA_QP_ATTR_PKEY_INDEX | PVRDMA_QP_ATTR_ACCESS_FLAGS;
    uint32_t rtr = PVRDMA_QP_ATTR_STATE | PVRDMA_QP_ATTR_AV |
                   PVRDMA_QP_ATTR_PATH_MTU | PVRDMA_QP_ATTR_DEST_QPN |
                   PVRDMA_QP_ATTR_RQ_PSN | PVRDMA_QP_ATTR_MAX_DEST_RD_ATOMIC |
                   PVRDMA_QP_ATTR_MIN_RNR_TIMER;
    PvrdmaWireQpAttr attr = { .qp_state = PVRDMA_QPS_INIT, .port_num = 1 };
    const PvrdmaWireQpAttr good = {
        .qp_state = PVRDMA_QPS_RTR,
        .path_mtu = 3,
        .ah_attr = { .ah_flags = 1, .port_num = 1, .dgid = { 0xfe, 0x80 } },
    };
    const uint32_t mtus[] = { 0, 6, 1024, UINT32_MAX };

    g_assert_cmpuint(pvrdma_qp_modify(t.g, qp.handle, init, &attr), ==, 0);
    for (unsigned i = 0; i < ARRAY_SIZE(mtus); i++) {
        attr = good;
        attr.path_mtu = mtus[i];
        check_bad_modify(t.g, qp.handle, rtr, &attr, PVRDMA_QPS_INIT);
    }
    attr = good;
    attr.ah_attr.sgid_index = 1;
    check_bad_modify(t.g, qp.handle, rtr, &attr, PVRDMA_QPS_INIT);
    attr.ah_attr.sgid_index = 255;
    check_bad_modify(t.g, qp.handle, rtr, &attr, PVRDMA_QPS_INIT);
    attr = good;
    attr.ah_attr.ah_flags = 0;
    check_bad_modify(t.g, qp.handle, rtr, &attr, PVRDMA_QPS_INIT);
    attr = good;
    attr.ah_attr.port_num = 7;
    check_bad_modify(t.g, qp.handle, rtr, &attr, PVRDMA_QPS_INIT);
    attr = good;
    attr.max_dest_rd_atomic = 255;
    check_bad_modify(t.g, qp.handle, rtr, &attr, PVRDMA_QPS_INIT);
    attr = good;
    attr.min_rnr_timer = 32;
    check_bad_modify(t.g, qp.handle, rtr, &attr, PVRDMA_QPS_INIT);
    teardown(&t);
}

/* A producer index that no driver writes: the QP dies, nothing else does. */
static void test_ring_broken(void)
{
    const uint32_t off[] = { PVRDMA_RING1_TAIL, PVRDMA_RING2_TAIL };
    const uint32_t bell[] = { PVRDMA_UAR_QP_SEND, PVRDMA_UAR_QP_RECV };
    const uint32_t values[] = { RING_BROKEN, 32, 17, UINT32_MAX };
    QpTest t = setup();

    for (unsigned i = 0; i < ARRAY_SIZE(off) * ARRAY_SIZE(values); i++) {
        unsigned which = i % ARRAY_SIZE(off);
        PvrdmaTestQp qp = new_qp(&t, PVRDMA_QPT_RC);
        PvrdmaWireEvent event;

        pvrdma_qp_connect(t.g, qp.handle, PVRDMA_QPT_RC, qp.qpn);
        qtest_writel(t.g->qts, qp.mem.addr + off[which],
                     values[i / ARRAY_SIZE(off)]);
        pvrdma_uar_write(t.g, 0, PVRDMA_UAR_QP, bell[which] | qp.handle);
        event = pvrdma_event_wait(t.g);
        g_assert_cmpuint(event.type, ==, PVRDMA_EVENT_QP_FATAL);
        g_assert_cmpuint(event.info, ==, qp.handle);
        g_assert_true(pvrdma_irq(t.g, PVRDMA_VEC_ASYNC));
        g_assert_cmpuint(pvrdma_qp_query(t.g, qp.handle).qp_state, ==,
                         PVRDMA_QPS_ERR);
        g_assert_cmpuint(
            pvrdma_cmd_handle(t.g, PVRDMA_CMD_DESTROY_QP, qp.handle), ==, 0);
    }
    g_assert_false(pvrdma_event_get(t.g, &(PvrdmaWireEvent) { }));
    teardown(&t);
}

/* A command of which only the effect is of interest: many are wanted. */
static void modify_quickly(PvrdmaGuest *g, uint32_t qp, uint32_t state,
                           uint32_t mask)
{
    PvrdmaReq req = {
        .modify_qp = {
            .hdr.cmd = PVRDMA_CMD_MODIFY_QP,
            .qp_handle = qp,
            .attr_mask = PVRDMA_QP_ATTR_STATE | mask,
            .attrs = { .qp_state = state, .port_num = 1 },
        },
    };

    qtest_memwrite(g->qts, g->req, &req, sizeof(req));
    pvrdma_reg_write(g, PVRDMA_REG_REQUEST, 0);
}

/* One QP_FATAL event, as often as wanted */
static void break_qp(QpTest *t, PvrdmaTestQp *qp)
{
    uint64_t tail = qp->mem.addr + PVRDMA_RING2_TAIL;

    modify_quickly(t->g, qp->handle, PVRDMA_QPS_RESET, 0);
    qtest_writel(t->g->qts, tail, 0);
    modify_quickly(t->g, qp->handle, PVRDMA_QPS_INIT,
                   PVRDMA_QP_ATTR_PKEY_INDEX | PVRDMA_QP_ATTR_PORT |
                   PVRDMA_QP_ATTR_QKEY);
    qtest_writel(t->g->qts, tail, RING_BROKEN);
    pvrdma_uar_write(t->g, 0, PVRDMA_UAR_QP, PVRDMA_UAR_QP_RECV | qp->handle);
}

/* @n events are in the ring; takes them all at once, as the driver counts */
static void check_events(QpTest *t, PvrdmaTestQp *qp, uint32_t n)
{
    const uint32_t slots = (PVRDMA_RING_PAGES - 1) * PVRDMA_PAGE /
                           sizeof(PvrdmaWireEvent);
    g_autofree PvrdmaWireEvent *ring = g_new0(PvrdmaWireEvent, slots);
    PvrdmaGuest *g = t->g;

    qtest_memread(g->qts, g->async_ring + PVRDMA_PAGE, ring,
                  slots * sizeof(*ring));
    for (uint32_t i = 0; i < n; i++) {
        PvrdmaWireEvent *event = &ring[g->async_head & (slots - 1)];

        g_assert_cmpuint(event->type, ==, PVRDMA_EVENT_QP_FATAL);
        g_assert_cmpuint(event->info, ==, qp->handle);
        g->async_head = (g->async_head + 1) & (2 * slots - 1);
    }
    g_assert_cmphex(qtest_readl(g->qts, g->async_ring + PVRDMA_RING2_TAIL),
                    ==, g->async_head);
    qtest_writel(g->qts, g->async_ring + PVRDMA_RING2_HEAD, g->async_head);
}

/*
 * More events than the ring holds (512, of which the guest's arithmetic knows
 * nothing): none is lost up to what the device keeps besides, none comes
 * twice; and indices go round.
 */
static void test_event_ring(void)
{
    QpTest t = setup();
    PvrdmaTestQp qp = new_qp(&t, PVRDMA_QPT_UD);
    uint64_t tail = t.g->async_ring + PVRDMA_RING2_TAIL;
    const uint32_t first = 440, more = 600;

    for (uint32_t i = 0; i < first; i++) {
        break_qp(&t, &qp);
    }
    check_events(&t, &qp, first);
    for (uint32_t i = 0; i < more; i++) {
        break_qp(&t, &qp);
    }
    check_events(&t, &qp, 512);
    for (int i = 0; i < 10000 &&
                    qtest_readl(t.g->qts, tail) == t.g->async_head; i++) {
        g_usleep(1000);
    }
    check_events(&t, &qp, more - 512);
    teardown(&t);
}

/* A consumer index that no driver writes: the device gives the ring up. */
static void test_event_ring_broken(void)
{
    QpTest t = setup();
    PvrdmaTestQp qp = new_qp(&t, PVRDMA_QPT_UD);

    qtest_writel(t.g->qts, t.g->async_ring + PVRDMA_RING2_HEAD, RING_BROKEN);
    break_qp(&t, &qp);
    break_qp(&t, &qp);
    g_assert_cmpuint(qtest_readl(t.g->qts, t.g->async_ring +
                                 PVRDMA_RING2_TAIL), ==, 0);
    pvrdma_guest_setup(t.g);
    g_assert_false(pvrdma_event_get(t.g, &(PvrdmaWireEvent) { }));
    teardown(&t);
}

void pvrdma_add_qp_tests(void)
{
    qtest_add_func("/pvrdma/qp/create", test_create);
    qtest_add_func("/pvrdma/qp/create-bad", test_create_bad);
    qtest_add_func("/pvrdma/qp/create-foreign", test_create_foreign);
    qtest_add_func("/pvrdma/qp/one-gsi", test_one_gsi);
    qtest_add_func("/pvrdma/qp/handle-reuse", test_handle_reuse);
    qtest_add_func("/pvrdma/qp/connect", test_connect);
    qtest_add_func("/pvrdma/qp/modify-bad", test_modify_bad);
    qtest_add_func("/pvrdma/qp/rtr-bad", test_rtr_bad);
    qtest_add_func("/pvrdma/qp/ring-broken", test_ring_broken);
    qtest_add_func("/pvrdma/qp/event-ring", test_event_ring);
    qtest_add_func("/pvrdma/qp/event-ring-broken", test_event_ring_broken);
}
