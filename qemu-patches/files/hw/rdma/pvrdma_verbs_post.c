/*
 * pvrdma: the verbs backend: posting work requests
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "pvrdma_verbs.h"
#include "trace.h"

static int pvrdma_verbs_sges(const PvrdmaSge *in, uint32_t n,
                             struct ibv_sge out[PVRDMA_MAX_SGE])
{
    if (n > PVRDMA_MAX_SGE) {
        return -EINVAL;
    }
    for (uint32_t i = 0; i < n; i++) {
        PvrdmaVerbsMr *mr = in[i].mr;

        out[i] = (struct ibv_sge) {
            .addr = in[i].addr,
            .length = in[i].length,
            .lkey = mr->ibv->lkey,
        };
    }
    return 0;
}

static int pvrdma_verbs_send_opcode(uint32_t opcode)
{
    switch (opcode) {
    case PVRDMA_WR_RDMA_WRITE:
        return IBV_WR_RDMA_WRITE;
    case PVRDMA_WR_RDMA_WRITE_WITH_IMM:
        return IBV_WR_RDMA_WRITE_WITH_IMM;
    case PVRDMA_WR_SEND:
        return IBV_WR_SEND;
    case PVRDMA_WR_SEND_WITH_IMM:
        return IBV_WR_SEND_WITH_IMM;
    case PVRDMA_WR_RDMA_READ:
        return IBV_WR_RDMA_READ;
    case PVRDMA_WR_ATOMIC_CMP_AND_SWP:
        return IBV_WR_ATOMIC_CMP_AND_SWP;
    case PVRDMA_WR_ATOMIC_FETCH_AND_ADD:
        return IBV_WR_ATOMIC_FETCH_AND_ADD;
    default:
        return -EINVAL;
    }
}

/* Only the arm of the union that belongs to the opcode, or the QP type */
static int pvrdma_verbs_send_union(PvrdmaVerbsQp *qp, const PvrdmaSendWr *in,
                                   struct ibv_send_wr *out)
{
    PvrdmaVerbsAh *ah = in->ah;

    if (qp->ibv->qp_type == IBV_QPT_UD) {
        if (!ah || !ah->ibv) {
            return -EINVAL;
        }
        out->wr.ud.ah = ah->ibv;
        out->wr.ud.remote_qpn = in->remote_qpn & 0xffffff;
        out->wr.ud.remote_qkey = in->remote_qkey;
        return 0;
    }
    switch (out->opcode) {
    case IBV_WR_RDMA_WRITE:
    case IBV_WR_RDMA_WRITE_WITH_IMM:
    case IBV_WR_RDMA_READ:
        out->wr.rdma.remote_addr = in->remote_addr;
        out->wr.rdma.rkey = in->rkey;
        break;
    case IBV_WR_ATOMIC_CMP_AND_SWP:
    case IBV_WR_ATOMIC_FETCH_AND_ADD:
        out->wr.atomic.remote_addr = in->remote_addr;
        out->wr.atomic.compare_add = in->compare_add;
        out->wr.atomic.swap = in->swap;
        out->wr.atomic.rkey = in->rkey;
        break;
    default:
        break;
    }
    return 0;
}

static unsigned pvrdma_verbs_send_flags(const PvrdmaSendWr *in)
{
    return IBV_SEND_SIGNALED | (in->fence ? IBV_SEND_FENCE : 0) |
           (in->solicited ? IBV_SEND_SOLICITED : 0);
}

static bool pvrdma_verbs_may_send(const PvrdmaVerbsQp *qp)
{
    return qp->state >= PVRDMA_QPS_RTS;
}

int pvrdma_verbs_post_send(PvrdmaBackend *be, void *opaque,
                           const PvrdmaSendWr *wr)
{
    PvrdmaVerbsQp *qp = opaque;
    struct ibv_sge sge[PVRDMA_MAX_SGE];
    struct ibv_send_wr host = { .wr_id = wr->wr_id, .sg_list = sge };
    struct ibv_send_wr *bad;
    int rc = pvrdma_verbs_send_opcode(wr->opcode);

    if (rc < 0 || !pvrdma_verbs_may_send(qp)) {
        return -EINVAL;
    }
    host.opcode = rc;
    host.send_flags = pvrdma_verbs_send_flags(wr);
    host.imm_data = wr->imm;
    host.num_sge = wr->num_sge;
    rc = pvrdma_verbs_sges(wr->sge, wr->num_sge, sge);
    if (rc == 0) {
        rc = pvrdma_verbs_send_union(qp, wr, &host);
    }
    if (rc == 0) {
        rc = pvrdma_verbs_rc(ibv_post_send(qp->ibv, &host, &bad));
    }
    if (rc < 0) {
        trace_pvrdma_verbs_post_failed(be->host_name, qp->ibv->qp_num, "send",
                                       rc);
    }
    return rc;
}

int pvrdma_verbs_post_recv(PvrdmaBackend *be, void *opaque,
                           const PvrdmaRecvWr *wr)
{
    PvrdmaVerbsQp *qp = opaque;
    struct ibv_sge sge[PVRDMA_MAX_SGE];
    struct ibv_recv_wr host = { .wr_id = wr->wr_id, .sg_list = sge };
    struct ibv_recv_wr *bad;
    int rc = pvrdma_verbs_sges(wr->sge, wr->num_sge, sge);

    if (rc < 0 || qp->state == PVRDMA_QPS_RESET) {
        return -EINVAL;
    }
    host.num_sge = wr->num_sge;
    rc = pvrdma_verbs_rc(ibv_post_recv(qp->ibv, &host, &bad));
    if (rc < 0) {
        trace_pvrdma_verbs_post_failed(be->host_name, qp->ibv->qp_num, "recv",
                                       rc);
        return rc;
    }
    if (qp->state == PVRDMA_QPS_ERR) {
        pvrdma_verbs_qp_flush(qp);
    }
    return 0;
}
