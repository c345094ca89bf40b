/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "soak.h"

#define QKEY 0x22222222u
#define GRH 40u
#define MOST 2048u
#define SLOTS 16u                  /* sends and receives of a node */

/* At the start of each datagram; the rest follows from it. */
typedef struct Label {
    uint32_t from;
    uint32_t to;
    uint32_t seq;
    uint32_t len;
} Label;

typedef struct Port {
    SimQp *qp;
    SimMr *send_mr, *recv_mr;
    uint64_t posted, sent;
    bool busy[SLOTS];
} Port;

struct Datagrams {
    Sim *sim;
    Port *ports;
    uint64_t received;
};

Datagrams *datagrams_new(Sim *sim)
{
    Datagrams *d = g_new0(Datagrams, 1);

    d->sim = sim;
    d->ports = g_new0(Port, sim->num_nodes);
    for (unsigned i = 0; i < sim->num_nodes; i++) {
        SimNode *node = &sim->nodes[i];
        Port *port = &d->ports[i];

        port->qp = sim_qp_new(node, &sim_ud);
        port->send_mr = sim_mr_new(node, SIM_PD, SLOTS * MOST, 0);
        port->recv_mr = sim_mr_new(node, SIM_PD, SLOTS * (GRH + MOST),
                                   ROCE_ACCESS_LOCAL_WRITE);
        sim_ud_start(port->qp, QKEY);
    }
    return d;
}

void datagrams_free(Datagrams *d)
{
    g_free(d->ports);
    g_free(d);
}

uint64_t datagrams_sent(const Datagrams *d)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < d->sim->num_nodes; i++) {
        sum += d->ports[i].sent;
    }
    return sum;
}

uint64_t datagrams_received(const Datagrams *d)
{
    return d->received;
}

static void post_one(Datagrams *d, unsigned from)
{
    Port *port = &d->ports[from];
    uint64_t at = port->posted % SLOTS * MOST;
    Label label = {
        .from = from,
        .to = sim_random(d->sim, d->sim->num_nodes),
        .seq = port->posted,
        .len = sizeof(label) + sim_random(d->sim, MOST + 1 - sizeof(label)),
    };
    RoceSendWr wr = { .wr_id = port->posted, .opcode = ROCE_WR_SEND_WITH_IMM,
                      .imm = label.seq, .num_sge = 1 };

    sim_fill(port->send_mr->host + at, label.len, label.seq);
    memcpy(port->send_mr->host + at, &label, sizeof(label));
    wr.u.ud.qpn = d->ports[label.to].qp->qpn;
    wr.u.ud.qkey = QKEY;
    wr.u.ud.av = sim_av(&d->sim->nodes[label.to], label.seq & 1);
    wr.sge[0] = sim_sge(port->send_mr, at, label.len);
    port->posted++;
    sim_post_send(port->qp, &wr);
}

void datagrams_post(Datagrams *d, uint64_t total)
{
    for (unsigned i = 0; i < d->sim->num_nodes; i++) {
        Port *port = &d->ports[i];

        for (unsigned slot = 0; slot < SLOTS; slot++) {
            if (!port->busy[slot]) {
                port->busy[slot] = true;
                sim_post_recv(port->qp, slot, port->recv_mr,
                              slot * (GRH + MOST), GRH + MOST);
            }
        }
        while (port->posted < total && port->posted - port->sent < SLOTS) {
            post_one(d, i);
        }
    }
}

static void check_received(Datagrams *d, unsigned to, const RoceWc *wc)
{
    const uint8_t *at = d->ports[to].recv_mr->host + wc->wr_id * (GRH + MOST);
    g_autofree uint8_t *want = NULL;
    Label label;

    g_assert_cmpuint(wc->status, ==, ROCE_WC_SUCCESS);
    memcpy(&label, at + GRH, sizeof(label));
    g_assert_cmpuint(label.to, ==, to);
    g_assert_cmpuint(label.len + GRH, ==, wc->byte_len);
    g_assert_cmpuint(label.from, <, d->sim->num_nodes);
    g_assert_cmphex(wc->src_qp, ==, d->ports[label.from].qp->qpn);
    g_assert_cmpuint(wc->imm, ==, label.seq);
    g_assert_cmpint(wc->ipv4, ==, !(label.seq & 1));
    want = g_malloc(label.len);
    sim_fill(want, label.len, label.seq);
    memcpy(want, &label, sizeof(label));
    g_assert_cmpmem(at + GRH, label.len, want, label.len);
    d->received++;
}

void datagrams_poll(Datagrams *d)
{
    for (unsigned i = 0; i < d->sim->num_nodes; i++) {
        Port *port = &d->ports[i];
        RoceWc wc;

        while (sim_cq_take(&port->qp->recv_cq, &wc)) {
            check_received(d, i, &wc);
            port->busy[wc.wr_id] = false;
        }
        while (sim_cq_take(&port->qp->send_cq, &wc)) {
            g_assert_cmpuint(wc.status, ==, ROCE_WC_SUCCESS);
            g_assert_cmpuint(wc.wr_id, ==, port->sent);
            port->sent++;
        }
    }
}
