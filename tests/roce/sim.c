/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time and wires of the simulated network; memory and QPs are in sim-verbs.c. */
#include <string.h>

#include "roce_frame.h"
#include "sim-int.h"

#define HOUR (3600 * SIM_SEC)

typedef struct SimFrame {
    uint64_t due;
    uint64_t seq;                  /* what came first leaves first */
    SimNode *from;
    size_t len;
    uint8_t *bytes;
} SimFrame;

const SimWire sim_good_wire = { .delay = 5 * SIM_US };

/* Marsaglia's xorshift64, with a multiplication on top */
uint32_t sim_random(Sim *sim, uint32_t below)
{
    sim->random ^= sim->random >> 12;
    sim->random ^= sim->random << 25;
    sim->random ^= sim->random >> 27;
    return (sim->random * 0x2545f4914f6cdd1du >> 32) * below >> 32;
}

bool sim_chance(Sim *sim, unsigned of_1000)
{
    return of_1000 && sim_random(sim, 1000) < of_1000;
}

/* A heap of frames, the earliest on top */

static SimFrame *frame_at(Sim *sim, unsigned pos)
{
    return g_ptr_array_index(sim->heap, pos);
}

static bool before(const SimFrame *a, const SimFrame *b)
{
    return a->due < b->due || (a->due == b->due && a->seq < b->seq);
}

static void heap_put(Sim *sim, SimFrame *frame)
{
    unsigned pos = sim->heap->len;

    g_ptr_array_add(sim->heap, frame);
    while (pos && before(frame, frame_at(sim, (pos - 1) / 2))) {
        sim->heap->pdata[pos] = frame_at(sim, (pos - 1) / 2);
        pos = (pos - 1) / 2;
    }
    sim->heap->pdata[pos] = frame;
}

static SimFrame *heap_take(Sim *sim)
{
    SimFrame *top = frame_at(sim, 0);
    SimFrame *last = g_ptr_array_steal_index_fast(sim->heap,
                                                  sim->heap->len - 1);
    unsigned pos = 0, child;

    if (last == top) {
        return top;
    }
    while ((child = 2 * pos + 1) < sim->heap->len) {
        if (child + 1 < sim->heap->len &&
            before(frame_at(sim, child + 1), frame_at(sim, child))) {
            child++;
        }
        if (!before(frame_at(sim, child), last)) {
            break;
        }
        sim->heap->pdata[pos] = frame_at(sim, child);
        pos = child;
    }
    sim->heap->pdata[pos] = last;
    return top;
}

/* The wire */

static void put_on_wire(SimNode *from, const uint8_t *bytes, size_t len,
                        bool late)
{
    Sim *sim = from->sim;
    SimFrame *frame = g_new(SimFrame, 1);

    *frame = (SimFrame){
        .due = sim->now + sim->wire.delay,
        .seq = sim->sent++,
        .from = from,
        .len = len,
        .bytes = g_memdup2(bytes, len),
    };
    if (late && sim->wire.lateness) {
        frame->due += sim_random(sim, sim->wire.lateness);
    }
    if (sim_chance(sim, sim->wire.corrupt)) {
        frame->bytes[sim_random(sim, len)] ^= 1 << sim_random(sim, 8);
    }
    from->on_wire++;
    heap_put(sim, frame);
}

static bool sim_transmit(void *opaque, const uint8_t *bytes, size_t len)
{
    SimNode *node = opaque;
    Sim *sim = node->sim;
    g_autofree uint8_t *copy = NULL;

    g_assert_cmpuint(len, <=, ROCE_MAX_FRAME);
    if (sim->wire.room && node->on_wire >= sim->wire.room) {
        node->blocked = true;
        node->refused++;
        return false;
    }
    sim->hash = roce_crc32(sim->hash, &sim->now, sizeof(sim->now));
    sim->hash = roce_crc32(sim->hash, bytes, len);
    copy = g_memdup2(bytes, len);
    if ((sim->filter &&
         !sim->filter(sim->filter_opaque, node->index, copy, len)) ||
        sim_chance(sim, sim->wire.loss)) {
        return true;
    }
    put_on_wire(node, copy, len, sim_chance(sim, sim->wire.late));
    if (sim_chance(sim, sim->wire.duplicate)) {
        put_on_wire(node, copy, len, true);
    }
    return true;
}

static void sim_wake(void *opaque)
{
    ((SimNode *)opaque)->runnable = true;
}

static SimNode *node_of_mac(Sim *sim, const uint8_t *mac)
{
    for (unsigned i = 0; i < sim->num_nodes; i++) {
        if (!memcmp(sim->nodes[i].mac, mac, 6)) {
            return &sim->nodes[i];
        }
    }
    return NULL;
}

static void frame_free(SimFrame *frame)
{
    g_free(frame->bytes);
    g_free(frame);
}

static void deliver(Sim *sim)
{
    SimFrame *frame = heap_take(sim);
    SimNode *to = node_of_mac(sim, frame->bytes), *from = frame->from;

    from->on_wire--;
    if (to) {
        roce_input(to->engine, sim->now, frame->bytes, frame->len);
    }
    if (from->blocked) {
        from->blocked = false;
        roce_wire_ready(from->engine);
    }
    frame_free(frame);
}

bool sim_inject(SimNode *node, const uint8_t *frame, size_t len)
{
    g_autofree uint8_t *exact = g_memdup2(frame, len);

    return roce_input(node->engine, node->sim->now, exact, len);
}

/* Time */

static bool run_engines(Sim *sim)
{
    bool any = false;

    for (unsigned i = 0; i < sim->num_nodes; i++) {
        SimNode *node = &sim->nodes[i];

        if (node->runnable) {
            node->runnable = false;
            if (roce_run(node->engine, sim->now, 1 + sim_random(sim, 64))) {
                node->runnable = true;
            }
            any = true;
        }
    }
    return any;
}

static SimNode *next_to_expire(Sim *sim, uint64_t *ret_when)
{
    SimNode *ret = NULL;

    *ret_when = UINT64_MAX;
    for (unsigned i = 0; i < sim->num_nodes; i++) {
        uint64_t when = roce_deadline(sim->nodes[i].engine);

        if (when < *ret_when) {
            *ret_when = when;
            ret = &sim->nodes[i];
        }
    }
    return ret;
}

/* UINT64_MAX if nothing is to come, now if something is to be run. */
static uint64_t next_time(Sim *sim)
{
    uint64_t when;

    for (unsigned i = 0; i < sim->num_nodes; i++) {
        if (sim->nodes[i].runnable) {
            return sim->now;
        }
    }
    next_to_expire(sim, &when);
    if (sim->heap->len && frame_at(sim, 0)->due < when) {
        when = frame_at(sim, 0)->due;
    }
    return when;
}

bool sim_step(Sim *sim)
{
    uint64_t when;
    SimNode *node;

    if (run_engines(sim)) {
        return true;
    }
    node = next_to_expire(sim, &when);
    if (sim->heap->len && frame_at(sim, 0)->due <= when) {
        sim->now = MAX(sim->now, frame_at(sim, 0)->due);
        deliver(sim);
    } else if (node) {
        sim->now = MAX(sim->now, when);
        roce_expire(node->engine, sim->now);
    } else {
        return false;
    }
    return true;
}

void sim_settle(Sim *sim)
{
    uint64_t end = sim->now + HOUR;

    while (sim_step(sim)) {
        g_assert_cmpuint(sim->now, <, end);
    }
}

void sim_run_for(Sim *sim, uint64_t ns)
{
    uint64_t end = sim->now + ns;

    while (next_time(sim) <= end) {
        sim_step(sim);
    }
    sim->now = end;
}

/* Life */

static const RoceOps sim_ops = {
    .mem_check = sim_mem_check,
    .mem_read = sim_mem_read,
    .mem_write = sim_mem_write,
    .mem_atomic = sim_mem_atomic,
    .fast_reg = sim_fast_reg,
    .invalidate = sim_invalidate,
    .transmit = sim_transmit,
    .complete = sim_complete,
    .qp_event = sim_qp_event,
    .srq_taken = sim_srq_taken,
    .wake = sim_wake,
};

static void node_init(SimNode *node, Sim *sim, unsigned index)
{
    const uint8_t n = index + 1;
    const uint8_t mac[6] = { 2, [5] = n };
    const uint8_t ipv4[16] = { [10] = 0xff, 0xff, 10, 0, 0, n };
    const uint8_t ipv6[16] = { 0x20, 0x01, 0x0d, 0xb8, [15] = n };

    node->sim = sim;
    node->index = index;
    node->engine = roce_new(&sim_ops, node, 64);
    g_assert_nonnull(node->engine);
    memcpy(node->mac, mac, sizeof(mac));
    memcpy(node->gid[0], ipv4, sizeof(ipv4));
    memcpy(node->gid[1], ipv6, sizeof(ipv6));
    roce_set_mac(node->engine, mac);
    roce_set_mtu(node->engine, 4096);
    roce_gid_set(node->engine, 0, ipv4);
    roce_gid_set(node->engine, 1, ipv6);
    sim_verbs_init(node);
}

Sim *sim_new(unsigned nodes, uint64_t seed, const SimWire *wire)
{
    Sim *sim = g_new0(Sim, 1);

    sim->now = SIM_SEC;
    sim->random = seed * 0x9e3779b97f4a7c15u + 1;
    sim->wire = *wire;
    sim->heap = g_ptr_array_new();
    sim->num_nodes = nodes;
    sim->nodes = g_new0(SimNode, nodes);
    for (unsigned i = 0; i < nodes; i++) {
        node_init(&sim->nodes[i], sim, i);
    }
    return sim;
}

void sim_free(Sim *sim)
{
    for (unsigned i = 0; i < sim->num_nodes; i++) {
        sim_verbs_clear(&sim->nodes[i]);
        roce_free(sim->nodes[i].engine);
    }
    for (unsigned i = 0; i < sim->heap->len; i++) {
        frame_free(frame_at(sim, i));
    }
    g_ptr_array_unref(sim->heap);
    g_free(sim->nodes);
    g_free(sim);
}
