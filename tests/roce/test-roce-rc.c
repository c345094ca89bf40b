/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reliable connections on a good network: everything arrives, as it should. */
#include <errno.h>
#include <string.h>

#include "pair.h"
#include "trace.h"

#define KIB 1024u
#define MIB (1024u * KIB)
#define OFFSET 4096u               /* of transfers in both memories */

static const uint32_t mtus[] = { 256, 512, 1024, 2048, 4096 };

static const struct {
    uint32_t opcode;
    uint32_t wc;                   /* at the requester */
    bool receives;                 /* takes a receive at the responder */
    bool read;
} kinds[] = {
    { ROCE_WR_SEND, ROCE_WC_SEND, true },
    { ROCE_WR_SEND_WITH_IMM, ROCE_WC_SEND, true },
    { ROCE_WR_SEND_WITH_INV, ROCE_WC_SEND, true },
    { ROCE_WR_RDMA_WRITE, ROCE_WC_RDMA_WRITE },
    { ROCE_WR_RDMA_WRITE_WITH_IMM, ROCE_WC_RDMA_WRITE, true },
    { ROCE_WR_RDMA_READ, ROCE_WC_RDMA_READ, false, true },
};

static bool is_write(uint32_t opcode)
{
    return opcode == ROCE_WR_RDMA_WRITE ||
           opcode == ROCE_WR_RDMA_WRITE_WITH_IMM;
}

static void expect_receive(Pair *p, uint32_t opcode, uint32_t len,
                           uint32_t inv_key)
{
    RoceWc wc = sim_cq_expect(&p->b->recv_cq, 77, ROCE_WC_SUCCESS,
                              is_write(opcode) ? ROCE_WC_RECV_RDMA_WITH_IMM
                                               : ROCE_WC_RECV);

    g_assert_cmpuint(wc.byte_len, ==, len);
    g_assert_true(wc.receive);
    g_assert_false(wc.from_srq);
    g_assert_false(wc.has_grh);
    g_assert_cmpint(wc.solicited, ==, len & 1);
    g_assert_cmpint(wc.has_imm, ==, opcode == ROCE_WR_SEND_WITH_IMM ||
                                    opcode == ROCE_WR_RDMA_WRITE_WITH_IMM);
    g_assert_cmpint(wc.has_inv, ==, opcode == ROCE_WR_SEND_WITH_INV);
    if (wc.has_imm) {
        g_assert_cmphex(wc.imm, ==, 0x11223344);
    }
    if (wc.has_inv) {
        g_assert_cmphex(wc.invalidated_key, ==, inv_key);
    }
}

/* One message, of a length that the last byte's neighbours show. */
static void transfer(Pair *p, unsigned kind, uint32_t len)
{
    uint32_t opcode = kinds[kind].opcode, seed = len + kind;
    SimMr *from = kinds[kind].read ? p->bm : p->am;
    SimMr *to = kinds[kind].read ? p->am : p->bm;
    RoceSendWr wr = pair_wr(p, opcode, 42, OFFSET, len);
    SimMr *inv = NULL;
    RoceWc wc;

    wr.imm = 0x11223344;
    wr.solicited = len & 1;
    if (opcode == ROCE_WR_SEND_WITH_INV) {
        inv = sim_mr_new(p->b->node, SIM_PD, 1, SIM_ALL_ACCESS);
        inv->may_invalidate = true;
        wr.u.invalidate_key = inv->key;
    }
    sim_fill(from->host + OFFSET, len, seed);
    memset(to->host + OFFSET - 1, 0x5a, len + 2);
    if (kinds[kind].receives) {
        sim_post_recv(p->b, 77, p->bm, OFFSET, is_write(opcode) ? 0 : len);
    }
    sim_post_send(p->a, &wr);
    sim_settle(p->sim);
    wc = sim_cq_expect(&p->a->send_cq, 42, ROCE_WC_SUCCESS, kinds[kind].wc);
    g_assert_false(wc.receive);
    if (kinds[kind].read) {
        g_assert_cmpuint(wc.byte_len, ==, len);
    }
    if (kinds[kind].receives) {
        expect_receive(p, opcode, len, wr.u.invalidate_key);
    }
    g_assert_true(sim_filled(to->host + OFFSET, len, seed));
    g_assert_cmphex(to->host[OFFSET - 1], ==, 0x5a);
    g_assert_cmphex(to->host[OFFSET + len], ==, 0x5a);
    g_assert_true(!inv || !inv->valid);
    pair_expect_quiet(p);
}

static void transfer_all(const SimWire *wire, const SimLink *link,
                         uint32_t most)
{
    g_autoptr(Pair) p = pair_new(wire, link);
    const uint32_t lengths[] = {
        0, 1, link->mtu - 1, link->mtu, link->mtu + 1, 2 * link->mtu,
        64 * KIB, MIB - 3, MIB,
    };

    for (unsigned kind = 0; kind < G_N_ELEMENTS(kinds); kind++) {
        for (unsigned i = 0; i < G_N_ELEMENTS(lengths); i++) {
            if (lengths[i] <= most) {
                transfer(p, kind, lengths[i]);
            }
        }
    }
}

static void test_transfers(const void *data)
{
    SimLink link = sim_link;

    link.ipv6 = data != NULL;
    for (unsigned i = 0; i < G_N_ELEMENTS(mtus); i++) {
        link.mtu = mtus[i];
        transfer_all(&sim_good_wire, &link, MIB);
    }
}

static void test_psn_wrap(void)
{
    SimLink link = sim_link;

    for (link.psn = 0xfffff0; link.psn <= 0xffffff; link.psn += 5) {
        link.mtu = 256;
        transfer_all(&sim_good_wire, &link, 64 * KIB);
    }
    link.psn = 0x7ffff0;
    transfer_all(&sim_good_wire, &link, 64 * KIB);
}

static void test_full_wire(void)
{
    SimWire wire = sim_good_wire;

    for (wire.room = 1; wire.room <= 3; wire.room++) {
        transfer_all(&wire, &sim_link, 64 * KIB);
    }
}

static void test_full_wire_refuses(void)
{
    SimWire wire = sim_good_wire;
    g_autoptr(Pair) p = NULL;

    wire.room = 2;
    p = pair_new(&wire, &sim_link);
    transfer(p, 3, 64 * KIB);
    g_assert_cmpuint(p->a->node->refused, >, 10);
    g_assert_cmpuint(roce_stats(p->a->node->engine)->retransmits, ==, 0);
}

/* Atomics */

static uint64_t atomic(Pair *p, uint32_t opcode, uint64_t compare_add,
                       uint64_t swap)
{
    RoceSendWr wr = pair_wr(p, opcode, 1, OFFSET, 3);
    uint64_t ret;

    wr.u.rdma.compare_add = compare_add;
    wr.u.rdma.swap = swap;
    wr.sge[wr.num_sge++] = sim_sge(p->am, OFFSET + 3, 5);
    sim_post_send(p->a, &wr);
    sim_settle(p->sim);
    sim_cq_expect(&p->a->send_cq, 1, ROCE_WC_SUCCESS,
                  opcode == ROCE_WR_ATOMIC_CMP_AND_SWP ? ROCE_WC_COMP_SWAP
                                                       : ROCE_WC_FETCH_ADD);
    memcpy(&ret, p->am->host + OFFSET, 8);
    return ret;
}

static void test_atomics(void)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);
    uint64_t *word = (uint64_t *)(p->bm->host + OFFSET);
    const uint64_t start = 0x0102030405060708, big = ~UINT64_C(0);

    *word = start;
    g_assert_cmphex(atomic(p, ROCE_WR_ATOMIC_FETCH_AND_ADD, 5, 99), ==, start);
    g_assert_cmphex(*word, ==, start + 5);
    g_assert_cmphex(atomic(p, ROCE_WR_ATOMIC_FETCH_AND_ADD, big, 0), ==,
                    start + 5);
    g_assert_cmphex(*word, ==, start + 4);
    g_assert_cmphex(atomic(p, ROCE_WR_ATOMIC_CMP_AND_SWP, start, 9), ==,
                    start + 4);
    g_assert_cmphex(*word, ==, start + 4);
    g_assert_cmphex(atomic(p, ROCE_WR_ATOMIC_CMP_AND_SWP, start + 4, 9), ==,
                    start + 4);
    g_assert_cmphex(*word, ==, 9);
    pair_expect_quiet(p);
}

/* Lists of SGEs */

static Pair *pair_with_sges(void)
{
    Pair *p = pair_new(&sim_good_wire, &sim_link);
    SimQpSpec spec = sim_rc;

    spec.max_sge = ROCE_MAX_SGE;
    p->a = sim_qp_new(p->a->node, &spec);
    p->b = sim_qp_new(p->b->node, &spec);
    sim_rc_pair(p->a, p->b, &sim_link);
    return p;
}

/* From high to low addresses, with empty ones of no key between. */
static uint32_t scattered(RoceSge *sge, uint8_t *ret_num, const SimMr *mr)
{
    static const uint32_t lengths[] = { 1, 0, 700, 1024, 0, 0, 3, 2049, 17 };
    uint64_t at = 3 * MIB;
    uint32_t sum = 0;

    for (unsigned i = 0; i < G_N_ELEMENTS(lengths); i++) {
        at -= lengths[i] + 13;
        sge[i] = lengths[i] ? sim_sge(mr, at, lengths[i])
                            : (RoceSge){ 0xdead, 0, 0xbeef };
        sum += lengths[i];
    }
    *ret_num = G_N_ELEMENTS(lengths);
    return sum;
}

static void copy_sges(const SimMr *mr, const RoceSge *sge, uint8_t num,
                      uint8_t *flat, bool into_memory)
{
    for (uint8_t i = 0; i < num; i++) {
        if (sge[i].length) {
            uint8_t *at = mr->host + (sge[i].addr - mr->va);

            memcpy(into_memory ? at : flat, into_memory ? flat : at,
                   sge[i].length);
            flat += sge[i].length;
        }
    }
}

static void test_gather_and_scatter(void)
{
    g_autoptr(Pair) p = pair_with_sges();
    RoceSendWr send = { .opcode = ROCE_WR_SEND };
    RoceRecvWr recv = { 0 };
    uint32_t len = scattered(send.sge, &send.num_sge, p->am);
    g_autofree uint8_t *flat = g_malloc(len);

    g_assert_cmpuint(scattered(recv.sge, &recv.num_sge, p->bm), ==, len);
    sim_fill(flat, len, 5);
    copy_sges(p->am, send.sge, send.num_sge, flat, true);
    g_assert_cmpint(roce_post_recv(p->b->qp, &recv), ==, 0);
    sim_post_send(p->a, &send);
    sim_settle(p->sim);
    sim_cq_expect(&p->a->send_cq, 0, ROCE_WC_SUCCESS, ROCE_WC_SEND);
    sim_cq_expect(&p->b->recv_cq, 0, ROCE_WC_SUCCESS, ROCE_WC_RECV);
    memset(flat, 0, len);
    copy_sges(p->bm, recv.sge, recv.num_sge, flat, false);
    g_assert_true(sim_filled(flat, len, 5));
}

static void test_read_scatters(void)
{
    g_autoptr(Pair) p = pair_with_sges();
    RoceSendWr wr = pair_wr(p, ROCE_WR_RDMA_READ, 0, OFFSET, 0);
    uint32_t len = scattered(wr.sge, &wr.num_sge, p->am);
    g_autofree uint8_t *flat = g_malloc0(len);

    sim_fill(p->bm->host + OFFSET, len, 6);
    sim_post_send(p->a, &wr);
    sim_settle(p->sim);
    sim_cq_expect(&p->a->send_cq, 0, ROCE_WC_SUCCESS, ROCE_WC_RDMA_READ);
    copy_sges(p->am, wr.sge, wr.num_sge, flat, false);
    g_assert_true(sim_filled(flat, len, 6));
}

static void test_no_sges(void)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);
    RoceRecvWr recv = { .wr_id = 2 };

    for (unsigned kind = 0; kind < G_N_ELEMENTS(kinds); kind++) {
        RoceSendWr wr = pair_wr(p, kinds[kind].opcode, 1, 0, 0);

        if (wr.opcode == ROCE_WR_SEND_WITH_INV) {
            continue;
        }
        wr.num_sge = 0;
        wr.u.rdma.rkey = 0xbad;    /* nobody looks, if nothing moves */
        if (kinds[kind].receives) {
            g_assert_cmpint(roce_post_recv(p->b->qp, &recv), ==, 0);
        }
        sim_post_send(p->a, &wr);
        sim_settle(p->sim);
        sim_cq_expect(&p->a->send_cq, 1, ROCE_WC_SUCCESS, kinds[kind].wc);
        if (kinds[kind].receives) {
            g_assert_cmpuint(sim_cq_expect(&p->b->recv_cq, 2, ROCE_WC_SUCCESS,
                                           is_write(wr.opcode)
                                           ? ROCE_WC_RECV_RDMA_WITH_IMM
                                           : ROCE_WC_RECV).byte_len, ==, 0);
        }
    }
    pair_expect_quiet(p);
}

/* Order */

static void test_many(void)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);
    const unsigned n = 64;

    for (unsigned i = 0; i < n; i++) {
        sim_post_recv(p->b, i, p->bm, i * KIB, KIB);
        sim_fill(p->am->host + i * KIB, KIB, i);
        sim_fill(p->bm->host + MIB + i * KIB, KIB, 1000 + i);
    }
    for (unsigned i = 0; i < n; i++) {
        RoceSendWr wr = pair_wr(p, i % 2 ? ROCE_WR_RDMA_READ : ROCE_WR_SEND, i,
                                MIB + i * KIB, KIB);

        wr.fence = i % 8 == 0;
        if (i % 2 == 0) {
            wr.sge[0] = sim_sge(p->am, i * KIB, KIB);
        }
        sim_post_send(p->a, &wr);
    }
    sim_settle(p->sim);
    for (unsigned i = 0; i < n; i++) {
        sim_cq_expect(&p->a->send_cq, i, ROCE_WC_SUCCESS,
                      i % 2 ? ROCE_WC_RDMA_READ : ROCE_WC_SEND);
        g_assert_true(sim_filled(p->am->host + MIB + i * KIB, i % 2 ? KIB : 0,
                                 1000 + i));
        if (i < n / 2) {
            sim_cq_expect(&p->b->recv_cq, i, ROCE_WC_SUCCESS, ROCE_WC_RECV);
            g_assert_true(sim_filled(p->bm->host + i * KIB, KIB, 2 * i));
        }
    }
    pair_expect_quiet(p);
}

/* The last response to a READ is there before what is fenced is sent. */
static void test_fence(void)
{
    for (int fence = 0; fence < 2; fence++) {
        g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);
        g_autoptr(Trace) t = trace_new(p->sim);
        RoceSendWr wr = pair_wr(p, ROCE_WR_RDMA_WRITE, 2, MIB, 1);
        const TraceEntry *last, *write;

        pair_post(p, ROCE_WR_RDMA_READ, 1, OFFSET, 8 * KIB);
        wr.fence = fence;
        sim_post_send(p->a, &wr);
        sim_settle(p->sim);
        last = trace_find(t, 1, ROCE_OP_READ_RESP_LAST, 0);
        write = trace_find(t, 0, ROCE_OP_WRITE_ONLY, 0);
        g_assert_cmpint(write > last, ==, fence);
    }
}

/* Reads and atomics under way never exceed what the QP was told. */
static void test_read_limit(void)
{
    SimLink link = sim_link;

    for (link.rd_atomic = 1; link.rd_atomic <= 16; link.rd_atomic *= 2) {
        g_autoptr(Pair) p = pair_new(&sim_good_wire, &link);
        g_autoptr(Trace) t = trace_new(p->sim);
        int out = 0, most = 0;

        for (unsigned i = 0; i < 40; i++) {
            pair_post(p, i % 3 ? ROCE_WR_RDMA_READ
                               : ROCE_WR_ATOMIC_FETCH_AND_ADD, i, i * 8, 8);
        }
        sim_settle(p->sim);
        for (unsigned i = 0; i < t->entries->len; i++) {
            out += trace_at(t, i)->from == 0 ? 1 : -1;
            most = MAX(most, out);
        }
        for (unsigned i = 0; i < 40; i++) {
            sim_cq_expect(&p->a->send_cq, i, ROCE_WC_SUCCESS,
                          i % 3 ? ROCE_WC_RDMA_READ : ROCE_WC_FETCH_ADD);
        }
        g_assert_cmpint(most, ==, link.rd_atomic);
        g_assert_cmpint(out, ==, 0);
        pair_expect_quiet(p);
    }
}

/* Within one engine nothing goes over the wire. */
static void test_loopback(void)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);
    g_autoptr(Trace) t = trace_new(p->sim);
    SimLink link = sim_link;

    for (link.mtu = 256; link.mtu <= 4096; link.mtu *= 4) {
        p->b = sim_qp_new(p->a->node, &sim_rc);
        p->a = sim_qp_new(p->a->node, &sim_rc);
        p->bm = sim_mr_new(p->a->node, SIM_PD, PAIR_MEM, SIM_ALL_ACCESS);
        sim_rc_pair(p->a, p->b, &link);
        for (unsigned kind = 0; kind < G_N_ELEMENTS(kinds); kind++) {
            transfer(p, kind, 0);
            transfer(p, kind, MIB);
            transfer(p, kind, MIB + 1);
        }
        atomic(p, ROCE_WR_ATOMIC_FETCH_AND_ADD, 1, 0);
    }
    g_assert_cmpuint(trace_count(t, 0, -1), ==, 0);
}

static void test_to_itself(void)
{
    g_autoptr(Sim) sim = sim_new(1, 1, &sim_good_wire);
    SimQp *qp = sim_qp_new(&sim->nodes[0], &sim_rc);
    SimMr *mr = sim_mr_new(qp->node, SIM_PD, MIB, SIM_ALL_ACCESS);
    RoceSendWr wr = { .wr_id = 1, .opcode = ROCE_WR_SEND, .num_sge = 1 };

    sim_rc_connect(qp, qp, &sim_link);
    sim_post_recv(qp, 2, mr, 64 * KIB, 64 * KIB);
    sim_fill(mr->host, 64 * KIB, 3);
    wr.sge[0] = sim_sge(mr, 0, 64 * KIB);
    sim_post_send(qp, &wr);
    sim_settle(sim);
    sim_cq_expect(&qp->send_cq, 1, ROCE_WC_SUCCESS, ROCE_WC_SEND);
    sim_cq_expect(&qp->recv_cq, 2, ROCE_WC_SUCCESS, ROCE_WC_RECV);
    g_assert_true(sim_filled(mr->host + 64 * KIB, 64 * KIB, 3));
}

static void test_posting(void)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);
    RoceSendWr wr = pair_wr(p, ROCE_WR_RDMA_WRITE, 1, 0, 1);
    RoceRecvWr recv = { .num_sge = 1 };

    wr.num_sge = sim_rc.max_sge + 1;
    g_assert_cmpint(roce_post_send(p->a->qp, &wr), ==, -EINVAL);
    wr.num_sge = 1;
    wr.opcode = 7;
    g_assert_cmpint(roce_post_send(p->a->qp, &wr), ==, -EINVAL);
    wr.opcode = 100;
    g_assert_cmpint(roce_post_send(p->a->qp, &wr), ==, -EINVAL);
    wr.opcode = ROCE_WR_RDMA_WRITE;
    for (unsigned i = 0; i < sim_rc.max_send_wr; i++) {
        g_assert_cmpint(roce_post_send(p->a->qp, &wr), ==, 0);
    }
    g_assert_cmpint(roce_post_send(p->a->qp, &wr), ==, -ENOMEM);
    for (unsigned i = 0; i < sim_rc.max_recv_wr; i++) {
        g_assert_cmpint(roce_post_recv(p->a->qp, &recv), ==, 0);
    }
    g_assert_cmpint(roce_post_recv(p->a->qp, &recv), ==, -ENOMEM);
    recv.num_sge = sim_rc.max_sge + 1;
    g_assert_cmpint(roce_post_recv(p->a->qp, &recv), ==, -EINVAL);
    sim_settle(p->sim);
    for (unsigned i = 0; i < sim_rc.max_send_wr; i++) {
        sim_cq_expect(&p->a->send_cq, 1, ROCE_WC_SUCCESS, ROCE_WC_RDMA_WRITE);
    }
    pair_expect_quiet(p);
}

/* The peer hears of it once, and only while it is in RTR. */
static void test_established(void)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);

    sim_qp_set_state(p->b, ROCE_QPS_RTR);
    pair_post(p, ROCE_WR_RDMA_WRITE, 1, 0, 1);
    pair_post(p, ROCE_WR_RDMA_WRITE, 2, 0, 1);
    sim_settle(p->sim);
    sim_cq_expect(&p->a->send_cq, 1, ROCE_WC_SUCCESS, ROCE_WC_RDMA_WRITE);
    sim_cq_expect(&p->a->send_cq, 2, ROCE_WC_SUCCESS, ROCE_WC_RDMA_WRITE);
    g_assert_cmpuint(sim_events(p->b, ROCE_EVENT_COMM_EST), ==, 1);
    sim_qp_set_state(p->b, ROCE_QPS_RTS);
    transfer(p, 5, 1);
    g_assert_cmpuint(sim_events(p->a, ROCE_EVENT_COMM_EST), ==, 0);
}

/* Acknowledgements of a burst become few. */
static void test_acks(void)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);
    g_autoptr(Trace) t = trace_new(p->sim);

    transfer(p, 3, MIB);
    g_assert_cmpuint(trace_count(t, 0, -1), ==, 1024);
    g_assert_cmpuint(trace_count(t, 1, ROCE_OP_ACK), <=, 64);
}

static void test_deterministic(void)
{
    uint32_t hash[2];

    for (int i = 0; i < 2; i++) {
        SimWire wire = { .loss = 50, .duplicate = 50, .late = 50,
                         .lateness = SIM_MS, .delay = SIM_US };
        g_autoptr(Pair) p = pair_new(&wire, &sim_link);

        transfer(p, 0, 64 * KIB);
        transfer(p, 5, 64 * KIB);
        hash[i] = p->sim->hash;
    }
    g_assert_cmphex(hash[0], ==, hash[1]);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/roce/rc/transfers/ipv4", NULL, test_transfers);
    g_test_add_data_func("/roce/rc/transfers/ipv6", "", test_transfers);
    g_test_add_func("/roce/rc/psn-wrap", test_psn_wrap);
    g_test_add_func("/roce/rc/full-wire", test_full_wire);
    g_test_add_func("/roce/rc/full-wire-refuses", test_full_wire_refuses);
    g_test_add_func("/roce/rc/atomics", test_atomics);
    g_test_add_func("/roce/rc/gather-scatter", test_gather_and_scatter);
    g_test_add_func("/roce/rc/read-scatters", test_read_scatters);
    g_test_add_func("/roce/rc/no-sges", test_no_sges);
    g_test_add_func("/roce/rc/many", test_many);
    g_test_add_func("/roce/rc/fence", test_fence);
    g_test_add_func("/roce/rc/read-limit", test_read_limit);
    g_test_add_func("/roce/rc/loopback", test_loopback);
    g_test_add_func("/roce/rc/to-itself", test_to_itself);
    g_test_add_func("/roce/rc/posting", test_posting);
    g_test_add_func("/roce/rc/established", test_established);
    g_test_add_func("/roce/rc/acks", test_acks);
    g_test_add_func("/roce/rc/deterministic", test_deterministic);
    return g_test_run();
}
