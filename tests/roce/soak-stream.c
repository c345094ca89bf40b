/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "soak.h"

#define DEPTH 8u                   /* messages posted at a time */
#define SLOT (72u << 10)
#define MOST (64u << 10)           /* bytes of a message */
#define BUFFERS 8u                 /* for receives */
#define GUARD 16u
#define GUARD_BYTE 0x5a

typedef struct Message {
    uint64_t seq;
    uint32_t opcode;
    uint32_t len;
    uint32_t offset;               /* within the slot */
    uint32_t imm;
    bool solicited;
    uint64_t expect;               /* atomics: what is there before */
} Message;

struct Buffers {
    SimQp *qp;
    SimSrq *srq;
    SimMr *mr;
    bool busy[BUFFERS];
};

struct Stream {
    SimQp *from, *to;
    Sim *sim;
    uint32_t id;
    Buffers *buffers;
    SimMr *from_mr, *to_mr;        /* DEPTH slots each */
    SimMr *counter_mr;
    SimMr *inv[DEPTH];             /* for peers to invalidate */
    Message messages[DEPTH];       /* by seq % DEPTH */
    uint64_t posted, sent;
    uint64_t counter;              /* what it is once all posted is done */
    GQueue receives;               /* Message copies, in order */
    StreamCounts counts;
};

/* Receives */

Buffers *buffers_new(SimQp *qp, SimSrq *srq)
{
    Buffers *b = g_new0(Buffers, 1);

    b->qp = qp;
    b->srq = srq;
    b->mr = sim_mr_new(qp->node, SIM_PD, BUFFERS * SLOT,
                       ROCE_ACCESS_LOCAL_WRITE);
    return b;
}

void buffers_free(Buffers *b)
{
    g_free(b);
}

void buffers_post(Buffers *b)
{
    for (unsigned i = 0; i < BUFFERS; i++) {
        RoceRecvWr wr = { .wr_id = i, .num_sge = 1 };

        if (b->busy[i] || sim_chance(b->qp->node->sim, 500)) {
            continue;
        }
        b->busy[i] = true;
        wr.sge[0] = sim_sge(b->mr, i * SLOT, MOST);
        g_assert_cmpint(b->srq ? roce_srq_post(b->srq->srq, &wr)
                               : roce_post_recv(b->qp->qp, &wr), ==, 0);
    }
}

/* Streams */

Stream *stream_new(SimQp *from, SimQp *to, uint32_t id, Buffers *buffers)
{
    Stream *s = g_new0(Stream, 1);

    s->from = from;
    s->to = to;
    s->sim = from->node->sim;
    s->id = id;
    s->buffers = buffers;
    s->from_mr = sim_mr_new(from->node, SIM_PD, DEPTH * SLOT, SIM_ALL_ACCESS);
    s->to_mr = sim_mr_new(to->node, SIM_PD, DEPTH * SLOT, SIM_ALL_ACCESS);
    s->counter_mr = sim_mr_new(to->node, SIM_PD, 8, SIM_ALL_ACCESS);
    for (unsigned i = 0; i < DEPTH; i++) {
        s->inv[i] = sim_mr_new(to->node, SIM_PD, 1, 0);
        s->inv[i]->may_invalidate = true;
    }
    g_queue_init(&s->receives);
    return s;
}

void stream_free(Stream *s)
{
    g_queue_clear_full(&s->receives, g_free);
    g_free(s);
}

uint64_t stream_done(const Stream *s)
{
    return s->sent;
}

const StreamCounts *stream_counts(const Stream *s)
{
    return &s->counts;
}

/* Messages */

static uint32_t seed_of(const Stream *s, uint64_t seq)
{
    return s->id * 0x01000193u + (uint32_t)seq;
}

static uint8_t *slot_of(const SimMr *mr, const Message *m)
{
    return mr->host + m->seq % DEPTH * SLOT + m->offset;
}

static bool is_atomic(uint32_t opcode)
{
    return opcode == ROCE_WR_ATOMIC_CMP_AND_SWP ||
           opcode == ROCE_WR_ATOMIC_FETCH_AND_ADD;
}

static bool takes_receive(uint32_t opcode)
{
    return opcode == ROCE_WR_SEND || opcode == ROCE_WR_SEND_WITH_IMM ||
           opcode == ROCE_WR_SEND_WITH_INV ||
           opcode == ROCE_WR_RDMA_WRITE_WITH_IMM;
}

static bool is_write(uint32_t opcode)
{
    return opcode == ROCE_WR_RDMA_WRITE ||
           opcode == ROCE_WR_RDMA_WRITE_WITH_IMM;
}

/* Mostly small, some around packet sizes, few large ones */
static uint32_t random_length(Sim *sim)
{
    uint32_t kind = sim_random(sim, 100);

    if (kind < 60) {
        return sim_random(sim, 200);
    }
    if (kind < 80) {
        return (256u << sim_random(sim, 5)) + sim_random(sim, 3) - 1;
    }
    return sim_random(sim, kind < 99 ? 8192 : MOST);
}

static Message random_message(Stream *s)
{
    static const uint32_t opcodes[] = {
        ROCE_WR_SEND, ROCE_WR_SEND_WITH_IMM, ROCE_WR_SEND_WITH_INV,
        ROCE_WR_RDMA_WRITE, ROCE_WR_RDMA_WRITE, ROCE_WR_RDMA_WRITE_WITH_IMM,
        ROCE_WR_RDMA_READ, ROCE_WR_RDMA_READ, ROCE_WR_ATOMIC_CMP_AND_SWP,
        ROCE_WR_ATOMIC_FETCH_AND_ADD,
    };
    Message m = {
        .seq = s->posted,
        .opcode = opcodes[sim_random(s->sim, G_N_ELEMENTS(opcodes))],
        .offset = sim_random(s->sim, 64),
        .imm = sim_random(s->sim, UINT32_MAX),
        .solicited = sim_random(s->sim, 2),
    };

    m.len = is_atomic(m.opcode) ? 8 : random_length(s->sim);
    return m;
}

/* The list of SGEs need not be one piece, and never is in order. */
static void split(Sim *sim, RoceSendWr *wr, RoceSge whole)
{
    uint32_t cut = sim_random(sim, whole.length + 1);

    wr->sge[0] = whole;
    wr->sge[0].length = cut;
    wr->sge[1] = (RoceSge){ 1, 0, 2 };
    wr->sge[2] = whole;
    wr->sge[2].addr += cut;
    wr->sge[2].length -= cut;
    wr->num_sge = 3;
}

static void set_atomic(Stream *s, Message *m, RoceSendWr *wr)
{
    wr->u.rdma.remote_addr = s->counter_mr->va;
    wr->u.rdma.rkey = s->counter_mr->key;
    m->expect = s->counter;
    if (m->opcode == ROCE_WR_ATOMIC_FETCH_AND_ADD) {
        wr->u.rdma.compare_add = m->imm;
        s->counter += m->imm;
    } else if (m->solicited) {     /* half of them find another value */
        wr->u.rdma.compare_add = s->counter;
        wr->u.rdma.swap = m->imm;
        s->counter = m->imm;
    } else {
        wr->u.rdma.compare_add = s->counter + 1;
    }
}

static void fill(Stream *s, const Message *m)
{
    bool read = m->opcode == ROCE_WR_RDMA_READ;
    SimMr *source = read ? s->to_mr : s->from_mr;
    SimMr *target = read ? s->from_mr : s->to_mr;

    memset(slot_of(target, m), GUARD_BYTE, m->len + GUARD);
    sim_fill(slot_of(source, m), m->len, seed_of(s, m->seq));
}

static void post_one(Stream *s)
{
    Message *m = &s->messages[s->posted % DEPTH];
    uint64_t at = s->posted % DEPTH * SLOT;
    RoceSendWr wr = { .wr_id = s->posted };

    *m = random_message(s);
    wr.opcode = m->opcode;
    wr.imm = m->imm;
    wr.solicited = m->solicited;
    wr.fence = sim_chance(s->sim, 100);
    wr.u.rdma.remote_addr = s->to_mr->va + at + m->offset;
    wr.u.rdma.rkey = s->to_mr->key;
    if (m->opcode == ROCE_WR_SEND_WITH_INV) {
        wr.u.invalidate_key = s->inv[m->seq % DEPTH]->key;
    } else if (is_atomic(m->opcode)) {
        set_atomic(s, m, &wr);
    }
    split(s->sim, &wr, sim_sge(s->from_mr, at + m->offset, m->len));
    fill(s, m);
    if (takes_receive(m->opcode)) {
        g_queue_push_tail(&s->receives, g_memdup2(m, sizeof(*m)));
    }
    s->posted++;
    sim_post_send(s->from, &wr);
}

void stream_post(Stream *s, uint64_t total)
{
    while (s->posted < total && s->posted - s->sent < DEPTH) {
        post_one(s);
    }
}

/* Checks */

static bool is_guard(const uint8_t *p)
{
    for (unsigned i = 0; i < GUARD; i++) {
        if (p[i] != GUARD_BYTE) {
            return false;
        }
    }
    return true;
}

static void check_target(const Stream *s, const Message *m, const SimMr *mr)
{
    const uint8_t *at = slot_of(mr, m);

    g_assert_true(sim_filled(at, m->len, seed_of(s, m->seq)));
    g_assert_true(is_guard(at + m->len));
}

static void check_received(Stream *s, const RoceWc *wc, uint8_t *buffer)
{
    g_autofree Message *m = g_queue_pop_head(&s->receives);

    g_assert_nonnull(m);
    g_assert_cmpuint(wc->status, ==, ROCE_WC_SUCCESS);
    g_assert_cmpuint(wc->opcode, ==, is_write(m->opcode)
                                     ? ROCE_WC_RECV_RDMA_WITH_IMM
                                     : ROCE_WC_RECV);
    g_assert_cmpuint(wc->byte_len, ==, m->len);
    g_assert_cmpint(wc->solicited, ==, m->solicited);
    g_assert_cmpint(wc->has_imm, ==, m->opcode == ROCE_WR_SEND_WITH_IMM ||
                                     is_write(m->opcode));
    g_assert_cmpint(wc->has_inv, ==, m->opcode == ROCE_WR_SEND_WITH_INV);
    if (wc->has_imm) {
        g_assert_cmphex(wc->imm, ==, m->imm);
    }
    if (wc->has_inv) {
        SimMr *inv = s->inv[m->seq % DEPTH];

        g_assert_cmphex(wc->invalidated_key, ==, inv->key);
        g_assert_false(inv->valid);
        inv->valid = true;
    }
    if (is_write(m->opcode)) {
        check_target(s, m, s->to_mr);
    } else {
        g_assert_true(sim_filled(buffer, m->len, seed_of(s, m->seq)));
    }
}

static void poll_receives(Stream *s)
{
    Buffers *b = s->buffers;
    RoceWc wc;

    while (sim_cq_take(&s->to->recv_cq, &wc)) {
        g_assert_cmpuint(wc.wr_id, <, BUFFERS);
        g_assert_true(b->busy[wc.wr_id]);
        g_assert_cmpint(wc.from_srq, ==, b->srq != NULL);
        check_received(s, &wc, b->mr->host + wc.wr_id * SLOT);
        b->busy[wc.wr_id] = false;
    }
}

static void check_sent(Stream *s, const RoceWc *wc)
{
    const Message *m = &s->messages[s->sent % DEPTH];
    uint64_t got;

    g_assert_cmpuint(wc->status, ==, ROCE_WC_SUCCESS);
    g_assert_cmpuint(wc->wr_id, ==, s->sent);
    if (m->opcode == ROCE_WR_RDMA_READ) {
        check_target(s, m, s->from_mr);
    } else if (m->opcode == ROCE_WR_RDMA_WRITE) {
        check_target(s, m, s->to_mr);
    } else if (is_atomic(m->opcode)) {
        memcpy(&got, slot_of(s->from_mr, m), sizeof(got));
        g_assert_cmphex(got, ==, m->expect);
    }
    s->counts.done[m->opcode]++;
    s->counts.bytes += m->len;
    s->sent++;
}

/* What a peer got it got before the sender knows. */
void stream_poll(Stream *s)
{
    RoceWc wc;

    poll_receives(s);
    while (sim_cq_take(&s->from->send_cq, &wc)) {
        check_sent(s, &wc);
    }
}

void stream_expect_quiet(Stream *s)
{
    uint64_t counter;

    memcpy(&counter, s->counter_mr->host, sizeof(counter));
    g_assert_cmphex(counter, ==, s->counter);
    g_assert_cmpuint(s->posted, ==, s->sent);
    g_assert_true(g_queue_is_empty(&s->receives));
    sim_cq_expect_none(&s->from->send_cq);
    sim_cq_expect_none(&s->to->recv_cq);
    g_assert_true(roce_qp_is_idle(s->from->qp));
    g_assert_cmpuint(sim_qp_state(s->from), ==, ROCE_QPS_RTS);
    for (unsigned i = 0; i < DEPTH; i++) {
        g_assert_true(s->inv[i]->valid);
    }
}
