/*
 * pvrdma: the soft backend: queue pairs and shared receive queues
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "pvrdma_soft.h"

/* Mask bits and numbers are the verbs', here as there. */
#define ENGINE_ATTRS \
    (ROCE_QP_STATE | ROCE_QP_ACCESS_FLAGS | ROCE_QP_QKEY | ROCE_QP_AV | \
     ROCE_QP_PATH_MTU | ROCE_QP_TIMEOUT | ROCE_QP_RETRY_CNT | \
     ROCE_QP_RNR_RETRY | ROCE_QP_RQ_PSN | ROCE_QP_MAX_QP_RD_ATOMIC | \
     ROCE_QP_MIN_RNR_TIMER | ROCE_QP_SQ_PSN | ROCE_QP_MAX_DEST_RD_ATOMIC | \
     ROCE_QP_DEST_QPN)

int pvrdma_soft_qp_create(PvrdmaBackend *be, const PvrdmaQpInit *init,
                          void *cookie, void **ret_qp, uint32_t *ret_qpn)
{
    PvrdmaSoft *soft = pvrdma_soft(be);
    PvrdmaSoftSrq *srq = init->srq;
    g_autofree PvrdmaSoftQp *qp = g_new0(PvrdmaSoftQp, 1);
    const RoceQpInit roce = {
        .type = init->type,
        .max_send_wr = init->max_send_wr,
        .max_recv_wr = init->max_recv_wr,
        .max_send_sge = init->max_send_sge,
        .max_recv_sge = init->max_recv_sge,
        .tag = init->tag,
        .cookie = qp,
        .pd = init->pd,
        .send_cq = init->send_cq,
        .recv_cq = init->recv_cq,
        .srq = srq ? srq->roce : NULL,
    };

    qp->soft = soft;
    qp->cookie = cookie;
    qp->is_rc = init->type == PVRDMA_QPT_RC;
    qp->tag = init->tag;
    qp->send_cq = init->send_cq;
    qp->recv_cq = init->recv_cq;
    qp->roce = roce_qp_new(soft->engine, &roce, ret_qpn);
    if (!qp->roce) {
        return -ENOMEM;
    }
    *ret_qp = g_steal_pointer(&qp);
    return 0;
}

/* Nothing of it is told any more. */
static void forget(PvrdmaSoftQp *qp)
{
    pvrdma_soft_cq_purge(qp->send_cq, qp->tag);
    pvrdma_soft_cq_purge(qp->recv_cq, qp->tag);
    if (qp->events) {
        QTAILQ_REMOVE(&qp->soft->event_qps, qp, next);
        qp->events = 0;
    }
}

void pvrdma_soft_qp_destroy(PvrdmaBackend *be, void *opaque)
{
    PvrdmaSoftQp *qp = opaque;

    roce_qp_free(qp->roce);
    forget(qp);
    g_free(qp);
}

static void attr_to_engine(const PvrdmaQpAttr *in, RoceQpAttr *out)
{
    *out = (RoceQpAttr) {
        .state = in->qp_state,
        .path_mtu = 128u << in->path_mtu,
        .qkey = in->qkey,
        .rq_psn = in->rq_psn,
        .sq_psn = in->sq_psn,
        .dest_qpn = in->dest_qpn,
        .access_flags = in->access_flags,
        .max_rd_atomic = in->max_rd_atomic,
        .max_dest_rd_atomic = in->max_dest_rd_atomic,
        .min_rnr_timer = in->min_rnr_timer,
        .timeout = in->timeout,
        .retry_cnt = in->retry_cnt,
        .rnr_retry = in->rnr_retry,
    };
    pvrdma_soft_av(&in->av, &out->av);
}

int pvrdma_soft_qp_modify(PvrdmaBackend *be, void *opaque,
                          const PvrdmaQpAttr *attr, uint32_t mask)
{
    PvrdmaSoftQp *qp = opaque;
    RoceQpAttr roce;
    int err;

    attr_to_engine(attr, &roce);
    err = roce_qp_modify(qp->roce, &roce, mask & ENGINE_ATTRS);
    if (!err && mask & PVRDMA_QP_ATTR_STATE &&
        attr->qp_state == PVRDMA_QPS_RESET) {
        forget(qp);
    }
    return err;
}

/* What the guest has set is the objects layer's to tell. */
int pvrdma_soft_qp_query(PvrdmaBackend *be, void *opaque, PvrdmaQpAttr *ret)
{
    PvrdmaSoftQp *qp = opaque;
    RoceQpAttr roce;

    roce_qp_query(qp->roce, &roce);
    ret->qp_state = roce.state;
    ret->sq_psn = roce.sq_psn;
    ret->rq_psn = roce.rq_psn;
    ret->sq_draining = roce.sq_draining;
    return 0;
}

void pvrdma_soft_qp_event(void *opaque, void *cookie, uint32_t event)
{
    PvrdmaSoft *soft = opaque;
    PvrdmaSoftQp *qp = cookie;

    if (!qp->events) {
        QTAILQ_INSERT_TAIL(&soft->event_qps, qp, next);
    }
    qp->events |= 1u << event;
}

int pvrdma_soft_srq_create(PvrdmaBackend *be, void *pd, uint32_t max_wr,
                           uint32_t max_sge, void *cookie, void **ret_srq)
{
    PvrdmaSoft *soft = pvrdma_soft(be);
    g_autofree PvrdmaSoftSrq *srq = g_new0(PvrdmaSoftSrq, 1);

    srq->cookie = cookie;
    srq->roce = roce_srq_new(soft->engine, max_wr, max_sge, pd, srq);
    if (!srq->roce) {
        return -ENOMEM;
    }
    *ret_srq = g_steal_pointer(&srq);
    return 0;
}

void pvrdma_soft_srq_destroy(PvrdmaBackend *be, void *opaque)
{
    PvrdmaSoft *soft = pvrdma_soft(be);
    PvrdmaSoftSrq *srq = opaque;

    if (srq->taken) {
        QTAILQ_REMOVE(&soft->taken_srqs, srq, next);
    }
    roce_srq_free(srq->roce);
    g_free(srq);
}

void pvrdma_soft_srq_taken(void *opaque, void *cookie, uint32_t left)
{
    PvrdmaSoft *soft = opaque;
    PvrdmaSoftSrq *srq = cookie;

    if (!srq->taken++) {
        QTAILQ_INSERT_TAIL(&soft->taken_srqs, srq, next);
    }
}
