/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The RoCE engine alone: messages between two QPs, (a) of one engine, (b) of
 * two engines that hand each other frames with ICRCs.  Beside each figure is
 * what memcpy() does with the same bytes in the same minute; all are medians.
 */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "roce.h"
#include "roce_frame.h"

#define ROUNDS 5u
#define SMALL 64u
#define LARGE (1u << 20)
#define MEM (2u * LARGE)
#define DEPTH 32u
#define BUDGET 64u
#define WIRE 16u                   /* frames on the way, within a CPU cache */

typedef struct End {
    RoceEngine *engine;
    RoceQp *qp;
    uint32_t qpn;
    uint8_t gid[16];
    uint8_t *mem;
    uint64_t sent, received;
} End;

typedef struct Frame {
    End *to;
    size_t len;
    uint8_t bytes[ROCE_MAX_FRAME];
} Frame;

typedef struct Bench {
    End ends[2];
    Frame *wire;                   /* a ring */
    unsigned head, tail;
    uint64_t now;
} Bench;

static Bench bench;

/* Memory: a key per end, and addresses from zero on */

static uint8_t *at(uint32_t key, uint64_t va, uint64_t len)
{
    return key < 2 && va <= MEM && len <= MEM - va ? bench.ends[key].mem + va
                                                   : NULL;
}

static bool mem_check(void *opaque, void *pd, uint32_t key, uint64_t va,
                      uint64_t len, uint32_t access)
{
    return at(key, va, len);
}

static bool mem_read(void *opaque, void *pd, uint32_t key, uint64_t va,
                     void *buf, uint32_t len, uint32_t access)
{
    const uint8_t *from = at(key, va, len);

    if (from) {
        memcpy(buf, from, len);
    }
    return from;
}

static bool mem_write(void *opaque, void *pd, uint32_t key, uint64_t va,
                      const void *buf, uint32_t len, uint32_t access)
{
    uint8_t *to = at(key, va, len);

    if (to) {
        memcpy(to, buf, len);
    }
    return to;
}

static bool transmit(void *opaque, const uint8_t *frame, size_t len)
{
    Frame *f = &bench.wire[bench.tail % WIRE];

    if (bench.tail - bench.head == WIRE) {
        return false;
    }
    f->to = opaque == &bench.ends[0] ? &bench.ends[1] : &bench.ends[0];
    f->len = len;
    memcpy(f->bytes, frame, len);
    bench.tail++;
    return true;
}

static void complete(void *opaque, void *cq, const RoceWc *wc)
{
    End *end = cq;

    if (wc->status != ROCE_WC_SUCCESS) {
        g_error("completion with status %u", wc->status);
    }
    if (wc->receive) {
        end->received++;
    } else {
        end->sent++;
    }
}

static void qp_event(void *opaque, void *cookie, uint32_t event)
{
    g_error("event %u", event);
}

static void wake(void *opaque)
{
}

static const RoceOps ops = {
    .mem_check = mem_check,
    .mem_read = mem_read,
    .mem_write = mem_write,
    .transmit = transmit,
    .complete = complete,
    .qp_event = qp_event,
    .wake = wake,
};

static void connect_qp(End *end, const End *peer, uint32_t mtu)
{
    RoceQpAttr attr = { .state = ROCE_QPS_RTS, .path_mtu = mtu,
                        .dest_qpn = peer->qpn, .timeout = 14, .retry_cnt = 7,
                        .rnr_retry = 7, .min_rnr_timer = 1,
                        .access_flags = ROCE_ACCESS_REMOTE_WRITE |
                                        ROCE_ACCESS_REMOTE_READ,
                        .max_rd_atomic = 16, .max_dest_rd_atomic = 16 };

    memcpy(attr.av.dgid, peer->gid, sizeof(attr.av.dgid));
    if (roce_qp_modify(end->qp, &attr, ~0u) != 0) {
        g_error("the QP cannot be connected");
    }
}

static void end_init(End *end, RoceEngine *engine, uint8_t number)
{
    const uint8_t gid[16] = { [10] = 0xff, 0xff, 10, 0, 0, number };
    RoceQpInit init = { .type = ROCE_QPT_RC, .max_send_wr = 2 * DEPTH,
                        .max_recv_wr = 4 * DEPTH, .max_send_sge = 1,
                        .max_recv_sge = 1, .send_cq = end, .recv_cq = end };

    end->engine = engine ? engine : roce_new(&ops, end, 16);
    memcpy(end->gid, gid, sizeof(gid));
    if (!engine) {
        roce_set_mtu(end->engine, 4096);
        roce_gid_set(end->engine, 0, gid);
    }
    end->qp = roce_qp_new(end->engine, &init, &end->qpn);
    end->mem = g_malloc0(MEM);
}

static void set_up(bool two_engines, uint32_t mtu)
{
    End *a = &bench.ends[0], *b = &bench.ends[1];

    memset(&bench, 0, sizeof(bench));
    bench.wire = g_new(Frame, WIRE);
    end_init(a, NULL, 1);
    end_init(b, two_engines ? NULL : a->engine, two_engines ? 2 : 1);
    connect_qp(a, b, mtu);
    connect_qp(b, a, mtu);
}

static void tear_down(void)
{
    for (unsigned i = 0; i < 2; i++) {
        roce_qp_free(bench.ends[i].qp);
        g_free(bench.ends[i].mem);
    }
    if (bench.ends[1].engine != bench.ends[0].engine) {
        roce_free(bench.ends[1].engine);
    }
    roce_free(bench.ends[0].engine);
    g_free(bench.wire);
}

static void turn(void)
{
    bench.now += 1000;
    roce_run(bench.ends[0].engine, bench.now, BUDGET);
    if (bench.ends[1].engine == bench.ends[0].engine) {
        return;
    }
    while (bench.head != bench.tail) {
        const Frame *f = &bench.wire[bench.head++ % WIRE];

        roce_input(f->to->engine, bench.now, f->bytes, f->len);
    }
    roce_wire_ready(bench.ends[0].engine);
    roce_wire_ready(bench.ends[1].engine);
    roce_run(bench.ends[1].engine, bench.now, BUDGET);
}

static void post(uint32_t opcode, uint32_t len)
{
    static RoceSendWr wr = { .num_sge = 1 };
    static RoceRecvWr recv = { .num_sge = 1 };
    End *a = &bench.ends[0], *b = &bench.ends[1];

    wr.opcode = opcode;
    wr.sge[0] = (RoceSge){ 0, len, 0 };
    wr.u.rdma.remote_addr = LARGE;
    wr.u.rdma.rkey = 1;
    recv.sge[0] = (RoceSge){ LARGE, len, 1 };
    if ((opcode == ROCE_WR_SEND && roce_post_recv(b->qp, &recv) != 0) ||
        roce_post_send(a->qp, &wr) != 0) {
        g_error("a queue is full");
    }
}

/* Nanoseconds of this process per message: others may run meanwhile. */
static double cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static double run_messages(uint32_t opcode, uint32_t len, uint64_t count)
{
    End *a = &bench.ends[0];
    uint64_t posted = 0;
    double start = cpu_ns();

    a->sent = 0;
    while (a->sent < count) {
        while (posted < count && posted - a->sent < DEPTH) {
            post(opcode, len);
            posted++;
        }
        turn();
    }
    return (cpu_ns() - start) / count;
}

/* Of the same memory, in the same order */
static double run_memcpy(uint32_t len, uint64_t count)
{
    double start = cpu_ns();

    for (uint64_t i = 0; i < count; i++) {
        memcpy(bench.ends[1].mem + LARGE, bench.ends[0].mem, len);
        __asm__ volatile("" ::: "memory");
    }
    return (cpu_ns() - start) / count;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof(*values), compare);
    return values[ROUNDS / 2];
}

static void measure(const char *name, uint32_t opcode, uint32_t len,
                    uint64_t count)
{
    double ours[ROUNDS], copy[ROUNDS], ns, copy_ns;

    run_messages(opcode, len, count / 10 + 1);
    for (unsigned i = 0; i < ROUNDS; i++) {
        ours[i] = run_messages(opcode, len, count);
        copy[i] = run_memcpy(len, count);
    }
    ns = median(ours);
    copy_ns = median(copy);
    printf("%-28s %10.0f ns  %6.2f GB/s  memcpy %8.1f ns  %6.2f GB/s  share %.3f\n",
           name, ns, len / ns, copy_ns, len / copy_ns, copy_ns / ns);
}

static void measure_all(bool two_engines)
{
    static const uint32_t mtus[] = { 1024, 4096 };

    printf("%s\n", two_engines ? "two engines, with ICRC"
                               : "two QPs of one engine");
    for (unsigned i = 0; i < G_N_ELEMENTS(mtus); i++) {
        printf(" MTU %u\n", mtus[i]);
        set_up(two_engines, mtus[i]);
        measure("  SEND, 64 B", ROCE_WR_SEND, SMALL, 200000);
        measure("  RDMA WRITE, 64 B", ROCE_WR_RDMA_WRITE, SMALL, 200000);
        measure("  RDMA READ, 64 B", ROCE_WR_RDMA_READ, SMALL, 200000);
        measure("  SEND, 1 MiB", ROCE_WR_SEND, LARGE, 200);
        measure("  RDMA WRITE, 1 MiB", ROCE_WR_RDMA_WRITE, LARGE, 200);
        measure("  RDMA READ, 1 MiB", ROCE_WR_RDMA_READ, LARGE, 200);
        tear_down();
    }
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    measure_all(false);
    measure_all(true);
    return 0;
}
