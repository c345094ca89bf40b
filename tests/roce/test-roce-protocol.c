/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Peers that break the rules, seen from both sides; and owners at the limits. */
#include <errno.h>
#include <string.h>

#include "pair.h"
#include "trace.h"

#define MTU 1024u

/* A packet of the peer of @to, with the PSN that is expected next. */
static RocePacket packet_for(const SimQp *to, const SimQp *from,
                             uint8_t opcode)
{
    RocePacket pkt = { .opcode = opcode, .ipv4 = true, .ack_req = true,
                       .pkey = ROCE_DEFAULT_PKEY, .dest_qpn = to->qpn };
    RoceQpAttr attr;

    roce_qp_query(to->qp, &attr);
    pkt.psn = attr.rq_psn;
    memcpy(pkt.sgid, from->node->gid[0], 16);
    memcpy(pkt.dgid, to->node->gid[0], 16);
    return pkt;
}

static void inject(const SimQp *to, const RocePacket *pkt)
{
    uint8_t frame[ROCE_MAX_FRAME];

    memset(roce_frame_open(frame, pkt), 0x77, pkt->payload_len);
    g_assert_true(sim_inject(to->node, frame,
                             roce_frame_seal(frame, pkt, true)));
}

/* Requests */

typedef struct RequestCase {
    const char *name;
    uint8_t before;                /* a packet that is in order, or 0xff */
    uint8_t opcode;
    uint32_t payload;
    uint32_t dma_len;
} RequestCase;

#define NOTHING 0xff

static const RequestCase bad_requests[] = {
    { "SEND middle first", NOTHING, ROCE_OP_SEND_MIDDLE, MTU },
    { "SEND last first", NOTHING, ROCE_OP_SEND_LAST, 8 },
    { "SEND first too short", NOTHING, ROCE_OP_SEND_FIRST, MTU - 1 },
    { "SEND first too long", NOTHING, ROCE_OP_SEND_FIRST, MTU + 4 },
    { "SEND only too long", NOTHING, ROCE_OP_SEND_ONLY, MTU + 1 },
    { "SEND first twice", ROCE_OP_SEND_FIRST, ROCE_OP_SEND_FIRST, MTU },
    { "SEND only within", ROCE_OP_SEND_FIRST, ROCE_OP_SEND_ONLY, 8 },
    { "SEND middle too short", ROCE_OP_SEND_FIRST, ROCE_OP_SEND_MIDDLE, 8 },
    { "SEND last empty", ROCE_OP_SEND_FIRST, ROCE_OP_SEND_LAST, 0 },
    { "SEND last too long", ROCE_OP_SEND_FIRST, ROCE_OP_SEND_LAST, MTU + 1 },
    { "WRITE within a SEND", ROCE_OP_SEND_FIRST, ROCE_OP_WRITE_MIDDLE, MTU },
    { "WRITE last first", NOTHING, ROCE_OP_WRITE_LAST, 8 },
    { "WRITE first too short", NOTHING, ROCE_OP_WRITE_FIRST, 8, 2 * MTU },
    { "WRITE only of less", NOTHING, ROCE_OP_WRITE_ONLY, 8, 9 },
    { "WRITE only of more", NOTHING, ROCE_OP_WRITE_ONLY, 8, 7 },
    { "WRITE first of all", NOTHING, ROCE_OP_WRITE_FIRST, MTU, MTU },
    { "WRITE too long", NOTHING, ROCE_OP_WRITE_FIRST, MTU, ROCE_MAX_MSG + 1 },
    { "WRITE last too early", ROCE_OP_WRITE_FIRST, ROCE_OP_WRITE_LAST, 8 },
    { "WRITE middle to the end", ROCE_OP_WRITE_FIRST, ROCE_OP_WRITE_MIDDLE,
      MTU },
    { "SEND within a WRITE", ROCE_OP_WRITE_FIRST, ROCE_OP_SEND_LAST, 8 },
    { "READ within a WRITE", ROCE_OP_WRITE_FIRST, ROCE_OP_READ_REQUEST, 0, 8 },
    { "atomic within a SEND", ROCE_OP_SEND_FIRST, ROCE_OP_FETCH_ADD, 0 },
    { "READ too long", NOTHING, ROCE_OP_READ_REQUEST, 0, ROCE_MAX_MSG + 1 },
};

static void send_request(Pair *p, uint8_t opcode, uint32_t payload,
                         uint32_t dma_len)
{
    RocePacket pkt = packet_for(p->b, p->a, opcode);

    pkt.payload_len = payload;
    pkt.dma_len = dma_len;
    pkt.va = p->bm->va;
    pkt.rkey = p->bm->key;
    inject(p->b, &pkt);
}

static void bad_request(const RequestCase *c)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);
    g_autoptr(Trace) t = trace_new(p->sim);
    const TraceEntry *nak;

    g_test_message("%s", c->name);
    sim_post_recv(p->b, 1, p->bm, 8192, 8192);
    if (c->before != NOTHING) {
        send_request(p, c->before, MTU, 2 * MTU);
        sim_settle(p->sim);
        g_assert_cmpuint(sim_qp_state(p->b), ==, ROCE_QPS_RTS);
    }
    send_request(p, c->opcode, c->payload, c->dma_len);
    sim_settle(p->sim);
    nak = trace_at(t, t->entries->len - 1);
    g_assert_cmphex(nak->pkt.opcode, ==, ROCE_OP_ACK);
    g_assert_cmphex(nak->pkt.syndrome, ==, 0x61); /* invalid request */
    g_assert_cmpuint(sim_events(p->b, ROCE_EVENT_QP_REQ_ERR), ==, 1);
    g_assert_cmpuint(sim_qp_state(p->b), ==, ROCE_QPS_ERR);
    sim_cq_expect(&p->b->recv_cq, 1, ROCE_WC_WR_FLUSH_ERR, 0);
}

static void test_bad_requests(void)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(bad_requests); i++) {
        bad_request(&bad_requests[i]);
    }
}

/* More repeated READs than there is room for are forgotten, not answered. */
static void test_many_repeated(void)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);
    RocePacket pkt;

    pair_post(p, ROCE_WR_RDMA_READ, 1, 0, 100 * MTU);
    sim_settle(p->sim);
    sim_cq_expect(&p->a->send_cq, 1, ROCE_WC_SUCCESS, ROCE_WC_RDMA_READ);
    pkt = packet_for(p->b, p->a, ROCE_OP_READ_REQUEST);
    pkt.psn -= 100;
    pkt.va = p->bm->va;
    pkt.rkey = p->bm->key;
    for (unsigned i = 0; i < 100; i++, pkt.psn++) {
        pkt.dma_len = MTU;
        inject(p->b, &pkt);
    }
    sim_settle(p->sim);
    pair_expect_quiet(p);
}

/* A repeated READ reaches no further than the first one did, nor where it
 * has no right to. */
static void test_repeated_read_checked(void)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);
    g_autoptr(Trace) t = NULL;
    RocePacket pkt;

    pair_post(p, ROCE_WR_RDMA_READ, 1, 0, MTU);
    sim_settle(p->sim);
    sim_cq_expect(&p->a->send_cq, 1, ROCE_WC_SUCCESS, ROCE_WC_RDMA_READ);
    t = trace_new(p->sim);
    pkt = packet_for(p->b, p->a, ROCE_OP_READ_REQUEST);
    pkt.psn--;
    pkt.va = p->bm->va;
    pkt.rkey = p->bm->key;
    pkt.dma_len = MTU + 1;
    inject(p->b, &pkt);
    pkt.dma_len = MTU;
    pkt.rkey ^= 1;
    inject(p->b, &pkt);
    pkt.rkey ^= 1;
    pkt.va += PAIR_MEM;
    inject(p->b, &pkt);
    sim_settle(p->sim);
    g_assert_cmpuint(trace_count(t, 1, -1), ==, 0);
    pair_expect_quiet(p);
}

/* Responses */

typedef struct ResponseCase {
    const char *name;
    uint32_t request;
    uint8_t opcode;
    uint32_t payload;
    uint8_t syndrome;
    uint32_t status;
} ResponseCase;

static const ResponseCase bad_responses[] = {
    { "NAK of no known kind", ROCE_WR_RDMA_WRITE, ROCE_OP_ACK, 0, 0x6f,
      ROCE_WC_BAD_RESP_ERR },
    { "READ response to a WRITE", ROCE_WR_RDMA_WRITE, ROCE_OP_READ_RESP_ONLY,
      8, 0x1f, ROCE_WC_BAD_RESP_ERR },
    { "READ response too short", ROCE_WR_RDMA_READ, ROCE_OP_READ_RESP_ONLY, 7,
      0x1f, ROCE_WC_BAD_RESP_ERR },
    { "READ response too long", ROCE_WR_RDMA_READ, ROCE_OP_READ_RESP_ONLY, 9,
      0x1f, ROCE_WC_BAD_RESP_ERR },
    { "READ response to an atomic", ROCE_WR_ATOMIC_CMP_AND_SWP,
      ROCE_OP_READ_RESP_ONLY, 8, 0x1f, ROCE_WC_BAD_RESP_ERR },
    { "atomic response to a READ", ROCE_WR_RDMA_READ, ROCE_OP_ATOMIC_ACK, 0,
      0x1f, ROCE_WC_BAD_RESP_ERR },
    { "atomic response to a SEND", ROCE_WR_SEND, ROCE_OP_ATOMIC_ACK, 0, 0x1f,
      ROCE_WC_BAD_RESP_ERR },
};

/* The peer itself hears nothing, so that the answer is ours to give. */
static bool lose_all(const TraceEntry *e, void *opaque)
{
    return true;
}

static void respond(Pair *p, const ResponseCase *c, uint32_t psn)
{
    RocePacket pkt = packet_for(p->a, p->b, c->opcode);

    pkt.psn = psn;
    pkt.payload_len = c->payload;
    pkt.syndrome = c->syndrome;
    inject(p->a, &pkt);
}

static void bad_response(const ResponseCase *c)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);
    g_autoptr(Trace) t = trace_new(p->sim);

    g_test_message("%s", c->name);
    t->lose = lose_all;
    pair_post(p, c->request, 1, 0, 8);
    pair_post(p, ROCE_WR_RDMA_WRITE, 2, 0, 8);
    sim_run_for(p->sim, SIM_US);
    respond(p, c, sim_link.psn);
    sim_settle(p->sim);
    sim_cq_expect(&p->a->send_cq, 1, c->status, 0);
    sim_cq_expect(&p->a->send_cq, 2, ROCE_WC_WR_FLUSH_ERR, 0);
    g_assert_cmpuint(sim_qp_state(p->a), ==, ROCE_QPS_ERR);
    g_assert_cmphex(p->am->host[0], ==, 0);
}

static void test_bad_responses(void)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(bad_responses); i++) {
        bad_response(&bad_responses[i]);
    }
}

/* Answers to what was not asked yet, or not by this QP at all */
static void test_untimely_responses(void)
{
    static const uint32_t psns[] = { 0, 99, 101, 0x800000, 0xffffff };
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);
    g_autoptr(Trace) t = trace_new(p->sim);
    const RoceStats *stats = roce_stats(p->a->node->engine);

    t->lose = lose_all;
    for (unsigned i = 0; i < G_N_ELEMENTS(bad_responses); i++) {
        respond(p, &bad_responses[i], sim_link.psn);
    }
    pair_post(p, ROCE_WR_RDMA_READ, 1, 0, 8);
    sim_run_for(p->sim, SIM_US);
    for (unsigned i = 0; i < G_N_ELEMENTS(psns); i++) {
        for (unsigned j = 0; j < G_N_ELEMENTS(bad_responses); j++) {
            respond(p, &bad_responses[j], psns[i]);
        }
    }
    g_assert_cmpuint(stats->rx_duplicate, ==, 6 * 7);
    sim_qp_set_state(p->a, ROCE_QPS_RTR);
    respond(p, &bad_responses[0], sim_link.psn);
    g_assert_cmpuint(stats->rx_no_qp, ==, 1);
    sim_qp_set_state(p->a, ROCE_QPS_RTS);
    t->lose = NULL;
    sim_settle(p->sim);
    sim_cq_expect(&p->a->send_cq, 1, ROCE_WC_SUCCESS, ROCE_WC_RDMA_READ);
    pair_expect_quiet(p);
}

/* Owners */

/* Local memory that goes away under way */
static void test_local_revoked(void)
{
    static const uint32_t opcodes[] = {
        ROCE_WR_RDMA_WRITE, ROCE_WR_RDMA_READ, ROCE_WR_ATOMIC_FETCH_AND_ADD,
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(opcodes); i++) {
        g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);

        p->sim->wire.room = 4;
        pair_post(p, opcodes[i], 1, 0, i == 2 ? 8 : 65536);
        sim_run_for(p->sim, SIM_US);
        p->am->valid = false;
        sim_settle(p->sim);
        sim_cq_expect(&p->a->send_cq, 1, ROCE_WC_LOC_PROT_ERR, 0);
        g_assert_cmpuint(sim_qp_state(p->a), ==, ROCE_QPS_ERR);
        g_assert_cmpuint(sim_qp_state(p->b), ==, ROCE_QPS_RTS);
    }
}

/* Without the GID a QP is not reached, and cannot send. */
static void test_gid_gone(void)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);

    pair_post(p, ROCE_WR_RDMA_WRITE, 1, 0, 65536);
    sim_run_for(p->sim, SIM_US);
    roce_gid_set(p->b->node->engine, 0, NULL);
    sim_run_for(p->sim, 100 * SIM_MS);
    sim_cq_expect_none(&p->a->send_cq);
    roce_gid_set(p->b->node->engine, 0, p->b->node->gid[0]);
    sim_settle(p->sim);
    sim_cq_expect(&p->a->send_cq, 1, ROCE_WC_SUCCESS, ROCE_WC_RDMA_WRITE);
    roce_gid_set(p->a->node->engine, 0, NULL);
    pair_post(p, ROCE_WR_RDMA_WRITE, 2, 0, 8);
    sim_settle(p->sim);
    sim_cq_expect(&p->a->send_cq, 2, ROCE_WC_LOC_QP_OP_ERR, 0);
}

static void test_gids(void)
{
    g_autoptr(Sim) sim = sim_new(1, 1, &sim_good_wire);
    RoceEngine *e = sim->nodes[0].engine;
    uint8_t gid[16] = { 0xfe, 0x80, [15] = 1 };

    g_assert_false(roce_gid_is_ours(e, gid));
    roce_gid_set(e, 255, gid);
    g_assert_true(roce_gid_is_ours(e, gid));
    roce_gid_set(e, 7, gid);
    roce_gid_set(e, 255, NULL);
    g_assert_true(roce_gid_is_ours(e, gid));
    roce_gid_set(e, 7, NULL);
    g_assert_false(roce_gid_is_ours(e, gid));
    g_assert_true(roce_gid_is_ours(e, sim->nodes[0].gid[1]));
}

/* Frames that are not ours are left to others. */
static void test_not_ours(void)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);
    RocePacket pkt = packet_for(p->b, p->a, ROCE_OP_SEND_ONLY);
    const RoceStats *stats = roce_stats(p->b->node->engine);
    uint8_t frame[ROCE_MAX_FRAME];
    size_t len;

    roce_frame_open(frame, &pkt);
    len = roce_frame_seal(frame, &pkt, true);
    frame[len - 1] ^= 1;
    g_assert_true(sim_inject(p->b->node, frame, len));
    g_assert_cmpuint(stats->rx_bad_icrc, ==, 1);
    g_assert_true(sim_inject(p->b->node, frame, len - 1));
    g_assert_cmpuint(stats->rx_bad_frame, ==, 1);
    pkt.dgid[15] = 99;
    roce_frame_open(frame, &pkt);
    len = roce_frame_seal(frame, &pkt, true);
    g_assert_false(sim_inject(p->b->node, frame, len));
    g_assert_false(sim_inject(p->b->node, frame, len - 1));
    g_assert_cmpuint(stats->rx_packets, ==, 2);
}

/* In SQD what has begun ends, and nothing else begins before RTS. */
static void test_drain(void)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);
    RoceQpAttr attr;

    p->sim->wire.room = 4;
    pair_post(p, ROCE_WR_RDMA_WRITE, 1, 0, 65536);
    pair_post(p, ROCE_WR_RDMA_WRITE, 2, 0, 65536);
    sim_run_for(p->sim, SIM_US);
    sim_qp_set_state(p->a, ROCE_QPS_SQD);
    roce_qp_query(p->a->qp, &attr);
    g_assert_true(attr.sq_draining);
    pair_post(p, ROCE_WR_RDMA_WRITE, 3, 0, 8);
    sim_settle(p->sim);
    sim_cq_expect(&p->a->send_cq, 1, ROCE_WC_SUCCESS, ROCE_WC_RDMA_WRITE);
    sim_cq_expect_none(&p->a->send_cq);
    roce_qp_query(p->a->qp, &attr);
    g_assert_false(attr.sq_draining);
    sim_qp_set_state(p->a, ROCE_QPS_RTS);
    sim_settle(p->sim);
    sim_cq_expect(&p->a->send_cq, 2, ROCE_WC_SUCCESS, ROCE_WC_RDMA_WRITE);
    sim_cq_expect(&p->a->send_cq, 3, ROCE_WC_SUCCESS, ROCE_WC_RDMA_WRITE);
    pair_expect_quiet(p);
}

static void test_mtu_of_nic(void)
{
    static const struct { uint32_t nic, mtu; } rows[] = {
        { 68, 256 }, { 576, 256 }, { 591, 256 }, { 592, 512 }, { 1103, 512 },
        { 1104, 1024 }, { 1500, 1024 }, { 2128, 2048 }, { 4175, 2048 },
        { 4176, 4096 }, { 9000, 4096 }, { 65535, 4096 },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_assert_cmpuint(roce_mtu_of_nic(rows[i].nic), ==, rows[i].mtu);
    }
}

static void test_limits(void)
{
    g_autoptr(Sim) sim = sim_new(1, 1, &sim_good_wire);
    RoceEngine *e = sim->nodes[0].engine;
    RoceQpInit init = { .type = ROCE_QPT_RC, .max_send_wr = 1 };
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    uint32_t qpn;

    g_assert_null(roce_new(NULL, NULL, 0));
    g_assert_null(roce_new(NULL, NULL, 4097));
    g_assert_null(roce_srq_new(e, 0, 1, NULL, NULL));
    g_assert_null(roce_srq_new(e, 65537, 1, NULL, NULL));
    g_assert_null(roce_srq_new(e, 1, ROCE_MAX_SGE + 1, NULL, NULL));
    init.max_send_wr = 65537;
    g_assert_null(roce_qp_new(e, &init, &qpn));
    init.max_send_wr = 0;
    g_assert_null(roce_qp_new(e, &init, &qpn));
    init.max_send_wr = 1;
    init.type = 3;
    g_assert_null(roce_qp_new(e, &init, &qpn));
    for (unsigned i = 0; i < 64; i++) {
        SimQp *qp = sim_qp_new(&sim->nodes[0], &sim_rc);

        g_assert_cmphex(qp->qpn, <=, 0xffffff);
        g_assert_cmphex(qp->qpn, >, 1);
        g_assert_true(g_hash_table_add(seen, GUINT_TO_POINTER(qp->qpn)));
    }
    init.type = ROCE_QPT_RC;
    g_assert_null(roce_qp_new(e, &init, &qpn));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/roce/protocol/requests", test_bad_requests);
    g_test_add_func("/roce/protocol/many-repeated", test_many_repeated);
    g_test_add_func("/roce/protocol/repeated-read", test_repeated_read_checked);
    g_test_add_func("/roce/protocol/responses", test_bad_responses);
    g_test_add_func("/roce/protocol/untimely", test_untimely_responses);
    g_test_add_func("/roce/protocol/local-revoked", test_local_revoked);
    g_test_add_func("/roce/protocol/gid-gone", test_gid_gone);
    g_test_add_func("/roce/protocol/gids", test_gids);
    g_test_add_func("/roce/protocol/not-ours", test_not_ours);
    g_test_add_func("/roce/protocol/drain", test_drain);
    g_test_add_func("/roce/protocol/mtu-of-nic", test_mtu_of_nic);
    g_test_add_func("/roce/protocol/limits", test_limits);
    return g_test_run();
}
