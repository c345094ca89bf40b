/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets that are lost, late, repeated or left over, and peers not ready. */
#include <string.h>

#include "pair.h"
#include "trace.h"

#define NAK_PSN 0x60

/* Loses the packets of @from with @opcode, the first @times of them. */
typedef struct Loss {
    unsigned from;
    int opcode;
    unsigned times;
    unsigned skip;                 /* that many get through first */
} Loss;

static bool lose_some(const TraceEntry *e, void *opaque)
{
    Loss *loss = opaque;

    if (e->from != loss->from ||
        (loss->opcode >= 0 && e->pkt.opcode != loss->opcode)) {
        return false;
    }
    if (loss->skip) {
        loss->skip--;
        return false;
    }
    return loss->times && loss->times--;
}

static Trace *trace_losing(Sim *sim, Loss *loss)
{
    Trace *t = trace_new(sim);

    t->lose = lose_some;
    t->opaque = loss;
    return t;
}

/* Each packet of each kind of message lost once or twice */

static void expect_message(Pair *p, uint32_t opcode, uint32_t len)
{
    bool read = opcode == ROCE_WR_RDMA_READ;
    SimMr *to = read ? p->am : p->bm;
    RoceWc wc;

    g_assert_true(sim_cq_take(&p->a->send_cq, &wc));
    g_assert_cmpuint(wc.status, ==, ROCE_WC_SUCCESS);
    if (opcode == ROCE_WR_SEND) {
        sim_cq_expect(&p->b->recv_cq, 2, ROCE_WC_SUCCESS, ROCE_WC_RECV);
    }
    if (opcode == ROCE_WR_ATOMIC_FETCH_AND_ADD) {
        g_assert_cmpuint(p->b->node->atomics, ==, 1);
    } else {
        g_assert_true(sim_filled(to->host, len, 9));
    }
    pair_expect_quiet(p);
}

static void lose_one(uint32_t opcode, unsigned from, unsigned nth,
                     unsigned times)
{
    const uint32_t len = opcode == ROCE_WR_ATOMIC_FETCH_AND_ADD ? 8
                                                                : 5 * 1024 + 1;
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);
    Loss loss = { from, -1, times, nth };
    g_autoptr(Trace) t = trace_losing(p->sim, &loss);

    sim_fill(opcode == ROCE_WR_RDMA_READ ? p->bm->host : p->am->host, len, 9);
    if (opcode == ROCE_WR_SEND) {
        sim_post_recv(p->b, 2, p->bm, 0, len);
    }
    pair_post(p, opcode, 1, 0, len);
    sim_settle(p->sim);
    g_assert_cmpuint(trace_count(t, 0, -1), >, 0);
    expect_message(p, opcode, len);
}

static void test_each_lost(void)
{
    static const uint32_t opcodes[] = {
        ROCE_WR_SEND, ROCE_WR_RDMA_WRITE, ROCE_WR_RDMA_READ,
        ROCE_WR_ATOMIC_FETCH_AND_ADD,
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(opcodes); i++) {
        for (unsigned from = 0; from < 2; from++) {
            for (unsigned nth = 0; nth < 7; nth++) {
                for (unsigned times = 1; times < 4; times++) {
                    lose_one(opcodes[i], from, nth, times);
                }
            }
        }
    }
}

/* A gap is reported once, and found without waiting for the timer. */
static void test_sequence_nak(void)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);
    Loss loss = { 0, ROCE_OP_WRITE_MIDDLE, 1, 10 };
    g_autoptr(Trace) t = trace_losing(p->sim, &loss);
    unsigned naks = 0;

    pair_post(p, ROCE_WR_RDMA_WRITE, 1, 0, 65536);
    sim_settle(p->sim);
    for (unsigned i = 0; i < t->entries->len; i++) {
        const RocePacket *pkt = &trace_at(t, i)->pkt;

        naks += pkt->opcode == ROCE_OP_ACK && pkt->syndrome == NAK_PSN;
    }
    g_assert_cmpuint(naks, ==, 1);
    g_assert_cmpuint(roce_stats(p->a->node->engine)->retransmits, ==, 1);
    g_assert_cmpuint(roce_stats(p->a->node->engine)->timeouts, ==, 0);
    sim_cq_expect(&p->a->send_cq, 1, ROCE_WC_SUCCESS, ROCE_WC_RDMA_WRITE);
    pair_expect_quiet(p);
}

/* Giving up */

static void exhaust(SimLink link, uint32_t opcode, unsigned lost_from)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &link);
    Loss loss = { lost_from, -1, G_MAXUINT, 0 };
    g_autoptr(Trace) t = trace_losing(p->sim, &loss);
    uint64_t start = p->sim->now, timeout = 4096ull << link.timeout;

    sim_post_recv(p->a, 10, p->am, 0, 8);
    pair_post(p, opcode, 1, 0, 8);
    pair_post(p, ROCE_WR_RDMA_WRITE, 2, 0, 8);
    sim_settle(p->sim);
    sim_cq_expect(&p->a->send_cq, 1, ROCE_WC_RETRY_EXC_ERR, 0);
    sim_cq_expect(&p->a->send_cq, 2, ROCE_WC_WR_FLUSH_ERR, 0);
    sim_cq_expect(&p->a->recv_cq, 10, ROCE_WC_WR_FLUSH_ERR, 0);
    g_assert_cmpuint(sim_qp_state(p->a), ==, ROCE_QPS_ERR);
    g_assert_cmpuint(sim_qp_state(p->b), ==, ROCE_QPS_RTS);
    /* each try takes at least T, and at most 4 T (volume 1, 9.7.6.1.3) */
    g_assert_cmpuint(p->sim->now - start, >=, (link.retry_cnt + 1) * timeout);
    g_assert_cmpuint(p->sim->now - start, <=,
                     (link.retry_cnt + 1) * 4 * timeout + SIM_MS);
    g_assert_cmpuint(trace_count(t, 0, -1), >, link.retry_cnt);
}

static void test_exhausted(void)
{
    SimLink link = sim_link;

    for (link.timeout = 12; link.timeout <= 18; link.timeout += 3) {
        for (link.retry_cnt = 0; link.retry_cnt <= 7; link.retry_cnt++) {
            exhaust(link, ROCE_WR_RDMA_WRITE, 0);
            exhaust(link, ROCE_WR_RDMA_READ, 1);
            exhaust(link, ROCE_WR_ATOMIC_FETCH_AND_ADD, 1);
        }
    }
}

/* Patience starts over with each progress: no gap in a long run adds up. */
static void test_patience_starts_over(void)
{
    SimLink link = sim_link;
    g_autoptr(Pair) p = NULL;
    g_autoptr(Trace) t = NULL;
    Loss loss = { 0, -1, 0, 0 };

    link.retry_cnt = 1;
    p = pair_new(&sim_good_wire, &link);
    t = trace_losing(p->sim, &loss);
    for (unsigned i = 0; i < 50; i++) {
        loss.times = 2;
        pair_post(p, ROCE_WR_RDMA_WRITE, i, 0, 8);
        sim_settle(p->sim);
        sim_cq_expect(&p->a->send_cq, i, ROCE_WC_SUCCESS, ROCE_WC_RDMA_WRITE);
    }
    pair_expect_quiet(p);
}

/* Timeout 0: it waits for ever. */
static void test_no_timeout(void)
{
    SimLink link = sim_link;
    g_autoptr(Pair) p = NULL;
    g_autoptr(Trace) t = NULL;
    Loss loss = { 0, -1, 1, 0 };

    link.timeout = 0;
    p = pair_new(&sim_good_wire, &link);
    t = trace_losing(p->sim, &loss);
    pair_post(p, ROCE_WR_RDMA_WRITE, 1, 0, 8);
    sim_settle(p->sim);
    sim_cq_expect_none(&p->a->send_cq);
    g_assert_false(roce_qp_is_idle(p->a->qp));
    pair_post(p, ROCE_WR_RDMA_WRITE, 2, 0, 8); /* finds the gap */
    sim_settle(p->sim);
    sim_cq_expect(&p->a->send_cq, 1, ROCE_WC_SUCCESS, ROCE_WC_RDMA_WRITE);
    sim_cq_expect(&p->a->send_cq, 2, ROCE_WC_SUCCESS, ROCE_WC_RDMA_WRITE);
    pair_expect_quiet(p);
}

/* Receiver not ready */

static uint64_t rnr_timer_ns(uint8_t code)
{
    static const uint32_t us10[] = { 65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32 };

    return us10[code] * 10 * SIM_US;
}

static void exhaust_rnr(SimLink link, uint32_t opcode)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &link);
    g_autoptr(Trace) t = trace_new(p->sim);
    uint64_t start = p->sim->now;

    pair_post(p, opcode, 1, 0, 8);
    pair_post(p, ROCE_WR_RDMA_WRITE, 2, 0, 8);
    sim_settle(p->sim);
    sim_cq_expect(&p->a->send_cq, 1, ROCE_WC_RNR_RETRY_EXC_ERR, 0);
    sim_cq_expect(&p->a->send_cq, 2, ROCE_WC_WR_FLUSH_ERR, 0);
    g_assert_cmpuint(sim_qp_state(p->a), ==, ROCE_QPS_ERR);
    g_assert_cmpuint(sim_qp_state(p->b), ==, ROCE_QPS_RTS);
    g_assert_cmpuint(roce_stats(p->b->node->engine)->tx_rnr_nak, ==,
                     link.rnr_retry + 1);
    g_assert_cmpuint(trace_count(t, 0, ROCE_OP_SEND_ONLY) +
                     trace_count(t, 0, ROCE_OP_WRITE_ONLY_IMM), ==,
                     link.rnr_retry + 1);
    g_assert_cmpuint(p->sim->now - start, >=,
                     link.rnr_retry * rnr_timer_ns(link.min_rnr_timer));
    g_assert_cmphex(p->bm->host[0], ==, 0);
}

static void test_rnr_exhausted(void)
{
    SimLink link = sim_link;

    for (link.min_rnr_timer = 1; link.min_rnr_timer <= 10;
         link.min_rnr_timer++) {
        for (link.rnr_retry = 0; link.rnr_retry < 7; link.rnr_retry++) {
            exhaust_rnr(link, ROCE_WR_SEND);
            exhaust_rnr(link, ROCE_WR_RDMA_WRITE_WITH_IMM);
        }
    }
}

/* Seven: without end */
static void test_rnr_waits(void)
{
    static const uint32_t opcodes[] = {
        ROCE_WR_SEND, ROCE_WR_RDMA_WRITE_WITH_IMM,
    };

    for (unsigned i = 0; i < 2; i++) {
        for (uint32_t len = 0; len < 5000; len += 2400) {
            g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);

            sim_fill(p->am->host, len, 4);
            pair_post(p, opcodes[i], 1, 0, len);
            pair_post(p, ROCE_WR_RDMA_READ, 2, 8192, 8);
            sim_run_for(p->sim, 10 * SIM_SEC);
            sim_cq_expect_none(&p->a->send_cq);
            sim_post_recv(p->b, 3, p->bm, 0, len);
            sim_settle(p->sim);
            sim_cq_expect(&p->a->send_cq, 1, ROCE_WC_SUCCESS,
                          i ? ROCE_WC_RDMA_WRITE : ROCE_WC_SEND);
            sim_cq_expect(&p->a->send_cq, 2, ROCE_WC_SUCCESS,
                          ROCE_WC_RDMA_READ);
            sim_cq_expect(&p->b->recv_cq, 3, ROCE_WC_SUCCESS,
                          i ? ROCE_WC_RECV_RDMA_WITH_IMM : ROCE_WC_RECV);
            g_assert_true(sim_filled(p->bm->host, len, 4));
            pair_expect_quiet(p);
        }
    }
}

static bool lose_rnr_naks(const TraceEntry *e, void *opaque)
{
    unsigned *naks = opaque;

    return e->pkt.opcode == ROCE_OP_ACK && e->pkt.syndrome >> 5 == 1 &&
           (*naks)++ % 3;
}

/* A peer that is not ready is there: what was lost meanwhile is forgotten. */
static void test_rnr_answers(void)
{
    SimLink link = sim_link;
    g_autoptr(Pair) p = NULL;
    g_autoptr(Trace) t = NULL;
    unsigned naks = 0;

    link.retry_cnt = 0;
    p = pair_new(&sim_good_wire, &link);
    t = trace_new(p->sim);
    t->lose = lose_rnr_naks;
    t->opaque = &naks;
    pair_post(p, ROCE_WR_SEND, 1, 0, 8);
    sim_run_for(p->sim, 10 * SIM_SEC);
    g_assert_cmpuint(naks, >, 30);
    sim_post_recv(p->b, 2, p->bm, 0, 8);
    sim_settle(p->sim);
    sim_cq_expect(&p->a->send_cq, 1, ROCE_WC_SUCCESS, ROCE_WC_SEND);
    sim_cq_expect(&p->b->recv_cq, 2, ROCE_WC_SUCCESS, ROCE_WC_RECV);
    pair_expect_quiet(p);
}

/* Both ends send much, and have one receive at a time. */
static void test_rnr_storm(void)
{
    const SimWire wires[] = {
        sim_good_wire,
        { .delay = 5 * SIM_US, .loss = 100, .late = 100, .lateness = SIM_MS },
    };

    SimLink link = sim_link;

    link.min_rnr_timer = 16;       /* 2.56 ms */
    for (unsigned w = 0; w < 2; w++) {
        g_autoptr(Pair) p = pair_new(&wires[w], &link);
        unsigned got_a = 0, got_b = 0;
        RoceWc wc;

        for (unsigned i = 0; i < 64; i++) {
            RoceSendWr back = { .wr_id = i, .opcode = ROCE_WR_SEND,
                                .num_sge = 1,
                                .sge[0] = sim_sge(p->bm, 8192, 1500) };

            sim_post_send(p->b, &back);
            pair_post(p, ROCE_WR_SEND, i, 8192, 1500);
        }
        for (unsigned round = 0; round < 64; round++) {
            sim_post_recv(p->a, round, p->am, 0, 1500);
            sim_post_recv(p->b, round, p->bm, 0, 1500);
            sim_run_for(p->sim, 100 * SIM_MS);
        }
        sim_settle(p->sim);
        while (sim_cq_take(&p->a->recv_cq, &wc)) {
            got_a++;
        }
        while (sim_cq_take(&p->b->recv_cq, &wc)) {
            got_b++;
        }
        g_assert_cmpuint(got_a, ==, 64);
        g_assert_cmpuint(got_b, ==, 64);
        g_assert_cmpuint(roce_stats(p->b->node->engine)->tx_rnr_nak, >=, 60);
        for (unsigned i = 0; i < 64; i++) {
            sim_cq_expect(&p->a->send_cq, i, ROCE_WC_SUCCESS, ROCE_WC_SEND);
            sim_cq_expect(&p->b->send_cq, i, ROCE_WC_SUCCESS, ROCE_WC_SEND);
        }
        pair_expect_quiet(p);
    }
}

/* Atomics are carried out once, however often they or their answers come. */
static void test_atomics_once(void)
{
    for (unsigned seed = 0; seed < 20; seed++) {
        SimWire wire = { .delay = 5 * SIM_US, .duplicate = 1000,
                         .loss = 20 * seed, .late = 500,
                         .lateness = 100 * SIM_US };
        g_autoptr(Pair) p = pair_new(&wire, &sim_link);
        uint64_t value, *counter = (uint64_t *)p->bm->host;

        for (unsigned i = 0; i < 64; i++) {
            RoceSendWr wr = pair_wr(p, ROCE_WR_ATOMIC_FETCH_AND_ADD, i, 0, 8);

            wr.u.rdma.compare_add = 1;
            wr.sge[0] = sim_sge(p->am, 8 * i, 8);
            sim_post_send(p->a, &wr);
        }
        sim_settle(p->sim);
        for (unsigned i = 0; i < 64; i++) {
            sim_cq_expect(&p->a->send_cq, i, ROCE_WC_SUCCESS,
                          ROCE_WC_FETCH_ADD);
            memcpy(&value, p->am->host + 8 * i, 8);
            g_assert_cmpuint(value, ==, i);
        }
        g_assert_cmpuint(*counter, ==, 64);
        g_assert_cmpuint(p->b->node->atomics, ==, 64);
        pair_expect_quiet(p);
    }
}

/* Leftovers */

static void replay(const Trace *t, Pair *p)
{
    for (unsigned i = 0; i < t->entries->len; i++) {
        const TraceEntry *e = trace_at(t, i);

        sim_inject(&p->sim->nodes[!e->from], e->frame, e->len);
    }
}

static void traffic(Pair *p, uint64_t first_id)
{
    static const uint32_t opcodes[] = {
        ROCE_WR_SEND, ROCE_WR_RDMA_WRITE, ROCE_WR_RDMA_READ,
        ROCE_WR_ATOMIC_FETCH_AND_ADD,
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(opcodes); i++) {
        if (opcodes[i] == ROCE_WR_SEND) {
            sim_post_recv(p->b, first_id, p->bm, 8192 * i, 5000);
        }
        pair_post(p, opcodes[i], first_id + i, 8192 * i, i == 3 ? 8 : 5000);
    }
    sim_settle(p->sim);
    for (unsigned i = 0; i < G_N_ELEMENTS(opcodes); i++) {
        RoceWc wc;

        g_assert_true(sim_cq_take(&p->a->send_cq, &wc));
        g_assert_cmpuint(wc.status, ==, ROCE_WC_SUCCESS);
        g_assert_cmpuint(wc.wr_id, ==, first_id + i);
    }
    sim_cq_expect(&p->b->recv_cq, first_id, ROCE_WC_SUCCESS, ROCE_WC_RECV);
    pair_expect_quiet(p);
}

/* All that was ever sent comes again: it changes nothing. */
static void test_replay(void)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);
    g_autoptr(Trace) t = trace_new(p->sim);

    traffic(p, 10);
    memset(p->am->host, 1, PAIR_MEM);
    memset(p->bm->host, 2, PAIR_MEM);
    sim_post_recv(p->b, 20, p->bm, 0, 5000);
    p->sim->filter = NULL;
    replay(t, p);
    sim_settle(p->sim);
    g_assert_cmphex(p->am->host[0], ==, 1);
    g_assert_true(!memcmp(p->am->host, p->am->host + 1, PAIR_MEM - 1));
    g_assert_cmphex(p->bm->host[0], ==, 2);
    g_assert_true(!memcmp(p->bm->host, p->bm->host + 1, PAIR_MEM - 1));
    g_assert_cmpuint(p->b->node->atomics, ==, 1);
    pair_expect_quiet(p);
}

/* The peer starts anew with another QP: the old packets find nobody. */
static void test_restart_new_qp(void)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);
    g_autoptr(Trace) t = trace_new(p->sim);
    SimLink link = sim_link;
    uint32_t old_a = p->a->qpn, old_b = p->b->qpn;
    uint64_t before;

    traffic(p, 10);
    sim_qp_free(p->a);
    sim_qp_free(p->b);
    p->a = sim_qp_new(&p->sim->nodes[0], &sim_rc);
    p->b = sim_qp_new(&p->sim->nodes[1], &sim_rc);
    g_assert_cmphex(p->a->qpn, !=, old_a);
    g_assert_cmphex(p->b->qpn, !=, old_b);
    sim_rc_pair(p->a, p->b, &link);
    before = roce_stats(p->b->node->engine)->rx_no_qp;
    p->sim->filter = NULL;
    replay(t, p);
    g_assert_cmpuint(roce_stats(p->b->node->engine)->rx_no_qp, >, before);
    sim_settle(p->sim);
    pair_expect_quiet(p);
    traffic(p, 50);
}

/* The same QPs with other PSNs: old packets are before or after what is due,
 * and neither harms. */
static void test_restart_same_qp(void)
{
    static const uint32_t psns[] = { 0x400000, 0x200, 0xfffff0, 0x7fffff, 90 };
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);
    g_autoptr(Trace) t = trace_new(p->sim);
    SimLink link = sim_link;

    traffic(p, 10);
    p->sim->filter = NULL;
    for (unsigned i = 0; i < G_N_ELEMENTS(psns); i++) {
        link.psn = psns[i];
        sim_qp_set_state(p->a, ROCE_QPS_RESET);
        sim_qp_set_state(p->b, ROCE_QPS_RESET);
        sim_rc_pair(p->a, p->b, &link);
        if (psns[i] != 90) {       /* there, old ones would come to be due */
            replay(t, p);
            sim_settle(p->sim);
            pair_expect_quiet(p);
        }
        traffic(p, 20 + 10 * i);
    }
}

/* The peer is gone for some time, and the requester gets over it. */
static void test_peer_away(void)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);

    sim_qp_set_state(p->b, ROCE_QPS_RESET);
    pair_post(p, ROCE_WR_RDMA_WRITE, 1, 0, 65536);
    sim_run_for(p->sim, 300 * SIM_MS);
    sim_cq_expect_none(&p->a->send_cq);
    sim_rc_connect(p->b, p->a, &sim_link);
    sim_settle(p->sim);
    sim_cq_expect(&p->a->send_cq, 1, ROCE_WC_SUCCESS, ROCE_WC_RDMA_WRITE);
    pair_expect_quiet(p);
}

/* Packets from anywhere but the peer are not looked at. */
static void test_wrong_source(void)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);
    g_autoptr(Trace) t = trace_new(p->sim);
    uint8_t stranger[16] = { [10] = 0xff, 0xff, 10, 0, 0, 99 };
    uint8_t frame[ROCE_MAX_FRAME];
    RocePacket pkt;

    traffic(p, 10);
    pkt = trace_find(t, 0, ROCE_OP_WRITE_FIRST, 0)->pkt;
    pkt.psn += 100;
    pkt.payload_len = 0;
    memcpy(pkt.sgid, stranger, 16);
    roce_frame_open(frame, &pkt);
    g_assert_true(sim_inject(p->b->node, frame,
                             roce_frame_seal(frame, &pkt, true)));
    g_assert_cmpuint(roce_stats(p->b->node->engine)->rx_bad_source, ==, 1);
    sim_settle(p->sim);
    pair_expect_quiet(p);
}

/* Rows of large messages on a wire that loses much: what was lost is sent
 * again, not all that came after it, and nobody waits long. */
static void lossy_row(unsigned of_1000, double most, uint64_t within)
{
    const SimWire wire = { .loss = of_1000, .delay = 20 * SIM_US };
    const unsigned messages = 16, len = 256 * 1024;
    const unsigned needed = messages * len / 1024;
    g_autoptr(Pair) p = pair_new(&wire, &sim_link);
    const uint64_t start = p->sim->now;
    double ratio;

    for (unsigned i = 0; i < messages; i++) {
        pair_post(p, ROCE_WR_RDMA_WRITE, i, i * len, len);
    }
    sim_settle(p->sim);
    for (unsigned i = 0; i < messages; i++) {
        sim_cq_expect(&p->a->send_cq, i, ROCE_WC_SUCCESS, ROCE_WC_RDMA_WRITE);
    }
    ratio = (double)roce_stats(p->a->node->engine)->tx_packets / needed;
    g_test_message("%u of 1000 lost: %.1f times the packets in %.1f ms",
                   of_1000, ratio, (p->sim->now - start) / 1e6);
    g_assert_cmpfloat(ratio, <, most);
    g_assert_cmpuint(p->sim->now - start, <, within);
}

static void test_lossy_row(void)
{
    lossy_row(0, 1.01, 1 * SIM_SEC);
    lossy_row(1, 1.5, 1 * SIM_SEC);
    lossy_row(10, 2, 1 * SIM_SEC);
    lossy_row(100, 3, 5 * SIM_SEC);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/roce/retry/each-lost", test_each_lost);
    g_test_add_func("/roce/retry/sequence-nak", test_sequence_nak);
    g_test_add_func("/roce/retry/exhausted", test_exhausted);
    g_test_add_func("/roce/retry/patience", test_patience_starts_over);
    g_test_add_func("/roce/retry/no-timeout", test_no_timeout);
    g_test_add_func("/roce/retry/rnr-exhausted", test_rnr_exhausted);
    g_test_add_func("/roce/retry/rnr-waits", test_rnr_waits);
    g_test_add_func("/roce/retry/rnr-answers", test_rnr_answers);
    g_test_add_func("/roce/retry/rnr-storm", test_rnr_storm);
    g_test_add_func("/roce/retry/atomics-once", test_atomics_once);
    g_test_add_func("/roce/retry/replay", test_replay);
    g_test_add_func("/roce/retry/restart-new-qp", test_restart_new_qp);
    g_test_add_func("/roce/retry/restart-same-qp", test_restart_same_qp);
    g_test_add_func("/roce/retry/peer-away", test_peer_away);
    g_test_add_func("/roce/retry/wrong-source", test_wrong_source);
    g_test_add_func("/roce/retry/lossy-row", test_lossy_row);
    return g_test_run();
}
