/*
 * Fuzzing of pvrdma: what an input means
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * An input is a sequence of operations with a separator between them, so that
 * one can change its length without changing the others.  The first byte of an
 * operation says which it is, the others are its arguments; those that are
 * missing are zero.
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "hw/pci/pci_regs.h"
#include "hw/rdma/pvrdma_ring.h"
#include "pvrdma-fuzz.h"

#define SEPARATOR "\xfa\xce"
#define MAX_OPS 100
#define MAX_RENEW 2            /* they are slow */

/* A WQE's head and SGEs */
typedef struct SendWqe {
    PvrdmaWireSendWr wr;
    PvrdmaWireSge sge[4];
} SendWqe;

typedef struct RecvWqe {
    PvrdmaWireRecvWr wr;
    PvrdmaWireSge sge[4];
} RecvWqe;

static void fill_sges(PvrdmaFuzz *f, FuzzIn *in, unsigned mr, PvrdmaWireSge *s)
{
    uint32_t len = fuzz_take(in, 2), off = fuzz_take(in, 2);

    for (unsigned i = 0; i < 4; i++) {
        s[i] = (PvrdmaWireSge) {
            .addr = fuzz_mr_va(f, mr) + off + i * len,
            .length = len,
            .lkey = f->mr[mr].lkey,
        };
    }
}

static void fill_datagram(PvrdmaFuzz *f, unsigned qp, PvrdmaWireSendWr *wr)
{
    wr->wr.ud.remote_qpn = f->qp[qp].qpn;
    wr->wr.ud.remote_qkey = 1u << 31;
    wr->wr.ud.av.port_pd = f->pd[0] | 1 << 24;
    wr->wr.ud.av.hop_limit = 64;
    pvrdma_own_gid(wr->wr.ud.av.dgid);
}

static void fill_fast_reg(PvrdmaFuzz *f, PvrdmaWireSendWr *wr)
{
    wr->wr.fast_reg.iova_start = fuzz_mr_va(f, 2);
    wr->wr.fast_reg.pl_pdir_dma = f->mr[2].mem.pdir;
    wr->wr.fast_reg.page_shift = 12;
    wr->wr.fast_reg.page_list_len = f->mr[2].mem.n;
    wr->wr.fast_reg.length = f->mr[2].mem.n * PVRDMA_PAGE;
    wr->wr.fast_reg.access_flags = PVRDMA_ACCESS_MASK;
    wr->wr.fast_reg.rkey = f->mr[2].rkey;
}

static void fill_send(PvrdmaFuzz *f, unsigned qp, unsigned mr,
                      PvrdmaWireSendWr *wr)
{
    uint64_t remote = fuzz_mr_va(f, mr);

    if (fuzz_qp_type(qp) != PVRDMA_QPT_RC) {
        fill_datagram(f, qp, wr);
        return;
    }
    switch (wr->opcode) {
    case PVRDMA_WR_RDMA_WRITE:
    case PVRDMA_WR_RDMA_WRITE_WITH_IMM:
    case PVRDMA_WR_RDMA_READ:
        wr->wr.rdma.remote_addr = remote;
        wr->wr.rdma.rkey = f->mr[mr].rkey;
        break;
    case PVRDMA_WR_ATOMIC_CMP_AND_SWP:
    case PVRDMA_WR_ATOMIC_FETCH_AND_ADD:
        wr->wr.atomic.remote_addr = remote;
        wr->wr.atomic.rkey = f->mr[mr].rkey;
        break;
    case PVRDMA_WR_FAST_REG_MR:
        fill_fast_reg(f, wr);
        break;
    default:
        wr->ex = f->mr[2].rkey;
    }
}

static void ring(PvrdmaFuzz *f, uint32_t page, uint32_t off, uint32_t value)
{
    pvrdma_uar_write(f->g, page, off, value);
}

/* QP, opcode, flags, number of SGEs, whether to ring, length, offset, patches */
static void op_send(PvrdmaFuzz *f, FuzzIn *in)
{
    unsigned n = fuzz_take(in, 1) % FUZZ_QPS, mr = fuzz_owner(n);
    PvrdmaTestQp *qp = &f->qp[n];
    SendWqe w = { .wr = { .wr_id = 0x51, .opcode = fuzz_take(in, 1) % 13 } };
    bool quiet;

    w.wr.send_flags = fuzz_take(in, 1) ^ PVRDMA_SEND_SIGNALED;
    w.wr.num_sge = fuzz_take(in, 1) % 6;
    quiet = fuzz_take(in, 1) & 1;
    fill_sges(f, in, mr, w.sge);
    fill_send(f, n, mr, &w.wr);
    fuzz_patch(f, in, &w, sizeof(w));
    memcpy(f->ram + qp->sq + pvrdma_ring_slot(qp->wrs, qp->sq_tail) *
           qp->sq_stride, &w, sizeof(w));
    qp->sq_tail = pvrdma_ring_next(qp->wrs, qp->sq_tail);
    stl_le_p(f->ram + qp->mem.addr + PVRDMA_RING1_TAIL, qp->sq_tail);
    if (!quiet) {
        ring(f, qp->uar, PVRDMA_UAR_QP, PVRDMA_UAR_QP_SEND | qp->handle);
    }
}

static void recv_srq(PvrdmaFuzz *f, const RecvWqe *w, bool quiet)
{
    PvrdmaTestSrq *srq = &f->srq;
    uint32_t stride = pvrdma_wqe_stride(sizeof(w->wr), srq->sges);

    memcpy(f->ram + srq->mem.addr + PVRDMA_PAGE +
           pvrdma_ring_slot(srq->wrs, srq->tail) * stride, w, stride);
    srq->tail = pvrdma_ring_next(srq->wrs, srq->tail);
    stl_le_p(f->ram + srq->mem.addr + PVRDMA_RING2_TAIL, srq->tail);
    if (!quiet) {
        ring(f, srq->uar, PVRDMA_UAR_SRQ, PVRDMA_UAR_SRQ_RECV | srq->handle);
    }
}

static void recv_qp(PvrdmaFuzz *f, PvrdmaTestQp *qp, const RecvWqe *w,
                    bool quiet)
{
    memcpy(f->ram + qp->rq + pvrdma_ring_slot(qp->wrs, qp->rq_tail) *
           qp->rq_stride, w, sizeof(*w));
    qp->rq_tail = pvrdma_ring_next(qp->wrs, qp->rq_tail);
    stl_le_p(f->ram + qp->mem.addr + PVRDMA_RING2_TAIL, qp->rq_tail);
    if (!quiet) {
        ring(f, qp->uar, PVRDMA_UAR_QP, PVRDMA_UAR_QP_RECV | qp->handle);
    }
}

/* QP, number of SGEs, whether to ring, length, offset, patches */
static void op_recv(PvrdmaFuzz *f, FuzzIn *in)
{
    unsigned n = fuzz_take(in, 1) % FUZZ_QPS;
    RecvWqe w = { .wr = { .wr_id = 0x52, .num_sge = fuzz_take(in, 1) % 6 } };
    bool quiet = fuzz_take(in, 1) & 1;

    fill_sges(f, in, fuzz_owner(n), w.sge);
    fuzz_patch(f, in, &w, sizeof(w));
    if (n == 5) {
        recv_srq(f, &w, quiet);
    } else {
        recv_qp(f, &f->qp[n], &w, quiet);
    }
}

/* Page, offset, way of making the value, value */
static void op_doorbell(PvrdmaFuzz *f, FuzzIn *in)
{
    uint32_t page = fuzz_take(in, 1), off = fuzz_take(in, 2) % PVRDMA_PAGE;
    uint8_t how = fuzz_take(in, 1);
    uint32_t bits = (how & 0xc0u) << 24 | (how & 0x20u) << 24;

    ring(f, page, QEMU_ALIGN_DOWN(off, 4),
         bits | fuzz_mutate(f, how & 0x1f, 0, fuzz_take(in, 4)));
}

/* Offset, write, value */
static void op_register(PvrdmaFuzz *f, FuzzIn *in)
{
    uint32_t reg = QEMU_ALIGN_DOWN(fuzz_take(in, 1), 4);
    uint8_t how = fuzz_take(in, 1);

    if (how & 0x80) {
        pvrdma_reg_write(f->g, reg, fuzz_mutate(f, how & 0x7f, 0,
                                                fuzz_take(in, 4)));
    } else {
        pvrdma_reg_read(f->g, reg);
    }
}

/* Region, offset, then patches from there */
static void op_poke(PvrdmaFuzz *f, FuzzIn *in)
{
    FuzzRegion *r = &f->region[fuzz_take(in, 1) % f->regions];
    uint32_t off = QEMU_ALIGN_DOWN(fuzz_take(in, 2) % (r->size - 3), 4);

    fuzz_patch(f, in, f->ram + r->addr + off, r->size - off);
}

/* CQ, how many */
static void op_poll(PvrdmaFuzz *f, FuzzIn *in)
{
    PvrdmaTestCq *cq = &f->cq[fuzz_take(in, 1) % FUZZ_CQS];
    uint8_t *state = f->ram + cq->mem.addr;
    uint32_t n = fuzz_take(in, 1) % 64;

    ring(f, cq->uar, PVRDMA_UAR_CQ, PVRDMA_UAR_CQ_POLL | cq->handle);
    for (uint32_t i = 0; i <= n; i++) {
        if (ldl_le_p(state + PVRDMA_RING2_TAIL) == cq->head) {
            break;
        }
        cq->head = pvrdma_ring_next(cq->cqe, cq->head);
        stl_le_p(state + PVRDMA_RING2_HEAD, cq->head);
    }
    ring(f, cq->uar, PVRDMA_UAR_CQ, PVRDMA_UAR_CQ_ARM | cq->handle);
}

/* Power of two of nanoseconds, up to eight seconds */
static void op_clock(PvrdmaFuzz *f, FuzzIn *in)
{
    qtest_clock_step(f->qts, 1ll << (fuzz_take(in, 1) % 34));
}

/* Function, offset, way, value: 32 bits of configuration space */
static void op_config(PvrdmaFuzz *f, FuzzIn *in)
{
    QPCIDevice *dev = fuzz_take(in, 1) & 1 ? f->g->dev : f->g->nic;
    uint8_t off = QEMU_ALIGN_DOWN(fuzz_take(in, 1), 4);
    uint8_t how = fuzz_take(in, 1);
    uint32_t old = qpci_config_readl(dev, off);

    qpci_config_writel(dev, off, fuzz_mutate(f, how, old, fuzz_take(in, 4)));
}

/* Function 0: up with an MTU, or down */
static void op_nic(PvrdmaFuzz *f, FuzzIn *in)
{
    uint16_t mtu = fuzz_take(in, 2);

    if (mtu) {
        pvrdma_nic_up(f->g, mtu);
    } else {
        pvrdma_nic_down(f->g);
    }
}

/* Ways to make the device forget everything; the guest may not notice. */
static void op_reset(PvrdmaFuzz *f, FuzzIn *in)
{
    uint8_t way = fuzz_take(in, 1) % 4;

    switch (way) {
    case 0:
        pvrdma_reg_write(f->g, PVRDMA_REG_CTL, PVRDMA_CTL_RESET);
        break;
    case 1:
        pvrdma_guest_map_dsr(f->g, f->g->dsr);
        pvrdma_reg_write(f->g, PVRDMA_REG_CTL, PVRDMA_CTL_ACTIVATE);
        break;
    case 2:
        fuzz_bus_reset(f);
        break;
    case 3:
        fuzz_unplug(f);
        break;
    }
}

static void (*const ops[])(PvrdmaFuzz *f, FuzzIn *in) = {
    fuzz_command, op_send, op_recv, op_doorbell, op_register, op_poke, op_poll,
    op_clock, op_config, op_nic, op_reset, fuzz_race, fuzz_frame,
    fuzz_raw_frame, fuzz_drain,
};
#define OP_RENEW ARRAY_SIZE(ops)

/* Whatever was done to it: after a reset, the device must work. */
static void renew(PvrdmaFuzz *f)
{
    fuzz_race_end(f);
    fuzz_end(f);
    fuzz_begin(f);
}

static size_t length_of_next(const FuzzIn *in)
{
    const uint8_t *end = memmem(in->data, in->len, SEPARATOR,
                                strlen(SEPARATOR));

    return end ? end - in->data : in->len;
}

static void skip(FuzzIn *in, size_t len)
{
    len = MIN(len, in->len);
    in->data += len;
    in->len -= len;
}

static void run(PvrdmaFuzz *f, FuzzIn *in)
{
    unsigned renewed = 0;

    for (unsigned i = 0; in->len && i < MAX_OPS; i++) {
        FuzzIn op = { in->data, length_of_next(in) };
        unsigned which = op.len ? op.data[0] % (OP_RENEW + 1) : 0;

        skip(in, op.len + strlen(SEPARATOR));
        if (!op.len) {
            continue;
        }
        fuzz_take(&op, 1);
        if (which < OP_RENEW) {
            ops[which](f, &op);
        } else if (renewed++ < MAX_RENEW) {
            renew(f);
        }
        fuzz_settle(f);
    }
}

void pvrdma_fuzz_run(PvrdmaFuzz *f, const uint8_t *data, size_t len)
{
    FuzzIn in = { data, MIN(len, FUZZ_MAX_INPUT) };

    fuzz_begin(f);
    run(f, &in);
    fuzz_race_end(f);
    fuzz_drain(f, NULL);
    fuzz_end(f);
    fuzz_drain(f, NULL);
}
