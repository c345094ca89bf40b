/*
 * QTest testcase for pvrdma: fast registration, all of memory, MRs that go
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "pvrdma-pair.h"
#include "pvrdma-tests.h"

#define FAST_IOVA 0x5550000123ull
#define FAST_PAGES 4

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

static void fast_register(PvrdmaPair *t, FastMr *mr)
{
    PvrdmaWireSendWr wr = fast_wr(mr);

    pair_send(t, 0, &wr, 0, 0);
    pair_sent(t, PVRDMA_WC_OP_FAST_REG_MR);
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
    pair_sent(t, PVRDMA_WC_OP_RDMA_WRITE);
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
        pair_sent(&t, PVRDMA_WC_OP_LOCAL_INV);
    }
    /* what was invalidated is gone, for peers */
    wr = write_wr(FAST_IOVA, mr.key);
    pair_send(&t, 0, &wr, 0, 8);
    g_assert_cmpuint(pair_status(&t, 0), ==, PVRDMA_WC_REM_ACCESS_ERR);
    pvrdma_event_expect(t.g, PVRDMA_EVENT_QP_ACCESS_ERR, t.qp[1].handle);
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
    pair_sent(&t, PVRDMA_WC_OP_FAST_REG_MR);
    pair_sent(&t, PVRDMA_WC_OP_RDMA_WRITE);
    pair_sent(&t, PVRDMA_WC_OP_LOCAL_INV);
    g_assert_cmpuint(pair_status(&t, 0), ==, PVRDMA_WC_REM_ACCESS_ERR);
    pair_free(&t);
}

static void check_bad_fast(PvrdmaPair *t, const PvrdmaWireSendWr *wr,
                           uint32_t status)
{
    pair_connect(t, PVRDMA_QPT_RC);
    pair_send(t, 0, wr, 0, 0);
    g_assert_cmpuint(pair_status(t, 0), ==, status);
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
    pair_sent(&t, PVRDMA_WC_OP_FAST_REG_MR);
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
    pair_sent(&t, PVRDMA_WC_OP_SEND);
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
    g_assert_cmpuint(pair_status(&t, 0), !=, PVRDMA_WC_SUCCESS);
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
    pair_sent(&t, PVRDMA_WC_OP_SEND);
    g_assert_cmpuint(pair_status(&t, 1), ==, PVRDMA_WC_SUCCESS);
    pair_same(&t, 0, PAIR_RECV, 10000);
    /* not for peers */
    wr = write_wr(t.mr.mem.addr, resp.create_mr.rkey);
    pair_send(&t, 0, &wr, 0, 8);
    g_assert_cmpuint(pair_status(&t, 0), ==, PVRDMA_WC_REM_ACCESS_ERR);
    /* not for what is no memory, such as the device itself */
    pair_connect(&t, PVRDMA_QPT_RC);
    wr = pair_send_wr(PVRDMA_WR_SEND);
    s.addr = t.g->regs.addr;
    s.length = 4;
    pvrdma_post_send(t.g, &t.qp[0], &wr, &s);
    g_assert_cmpuint(pair_status(&t, 0), ==, PVRDMA_WC_LOC_PROT_ERR);
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
    g_assert_cmpuint(pair_status(&t, 1), ==, PVRDMA_WC_LOC_PROT_ERR);
    g_assert_cmpuint(pair_status(&t, 0), !=, PVRDMA_WC_SUCCESS);
    pair_free(&t);
}

void pvrdma_add_mem_tests(void)
{
    qtest_add_func("/pvrdma/soft/fast-reg", test_fast_reg);
    qtest_add_func("/pvrdma/soft/fast-reg-order", test_fast_reg_order);
    qtest_add_func("/pvrdma/soft/fast-reg-bad", test_fast_reg_bad);
    qtest_add_func("/pvrdma/soft/fast-reg-user", test_fast_reg_user);
    qtest_add_func("/pvrdma/soft/send-with-inv", test_send_with_inv);
    qtest_add_func("/pvrdma/soft/dma-mr", test_dma_mr);
    qtest_add_func("/pvrdma/soft/mr-gone", test_mr_gone);
}
