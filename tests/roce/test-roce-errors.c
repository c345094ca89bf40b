/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests that fail: who hears of it, and what becomes of the rest. */
#include <string.h>

#include "pair.h"
#include "trace.h"

/* Where the responder's memory is not what the request needs. */
typedef struct RemoteCase {
    const char *name;
    uint32_t opcode;
    uint32_t status;               /* at the requester */
    uint32_t event;                /* at the responder */
    void (*spoil)(Pair *p, RoceSendWr *wr);
} RemoteCase;

static void bad_key(Pair *p, RoceSendWr *wr)
{
    wr->u.rdma.rkey ^= 1;
}

static void beyond_end(Pair *p, RoceSendWr *wr)
{
    wr->u.rdma.remote_addr = p->bm->va + p->bm->length - 8;
    p->bm->length -= 4;
}

static void before_start(Pair *p, RoceSendWr *wr)
{
    wr->u.rdma.remote_addr = p->bm->va - 8;
}

static void wraps(Pair *p, RoceSendWr *wr)
{
    wr->u.rdma.remote_addr = -UINT64_C(8);
}

static void other_pd(Pair *p, RoceSendWr *wr)
{
    p->bm->pd = SIM_OTHER_PD;
}

static void mr_local_only(Pair *p, RoceSendWr *wr)
{
    p->bm->access = ROCE_ACCESS_LOCAL_WRITE;
}

static void qp_local_only(Pair *p, RoceSendWr *wr)
{
    RoceQpAttr attr = { .access_flags = ROCE_ACCESS_LOCAL_WRITE };

    sim_qp_modify(p->b, &attr, ROCE_QP_ACCESS_FLAGS);
}

static void invalidated(Pair *p, RoceSendWr *wr)
{
    p->bm->valid = false;
}

static void unaligned(Pair *p, RoceSendWr *wr)
{
    wr->u.rdma.remote_addr += 4;
}

#define EACH(name, spoil) \
    { "WRITE " name, ROCE_WR_RDMA_WRITE, ROCE_WC_REM_ACCESS_ERR, \
      ROCE_EVENT_QP_ACCESS_ERR, spoil }, \
    { "WRITE with immediate " name, ROCE_WR_RDMA_WRITE_WITH_IMM, \
      ROCE_WC_REM_ACCESS_ERR, ROCE_EVENT_QP_ACCESS_ERR, spoil }, \
    { "READ " name, ROCE_WR_RDMA_READ, ROCE_WC_REM_ACCESS_ERR, \
      ROCE_EVENT_QP_ACCESS_ERR, spoil }, \
    { "compare and swap " name, ROCE_WR_ATOMIC_CMP_AND_SWP, \
      ROCE_WC_REM_ACCESS_ERR, ROCE_EVENT_QP_ACCESS_ERR, spoil }, \
    { "fetch and add " name, ROCE_WR_ATOMIC_FETCH_AND_ADD, \
      ROCE_WC_REM_ACCESS_ERR, ROCE_EVENT_QP_ACCESS_ERR, spoil }

static const RemoteCase remote_cases[] = {
    EACH("with a key of nothing", bad_key),
    EACH("beyond the end", beyond_end),
    EACH("before the start", before_start),
    EACH("around the end of the address space", wraps),
    EACH("of another PD", other_pd),
    EACH("not allowed by the MR", mr_local_only),
    EACH("not allowed by the QP", qp_local_only),
    EACH("of an MR that is invalid", invalidated),
    { "unaligned compare and swap", ROCE_WR_ATOMIC_CMP_AND_SWP,
      ROCE_WC_REM_INV_REQ_ERR, ROCE_EVENT_QP_REQ_ERR, unaligned },
    { "unaligned fetch and add", ROCE_WR_ATOMIC_FETCH_AND_ADD,
      ROCE_WC_REM_INV_REQ_ERR, ROCE_EVENT_QP_REQ_ERR, unaligned },
};

static unsigned all_events(const SimQp *qp)
{
    return sim_events(qp, ROCE_EVENT_QP_FATAL) +
           sim_events(qp, ROCE_EVENT_QP_REQ_ERR) +
           sim_events(qp, ROCE_EVENT_QP_ACCESS_ERR);
}

static void expect_flushed(SimCq *cq, uint64_t first, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        sim_cq_expect(cq, first + i, ROCE_WC_WR_FLUSH_ERR, 0);
    }
    sim_cq_expect_none(cq);
}

static bool all_bytes(const SimMr *mr, uint8_t byte)
{
    return mr->host[0] == byte &&
           !memcmp(mr->host, mr->host + 1, mr->length - 1);
}

/* One good WRITE before and two after; receives are posted at both ends. */
static void remote_error(const RemoteCase *c)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);
    RoceSendWr wr = pair_wr(p, c->opcode, 2, 64, 8);
    SimMr *good = sim_mr_new(p->b->node, SIM_PD, 8, SIM_ALL_ACCESS);
    RoceSendWr before = pair_wr(p, ROCE_WR_RDMA_WRITE, 1, 0, 1);

    g_test_message("%s", c->name);
    before.u.rdma.remote_addr = good->va;
    before.u.rdma.rkey = good->key;
    if (c->spoil == qp_local_only) {
        before.opcode = ROCE_WR_SEND;
    }
    for (unsigned i = 0; i < 4; i++) {
        sim_post_recv(p->a, 10 + i, p->am, 0, 8);
        sim_post_recv(p->b, 20 + i, good, 0, 8);
    }
    c->spoil(p, &wr);
    memset(p->bm->host, 0x5a, p->bm->length);
    memset(p->am->host, 0xa5, p->am->length);
    sim_post_send(p->a, &before);
    sim_post_send(p->a, &wr);
    pair_post(p, ROCE_WR_RDMA_WRITE, 3, 128, 8);
    pair_post(p, ROCE_WR_SEND, 4, 128, 8);
    sim_settle(p->sim);
    sim_cq_expect(&p->a->send_cq, 1, ROCE_WC_SUCCESS,
                  c->spoil == qp_local_only ? ROCE_WC_SEND
                                            : ROCE_WC_RDMA_WRITE);
    sim_cq_expect(&p->a->send_cq, 2, c->status, 0);
    expect_flushed(&p->a->send_cq, 3, 2);
    expect_flushed(&p->a->recv_cq, 10, 4);
    if (c->spoil == qp_local_only) {
        sim_cq_expect(&p->b->recv_cq, 20, ROCE_WC_SUCCESS, ROCE_WC_RECV);
        expect_flushed(&p->b->recv_cq, 21, 3);
    } else {
        expect_flushed(&p->b->recv_cq, 20, 4);
    }
    g_assert_cmpuint(sim_qp_state(p->a), ==, ROCE_QPS_ERR);
    g_assert_cmpuint(sim_qp_state(p->b), ==, ROCE_QPS_ERR);
    g_assert_cmpuint(sim_events(p->b, c->event), ==, 1);
    g_assert_cmpuint(all_events(p->b), ==, 1);
    g_assert_cmpuint(all_events(p->a), ==, 0);
    g_assert_true(all_bytes(p->bm, 0x5a));
    g_assert_true(all_bytes(p->am, 0xa5));
}

static void test_remote_errors(void)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(remote_cases); i++) {
        remote_error(&remote_cases[i]);
    }
}

/* A WRITE of many packets writes nothing if its end is out of bounds. */
static void test_long_write_out_of_bounds(void)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);

    p->bm->length = 65535;
    memset(p->am->host, 1, 65536);
    pair_post(p, ROCE_WR_RDMA_WRITE, 1, 0, 65536);
    sim_settle(p->sim);
    sim_cq_expect(&p->a->send_cq, 1, ROCE_WC_REM_ACCESS_ERR, 0);
    g_assert_cmphex(p->bm->host[0], ==, 0);
}

/* Access that goes away under way stops it. */
static bool take_away(const TraceEntry *e, void *opaque)
{
    Pair *p = opaque;

    if (e->pkt.opcode == ROCE_OP_WRITE_MIDDLE ||
        e->pkt.opcode == ROCE_OP_READ_RESP_MIDDLE) {
        p->bm->valid = false;
    }
    return false;
}

static void test_revoked(void)
{
    static const uint32_t opcodes[] = { ROCE_WR_RDMA_WRITE, ROCE_WR_RDMA_READ };

    for (unsigned i = 0; i < 2; i++) {
        SimWire wire = { .delay = SIM_US, .room = 2 };
        g_autoptr(Pair) p = pair_new(&wire, &sim_link);
        g_autoptr(Trace) t = trace_new(p->sim);

        t->lose = take_away;
        t->opaque = p;
        pair_post(p, opcodes[i], 1, 0, 65536);
        sim_settle(p->sim);
        sim_cq_expect(&p->a->send_cq, 1, ROCE_WC_REM_ACCESS_ERR, 0);
        g_assert_cmpuint(sim_events(p->b, ROCE_EVENT_QP_ACCESS_ERR), ==, 1);
        g_assert_cmpuint(sim_qp_state(p->b), ==, ROCE_QPS_ERR);
    }
}

/* What the requester itself finds; the peer does not notice. */
typedef struct LocalCase {
    const char *name;
    uint32_t opcode;
    uint32_t status;
    void (*spoil)(Pair *p, RoceSendWr *wr);
} LocalCase;

static void bad_sge_key(Pair *p, RoceSendWr *wr)
{
    wr->sge[0].key ^= 1;
}

static void bad_sge_end(Pair *p, RoceSendWr *wr)
{
    wr->sge[0].addr = p->am->va + p->am->length - 4;
}

static void bad_second_sge(Pair *p, RoceSendWr *wr)
{
    wr->num_sge = 2;
    wr->sge[0].length -= 4;
    wr->sge[1] = (RoceSge){ 0, 4, 0 };
}

static void sge_of_other_pd(Pair *p, RoceSendWr *wr)
{
    p->am->pd = SIM_OTHER_PD;
}

static void sge_read_only(Pair *p, RoceSendWr *wr)
{
    p->am->access = 0;
}

static void too_long(Pair *p, RoceSendWr *wr)
{
    wr->num_sge = 2;
    wr->sge[0].length = ROCE_MAX_MSG;
    wr->sge[1] = sim_sge(p->am, 0, 1);
}

static void not_eight(Pair *p, RoceSendWr *wr)
{
    wr->sge[0].length = 7;
}

static void no_reads(Pair *p, RoceSendWr *wr)
{
    RoceQpAttr attr = { .max_rd_atomic = 0 };

    sim_qp_modify(p->a, &attr, ROCE_QP_MAX_QP_RD_ATOMIC);
}

static void no_such_mr(Pair *p, RoceSendWr *wr)
{
    wr->num_sge = 0;
    wr->u.invalidate_key = 0x123;
}

static const LocalCase local_cases[] = {
    { "SEND of no key", ROCE_WR_SEND, ROCE_WC_LOC_PROT_ERR, bad_sge_key },
    { "WRITE of no key", ROCE_WR_RDMA_WRITE, ROCE_WC_LOC_PROT_ERR,
      bad_sge_key },
    { "READ to no key", ROCE_WR_RDMA_READ, ROCE_WC_LOC_PROT_ERR, bad_sge_key },
    { "atomic to no key", ROCE_WR_ATOMIC_FETCH_AND_ADD, ROCE_WC_LOC_PROT_ERR,
      bad_sge_key },
    { "SEND beyond the end", ROCE_WR_SEND, ROCE_WC_LOC_PROT_ERR, bad_sge_end },
    { "READ beyond the end", ROCE_WR_RDMA_READ, ROCE_WC_LOC_PROT_ERR,
      bad_sge_end },
    { "SEND, second SGE", ROCE_WR_SEND, ROCE_WC_LOC_PROT_ERR, bad_second_sge },
    { "READ, second SGE", ROCE_WR_RDMA_READ, ROCE_WC_LOC_PROT_ERR,
      bad_second_sge },
    { "SEND of another PD", ROCE_WR_SEND, ROCE_WC_LOC_PROT_ERR,
      sge_of_other_pd },
    { "READ to read-only memory", ROCE_WR_RDMA_READ, ROCE_WC_LOC_PROT_ERR,
      sge_read_only },
    { "atomic to read-only memory", ROCE_WR_ATOMIC_CMP_AND_SWP,
      ROCE_WC_LOC_PROT_ERR, sge_read_only },
    { "SEND too long", ROCE_WR_SEND, ROCE_WC_LOC_LEN_ERR, too_long },
    { "WRITE too long", ROCE_WR_RDMA_WRITE, ROCE_WC_LOC_LEN_ERR, too_long },
    { "READ too long", ROCE_WR_RDMA_READ, ROCE_WC_LOC_LEN_ERR, too_long },
    { "atomic of seven bytes", ROCE_WR_ATOMIC_FETCH_AND_ADD,
      ROCE_WC_LOC_LEN_ERR, not_eight },
    { "READ without resources", ROCE_WR_RDMA_READ, ROCE_WC_LOC_QP_OP_ERR,
      no_reads },
    { "LOCAL_INV of nothing", ROCE_WR_LOCAL_INV, ROCE_WC_MW_BIND_ERR,
      no_such_mr },
    { "FAST_REG of nothing", ROCE_WR_FAST_REG_MR, ROCE_WC_MW_BIND_ERR,
      no_such_mr },
};

static void local_error(const LocalCase *c)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);
    RoceSendWr wr = pair_wr(p, c->opcode, 2, 0, 8);
    SimMr *good = sim_mr_new(p->a->node, SIM_PD, 8, 0);
    RoceSendWr before = pair_wr(p, ROCE_WR_RDMA_WRITE, 1, 0, 8);

    g_test_message("%s", c->name);
    before.sge[0] = sim_sge(good, 0, 8);
    sim_post_recv(p->a, 10, p->am, 0, 8);
    sim_post_recv(p->b, 20, p->bm, 0, 8);
    c->spoil(p, &wr);
    sim_post_send(p->a, &before);
    sim_post_send(p->a, &wr);
    pair_post(p, ROCE_WR_RDMA_WRITE, 3, 0, 8);
    sim_settle(p->sim);
    sim_cq_expect(&p->a->send_cq, 1, ROCE_WC_SUCCESS, ROCE_WC_RDMA_WRITE);
    sim_cq_expect(&p->a->send_cq, 2, c->status, 0);
    expect_flushed(&p->a->send_cq, 3, 1);
    expect_flushed(&p->a->recv_cq, 10, 1);
    sim_cq_expect_none(&p->b->recv_cq);
    g_assert_cmpuint(sim_qp_state(p->a), ==, ROCE_QPS_ERR);
    g_assert_cmpuint(sim_qp_state(p->b), ==, ROCE_QPS_RTS);
    g_assert_cmpuint(all_events(p->b), ==, 0);
}

static void test_local_errors(void)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(local_cases); i++) {
        local_error(&local_cases[i]);
    }
}

/* Reading is all that a send needs. */
static void test_read_only_is_enough(void)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);

    p->am->access = 0;
    sim_post_recv(p->b, 20, p->bm, 0, 8);
    pair_post(p, ROCE_WR_SEND, 1, 0, 8);
    pair_post(p, ROCE_WR_RDMA_WRITE, 2, 0, 8);
    sim_settle(p->sim);
    sim_cq_expect(&p->a->send_cq, 1, ROCE_WC_SUCCESS, ROCE_WC_SEND);
    sim_cq_expect(&p->a->send_cq, 2, ROCE_WC_SUCCESS, ROCE_WC_RDMA_WRITE);
    sim_cq_expect(&p->b->recv_cq, 20, ROCE_WC_SUCCESS, ROCE_WC_RECV);
    pair_expect_quiet(p);
}

/* Receives that do not fit what comes */
static void receive_error(RoceSge sge, Pair *p, uint32_t len,
                          uint32_t recv_status, uint32_t send_status)
{
    RoceRecvWr recv = { .wr_id = 20, .num_sge = 1, .sge[0] = sge };

    g_assert_cmpint(roce_post_recv(p->b->qp, &recv), ==, 0);
    sim_post_recv(p->b, 21, p->bm, 0, 8);
    pair_post(p, ROCE_WR_SEND, 1, 0, len);
    pair_post(p, ROCE_WR_SEND, 2, 0, 8);
    sim_settle(p->sim);
    sim_cq_expect(&p->b->recv_cq, 20, recv_status, 0);
    expect_flushed(&p->b->recv_cq, 21, 1);
    sim_cq_expect(&p->a->send_cq, 1, send_status, 0);
    expect_flushed(&p->a->send_cq, 2, 1);
    g_assert_cmpuint(sim_qp_state(p->b), ==, ROCE_QPS_ERR);
    g_assert_cmpuint(sim_qp_state(p->a), ==, ROCE_QPS_ERR);
}

static void test_receive_too_small(void)
{
    static const uint32_t lengths[] = { 1, 100, 1024, 1025, 65536 };

    for (unsigned i = 0; i < G_N_ELEMENTS(lengths); i++) {
        g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);

        receive_error(sim_sge(p->bm, 0, lengths[i] - 1), p, lengths[i],
                      ROCE_WC_LOC_LEN_ERR, ROCE_WC_REM_INV_REQ_ERR);
        g_assert_cmphex(p->bm->host[lengths[i]], ==, 0);
    }
}

static void test_receive_protected(void)
{
    for (unsigned i = 0; i < 3; i++) {
        g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);
        RoceSge sge = sim_sge(p->bm, 0, 64);

        if (i == 0) {
            sge.key ^= 1;
        } else if (i == 1) {
            p->bm->access &= ~ROCE_ACCESS_LOCAL_WRITE;
        } else {
            p->bm->pd = SIM_OTHER_PD;
        }
        receive_error(sge, p, 64, ROCE_WC_LOC_PROT_ERR, ROCE_WC_REM_OP_ERR);
    }
}

/* More READs than the responder holds break the protocol. */
static void test_too_many_reads(void)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);
    RoceQpAttr attr = { .max_dest_rd_atomic = 1 };

    sim_qp_modify(p->b, &attr, ROCE_QP_MAX_DEST_RD_ATOMIC);
    p->sim->wire.room = 4;
    for (unsigned i = 0; i < 4; i++) {
        pair_post(p, ROCE_WR_RDMA_READ, i, 0, 65536);
    }
    sim_settle(p->sim);
    sim_cq_expect(&p->a->send_cq, 0, ROCE_WC_SUCCESS, ROCE_WC_RDMA_READ);
    sim_cq_expect(&p->a->send_cq, 1, ROCE_WC_REM_INV_REQ_ERR, 0);
    expect_flushed(&p->a->send_cq, 2, 2);
    g_assert_cmpuint(sim_events(p->b, ROCE_EVENT_QP_REQ_ERR), ==, 1);
}

/* Invalidation */

static void test_fast_register(void)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);
    SimMr *mr = sim_mr_new(p->a->node, SIM_PD, 4096, 0);
    RoceSendWr reg = { .wr_id = 1, .opcode = ROCE_WR_FAST_REG_MR };
    RoceSendWr use = pair_wr(p, ROCE_WR_RDMA_READ, 2, 0, 4096);
    RoceSendWr inv = { .wr_id = 3, .opcode = ROCE_WR_LOCAL_INV };

    mr->valid = false;
    reg.u.fast_reg.iova = 0x7000;
    reg.u.fast_reg.length = 4096;
    reg.u.fast_reg.access = ROCE_ACCESS_LOCAL_WRITE;
    reg.u.fast_reg.key = inv.u.invalidate_key = mr->key;
    sim_fill(p->bm->host, 4096, 8);
    use.sge[0] = (RoceSge){ 0x7000, 4096, mr->key };
    for (unsigned i = 0; i < 2; i++) {
        sim_post_send(p->a, &reg);
        sim_post_send(p->a, &use);
        sim_post_send(p->a, &inv);
        sim_settle(p->sim);
        sim_cq_expect(&p->a->send_cq, 1, ROCE_WC_SUCCESS, ROCE_WC_FAST_REG_MR);
        sim_cq_expect(&p->a->send_cq, 2, ROCE_WC_SUCCESS, ROCE_WC_RDMA_READ);
        sim_cq_expect(&p->a->send_cq, 3, ROCE_WC_SUCCESS, ROCE_WC_LOCAL_INV);
        g_assert_false(mr->valid);
        g_assert_true(sim_filled(mr->host, 4096, 8));
    }
    pair_expect_quiet(p);
}

/* A key that the peer may not invalidate */
static void test_remote_invalidate_refused(void)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);
    RoceSendWr wr = pair_wr(p, ROCE_WR_SEND_WITH_INV, 1, 0, 2000);

    wr.u.invalidate_key = p->bm->key;
    sim_post_recv(p->b, 20, p->bm, 0, 2000);
    sim_post_send(p->a, &wr);
    sim_settle(p->sim);
    sim_cq_expect(&p->a->send_cq, 1, ROCE_WC_REM_ACCESS_ERR, 0);
    sim_cq_expect(&p->b->recv_cq, 20, ROCE_WC_LOC_ACCESS_ERR, 0);
    g_assert_true(p->bm->valid);
    g_assert_cmpuint(sim_qp_state(p->b), ==, ROCE_QPS_ERR);
}

/* States */

static void test_flush(void)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);

    for (unsigned i = 0; i < 8; i++) {
        pair_post(p, i % 2 ? ROCE_WR_RDMA_READ : ROCE_WR_RDMA_WRITE, i, 0,
                  65536);
        sim_post_recv(p->a, 10 + i, p->am, 0, 8);
    }
    sim_run_for(p->sim, 7 * SIM_US); /* some of it is on its way */
    sim_qp_set_state(p->a, ROCE_QPS_ERR);
    expect_flushed(&p->a->send_cq, 0, 8);
    expect_flushed(&p->a->recv_cq, 10, 8);
    pair_post(p, ROCE_WR_RDMA_WRITE, 30, 0, 8);
    sim_post_recv(p->a, 31, p->am, 0, 8);
    expect_flushed(&p->a->send_cq, 30, 1);
    expect_flushed(&p->a->recv_cq, 31, 1);
    g_assert_true(roce_qp_is_idle(p->a->qp));
    sim_settle(p->sim);
    sim_cq_expect_none(&p->a->send_cq);
    g_assert_cmpuint(all_events(p->a), ==, 0);
    g_assert_cmpuint(sim_qp_state(p->b), ==, ROCE_QPS_RTS);
}

static void test_reset(void)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);
    SimLink link = sim_link;

    for (link.psn = 5; link.psn < 0xffffff; link.psn += 0x123457) {
        for (unsigned i = 0; i < 8; i++) {
            pair_post(p, ROCE_WR_RDMA_WRITE, i, 0, 65536);
            sim_post_recv(p->a, 10 + i, p->am, 0, 8);
        }
        sim_run_for(p->sim, 7 * SIM_US);
        sim_qp_set_state(p->a, ROCE_QPS_RESET);
        sim_qp_set_state(p->b, ROCE_QPS_RESET);
        sim_settle(p->sim);
        sim_cq_expect_none(&p->a->send_cq);
        sim_cq_expect_none(&p->a->recv_cq);
        sim_rc_pair(p->a, p->b, &link);
        pair_post(p, ROCE_WR_RDMA_WRITE, 3, 0, 8);
        sim_settle(p->sim);
        sim_cq_expect(&p->a->send_cq, 3, ROCE_WC_SUCCESS, ROCE_WC_RDMA_WRITE);
        pair_expect_quiet(p);
    }
}

/* Freed with everything under way: nothing comes of it afterwards. */
static void test_free(void)
{
    for (uint64_t when = 0; when < 100 * SIM_US; when += 3 * SIM_US) {
        g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);

        p->sim->wire.room = 8;
        for (unsigned i = 0; i < 8; i++) {
            pair_post(p, i % 2 ? ROCE_WR_RDMA_READ : ROCE_WR_RDMA_WRITE, i, 0,
                      65536);
        }
        sim_run_for(p->sim, when);
        sim_qp_free(when / SIM_US % 2 ? p->a : p->b);
        sim_settle(p->sim);
    }
}

static void test_modify_invalid(void)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);
    static const struct { RoceQpAttr attr; uint32_t mask; } rows[] = {
        { { .state = 7 }, ROCE_QP_STATE },
        { { .path_mtu = 128 }, ROCE_QP_PATH_MTU },
        { { .path_mtu = 1000 }, ROCE_QP_PATH_MTU },
        { { .path_mtu = 8192 }, ROCE_QP_PATH_MTU },
        { { .timeout = 32 }, ROCE_QP_TIMEOUT },
        { { .retry_cnt = 8 }, ROCE_QP_RETRY_CNT },
        { { .rnr_retry = 8 }, ROCE_QP_RNR_RETRY },
        { { .min_rnr_timer = 32 }, ROCE_QP_MIN_RNR_TIMER },
        { { .max_rd_atomic = 17 }, ROCE_QP_MAX_QP_RD_ATOMIC },
        { { .max_dest_rd_atomic = 17 }, ROCE_QP_MAX_DEST_RD_ATOMIC },
        { { .av.sgid_index = 2 }, ROCE_QP_AV },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        RoceQpAttr attr = rows[i].attr, before, after;

        attr.qkey = 99;
        roce_qp_query(p->a->qp, &before);
        g_assert_cmpint(roce_qp_modify(p->a->qp, &attr,
                                       rows[i].mask | ROCE_QP_QKEY), <, 0);
        roce_qp_query(p->a->qp, &after);
        g_assert_cmpmem(&before, sizeof(before), &after, sizeof(after));
    }
}

static void test_query(void)
{
    SimLink link = { .mtu = 512, .psn = 0xfffffe, .access = 3, .rd_atomic = 3,
                     .min_rnr_timer = 9, .timeout = 17, .retry_cnt = 5,
                     .rnr_retry = 2, .ipv6 = true };
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &link);
    RoceQpAttr attr;

    pair_post(p, ROCE_WR_RDMA_WRITE, 1, 0, 1024 + 1);
    g_assert_false(roce_qp_is_idle(p->a->qp));
    sim_settle(p->sim);
    roce_qp_query(p->a->qp, &attr);
    g_assert_cmpuint(attr.state, ==, ROCE_QPS_RTS);
    g_assert_cmpuint(attr.path_mtu, ==, 512);
    g_assert_cmphex(attr.sq_psn, ==, 1);
    g_assert_cmphex(attr.rq_psn, ==, 0xfffffe);
    g_assert_cmphex(attr.dest_qpn, ==, p->b->qpn);
    g_assert_cmphex(attr.access_flags, ==, 3);
    g_assert_cmpuint(attr.max_rd_atomic, ==, 3);
    g_assert_cmpuint(attr.max_dest_rd_atomic, ==, 3);
    g_assert_cmpuint(attr.min_rnr_timer, ==, 9);
    g_assert_cmpuint(attr.timeout, ==, 17);
    g_assert_cmpuint(attr.retry_cnt, ==, 5);
    g_assert_cmpuint(attr.rnr_retry, ==, 2);
    g_assert_cmpmem(attr.av.dgid, 16, p->b->node->gid[1], 16);
    roce_qp_query(p->b->qp, &attr);
    g_assert_cmphex(attr.rq_psn, ==, 1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/roce/errors/remote", test_remote_errors);
    g_test_add_func("/roce/errors/long-write", test_long_write_out_of_bounds);
    g_test_add_func("/roce/errors/revoked", test_revoked);
    g_test_add_func("/roce/errors/local", test_local_errors);
    g_test_add_func("/roce/errors/read-only", test_read_only_is_enough);
    g_test_add_func("/roce/errors/too-small", test_receive_too_small);
    g_test_add_func("/roce/errors/protected", test_receive_protected);
    g_test_add_func("/roce/errors/too-many-reads", test_too_many_reads);
    g_test_add_func("/roce/errors/fast-register", test_fast_register);
    g_test_add_func("/roce/errors/invalidate", test_remote_invalidate_refused);
    g_test_add_func("/roce/errors/flush", test_flush);
    g_test_add_func("/roce/errors/reset", test_reset);
    g_test_add_func("/roce/errors/free", test_free);
    g_test_add_func("/roce/errors/modify", test_modify_invalid);
    g_test_add_func("/roce/errors/query", test_query);
    return g_test_run();
}
