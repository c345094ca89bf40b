/*
 * QTest testcase for pvrdma: two connected QPs of one device
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "pvrdma-pair.h"

void pair_connect(PvrdmaPair *t, uint8_t type)
{
    for (int i = 0; i < 2; i++) {
        t->cq[i] = pvrdma_cq_new(t->g, t->uc, 64);
        t->qp[i] = pvrdma_qp_new(t->g, t->pd, type, t->cq[i].handle,
                                 t->cq[i].handle);
        t->cq[i].uar = t->qp[i].uar = t->uar;
    }
    for (int i = 0; i < 2; i++) {
        pvrdma_qp_connect(t->g, t->qp[i].handle, type, t->qp[!i].qpn);
    }
}

PvrdmaPair pair_on(PvrdmaGuest *g, uint8_t type, uint32_t uar)
{
    PvrdmaPair t = { .g = g, .uar = uar };

    pvrdma_guest_setup(t.g);
    pvrdma_bind_gid(t.g, 0);
    t.uc = uar ? pvrdma_uc_new(t.g, uar) : 0;
    t.pd = pvrdma_pd_new(t.g, t.uc);
    t.mr = pvrdma_mr_new(t.g, t.pd, PAIR_MR_PAGES);
    t.va = pvrdma_req_mr(t.pd, &t.mr.mem).create_mr.start;
    pair_connect(&t, type);
    return t;
}

PvrdmaPair pair_new(uint8_t type)
{
    return pair_on(pvrdma_guest_new(), type, 0);
}

PvrdmaPair pair_new_user(uint8_t type)
{
    return pair_on(pvrdma_guest_new(), type, 1);
}

void pair_free(PvrdmaPair *t)
{
    pvrdma_guest_free(t->g);
}

PvrdmaWireSge pair_sge(PvrdmaPair *t, uint32_t off, uint32_t length)
{
    return (PvrdmaWireSge) {
        .addr = t->va + off, .length = length, .lkey = t->mr.lkey,
    };
}

PvrdmaWireSendWr pair_send_wr(uint32_t opcode)
{
    PvrdmaWireSendWr wr = {
        .wr_id = PAIR_WR_ID,
        .num_sge = 1,
        .total_len = 0xdeadbeef,
        .opcode = opcode,
        .send_flags = PVRDMA_SEND_SIGNALED,
        .reserved = 0xdeadbeef,
    };

    memset(wr.wr.raw, 0xee, sizeof(wr.wr.raw));
    return wr;
}

PvrdmaWireSendWr pair_ud_wr(PvrdmaPair *t, uint32_t qpn)
{
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_SEND);

    memset(&wr.wr, 0, sizeof(wr.wr));
    wr.wr.ud.remote_qpn = qpn;
    wr.wr.ud.remote_qkey = 1u << 31;
    wr.wr.ud.av.port_pd = t->pd | 1 << 24;
    wr.wr.ud.av.hop_limit = 64;
    wr.wr.ud.av.src_path_bits = 0x80;
    pvrdma_own_gid(wr.wr.ud.av.dgid);
    return wr;
}

void pair_fill(PvrdmaPair *t, uint32_t off, uint32_t length, uint8_t seed)
{
    g_autofree uint8_t *data = g_malloc(length);

    for (uint32_t i = 0; i < length; i++) {
        data[i] = seed + i * 7 + i / 256;
    }
    qtest_memwrite(t->g->qts, t->mr.mem.addr + off, data, length);
}

void pair_same(PvrdmaPair *t, uint32_t a, uint32_t b, uint32_t length)
{
    g_autofree uint8_t *x = g_malloc(length), *y = g_malloc(length);

    qtest_memread(t->g->qts, t->mr.mem.addr + a, x, length);
    qtest_memread(t->g->qts, t->mr.mem.addr + b, y, length);
    g_assert_cmpmem(x, length, y, length);
}

void check_cqe(const PvrdmaWireCqe *cqe, const PvrdmaTestQp *qp,
               uint64_t wr_id, uint32_t opcode)
{
    g_assert_cmpuint(cqe->status, ==, PVRDMA_WC_SUCCESS);
    g_assert_cmphex(cqe->wr_id, ==, wr_id);
    g_assert_cmpuint(cqe->qp & 0xffff, ==, qp->handle);
    g_assert_cmpuint(cqe->opcode, ==, opcode);
}

uint64_t pair_status(PvrdmaPair *t, int i)
{
    return pvrdma_cqe_wait(t->g, &t->cq[i]).status;
}

void pair_sent(PvrdmaPair *t, uint32_t opcode)
{
    PvrdmaWireCqe cqe = pvrdma_cqe_wait(t->g, &t->cq[0]);

    check_cqe(&cqe, &t->qp[0], PAIR_WR_ID, opcode);
}

void pair_recv(PvrdmaPair *t, int i, uint32_t off, uint32_t length,
               uint64_t wr_id)
{
    PvrdmaWireRecvWr wr = { .wr_id = wr_id, .num_sge = 1 };
    PvrdmaWireSge s = pair_sge(t, off, length);

    pvrdma_post_recv(t->g, &t->qp[i], &wr, &s);
}

void pair_send(PvrdmaPair *t, int i, const PvrdmaWireSendWr *wr, uint32_t off,
               uint32_t length)
{
    PvrdmaWireSge s = pair_sge(t, off, length);

    pvrdma_post_send(t->g, &t->qp[i], wr, &s);
}

void pair_traffic(PvrdmaPair *t, int writes)
{
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_RDMA_WRITE);
    PvrdmaWireSendWr waits = pair_send_wr(PVRDMA_WR_SEND);

    wr.wr.rdma.remote_addr = t->va + PAIR_RECV;
    wr.wr.rdma.rkey = t->mr.rkey;
    for (int i = 0; i < writes; i++) {
        pair_send(t, 0, &wr, 0, PAIR_RECV);
    }
    pair_send(t, 1, &waits, 0, 64);
}
