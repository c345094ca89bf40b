/*
 * QTest testcase for pvrdma: what only RDMA in software has: shared receive
 * queues, fast registration, all of memory, QP 1
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "pvrdma-pair.h"
#include "pvrdma-tests.h"

#define SRQ_WRS 8
#define FAST_IOVA 0x5550000123ull
#define FAST_PAGES 4

static uint64_t get_status(PvrdmaPair *t, int i)
{
    return pvrdma_cqe_wait(t->g, &t->cq[i]).status;
}

static void expect_event(PvrdmaGuest *g, uint32_t type, uint32_t info)
{
    PvrdmaWireEvent event = pvrdma_event_wait(g);

    g_assert_cmpuint(event.type, ==, type);
    g_assert_cmpuint(event.info, ==, info);
}

static void expect_no_event(PvrdmaGuest *g)
{
    PvrdmaWireEvent event;

    g_assert_false(pvrdma_event_get(g, &event));
}

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

/* Shared receive queues */

static void check_bad_srq(PvrdmaGuest *g, const PvrdmaReq *good, size_t off,
                          size_t size, uint64_t value)
{
    PvrdmaReq req = *good;

    memcpy((char *)&req + off, &value, size);
    g_test_message("offset %zu value 0x%" PRIx64, off, value);
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_SRQ, &req, NULL), !=, 0);
}

#define BAD_SRQ(field, value) \
    check_bad_srq(g, &good, offsetof(PvrdmaReq, create_srq.field), \
                  sizeof(good.create_srq.field), (value))

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
    expect_no_event(t.g);
    send_to_srq(&t, next++);
    expect_event(t.g, PVRDMA_EVENT_SRQ_LIMIT_REACHED, srq.handle);
    send_to_srq(&t, next++);
    expect_no_event(t.g);
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
    expect_event(t.g, PVRDMA_EVENT_QP_LAST_WQE_REACHED, t.qp[1].handle);
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
    expect_no_event(t.g);
    srq.uar = t.uar;
    pvrdma_post_srq(t.g, &srq, &wr, none);
    expect_event(t.g, PVRDMA_EVENT_SRQ_ERR, srq.handle);
    pvrdma_post_srq(t.g, &srq, &wr, none);
    expect_no_event(t.g);
    srq = pvrdma_srq_new(t.g, t.pd, 4);
    qtest_writel(t.g->qts, srq.mem.addr + PVRDMA_RING2_TAIL, 5);
    pvrdma_uar_write(t.g, t.uar, PVRDMA_UAR_SRQ,
                     PVRDMA_UAR_SRQ_RECV | srq.handle);
    expect_event(t.g, PVRDMA_EVENT_SRQ_ERR, srq.handle);
    pair_free(&t);
}

/* Fast registration */

typedef struct FastMr {
    uint32_t handle;
    uint32_t key;
    PvrdmaPages mem;
} FastMr;

static PvrdmaReq fast_req(uint32_t pd, uint32_t pages)
{
    return (PvrdmaReq) {
        .create_mr = {
            .pd_handle = pd,
            .flags = PVRDMA_MR_FLAG_FRMR,
            .nchunks = pages,
        },
    };
}

static FastMr fast_new(PvrdmaPair *t)
{
    PvrdmaReq req = fast_req(t->pd, FAST_PAGES);
    PvrdmaResp resp;

    g_assert_cmpuint(pvrdma_cmd(t->g, PVRDMA_CMD_CREATE_MR, &req, &resp), ==,
                     0);
    g_assert_cmphex(resp.create_mr.lkey, ==, resp.create_mr.rkey);
    return (FastMr) {
        .handle = resp.create_mr.mr_handle,
        .key = resp.create_mr.rkey,
        .mem = pvrdma_pages(t->g, FAST_PAGES),
    };
}

/* All of its pages, from an address within the first one; a new key */
static PvrdmaWireSendWr fast_wr(FastMr *mr)
{
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_FAST_REG_MR);

    mr->key = (mr->key & ~0xffu) | ((mr->key + 1) & 0xff);
    wr.num_sge = 77; /* stale */
    memset(&wr.wr, 0, sizeof(wr.wr));
    wr.wr.fast_reg.iova_start = FAST_IOVA;
    wr.wr.fast_reg.pl_pdir_dma = mr->mem.pdir;
    wr.wr.fast_reg.page_shift = 12;
    wr.wr.fast_reg.page_list_len = FAST_PAGES;
    wr.wr.fast_reg.length = FAST_PAGES * PVRDMA_PAGE -
                            FAST_IOVA % PVRDMA_PAGE;
    wr.wr.fast_reg.access_flags = PVRDMA_ACCESS_MASK;
    wr.wr.fast_reg.rkey = mr->key;
    return wr;
}

static void expect_send(PvrdmaPair *t, uint32_t opcode)
{
    PvrdmaWireCqe cqe = pvrdma_cqe_wait(t->g, &t->cq[0]);

    check_cqe(&cqe, &t->qp[0], PAIR_WR_ID, opcode);
}

static void fast_register(PvrdmaPair *t, FastMr *mr)
{
    PvrdmaWireSendWr wr = fast_wr(mr);

    pair_send(t, 0, &wr, 0, 0);
    expect_send(t, PVRDMA_WC_OP_FAST_REG_MR);
}

static PvrdmaWireSendWr write_wr(uint64_t addr, uint32_t rkey)
{
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_RDMA_WRITE);

    wr.wr.rdma.remote_addr = addr;
    wr.wr.rdma.rkey = rkey;
    return wr;
}

/* A write through the key lands where the pages say. */
static void check_fast_write(PvrdmaPair *t, const FastMr *mr)
{
    PvrdmaWireSendWr wr = write_wr(FAST_IOVA + 5000, mr->key);
    uint8_t a[6000], b[6000];

    pair_fill(t, 0, sizeof(a), mr->key);
    pair_send(t, 0, &wr, 0, sizeof(a));
    expect_send(t, PVRDMA_WC_OP_RDMA_WRITE);
    qtest_memread(t->g->qts, t->mr.mem.addr, a, sizeof(a));
    qtest_memread(t->g->qts, mr->mem.addr + FAST_IOVA % PVRDMA_PAGE + 5000, b,
                  sizeof(b));
    g_assert_cmpmem(a, sizeof(a), b, sizeof(b));
}

static void invalidate(PvrdmaPair *t, uint32_t key)
{
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_LOCAL_INV);

    wr.num_sge = 77;
    wr.ex = key;
    pair_send(t, 0, &wr, 0, 0);
}

static void test_fast_reg(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    FastMr mr = fast_new(&t);
    PvrdmaWireSendWr wr;

    for (int i = 0; i < 5; i++) {
        fast_register(&t, &mr);
        check_fast_write(&t, &mr);
        invalidate(&t, mr.key);
        expect_send(&t, PVRDMA_WC_OP_LOCAL_INV);
    }
    /* what was invalidated is gone, for peers */
    wr = write_wr(FAST_IOVA, mr.key);
    pair_send(&t, 0, &wr, 0, 8);
    g_assert_cmpuint(get_status(&t, 0), ==, PVRDMA_WC_REM_ACCESS_ERR);
    expect_event(t.g, PVRDMA_EVENT_QP_ACCESS_ERR, t.qp[1].handle);
    g_assert_cmpuint(pvrdma_cmd_handle(t.g, PVRDMA_CMD_DESTROY_MR, mr.handle),
                     ==, 0);
    pair_free(&t);
}

/* In the order of the queue: the write that follows uses the new key. */
static void test_fast_reg_order(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    FastMr mr = fast_new(&t);
    uint32_t at = t.qp[0].mem.addr + PVRDMA_RING1_TAIL;
    PvrdmaWireSendWr reg = fast_wr(&mr), wr;
    uint32_t tail;

    wr = write_wr(FAST_IOVA, mr.key);
    pair_send(&t, 0, &reg, 0, 0);
    pair_send(&t, 0, &wr, 0, 64);
    invalidate(&t, mr.key);
    pair_send(&t, 0, &wr, 0, 64);
    tail = qtest_readl(t.g->qts, at);
    g_assert_cmpuint(tail, ==, 4);
    expect_send(&t, PVRDMA_WC_OP_FAST_REG_MR);
    expect_send(&t, PVRDMA_WC_OP_RDMA_WRITE);
    expect_send(&t, PVRDMA_WC_OP_LOCAL_INV);
    g_assert_cmpuint(get_status(&t, 0), ==, PVRDMA_WC_REM_ACCESS_ERR);
    pair_free(&t);
}

static void check_bad_fast(PvrdmaPair *t, const PvrdmaWireSendWr *wr,
                           uint32_t status)
{
    pair_connect(t, PVRDMA_QPT_RC);
    pair_send(t, 0, wr, 0, 0);
    g_assert_cmpuint(get_status(t, 0), ==, status);
    g_assert_cmpuint(pvrdma_qp_query(t->g, t->qp[0].handle).qp_state, ==,
                     PVRDMA_QPS_ERR);
}

static void test_fast_reg_bad(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    FastMr mr = fast_new(&t);
    PvrdmaWireSendWr good = fast_wr(&mr), wr;
    PvrdmaReq req = fast_req(t.pd, 129);

    g_assert_cmpuint(pvrdma_cmd(t.g, PVRDMA_CMD_CREATE_MR, &req, NULL), !=, 0);
    req.create_mr.nchunks = 0;
    g_assert_cmpuint(pvrdma_cmd(t.g, PVRDMA_CMD_CREATE_MR, &req, NULL), !=, 0);
#define BAD(field, value, status) \
    do { \
        wr = good; \
        wr.wr.fast_reg.field = (value); \
        check_bad_fast(&t, &wr, PVRDMA_WC_##status); \
    } while (0)
    BAD(page_shift, 13, LOC_QP_OP_ERR);
    BAD(page_list_len, 0, MW_BIND_ERR);
    BAD(page_list_len, FAST_PAGES + 1, MW_BIND_ERR);
    BAD(page_list_len, UINT32_MAX, MW_BIND_ERR);
    BAD(length, 0, MW_BIND_ERR);
    BAD(length, FAST_PAGES * PVRDMA_PAGE, MW_BIND_ERR);
    BAD(iova_start, UINT64_MAX - 10, MW_BIND_ERR);
    BAD(pl_pdir_dma, 0, MW_BIND_ERR);
    BAD(pl_pdir_dma, t.g->regs.addr, MW_BIND_ERR);
    BAD(rkey, 0, MW_BIND_ERR);
    BAD(rkey, UINT32_MAX, MW_BIND_ERR);
    BAD(rkey, t.mr.rkey, MW_BIND_ERR); /* not such an MR */
#undef BAD
    pair_connect(&t, PVRDMA_QPT_RC);
    pair_send(&t, 0, &good, 0, 0);
    expect_send(&t, PVRDMA_WC_OP_FAST_REG_MR);
    good.wr.fast_reg.rkey ^= 1;
    check_bad_fast(&t, &good, PVRDMA_WC_MW_BIND_ERR); /* in use */
    wr = pair_send_wr(PVRDMA_WR_LOCAL_INV);
    wr.ex = mr.key ^ 1;
    check_bad_fast(&t, &wr, PVRDMA_WC_MW_BIND_ERR);
    wr.ex = t.mr.rkey;
    check_bad_fast(&t, &wr, PVRDMA_WC_MW_BIND_ERR);
    pair_free(&t);
}

/* Whoever could name bus addresses would have all of memory. */
static void test_fast_reg_user(void)
{
    PvrdmaPair t = pair_new_user(PVRDMA_QPT_RC);
    const uint32_t opcodes[] = {
        PVRDMA_WR_SEND_WITH_INV, PVRDMA_WR_LOCAL_INV, PVRDMA_WR_FAST_REG_MR,
    };
    PvrdmaReq req = fast_req(t.pd, 1);
    PvrdmaWireSendWr wr;

    g_assert_cmpuint(pvrdma_cmd(t.g, PVRDMA_CMD_CREATE_MR, &req, NULL), !=, 0);
    for (unsigned i = 0; i < ARRAY_SIZE(opcodes); i++) {
        wr = pair_send_wr(opcodes[i]);
        check_bad_fast(&t, &wr, PVRDMA_WC_LOC_QP_OP_ERR);
    }
    pair_free(&t);
}

static void test_send_with_inv(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    FastMr mr = fast_new(&t);
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_SEND_WITH_INV);
    PvrdmaWireCqe cqe;

    fast_register(&t, &mr);
    wr.ex = mr.key;
    pair_recv(&t, 1, PAIR_RECV, 64, 1);
    pair_send(&t, 0, &wr, 0, 64);
    expect_send(&t, PVRDMA_WC_OP_SEND);
    cqe = pvrdma_cqe_wait(t.g, &t.cq[1]);
    check_cqe(&cqe, &t.qp[1], 1, PVRDMA_WC_OP_RECV);
    g_assert_cmphex(cqe.wc_flags, ==, PVRDMA_WC_FLAG_INV);
    g_assert_cmphex(cqe.imm_data, ==, mr.key);
    /* it is free now */
    fast_register(&t, &mr);
    check_fast_write(&t, &mr);
    /* nobody may invalidate an MR that the guest has not registered so */
    wr.ex = t.mr.rkey;
    pair_recv(&t, 1, PAIR_RECV, 64, 2);
    pair_send(&t, 0, &wr, 0, 64);
    g_assert_cmpuint(get_status(&t, 0), !=, PVRDMA_WC_SUCCESS);
    pair_free(&t);
}

/* The kernel's MR of all memory: bus addresses, local access only */
static void test_dma_mr(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaReq req = {
        .create_mr = {
            .pd_handle = t.pd,
            .access_flags = PVRDMA_ACCESS_MASK,
            .flags = PVRDMA_MR_FLAG_DMA,
        },
    };
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_SEND);
    PvrdmaWireRecvWr recv = { .wr_id = 1, .num_sge = 1 };
    PvrdmaWireSge s = { .addr = t.mr.mem.addr, .length = 10000 };
    PvrdmaResp resp;

    g_assert_cmpuint(pvrdma_cmd(t.g, PVRDMA_CMD_CREATE_MR, &req, &resp), ==,
                     0);
    s.lkey = resp.create_mr.lkey;
    pair_fill(&t, 0, 10000, 3);
    s.addr += PAIR_RECV;
    pvrdma_post_recv(t.g, &t.qp[1], &recv, &s);
    s.addr -= PAIR_RECV;
    pvrdma_post_send(t.g, &t.qp[0], &wr, &s);
    expect_send(&t, PVRDMA_WC_OP_SEND);
    g_assert_cmpuint(get_status(&t, 1), ==, PVRDMA_WC_SUCCESS);
    pair_same(&t, 0, PAIR_RECV, 10000);
    /* not for peers */
    wr = write_wr(t.mr.mem.addr, resp.create_mr.rkey);
    pair_send(&t, 0, &wr, 0, 8);
    g_assert_cmpuint(get_status(&t, 0), ==, PVRDMA_WC_REM_ACCESS_ERR);
    /* not for what is no memory, such as the device itself */
    pair_connect(&t, PVRDMA_QPT_RC);
    wr = pair_send_wr(PVRDMA_WR_SEND);
    s.addr = t.g->regs.addr;
    s.length = 4;
    pvrdma_post_send(t.g, &t.qp[0], &wr, &s);
    g_assert_cmpuint(get_status(&t, 0), ==, PVRDMA_WC_LOC_PROT_ERR);
    pair_free(&t);
}

/* An MR that goes while a receive names it: that receive fails. */
static void test_mr_gone(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaTestMr mr = pvrdma_mr_new(t.g, t.pd, 1);
    PvrdmaReq req = pvrdma_req_mr(t.pd, &mr.mem);
    PvrdmaWireRecvWr recv = { .wr_id = 1, .num_sge = 1 };
    PvrdmaWireSge s = {
        .addr = req.create_mr.start, .length = 64, .lkey = mr.lkey,
    };
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_SEND);

    pvrdma_post_recv(t.g, &t.qp[1], &recv, &s);
    g_assert_cmpuint(pvrdma_cmd_handle(t.g, PVRDMA_CMD_DESTROY_MR, mr.handle),
                     ==, 0);
    pair_send(&t, 0, &wr, 0, 64);
    g_assert_cmpuint(get_status(&t, 1), ==, PVRDMA_WC_LOC_PROT_ERR);
    g_assert_cmpuint(get_status(&t, 0), !=, PVRDMA_WC_SUCCESS);
    pair_free(&t);
}

/* Datagrams */

static void check_datagram(PvrdmaPair *t, const uint8_t *gid, uint8_t network)
{
    PvrdmaWireSendWr wr = pair_ud_wr(t, t->qp[1].qpn);
    PvrdmaWireCqe cqe;

    wr.opcode = PVRDMA_WR_SEND_WITH_IMM;
    wr.ex = 0x99887766;
    memcpy(wr.wr.ud.av.dgid, gid, 16);
    wr.wr.ud.av.gid_index = network == PVRDMA_NETWORK_IPV4 ? 1 : 0;
    pair_fill(t, 0, 300, 1);
    pair_recv(t, 1, PAIR_RECV, 340, 7);
    pair_send(t, 0, &wr, 0, 300);
    expect_send(t, PVRDMA_WC_OP_SEND);
    cqe = pvrdma_cqe_wait(t->g, &t->cq[1]);
    check_cqe(&cqe, &t->qp[1], 7, PVRDMA_WC_OP_RECV);
    g_assert_cmpuint(cqe.byte_len, ==, 340);
    g_assert_cmpuint(cqe.src_qp, ==, t->qp[0].qpn);
    g_assert_cmphex(cqe.wc_flags, ==, PVRDMA_WC_FLAG_GRH |
                    PVRDMA_WC_FLAG_IMM | PVRDMA_WC_FLAG_NETWORK);
    g_assert_cmpuint(cqe.network_hdr_type, ==, network);
    g_assert_cmphex(cqe.imm_data, ==, 0x99887766);
    g_assert_cmpuint(cqe.port_num, ==, 1);
    pair_same(t, 0, PAIR_RECV + 40, 300);
}

static void test_ud_headers(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_UD);
    PvrdmaReq req = {
        .create_bind = {
            .mtu = 1024, .vlan = 0xfff, .index = 1, .gid_type = 2,
            .new_gid = { [10] = 0xff, [11] = 0xff, 192, 0, 2, 1 },
        },
    };
    uint8_t own[16], header[40];

    g_assert_cmpuint(pvrdma_cmd(t.g, PVRDMA_CMD_CREATE_BIND, &req, NULL), ==,
                     0);
    pvrdma_own_gid(own);
    check_datagram(&t, own, PVRDMA_NETWORK_IPV6);
    qtest_memread(t.g->qts, t.mr.mem.addr + PAIR_RECV, header, 40);
    g_assert_cmphex(header[0] >> 4, ==, 6);
    g_assert_cmpmem(header + 8, 16, own, 16);
    g_assert_cmpmem(header + 24, 16, own, 16);
    check_datagram(&t, req.create_bind.new_gid, PVRDMA_NETWORK_IPV4);
    qtest_memread(t.g->qts, t.mr.mem.addr + PAIR_RECV, header, 40);
    g_assert_cmphex(header[20], ==, 0x45);
    g_assert_cmpmem(header + 32, 4, req.create_bind.new_gid + 12, 4);
    pair_free(&t);
}

/* A failed send: SQE, the rest is flushed, and back to RTS */
static void test_ud_sqe(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_UD);
    PvrdmaWireSendWr wr = pair_ud_wr(&t, t.qp[1].qpn);
    PvrdmaWireSge bad = pair_sge(&t, 0, 64);

    for (int round = 0; round < 4; round++) {
        /* one that the engine finds, and one that never gets there */
        bad.lkey = round % 2 ? t.mr.lkey : t.mr.lkey ^ 0x100;
        wr.wr.ud.av.gid_index = round % 2 ? 77 : 0;
        pvrdma_post_send(t.g, &t.qp[0], &wr, &bad);
        wr.wr.ud.av.gid_index = 0;
        pair_send(&t, 0, &wr, 0, 64);
        g_assert_cmpuint(get_status(&t, 0), ==, round % 2
                         ? PVRDMA_WC_LOC_QP_OP_ERR : PVRDMA_WC_LOC_PROT_ERR);
        g_assert_cmpuint(get_status(&t, 0), ==, PVRDMA_WC_WR_FLUSH_ERR);
        g_assert_cmpuint(pvrdma_qp_query(t.g, t.qp[0].handle).qp_state, ==,
                         PVRDMA_QPS_SQE);
        pair_recv(&t, 0, PAIR_RECV, 200, 1);
        g_assert_cmpuint(pvrdma_qp_to(t.g, t.qp[0].handle, PVRDMA_QPS_RTS), ==,
                         0);
        pair_recv(&t, 1, PAIR_RECV, 200, round);
        pair_send(&t, 0, &wr, 0, 64);
        expect_send(&t, PVRDMA_WC_OP_SEND);
        g_assert_cmpuint(get_status(&t, 1), ==, PVRDMA_WC_SUCCESS);
    }
    pair_free(&t);
}

/* The kernel's QP 1 sends to itself, as an agent of the guest does. */
static void test_gsi(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_UD);
    PvrdmaWireQpAttr attr = { .qp_state = PVRDMA_QPS_INIT,
                              .qkey = 0x80010000 };
    PvrdmaWireSendWr wr = pair_ud_wr(&t, 1);
    PvrdmaWireCqe cqe;

    t.qp[0] = pvrdma_qp_new(t.g, t.pd, PVRDMA_QPT_GSI, t.cq[0].handle,
                            t.cq[0].handle);
    g_assert_cmpuint(t.qp[0].qpn, ==, 1);
    g_assert_cmpuint(pvrdma_qp_modify(t.g, t.qp[0].handle,
                                      PVRDMA_QP_ATTR_STATE |
                                      PVRDMA_QP_ATTR_PKEY_INDEX |
                                      PVRDMA_QP_ATTR_QKEY, &attr), ==, 0);
    g_assert_cmpuint(pvrdma_qp_to(t.g, t.qp[0].handle, PVRDMA_QPS_RTR), ==, 0);
    attr.qp_state = PVRDMA_QPS_RTS;
    g_assert_cmpuint(pvrdma_qp_modify(t.g, t.qp[0].handle,
                                      PVRDMA_QP_ATTR_STATE |
                                      PVRDMA_QP_ATTR_SQ_PSN, &attr), ==, 0);
    wr.wr.ud.remote_qkey = 0x80010000;
    pair_fill(&t, 0, 256, 9);
    pair_recv(&t, 0, PAIR_RECV, 296, 5);
    pair_send(&t, 0, &wr, 0, 256);
    for (int i = 0; i < 2; i++) {
        cqe = pvrdma_cqe_wait(t.g, &t.cq[0]);
        g_assert_cmpuint(cqe.status, ==, PVRDMA_WC_SUCCESS);
        if (cqe.opcode == PVRDMA_WC_OP_RECV) {
            g_assert_cmpuint(cqe.byte_len, ==, 296);
            g_assert_cmpuint(cqe.src_qp, ==, 1);
        }
    }
    pair_same(&t, 0, PAIR_RECV + 40, 256);
    pair_free(&t);
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
        expect_send(&t, PVRDMA_WC_OP_SEND);
        g_assert_cmpuint(get_status(&t, 1), ==, PVRDMA_WC_SUCCESS);
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
    expect_send(&t, PVRDMA_WC_OP_SEND);
    g_assert_cmpuint(get_status(&t, 1), ==, PVRDMA_WC_SUCCESS);
    /* and with no receive at all, it gives up */
    pair_send(&t, 0, &wr, 0, 64);
    for (int i = 0; i < 10; i++) {
        qtest_clock_step(t.g->qts, 1000000);
    }
    g_assert_cmpuint(get_status(&t, 0), ==, PVRDMA_WC_RNR_RETRY_EXC_ERR);
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
    expect_no_event(t.g);
    g_assert_cmpuint(pvrdma_qp_query(t.g, t.qp[0].handle).sq_draining, ==, 1);
    pair_recv(&t, 1, PAIR_RECV, 64, 1);
    pair_recv(&t, 1, PAIR_RECV, 64, 2);
    qtest_clock_step(t.g->qts, 1000000);
    expect_send(&t, PVRDMA_WC_OP_SEND);
    expect_event(t.g, PVRDMA_EVENT_SQ_DRAINED, t.qp[0].handle);
    pvrdma_cqe_none(t.g, &t.cq[0]);
    g_assert_cmpuint(pvrdma_qp_to(t.g, t.qp[0].handle, PVRDMA_QPS_RTS), ==, 0);
    expect_send(&t, PVRDMA_WC_OP_SEND);
    pair_free(&t);
}

void pvrdma_add_soft_tests(void)
{
    qtest_add_func("/pvrdma/soft/caps", test_caps);
    qtest_add_func("/pvrdma/soft/queue-budget", test_queue_budget);
    qtest_add_func("/pvrdma/soft/srq-commands", test_srq_commands);
    qtest_add_func("/pvrdma/soft/srq", test_srq);
    qtest_add_func("/pvrdma/soft/srq-last-wqe", test_srq_last_wqe);
    qtest_add_func("/pvrdma/soft/srq-broken", test_srq_broken);
    qtest_add_func("/pvrdma/soft/fast-reg", test_fast_reg);
    qtest_add_func("/pvrdma/soft/fast-reg-order", test_fast_reg_order);
    qtest_add_func("/pvrdma/soft/fast-reg-bad", test_fast_reg_bad);
    qtest_add_func("/pvrdma/soft/fast-reg-user", test_fast_reg_user);
    qtest_add_func("/pvrdma/soft/send-with-inv", test_send_with_inv);
    qtest_add_func("/pvrdma/soft/dma-mr", test_dma_mr);
    qtest_add_func("/pvrdma/soft/mr-gone", test_mr_gone);
    qtest_add_func("/pvrdma/soft/ud-headers", test_ud_headers);
    qtest_add_func("/pvrdma/soft/ud-sqe", test_ud_sqe);
    qtest_add_func("/pvrdma/soft/gsi", test_gsi);
    qtest_add_func("/pvrdma/soft/solicited", test_solicited);
    qtest_add_func("/pvrdma/soft/no-poll", test_no_poll);
    qtest_add_func("/pvrdma/soft/rnr", test_rnr);
    qtest_add_func("/pvrdma/soft/sqd", test_sqd);
}
