/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Datagrams, and the GSI, which gets them too. */
#include <errno.h>
#include <string.h>

#include "trace.h"

#define QKEY 0x11111111u
#define GRH 40u
#define SIZE 8192u

typedef struct Peers {
    Sim *sim;
    SimQp *a, *b;
    SimMr *am, *bm;
} Peers;

static Peers *peers_new(uint8_t type)
{
    Peers *p = g_new0(Peers, 1);
    SimQpSpec spec = sim_ud;

    spec.type = type;
    p->sim = sim_new(2, 1, &sim_good_wire);
    p->a = sim_qp_new(&p->sim->nodes[0], &spec);
    p->b = sim_qp_new(&p->sim->nodes[1], &spec);
    p->am = sim_mr_new(p->a->node, SIM_PD, SIZE, SIM_ALL_ACCESS);
    p->bm = sim_mr_new(p->b->node, SIM_PD, SIZE, SIM_ALL_ACCESS);
    sim_ud_start(p->a, QKEY);
    sim_ud_start(p->b, QKEY);
    return p;
}

static void peers_free(Peers *p)
{
    sim_free(p->sim);
    g_free(p);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Peers, peers_free)

static RoceSendWr datagram(const Peers *p, uint64_t wr_id, uint32_t len,
                           bool ipv6)
{
    RoceSendWr wr = { .wr_id = wr_id, .opcode = ROCE_WR_SEND, .num_sge = 1 };

    wr.u.ud.qpn = p->b->qpn;
    wr.u.ud.qkey = QKEY;
    wr.u.ud.av = sim_av(p->b->node, ipv6);
    wr.sge[0] = sim_sge(p->am, 0, len);
    return wr;
}

static void send_one(Peers *p, const RoceSendWr *wr)
{
    sim_post_send(p->a, wr);
    sim_settle(p->sim);
    sim_cq_expect(&p->a->send_cq, wr->wr_id, ROCE_WC_SUCCESS, ROCE_WC_SEND);
}

/* Sent, and then not received. */
static void send_lost(Peers *p, const RoceSendWr *wr, const uint64_t *counter)
{
    uint64_t before = *counter;

    send_one(p, wr);
    g_assert_cmpuint(*counter, ==, before + 1);
    sim_cq_expect_none(&p->b->recv_cq);
    g_assert_cmpuint(sim_qp_state(p->b), ==, ROCE_QPS_RTS);
}

/* The area before the payload: an IPv6 header, or an IPv4 one at its end */
static void expect_grh(const Peers *p, const uint8_t *grh, bool ipv6,
                       uint32_t len)
{
    const SimNode *a = p->a->node, *b = p->b->node;
    uint32_t udp = 8 + 12 + 8 + ((len + 3) & ~3u) + 4; /* with DETH and ICRC */

    if (ipv6) {
        g_assert_cmphex(grh[0], ==, 0x61);          /* class 0x12 */
        g_assert_cmphex(grh[1], ==, 0x23);          /* flow label 0x34567 */
        g_assert_cmphex(grh[2] << 8 | grh[3], ==, 0x4567);
        g_assert_cmpuint(grh[4] << 8 | grh[5], ==, udp);
        g_assert_cmpuint(grh[6], ==, 17);
        g_assert_cmpuint(grh[7], ==, 9);
        g_assert_cmpmem(grh + 8, 16, a->gid[1], 16);
        g_assert_cmpmem(grh + 24, 16, b->gid[1], 16);
    } else {
        for (unsigned i = 0; i < 20; i++) {
            g_assert_cmphex(grh[i], ==, 0);
        }
        g_assert_cmphex(grh[20], ==, 0x45);
        g_assert_cmphex(grh[21], ==, 0x12);
        g_assert_cmpuint(grh[22] << 8 | grh[23], ==, 20 + udp);
        g_assert_cmpuint(grh[28], ==, 9);
        g_assert_cmpmem(grh + 32, 4, a->gid[0] + 12, 4);
        g_assert_cmpmem(grh + 36, 4, b->gid[0] + 12, 4);
    }
}

static void exchange(Peers *p, uint32_t len, bool ipv6, bool imm)
{
    RoceSendWr wr = datagram(p, 1, len, ipv6);
    RoceWc wc;

    wr.opcode = imm ? ROCE_WR_SEND_WITH_IMM : ROCE_WR_SEND;
    wr.imm = 0x55667788;
    wr.solicited = ipv6;
    wr.u.ud.av.traffic_class = 0x12;
    wr.u.ud.av.hop_limit = 9;
    wr.u.ud.av.flow_label = 0x34567;
    sim_fill(p->am->host, len, len);
    memset(p->bm->host, 0x5a, SIZE);
    sim_post_recv(p->b, 2, p->bm, 0, GRH + len);
    send_one(p, &wr);
    wc = sim_cq_expect(&p->b->recv_cq, 2, ROCE_WC_SUCCESS, ROCE_WC_RECV);
    g_assert_cmpuint(wc.byte_len, ==, GRH + len);
    g_assert_cmpuint(wc.src_qp, ==, p->a->qpn);
    g_assert_true(wc.has_grh);
    g_assert_cmpint(wc.ipv4, ==, !ipv6);
    g_assert_cmpint(wc.has_imm, ==, imm);
    g_assert_cmphex(imm ? wc.imm : 0x55667788, ==, 0x55667788);
    g_assert_cmpint(wc.solicited, ==, ipv6);
    expect_grh(p, p->bm->host, ipv6, len + (imm ? 4 : 0));
    g_assert_true(sim_filled(p->bm->host + GRH, len, len));
    g_assert_cmphex(p->bm->host[GRH + len], ==, 0x5a);
}

static void test_exchange(void)
{
    static const uint32_t lengths[] = { 0, 1, 2, 3, 4, 256, 1023, 4096 };
    g_autoptr(Peers) p = peers_new(ROCE_QPT_UD);

    for (unsigned i = 0; i < G_N_ELEMENTS(lengths); i++) {
        for (unsigned how = 0; how < 4; how++) {
            exchange(p, lengths[i], how & 1, how & 2);
        }
    }
}

static void test_gsi(void)
{
    g_autoptr(Peers) p = peers_new(ROCE_QPT_GSI);
    g_autoptr(Trace) t = trace_new(p->sim);
    static const uint32_t qkeys[] = { ROCE_GSI_QKEY, 0x80000000, 0, QKEY };

    g_assert_cmpuint(p->a->qpn, ==, 1);
    g_assert_cmpuint(p->b->qpn, ==, 1);
    for (unsigned i = 0; i < G_N_ELEMENTS(qkeys); i++) {
        RoceSendWr wr = datagram(p, 1, 256, i & 1);

        wr.u.ud.qkey = qkeys[i];   /* no matter which */
        sim_post_recv(p->b, 2, p->bm, 0, GRH + 256);
        send_one(p, &wr);
        g_assert_cmphex(trace_at(t, i)->pkt.qkey, ==, ROCE_GSI_QKEY);
        sim_cq_expect(&p->b->recv_cq, 2, ROCE_WC_SUCCESS, ROCE_WC_RECV);
    }
}

static void test_one_gsi(void)
{
    g_autoptr(Peers) p = peers_new(ROCE_QPT_GSI);
    RoceQpInit init = { .type = ROCE_QPT_GSI, .max_send_wr = 1 };
    uint32_t qpn = 0;

    g_assert_null(roce_qp_new(p->a->node->engine, &init, &qpn));
    sim_qp_free(p->a);
    p->a = sim_qp_new(p->b->node - 1, &(SimQpSpec){
        .type = ROCE_QPT_GSI, .pd = SIM_PD, .max_send_wr = 1,
        .max_recv_wr = 1, .max_sge = 1 });
    g_assert_cmpuint(p->a->qpn, ==, 1);
}

/* Keys with the upper bit are the owner's to give: the QP's own is sent
 * (volume 1, 10.2.5). */
static void test_controlled_qkey(void)
{
    g_autoptr(Peers) p = peers_new(ROCE_QPT_UD);
    g_autoptr(Trace) t = trace_new(p->sim);
    RoceSendWr wr = datagram(p, 1, 8, false);

    wr.u.ud.qkey = ROCE_GSI_QKEY;
    send_one(p, &wr);
    g_assert_cmphex(trace_at(t, 0)->pkt.qkey, ==, QKEY);
}

static void test_wrong_keys(void)
{
    g_autoptr(Peers) p = peers_new(ROCE_QPT_UD);
    const RoceStats *stats = roce_stats(p->b->node->engine);
    RoceSendWr wr = datagram(p, 1, 8, false);

    sim_post_recv(p->b, 2, p->bm, 0, SIZE);
    wr.u.ud.qkey = QKEY + 1;
    send_lost(p, &wr, &stats->rx_bad_key);
    wr.u.ud.qkey = QKEY;
    wr.u.ud.qpn ^= 1 << 12;
    send_lost(p, &wr, &stats->rx_no_qp);
    wr.u.ud.qpn = 0;
    send_lost(p, &wr, &stats->rx_no_qp);
    wr.u.ud.qpn = 1;               /* no GSI here */
    send_lost(p, &wr, &stats->rx_no_qp);
}

static void inject_pkey(Peers *p, uint16_t pkey)
{
    RocePacket pkt = { .opcode = ROCE_OP_UD_SEND_ONLY, .pkey = pkey,
                       .ipv4 = true, .dest_qpn = p->b->qpn, .qkey = QKEY };
    uint8_t frame[ROCE_MAX_FRAME];

    memcpy(pkt.sgid, p->a->node->gid[0], 16);
    memcpy(pkt.dgid, p->b->node->gid[0], 16);
    roce_frame_open(frame, &pkt);
    g_assert_true(sim_inject(p->b->node, frame,
                             roce_frame_seal(frame, &pkt, true)));
}

static void test_pkeys(void)
{
    g_autoptr(Peers) p = peers_new(ROCE_QPT_UD);
    const RoceStats *stats = roce_stats(p->b->node->engine);

    for (unsigned i = 0; i < 4; i++) {
        sim_post_recv(p->b, i, p->bm, 0, SIZE);
    }
    inject_pkey(p, 0xffff);
    inject_pkey(p, 0x7fff);        /* a limited member */
    inject_pkey(p, 0x8001);
    inject_pkey(p, 0);
    g_assert_cmpuint(stats->rx_bad_key, ==, 2);
    sim_cq_expect(&p->b->recv_cq, 0, ROCE_WC_SUCCESS, ROCE_WC_RECV);
    sim_cq_expect(&p->b->recv_cq, 1, ROCE_WC_SUCCESS, ROCE_WC_RECV);
    sim_cq_expect_none(&p->b->recv_cq);
}

static void test_no_buffer(void)
{
    g_autoptr(Peers) p = peers_new(ROCE_QPT_UD);
    RoceSendWr wr = datagram(p, 1, 8, false);

    send_lost(p, &wr, &roce_stats(p->b->node->engine)->rx_no_buffer);
    sim_post_recv(p->b, 2, p->bm, 0, SIZE);
    send_one(p, &wr);
    sim_cq_expect(&p->b->recv_cq, 2, ROCE_WC_SUCCESS, ROCE_WC_RECV);
}

static void receive_fails(Peers *p, RoceSge sge, uint32_t status)
{
    RoceRecvWr recv = { .wr_id = 2, .num_sge = 1, .sge[0] = sge };
    RoceSendWr wr = datagram(p, 1, 8, false);

    g_assert_cmpint(roce_post_recv(p->b->qp, &recv), ==, 0);
    sim_post_recv(p->b, 3, p->bm, 0, SIZE);
    send_one(p, &wr);
    sim_cq_expect(&p->b->recv_cq, 2, status, 0);
    sim_cq_expect(&p->b->recv_cq, 3, ROCE_WC_WR_FLUSH_ERR, 0);
    g_assert_cmpuint(sim_qp_state(p->b), ==, ROCE_QPS_ERR);
    g_assert_cmphex(p->bm->host[GRH + 8], ==, 0);
}

static void test_receive_errors(void)
{
    for (uint32_t size = 0; size < GRH + 8; size += 47) {
        g_autoptr(Peers) p = peers_new(ROCE_QPT_UD);

        receive_fails(p, sim_sge(p->bm, 0, size), ROCE_WC_LOC_LEN_ERR);
    }
    for (unsigned i = 0; i < 3; i++) {
        g_autoptr(Peers) p = peers_new(ROCE_QPT_UD);
        RoceSge sge = sim_sge(p->bm, 0, SIZE);

        sge.key ^= i == 0;
        p->bm->access &= i == 1 ? ~ROCE_ACCESS_LOCAL_WRITE : ~0;
        sge.addr += i == 2 ? SIZE - 8 : 0;
        receive_fails(p, sge, ROCE_WC_LOC_PROT_ERR);
    }
}

/* The send queue stops, the receive queue does not. */
static void send_fails(Peers *p, const RoceSendWr *bad, uint32_t status)
{
    RoceSendWr good = datagram(p, 2, 8, false);

    sim_post_recv(p->a, 9, p->am, 0, SIZE);
    sim_post_send(p->a, bad);
    sim_post_send(p->a, &good);
    sim_settle(p->sim);
    sim_cq_expect(&p->a->send_cq, bad->wr_id, status, 0);
    sim_cq_expect(&p->a->send_cq, 2, ROCE_WC_WR_FLUSH_ERR, 0);
    sim_cq_expect_none(&p->a->recv_cq);
    g_assert_cmpuint(sim_qp_state(p->a), ==, ROCE_QPS_SQE);
    sim_post_send(p->a, &good);
    sim_cq_expect(&p->a->send_cq, 2, ROCE_WC_WR_FLUSH_ERR, 0);
    sim_qp_set_state(p->a, ROCE_QPS_RTS);
    sim_post_recv(p->b, 3, p->bm, 0, SIZE);
    send_one(p, &good);
    sim_cq_expect(&p->b->recv_cq, 3, ROCE_WC_SUCCESS, ROCE_WC_RECV);
}

static void test_send_errors(void)
{
    g_autoptr(Peers) p = peers_new(ROCE_QPT_UD);
    RoceSendWr wr = datagram(p, 1, 4097, false);

    send_fails(p, &wr, ROCE_WC_LOC_LEN_ERR);
    roce_set_mtu(p->a->node->engine, 1024);
    wr.sge[0].length = 1025;
    send_fails(p, &wr, ROCE_WC_LOC_LEN_ERR);
    wr = datagram(p, 1, 8, false);
    wr.sge[0].key ^= 1;
    send_fails(p, &wr, ROCE_WC_LOC_PROT_ERR);
    wr = datagram(p, 1, 8, false);
    wr.u.ud.av.sgid_index = 200;   /* there is no GID */
    send_fails(p, &wr, ROCE_WC_LOC_QP_OP_ERR);
    wr = datagram(p, 1, 8, true);
    wr.u.ud.av.sgid_index = 0;     /* from IPv4 to IPv6 */
    send_fails(p, &wr, ROCE_WC_LOC_QP_OP_ERR);
}

static void test_posting(void)
{
    static const uint32_t opcodes[] = { 0, 1, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
    g_autoptr(Peers) p = peers_new(ROCE_QPT_UD);

    for (unsigned i = 0; i < G_N_ELEMENTS(opcodes); i++) {
        RoceSendWr wr = datagram(p, 1, 8, false);

        wr.opcode = opcodes[i];
        g_assert_cmpint(roce_post_send(p->a->qp, &wr), ==, -EINVAL);
    }
}

/* Packets of one transport do not reach QPs of the other. */
static void test_other_transport(void)
{
    g_autoptr(Peers) p = peers_new(ROCE_QPT_UD);
    const RoceStats *stats = roce_stats(p->b->node->engine);
    SimQp *rc_a = sim_qp_new(p->a->node, &sim_rc);
    SimQp *rc_b = sim_qp_new(p->b->node, &sim_rc);
    RoceSendWr wr = datagram(p, 1, 8, false);
    RoceSendWr write = { .opcode = ROCE_WR_RDMA_WRITE };
    SimLink link = sim_link;

    sim_rc_pair(rc_a, rc_b, &sim_link);
    sim_post_recv(rc_b, 4, p->bm, 0, SIZE);
    sim_post_recv(p->b, 5, p->bm, 0, SIZE);
    wr.u.ud.qpn = rc_b->qpn;
    send_lost(p, &wr, &stats->rx_no_qp);
    sim_cq_expect_none(&rc_b->recv_cq);
    link.retry_cnt = 0;
    sim_qp_set_state(rc_a, ROCE_QPS_RESET);
    sim_rc_connect(rc_a, p->b, &link);
    sim_post_send(rc_a, &write);
    sim_settle(p->sim);
    sim_cq_expect(&rc_a->send_cq, 0, ROCE_WC_RETRY_EXC_ERR, 0);
    sim_cq_expect_none(&p->b->recv_cq);
}

static void test_states(void)
{
    g_autoptr(Peers) p = peers_new(ROCE_QPT_UD);
    const RoceStats *stats = roce_stats(p->b->node->engine);
    RoceSendWr wr = datagram(p, 1, 8, false);
    RoceQpAttr attr = { .state = ROCE_QPS_INIT, .qkey = QKEY };

    sim_qp_set_state(p->b, ROCE_QPS_RESET);
    send_one(p, &wr);
    sim_qp_modify(p->b, &attr, ROCE_QP_STATE | ROCE_QP_QKEY);
    sim_post_recv(p->b, 2, p->bm, 0, SIZE);
    send_one(p, &wr);
    g_assert_cmpuint(stats->rx_no_qp, ==, 2);
    sim_qp_set_state(p->b, ROCE_QPS_RTR);
    send_one(p, &wr);
    sim_cq_expect(&p->b->recv_cq, 2, ROCE_WC_SUCCESS, ROCE_WC_RECV);
    sim_qp_set_state(p->b, ROCE_QPS_ERR);
    send_one(p, &wr);
    g_assert_cmpuint(stats->rx_no_qp, ==, 3);
}

/* Everybody to everybody, also to themselves */
static void test_many_nodes(void)
{
    enum { NODES = 5 };
    g_autoptr(Sim) sim = sim_new(NODES, 3, &sim_good_wire);
    SimQp *qps[NODES];
    SimMr *mrs[NODES];
    RoceWc wc;

    for (unsigned i = 0; i < NODES; i++) {
        qps[i] = sim_qp_new(&sim->nodes[i], &sim_ud);
        mrs[i] = sim_mr_new(&sim->nodes[i], SIM_PD, SIZE, SIM_ALL_ACCESS);
        sim_ud_start(qps[i], QKEY);
        for (unsigned j = 0; j < NODES; j++) {
            sim_post_recv(qps[i], j, mrs[i], j * 64, 64);
        }
    }
    for (unsigned i = 0; i < NODES * NODES; i++) {
        unsigned from = i / NODES, to = i % NODES;
        RoceSendWr wr = { .opcode = ROCE_WR_SEND };

        wr.u.ud.qpn = qps[to]->qpn;
        wr.u.ud.qkey = QKEY;
        wr.u.ud.av = sim_av(&sim->nodes[to], i & 1);
        sim_post_send(qps[from], &wr);
    }
    sim_settle(sim);
    for (unsigned i = 0; i < NODES; i++) {
        for (unsigned j = 0; j < NODES; j++) {
            g_assert_true(sim_cq_take(&qps[i]->recv_cq, &wc));
            g_assert_cmpuint(wc.status, ==, ROCE_WC_SUCCESS);
        }
        sim_cq_expect_none(&qps[i]->recv_cq);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/roce/ud/exchange", test_exchange);
    g_test_add_func("/roce/ud/gsi", test_gsi);
    g_test_add_func("/roce/ud/one-gsi", test_one_gsi);
    g_test_add_func("/roce/ud/controlled-qkey", test_controlled_qkey);
    g_test_add_func("/roce/ud/wrong-keys", test_wrong_keys);
    g_test_add_func("/roce/ud/pkeys", test_pkeys);
    g_test_add_func("/roce/ud/no-buffer", test_no_buffer);
    g_test_add_func("/roce/ud/receive-errors", test_receive_errors);
    g_test_add_func("/roce/ud/send-errors", test_send_errors);
    g_test_add_func("/roce/ud/posting", test_posting);
    g_test_add_func("/roce/ud/other-transport", test_other_transport);
    g_test_add_func("/roce/ud/states", test_states);
    g_test_add_func("/roce/ud/many-nodes", test_many_nodes);
    return g_test_run();
}
