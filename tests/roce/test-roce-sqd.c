/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A drained send queue: what is under way finishes, the rest waits. */
#include "pair.h"

#define LONG_WRITE (1u << 20)      /* more than a window of packets */

static bool is_draining(const SimQp *qp)
{
    RoceQpAttr attr;

    roce_qp_query(qp->qp, &attr);
    return attr.sq_draining;
}

static void test_rc(void)
{
    const SimWire wire = { .delay = 100 * SIM_US };
    g_autoptr(Pair) p = pair_new(&wire, &sim_link);

    pair_post(p, ROCE_WR_RDMA_WRITE, 1, 0, LONG_WRITE);
    pair_post(p, ROCE_WR_RDMA_WRITE, 2, 0, 64);
    sim_run_for(p->sim, 50 * SIM_US);
    sim_qp_set_state(p->a, ROCE_QPS_SQD);
    g_assert_true(is_draining(p->a));
    pair_post(p, ROCE_WR_RDMA_WRITE, 3, 0, 64);
    sim_settle(p->sim);
    sim_cq_expect(&p->a->send_cq, 1, ROCE_WC_SUCCESS, ROCE_WC_RDMA_WRITE);
    sim_cq_expect_none(&p->a->send_cq);
    g_assert_false(is_draining(p->a));
    g_assert_true(roce_qp_is_idle(p->a->qp));

    sim_qp_set_state(p->a, ROCE_QPS_RTS);
    sim_settle(p->sim);
    sim_cq_expect(&p->a->send_cq, 2, ROCE_WC_SUCCESS, ROCE_WC_RDMA_WRITE);
    sim_cq_expect(&p->a->send_cq, 3, ROCE_WC_SUCCESS, ROCE_WC_RDMA_WRITE);
    pair_expect_quiet(p);
}

/* What waits in SQD is flushed like anything else. */
static void test_flush(void)
{
    g_autoptr(Pair) p = pair_new(&sim_good_wire, &sim_link);

    sim_qp_set_state(p->a, ROCE_QPS_SQD);
    pair_post(p, ROCE_WR_RDMA_WRITE, 1, 0, 64);
    sim_settle(p->sim);
    sim_cq_expect_none(&p->a->send_cq);
    sim_qp_set_state(p->a, ROCE_QPS_ERR);
    sim_cq_expect(&p->a->send_cq, 1, ROCE_WC_WR_FLUSH_ERR, ROCE_WC_RDMA_WRITE);
    g_assert_cmpuint(sim_qp_state(p->a), ==, ROCE_QPS_ERR);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/roce/sqd/rc", test_rc);
    g_test_add_func("/roce/sqd/flush", test_flush);
    return g_test_run();
}
