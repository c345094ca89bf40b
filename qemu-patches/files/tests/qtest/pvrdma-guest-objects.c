/*
 * QTest testcase for pvrdma: a guest's driver: objects and their queues
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "hw/rdma/pvrdma_ring.h"
#include "pvrdma-guest.h"

#define WAIT_TRIES 10000       /* of a millisecond */
#define QP_WRS 16
#define QP_SGES 4
#define SQ_HEADER 80
#define RQ_HEADER 16

uint32_t pvrdma_pd_new(PvrdmaGuest *g, uint32_t uc)
{
    PvrdmaReq req = { .handle.handle = uc };
    PvrdmaResp resp;

    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_PD, &req, &resp), ==, 0);
    g_assert_cmphex(resp.handle.handle, <, 1u << 24);
    return resp.handle.handle;
}

PvrdmaReq pvrdma_req_uc(PvrdmaGuest *g, uint32_t uar)
{
    return (PvrdmaReq) {
        .create_uc.pfn = g->uar.addr / PVRDMA_PAGE + uar,
    };
}

uint32_t pvrdma_uc_new(PvrdmaGuest *g, uint32_t uar)
{
    PvrdmaReq req = pvrdma_req_uc(g, uar);
    PvrdmaResp resp;

    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_UC, &req, &resp), ==, 0);
    g_assert_cmpuint(resp.handle.handle, !=, 0);
    return resp.handle.handle;
}

PvrdmaReq pvrdma_req_cq(uint32_t uc, uint32_t cqe, const PvrdmaPages *mem)
{
    return (PvrdmaReq) {
        .create_cq = {
            .pdir_dma = mem->pdir,
            .ctx_handle = uc,
            .cqe = cqe,
            .nchunks = mem->n,
        },
    };
}

PvrdmaTestCq pvrdma_cq_new(PvrdmaGuest *g, uint32_t uc, uint32_t cqe)
{
    PvrdmaTestCq cq = {
        .cqe = cqe,
        .mem = pvrdma_pages(g, 1 + DIV_ROUND_UP(cqe * sizeof(PvrdmaWireCqe),
                                                PVRDMA_PAGE)),
    };
    PvrdmaReq req = pvrdma_req_cq(uc, cqe, &cq.mem);
    PvrdmaResp resp;

    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_CQ, &req, &resp), ==, 0);
    g_assert_cmpuint(resp.handle.handle, <, pvrdma_guest_caps(g).max_cq);
    g_assert_cmpuint(resp.handle.cqe, ==, cqe);
    cq.handle = resp.handle.handle;
    return cq;
}

PvrdmaReq pvrdma_req_mr(uint32_t pd, const PvrdmaPages *mem)
{
    /* any virtual address does, as long as it is not the bus address */
    return (PvrdmaReq) {
        .create_mr = {
            .start = 0x7f0000000000 + mem->addr,
            .length = mem->n * PVRDMA_PAGE,
            .pdir_dma = mem->pdir,
            .pd_handle = pd,
            .access_flags = PVRDMA_ACCESS_MASK,
            .nchunks = mem->n,
        },
    };
}

PvrdmaTestMr pvrdma_mr_new(PvrdmaGuest *g, uint32_t pd, uint32_t pages)
{
    PvrdmaTestMr mr = { .mem = pvrdma_pages(g, pages) };
    PvrdmaReq req = pvrdma_req_mr(pd, &mr.mem);
    PvrdmaResp resp;

    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_MR, &req, &resp), ==, 0);
    mr.handle = resp.create_mr.mr_handle;
    mr.lkey = resp.create_mr.lkey;
    mr.rkey = resp.create_mr.rkey;
    return mr;
}

static uint32_t queue_pages(uint32_t header, uint32_t wrs, uint32_t sges)
{
    return DIV_ROUND_UP(wrs * pvrdma_wqe_stride(header, sges), PVRDMA_PAGE);
}

PvrdmaReq pvrdma_req_qp(uint32_t pd, uint8_t type, uint32_t send_cq,
                        uint32_t recv_cq, uint32_t wrs, uint32_t sges,
                        const PvrdmaPages *mem)
{
    return (PvrdmaReq) {
        .create_qp = {
            .pdir_dma = mem->pdir,
            .pd_handle = pd,
            .send_cq_handle = send_cq,
            .recv_cq_handle = recv_cq,
            .max_send_wr = wrs,
            .max_recv_wr = wrs,
            .max_send_sge = sges,
            .max_recv_sge = sges,
            .access_flags = PVRDMA_ACCESS_LOCAL_WRITE,
            .total_chunks = mem->n,
            .send_chunks = queue_pages(SQ_HEADER, wrs, sges),
            .qp_type = type,
        },
    };
}

static void create_qp(PvrdmaGuest *g, PvrdmaReq *req, PvrdmaTestQp *qp)
{
    PvrdmaResp resp;

    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_QP, req, &resp), ==, 0);
    qp->handle = resp.create_qp.qp_handle;
    qp->qpn = resp.create_qp.qpn;
    g_assert_cmpuint(qp->handle, >=, 1);
    g_assert_cmpuint(qp->handle, <, pvrdma_guest_caps(g).max_qp);
}

PvrdmaTestQp pvrdma_qp_new(PvrdmaGuest *g, uint32_t pd, uint8_t type,
                           uint32_t send_cq, uint32_t recv_cq)
{
    uint32_t sq_pages = queue_pages(SQ_HEADER, QP_WRS, QP_SGES);
    uint32_t rq_pages = queue_pages(RQ_HEADER, QP_WRS, QP_SGES);
    PvrdmaTestQp qp = {
        .wrs = QP_WRS,
        .sges = QP_SGES,
        .sq_stride = pvrdma_wqe_stride(SQ_HEADER, QP_SGES),
        .rq_stride = pvrdma_wqe_stride(RQ_HEADER, QP_SGES),
        .mem = pvrdma_pages(g, 1 + sq_pages + rq_pages),
    };
    PvrdmaReq req = pvrdma_req_qp(pd, type, send_cq, recv_cq, QP_WRS, QP_SGES,
                                  &qp.mem);

    create_qp(g, &req, &qp);
    qp.sq = qp.mem.addr + PVRDMA_PAGE;
    qp.rq = qp.sq + sq_pages * PVRDMA_PAGE;
    return qp;
}

/* As the library does it: no receive queue */
PvrdmaTestQp pvrdma_qp_new_srq(PvrdmaGuest *g, uint32_t pd, uint8_t type,
                               uint32_t send_cq, uint32_t recv_cq,
                               uint32_t srq)
{
    PvrdmaTestQp qp = {
        .wrs = QP_WRS,
        .sges = QP_SGES,
        .sq_stride = pvrdma_wqe_stride(SQ_HEADER, QP_SGES),
        .mem = pvrdma_pages(g, 1 + queue_pages(SQ_HEADER, QP_WRS, QP_SGES)),
    };
    PvrdmaReq req = pvrdma_req_qp(pd, type, send_cq, recv_cq, QP_WRS, QP_SGES,
                                  &qp.mem);

    req.create_qp.is_srq = 1;
    req.create_qp.srq_handle = srq;
    req.create_qp.max_recv_wr = req.create_qp.max_recv_sge = 0;
    create_qp(g, &req, &qp);
    qp.sq = qp.mem.addr + PVRDMA_PAGE;
    return qp;
}

PvrdmaReq pvrdma_req_srq(uint32_t pd, uint32_t wrs, uint32_t sges,
                         const PvrdmaPages *mem)
{
    return (PvrdmaReq) {
        .create_srq = {
            .pdir_dma = mem->pdir,
            .pd_handle = pd,
            .nchunks = mem->n,
            .attrs = { .max_wr = wrs, .max_sge = sges },
        },
    };
}

PvrdmaTestSrq pvrdma_srq_new(PvrdmaGuest *g, uint32_t pd, uint32_t wrs)
{
    PvrdmaTestSrq srq = {
        .wrs = wrs,
        .sges = 2,
        .mem = pvrdma_pages(g, 1 + queue_pages(RQ_HEADER, wrs, 2)),
    };
    PvrdmaReq req = pvrdma_req_srq(pd, wrs, 2, &srq.mem);
    PvrdmaResp resp;

    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_SRQ, &req, &resp), ==, 0);
    srq.handle = resp.handle.handle;
    g_assert_cmpuint(srq.handle, <, pvrdma_guest_caps(g).max_srq);
    return srq;
}

void pvrdma_gid_of_mac(const uint8_t mac[6], uint8_t gid[16])
{
    memcpy(gid, (uint8_t[16]) { 0xfe, 0x80, 0, 0, 0, 0, 0, 0, mac[0] ^ 2,
                                mac[1], mac[2], 0xff, 0xfe, mac[3], mac[4],
                                mac[5] }, 16);
}

void pvrdma_own_gid(uint8_t gid[16])
{
    uint8_t mac[6];
    g_autofree char *text = pvrdma_mac();

    g_assert_cmpint(sscanf(text, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx",
                           &mac[0], &mac[1], &mac[2], &mac[3], &mac[4],
                           &mac[5]), ==, 6);
    pvrdma_gid_of_mac(mac, gid);
}

void pvrdma_bind(PvrdmaGuest *g, uint32_t index, const uint8_t gid[16])
{
    PvrdmaReq req = {
        .create_bind = {
            .mtu = 1024,
            .vlan = 0xfff,
            .index = index,
            .gid_type = PVRDMA_GID_TYPE_ROCE_V2,
        },
    };

    memcpy(req.create_bind.new_gid, gid, 16);
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_BIND, &req, NULL), ==, 0);
}

void pvrdma_bind_gid(PvrdmaGuest *g, uint32_t index)
{
    uint8_t gid[16];

    pvrdma_own_gid(gid);
    pvrdma_bind(g, index, gid);
}

uint32_t pvrdma_qp_modify(PvrdmaGuest *g, uint32_t qp, uint32_t mask,
                          const PvrdmaWireQpAttr *attr)
{
    PvrdmaReq req = {
        .modify_qp = { .qp_handle = qp, .attr_mask = mask, .attrs = *attr },
    };
    PvrdmaResp resp;
    uint32_t err = pvrdma_cmd(g, PVRDMA_CMD_MODIFY_QP, &req, &resp);

    return err ? err : resp.hdr.err;
}

uint32_t pvrdma_qp_to(PvrdmaGuest *g, uint32_t qp, uint32_t state)
{
    PvrdmaWireQpAttr attr = { .qp_state = state };

    return pvrdma_qp_modify(g, qp, PVRDMA_QP_ATTR_STATE, &attr);
}

PvrdmaWireQpAttr pvrdma_qp_query(PvrdmaGuest *g, uint32_t qp)
{
    PvrdmaReq req = { .handle.handle = qp };
    PvrdmaResp resp;

    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_QUERY_QP, &req, &resp), ==, 0);
    return resp.query_qp.attrs;
}

void pvrdma_qp_init(PvrdmaGuest *g, uint32_t qp, uint8_t type)
{
    PvrdmaWireQpAttr attr = {
        .qp_state = PVRDMA_QPS_INIT,
        .port_num = 1,
        .qkey = 0x11111111,
        .qp_access_flags = PVRDMA_ACCESS_MASK,
    };
    uint32_t own = type == PVRDMA_QPT_RC ? PVRDMA_QP_ATTR_ACCESS_FLAGS
                                         : PVRDMA_QP_ATTR_QKEY;

    g_assert_cmpuint(
        pvrdma_qp_modify(g, qp, PVRDMA_QP_ATTR_STATE | PVRDMA_QP_ATTR_PORT |
                         PVRDMA_QP_ATTR_PKEY_INDEX | own, &attr), ==, 0);
}

static void to_rtr(PvrdmaGuest *g, uint32_t qp, uint8_t type, uint32_t dest,
                   const PvrdmaWireAh *av)
{
    PvrdmaWireQpAttr attr = {
        .qp_state = PVRDMA_QPS_RTR,
        .path_mtu = 3,
        .dest_qp_num = dest,
        .rq_psn = 7,
        .max_dest_rd_atomic = 4,
        .min_rnr_timer = 12,
        .ah_attr = *av,
    };
    uint32_t rc = PVRDMA_QP_ATTR_AV | PVRDMA_QP_ATTR_PATH_MTU |
                  PVRDMA_QP_ATTR_DEST_QPN | PVRDMA_QP_ATTR_RQ_PSN |
                  PVRDMA_QP_ATTR_MAX_DEST_RD_ATOMIC |
                  PVRDMA_QP_ATTR_MIN_RNR_TIMER;

    g_assert_cmpuint(
        pvrdma_qp_modify(g, qp, PVRDMA_QP_ATTR_STATE |
                         (type == PVRDMA_QPT_RC ? rc : 0), &attr), ==, 0);
}

static void to_rts(PvrdmaGuest *g, uint32_t qp, uint8_t type)
{
    PvrdmaWireQpAttr attr = {
        .qp_state = PVRDMA_QPS_RTS,
        .sq_psn = 7,
        .timeout = 14,
        .retry_cnt = 3,
        .rnr_retry = 3,
        .max_rd_atomic = 4,
    };
    uint32_t rc = PVRDMA_QP_ATTR_TIMEOUT | PVRDMA_QP_ATTR_RETRY_CNT |
                  PVRDMA_QP_ATTR_RNR_RETRY | PVRDMA_QP_ATTR_MAX_QP_RD_ATOMIC;

    g_assert_cmpuint(
        pvrdma_qp_modify(g, qp, PVRDMA_QP_ATTR_STATE | PVRDMA_QP_ATTR_SQ_PSN |
                         (type == PVRDMA_QPT_RC ? rc : 0), &attr), ==, 0);
}

void pvrdma_qp_connect(PvrdmaGuest *g, uint32_t qp, uint8_t type,
                       uint32_t dest)
{
    PvrdmaWireAh av = { .ah_flags = 1, .port_num = 1, .hop_limit = 64 };

    pvrdma_own_gid(av.dgid);
    pvrdma_qp_connect_to(g, qp, type, dest, &av);
}

void pvrdma_qp_connect_to(PvrdmaGuest *g, uint32_t qp, uint8_t type,
                          uint32_t dest, const PvrdmaWireAh *av)
{
    pvrdma_qp_init(g, qp, type);
    to_rtr(g, qp, type, dest, av);
    to_rts(g, qp, type);
    g_assert_cmpuint(pvrdma_qp_query(g, qp).qp_state, ==, PVRDMA_QPS_RTS);
}

void pvrdma_put_send(PvrdmaGuest *g, PvrdmaTestQp *qp,
                     const PvrdmaWireSendWr *wr, const PvrdmaWireSge *sge)
{
    uint64_t at = qp->sq + pvrdma_ring_slot(qp->wrs, qp->sq_tail) *
                  qp->sq_stride;

    qtest_memwrite(g->qts, at, wr, sizeof(*wr));
    qtest_memwrite(g->qts, at + sizeof(*wr), sge,
                   MIN(wr->num_sge, qp->sges) * sizeof(*sge));
    qp->sq_tail = pvrdma_ring_next(qp->wrs, qp->sq_tail);
    qtest_writel(g->qts, qp->mem.addr + PVRDMA_RING1_TAIL, qp->sq_tail);
}

void pvrdma_ring_send(PvrdmaGuest *g, const PvrdmaTestQp *qp)
{
    pvrdma_uar_write(g, qp->uar, PVRDMA_UAR_QP,
                     PVRDMA_UAR_QP_SEND | qp->handle);
}

void pvrdma_post_send(PvrdmaGuest *g, PvrdmaTestQp *qp,
                      const PvrdmaWireSendWr *wr, const PvrdmaWireSge *sge)
{
    pvrdma_put_send(g, qp, wr, sge);
    pvrdma_ring_send(g, qp);
}

void pvrdma_post_recv(PvrdmaGuest *g, PvrdmaTestQp *qp,
                      const PvrdmaWireRecvWr *wr, const PvrdmaWireSge *sge)
{
    uint64_t at = qp->rq + pvrdma_ring_slot(qp->wrs, qp->rq_tail) *
                  qp->rq_stride;

    qtest_memwrite(g->qts, at, wr, sizeof(*wr));
    qtest_memwrite(g->qts, at + sizeof(*wr), sge,
                   MIN(wr->num_sge, qp->sges) * sizeof(*sge));
    qp->rq_tail = pvrdma_ring_next(qp->wrs, qp->rq_tail);
    qtest_writel(g->qts, qp->mem.addr + PVRDMA_RING2_TAIL, qp->rq_tail);
    pvrdma_uar_write(g, qp->uar, PVRDMA_UAR_QP,
                     PVRDMA_UAR_QP_RECV | qp->handle);
}

void pvrdma_post_srq(PvrdmaGuest *g, PvrdmaTestSrq *srq,
                     const PvrdmaWireRecvWr *wr, const PvrdmaWireSge *sge)
{
    uint64_t at = srq->mem.addr + PVRDMA_PAGE +
                  pvrdma_ring_slot(srq->wrs, srq->tail) *
                  pvrdma_wqe_stride(RQ_HEADER, srq->sges);

    qtest_memwrite(g->qts, at, wr, sizeof(*wr));
    qtest_memwrite(g->qts, at + sizeof(*wr), sge,
                   MIN(wr->num_sge, srq->sges) * sizeof(*sge));
    srq->tail = pvrdma_ring_next(srq->wrs, srq->tail);
    qtest_writel(g->qts, srq->mem.addr + PVRDMA_RING2_TAIL, srq->tail);
    pvrdma_uar_write(g, srq->uar, PVRDMA_UAR_SRQ,
                     PVRDMA_UAR_SRQ_RECV | srq->handle);
}

/* As poll_cq does it: look, and on an empty ring ask for more and look again */
static bool cqe_get(PvrdmaGuest *g, PvrdmaTestCq *cq, PvrdmaWireCqe *ret)
{
    uint64_t at = cq->mem.addr + PVRDMA_PAGE;
    uint32_t tail;

    tail = qtest_readl(g->qts, cq->mem.addr + PVRDMA_RING2_TAIL);
    if (tail == cq->head) {
        pvrdma_uar_write(g, cq->uar, PVRDMA_UAR_CQ,
                         PVRDMA_UAR_CQ_POLL | cq->handle);
        tail = qtest_readl(g->qts, cq->mem.addr + PVRDMA_RING2_TAIL);
    }
    if (tail == cq->head) {
        return false;
    }
    g_assert_true(pvrdma_ring_index_valid(cq->cqe, tail));
    at += pvrdma_ring_slot(cq->cqe, cq->head) * sizeof(*ret);
    qtest_memread(g->qts, at, ret, sizeof(*ret));
    cq->head = pvrdma_ring_next(cq->cqe, cq->head);
    qtest_writel(g->qts, cq->mem.addr + PVRDMA_RING2_HEAD, cq->head);
    return true;
}

PvrdmaWireCqe pvrdma_cqe_wait(PvrdmaGuest *g, PvrdmaTestCq *cq)
{
    PvrdmaWireCqe cqe;

    for (int i = 0; i < WAIT_TRIES; i++) {
        if (cqe_get(g, cq, &cqe)) {
            return cqe;
        }
        g_usleep(1000);
    }
    g_error("no completion within ten seconds");
}

void pvrdma_cqe_none(PvrdmaGuest *g, PvrdmaTestCq *cq)
{
    PvrdmaWireCqe cqe;

    for (int i = 0; i < 100; i++) {
        g_assert_false(cqe_get(g, cq, &cqe));
        g_usleep(1000);
    }
}
