/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The RoCE engine between a hostile network and a hostile guest: the input is
 * a list of packets with a right ICRC, of raw frames, of work requests and of
 * state changes, for QPs that are connected.  What the engine sends must be
 * well formed, and all that is posted must complete once and in order.
 */
#include <string.h>

#include "fuzz.h"
#include "roce_frame.h"
#include "sim.h"

#define QPS 6u
#define MTU 256u
#define MEM 2048u
#define STEPS 64u                  /* of the simulation, per command */
#define PEER_QPN 0x77u
#define QKEY 5u

typedef struct Input {
    const uint8_t *at;
    size_t left;
} Input;

typedef struct Target {
    SimQp *qp;
    uint64_t sends, sends_done;    /* wr_ids */
    uint64_t recvs, recvs_done;
} Target;

typedef struct Fuzz {
    Input in;
    Sim *sim;
    SimNode *node;
    SimMr *mr;
    SimSrq *srq;
    uint64_t srq_posted, srq_done;
    uint8_t peer[2][16];           /* its GIDs; it is only this input */
    Target targets[QPS];
    uint8_t sent[ROCE_MAX_FRAME];  /* the last frame */
    size_t sent_len;
} Fuzz;

static uint8_t next(Fuzz *f)
{
    if (!f->in.left) {
        return 0;
    }
    f->in.left--;
    return *f->in.at++;
}

static uint32_t next32(Fuzz *f)
{
    uint32_t v = next(f);

    for (unsigned i = 0; i < 3; i++) {
        v = v << 8 | next(f);
    }
    return v;
}

/* Small numbers mostly, with any other one within reach */
static uint32_t number(Fuzz *f)
{
    uint8_t v = next(f);

    return v < 0xf0 ? v : v < 0xf8 ? v * 97u : next32(f);
}

/* What the engine sends to the peer goes nowhere. */
static bool on_sent(void *opaque, unsigned from, uint8_t *frame, size_t len)
{
    Fuzz *f = opaque;
    RocePacket pkt;

    g_assert_cmpint(roce_frame_parse(frame, len, &pkt), ==, ROCE_PARSE_OK);
    g_assert_true(roce_frame_icrc_ok(&pkt));
    memcpy(f->sent, frame, len);
    f->sent_len = len;
    return false;
}

/* The QPs: three of RC with the peer or with each other, UD, GSI */

static SimQpSpec spec_of(const Fuzz *f, unsigned i)
{
    SimQpSpec spec = i < 4 ? sim_rc : sim_ud;

    spec.max_send_wr = spec.max_recv_wr = 8;
    spec.max_sge = 3;
    if (i == 1) {
        spec.srq = f->srq;
    } else if (i == 5) {
        spec.type = ROCE_QPT_GSI;
    }
    return spec;
}

static void connect_rc(Fuzz *f, unsigned i)
{
    const SimLink link = { .mtu = MTU, .psn = 0xfffffc, .rd_atomic = 2,
                           .access = SIM_ALL_ACCESS, .min_rnr_timer = 1,
                           .timeout = 10, .retry_cnt = 1, .rnr_retry = 1,
                           .ipv6 = i == 1 };
    SimQp *qp = f->targets[i].qp;
    RoceQpAttr attr = { .dest_qpn = PEER_QPN };

    if (i >= 2) {
        sim_rc_connect(qp, f->targets[5 - i].qp, &link);
        return;
    }
    sim_rc_connect(qp, qp, &link);
    attr.av = sim_av(f->node, link.ipv6);
    memcpy(attr.av.dgid, f->peer[link.ipv6], 16);
    sim_qp_modify(qp, &attr, ROCE_QP_AV | ROCE_QP_DEST_QPN);
}

static void start(Fuzz *f, unsigned i)
{
    roce_gid_set(f->node->engine, 0, f->node->gid[0]);
    roce_gid_set(f->node->engine, 1, f->node->gid[1]);
    if (i < 4) {
        connect_rc(f, i);
    } else {
        sim_ud_start(f->targets[i].qp, QKEY);
    }
}

static void set_up(Fuzz *f)
{
    SimWire wire = { .delay = SIM_US };

    f->sim = sim_new(1, 1, &wire);
    f->sim->filter = on_sent;
    f->sim->filter_opaque = f;
    f->node = &f->sim->nodes[0];
    f->mr = sim_mr_new(f->node, SIM_PD, MEM, SIM_ALL_ACCESS);
    f->mr->may_invalidate = true;
    f->srq = sim_srq_new(f->node, SIM_PD, 8, 3);
    for (unsigned v = 0; v < 2; v++) {
        memcpy(f->peer[v], f->node->gid[v], 16);
        f->peer[v][15] = 9;
    }
    for (unsigned i = 0; i < QPS; i++) {
        SimQpSpec spec = spec_of(f, i);

        f->targets[i].qp = sim_qp_new(f->node, &spec);
    }
    for (unsigned i = 0; i < QPS; i++) {
        start(f, i);
    }
}

/* Completions */

static void check_receive(Fuzz *f, Target *t, const RoceWc *wc)
{
    if (wc->from_srq) {
        g_assert_cmpuint(wc->wr_id, <, f->srq_posted);
        f->srq_done++;
        g_assert_cmpuint(f->srq_done, <=, f->srq_posted);
    } else {
        g_assert_cmpuint(wc->wr_id, ==, t->recvs_done);
        t->recvs_done++;
        g_assert_cmpuint(t->recvs_done, <=, t->recvs);
    }
    g_assert_true(wc->status != ROCE_WC_SUCCESS || wc->byte_len <= 3 * MEM);
}

static void poll(Fuzz *f)
{
    for (unsigned i = 0; i < QPS; i++) {
        Target *t = &f->targets[i];
        RoceWc wc;

        while (sim_cq_take(&t->qp->send_cq, &wc)) {
            g_assert_cmpuint(wc.wr_id, ==, t->sends_done);
            t->sends_done++;
            g_assert_cmpuint(t->sends_done, <=, t->sends);
        }
        while (sim_cq_take(&t->qp->recv_cq, &wc)) {
            check_receive(f, t, &wc);
        }
    }
}

/* Commands */

static void put_address(Fuzz *f, uint64_t *ret_va, uint32_t *ret_key)
{
    uint8_t how = next(f);

    *ret_va = f->mr->va + (how & 0x7f) * 8 + (how >> 7);
    *ret_key = f->mr->key;
    if (how == 0xff) {
        *ret_va = (uint64_t)next32(f) << 32 | next32(f);
        *ret_key = next32(f);
    }
}

static Target *next_target(Fuzz *f)
{
    return &f->targets[next(f) % QPS];
}

static uint8_t next_opcode(Fuzz *f)
{
    uint8_t v = next(f);

    return v < 0x18 ? v : v < 0xe0 ? 0x64 + (v & 1) : v;
}

static uint32_t next_psn(Fuzz *f, const Target *t, bool response)
{
    RoceQpAttr attr;
    uint8_t how = next(f);

    roce_qp_query(t->qp->qp, &attr);
    if (how == 0xff) {
        return next32(f) & 0xffffff;
    }
    return (response ? attr.sq_psn - 1 - how % 16
                     : attr.rq_psn + how % 16 - (how & 16)) & 0xffffff;
}

static void fill_packet(Fuzz *f, RocePacket *pkt)
{
    uint8_t flags = next(f);

    pkt->solicited = flags & 1;
    pkt->ack_req = flags & 2;
    pkt->ipv4 = !(flags & 4);
    pkt->pkey = flags & 8 ? next(f) << 8 : ROCE_DEFAULT_PKEY;
    pkt->qkey = flags & 16 ? next32(f) : QKEY;
    memcpy(pkt->sgid, f->peer[!pkt->ipv4], 16);
    memcpy(pkt->dgid, f->node->gid[!pkt->ipv4], 16);
    if (flags & 32) {
        pkt->sgid[15] ^= next(f);
    }
    put_address(f, &pkt->va, &pkt->rkey);
    pkt->dma_len = number(f);
    pkt->syndrome = next(f);
    pkt->msn = next(f);
    pkt->inv_key = flags & 64 ? f->mr->key : next(f);
    pkt->swap_add = pkt->compare = pkt->orig = next(f);
    pkt->payload_len = flags & 128 ? MTU : number(f) % (MTU + 2);
}

static void inject_packet(Fuzz *f)
{
    const Target *t = next_target(f);
    RocePacket pkt = { .dest_qpn = t->qp->qpn, .opcode = next_opcode(f) };
    uint8_t frame[ROCE_MAX_FRAME];
    bool response = pkt.opcode >= ROCE_OP_READ_RESP_FIRST &&
                    pkt.opcode <= ROCE_OP_ATOMIC_ACK;

    pkt.psn = next_psn(f, t, response);
    fill_packet(f, &pkt);
    if (roce_op_headers(pkt.opcode) < 0) {
        return;                    /* raw frames have these */
    }
    if (!(roce_op_headers(pkt.opcode) & ROCE_HDR_PAYLOAD)) {
        pkt.payload_len = 0;
    }
    memset(roce_frame_open(frame, &pkt), 0x77, pkt.payload_len);
    sim_inject(f->node, frame, roce_frame_seal(frame, &pkt, true));
}

static void inject_raw(Fuzz *f)
{
    uint8_t frame[256];
    size_t len = next(f);

    for (size_t i = 0; i < len; i++) {
        frame[i] = next(f);
    }
    sim_inject(f->node, frame, len);
}

/* What the engine sent comes back, changed. */
static void inject_echo(Fuzz *f)
{
    g_autofree uint8_t *frame = g_memdup2(f->sent, f->sent_len);

    if (!f->sent_len) {
        return;
    }
    for (unsigned n = next(f) % 4; n; n--) {
        frame[next(f) % f->sent_len] ^= next(f);
    }
    sim_inject(f->node, frame, f->sent_len - next(f) % MIN(f->sent_len, 8));
}

static uint8_t put_sges(Fuzz *f, RoceSge *sge)
{
    uint8_t n = next(f) % 5;       /* four are too many */

    for (uint8_t i = 0; i < n; i++) {
        put_address(f, &sge[i].addr, &sge[i].key);
        sge[i].length = number(f);
    }
    return n;
}

static void post_send(Fuzz *f)
{
    Target *t = next_target(f);
    RoceSendWr wr = { .wr_id = t->sends, .opcode = next(f) % 13 };
    uint8_t flags = next(f);

    wr.fence = flags & 1;
    wr.solicited = flags & 2;
    wr.num_sge = put_sges(f, wr.sge);
    if (t->qp->qp && (t - f->targets) >= 4) {
        wr.u.ud.qpn = f->targets[flags % QPS].qp->qpn;
        wr.u.ud.qkey = flags & 4 ? next32(f) : QKEY;
        wr.u.ud.av = sim_av(f->node, flags & 8);
        wr.u.ud.av.dgid[15] += flags & 16;
        wr.u.ud.av.sgid_index += flags >> 5;
    } else if (wr.opcode == ROCE_WR_SEND_WITH_INV ||
               wr.opcode == ROCE_WR_LOCAL_INV) {
        wr.u.invalidate_key = flags & 4 ? f->mr->key : next(f);
    } else if (wr.opcode == ROCE_WR_FAST_REG_MR) {
        wr.u.fast_reg.iova = f->mr->va;
        wr.u.fast_reg.length = next(f) * 8;
        wr.u.fast_reg.access = flags >> 2;
        wr.u.fast_reg.key = f->mr->key;
    } else {
        put_address(f, &wr.u.rdma.remote_addr, &wr.u.rdma.rkey);
        wr.u.rdma.compare_add = next(f);
    }
    if (roce_post_send(t->qp->qp, &wr) == 0) {
        t->sends++;
    }
}

static void post_recv(Fuzz *f)
{
    Target *t = next_target(f);
    RoceRecvWr wr = { 0 };

    wr.num_sge = put_sges(f, wr.sge);
    if (t == &f->targets[1]) {
        wr.wr_id = f->srq_posted;
        f->srq_posted += roce_srq_post(f->srq->srq, &wr) == 0;
    } else {
        wr.wr_id = t->recvs;
        t->recvs += roce_post_recv(t->qp->qp, &wr) == 0;
    }
}

/* RESET forgets what is posted; an SRQ's receive may go with it. */
static void reset(Fuzz *f, Target *t)
{
    sim_qp_set_state(t->qp, ROCE_QPS_RESET);
    poll(f);
    t->sends_done = t->sends;
    t->recvs_done = t->recvs;
}

static void change_state(Fuzz *f)
{
    unsigned i = next(f) % QPS;
    Target *t = &f->targets[i];
    uint8_t how = next(f);
    RoceQpAttr attr = {
        .state = how % 7, .path_mtu = 128u << (how & 3), .timeout = how & 31,
        .max_rd_atomic = how & 31, .max_dest_rd_atomic = how >> 3,
        .min_rnr_timer = how >> 2, .rnr_retry = how & 7, .retry_cnt = how & 7,
        .access_flags = how & 15, .qkey = how, .dest_qpn = how,
        .rq_psn = how, .sq_psn = how, .av = sim_av(f->node, how & 1),
    };
    uint32_t mask = next(f) << 3 | next(f) << 11;

    if (how >= 0xe0) {
        reset(f, t);
        start(f, i);
    } else if (attr.state == ROCE_QPS_RESET) {
        reset(f, t);
    } else {
        /* PSNs are only set where nothing is on its way */
        if (sim_qp_state(t->qp) >= ROCE_QPS_RTS) {
            mask &= ~(ROCE_QP_SQ_PSN | ROCE_QP_PATH_MTU);
        }
        roce_qp_modify(t->qp->qp, &attr, mask | (how & 1));
    }
}

static void replace_qp(Fuzz *f)
{
    unsigned i = next(f) % QPS;
    SimQpSpec spec = spec_of(f, i);

    poll(f);
    sim_qp_free(f->targets[i].qp);
    f->targets[i] = (Target){ .qp = sim_qp_new(f->node, &spec) };
    start(f, i);
}

static void change_wire(Fuzz *f)
{
    uint8_t how = next(f);

    roce_gid_set(f->node->engine, how >> 7, how & 1 ? f->node->gid[how >> 7]
                                                    : NULL);
    f->sim->wire.room = how & 2 ? 1 : 0;
    f->node->on_wire = how & 4 ? 1 : 0; /* nothing leaves, so nothing returns */
    if (!f->node->on_wire) {
        roce_wire_ready(f->node->engine);
    }
    f->mr->valid |= how & 8;
}

static void step(Fuzz *f)
{
    for (unsigned n = next(f) % STEPS; n && sim_step(f->sim); n--) {
    }
}

/* Everything posted is answered in the end. */
static void flush(Fuzz *f)
{
    for (unsigned i = 0; i < QPS; i++) {
        sim_qp_set_state(f->targets[i].qp, ROCE_QPS_ERR);
    }
    poll(f);
    for (unsigned i = 0; i < QPS; i++) {
        const Target *t = &f->targets[i];

        g_assert_cmpuint(t->sends_done, ==, t->sends);
        g_assert_cmpuint(t->recvs_done, ==, t->recvs);
        g_assert_true(roce_qp_is_idle(t->qp->qp));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const commands[])(Fuzz *f) = {
        inject_packet, inject_packet, inject_packet, inject_raw, inject_echo,
        post_send, post_send, post_recv, post_recv, change_state, replace_qp,
        change_wire, step, step,
    };
    Fuzz f = { .in = { data, size } };

    set_up(&f);
    while (f.in.left) {
        commands[next(&f) % G_N_ELEMENTS(commands)](&f);
        poll(&f);
    }
    flush(&f);
    sim_free(f.sim);
    return 0;
}
