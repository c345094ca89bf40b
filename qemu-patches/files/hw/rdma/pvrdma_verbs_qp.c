/*
 * pvrdma: the verbs backend: queue pairs
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "pvrdma_verbs.h"
#include "trace.h"

/* Attributes that qp_modify passes on */
#define PVRDMA_VERBS_QP_ATTRS \
    (PVRDMA_QP_ATTR_STATE | PVRDMA_QP_ATTR_CUR_STATE | \
     PVRDMA_QP_ATTR_EN_SQD_ASYNC_NOTIFY | PVRDMA_QP_ATTR_ACCESS_FLAGS | \
     PVRDMA_QP_ATTR_PKEY_INDEX | PVRDMA_QP_ATTR_PORT | PVRDMA_QP_ATTR_QKEY | \
     PVRDMA_QP_ATTR_AV | PVRDMA_QP_ATTR_PATH_MTU | PVRDMA_QP_ATTR_TIMEOUT | \
     PVRDMA_QP_ATTR_RETRY_CNT | PVRDMA_QP_ATTR_RNR_RETRY | \
     PVRDMA_QP_ATTR_RQ_PSN | PVRDMA_QP_ATTR_MAX_QP_RD_ATOMIC | \
     PVRDMA_QP_ATTR_MIN_RNR_TIMER | PVRDMA_QP_ATTR_SQ_PSN | \
     PVRDMA_QP_ATTR_MAX_DEST_RD_ATOMIC | PVRDMA_QP_ATTR_DEST_QPN)

QEMU_BUILD_BUG_ON((int)IBV_QP_STATE != (int)PVRDMA_QP_ATTR_STATE);
QEMU_BUILD_BUG_ON((int)IBV_QP_AV != (int)PVRDMA_QP_ATTR_AV);
QEMU_BUILD_BUG_ON((int)IBV_QP_RQ_PSN != (int)PVRDMA_QP_ATTR_RQ_PSN);
QEMU_BUILD_BUG_ON((int)IBV_QP_MIN_RNR_TIMER !=
                  (int)PVRDMA_QP_ATTR_MIN_RNR_TIMER);
QEMU_BUILD_BUG_ON((int)IBV_QP_DEST_QPN != (int)PVRDMA_QP_ATTR_DEST_QPN);
QEMU_BUILD_BUG_ON((int)IBV_QPS_INIT != PVRDMA_QPS_INIT);
QEMU_BUILD_BUG_ON((int)IBV_QPS_ERR != PVRDMA_QPS_ERR);
QEMU_BUILD_BUG_ON((int)IBV_ACCESS_REMOTE_ATOMIC !=
                  (int)PVRDMA_ACCESS_REMOTE_ATOMIC);

static struct ibv_qp *pvrdma_verbs_qp_new_host(PvrdmaVerbsQp *qp,
                                               const PvrdmaQpInit *init)
{
    struct ibv_qp_init_attr attr = {
        .qp_context = qp,
        .send_cq = qp->send_cq->ibv,
        .recv_cq = qp->recv_cq->ibv,
        .qp_type = init->type == PVRDMA_QPT_RC ? IBV_QPT_RC : IBV_QPT_UD,
        .cap = {
            .max_send_wr = MAX(init->max_send_wr, 1),
            .max_recv_wr = MAX(init->max_recv_wr, 1),
            .max_send_sge = MAX(init->max_send_sge, 1),
            .max_recv_sge = MAX(init->max_recv_sge, 1),
        },
    };

    errno = 0;
    return ibv_create_qp(((PvrdmaVerbsPd *)init->pd)->ibv, &attr);
}

int pvrdma_verbs_qp_create(PvrdmaBackend *be, const PvrdmaQpInit *init,
                           void *cookie, void **ret_qp, uint32_t *ret_qpn)
{
    PvrdmaVerbs *vb = pvrdma_verbs(be);
    g_autofree PvrdmaVerbsQp *qp = g_new0(PvrdmaVerbsQp, 1);

    if (init->type != PVRDMA_QPT_RC && init->type != PVRDMA_QPT_UD) {
        return -EOPNOTSUPP;
    }
    qp->vb = vb;
    qp->send_cq = init->send_cq;
    qp->recv_cq = init->recv_cq;
    qp->cookie = cookie;
    qp->state = PVRDMA_QPS_RESET;
    qp->ibv = pvrdma_verbs_qp_new_host(qp, init);
    if (!qp->ibv) {
        return pvrdma_verbs_errno();
    }
    g_hash_table_insert(vb->qps, GUINT_TO_POINTER(qp->ibv->qp_num), qp);
    *ret_qpn = qp->ibv->qp_num;
    *ret_qp = g_steal_pointer(&qp);
    return 0;
}

static void pvrdma_verbs_qp_purge(PvrdmaVerbsQp *qp, uint32_t qpn)
{
    pvrdma_verbs_cq_purge(qp->send_cq, qpn);
    if (qp->recv_cq != qp->send_cq) {
        pvrdma_verbs_cq_purge(qp->recv_cq, qpn);
    }
}

void pvrdma_verbs_qp_destroy(PvrdmaBackend *be, void *opaque)
{
    PvrdmaVerbs *vb = pvrdma_verbs(be);
    PvrdmaVerbsQp *qp = opaque;
    uint32_t qpn = qp->ibv->qp_num;
    int rc;

    g_hash_table_remove(vb->qps, GUINT_TO_POINTER(qpn));
    rc = pvrdma_verbs_rc(ibv_destroy_qp(qp->ibv));
    pvrdma_verbs_qp_purge(qp, qpn);
    if (rc < 0) {
        /* the host may still report events with this context: keep it */
        trace_pvrdma_verbs_destroy_failed(be->host_name, "QP", rc);
        return;
    }
    g_free(qp);
}

static void pvrdma_verbs_qp_attr(const PvrdmaQpAttr *in, unsigned port,
                                 struct ibv_qp_attr *out)
{
    *out = (struct ibv_qp_attr) {
        .qp_state = in->qp_state,
        .cur_qp_state = in->cur_qp_state,
        .path_mtu = in->path_mtu,
        .qkey = in->qkey,
        .rq_psn = in->rq_psn & 0xffffff,
        .sq_psn = in->sq_psn & 0xffffff,
        .dest_qp_num = in->dest_qpn & 0xffffff,
        .qp_access_flags = in->access_flags & PVRDMA_ACCESS_MASK,
        .pkey_index = in->pkey_index,
        .en_sqd_async_notify = in->en_sqd_async_notify,
        .max_rd_atomic = in->max_rd_atomic,
        .max_dest_rd_atomic = in->max_dest_rd_atomic,
        .min_rnr_timer = in->min_rnr_timer,
        .timeout = in->timeout,
        .retry_cnt = in->retry_cnt,
        .rnr_retry = in->rnr_retry,
        .port_num = port,
    };
}

/* What follows from a transition that the host made */
static void pvrdma_verbs_qp_moved(PvrdmaVerbsQp *qp, const PvrdmaQpAttr *attr,
                                  uint32_t mask)
{
    if (mask & PVRDMA_QP_ATTR_AV) {
        qp->av = attr->av;
    }
    if (mask & PVRDMA_QP_ATTR_STATE) {
        qp->state = attr->qp_state;
    }
    if (mask & PVRDMA_QP_ATTR_STATE && qp->state == PVRDMA_QPS_RESET) {
        memset(&qp->av, 0, sizeof(qp->av));
        pvrdma_verbs_qp_purge(qp, qp->ibv->qp_num);
    }
}

int pvrdma_verbs_qp_modify(PvrdmaBackend *be, void *opaque,
                           const PvrdmaQpAttr *attr, uint32_t mask)
{
    PvrdmaVerbsQp *qp = opaque;
    struct ibv_qp_attr host;
    int rc;

    if (mask & ~PVRDMA_VERBS_QP_ATTRS) {
        return -EOPNOTSUPP;
    }
    pvrdma_verbs_qp_attr(attr, be->port, &host);
    if (mask & PVRDMA_QP_ATTR_AV) {
        rc = pvrdma_verbs_ah_attr(qp->vb, &attr->av, &host.ah_attr);
        if (rc < 0) {
            return rc;
        }
    }
    rc = pvrdma_verbs_rc(ibv_modify_qp(qp->ibv, &host, mask));
    trace_pvrdma_verbs_qp_modify(be->host_name, qp->ibv->qp_num, qp->state,
                                 mask, attr->qp_state, rc);
    if (rc == 0) {
        pvrdma_verbs_qp_moved(qp, attr, mask);
    }
    return rc;
}

static void pvrdma_verbs_qp_attr_back(const struct ibv_qp_attr *in,
                                      PvrdmaQpAttr *out)
{
    *out = (PvrdmaQpAttr) {
        .qp_state = in->qp_state,
        .cur_qp_state = in->cur_qp_state,
        .path_mtu = in->path_mtu,
        .qkey = in->qkey,
        .rq_psn = in->rq_psn,
        .sq_psn = in->sq_psn,
        .dest_qpn = in->dest_qp_num,
        .access_flags = in->qp_access_flags & PVRDMA_ACCESS_MASK,
        .pkey_index = in->pkey_index,
        .en_sqd_async_notify = in->en_sqd_async_notify,
        .sq_draining = in->sq_draining,
        .max_rd_atomic = in->max_rd_atomic,
        .max_dest_rd_atomic = in->max_dest_rd_atomic,
        .min_rnr_timer = in->min_rnr_timer,
        .timeout = in->timeout,
        .retry_cnt = in->retry_cnt,
        .rnr_retry = in->rnr_retry,
    };
}

/* The address is the guest's own: the host knows other GID indices. */
int pvrdma_verbs_qp_query(PvrdmaBackend *be, void *opaque, PvrdmaQpAttr *ret)
{
    PvrdmaVerbsQp *qp = opaque;
    struct ibv_qp_attr attr = { 0 };
    struct ibv_qp_init_attr init = { 0 };
    int rc;

    rc = pvrdma_verbs_rc(ibv_query_qp(qp->ibv, &attr, PVRDMA_VERBS_QP_ATTRS,
                                      &init));
    if (rc < 0) {
        return rc;
    }
    pvrdma_verbs_qp_attr_back(&attr, ret);
    ret->av = qp->av;
    return 0;
}

void pvrdma_verbs_qp_flush(PvrdmaVerbsQp *qp)
{
    struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
    int rc = pvrdma_verbs_rc(ibv_modify_qp(qp->ibv, &attr, IBV_QP_STATE));

    if (rc < 0) {
        trace_pvrdma_verbs_qp_modify(qp->vb->parent.host_name, qp->ibv->qp_num,
                                     qp->state, PVRDMA_QP_ATTR_STATE,
                                     PVRDMA_QPS_ERR, rc);
    }
}

/*
 * Receives may have been posted since the host moved the QP; from now on
 * post_recv sees to its own.
 */
void pvrdma_verbs_qp_failed(PvrdmaVerbsQp *qp)
{
    if (qp->state != PVRDMA_QPS_RESET && qp->state != PVRDMA_QPS_ERR) {
        qp->state = PVRDMA_QPS_ERR;
        pvrdma_verbs_qp_flush(qp);
    }
}
