/*
 * QTest testcase for pvrdma: many lives of one device leave nothing behind
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qobject/qdict.h"
#include "pvrdma-pair.h"
#include "pvrdma-tests.h"

#define BINDS 1000
#define RESETS 200
#define WARM_UP 100            /* lives until the process has what it keeps */
/* KiB of heap, which is not packed tightly; QEMU itself grows with resets */
#define BINDS_GROWTH 128
#define RESETS_GROWTH 768
#define BURST 12               /* WRs, of more packets than one turn sends */
#define BURST_LENGTH 0x8000

/* What QEMU has of the host */
typedef struct Holdings {
    unsigned fds;
    unsigned mappings;
    int64_t heap;              /* KiB */
} Holdings;

static char *proc_read(PvrdmaGuest *g, const char *name)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/%s", qtest_pid(g->qts),
                                            name);
    char *text;

    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    return text;
}

static unsigned count_fds(PvrdmaGuest *g)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/fd", qtest_pid(g->qts));
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    unsigned n = 0;

    g_assert_nonnull(dir);
    while (g_dir_read_name(dir)) {
        n++;
    }
    return n;
}

static unsigned count_lines(const char *text)
{
    unsigned n = 0;

    for (; *text; text++) {
        n += *text == '\n';
    }
    return n;
}

/* ASan keeps what is freed, and finds what is not by itself. */
static Holdings take_stock(PvrdmaGuest *g)
{
    g_autofree char *maps = proc_read(g, "maps");
    g_autofree char *status = proc_read(g, "status");
    const char *anon = strstr(status, "\nRssAnon:");
    bool asan = strstr(maps, "libasan");

    g_assert_nonnull(anon);
    return (Holdings) {
        .fds = count_fds(g),
        .mappings = asan ? 0 : count_lines(maps),
        .heap = asan ? 0 : strtoll(anon + strlen("\nRssAnon:"), NULL, 10),
    };
}

/* Threads that come and go have mappings, too. */
static void check_stock(PvrdmaGuest *g, const Holdings *first,
                        int64_t max_growth)
{
    Holdings now = take_stock(g);

    for (int i = 0; i < 100 && now.mappings > first->mappings; i++) {
        g_usleep(100 * 1000);
        now = take_stock(g);
    }
    g_test_message("fds %u -> %u, mappings %u -> %u, heap %" PRId64 " -> %"
                   PRId64 " KiB", first->fds, now.fds, first->mappings,
                   now.mappings, first->heap, now.heap);
    g_assert_cmpuint(now.fds, ==, first->fds);
    g_assert_cmpuint(now.mappings, <=, first->mappings);
    g_assert_cmpint(now.heap, <=, first->heap + max_growth);
}

/* By the device's own account, too */
static void check_no_objects(PvrdmaGuest *g)
{
    g_autoptr(QDict) stats = pvrdma_stats(g);
    const QDict *objects = qdict_get_qdict(stats, "objects");

    for (const QDictEntry *e = qdict_first(objects); e;
         e = qdict_next(objects, e)) {
        const QDict *kind = qobject_to(QDict, qdict_entry_value(e));

        if (qdict_get_int(kind, "used")) {
            g_test_message("%s: not 0", qdict_entry_key(e));
            g_test_fail();
        }
    }
}

/* More than the device is done with when the doorbell returns */
static void burst(PvrdmaPair *t)
{
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_RDMA_WRITE);

    wr.wr.rdma.remote_addr = t->va + PAIR_RECV;
    wr.wr.rdma.rkey = t->mr.rkey;
    for (int i = 0; i < BURST; i++) {
        wr.opcode = i % 2 ? PVRDMA_WR_RDMA_READ : PVRDMA_WR_RDMA_WRITE;
        pair_recv(t, !(i % 2), PAIR_RECV, 64, i);
        pair_send(t, i % 2, &wr, 0, BURST_LENGTH);
    }
}

static void traffic(PvrdmaPair *t)
{
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_SEND);
    PvrdmaWireCqe cqe;

    pair_recv(t, 1, PAIR_RECV, 4096, 1);
    pair_send(t, 0, &wr, 0, 3000);
    cqe = pvrdma_cqe_wait(t->g, &t->cq[0]);
    check_cqe(&cqe, &t->qp[0], PAIR_WR_ID, PVRDMA_WC_OP_SEND);
    cqe = pvrdma_cqe_wait(t->g, &t->cq[1]);
    check_cqe(&cqe, &t->qp[1], 1, PVRDMA_WC_OP_RECV);
}

static void destroy(PvrdmaGuest *g, uint32_t cmd, uint32_t handle)
{
    g_assert_cmpuint(pvrdma_cmd_handle(g, cmd, handle), ==, 0);
}

/* As a driver that is unbound does it, once its consumers are gone */
static void unbind(PvrdmaPair *t)
{
    PvrdmaReq req = { };

    pvrdma_own_gid(req.destroy_bind.dest_gid);
    for (int i = 0; i < 2; i++) {
        destroy(t->g, PVRDMA_CMD_DESTROY_QP, t->qp[i].handle);
        destroy(t->g, PVRDMA_CMD_DESTROY_CQ, t->cq[i].handle);
    }
    destroy(t->g, PVRDMA_CMD_DESTROY_MR, t->mr.handle);
    destroy(t->g, PVRDMA_CMD_DESTROY_PD, t->pd);
    destroy(t->g, PVRDMA_CMD_DESTROY_UC, t->uc);
    g_assert_cmpuint(pvrdma_cmd(t->g, PVRDMA_CMD_DESTROY_BIND, &req, NULL),
                     ==, 0);
    check_no_objects(t->g);
    pvrdma_reg_write(t->g, PVRDMA_REG_CTL, PVRDMA_CTL_RESET);
}

/* Each other one goes with all its objects, in the middle of traffic. */
static void bind_once(PvrdmaGuest *g, int i)
{
    PvrdmaPair t = pair_on(g, PVRDMA_QPT_RC, 1);

    traffic(&t);
    if (i % 2) {
        burst(&t);
        pvrdma_reg_write(g, PVRDMA_REG_CTL, PVRDMA_CTL_RESET);
        check_no_objects(g);
    } else {
        unbind(&t);
    }
}

static void reset_once(PvrdmaGuest *g, int i)
{
    PvrdmaPair t = pair_on(g, PVRDMA_QPT_RC, 1);

    traffic(&t);
    burst(&t);
    qtest_system_reset(g->qts);
    check_no_objects(g);
    pvrdma_guest_enable(g);
}

/* Soft-RoCE is tested in an emulated machine, where all of them take an hour. */
static int how_many(int n)
{
    return pvrdma_ibdev() ? n / 20 : n;
}

static void soak(void (*once)(PvrdmaGuest *g, int i), int n,
                 int64_t max_growth)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_new();
    const int warm_up = how_many(WARM_UP), all = warm_up + how_many(n);
    Holdings first = { };

    for (int i = 0; i < all; i++) {
        if (i == warm_up) {
            first = take_stock(g);
        }
        once(g, i);
        pvrdma_guest_forget(g);
    }
    check_stock(g, &first, max_growth);
}

static void test_binds(void)
{
    soak(bind_once, BINDS, BINDS_GROWTH);
}

static void test_resets(void)
{
    soak(reset_once, RESETS, RESETS_GROWTH);
}

void pvrdma_add_soak_tests(void)
{
    qtest_add_func("/pvrdma/soak/binds", test_binds);
    qtest_add_func("/pvrdma/soak/resets", test_resets);
}
