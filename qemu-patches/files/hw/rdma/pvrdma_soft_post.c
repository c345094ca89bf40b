/*
 * pvrdma: the soft backend: posting work requests
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "pvrdma_soft.h"

static void convert_sges(const PvrdmaSge *in, uint32_t n, RoceSge *out)
{
    for (uint32_t i = 0; i < n; i++) {
        out[i] = (RoceSge) {
            .addr = in[i].addr,
            .length = in[i].length,
            .key = in[i].key,
        };
    }
}

void pvrdma_soft_av(const PvrdmaAv *in, RoceAv *out)
{
    memcpy(out->dgid, in->dgid, sizeof(out->dgid));
    memcpy(out->dmac, in->dmac, sizeof(out->dmac));
    out->sgid_index = in->sgid_index;
    out->hop_limit = in->hop_limit;
    out->traffic_class = in->traffic_class;
    out->flow_label = in->flow_label;
}

static void convert_fast_reg(const PvrdmaFastReg *in, RoceSendWr *out)
{
    out->u.fast_reg.iova = in->iova;
    out->u.fast_reg.length = in->length;
    out->u.fast_reg.pages = in->pdir;
    out->u.fast_reg.num_pages = in->num_pages;
    out->u.fast_reg.access = in->access;
    out->u.fast_reg.key = in->key;
}

/* The arm of the union that belongs to the opcode, on an RC QP */
static void convert_rc(const PvrdmaSendWr *in, RoceSendWr *out)
{
    switch (in->opcode) {
    case PVRDMA_WR_RDMA_WRITE:
    case PVRDMA_WR_RDMA_WRITE_WITH_IMM:
    case PVRDMA_WR_RDMA_READ:
    case PVRDMA_WR_ATOMIC_CMP_AND_SWP:
    case PVRDMA_WR_ATOMIC_FETCH_AND_ADD:
        out->u.rdma.remote_addr = in->remote_addr;
        out->u.rdma.rkey = in->rkey;
        out->u.rdma.compare_add = in->compare_add;
        out->u.rdma.swap = in->swap;
        break;
    case PVRDMA_WR_SEND_WITH_INV:
    case PVRDMA_WR_LOCAL_INV:
        out->u.invalidate_key = in->invalidate_key;
        break;
    case PVRDMA_WR_FAST_REG_MR:
        convert_fast_reg(&in->fast_reg, out);
        break;
    }
}

static int post_send(PvrdmaSoftQp *qp, const PvrdmaSendWr *wr)
{
    RoceSendWr roce;

    roce.wr_id = wr->wr_id;
    roce.opcode = wr->opcode;
    roce.imm = wr->imm;
    roce.fence = wr->fence;
    roce.solicited = wr->solicited;
    roce.num_sge = wr->num_sge;
    memset(&roce.u, 0, sizeof(roce.u));
    convert_sges(wr->sge, wr->num_sge, roce.sge);
    if (qp->is_rc) {
        convert_rc(wr, &roce);
    } else {
        roce.u.ud.qpn = wr->remote_qpn;
        roce.u.ud.qkey = wr->remote_qkey;
        pvrdma_soft_av(&wr->av, &roce.u.ud.av);
    }
    return roce_post_send(qp->roce, &roce);
}

/* The engine completes each of them. */
unsigned pvrdma_soft_post_send(PvrdmaBackend *be, void *qp, PvrdmaSendWr *wr,
                               unsigned n)
{
    unsigned done = 0;

    while (done < n && post_send(qp, &wr[done]) == 0) {
        wr[done++].signaled = true;
    }
    return done;
}

static void convert_recv(const PvrdmaRecvWr *in, RoceRecvWr *out)
{
    out->wr_id = in->wr_id;
    out->num_sge = in->num_sge;
    convert_sges(in->sge, in->num_sge, out->sge);
}

unsigned pvrdma_soft_post_recv(PvrdmaBackend *be, void *opaque,
                               const PvrdmaRecvWr *wr, unsigned n)
{
    PvrdmaSoftQp *qp = opaque;
    RoceRecvWr roce;
    unsigned done = 0;

    for (; done < n; done++) {
        convert_recv(&wr[done], &roce);
        if (roce_post_recv(qp->roce, &roce)) {
            break;
        }
    }
    return done;
}

int pvrdma_soft_srq_post(PvrdmaBackend *be, void *opaque,
                         const PvrdmaRecvWr *wr)
{
    PvrdmaSoftSrq *srq = opaque;
    RoceRecvWr roce;

    convert_recv(wr, &roce);
    return roce_srq_post(srq->roce, &roce);
}
