/*
 * pvrdma: the verbs backend: posting work requests
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "pvrdma_verbs.h"
#include "trace.h"

static void pvrdma_verbs_sges(const PvrdmaSge *in, uint32_t n,
                              struct ibv_sge *out)
{
    for (uint32_t i = 0; i < n; i++) {
        PvrdmaVerbsMr *mr = in[i].mr;

        out[i] = (struct ibv_sge) {
            .addr = in[i].addr,
            .length = in[i].length,
            .lkey = mr->ibv->lkey,
        };
    }
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
    return (in->signaled ? IBV_SEND_SIGNALED : 0) |
           (in->fence ? IBV_SEND_FENCE : 0) |
           (in->solicited ? IBV_SEND_SOLICITED : 0);
}

static bool pvrdma_verbs_may_send(const PvrdmaVerbsQp *qp)
{
    return qp->state >= PVRDMA_QPS_RTS;
}

static int pvrdma_verbs_send_wr(PvrdmaVerbsQp *qp, const PvrdmaSendWr *in,
                                struct ibv_sge *sge, struct ibv_send_wr *out)
{
    int opcode = pvrdma_verbs_send_opcode(in->opcode);

    if (opcode < 0) {
        return opcode;
    }
    pvrdma_verbs_sges(in->sge, in->num_sge, sge);
    out->wr_id = in->wr_id;
    out->next = out + 1;
    out->sg_list = sge;
    out->num_sge = in->num_sge;
    out->opcode = opcode;
    out->send_flags = pvrdma_verbs_send_flags(in);
    out->imm_data = in->imm;
    return pvrdma_verbs_send_union(qp, in, out);
}

/* Whatever the guest asked for, the last of a chain is signaled: by its
 * completion those before it are known to be done. */
static unsigned pvrdma_verbs_send_chain(PvrdmaVerbsQp *qp, PvrdmaSendWr *last,
                                        unsigned n)
{
    struct ibv_send_wr *chain = qp->vb->send, *bad = NULL;
    int rc;

    chain[n - 1].next = NULL;
    chain[n - 1].send_flags |= IBV_SEND_SIGNALED;
    last->signaled = true;
    rc = pvrdma_verbs_rc(ibv_post_send(qp->ibv, chain, &bad));
    if (rc == 0) {
        return n;
    }
    trace_pvrdma_verbs_post_failed(qp->vb->parent.host_name, qp->ibv->qp_num,
                                   "send", rc);
    return bad ? bad - chain : 0;
}

unsigned pvrdma_verbs_post_send(PvrdmaBackend *be, void *opaque,
                                PvrdmaSendWr *wr, unsigned n)
{
    PvrdmaVerbs *vb = pvrdma_verbs(be);
    PvrdmaVerbsQp *qp = opaque;
    unsigned ready = 0;

    if (!pvrdma_verbs_may_send(qp)) {
        return 0;
    }
    while (ready < n && pvrdma_verbs_send_wr(qp, &wr[ready], vb->sge[ready],
                                             &vb->send[ready]) == 0) {
        ready++;
    }
    return ready ? pvrdma_verbs_send_chain(qp, &wr[ready - 1], ready) : 0;
}

static unsigned pvrdma_verbs_recv_chain(PvrdmaVerbsQp *qp, unsigned n)
{
    struct ibv_recv_wr *chain = qp->vb->recv, *bad = NULL;
    int rc;

    chain[n - 1].next = NULL;
    rc = pvrdma_verbs_rc(ibv_post_recv(qp->ibv, chain, &bad));
    if (rc == 0) {
        return n;
    }
    trace_pvrdma_verbs_post_failed(qp->vb->parent.host_name, qp->ibv->qp_num,
                                   "recv", rc);
    return bad ? bad - chain : 0;
}

unsigned pvrdma_verbs_post_recv(PvrdmaBackend *be, void *opaque,
                                const PvrdmaRecvWr *wr, unsigned n)
{
    PvrdmaVerbs *vb = pvrdma_verbs(be);
    PvrdmaVerbsQp *qp = opaque;
    unsigned taken;

    if (qp->state == PVRDMA_QPS_RESET) {
        return 0;
    }
    for (unsigned i = 0; i < n; i++) {
        pvrdma_verbs_sges(wr[i].sge, wr[i].num_sge, vb->sge[i]);
        vb->recv[i] = (struct ibv_recv_wr) {
            .wr_id = wr[i].wr_id,
            .next = &vb->recv[i + 1],
            .sg_list = vb->sge[i],
            .num_sge = wr[i].num_sge,
        };
    }
    taken = pvrdma_verbs_recv_chain(qp, n);
    if (qp->state == PVRDMA_QPS_ERR) {
        pvrdma_verbs_qp_flush(qp);
    }
    return taken;
}
