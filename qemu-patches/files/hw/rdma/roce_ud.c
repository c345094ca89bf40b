/*
 * RoCE v2 in software: unreliable datagrams, the GSI among them
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>
#include "roce_int.h"

static uint32_t own_qkey(const RoceQp *qp)
{
    return qp->type == ROCE_QPT_GSI ? ROCE_GSI_QKEY : qp->attr.qkey;
}

/* Sends */

/* With the upper bit the key is one that only the QP's owner may choose
 * (volume 1, 10.2.5), so that nobody speaks to the GSI who must not. */
static uint32_t qkey_of(const RoceQp *qp, const RoceSend *send)
{
    uint32_t qkey = send->wr.u.ud.qkey;

    return qp->type == ROCE_QPT_GSI || qkey >> 31 ? own_qkey(qp) : qkey;
}

static void open_datagram(RoceQp *qp, const RoceSend *send, RoceOut *out)
{
    RocePacket *pkt = &out->pkt;

    pkt->opcode = send->wr.opcode == ROCE_WR_SEND_WITH_IMM
                  ? ROCE_OP_UD_SEND_ONLY_IMM : ROCE_OP_UD_SEND_ONLY;
    pkt->dest_qpn = send->wr.u.ud.qpn & ROCE_PSN_MASK;
    pkt->qkey = qkey_of(qp, send);
    pkt->src_qpn = qp->qpn;
    pkt->solicited = send->wr.solicited;
    pkt->imm = send->wr.imm;
    pkt->psn = qp->req.next_psn;
    pkt->payload_len = send->length;
}

/* The rest of the queue is flushed; the owner brings the QP back to RTS. */
static RoceTurn fail_datagram(RoceQp *qp, uint32_t status)
{
    qp->attr.state = ROCE_QPS_SQE;
    roce_complete_send(qp, status);
    roce_flush_sends(qp);
    return ROCE_TURN_IDLE;
}

RoceTurn roce_ud_send(RoceQp *qp)
{
    RoceEngine *e = qp->engine;
    RoceSend *send;
    RoceOut out;

    if (qp->attr.state != ROCE_QPS_RTS || !roce_ring_fill(&qp->req.ring)) {
        return ROCE_TURN_IDLE;
    }
    send = roce_send_at(qp, qp->req.ring.head);
    if (send->status || send->length > e->mtu) {
        return fail_datagram(qp, ROCE_WC_LOC_LEN_ERR);
    }
    if (!roce_out_room(e, &send->wr.u.ud.av)) {
        return ROCE_TURN_FULL;
    }
    if (!roce_out_open(e, &out, &send->wr.u.ud.av)) {
        return fail_datagram(qp, ROCE_WC_LOC_QP_OP_ERR);
    }
    open_datagram(qp, send, &out);
    if (!roce_sge_gather(qp, send->wr.sge, send->wr.num_sge, 0,
                         roce_out_payload(&out), send->length)) {
        return fail_datagram(qp, ROCE_WC_LOC_PROT_ERR);
    }
    if (!roce_out_send(e, &out)) {
        return ROCE_TURN_FULL;
    }
    qp->req.next_psn = roce_psn_add(qp->req.next_psn, 1);
    roce_complete_send(qp, ROCE_WC_SUCCESS);
    return ROCE_TURN_SENT;
}

/* Receives */

/* An IPv4 header has the second half of the area; its first half is zero. */
static void fill_grh(const RocePacket *pkt, uint8_t grh[ROCE_GRH_LEN])
{
    memset(grh, 0, ROCE_GRH_LEN);
    if (pkt->ipv4) {
        memcpy(grh + 20, pkt->l3, 20);
    } else {
        memcpy(grh, pkt->l3, ROCE_GRH_LEN);
    }
}

static void fail_receive(RoceQp *qp, uint32_t status)
{
    RoceWc wc = { .status = status };

    qp->engine->stats.local_errors++;
    roce_complete_recv(qp, &wc);
    roce_qp_enter_error(qp);
}

static void deliver(RoceQp *qp, const RocePacket *pkt, const RoceRecvWr *wr)
{
    uint8_t grh[ROCE_GRH_LEN];
    RoceWc wc = {
        .byte_len = ROCE_GRH_LEN + pkt->payload_len,
        .imm = pkt->imm,
        .has_imm = pkt->opcode == ROCE_OP_UD_SEND_ONLY_IMM,
        .has_grh = true,
        .ipv4 = pkt->ipv4,
        .src_qp = pkt->src_qpn,
        .solicited = pkt->solicited,
    };

    fill_grh(pkt, grh);
    if (!roce_recv_scatter(qp, wr, 0, grh, sizeof(grh)) ||
        !roce_recv_scatter(qp, wr, sizeof(grh), pkt->payload,
                           pkt->payload_len)) {
        fail_receive(qp, ROCE_WC_LOC_PROT_ERR);
    } else {
        roce_complete_recv(qp, &wc);
    }
}

void roce_ud_receive(RoceQp *qp, const RocePacket *pkt)
{
    const RoceRecvWr *wr;

    if (pkt->qkey != own_qkey(qp)) {
        qp->engine->stats.rx_bad_key++;
        return;
    }
    wr = roce_recv_peek(qp);
    if (!wr) {
        qp->engine->stats.rx_no_buffer++;
    } else if (ROCE_GRH_LEN + pkt->payload_len >
               roce_sge_length(wr->sge, wr->num_sge)) {
        fail_receive(qp, ROCE_WC_LOC_LEN_ERR);
    } else {
        deliver(qp, pkt, wr);
    }
}
