/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory, queues and connections of the simulated nodes. */
#include <string.h>

#include "sim-int.h"

const SimQpSpec sim_rc = {
    .type = ROCE_QPT_RC, .pd = SIM_PD, .max_send_wr = 64, .max_recv_wr = 64,
    .max_sge = 4,
};

const SimQpSpec sim_ud = {
    .type = ROCE_QPT_UD, .pd = SIM_PD, .max_send_wr = 64, .max_recv_wr = 64,
    .max_sge = 4,
};

const SimLink sim_link = {
    .mtu = 1024, .psn = 100, .access = SIM_ALL_ACCESS, .rd_atomic = 4,
    .min_rnr_timer = 12, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7,
};

/* Memory */

static SimMr *find_mr(SimNode *node, uint32_t key)
{
    uint32_t index = (key >> 8) - 1;

    if (index < node->mrs->len) {
        SimMr *mr = g_ptr_array_index(node->mrs, index);

        return mr->key == key ? mr : NULL;
    }
    return NULL;
}

static uint8_t *mem_at(SimNode *node, void *pd, uint32_t key, uint64_t va,
                       uint64_t len, uint32_t access)
{
    SimMr *mr = find_mr(node, key);

    if (!mr || !mr->valid || mr->pd != pd || access & ~mr->access ||
        va < mr->va || len > mr->length || va - mr->va > mr->length - len) {
        return NULL;
    }
    return mr->host + (va - mr->va);
}

bool sim_mem_check(void *opaque, void *pd, uint32_t key, uint64_t va,
                   uint64_t len, uint32_t access)
{
    return mem_at(opaque, pd, key, va, len, access);
}

bool sim_mem_read(void *opaque, void *pd, uint32_t key, uint64_t va,
                  void *buf, uint32_t len, uint32_t access)
{
    const uint8_t *from = mem_at(opaque, pd, key, va, len, access);

    if (from) {
        memcpy(buf, from, len);
    }
    return from;
}

bool sim_mem_write(void *opaque, void *pd, uint32_t key, uint64_t va,
                   const void *buf, uint32_t len, uint32_t access)
{
    uint8_t *to = mem_at(opaque, pd, key, va, len, access);

    if (to) {
        memcpy(to, buf, len);
    }
    return to;
}

bool sim_mem_atomic(void *opaque, void *pd, uint32_t key, uint64_t va,
                    bool is_add, uint64_t compare_add, uint64_t swap,
                    uint64_t *ret)
{
    SimNode *node = opaque;
    uint8_t *at = mem_at(node, pd, key, va, 8, ROCE_ACCESS_REMOTE_ATOMIC);
    uint64_t value;

    g_assert_cmphex(va & 7, ==, 0);
    if (!at) {
        return false;
    }
    memcpy(&value, at, 8);
    *ret = value;
    node->atomics++;
    if (is_add) {
        value += compare_add;
    } else if (value == compare_add) {
        value = swap;
    }
    memcpy(at, &value, 8);
    return true;
}

bool sim_fast_reg(void *opaque, void *pd, const RoceSendWr *wr)
{
    SimMr *mr = find_mr(opaque, wr->u.fast_reg.key);

    if (!mr || mr->pd != pd || mr->valid) {
        return false;
    }
    mr->va = wr->u.fast_reg.iova;
    mr->length = wr->u.fast_reg.length;
    mr->access = wr->u.fast_reg.access;
    mr->valid = true;
    return true;
}

bool sim_invalidate(void *opaque, void *pd, uint32_t key, bool remote)
{
    SimMr *mr = find_mr(opaque, key);

    if (!mr || mr->pd != pd || !mr->valid || (remote && !mr->may_invalidate)) {
        return false;
    }
    mr->valid = false;
    return true;
}

SimMr *sim_mr_new(SimNode *node, void *pd, size_t length, uint32_t access)
{
    SimMr *mr = g_new0(SimMr, 1);

    g_ptr_array_add(node->mrs, mr);
    mr->pd = pd;
    mr->key = node->mrs->len << 8 | 0xa5;
    mr->va = (uint64_t)node->mrs->len << 40;
    mr->length = length;
    mr->access = access;
    mr->valid = true;
    mr->host = g_malloc0(MAX(length, 1));
    return mr;
}

static void mr_free(void *data)
{
    SimMr *mr = data;

    g_free(mr->host);
    g_free(mr);
}

RoceSge sim_sge(const SimMr *mr, uint64_t offset, uint32_t length)
{
    return (RoceSge){ mr->va + offset, length, mr->key };
}

static uint8_t pattern(uint32_t seed, size_t i)
{
    uint32_t x = (seed + (uint32_t)i / 251) * 2654435761u;

    return (x >> 24) + i;
}

void sim_fill(uint8_t *buf, size_t len, uint32_t seed)
{
    for (size_t i = 0; i < len; i++) {
        buf[i] = pattern(seed, i);
    }
}

bool sim_filled(const uint8_t *buf, size_t len, uint32_t seed)
{
    for (size_t i = 0; i < len; i++) {
        if (buf[i] != pattern(seed, i)) {
            return false;
        }
    }
    return true;
}

/* Completions and events */

void sim_complete(void *opaque, void *cq, const RoceWc *wc)
{
    SimQp *qp = (SimQp *)(uintptr_t)wc->qp_tag;

    g_assert_true(cq == (wc->receive ? &qp->recv_cq : &qp->send_cq));
    g_assert_true(qp->node == opaque);
    g_array_append_vals(((SimCq *)cq)->wcs, wc, 1);
}

bool sim_cq_take(SimCq *cq, RoceWc *ret)
{
    if (cq->taken == cq->wcs->len) {
        g_array_set_size(cq->wcs, 0);
        cq->taken = 0;
        return false;
    }
    *ret = g_array_index(cq->wcs, RoceWc, cq->taken++);
    return true;
}

RoceWc sim_cq_expect(SimCq *cq, uint64_t wr_id, uint32_t status,
                     uint32_t opcode)
{
    RoceWc wc;

    g_assert_true(sim_cq_take(cq, &wc));
    g_assert_cmpuint(wc.status, ==, status);
    g_assert_cmpuint(wc.wr_id, ==, wr_id);
    if (status == ROCE_WC_SUCCESS) {
        g_assert_cmpuint(wc.opcode, ==, opcode);
    }
    return wc;
}

void sim_cq_expect_none(SimCq *cq)
{
    RoceWc wc;

    g_assert_false(sim_cq_take(cq, &wc));
}

void sim_qp_event(void *opaque, void *cookie, uint32_t event)
{
    SimNode *node = opaque;
    SimEvent e = { cookie, event };

    g_array_append_val(node->events, e);
}

unsigned sim_events(const SimQp *qp, uint32_t event)
{
    unsigned n = 0;

    for (unsigned i = 0; i < qp->node->events->len; i++) {
        const SimEvent *e = &g_array_index(qp->node->events, SimEvent, i);

        n += e->cookie == qp && e->event == event;
    }
    return n;
}

/* Shared receive queues */

void sim_srq_taken(void *opaque, void *cookie, uint32_t left)
{
    SimSrq *srq = cookie;

    srq->taken++;
    srq->left = left;
}

SimSrq *sim_srq_new(SimNode *node, void *pd, uint32_t max_wr, uint32_t max_sge)
{
    SimSrq *srq = g_new0(SimSrq, 1);

    srq->srq = roce_srq_new(node->engine, max_wr, max_sge, pd, srq);
    g_assert_nonnull(srq->srq);
    g_ptr_array_add(node->srqs, srq);
    return srq;
}

static void srq_free(void *data)
{
    SimSrq *srq = data;

    roce_srq_free(srq->srq);
    g_free(srq);
}

/* Queue pairs */

SimQp *sim_qp_new(SimNode *node, const SimQpSpec *spec)
{
    SimQp *qp = g_new0(SimQp, 1);
    RoceQpInit init = {
        .type = spec->type,
        .max_send_wr = spec->max_send_wr,
        .max_recv_wr = spec->srq ? 0 : spec->max_recv_wr,
        .max_send_sge = spec->max_sge,
        .max_recv_sge = spec->max_sge,
        .tag = (uintptr_t)qp,
        .cookie = qp,
        .pd = spec->pd,
        .send_cq = &qp->send_cq,
        .recv_cq = &qp->recv_cq,
        .srq = spec->srq ? spec->srq->srq : NULL,
    };

    qp->node = node;
    qp->send_cq.wcs = g_array_new(FALSE, FALSE, sizeof(RoceWc));
    qp->recv_cq.wcs = g_array_new(FALSE, FALSE, sizeof(RoceWc));
    qp->qp = roce_qp_new(node->engine, &init, &qp->qpn);
    g_assert_nonnull(qp->qp);
    g_ptr_array_add(node->qps, qp);
    return qp;
}

static void qp_free(void *data)
{
    SimQp *qp = data;

    roce_qp_free(qp->qp);
    g_array_unref(qp->send_cq.wcs);
    g_array_unref(qp->recv_cq.wcs);
    g_free(qp);
}

void sim_qp_free(SimQp *qp)
{
    g_assert_true(g_ptr_array_remove_fast(qp->node->qps, qp));
}

void sim_qp_modify(SimQp *qp, const RoceQpAttr *attr, uint32_t mask)
{
    g_assert_cmpint(roce_qp_modify(qp->qp, attr, mask), ==, 0);
}

uint32_t sim_qp_state(const SimQp *qp)
{
    RoceQpAttr attr;

    roce_qp_query(qp->qp, &attr);
    return attr.state;
}

void sim_qp_set_state(SimQp *qp, uint32_t state)
{
    RoceQpAttr attr = { .state = state };

    sim_qp_modify(qp, &attr, ROCE_QP_STATE);
}

RoceAv sim_av(const SimNode *to, bool ipv6)
{
    RoceAv av = { .sgid_index = ipv6 };

    memcpy(av.dgid, to->gid[ipv6], sizeof(av.dgid));
    memcpy(av.dmac, to->mac, sizeof(av.dmac));
    return av;
}

void sim_rc_connect(SimQp *qp, const SimQp *peer, const SimLink *link)
{
    RoceQpAttr attr = {
        .state = ROCE_QPS_INIT,
        .path_mtu = link->mtu,
        .rq_psn = link->psn,
        .sq_psn = link->psn,
        .dest_qpn = peer->qpn,
        .access_flags = link->access,
        .max_rd_atomic = link->rd_atomic,
        .max_dest_rd_atomic = link->rd_atomic,
        .min_rnr_timer = link->min_rnr_timer,
        .timeout = link->timeout,
        .retry_cnt = link->retry_cnt,
        .rnr_retry = link->rnr_retry,
        .av = sim_av(peer->node, link->ipv6),
    };

    sim_qp_modify(qp, &attr, ROCE_QP_STATE | ROCE_QP_ACCESS_FLAGS);
    attr.state = ROCE_QPS_RTR;
    sim_qp_modify(qp, &attr, ROCE_QP_STATE | ROCE_QP_AV | ROCE_QP_PATH_MTU |
                  ROCE_QP_DEST_QPN | ROCE_QP_RQ_PSN | ROCE_QP_MIN_RNR_TIMER |
                  ROCE_QP_MAX_DEST_RD_ATOMIC);
    attr.state = ROCE_QPS_RTS;
    sim_qp_modify(qp, &attr, ROCE_QP_STATE | ROCE_QP_TIMEOUT |
                  ROCE_QP_RETRY_CNT | ROCE_QP_RNR_RETRY | ROCE_QP_SQ_PSN |
                  ROCE_QP_MAX_QP_RD_ATOMIC);
}

void sim_rc_pair(SimQp *a, SimQp *b, const SimLink *link)
{
    sim_rc_connect(a, b, link);
    sim_rc_connect(b, a, link);
}

void sim_ud_start(SimQp *qp, uint32_t qkey)
{
    RoceQpAttr attr = { .state = ROCE_QPS_INIT, .qkey = qkey };

    sim_qp_modify(qp, &attr, ROCE_QP_STATE | ROCE_QP_QKEY);
    sim_qp_set_state(qp, ROCE_QPS_RTR);
    attr.state = ROCE_QPS_RTS;
    sim_qp_modify(qp, &attr, ROCE_QP_STATE | ROCE_QP_SQ_PSN);
}

void sim_post_send(SimQp *qp, const RoceSendWr *wr)
{
    g_assert_cmpint(roce_post_send(qp->qp, wr), ==, 0);
}

void sim_post_recv(SimQp *qp, uint64_t wr_id, const SimMr *mr, uint64_t offset,
                   uint32_t length)
{
    RoceRecvWr wr = { .wr_id = wr_id, .num_sge = 1 };

    wr.sge[0] = sim_sge(mr, offset, length);
    g_assert_cmpint(roce_post_recv(qp->qp, &wr), ==, 0);
}

/* Life */

void sim_verbs_init(SimNode *node)
{
    node->mrs = g_ptr_array_new_with_free_func(mr_free);
    node->qps = g_ptr_array_new_with_free_func(qp_free);
    node->srqs = g_ptr_array_new_with_free_func(srq_free);
    node->events = g_array_new(FALSE, FALSE, sizeof(SimEvent));
}

void sim_verbs_clear(SimNode *node)
{
    g_ptr_array_unref(node->qps);
    g_ptr_array_unref(node->srqs);
    g_ptr_array_unref(node->mrs);
    g_array_unref(node->events);
}
