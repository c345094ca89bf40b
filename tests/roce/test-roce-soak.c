/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Much random traffic over bad networks, every byte of it checked.
 * ROCE_SOAK=1000000 in the environment sends that many messages in all,
 * ROCE_SEED=N another sequence of them.
 */
#include "soak.h"

#define MESSAGES 60000u            /* for the seconds that a test may take */
#define NODES 3u
#define PAIRS 6u
#define STREAMS (2 * PAIRS)
#define US SIM_US

typedef struct Scenario {
    const char *path;
    SimWire wire;
} Scenario;

static const Scenario scenarios[] = {
    { "/roce/soak/good", { .delay = 5 * US } },
    { "/roce/soak/far", { .delay = 500 * US } },
    { "/roce/soak/full", { .delay = 5 * US, .room = 4 } },
    { "/roce/soak/loss-1", { .delay = 5 * US, .loss = 10 } },
    { "/roce/soak/loss-10", { .delay = 5 * US, .loss = 100 } },
    { "/roce/soak/loss-30", { .delay = 5 * US, .loss = 300 } },
    { "/roce/soak/reorder",
      { .delay = 5 * US, .late = 200, .lateness = 1000 * US } },
    { "/roce/soak/duplicate",
      { .delay = 5 * US, .duplicate = 300, .lateness = 1000 * US } },
    { "/roce/soak/corrupt", { .delay = 5 * US, .corrupt = 100 } },
    { "/roce/soak/all",
      { .delay = 50 * US, .loss = 50, .duplicate = 50, .corrupt = 50,
        .late = 100, .lateness = 1000 * US, .room = 16 } },
};

typedef struct Soak {
    Sim *sim;
    SimSrq *srq;                   /* of node 2 */
    Buffers *shared;               /* for it */
    GPtrArray *buffers;            /* of all receive queues */
    Stream *streams[STREAMS];
    Datagrams *datagrams;
} Soak;

static void drop_buffers(void *data)
{
    buffers_free(data);
}

static SimQp *new_qp(Soak *soak, unsigned node, Buffers **ret_buffers)
{
    SimQpSpec spec = sim_rc;
    SimQp *qp;

    spec.srq = node == 2 ? soak->srq : NULL;
    qp = sim_qp_new(&soak->sim->nodes[node], &spec);
    if (!spec.srq || !soak->shared) {
        *ret_buffers = buffers_new(qp, spec.srq);
        g_ptr_array_add(soak->buffers, *ret_buffers);
    }
    if (spec.srq && !soak->shared) {
        soak->shared = *ret_buffers;
    } else if (spec.srq) {
        *ret_buffers = soak->shared;
    }
    return qp;
}

/* All MTUs, IPv4 and IPv6, between all nodes, and one pair on one node */
static void new_pair(Soak *soak, unsigned i)
{
    SimLink link = sim_link;
    unsigned node_a = i % NODES, node_b = i == 5 ? node_a : (i + 1) % NODES;
    Buffers *buffers_a, *buffers_b;
    SimQp *a = new_qp(soak, node_a, &buffers_a);
    SimQp *b = new_qp(soak, node_b, &buffers_b);

    link.mtu = 256u << i % 5;
    link.ipv6 = i & 1;
    link.psn = 0xffff00 + i;       /* wraps soon */
    sim_rc_pair(a, b, &link);
    soak->streams[2 * i] = stream_new(a, b, 2 * i, buffers_b);
    soak->streams[2 * i + 1] = stream_new(b, a, 2 * i + 1, buffers_a);
}

static uint64_t from_env(const char *name, uint64_t otherwise)
{
    const char *text = g_getenv(name);

    return text ? g_ascii_strtoull(text, NULL, 10) : otherwise;
}

static Soak *soak_new(const SimWire *wire)
{
    Soak *soak = g_new0(Soak, 1);

    soak->sim = sim_new(NODES, from_env("ROCE_SEED", 1), wire);
    soak->srq = sim_srq_new(&soak->sim->nodes[2], SIM_PD, 16, 1);
    soak->buffers = g_ptr_array_new_with_free_func(drop_buffers);
    soak->datagrams = datagrams_new(soak->sim);
    for (unsigned i = 0; i < PAIRS; i++) {
        new_pair(soak, i);
    }
    return soak;
}

static void soak_free(Soak *soak)
{
    for (unsigned i = 0; i < STREAMS; i++) {
        stream_free(soak->streams[i]);
    }
    datagrams_free(soak->datagrams);
    g_ptr_array_unref(soak->buffers);
    sim_free(soak->sim);
    g_free(soak);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Soak, soak_free)

static uint64_t soak_done(const Soak *soak)
{
    uint64_t sum = datagrams_sent(soak->datagrams);

    for (unsigned i = 0; i < STREAMS; i++) {
        sum += stream_done(soak->streams[i]);
    }
    return sum;
}

/* Something happens, then what it led to is checked and more is posted. */
static void soak_turn(Soak *soak, uint64_t each)
{
    unsigned steps = sim_random(soak->sim, 200);

    for (unsigned i = 0; i < steps && sim_step(soak->sim); i++) {
    }
    datagrams_poll(soak->datagrams);
    for (unsigned i = 0; i < STREAMS; i++) {
        stream_poll(soak->streams[i]);
        stream_post(soak->streams[i], each);
    }
    for (unsigned i = 0; i < soak->buffers->len; i++) {
        buffers_post(g_ptr_array_index(soak->buffers, i));
    }
    datagrams_post(soak->datagrams, each);
}

static void report(const Soak *soak, uint64_t total)
{
    uint64_t bytes = 0, again = 0;

    for (unsigned i = 0; i < STREAMS; i++) {
        bytes += stream_counts(soak->streams[i])->bytes;
    }
    for (unsigned i = 0; i < NODES; i++) {
        again += roce_stats(soak->sim->nodes[i].engine)->retransmits +
                 roce_stats(soak->sim->nodes[i].engine)->timeouts;
    }
    g_test_message("%" G_GUINT64_FORMAT " messages, %" G_GUINT64_FORMAT
                   " MB, %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                   " datagrams arrived, sent again %" G_GUINT64_FORMAT
                   " times, in %.3f s", total, bytes / 1000000,
                   datagrams_received(soak->datagrams),
                   datagrams_sent(soak->datagrams), again,
                   (double)(soak->sim->now - SIM_SEC) / SIM_SEC);
}

static void test_soak(const void *data)
{
    const Scenario *scenario = data;
    uint64_t each = from_env("ROCE_SOAK", MESSAGES) /
                    G_N_ELEMENTS(scenarios) / (STREAMS + NODES);
    uint64_t total = each * (STREAMS + NODES);
    g_autoptr(Soak) soak = soak_new(&scenario->wire);

    while (soak_done(soak) < total) {
        soak_turn(soak, each);
        g_assert_cmpuint(soak->sim->now, <, total * SIM_SEC);
    }
    sim_settle(soak->sim);
    for (unsigned i = 0; i < STREAMS; i++) {
        stream_poll(soak->streams[i]);
        stream_expect_quiet(soak->streams[i]);
    }
    datagrams_poll(soak->datagrams);
    if (!scenario->wire.loss && !scenario->wire.corrupt &&
        !scenario->wire.duplicate) {
        g_assert_cmpuint(datagrams_received(soak->datagrams), <=,
                         datagrams_sent(soak->datagrams));
    }
    g_assert_cmpuint(datagrams_received(soak->datagrams), >,
                     datagrams_sent(soak->datagrams) / 4);
    report(soak, total);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS(scenarios); i++) {
        g_test_add_data_func(scenarios[i].path, &scenarios[i], test_soak);
    }
    return g_test_run();
}
