/*
 * QTest testcase for pvrdma: many work requests at once
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * With an RDMA device that takes no time itself, this is what the device costs:
 * see tests/bench/wqe-bench.sh of the pvrdma project.
 */
#include "qemu/osdep.h"
#include "hw/rdma/pvrdma_ring.h"
#include "pvrdma-pair.h"
#include "pvrdma-tests.h"

#define WRS 4096u
#define ROUNDS 3
#define LENGTH 64

static PvrdmaTestQp big_qp(PvrdmaPair *t, uint32_t cq)
{
    uint32_t stride = pvrdma_wqe_stride(sizeof(PvrdmaWireSendWr), 1);
    uint32_t sq_pages = WRS * stride / PVRDMA_PAGE;
    PvrdmaTestQp qp = {
        .wrs = WRS,
        .sges = 1,
        .sq_stride = stride,
        .mem = pvrdma_pages(t->g, 1 + 2 * sq_pages),
    };
    PvrdmaReq req = pvrdma_req_qp(t->pd, PVRDMA_QPT_RC, cq, cq, WRS, 1,
                                  &qp.mem);
    PvrdmaResp resp;

    req.create_qp.send_chunks = sq_pages;
    g_assert_cmpuint(pvrdma_cmd(t->g, PVRDMA_CMD_CREATE_QP, &req, &resp), ==,
                     0);
    qp.handle = resp.create_qp.qp_handle;
    qp.qpn = resp.create_qp.qpn;
    qp.sq = qp.mem.addr + PVRDMA_PAGE;
    return qp;
}

/* All WQEs of the ring, each a write of LENGTH bytes */
static void fill_ring(PvrdmaPair *t, const PvrdmaTestQp *qp, uint32_t every)
{
    g_autofree uint8_t *ring = g_malloc0(WRS * qp->sq_stride);

    for (uint32_t i = 0; i < WRS; i++) {
        PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_RDMA_WRITE);
        PvrdmaWireSge s = pair_sge(t, 0, LENGTH);

        wr.wr_id = i;
        wr.send_flags = i % every == every - 1 ? PVRDMA_SEND_SIGNALED : 0;
        wr.wr.rdma.remote_addr = t->va + PAIR_RECV;
        wr.wr.rdma.rkey = t->mr.rkey;
        memcpy(ring + i * qp->sq_stride, &wr, sizeof(wr));
        memcpy(ring + i * qp->sq_stride + sizeof(wr), &s, sizeof(s));
    }
    qtest_memwrite(t->g->qts, qp->sq, ring, WRS * qp->sq_stride);
}

/* One doorbell for all of them */
static void send_all(PvrdmaPair *t, PvrdmaTestQp *qp, PvrdmaTestCq *cq,
                     uint32_t every)
{
    uint32_t want = WRS / every;

    qp->sq_tail = (qp->sq_tail + WRS) & (2 * WRS - 1);
    qtest_writel(t->g->qts, qp->mem.addr + PVRDMA_RING1_TAIL, qp->sq_tail);
    pvrdma_uar_write(t->g, 0, PVRDMA_UAR_QP, PVRDMA_UAR_QP_SEND | qp->handle);
    for (uint32_t got = 0; got < want; ) {
        uint32_t tail;

        pvrdma_uar_write(t->g, 0, PVRDMA_UAR_CQ,
                         PVRDMA_UAR_CQ_POLL | cq->handle);
        tail = qtest_readl(t->g->qts, cq->mem.addr + PVRDMA_RING2_TAIL);
        got += (tail - cq->head) & (2 * cq->cqe - 1);
        cq->head = tail;
        qtest_writel(t->g->qts, cq->mem.addr + PVRDMA_RING2_HEAD, tail);
    }
}

static void check_batches(uint32_t every)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaTestCq cq = pvrdma_cq_new(t.g, 0, 2 * WRS);
    PvrdmaTestQp qp = big_qp(&t, cq.handle);

    pvrdma_qp_connect(t.g, qp.handle, PVRDMA_QPT_RC, qp.qpn);
    fill_ring(&t, &qp, every);
    pair_fill(&t, 0, LENGTH, 5);
    for (int i = 0; i < ROUNDS; i++) {
        send_all(&t, &qp, &cq, every);
    }
    pair_same(&t, 0, PAIR_RECV, LENGTH);
    pvrdma_cqe_none(t.g, &cq);
    pair_free(&t);
}

static void test_each_signaled(void)
{
    check_batches(1);
}

static void test_few_signaled(void)
{
    check_batches(64);
}

/* @n writes into the ring, with wr_ids from @first on */
static void put_writes(PvrdmaPair *t, uint64_t first, uint32_t n,
                       uint32_t flags)
{
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_RDMA_WRITE);
    PvrdmaWireSge s = pair_sge(t, 0, 8);

    wr.send_flags = flags;
    wr.wr.rdma.remote_addr = t->va + PAIR_RECV;
    wr.wr.rdma.rkey = t->mr.rkey;
    for (uint32_t i = 0; i < n; i++) {
        wr.wr_id = first + i;
        pvrdma_put_send(t->g, &t->qp[0], &wr, &s);
    }
}

static void check_status(PvrdmaPair *t, uint64_t wr_id, uint32_t status)
{
    PvrdmaWireCqe cqe = pvrdma_cqe_wait(t->g, &t->cq[0]);

    g_assert_cmpuint(cqe.wr_id, ==, wr_id);
    g_assert_cmpuint(cqe.status, ==, status);
}

/* All that is before a bad one is done; all that is behind it is flushed. */
static void test_bad_one(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaWireSendWr bad = pair_send_wr(PVRDMA_WR_RDMA_WRITE);
    PvrdmaWireSge none = { .addr = t.va, .length = 8, .lkey = 0xdeadbe00 };
    const uint32_t before[] = { 0, 1, 7, 10 };

    for (unsigned i = 0; i < ARRAY_SIZE(before); i++) {
        uint32_t n = before[i];

        pair_connect(&t, PVRDMA_QPT_RC);
        pair_fill(&t, 0, 8, i + 1);
        put_writes(&t, 0, n, 0);
        bad.wr_id = n;
        bad.send_flags = 0;
        pvrdma_put_send(t.g, &t.qp[0], &bad, &none);
        put_writes(&t, n + 1, 5, 0);
        pvrdma_ring_send(t.g, &t.qp[0]);
        check_status(&t, n, PVRDMA_WC_LOC_PROT_ERR);
        for (uint32_t k = n + 1; k < n + 6; k++) {
            check_status(&t, k, PVRDMA_WC_WR_FLUSH_ERR);
        }
        pvrdma_cqe_none(t.g, &t.cq[0]);
        if (n) {
            pair_same(&t, 0, PAIR_RECV, 8);
        }
    }
    pair_free(&t);
}

/* A drain finds its end although nobody asked for what was before it. */
static void test_drain_unsignaled(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    const uint32_t n[] = { 1, 5, 16 };

    for (unsigned i = 0; i < ARRAY_SIZE(n); i++) {
        pair_connect(&t, PVRDMA_QPT_RC);
        put_writes(&t, 0, n[i], 0);
        pvrdma_ring_send(t.g, &t.qp[0]);
        pvrdma_cqe_none(t.g, &t.cq[0]);
        g_assert_cmpuint(pvrdma_qp_to(t.g, t.qp[0].handle, PVRDMA_QPS_ERR),
                         ==, 0);
        put_writes(&t, 100, 2, 0);
        pvrdma_ring_send(t.g, &t.qp[0]);
        check_status(&t, 100, PVRDMA_WC_WR_FLUSH_ERR);
        check_status(&t, 101, PVRDMA_WC_WR_FLUSH_ERR);
        pvrdma_cqe_none(t.g, &t.cq[0]);
    }
    pair_free(&t);
}

/* The ring goes round without a completion that the guest asked for. */
static void test_all_unsignaled(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaTestQp *qp = &t.qp[0];

    for (int i = 0; i < 20; i++) {
        put_writes(&t, 0, qp->wrs - 1, 0);
        put_writes(&t, i, 1, i == 19 ? PVRDMA_SEND_SIGNALED : 0);
        pvrdma_ring_send(t.g, qp);
        for (int n = 0; n < 10000 &&
                        qtest_readl(t.g->qts, qp->mem.addr +
                                    PVRDMA_RING1_HEAD) != qp->sq_tail; n++) {
            g_usleep(1000);
        }
    }
    check_status(&t, 19, PVRDMA_WC_SUCCESS);
    pvrdma_cqe_none(t.g, &t.cq[0]);
    pair_free(&t);
}

/*
 * Interrupts that arm the CQ that they are about: a doorbell from inside the
 * device.  Whether it counts or not (some QEMUs keep such accesses out), all
 * completions are there, and the device is.
 */
static void test_irq_to_doorbell(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    uint32_t arm = PVRDMA_UAR_CQ_ARM | t.cq[0].handle;

    pvrdma_irq_target(t.g, PVRDMA_VEC_CQ, t.g->uar.addr + PVRDMA_UAR_CQ, arm);
    for (int i = 0; i < 50; i++) {
        pvrdma_uar_write(t.g, 0, PVRDMA_UAR_CQ, arm);
        put_writes(&t, i, 1, PVRDMA_SEND_SIGNALED);
        pvrdma_ring_send(t.g, &t.qp[0]);
        check_status(&t, i, PVRDMA_WC_SUCCESS);
    }
    pvrdma_irq_target(t.g, PVRDMA_VEC_CQ, t.g->uar.addr + PVRDMA_UAR_QP,
                      PVRDMA_UAR_QP_SEND | t.qp[0].handle);
    for (int i = 0; i < 50; i++) {
        pvrdma_uar_write(t.g, 0, PVRDMA_UAR_CQ, arm);
        put_writes(&t, i, 2, PVRDMA_SEND_SIGNALED);
        pvrdma_ring_send(t.g, &t.qp[0]);
        check_status(&t, i, PVRDMA_WC_SUCCESS);
        check_status(&t, i + 1, PVRDMA_WC_SUCCESS);
    }
    pair_free(&t);
}

/* Doorbells, completions and resets at once, over and over */
static void test_reset_often(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);

    for (int i = 0; i < 30; i++) {
        for (int k = 0; k < 4; k++) {
            pvrdma_uar_write(t.g, 0, PVRDMA_UAR_CQ,
                             PVRDMA_UAR_CQ_ARM | t.cq[0].handle);
            put_writes(&t, 0, 4, PVRDMA_SEND_SIGNALED);
            pvrdma_ring_send(t.g, &t.qp[0]);
        }
        if (i % 2) {
            pvrdma_reg_write(t.g, PVRDMA_REG_CTL, PVRDMA_CTL_RESET);
        }
        pvrdma_guest_setup(t.g);
        pvrdma_bind_gid(t.g, 0);
        t.pd = pvrdma_pd_new(t.g, 0);
        t.mr = pvrdma_mr_new(t.g, t.pd, PAIR_MR_PAGES);
        pair_connect(&t, PVRDMA_QPT_RC);
    }
    pair_free(&t);
}

static PvrdmaGuest *guest_on_pc(void)
{
    g_autofree char *mac = pvrdma_mac();
    g_autofree char *args = g_strdup_printf(
        "-machine pc,memory-backend=ram -nodefaults -nic none -m 128M "
        "-object memory-backend-memfd,id=ram,size=128M,share=on "
        "-object iothread,id=io "
        "-device vmxnet3,id=nic,addr=%x.0,multifunction=on,romfile=,mac=%s "
        "-device pvrdma,id=rdma,addr=%x.1,backend-dev=%s%s", PVRDMA_SLOT, mac,
        PVRDMA_SLOT, pvrdma_ibdev() ?: "",
        pvrdma_iothread() ? ",iothread=io" : "");

    return pvrdma_guest_start(args);
}

/* The slot goes while completions come, and the iothread after it. */
static void test_unplug(void)
{
    PvrdmaPair t;

    if (!qtest_has_machine("pc")) {
        g_test_skip("no pc machine");
        return;
    }
    for (int i = 0; i < 3; i++) {
        t = pair_on(guest_on_pc(), PVRDMA_QPT_RC, 0);
        pvrdma_uar_write(t.g, 0, PVRDMA_UAR_CQ,
                         PVRDMA_UAR_CQ_ARM | t.cq[0].handle);
        put_writes(&t, 0, 16, PVRDMA_SEND_SIGNALED);
        pvrdma_ring_send(t.g, &t.qp[0]);
        /* ACPI: bus 0, then the slot to eject */
        qtest_qmp_device_del_send(t.g->qts, "rdma");
        qtest_outl(t.g->qts, 0xae10, 0);
        qtest_outl(t.g->qts, 0xae08, 1u << PVRDMA_SLOT);
        qtest_qmp_eventwait(t.g->qts, "DEVICE_DELETED");
        qtest_qmp_assert_success(t.g->qts, "{'execute': 'object-del', "
                                 "'arguments': {'id': 'io'}}");
        qtest_qmp_assert_success(t.g->qts, "{'execute': 'query-status'}");
        pair_free(&t);
    }
}

void pvrdma_add_batch_tests(void)
{
    qtest_add_func("/pvrdma/batch/unplug", test_unplug);
    qtest_add_func("/pvrdma/batch/irq-to-doorbell", test_irq_to_doorbell);
    qtest_add_func("/pvrdma/batch/reset-often", test_reset_often);
    qtest_add_func("/pvrdma/batch/bad-one", test_bad_one);
    qtest_add_func("/pvrdma/batch/drain-unsignaled", test_drain_unsignaled);
    qtest_add_func("/pvrdma/batch/all-unsignaled", test_all_unsignaled);
    qtest_add_func("/pvrdma/batch/each-signaled", test_each_signaled);
    qtest_add_func("/pvrdma/batch/few-signaled", test_few_signaled);
}
