/*
 * QTest testcase for pvrdma: each way to start over, at each step of a life
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Afterwards there are no objects, nothing that the device knew is written to,
 * commands are refused, and the driver can begin again.
 */
#include "qemu/osdep.h"
#include "hw/pci/pci_regs.h"
#include "pvrdma-pair.h"
#include "pvrdma-tests.h"
#include "pvrdma-watch.h"

#define NO_RAM 0xfee00000ull
#define MAX_PAGES 16

typedef struct Life {
    PvrdmaGuest *g;
    PvrdmaPair t;              /* if the step has objects */
    PvrdmaPages mem[MAX_PAGES]; /* that the device may write to */
    unsigned n;
} Life;

typedef void Step(Life *l);

static void known(Life *l, PvrdmaPages mem)
{
    g_assert_cmpuint(l->n, <, MAX_PAGES);
    l->mem[l->n++] = mem;
}

static void region_is_known(Life *l)
{
    known(l, (PvrdmaPages) { .addr = l->g->dsr, .n = 1 });
    known(l, (PvrdmaPages) { .addr = l->g->resp, .n = 1 });
    known(l, (PvrdmaPages) { .addr = l->g->async_ring,
                             .n = PVRDMA_RING_PAGES });
    known(l, (PvrdmaPages) { .addr = l->g->cq_ring, .n = PVRDMA_RING_PAGES });
}

/* The steps */

static void step_idle(Life *l)
{
}

static void step_mapped(Life *l)
{
    PvrdmaDsr dsr;

    pvrdma_guest_fill_dsr(l->g, &dsr);
    pvrdma_guest_write_dsr(l->g, &dsr);
    pvrdma_guest_map_dsr(l->g, l->g->dsr);
    region_is_known(l);
}

static void step_active(Life *l)
{
    pvrdma_guest_setup(l->g);
    region_is_known(l);
}

/* One of everything, of the kernel and of a process */
static void step_objects(Life *l)
{
    uint32_t uc, pd;
    PvrdmaTestCq cq;
    PvrdmaTestSrq srq;

    l->t = pair_on(l->g, PVRDMA_QPT_RC, 0);
    region_is_known(l);
    uc = pvrdma_uc_new(l->g, 1);
    pd = pvrdma_pd_new(l->g, uc);
    cq = pvrdma_cq_new(l->g, uc, 16);
    srq = pvrdma_srq_new(l->g, pd, 8);
    pvrdma_qp_new_srq(l->g, pd, PVRDMA_QPT_RC, cq.handle, cq.handle,
                      srq.handle);
    for (int i = 0; i < 2; i++) {
        known(l, l->t.qp[i].mem);
        known(l, l->t.cq[i].mem);
    }
    known(l, l->t.mr.mem);
    known(l, cq.mem);
    known(l, srq.mem);
}

/* Writes and reads on their way, sends that wait for receives and timers */
static void step_traffic(Life *l)
{
    PvrdmaPair *t = &l->t;
    PvrdmaWireSendWr write = pair_send_wr(PVRDMA_WR_RDMA_WRITE);
    PvrdmaWireSendWr read = pair_send_wr(PVRDMA_WR_RDMA_READ);
    PvrdmaWireSendWr send = pair_send_wr(PVRDMA_WR_SEND);

    step_objects(l);
    read.wr.rdma.remote_addr = write.wr.rdma.remote_addr = t->va + PAIR_RECV;
    read.wr.rdma.rkey = write.wr.rdma.rkey = t->mr.rkey;
    for (int i = 0; i < 6; i++) {
        pair_send(t, 0, i & 1 ? &read : &write, 0, PAIR_RECV);
    }
    pair_send(t, 1, &send, 0, 64);
    for (int i = 0; i < 2; i++) {
        pair_recv(t, 0, PAIR_RECV, 64, i);
        pvrdma_uar_write(l->g, 0, PVRDMA_UAR_CQ,
                         PVRDMA_UAR_CQ_ARM | t->cq[i].handle);
    }
}

/* The guest's indices say that its rings are full, and more is to come. */
static void step_rings_full(Life *l)
{
    step_traffic(l);
    qtest_writel(l->g->qts, l->g->async_ring + PVRDMA_RING2_HEAD, 512);
    qtest_writel(l->g->qts, l->g->cq_ring + PVRDMA_RING2_HEAD, 1024);
    qtest_writel(l->g->qts, l->t.qp[1].mem.addr + PVRDMA_RING1_TAIL, 77);
    pvrdma_uar_write(l->g, 0, PVRDMA_UAR_QP,
                     PVRDMA_UAR_QP_SEND | l->t.qp[1].handle);
}

/* Receives to be flushed, SQD that waits, a CQ that overflowed */
static void step_errors(Life *l)
{
    step_traffic(l);
    pvrdma_qp_to(l->g, l->t.qp[0].handle, PVRDMA_QPS_ERR);
    pvrdma_qp_to(l->g, l->t.qp[1].handle, PVRDMA_QPS_SQD);
    qtest_writel(l->g->qts, l->t.cq[1].mem.addr + PVRDMA_RING2_HEAD,
                 UINT32_MAX);
    pvrdma_uar_write(l->g, 0, PVRDMA_UAR_CQ,
                     PVRDMA_UAR_CQ_POLL | l->t.cq[1].handle);
}

/* A PD is made, but the guest's slot for its handle is none. */
static void step_slot_bad(Life *l)
{
    PvrdmaReq req = { .hdr.cmd = PVRDMA_CMD_CREATE_PD };
    PvrdmaDsr dsr;

    pvrdma_guest_fill_dsr(l->g, &dsr);
    dsr.resp_slot_dma = NO_RAM;
    pvrdma_guest_write_dsr(l->g, &dsr);
    pvrdma_guest_map_dsr(l->g, l->g->dsr);
    pvrdma_reg_write(l->g, PVRDMA_REG_CTL, PVRDMA_CTL_ACTIVATE);
    qtest_memwrite(l->g->qts, l->g->req, &req, sizeof(req));
    pvrdma_reg_write(l->g, PVRDMA_REG_REQUEST, 0);
    g_assert_cmpuint(pvrdma_reg_read(l->g, PVRDMA_REG_ERR), !=, 0);
    region_is_known(l);
}

/* The ways */

static void by_ctl(PvrdmaGuest *g)
{
    pvrdma_reg_write(g, PVRDMA_REG_CTL, PVRDMA_CTL_RESET);
}

static void by_bad_region(PvrdmaGuest *g)
{
    pvrdma_guest_map_dsr(g, NO_RAM);
}

static void by_bus_master(PvrdmaGuest *g)
{
    uint16_t cmd = qpci_config_readw(g->dev, PCI_COMMAND);

    qpci_config_writew(g->dev, PCI_COMMAND, cmd & ~PCI_COMMAND_MASTER);
    qpci_config_writew(g->dev, PCI_COMMAND, cmd | PCI_COMMAND_MASTER);
}

static void by_machine(PvrdmaGuest *g)
{
    qtest_system_reset(g->qts);
    pvrdma_guest_enable(g);
}

static void (*const ways[])(PvrdmaGuest *g) = {
    by_ctl, by_bad_region, by_bus_master, by_machine,
};

static void let_time_pass(PvrdmaGuest *g)
{
    for (int i = 0; i < 10; i++) {
        qtest_clock_step(g->qts, 200 * 1000 * 1000);
    }
}

static void check_gone(Life *l)
{
    PvrdmaReq req = { .query_port.port_num = 1 };
    PvrdmaGuest *g = l->g;

    watch_empty(g);
    for (unsigned i = 0; i < l->n; i++) {
        watch_mark(g, &l->mem[i]);
    }
    qtest_memwrite(g->qts, g->req, &req, sizeof(req));
    pvrdma_reg_write(g, PVRDMA_REG_REQUEST, 0);
    g_assert_cmpuint(pvrdma_reg_read(g, PVRDMA_REG_ERR), !=, 0);
    for (uint32_t handle = 1; handle < 4; handle++) {
        pvrdma_uar_write(g, 0, PVRDMA_UAR_QP, 3u << 30 | handle);
        pvrdma_uar_write(g, 0, PVRDMA_UAR_CQ, 7u << 29 | handle);
        pvrdma_uar_write(g, 0, PVRDMA_UAR_SRQ, 1u << 30 | handle);
    }
    let_time_pass(g);
    for (unsigned i = 0; i < l->n; i++) {
        watch_marked(g, &l->mem[i]);
    }
}

/* All of it works again, also without the way back to the beginning. */
static void check_begins_again(Life *l)
{
    PvrdmaPair t = pair_on(l->g, PVRDMA_QPT_RC, 0);
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_SEND);

    pair_recv(&t, 1, PAIR_RECV, 2000, 1);
    pair_send(&t, 0, &wr, 0, 2000);
    pair_sent(&t, PVRDMA_WC_OP_SEND);
    g_assert_cmpuint(pair_status(&t, 1), ==, PVRDMA_WC_SUCCESS);
    pvrdma_event_none(l->g);
}

static void test_step(gconstpointer data)
{
    Step *step = (Step *)data;
    Life l = { .g = pvrdma_guest_new() };

    for (unsigned i = 0; i < ARRAY_SIZE(ways); i++) {
        g_test_message("way %u", i);
        l.n = 0;
        step(&l);
        ways[i](l.g);
        check_gone(&l);
        check_begins_again(&l);
    }
    /* and a new region, with no end of the old one */
    l.n = 0;
    step(&l);
    check_begins_again(&l);
    pvrdma_guest_free(l.g);
}

void pvrdma_add_step_tests(void)
{
    qtest_add_data_func("/pvrdma/step/idle", step_idle, test_step);
    qtest_add_data_func("/pvrdma/step/mapped", step_mapped, test_step);
    qtest_add_data_func("/pvrdma/step/active", step_active, test_step);
    qtest_add_data_func("/pvrdma/step/objects", step_objects, test_step);
    qtest_add_data_func("/pvrdma/step/traffic", step_traffic, test_step);
    qtest_add_data_func("/pvrdma/step/rings-full", step_rings_full, test_step);
    qtest_add_data_func("/pvrdma/step/errors", step_errors, test_step);
    qtest_add_data_func("/pvrdma/step/slot-bad", step_slot_bad, test_step);
}
