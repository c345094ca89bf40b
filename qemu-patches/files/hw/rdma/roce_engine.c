/*
 * RoCE v2 in software: the engine's wires, turns and tables
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QPs that have something to send wait in the run queue, and each sends at
 * most a quantum per turn.  What arrives never sends: it leaves answers in
 * its QP, which are sent in that QP's turn.  So nothing here recurses, also
 * where QPs of one engine hand each other packets, and acknowledgements of
 * what arrives in one go become one.
 */
#include <stdlib.h>
#include <string.h>
#include "roce_int.h"

#define QPN_GSI 1u
#define INDEX_BITS 12
#define MAX_QP (1u << INDEX_BITS)
#define MAX_GENERATION 0xfffu
#define PKEY_MEMBERSHIP 0x8000u

/* Life cycle */

static bool alloc_tables(RoceEngine *e)
{
    e->qps = calloc(e->max_qp, sizeof(*e->qps));
    e->generation = calloc(e->max_qp, sizeof(*e->generation));
    e->local = malloc(ROCE_LOCAL_FRAMES * sizeof(*e->local));
    return e->qps && e->generation && e->local && roce_timers_init(e);
}

RoceEngine *roce_new(const RoceOps *ops, void *opaque, uint32_t max_qp)
{
    RoceEngine *e;

    if (!max_qp || max_qp > MAX_QP) {
        return NULL;
    }
    e = calloc(1, sizeof(*e));
    if (!e) {
        return NULL;
    }
    e->ops = ops;
    e->opaque = opaque;
    e->max_qp = max_qp;
    e->mtu = 1024;
    e->run.next = e->run.prev = &e->run;
    if (!alloc_tables(e)) {
        roce_free(e);
        return NULL;
    }
    return e;
}

void roce_free(RoceEngine *e)
{
    free(e->heap);
    free(e->local);
    free(e->generation);
    free(e->qps);
    free(e);
}

void roce_set_mac(RoceEngine *e, const uint8_t mac[6])
{
    memcpy(e->mac, mac, sizeof(e->mac));
}

void roce_set_mtu(RoceEngine *e, uint32_t mtu)
{
    e->mtu = mtu;
}

/* As Linux does, so that both ends of a link find the same one: IP and UDP
 * headers, the longest transport headers and the ICRC have to fit. */
uint32_t roce_mtu_of_nic(uint32_t nic_mtu)
{
    uint32_t mtu = 4096;

    while (mtu > 256 && mtu + 80 > nic_mtu) {
        mtu /= 2;
    }
    return mtu;
}

const RoceStats *roce_stats(const RoceEngine *e)
{
    return &e->stats;
}

/* GIDs */

void roce_gid_set(RoceEngine *e, uint8_t index, const uint8_t *gid)
{
    e->gid_set[index] = gid;
    if (gid) {
        memcpy(e->gid[index], gid, sizeof(e->gid[index]));
        if (index >= e->num_gids) {
            e->num_gids = index + 1u;
        }
    }
    while (e->num_gids && !e->gid_set[e->num_gids - 1]) {
        e->num_gids--;
    }
}

bool roce_gid_is_ours(const RoceEngine *e, const uint8_t gid[16])
{
    for (uint32_t i = 0; i < e->num_gids; i++) {
        if (e->gid_set[i] && !memcmp(e->gid[i], gid, 16)) {
            return true;
        }
    }
    return false;
}

/* QPNs: a generation above the index, so that late packets for a QP that is
 * gone find nothing. */

static bool find_index(RoceEngine *e, uint32_t *ret)
{
    for (uint32_t i = 0; i < e->max_qp; i++) {
        uint32_t index = (e->last_qp + 1 + i) % e->max_qp;

        if (!e->qps[index]) {
            *ret = index;
            return true;
        }
    }
    return false;
}

bool roce_qpn_take(RoceEngine *e, RoceQp *qp)
{
    uint32_t index;

    if (qp->type == ROCE_QPT_GSI) {
        if (e->gsi) {
            return false;
        }
        e->gsi = qp;
        qp->qpn = QPN_GSI;
        return true;
    }
    if (!find_index(e, &index)) {
        return false;
    }
    e->last_qp = index;
    e->generation[index] = e->generation[index] % MAX_GENERATION + 1;
    e->qps[index] = qp;
    qp->qpn = (uint32_t)e->generation[index] << INDEX_BITS | index;
    return true;
}

void roce_qpn_give(RoceEngine *e, RoceQp *qp)
{
    if (qp->type == ROCE_QPT_GSI) {
        e->gsi = NULL;
    } else {
        e->qps[qp->qpn & (MAX_QP - 1)] = NULL;
    }
}

static RoceQp *find_qp(RoceEngine *e, uint32_t qpn)
{
    uint32_t index = qpn & (MAX_QP - 1);
    RoceQp *qp;

    if (qpn == QPN_GSI) {
        return e->gsi;
    }
    qp = index < e->max_qp ? e->qps[index] : NULL;
    return qp && qp->qpn == qpn ? qp : NULL;
}

/* Run queue */

void roce_queue(RoceQp *qp)
{
    RoceEngine *e = qp->engine;
    bool was_empty = e->run.next == &e->run;

    if (qp->queued) {
        return;
    }
    qp->queued = true;
    qp->prev = e->run.prev;
    qp->next = &e->run;
    qp->prev->next = qp->next->prev = qp;
    if (was_empty && !e->wire_full && !e->running) {
        e->ops->wake(e->opaque);
    }
}

void roce_unqueue(RoceQp *qp)
{
    if (qp->queued) {
        qp->queued = false;
        qp->prev->next = qp->next;
        qp->next->prev = qp->prev;
    }
}

/* Packets that arrived, by frame or directly */

static bool rc_source_ok(const RoceQp *qp, const RocePacket *pkt)
{
    const RoceEngine *e = qp->engine;

    return e->gid_set[qp->attr.av.sgid_index] &&
           !memcmp(pkt->dgid, e->gid[qp->attr.av.sgid_index], 16) &&
           !memcmp(pkt->sgid, qp->attr.av.dgid, 16);
}

static bool is_response(uint8_t opcode)
{
    return opcode >= ROCE_OP_READ_RESP_FIRST && opcode <= ROCE_OP_ATOMIC_ACK;
}

static void input_rc(RoceQp *qp, const RocePacket *pkt)
{
    if (!rc_source_ok(qp, pkt)) {
        qp->engine->stats.rx_bad_source++;
    } else if (is_response(pkt->opcode)) {
        roce_req_response(qp, pkt);
    } else {
        roce_resp_request(qp, pkt);
    }
}

static void dispatch(RoceEngine *e, const RocePacket *pkt)
{
    RoceQp *qp = find_qp(e, pkt->dest_qpn);
    uint8_t transport = pkt->opcode & 0xe0;

    if (!qp || !roce_qp_can_receive(qp) ||
        transport != (qp->type == ROCE_QPT_RC ? ROCE_OP_RC : ROCE_OP_UD)) {
        e->stats.rx_no_qp++;
    } else if ((pkt->pkey ^ ROCE_DEFAULT_PKEY) & ~PKEY_MEMBERSHIP) {
        e->stats.rx_bad_key++;
    } else if (qp->type == ROCE_QPT_RC) {
        input_rc(qp, pkt);
    } else {
        roce_ud_receive(qp, pkt);
    }
}

/* Output */

bool roce_out_room(RoceEngine *e, const RoceAv *av)
{
    if (roce_gid_is_ours(e, av->dgid)) {
        return e->local_tail - e->local_head < ROCE_LOCAL_FRAMES;
    }
    return !e->wire_full;
}

static bool gid_is_ipv4(const uint8_t *gid)
{
    static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

    return !memcmp(gid, mapped, sizeof(mapped));
}

bool roce_out_open(RoceEngine *e, RoceOut *out, const RoceAv *av)
{
    RocePacket *pkt = &out->pkt;

    if (!e->gid_set[av->sgid_index]) {
        return false;
    }
    /* All that neither this function nor each caller sets: clearing the
     * whole packet every time is slow. */
    memset(&pkt->va, 0, sizeof(*pkt) - offsetof(RocePacket, va));
    pkt->solicited = pkt->ack_req = false;
    memcpy(pkt->sgid, e->gid[av->sgid_index], sizeof(pkt->sgid));
    memcpy(pkt->dgid, av->dgid, sizeof(pkt->dgid));
    memcpy(pkt->smac, e->mac, sizeof(pkt->smac));
    memcpy(pkt->dmac, av->dmac, sizeof(pkt->dmac));
    pkt->ipv4 = gid_is_ipv4(pkt->sgid);
    if (pkt->ipv4 != gid_is_ipv4(pkt->dgid)) {
        return false;
    }
    pkt->traffic_class = av->traffic_class;
    pkt->hop_limit = av->hop_limit ? av->hop_limit : 64;
    pkt->flow_label = av->flow_label;
    pkt->pkey = ROCE_DEFAULT_PKEY;
    out->local = roce_gid_is_ours(e, av->dgid);
    out->frame = out->local
                 ? e->local[e->local_tail % ROCE_LOCAL_FRAMES].bytes
                 : e->frame;
    out->direct = false;
    return true;
}

/* Another QP of this engine needs no frame: it gets the packet at once.  A QP
 * that is its own peer does not, as it must not change while it sends. */
bool roce_out_open_rc(RoceQp *qp, RoceOut *out)
{
    if (!roce_out_open(qp->engine, out, &qp->attr.av)) {
        return false;
    }
    out->pkt.dest_qpn = qp->attr.dest_qpn;
    out->direct = out->local && qp->attr.dest_qpn != qp->qpn;
    if (out->direct) {
        out->frame = qp->engine->frame;
    }
    return true;
}

uint8_t *roce_out_payload(RoceOut *out)
{
    if (out->direct) {
        out->pkt.payload = out->frame;
        return out->frame;
    }
    return roce_frame_open(out->frame, &out->pkt);
}

static void send_direct(RoceEngine *e, const RocePacket *pkt)
{
    e->stats.tx_packets++;
    e->stats.tx_bytes += pkt->payload_len;
    e->stats.rx_packets++;
    e->stats.rx_bytes += pkt->payload_len;
    dispatch(e, pkt);
}

/* A frame that stays here needs no ICRC: nothing can damage it. */
bool roce_out_send(RoceEngine *e, RoceOut *out)
{
    size_t len;

    if (out->direct) {
        send_direct(e, &out->pkt);
        return true;
    }
    len = roce_frame_seal(out->frame, &out->pkt, !out->local);
    if (out->local) {
        e->local[e->local_tail++ % ROCE_LOCAL_FRAMES].length = len;
    } else if (!e->ops->transmit(e->opaque, out->frame, len)) {
        e->wire_full = true;
        return false;
    }
    e->stats.tx_packets++;
    e->stats.tx_bytes += len;
    return true;
}

void roce_wire_ready(RoceEngine *e)
{
    e->wire_full = false;
    if (e->run.next != &e->run) {
        e->ops->wake(e->opaque);
    }
}

/* Input */

bool roce_input(RoceEngine *e, uint64_t now, const uint8_t *frame, size_t len)
{
    RocePacket pkt;
    RoceParse parse = roce_frame_parse(frame, len, &pkt);

    e->now = now;
    if (parse == ROCE_PARSE_NOT_ROCE || !roce_gid_is_ours(e, pkt.dgid)) {
        return false;
    }
    e->stats.rx_packets++;
    e->stats.rx_bytes += len;
    if (parse != ROCE_PARSE_OK) {
        e->stats.rx_bad_frame++;
    } else if (!roce_frame_icrc_ok(&pkt)) {
        e->stats.rx_bad_icrc++;
    } else {
        dispatch(e, &pkt);
    }
    return true;
}

/* The address may have gone meanwhile; then the frame is nobody's. */
static void input_local(RoceEngine *e)
{
    const RoceLocalFrame *f = &e->local[e->local_head % ROCE_LOCAL_FRAMES];
    RocePacket pkt;

    e->stats.rx_packets++;
    e->stats.rx_bytes += f->length;
    if (roce_frame_parse(f->bytes, f->length, &pkt) != ROCE_PARSE_OK) {
        e->stats.rx_bad_frame++;
    } else if (roce_gid_is_ours(e, pkt.dgid)) {
        dispatch(e, &pkt);
    }
    e->local_head++;
}

/* Turns */

static RoceTurn send_one(RoceQp *qp)
{
    RoceTurn turn;

    if (qp->type != ROCE_QPT_RC) {
        return roce_ud_send(qp);
    }
    turn = roce_resp_send(qp);
    return turn == ROCE_TURN_IDLE ? roce_req_send(qp) : turn;
}

/* Up to a quantum of packets; then to the end of the queue, if it has more. */
static uint32_t take_turn(RoceQp *qp, uint32_t budget)
{
    uint32_t most = budget < ROCE_QUANTUM ? budget : ROCE_QUANTUM;
    RoceTurn turn = ROCE_TURN_SENT;
    uint32_t sent = 0;

    roce_unqueue(qp);
    while (sent < most && turn == ROCE_TURN_SENT) {
        turn = send_one(qp);
        sent += turn == ROCE_TURN_SENT;
    }
    if (turn != ROCE_TURN_IDLE) {
        roce_queue(qp);
    }
    return sent;
}

bool roce_run(RoceEngine *e, uint64_t now, uint32_t budget)
{
    bool stuck = false;

    e->now = now;
    e->running = true;
    while (budget) {
        if (e->local_head != e->local_tail) {
            input_local(e);
            budget--;
            stuck = false;
        } else if (e->run.next == &e->run || stuck) {
            break;
        } else {
            uint32_t sent = take_turn(e->run.next, budget);

            stuck = !sent && e->wire_full;
            budget -= sent;
        }
    }
    e->running = false;
    return e->local_head != e->local_tail ||
           (e->run.next != &e->run && !e->wire_full);
}
