/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pair.h"

Pair *pair_new(const SimWire *wire, const SimLink *link)
{
    Pair *p = g_new0(Pair, 1);

    p->sim = sim_new(2, 1, wire);
    p->a = sim_qp_new(&p->sim->nodes[0], &sim_rc);
    p->b = sim_qp_new(&p->sim->nodes[1], &sim_rc);
    p->am = sim_mr_new(p->a->node, SIM_PD, PAIR_MEM, SIM_ALL_ACCESS);
    p->bm = sim_mr_new(p->b->node, SIM_PD, PAIR_MEM, SIM_ALL_ACCESS);
    sim_rc_pair(p->a, p->b, link);
    return p;
}

void pair_free(Pair *p)
{
    sim_free(p->sim);
    g_free(p);
}

RoceSendWr pair_wr(const Pair *p, uint32_t opcode, uint64_t wr_id,
                   uint64_t offset, uint32_t len)
{
    RoceSendWr wr = { .wr_id = wr_id, .opcode = opcode, .num_sge = 1 };

    if (opcode != ROCE_WR_SEND_WITH_INV) {
        wr.u.rdma.remote_addr = p->bm->va + offset;
        wr.u.rdma.rkey = p->bm->key;
    }
    wr.sge[0] = sim_sge(p->am, offset, len);
    return wr;
}

void pair_post(Pair *p, uint32_t opcode, uint64_t wr_id, uint64_t offset,
               uint32_t len)
{
    RoceSendWr wr = pair_wr(p, opcode, wr_id, offset, len);

    sim_post_send(p->a, &wr);
}

void pair_expect_quiet(Pair *p)
{
    SimQp *ends[] = { p->a, p->b };

    for (unsigned i = 0; i < 2; i++) {
        sim_cq_expect_none(&ends[i]->send_cq);
        sim_cq_expect_none(&ends[i]->recv_cq);
        g_assert_cmpuint(sim_qp_state(ends[i]), ==, ROCE_QPS_RTS);
        g_assert_true(roce_qp_is_idle(ends[i]->qp));
        g_assert_cmpuint(sim_events(ends[i], ROCE_EVENT_QP_FATAL), ==, 0);
        g_assert_cmpuint(sim_events(ends[i], ROCE_EVENT_QP_REQ_ERR), ==, 0);
        g_assert_cmpuint(sim_events(ends[i], ROCE_EVENT_QP_ACCESS_ERR), ==, 0);
    }
}
