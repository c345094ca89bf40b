/*
 * Fuzzing of pvrdma: commands that would work, but for what is patched
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "pvrdma-fuzz.h"

/* What a destroy command names; queries of QPs and SRQs too */
static uint32_t handle_of(PvrdmaFuzz *f, uint32_t cmd, uint8_t n)
{
    switch (cmd) {
    case PVRDMA_CMD_CREATE_PD:
    case PVRDMA_CMD_DESTROY_UC:
        return f->uc;
    case PVRDMA_CMD_DESTROY_PD:
        return f->pd[n % 2];
    case PVRDMA_CMD_DESTROY_MR:
        return f->mr[n % FUZZ_MRS].handle;
    case PVRDMA_CMD_DESTROY_CQ:
        return f->cq[n % FUZZ_CQS].handle;
    case PVRDMA_CMD_QUERY_QP:
    case PVRDMA_CMD_DESTROY_QP:
        return f->qp[n % FUZZ_QPS].handle;
    default:
        return f->srq.handle;
    }
}

static PvrdmaReq create_mr(PvrdmaFuzz *f, unsigned n)
{
    PvrdmaReq req = pvrdma_req_mr(f->pd[n % 2], &f->mr[n].mem);

    if (n >= 2) {
        req.create_mr.flags = n == 2 ? PVRDMA_MR_FLAG_FRMR
                                     : PVRDMA_MR_FLAG_DMA;
        req.create_mr.access_flags = PVRDMA_ACCESS_LOCAL_WRITE;
        req.create_mr.pd_handle = f->pd[0];
    }
    return req;
}

static PvrdmaReq create_qp(PvrdmaFuzz *f, unsigned n)
{
    PvrdmaTestQp *qp = &f->qp[n];
    unsigned owner = fuzz_owner(n);
    PvrdmaReq req = pvrdma_req_qp(f->pd[owner], fuzz_qp_type(n),
                                  f->cq[owner].handle, f->cq[owner].handle,
                                  qp->wrs, qp->sges, &qp->mem);

    if (n == 5) {
        req.create_qp.is_srq = 1;
        req.create_qp.srq_handle = f->srq.handle;
        req.create_qp.max_recv_wr = req.create_qp.max_recv_sge = 0;
    }
    return req;
}

static PvrdmaReq modify_qp(PvrdmaFuzz *f, uint8_t n)
{
    unsigned qp = n % FUZZ_QPS;
    PvrdmaReq req = { .modify_qp.qp_handle = f->qp[qp].handle };

    req.modify_qp.attr_mask = fuzz_qp_attr(f, qp, n / FUZZ_QPS %
                                           PVRDMA_QPS_COUNT,
                                           &req.modify_qp.attrs);
    return req;
}

static PvrdmaReq create_bind(uint8_t n)
{
    PvrdmaReq req = {
        .create_bind = {
            .mtu = 1024,
            .vlan = 0xfff,
            .index = n % 4,
            .gid_type = PVRDMA_GID_TYPE_ROCE_V2,
        },
    };

    pvrdma_own_gid(req.create_bind.new_gid);
    req.create_bind.new_gid[15] ^= n % 4;
    return req;
}

static PvrdmaReq modify_srq(PvrdmaFuzz *f, uint8_t n)
{
    return (PvrdmaReq) {
        .modify_srq = {
            .srq_handle = f->srq.handle,
            .attr_mask = PVRDMA_SRQ_ATTR_LIMIT,
            .attrs.srq_limit = n % 20,
        },
    };
}

static PvrdmaReq request(PvrdmaFuzz *f, uint32_t cmd, uint8_t n)
{
    switch (cmd) {
    case PVRDMA_CMD_QUERY_PORT:
    case PVRDMA_CMD_QUERY_PKEY:
        return (PvrdmaReq) { .query_port.port_num = 1 };
    case PVRDMA_CMD_CREATE_UC:
        return pvrdma_req_uc(f->g, 1 + n);
    case PVRDMA_CMD_CREATE_MR:
        return create_mr(f, n % FUZZ_MRS);
    case PVRDMA_CMD_CREATE_CQ:
        return pvrdma_req_cq(n % FUZZ_CQS == 1 ? f->uc : 0,
                             f->cq[n % FUZZ_CQS].cqe,
                             &f->cq[n % FUZZ_CQS].mem);
    case PVRDMA_CMD_CREATE_QP:
        return create_qp(f, n % FUZZ_QPS);
    case PVRDMA_CMD_MODIFY_QP:
        return modify_qp(f, n);
    case PVRDMA_CMD_CREATE_SRQ:
        return pvrdma_req_srq(f->pd[0], f->srq.wrs, f->srq.sges,
                              &f->srq.mem);
    case PVRDMA_CMD_MODIFY_SRQ:
        return modify_srq(f, n);
    case PVRDMA_CMD_CREATE_BIND:
        return create_bind(n);
    case PVRDMA_CMD_DESTROY_BIND:
        return (PvrdmaReq) { .destroy_bind.index = n % 4 };
    default:
        return (PvrdmaReq) { .handle.handle = handle_of(f, cmd, n) };
    }
}

/* New objects take the place, and the memory, of those they are copies of. */
static void created(PvrdmaFuzz *f, uint32_t cmd, uint8_t n,
                    const PvrdmaResp *resp)
{
    switch (cmd) {
    case PVRDMA_CMD_CREATE_UC:
        f->uc = resp->handle.handle;
        break;
    case PVRDMA_CMD_CREATE_PD:
        f->pd[n % 2] = resp->handle.handle;
        break;
    case PVRDMA_CMD_CREATE_MR:
        f->mr[n % FUZZ_MRS].handle = resp->create_mr.mr_handle;
        f->mr[n % FUZZ_MRS].lkey = resp->create_mr.lkey;
        f->mr[n % FUZZ_MRS].rkey = resp->create_mr.rkey;
        break;
    case PVRDMA_CMD_CREATE_CQ:
        f->cq[n % FUZZ_CQS].handle = resp->handle.handle;
        break;
    case PVRDMA_CMD_CREATE_QP:
        f->qp[n % FUZZ_QPS].handle = resp->create_qp.qp_handle;
        f->qp[n % FUZZ_QPS].qpn = resp->create_qp.qpn;
        break;
    case PVRDMA_CMD_CREATE_SRQ:
        f->srq.handle = resp->handle.handle;
        break;
    }
}

void fuzz_command(PvrdmaFuzz *f, FuzzIn *in)
{
    uint32_t cmd = fuzz_take(in, 1) % (PVRDMA_CMD_COUNT + 1);
    uint8_t n = fuzz_take(in, 1);
    PvrdmaReq req = request(f, cmd, n);
    PvrdmaResp resp;

    req.hdr.cmd = cmd;
    fuzz_patch(f, in, &req, sizeof(req));
    memcpy(f->ram + f->g->req, &req, sizeof(req));
    pvrdma_reg_write(f->g, PVRDMA_REG_REQUEST, 0);
    if (pvrdma_reg_read(f->g, PVRDMA_REG_ERR) == 0) {
        memcpy(&resp, f->ram + f->g->resp, sizeof(resp));
        created(f, cmd, n, &resp);
    }
}
