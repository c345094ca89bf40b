/*
 * QTest testcase for pvrdma: the two rings that the device fills
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The guest's arithmetic wants powers of two and gets 3 x 512 and 3 x 1024, so
 * that its rings have 512 and 1024 elements, and it never finds them full.
 */
#include "qemu/osdep.h"
#include "hw/rdma/pvrdma_ring.h"
#include "pvrdma-pair.h"
#include "pvrdma-tests.h"
#include "pvrdma-watch.h"

#define EVENTS 512u
#define NOTIFICATIONS 1024u
#define CQS 3
#define SOON 5000              /* milliseconds */

/* CQs whose QPs are in ERR: each receive is a completion at once. */
typedef struct Rings {
    PvrdmaGuest *g;
    uint32_t pd;
    PvrdmaTestCq cq[CQS];
    PvrdmaTestQp qp[CQS];
} Rings;

static void make_objects(Rings *t)
{
    t->pd = pvrdma_pd_new(t->g, 0);
    for (int i = 0; i < CQS; i++) {
        t->cq[i] = pvrdma_cq_new(t->g, 0, 16);
        t->qp[i] = pvrdma_qp_new(t->g, t->pd, PVRDMA_QPT_UD, t->cq[i].handle,
                                 t->cq[i].handle);
        pvrdma_qp_init(t->g, t->qp[i].handle, PVRDMA_QPT_UD);
        g_assert_cmpuint(pvrdma_qp_to(t->g, t->qp[i].handle, PVRDMA_QPS_ERR),
                         ==, 0);
    }
}

static Rings setup(void)
{
    Rings t = { .g = pvrdma_guest_ready() };

    make_objects(&t);
    return t;
}

static void complete(Rings *t, int i)
{
    PvrdmaTestQp *qp = &t->qp[i];
    PvrdmaTestCq *cq = &t->cq[i];

    qp->rq_tail = pvrdma_ring_next(qp->wrs, qp->rq_tail);
    qtest_writel(t->g->qts, qp->mem.addr + PVRDMA_RING2_TAIL, qp->rq_tail);
    pvrdma_uar_write(t->g, 0, PVRDMA_UAR_QP, PVRDMA_UAR_QP_RECV | qp->handle);
    cq->head = pvrdma_ring_next(cq->cqe, cq->head);
    g_assert_cmpuint(qtest_readl(t->g->qts, cq->mem.addr + PVRDMA_RING2_TAIL),
                     ==, cq->head);
    qtest_writel(t->g->qts, cq->mem.addr + PVRDMA_RING2_HEAD, cq->head);
}

static void arm(Rings *t, int i)
{
    pvrdma_uar_write(t->g, 0, PVRDMA_UAR_CQ,
                     PVRDMA_UAR_CQ_ARM | t->cq[i].handle);
}

static void notify(Rings *t, int i)
{
    arm(t, i);
    complete(t, i);
}

/* An SRQ that is broken: one event */
static void cause_event(Rings *t)
{
    PvrdmaTestSrq srq = pvrdma_srq_new(t->g, t->pd, 1);

    qtest_writel(t->g->qts, srq.mem.addr + PVRDMA_RING2_TAIL, 7);
    pvrdma_uar_write(t->g, 0, PVRDMA_UAR_SRQ,
                     PVRDMA_UAR_SRQ_RECV | srq.handle);
    g_assert_cmpuint(pvrdma_cmd_handle(t->g, PVRDMA_CMD_DESTROY_SRQ,
                                       srq.handle), ==, 0);
}

static uint32_t tail(PvrdmaGuest *g, uint64_t ring)
{
    return qtest_readl(g->qts, ring + PVRDMA_RING2_TAIL);
}

static void wait_for_tail(PvrdmaGuest *g, uint64_t ring, uint32_t value)
{
    for (int i = 0; i < SOON && tail(g, ring) != value; i++) {
        g_usleep(1000);
    }
    g_assert_cmphex(tail(g, ring), ==, value);
}

/* @n notifications, of the CQs in turn beginning with @cq */
static void take_notifications(Rings *t, uint32_t n, uint32_t cq)
{
    uint32_t handle = 0;

    for (uint32_t i = 0; i < n; i++) {
        g_assert_true(pvrdma_notification_get(t->g, &handle));
        g_assert_cmpuint(handle, ==, t->cq[(cq + i) % CQS].handle);
    }
}

/*
 * The ring holds 1024.  More wait with their CQs, once each, and come when
 * there is room; those of CQs that nobody armed never do.
 */
static void test_notifications(void)
{
    Rings t = setup();
    uint32_t handle;

    for (int i = 0; i < 50; i++) {
        complete(&t, i % CQS);
    }
    g_assert_cmpuint(tail(t.g, t.g->cq_ring), ==, 0);
    for (uint32_t i = 0; i < NOTIFICATIONS; i++) {
        notify(&t, i % CQS);
    }
    g_assert_cmphex(tail(t.g, t.g->cq_ring), ==, NOTIFICATIONS);
    for (uint32_t i = 0; i < 2 * CQS; i++) {
        notify(&t, (NOTIFICATIONS + i) % CQS);
    }
    g_assert_cmphex(tail(t.g, t.g->cq_ring), ==, NOTIFICATIONS);
    take_notifications(&t, NOTIFICATIONS, 0);
    wait_for_tail(t.g, t.g->cq_ring, NOTIFICATIONS + CQS);
    for (int i = 0; i < CQS; i++) {
        g_assert_true(pvrdma_notification_get(t.g, &handle));
    }
    /* and around: indices go to 2047 */
    for (uint32_t i = 0; i < 2 * NOTIFICATIONS; i++) {
        notify(&t, i % CQS);
        take_notifications(&t, 1, i);
    }
    g_assert_false(pvrdma_notification_get(t.g, &handle));
    pvrdma_guest_free(t.g);
}

static void take_events(Rings *t, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        pvrdma_event_expect(t->g, PVRDMA_EVENT_SRQ_ERR, i % 1022 + 1);
    }
}

/* Neither ring keeps the other from being filled, or from going on. */
static void test_both_full(void)
{
    Rings t = setup();
    const uint32_t more = 10;

    for (uint32_t i = 0; i < EVENTS + more; i++) {
        cause_event(&t);
    }
    for (uint32_t i = 0; i < NOTIFICATIONS + more; i++) {
        notify(&t, i % CQS);
    }
    g_assert_cmphex(tail(t.g, t.g->async_ring), ==, EVENTS);
    g_assert_cmphex(tail(t.g, t.g->cq_ring), ==, NOTIFICATIONS);
    /* it goes on working meanwhile */
    watch_alive(t.g);
    take_events(&t, EVENTS + more);
    take_notifications(&t, NOTIFICATIONS, 0);
    wait_for_tail(t.g, t.g->cq_ring, NOTIFICATIONS + CQS);
    pvrdma_event_none(t.g);
    g_assert_true(pvrdma_irq(t.g, PVRDMA_VEC_ASYNC));
    g_assert_true(pvrdma_irq(t.g, PVRDMA_VEC_CQ));
    pvrdma_guest_free(t.g);
}

/* Both are full, and the driver starts over: they are empty, and stay so. */
static void test_full_and_reset(void)
{
    Rings t = setup();

    for (uint32_t i = 0; i < EVENTS + 5; i++) {
        cause_event(&t);
    }
    for (uint32_t i = 0; i < NOTIFICATIONS + 5; i++) {
        notify(&t, i % CQS);
    }
    pvrdma_guest_setup(t.g);
    g_usleep(20 * 1000);
    g_assert_cmphex(tail(t.g, t.g->async_ring), ==, 0);
    g_assert_cmphex(tail(t.g, t.g->cq_ring), ==, 0);
    make_objects(&t);
    cause_event(&t);
    g_assert_cmpuint(pvrdma_event_wait(t.g).type, ==, PVRDMA_EVENT_SRQ_ERR);
    notify(&t, 0);
    take_notifications(&t, 1, 0);
    pvrdma_guest_free(t.g);
}

/* Rings of @pages pages hold as many elements as the guest's sums allow. */
static void check_ring_size(Rings *t, uint32_t pages, uint32_t elements)
{
    PvrdmaPages ring = pvrdma_pages(t->g, pages);
    PvrdmaDsr dsr;

    g_test_message("%u pages", pages);
    pvrdma_guest_fill_dsr(t->g, &dsr);
    dsr.cq_ring_pages = (PvrdmaRingPages) { pages, 0, ring.pdir };
    t->g->cq_ring = ring.addr;
    pvrdma_guest_write_dsr(t->g, &dsr);
    pvrdma_guest_map_dsr(t->g, t->g->dsr);
    pvrdma_reg_write(t->g, PVRDMA_REG_IMR, 0);
    pvrdma_reg_write(t->g, PVRDMA_REG_CTL, PVRDMA_CTL_ACTIVATE);
    make_objects(t);
    for (uint32_t i = 0; i < elements + 2; i++) {
        notify(t, i % CQS);
    }
    g_assert_cmphex(tail(t->g, ring.addr), ==, elements);
    for (uint32_t i = 0; i < elements; i++) {
        g_assert_cmpuint(qtest_readl(t->g->qts, ring.addr + PVRDMA_PAGE +
                                     4 * i), ==, t->cq[i % CQS].handle);
    }
    /* one is taken, one that waits comes */
    qtest_writel(t->g->qts, ring.addr + PVRDMA_RING2_HEAD, 1);
    wait_for_tail(t->g, ring.addr, (elements + 1) & (2 * elements - 1));
}

static void test_sizes(void)
{
    Rings t = { .g = pvrdma_guest_ready() };

    check_ring_size(&t, 2, 1024);
    check_ring_size(&t, 3, 2048);
    check_ring_size(&t, 4, 1024);
    check_ring_size(&t, 8, 1024);
    pvrdma_guest_free(t.g);
}

/* An index that no driver writes ends one ring, and only that. */
static void test_one_broken(void)
{
    const uint32_t bad[] = { 2 * NOTIFICATIONS, 1, UINT32_MAX, 1u << 31 };
    uint32_t handle;

    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
        Rings t = setup();

        qtest_writel(t.g->qts, t.g->cq_ring + PVRDMA_RING2_HEAD, bad[i]);
        notify(&t, 0);
        notify(&t, 1);
        g_assert_cmphex(tail(t.g, t.g->cq_ring), ==, 0);
        cause_event(&t);
        take_events(&t, 1);
        pvrdma_guest_setup(t.g);
        make_objects(&t);
        notify(&t, 2);
        g_assert_true(pvrdma_notification_get(t.g, &handle));
        pvrdma_guest_free(t.g);
    }
}

void pvrdma_add_ring_tests(void)
{
    qtest_add_func("/pvrdma/rings/both-full", test_both_full);
    qtest_add_func("/pvrdma/rings/full-and-reset", test_full_and_reset);
    qtest_add_func("/pvrdma/rings/sizes", test_sizes);
    qtest_add_func("/pvrdma/rings/one-broken", test_one_broken);
    qtest_add_func("/pvrdma/rule/b22", test_notifications);
}
