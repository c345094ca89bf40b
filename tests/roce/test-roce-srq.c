/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Receives that QPs share. */
#include <errno.h>
#include <string.h>

#include "pair.h"
#include "trace.h"

/* Two senders on one node, two receivers on the other with one queue. */
typedef struct Shared {
    Sim *sim;
    SimQp *from[2], *to[2];
    SimMr *fm, *tm;
    SimSrq *srq;
} Shared;

static Shared *shared_new(const SimLink *link, void *srq_pd)
{
    Shared *s = g_new0(Shared, 1);
    SimQpSpec spec = sim_rc;

    s->sim = sim_new(2, 7, &sim_good_wire);
    s->srq = sim_srq_new(&s->sim->nodes[1], srq_pd, 16, 2);
    s->fm = sim_mr_new(&s->sim->nodes[0], SIM_PD, PAIR_MEM, SIM_ALL_ACCESS);
    s->tm = sim_mr_new(&s->sim->nodes[1], srq_pd, PAIR_MEM, SIM_ALL_ACCESS);
    spec.srq = s->srq;
    for (unsigned i = 0; i < 2; i++) {
        s->from[i] = sim_qp_new(&s->sim->nodes[0], &sim_rc);
        s->to[i] = sim_qp_new(&s->sim->nodes[1], &spec);
        sim_rc_pair(s->from[i], s->to[i], link);
    }
    return s;
}

static void shared_free(Shared *s)
{
    sim_free(s->sim);
    g_free(s);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Shared, shared_free)

static int post(Shared *s, uint64_t wr_id, uint64_t offset, uint32_t len)
{
    RoceRecvWr wr = { .wr_id = wr_id, .num_sge = 1 };

    wr.sge[0] = sim_sge(s->tm, offset, len);
    return roce_srq_post(s->srq->srq, &wr);
}

static void send_from(Shared *s, unsigned i, uint64_t wr_id, uint32_t len)
{
    RoceSendWr wr = { .wr_id = wr_id, .opcode = ROCE_WR_SEND, .num_sge = 1 };

    wr.sge[0] = sim_sge(s->fm, i << 20, len);
    sim_post_send(s->from[i], &wr);
}

static void test_shared(void)
{
    g_autoptr(Shared) s = shared_new(&sim_link, SIM_PD);
    const uint32_t len = 5000;

    for (unsigned i = 0; i < 4; i++) {
        g_assert_cmpint(post(s, i, i * 8192, 8192), ==, 0);
    }
    g_assert_cmpuint(roce_srq_posted(s->srq->srq), ==, 4);
    sim_fill(s->fm->host, len, 1);
    sim_fill(s->fm->host + (1 << 20), len, 2);
    for (unsigned i = 0; i < 4; i++) {
        send_from(s, i & 1, i, len);
    }
    sim_settle(s->sim);
    g_assert_cmpuint(roce_srq_posted(s->srq->srq), ==, 0);
    g_assert_cmpuint(s->srq->taken, ==, 4);
    g_assert_cmpuint(s->srq->left, ==, 0);
    for (unsigned i = 0; i < 4; i++) {
        RoceWc wc;

        g_assert_true(sim_cq_take(&s->to[i & 1]->recv_cq, &wc));
        g_assert_cmpuint(wc.status, ==, ROCE_WC_SUCCESS);
        g_assert_true(wc.from_srq);
        g_assert_cmpuint(wc.byte_len, ==, len);
        g_assert_true(sim_filled(s->tm->host + wc.wr_id * 8192, len,
                                 1 + (i & 1)));
        sim_cq_expect(&s->from[i & 1]->send_cq, i, ROCE_WC_SUCCESS,
                      ROCE_WC_SEND);
    }
}

/* The receives' memory is of the SRQ's PD, not the QP's. */
static void test_own_pd(void)
{
    g_autoptr(Shared) s = shared_new(&sim_link, SIM_OTHER_PD);

    g_assert_cmpint(post(s, 1, 0, 8192), ==, 0);
    sim_fill(s->fm->host, 2000, 1);
    send_from(s, 0, 2, 2000);
    sim_settle(s->sim);
    sim_cq_expect(&s->to[0]->recv_cq, 1, ROCE_WC_SUCCESS, ROCE_WC_RECV);
    g_assert_true(sim_filled(s->tm->host, 2000, 1));
}

static void test_posting(void)
{
    g_autoptr(Shared) s = shared_new(&sim_link, SIM_PD);
    RoceRecvWr wr = { .num_sge = 3 };

    g_assert_cmpint(roce_srq_post(s->srq->srq, &wr), ==, -EINVAL);
    for (unsigned i = 0; i < 16; i++) {
        g_assert_cmpint(post(s, i, 0, 8), ==, 0);
    }
    g_assert_cmpint(post(s, 16, 0, 8), ==, -ENOMEM);
    wr.num_sge = 1;
    g_assert_cmpint(roce_post_recv(s->to[0]->qp, &wr), ==, -EINVAL);
}

/* An empty queue is a receiver not ready, for all who share it. */
static void test_empty(void)
{
    g_autoptr(Shared) s = shared_new(&sim_link, SIM_PD);

    send_from(s, 0, 1, 8);
    send_from(s, 1, 2, 8);
    sim_run_for(s->sim, 100 * SIM_MS);
    sim_cq_expect_none(&s->from[0]->send_cq);
    g_assert_cmpuint(roce_stats(s->to[0]->node->engine)->tx_rnr_nak, >, 2);
    g_assert_cmpint(post(s, 0, 0, 8), ==, 0);
    g_assert_cmpint(post(s, 1, 8, 8), ==, 0);
    sim_settle(s->sim);
    sim_cq_expect(&s->from[0]->send_cq, 1, ROCE_WC_SUCCESS, ROCE_WC_SEND);
    sim_cq_expect(&s->from[1]->send_cq, 2, ROCE_WC_SUCCESS, ROCE_WC_SEND);
}

/* What one QP has taken is flushed with it; the others' stay. */
static void test_error(void)
{
    g_autoptr(Shared) s = shared_new(&sim_link, SIM_PD);

    for (unsigned i = 0; i < 4; i++) {
        g_assert_cmpint(post(s, i, i << 18, 1 << 18), ==, 0);
    }
    s->sim->wire.room = 4;
    send_from(s, 0, 1, 200000);
    sim_run_for(s->sim, 50 * SIM_US);
    g_assert_cmpuint(s->srq->taken, ==, 1);
    sim_qp_set_state(s->to[0], ROCE_QPS_ERR);
    sim_cq_expect(&s->to[0]->recv_cq, 0, ROCE_WC_WR_FLUSH_ERR, 0);
    sim_cq_expect_none(&s->to[0]->recv_cq);
    g_assert_cmpuint(sim_events(s->to[0], ROCE_EVENT_QP_LAST_WQE), ==, 1);
    g_assert_cmpuint(roce_srq_posted(s->srq->srq), ==, 3);
    send_from(s, 1, 2, 100000);
    sim_settle(s->sim);
    sim_cq_expect(&s->to[1]->recv_cq, 1, ROCE_WC_SUCCESS, ROCE_WC_RECV);
    g_assert_cmpuint(sim_events(s->to[1], ROCE_EVENT_QP_LAST_WQE), ==, 0);
}

static void test_too_small(void)
{
    g_autoptr(Shared) s = shared_new(&sim_link, SIM_PD);

    g_assert_cmpint(post(s, 0, 0, 4000), ==, 0);
    g_assert_cmpint(post(s, 1, 8192, 4000), ==, 0);
    send_from(s, 0, 2, 4001);
    sim_settle(s->sim);
    sim_cq_expect(&s->to[0]->recv_cq, 0, ROCE_WC_LOC_LEN_ERR, 0);
    sim_cq_expect(&s->from[0]->send_cq, 2, ROCE_WC_REM_INV_REQ_ERR, 0);
    g_assert_cmpuint(sim_events(s->to[0], ROCE_EVENT_QP_LAST_WQE), ==, 1);
    g_assert_cmpuint(roce_srq_posted(s->srq->srq), ==, 1);
}

static void test_datagrams(void)
{
    g_autoptr(Shared) s = shared_new(&sim_link, SIM_PD);
    SimQpSpec spec = sim_ud;
    SimQp *from = sim_qp_new(s->from[0]->node, &sim_ud), *to;
    RoceSendWr wr = { .wr_id = 1, .opcode = ROCE_WR_SEND };

    spec.srq = s->srq;
    to = sim_qp_new(s->to[0]->node, &spec);
    sim_ud_start(from, 5);
    sim_ud_start(to, 5);
    wr.u.ud.qpn = to->qpn;
    wr.u.ud.qkey = 5;
    wr.u.ud.av = sim_av(to->node, true);
    g_assert_cmpint(post(s, 3, 0, 40), ==, 0);
    sim_post_send(from, &wr);
    sim_settle(s->sim);
    g_assert_true(sim_cq_expect(&to->recv_cq, 3, ROCE_WC_SUCCESS,
                                ROCE_WC_RECV).from_srq);
    g_assert_cmpuint(s->srq->taken, ==, 1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/roce/srq/shared", test_shared);
    g_test_add_func("/roce/srq/own-pd", test_own_pd);
    g_test_add_func("/roce/srq/posting", test_posting);
    g_test_add_func("/roce/srq/empty", test_empty);
    g_test_add_func("/roce/srq/error", test_error);
    g_test_add_func("/roce/srq/too-small", test_too_small);
    g_test_add_func("/roce/srq/datagrams", test_datagrams);
    return g_test_run();
}
