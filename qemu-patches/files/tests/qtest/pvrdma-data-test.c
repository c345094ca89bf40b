/*
 * QTest testcase for pvrdma: the data path, over two QPs of one device
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "hw/pci/pci_regs.h"
#include "pvrdma-pair.h"
#include "pvrdma-tests.h"

static void test_send(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    const uint32_t sizes[] = { 1, 64, 4096, 10000 };
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_SEND);
    PvrdmaWireSendWr imm = pair_send_wr(PVRDMA_WR_SEND_WITH_IMM);
    PvrdmaWireCqe cqe;

    for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
        pair_fill(&t, 3, sizes[i], i);
        pair_recv(&t, 1, PAIR_RECV + 5, 16000, i);
        pair_send(&t, 0, &wr, 3, sizes[i]);
        cqe = pvrdma_cqe_wait(t.g, &t.cq[0]);
        check_cqe(&cqe, &t.qp[0], PAIR_WR_ID, PVRDMA_WC_OP_SEND);
        cqe = pvrdma_cqe_wait(t.g, &t.cq[1]);
        check_cqe(&cqe, &t.qp[1], i, PVRDMA_WC_OP_RECV);
        g_assert_cmpuint(cqe.byte_len, ==, sizes[i]);
        g_assert_cmphex(cqe.wc_flags & PVRDMA_WC_FLAG_IMM, ==, 0);
        pair_same(&t, 3, PAIR_RECV + 5, sizes[i]);
    }
    imm.ex = 0x11223344;
    pair_recv(&t, 1, PAIR_RECV, 100, 1);
    pair_send(&t, 0, &imm, 0, 10);
    cqe = pvrdma_cqe_wait(t.g, &t.cq[1]);
    check_cqe(&cqe, &t.qp[1], 1, PVRDMA_WC_OP_RECV);
    g_assert_cmphex(cqe.wc_flags & PVRDMA_WC_FLAG_IMM, !=, 0);
    g_assert_cmphex(cqe.imm_data, ==, 0x11223344);
    pair_free(&t);
}

/* Scattered on both sides, with an empty element between */
static void test_sges(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_SEND);
    PvrdmaWireRecvWr recv = { .wr_id = 9, .num_sge = 4 };
    PvrdmaWireSge out[] = { pair_sge(&t, 0, 1000), pair_sge(&t, 1000, 0),
                            pair_sge(&t, 1000, 3000), pair_sge(&t, 4000, 96) };
    PvrdmaWireSge in[] = { pair_sge(&t, PAIR_RECV, 1),
                           pair_sge(&t, PAIR_RECV + 1, 4000),
                           pair_sge(&t, PAIR_RECV + 4001, 0),
                           pair_sge(&t, PAIR_RECV + 4001, 4095) };
    PvrdmaWireCqe cqe;

    wr.num_sge = 4;
    pair_fill(&t, 0, 4096, 1);
    pvrdma_post_recv(t.g, &t.qp[1], &recv, in);
    pvrdma_post_send(t.g, &t.qp[0], &wr, out);
    cqe = pvrdma_cqe_wait(t.g, &t.cq[1]);
    check_cqe(&cqe, &t.qp[1], 9, PVRDMA_WC_OP_RECV);
    g_assert_cmpuint(cqe.byte_len, ==, 4096);
    pair_same(&t, 0, PAIR_RECV, 4096);
    pair_free(&t);
}

static void test_write_read(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_RDMA_WRITE);
    PvrdmaWireCqe cqe;

    pair_fill(&t, 0, 20000, 1);
    wr.wr.rdma.remote_addr = t.va + PAIR_RECV + 1;
    wr.wr.rdma.rkey = t.mr.rkey;
    pair_send(&t, 0, &wr, 0, 20000);
    cqe = pvrdma_cqe_wait(t.g, &t.cq[0]);
    check_cqe(&cqe, &t.qp[0], PAIR_WR_ID, PVRDMA_WC_OP_RDMA_WRITE);
    pair_same(&t, 0, PAIR_RECV + 1, 20000);

    wr.opcode = PVRDMA_WR_RDMA_WRITE_WITH_IMM;
    wr.ex = 0x55667788;
    pair_recv(&t, 1, 0, 16, 3);
    pair_send(&t, 0, &wr, 0, 20000);
    cqe = pvrdma_cqe_wait(t.g, &t.cq[1]);
    check_cqe(&cqe, &t.qp[1], 3, PVRDMA_WC_OP_RECV_RDMA_WITH_IMM);
    g_assert_cmphex(cqe.imm_data, ==, 0x55667788);
    g_assert_cmpuint(cqe.byte_len, ==, 20000);
    pvrdma_cqe_wait(t.g, &t.cq[0]);

    wr.opcode = PVRDMA_WR_RDMA_READ;
    pair_fill(&t, PAIR_RECV + 1, 20000, 9);
    pair_send(&t, 0, &wr, 2, 20000);
    cqe = pvrdma_cqe_wait(t.g, &t.cq[0]);
    check_cqe(&cqe, &t.qp[0], PAIR_WR_ID, PVRDMA_WC_OP_RDMA_READ);
    pair_same(&t, PAIR_RECV + 1, 2, 20000);
    pair_free(&t);
}

static uint64_t atomic(PvrdmaPair *t, uint32_t opcode, uint64_t compare_add,
                       uint64_t swap)
{
    PvrdmaWireSendWr wr = pair_send_wr(opcode);
    PvrdmaWireCqe cqe;

    wr.wr.atomic.remote_addr = t->va + PAIR_RECV;
    wr.wr.atomic.rkey = t->mr.rkey;
    wr.wr.atomic.compare_add = compare_add;
    wr.wr.atomic.swap = swap;
    pair_send(t, 0, &wr, 0, 8);
    cqe = pvrdma_cqe_wait(t->g, &t->cq[0]);
    check_cqe(&cqe, &t->qp[0], PAIR_WR_ID,
              opcode == PVRDMA_WR_ATOMIC_CMP_AND_SWP
              ? PVRDMA_WC_OP_COMP_SWAP : PVRDMA_WC_OP_FETCH_ADD);
    return qtest_readq(t->g->qts, t->mr.mem.addr);
}

static void test_atomics(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    uint64_t word = t.mr.mem.addr + PAIR_RECV;

    qtest_writeq(t.g->qts, word, 100);
    g_assert_cmpuint(atomic(&t, PVRDMA_WR_ATOMIC_FETCH_AND_ADD, 5, 0), ==,
                     100);
    g_assert_cmpuint(qtest_readq(t.g->qts, word), ==, 105);
    g_assert_cmpuint(atomic(&t, PVRDMA_WR_ATOMIC_CMP_AND_SWP, 104, 7), ==,
                     105);
    g_assert_cmpuint(qtest_readq(t.g->qts, word), ==, 105);
    g_assert_cmpuint(atomic(&t, PVRDMA_WR_ATOMIC_CMP_AND_SWP, 105, 7), ==,
                     105);
    g_assert_cmpuint(qtest_readq(t.g->qts, word), ==, 7);
    pair_free(&t);
}

/* Only the last of three sends asks for a completion. */
static void test_unsignaled(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_RDMA_WRITE);
    PvrdmaWireCqe cqe;

    wr.wr.rdma.remote_addr = t.va + PAIR_RECV;
    wr.wr.rdma.rkey = t.mr.rkey;
    for (int i = 0; i < 100; i++) {
        wr.wr_id = i;
        wr.send_flags = i % 3 == 2 ? PVRDMA_SEND_SIGNALED : 0;
        pair_send(&t, 0, &wr, 0, 8);
        if (i % 3 == 2) {
            cqe = pvrdma_cqe_wait(t.g, &t.cq[0]);
            check_cqe(&cqe, &t.qp[0], i, PVRDMA_WC_OP_RDMA_WRITE);
        }
    }
    pvrdma_cqe_none(t.g, &t.cq[0]);
    pair_free(&t);
}

/* One notification for an armed CQ, and none for one that is not */
static void test_notify(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_RDMA_WRITE);
    uint32_t handle = 0;

    wr.wr.rdma.remote_addr = t.va + PAIR_RECV;
    wr.wr.rdma.rkey = t.mr.rkey;
    pair_send(&t, 0, &wr, 0, 8);
    pvrdma_cqe_wait(t.g, &t.cq[0]);
    g_assert_false(pvrdma_notification_get(t.g, &handle));
    for (int i = 0; i < 3; i++) {
        pvrdma_uar_write(t.g, 0, PVRDMA_UAR_CQ,
                         PVRDMA_UAR_CQ_ARM | t.cq[0].handle);
        pair_send(&t, 0, &wr, 0, 8);
        pair_send(&t, 0, &wr, 0, 8);
        for (int n = 0; n < 10000 &&
                        !pvrdma_notification_get(t.g, &handle); n++) {
            g_usleep(1000);
        }
        g_assert_cmpuint(handle, ==, t.cq[0].handle);
        g_assert_true(pvrdma_irq(t.g, PVRDMA_VEC_CQ));
        pvrdma_cqe_wait(t.g, &t.cq[0]);
        pvrdma_cqe_wait(t.g, &t.cq[0]);
        g_assert_false(pvrdma_notification_get(t.g, &handle));
        handle = 0;
    }
    pair_free(&t);
}

static void test_ud(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_UD);
    PvrdmaWireSendWr wr = pair_ud_wr(&t, t.qp[1].qpn);
    PvrdmaWireCqe cqe;

    pair_fill(&t, 0, 500, 3);
    for (int i = 0; i < 20; i++) {
        pair_recv(&t, 1, PAIR_RECV, 2000, i);
        pair_send(&t, 0, &wr, 0, 500);
        cqe = pvrdma_cqe_wait(t.g, &t.cq[0]);
        check_cqe(&cqe, &t.qp[0], PAIR_WR_ID, PVRDMA_WC_OP_SEND);
        cqe = pvrdma_cqe_wait(t.g, &t.cq[1]);
        check_cqe(&cqe, &t.qp[1], i, PVRDMA_WC_OP_RECV);
        g_assert_cmpuint(cqe.byte_len, ==, 540);
        g_assert_cmpuint(cqe.src_qp, ==, t.qp[0].qpn);
        g_assert_cmphex(cqe.wc_flags & PVRDMA_WC_FLAG_GRH, !=, 0);
        pair_same(&t, 0, PAIR_RECV + 40, 500);
    }
    /* a source GID that is not bound: an error of this send alone */
    wr.wr.ud.av.gid_index = 77;
    pair_send(&t, 0, &wr, 0, 500);
    cqe = pvrdma_cqe_wait(t.g, &t.cq[0]);
    g_assert_cmpuint(cqe.status, ==, PVRDMA_WC_LOC_QP_OP_ERR);
    pair_free(&t);
}

/* A work request that must not reach the host: error, and the QP is gone. */
static void check_bad_send(PvrdmaPair *t, const PvrdmaWireSendWr *wr,
                           const PvrdmaWireSge *s, uint32_t status)
{
    PvrdmaWireSge good = pair_sge(t, 0, 8);
    PvrdmaWireSge bad = s ? *s : good;
    PvrdmaWireCqe cqe;

    pair_connect(t, PVRDMA_QPT_RC);
    bad.addr += s ? t->va : 0;
    bad.lkey = bad.lkey ? bad.lkey : t->mr.lkey;
    pvrdma_post_send(t->g, &t->qp[0], wr, &bad);
    pvrdma_post_send(t->g, &t->qp[0], wr, &good);
    cqe = pvrdma_cqe_wait(t->g, &t->cq[0]);
    g_assert_cmpuint(cqe.status, ==, status);
    g_assert_cmphex(cqe.wr_id, ==, wr->wr_id);
    cqe = pvrdma_cqe_wait(t->g, &t->cq[0]);
    g_assert_cmpuint(cqe.status, ==, PVRDMA_WC_WR_FLUSH_ERR);
    g_assert_cmpuint(pvrdma_qp_query(t->g, t->qp[0].handle).qp_state, ==,
                     PVRDMA_QPS_ERR);
}

static void test_bad_sends(void)
{
    /* 8, 10 and 11 are there only with memory management extensions */
    const uint32_t opcodes[] = { 7, 9, 12, 14, 16, UINT32_MAX, 8, 10, 11 };
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaWireSendWr wr;

    for (unsigned i = 0; i < ARRAY_SIZE(opcodes); i++) {
        if (i >= 6 && pvrdma_guest_caps(t.g).bmme_flags) {
            break;
        }
        wr = pair_send_wr(opcodes[i]);
        check_bad_send(&t, &wr, NULL, PVRDMA_WC_LOC_QP_OP_ERR);
    }
    wr = pair_send_wr(PVRDMA_WR_RDMA_WRITE);
    wr.num_sge = 5;
    check_bad_send(&t, &wr, NULL, PVRDMA_WC_LOC_QP_OP_ERR);
    wr.num_sge = UINT32_MAX;
    check_bad_send(&t, &wr, NULL, PVRDMA_WC_LOC_QP_OP_ERR);
    pair_free(&t);
}

static void test_bad_sges(void)
{
    const PvrdmaWireSge bad[] = {
        { .addr = 0, .length = 8, .lkey = 0xdeadbe00 },
        { .addr = 0, .length = 8, .lkey = UINT32_MAX },
        { .addr = 0, .length = PAIR_MR_PAGES * PVRDMA_PAGE + 1 },
        { .addr = PAIR_MR_PAGES * PVRDMA_PAGE - 7, .length = 8 },
        { .addr = -1, .length = 8 },
        { .addr = 1, .length = 1u << 30 },
        { .addr = UINT64_MAX / 2, .length = 8 },
    };
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_SEND);

    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
        check_bad_send(&t, &wr, &bad[i], PVRDMA_WC_LOC_PROT_ERR);
    }
    pair_free(&t);
}

/* The peer's key is wrong: the peer says so, over the wire. */
static void test_bad_rkey(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_RDMA_WRITE);
    PvrdmaWireCqe cqe;

    wr.wr.rdma.remote_addr = t.va;
    wr.wr.rdma.rkey = t.mr.rkey ^ 0x12300;
    pair_send(&t, 0, &wr, 0, 8);
    cqe = pvrdma_cqe_wait(t.g, &t.cq[0]);
    g_assert_cmpuint(cqe.status, ==, PVRDMA_WC_REM_ACCESS_ERR);
    pair_free(&t);
}

/*
 * What a kernel user does to drain a QP: ERR, then one more of each, whose
 * flush it waits for.
 */
static void test_drain(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_RDMA_WRITE);
    PvrdmaWireRecvWr recv = { .wr_id = 100, .num_sge = 0 };
    PvrdmaWireSge none = { };
    PvrdmaWireCqe cqe;

    for (int i = 0; i < 5; i++) {
        pair_recv(&t, 0, PAIR_RECV, 64, i);
    }
    g_assert_cmpuint(pvrdma_qp_to(t.g, t.qp[0].handle, PVRDMA_QPS_ERR), ==, 0);
    for (int i = 0; i < 5; i++) {
        cqe = pvrdma_cqe_wait(t.g, &t.cq[0]);
        g_assert_cmpuint(cqe.status, ==, PVRDMA_WC_WR_FLUSH_ERR);
        g_assert_cmpuint(cqe.wr_id, ==, i);
    }
    pvrdma_post_recv(t.g, &t.qp[0], &recv, &none);
    cqe = pvrdma_cqe_wait(t.g, &t.cq[0]);
    g_assert_cmpuint(cqe.status, ==, PVRDMA_WC_WR_FLUSH_ERR);
    g_assert_cmpuint(cqe.wr_id, ==, 100);
    wr.num_sge = 0;
    pvrdma_post_send(t.g, &t.qp[0], &wr, &none);
    cqe = pvrdma_cqe_wait(t.g, &t.cq[0]);
    g_assert_cmpuint(cqe.status, ==, PVRDMA_WC_WR_FLUSH_ERR);
    g_assert_cmphex(cqe.wr_id, ==, PAIR_WR_ID);
    pvrdma_cqe_none(t.g, &t.cq[0]);
    pair_free(&t);
}

/* Reset while receives are posted: nothing of them comes out, ever. */
static void test_reset_with_work(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);

    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 10; i++) {
            pair_recv(&t, 0, PAIR_RECV, 64, i);
        }
        g_assert_cmpuint(pvrdma_qp_to(t.g, t.qp[0].handle, PVRDMA_QPS_ERR),
                         ==, 0);
        g_assert_cmpuint(pvrdma_qp_to(t.g, t.qp[0].handle, PVRDMA_QPS_RESET),
                         ==, 0);
        /* the guest sorts its own CQ out and starts over */
        t.cq[0].head = qtest_readl(t.g->qts, t.cq[0].mem.addr +
                                   PVRDMA_RING2_TAIL);
        qtest_writel(t.g->qts, t.cq[0].mem.addr + PVRDMA_RING2_HEAD,
                     t.cq[0].head);
        qtest_memset(t.g->qts, t.qp[0].mem.addr, 0, 16);
        t.qp[0].sq_tail = t.qp[0].rq_tail = 0;
        pvrdma_cqe_none(t.g, &t.cq[0]);
        pvrdma_qp_connect(t.g, t.qp[0].handle, PVRDMA_QPT_RC, t.qp[1].qpn);
    }
    pair_free(&t);
}

/* The guest does not take its completions: CQ_ERR and no overwriting */
static void test_cq_overflow(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_RDMA_WRITE);
    PvrdmaWireEvent event = { .type = UINT32_MAX };
    uint64_t tail_at = t.cq[0].mem.addr + PVRDMA_RING2_TAIL;

    wr.wr.rdma.remote_addr = t.va + PAIR_RECV;
    wr.wr.rdma.rkey = t.mr.rkey;
    pvrdma_uar_write(t.g, 0, PVRDMA_UAR_CQ,
                     PVRDMA_UAR_CQ_ARM | t.cq[0].handle);
    for (int i = 0; i < 200; i++) {
        pair_send(&t, 0, &wr, 0, 8);
        g_usleep(1000);
    }
    for (int i = 0; i < 1000; i++) {
        g_assert_cmpuint(qtest_readl(t.g->qts, tail_at), <=, 64);
        if (pvrdma_event_get(t.g, &event)) {
            break;
        }
        /* has the device look at the host's queue */
        pvrdma_uar_write(t.g, 0, PVRDMA_UAR_CQ,
                         PVRDMA_UAR_CQ_ARM | t.cq[0].handle);
        pvrdma_uar_write(t.g, 0, PVRDMA_UAR_QP,
                         PVRDMA_UAR_QP_SEND | t.qp[0].handle);
        g_usleep(1000);
    }
    g_assert_cmpuint(event.type, ==, PVRDMA_EVENT_CQ_ERR);
    g_assert_cmpuint(event.info, ==, t.cq[0].handle);
    g_assert_cmpuint(pvrdma_qp_query(t.g, t.qp[0].handle).qp_state, ==,
                     PVRDMA_QPS_ERR);
    pair_free(&t);
}

/* Reset in the middle of transfers */
static void test_reset_in_traffic(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_RDMA_WRITE);

    wr.wr.rdma.remote_addr = t.va + PAIR_RECV;
    wr.wr.rdma.rkey = t.mr.rkey;
    for (int i = 0; i < 16; i++) {
        pair_send(&t, 0, &wr, 0, 20000);
    }
    pvrdma_reg_write(t.g, PVRDMA_REG_CTL, PVRDMA_CTL_RESET);
    pvrdma_guest_setup(t.g);
    pvrdma_pd_new(t.g, 0);
    pair_free(&t);
}

/*
 * Interrupts that the guest points at the device itself: at the register that
 * resets it, and at the command register in its configuration space (bus
 * master off resets it, too).  Completions and events are under way then.
 */
static void check_irq_target(uint64_t (*target)(PvrdmaGuest *), uint32_t data)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_RDMA_WRITE);

    wr.wr.rdma.remote_addr = t.va + PAIR_RECV;
    wr.wr.rdma.rkey = t.mr.rkey;
    for (unsigned i = 0; i < PVRDMA_NUM_VEC; i++) {
        pvrdma_irq_target(t.g, i, target(t.g), data);
    }
    pvrdma_uar_write(t.g, 0, PVRDMA_UAR_CQ,
                     PVRDMA_UAR_CQ_ARM | t.cq[0].handle);
    for (int i = 0; i < 8; i++) {
        pair_send(&t, 0, &wr, 0, 20000);
    }
    for (int i = 0; i < 200; i++) {
        qtest_readl(t.g->qts, t.cq[0].mem.addr);
        g_usleep(1000);
    }
    /* broken ring: an event, and with it vector 1 */
    qtest_writel(t.g->qts, t.qp[1].mem.addr + PVRDMA_RING1_TAIL, 1u << 31);
    pvrdma_uar_write(t.g, 0, PVRDMA_UAR_QP,
                     PVRDMA_UAR_QP_SEND | t.qp[1].handle);
    pvrdma_guest_enable(t.g);
    pvrdma_guest_setup(t.g);
    pvrdma_pd_new(t.g, 0);
    pair_free(&t);
}

static uint64_t target_ctl(PvrdmaGuest *g)
{
    return g->regs.addr + PVRDMA_REG_CTL;
}

static uint64_t target_request(PvrdmaGuest *g)
{
    return g->regs.addr + PVRDMA_REG_REQUEST;
}

/* Where q35 puts configuration space once firmware asks for it */
static uint64_t target_config(PvrdmaGuest *g)
{
    const uint64_t ecam = 0xb0000000;

    g->pcibus->config_writel(g->pcibus, 0, 0x64, 0);
    g->pcibus->config_writel(g->pcibus, 0, 0x60, ecam | 1);
    return ecam + (g->dev->devfn << 12) + PCI_COMMAND;
}

static void test_irq_to_self(void)
{
    check_irq_target(target_ctl, PVRDMA_CTL_RESET);
    check_irq_target(target_request, 0);
    check_irq_target(target_config, 0);
}

void pvrdma_add_data_tests(void)
{
    qtest_add_func("/pvrdma/data/send", test_send);
    qtest_add_func("/pvrdma/data/sges", test_sges);
    qtest_add_func("/pvrdma/data/write-read", test_write_read);
    qtest_add_func("/pvrdma/data/atomics", test_atomics);
    qtest_add_func("/pvrdma/data/unsignaled", test_unsignaled);
    qtest_add_func("/pvrdma/data/notify", test_notify);
    qtest_add_func("/pvrdma/data/ud", test_ud);
    qtest_add_func("/pvrdma/data/bad-sends", test_bad_sends);
    qtest_add_func("/pvrdma/data/bad-sges", test_bad_sges);
    qtest_add_func("/pvrdma/data/bad-rkey", test_bad_rkey);
    qtest_add_func("/pvrdma/data/drain", test_drain);
    qtest_add_func("/pvrdma/data/reset-with-work", test_reset_with_work);
    qtest_add_func("/pvrdma/data/cq-overflow", test_cq_overflow);
    qtest_add_func("/pvrdma/data/reset-in-traffic", test_reset_in_traffic);
    qtest_add_func("/pvrdma/data/irq-to-self", test_irq_to_self);
}
