/*
 * pvrdma: queue pairs
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/host-utils.h"
#include "qemu/log.h"
#include "qemu/main-loop.h"
#include "pvrdma.h"
#include "pvrdma_qp_state.h"
#include "trace.h"

PvrdmaUc *pvrdma_qp_uc(const PvrdmaQp *qp)
{
    return qp->pd->uc;
}

void pvrdma_qp_kick(PvrdmaQp *qp)
{
    if (!qp->kicked) {
        qp->kicked = true;
        QSIMPLEQ_INSERT_TAIL(&qp->dev->kicked_qps, qp, kick);
        qemu_bh_schedule(qp->dev->work_bh);
    }
}

/* Creation */

static bool limits_valid(PvrdmaDev *dev, uint32_t count, uint32_t sge)
{
    return pvrdma_ring_count_valid(count) && count <= dev->caps.max_qp_wr &&
           sge <= dev->caps.max_sge;
}

static bool find_srq(PvrdmaDev *dev, const PvrdmaReqCreateQp *req,
                     PvrdmaQp *qp)
{
    if (!req->is_srq) {
        return true;
    }
    qp->srq = pvrdma_table_get(&dev->srqs, le32_to_cpu(req->srq_handle));
    return qp->srq && qp->srq->pd->uc == qp->pd->uc;
}

static bool find_parents(PvrdmaDev *dev, const PvrdmaReqCreateQp *req,
                         PvrdmaQp *qp, PvrdmaCq **scq, PvrdmaCq **rcq)
{
    qp->pd = pvrdma_table_get(&dev->pds, le32_to_cpu(req->pd_handle));
    *scq = pvrdma_table_get(&dev->cqs, le32_to_cpu(req->send_cq_handle));
    *rcq = pvrdma_table_get(&dev->cqs, le32_to_cpu(req->recv_cq_handle));
    return qp->pd && *scq && *rcq && (*scq)->uc == qp->pd->uc &&
           (*rcq)->uc == qp->pd->uc && find_srq(dev, req, qp);
}

static bool type_valid(PvrdmaDev *dev, const PvrdmaQp *qp)
{
    switch (qp->type) {
    case PVRDMA_QPT_RC:
    case PVRDMA_QPT_UD:
        return true;
    case PVRDMA_QPT_GSI:
        return !qp->pd->uc && !dev->gsi;
    default:
        return false;
    }
}

static int init_send_queue(PvrdmaDev *dev, PvrdmaQp *qp,
                           const PvrdmaReqCreateQp *req, PvrdmaCq *cq)
{
    uint32_t count = le32_to_cpu(req->max_send_wr);
    uint32_t sge = le32_to_cpu(req->max_send_sge);
    uint32_t pages = le16_to_cpu(req->send_chunks);

    if (!limits_valid(dev, count, sge)) {
        return -EINVAL;
    }
    pvrdma_wq_ring_init(&qp->sq.ring, &qp->mem, count, sge,
                        sizeof(PvrdmaWireSendWr));
    qp->sq.ring.index_off = PVRDMA_RING1_TAIL;
    if (pvrdma_wq_ring_pages(&qp->sq.ring) > pages) {
        return -EINVAL;
    }
    return pvrdma_wq_init(&qp->sq, cq, 1 + pages) ? 0 : -ENOMEM;
}

static int init_recv_queue(PvrdmaDev *dev, PvrdmaQp *qp,
                           const PvrdmaReqCreateQp *req, PvrdmaCq *cq)
{
    uint32_t send_pages = le16_to_cpu(req->send_chunks);
    uint32_t total = le16_to_cpu(req->total_chunks);
    uint32_t count = le32_to_cpu(req->max_recv_wr);
    uint32_t sge = le32_to_cpu(req->max_recv_sge);
    uint32_t pages;

    if (total < 1 + send_pages) {
        return -EINVAL;
    }
    qp->rq.cq = cq;
    if (qp->srq) {
        return 0;
    }
    if (!limits_valid(dev, count, sge)) {
        return -EINVAL;
    }
    pvrdma_wq_ring_init(&qp->rq.ring, &qp->mem, count, sge,
                        sizeof(PvrdmaWireRecvWr));
    qp->rq.ring.first_page = 1 + send_pages;
    pages = pvrdma_wq_ring_pages(&qp->rq.ring);
    if (pages > total - 1 - send_pages) {
        return -EINVAL;
    }
    return pvrdma_wq_init(&qp->rq, cq, pages) ? 0 : -ENOMEM;
}

static int init_queues(PvrdmaDev *dev, PvrdmaQp *qp,
                       const PvrdmaReqCreateQp *req, PvrdmaCq *scq,
                       PvrdmaCq *rcq)
{
    int err = init_send_queue(dev, qp, req, scq);
    uint32_t npages = 1 + le16_to_cpu(req->send_chunks);

    if (!err) {
        err = init_recv_queue(dev, qp, req, rcq);
    }
    if (!qp->srq) {
        npages += pvrdma_wq_ring_pages(&qp->rq.ring);
    }
    if (!err && !pvrdma_queue_mem_init(dev, &qp->mem,
                                       le64_to_cpu(req->pdir_dma), npages)) {
        err = -EFAULT;
    }
    return err;
}

static int create_host_qp(PvrdmaDev *dev, PvrdmaQp *qp)
{
    PvrdmaQpInit init = {
        .type = qp->type,
        .max_send_wr = qp->sq.ring.count,
        .max_recv_wr = qp->rq.ring.count,
        .max_send_sge = MAX(qp->sq.ring.max_sge, 1),
        .max_recv_sge = MAX(qp->rq.ring.max_sge, 1),
        .pd = qp->pd->be,
        .send_cq = qp->sq.cq->be,
        .recv_cq = qp->rq.cq->be,
        .srq = qp->srq ? qp->srq->be : NULL,
        .tag = qp->handle,
    };

    if (qp->type == PVRDMA_QPT_GSI && !dev->be->ops->has_gsi) {
        qp->qpn = 1; /* exists for the guest; its sends fail */
        return 0;
    }
    return dev->be->ops->qp_create(dev->be, &init, qp, &qp->be, &qp->qpn);
}

static void qp_free(PvrdmaQp *qp)
{
    pvrdma_wq_clear(qp->dev, &qp->sq);
    pvrdma_wq_clear(qp->dev, &qp->rq);
    if (qp->be) {
        qp->dev->be->ops->qp_destroy(qp->dev->be, qp->be);
    }
    pvrdma_queue_mem_clear(&qp->mem);
    g_free(qp);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrdmaQp, qp_free)

/* A driver older than version 20 takes the QPN for the handle. */
static bool handle_suits_driver(PvrdmaDev *dev, PvrdmaQp *qp)
{
    return dev->driver_version >= PVRDMA_VERSION_QPHANDLE ||
           qp->qpn == qp->handle;
}

/* Into the table first: the host QP is told the handle. */
static int publish(PvrdmaDev *dev, PvrdmaQp *qp)
{
    int err;

    if (!pvrdma_table_add(&dev->qps, qp, &qp->handle)) {
        return -ENOMEM;
    }
    err = create_host_qp(dev, qp);
    if (!err && !handle_suits_driver(dev, qp)) {
        qemu_log_mask(LOG_GUEST_ERROR, "pvrdma: the guest's driver (version "
                      "%u) is too old for separate QP handles\n",
                      dev->driver_version);
        err = -EOPNOTSUPP;
    }
    if (err) {
        pvrdma_table_remove(&dev->qps, qp->handle);
        return err;
    }
    qp->pd->refs++;
    qp->sq.cq->refs++;
    qp->rq.cq->refs++;
    if (qp->srq) {
        qp->srq->refs++;
    }
    if (qp->type == PVRDMA_QPT_GSI) {
        dev->gsi = qp;
    }
    return 0;
}

static void fill_response(PvrdmaDev *dev, const PvrdmaQp *qp,
                          const PvrdmaReqCreateQp *req, PvrdmaResp *resp)
{
    if (dev->driver_version < PVRDMA_VERSION_QPHANDLE) {
        resp->create_qp_v1.qpn = cpu_to_le32(qp->handle);
        resp->create_qp_v1.max_send_wr = req->max_send_wr;
        resp->create_qp_v1.max_recv_wr = req->max_recv_wr;
        resp->create_qp_v1.max_send_sge = req->max_send_sge;
        resp->create_qp_v1.max_recv_sge = req->max_recv_sge;
        return;
    }
    resp->create_qp.qpn = cpu_to_le32(qp->qpn);
    resp->create_qp.qp_handle = cpu_to_le32(qp->handle);
    resp->create_qp.max_send_wr = req->max_send_wr;
    resp->create_qp.max_recv_wr = req->max_recv_wr;
    resp->create_qp.max_send_sge = req->max_send_sge;
    resp->create_qp.max_recv_sge = req->max_recv_sge;
}

int pvrdma_cmd_create_qp(PvrdmaDev *dev, const PvrdmaReq *req,
                         PvrdmaResp *resp)
{
    g_autoptr(PvrdmaQp) qp = g_new0(PvrdmaQp, 1);
    PvrdmaCq *scq, *rcq;
    int err;

    qp->dev = dev;
    qp->type = req->create_qp.qp_type;
    qp->sq_sig_all = req->create_qp.sq_sig_all;
    qp->generation = ++dev->qp_generation & INT32_MAX;
    if (!find_parents(dev, &req->create_qp, qp, &scq, &rcq) ||
        !type_valid(dev, qp)) {
        return -EINVAL;
    }
    err = init_queues(dev, qp, &req->create_qp, scq, rcq);
    if (!err) {
        err = publish(dev, qp);
    }
    if (err) {
        return err;
    }
    fill_response(dev, qp, &req->create_qp, resp);
    trace_pvrdma_qp_create(qp->handle, qp->type, qp->qpn);
    g_steal_pointer(&qp);
    return 0;
}

/*
 * The host QP goes first, then what it left in the host CQs (nothing of it
 * reaches the guest, as the handle is gone), then the memory.
 */
void pvrdma_qp_destroy(PvrdmaDev *dev, PvrdmaQp *qp)
{
    trace_pvrdma_qp_destroy(qp->handle);
    pvrdma_table_remove(&dev->qps, qp->handle);
    if (qp->kicked) {
        QSIMPLEQ_REMOVE(&dev->kicked_qps, qp, PvrdmaQp, kick);
    }
    if (dev->gsi == qp) {
        dev->gsi = NULL;
    }
    if (qp->be) {
        dev->be->ops->qp_destroy(dev->be, qp->be);
        qp->be = NULL;
    }
    pvrdma_cq_drain(qp->sq.cq, UINT32_MAX);
    pvrdma_cq_drain(qp->rq.cq, UINT32_MAX);
    qp->pd->refs--;
    qp->sq.cq->refs--;
    qp->rq.cq->refs--;
    if (qp->srq) {
        qp->srq->refs--;
    }
    qp_free(qp);
}

int pvrdma_cmd_destroy_qp(PvrdmaDev *dev, const PvrdmaReq *req,
                          PvrdmaResp *resp)
{
    PvrdmaQp *qp = pvrdma_table_get(&dev->qps,
                                    le32_to_cpu(req->handle.handle));

    if (!qp) {
        return -EINVAL;
    }
    pvrdma_qp_destroy(dev, qp);
    return 0;
}

/* States */

static int host_set_state(PvrdmaQp *qp, uint32_t state)
{
    PvrdmaQpAttr attr = { .qp_state = state };

    if (!qp->be) {
        return 0;
    }
    return qp->dev->be->ops->qp_modify(qp->dev->be, qp->be, &attr,
                                       PVRDMA_QP_ATTR_STATE);
}

/* The state that the host has the QP in; without a host QP, ours. */
static uint32_t host_state(const PvrdmaQp *qp)
{
    PvrdmaQpAttr attr = { };

    if (!qp->be) {
        return qp->state;
    }
    return qp->dev->be->ops->qp_query(qp->dev->be, qp->be, &attr)
           ? PVRDMA_QPS_ERR : attr.qp_state;
}

void pvrdma_qp_fail(PvrdmaQp *qp, bool send)
{
    if (qp->state == PVRDMA_QPS_RESET || qp->state == PVRDMA_QPS_ERR ||
        (send && qp->state == PVRDMA_QPS_SQE)) {
        return;
    }
    if (send && qp->type != PVRDMA_QPT_RC &&
        host_state(qp) != PVRDMA_QPS_ERR) {
        qp->state = PVRDMA_QPS_SQE;
    } else {
        qp->state = PVRDMA_QPS_ERR;
        host_set_state(qp, PVRDMA_QPS_ERR);
    }
    trace_pvrdma_qp_fail(qp->handle, qp->state);
    pvrdma_qp_kick(qp);
}

void pvrdma_qp_fatal(PvrdmaQp *qp)
{
    if (qp->state == PVRDMA_QPS_ERR) {
        return;
    }
    qemu_log_mask(LOG_GUEST_ERROR, "pvrdma: QP %u is broken\n", qp->handle);
    pvrdma_event(qp->dev, PVRDMA_EVENT_QP_FATAL, qp->handle);
    pvrdma_qp_fail(qp, false);
}

void pvrdma_qp_host_event(void *opaque, void *cookie, uint32_t event)
{
    PvrdmaQp *qp = cookie;

    switch (event) {
    case PVRDMA_EVENT_QP_FATAL:
    case PVRDMA_EVENT_QP_REQ_ERR:
    case PVRDMA_EVENT_QP_ACCESS_ERR:
        pvrdma_event(qp->dev, event, qp->handle);
        pvrdma_qp_fail(qp, false);
        break;
    case PVRDMA_EVENT_COMM_EST:
    case PVRDMA_EVENT_QP_LAST_WQE_REACHED:
        pvrdma_event(qp->dev, event, qp->handle);
        break;
    }
}

/* Back to the start: what was under way is forgotten without a trace. */
static int reset_qp(PvrdmaDev *dev, PvrdmaQp *qp)
{
    int err = host_set_state(qp, PVRDMA_QPS_RESET);

    if (err) {
        return err;
    }
    qp->generation = ++dev->qp_generation & INT32_MAX;
    pvrdma_cq_drain(qp->sq.cq, UINT32_MAX);
    pvrdma_cq_drain(qp->rq.cq, UINT32_MAX);
    pvrdma_wq_reset(dev, &qp->sq);
    pvrdma_wq_reset(dev, &qp->rq);
    memset(&qp->attr, 0, sizeof(qp->attr));
    qp->state = PVRDMA_QPS_RESET;
    qp->drain_notify = false;
    return 0;
}

/* The host's QP stays in RTS when a UD send failed before reaching it; one
 * that failed there moved it to SQE. */
static uint32_t host_mask(const PvrdmaQp *qp, uint32_t to, uint32_t mask)
{
    mask &= ~(PVRDMA_QP_ATTR_PATH_MIG_STATE | PVRDMA_QP_ATTR_CUR_STATE);
    if (qp->state == PVRDMA_QPS_SQE && to == PVRDMA_QPS_RTS &&
        host_state(qp) == PVRDMA_QPS_RTS) {
        mask &= ~PVRDMA_QP_ATTR_STATE;
    }
    return mask;
}

static int modify_host(PvrdmaQp *qp, const PvrdmaQpAttr *attr, uint32_t mask)
{
    mask = host_mask(qp, attr->qp_state, mask);
    if (!qp->be || !mask) {
        return 0;
    }
    return qp->dev->be->ops->qp_modify(qp->dev->be, qp->be, attr, mask);
}

static void enter_state(PvrdmaQp *qp, uint32_t state)
{
    if (state == PVRDMA_QPS_SQD && qp->state == PVRDMA_QPS_RTS) {
        qp->drain_notify = qp->attr.en_sqd_async_notify;
    }
    qp->state = state;
    qp->attr.cur_qp_state = state;
    pvrdma_qp_kick(qp);
}

static int modify(PvrdmaDev *dev, PvrdmaQp *qp, const PvrdmaWireQpAttr *wire,
                  uint32_t mask)
{
    PvrdmaQpAttr attr = qp->attr;
    uint32_t to = qp->state;
    int err;

    if (!pvrdma_qp_attr_merge(dev, wire, mask, &attr) ||
        (mask & PVRDMA_QP_ATTR_CUR_STATE && attr.cur_qp_state != qp->state)) {
        return -EINVAL;
    }
    if (mask & PVRDMA_QP_ATTR_STATE) {
        to = attr.qp_state;
    }
    if (!pvrdma_qp_transition_ok(qp->type, qp->state, to, mask)) {
        return -EINVAL;
    }
    if (to == PVRDMA_QPS_RESET) {
        return reset_qp(dev, qp);
    }
    err = modify_host(qp, &attr, mask);
    if (err) {
        return err;
    }
    qp->attr = attr;
    enter_state(qp, to);
    if (to == PVRDMA_QPS_RTS) {
        pvrdma_fault_qp_ready(qp);
    }
    return 0;
}

int pvrdma_cmd_modify_qp(PvrdmaDev *dev, const PvrdmaReq *req,
                         PvrdmaResp *resp)
{
    PvrdmaQp *qp = pvrdma_table_get(&dev->qps,
                                    le32_to_cpu(req->modify_qp.qp_handle));
    uint32_t mask = le32_to_cpu(req->modify_qp.attr_mask);
    uint32_t from;
    int err;

    if (!qp) {
        return -EINVAL;
    }
    from = qp->state;
    err = modify(dev, qp, &req->modify_qp.attrs, mask);
    trace_pvrdma_qp_modify(qp->handle, from, qp->state, mask, err);
    return err;
}

/* What only the host knows: PSNs, and errors it has not told us yet. */
static void refresh(PvrdmaQp *qp)
{
    PvrdmaQpAttr host = { };

    if (!qp->be ||
        qp->dev->be->ops->qp_query(qp->dev->be, qp->be, &host)) {
        return;
    }
    qp->attr.sq_psn = host.sq_psn;
    qp->attr.rq_psn = host.rq_psn;
    qp->attr.sq_draining = host.sq_draining;
    if (host.qp_state == PVRDMA_QPS_ERR) {
        pvrdma_qp_fail(qp, false);
    }
}

int pvrdma_cmd_query_qp(PvrdmaDev *dev, const PvrdmaReq *req,
                        PvrdmaResp *resp)
{
    PvrdmaQp *qp = pvrdma_table_get(&dev->qps,
                                    le32_to_cpu(req->handle.handle));
    PvrdmaWireQpAttr *wire = &resp->query_qp.attrs;

    if (!qp) {
        return -EINVAL;
    }
    refresh(qp);
    qp->attr.qp_state = qp->attr.cur_qp_state = qp->state;
    pvrdma_qp_attr_to_wire(&qp->attr, wire);
    wire->cap.max_send_wr = cpu_to_le32(qp->sq.ring.count);
    wire->cap.max_recv_wr = cpu_to_le32(qp->rq.ring.count);
    wire->cap.max_send_sge = cpu_to_le32(qp->sq.ring.max_sge);
    wire->cap.max_recv_sge = cpu_to_le32(qp->rq.ring.max_sge);
    return 0;
}

void pvrdma_qp_doorbell(PvrdmaQp *qp, uint32_t value)
{
    if (value & PVRDMA_UAR_QP_SEND) {
        pvrdma_sq_run(qp);
    }
    if (value & PVRDMA_UAR_QP_RECV) {
        pvrdma_rq_run(qp);
    }
}
