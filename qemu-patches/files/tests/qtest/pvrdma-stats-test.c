/*
 * QTest testcase for pvrdma: statistics
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qobject/qlist.h"
#include "pvrdma-pair.h"
#include "pvrdma-tests.h"

static uint64_t used(PvrdmaGuest *g, const char *kind)
{
    return pvrdma_usage(g, kind, "used");
}

/* Of the QP with @handle; the test fails without such a QP */
static QDict *qp_stats(PvrdmaGuest *g, uint32_t handle)
{
    g_autoptr(QDict) stats = pvrdma_stats(g);
    const QListEntry *e;

    QLIST_FOREACH_ENTRY(qdict_get_qlist(stats, "qps"), e) {
        QDict *qp = qobject_to(QDict, qlist_entry_obj(e));

        if (qdict_get_int(qp, "handle") == handle) {
            return qobject_ref(qp);
        }
    }
    g_assert_not_reached();
}

static uint64_t qp_int(PvrdmaGuest *g, uint32_t handle, const char *name)
{
    g_autoptr(QDict) qp = qp_stats(g, handle);

    return qdict_get_int(qp, name);
}

static void check_qp_str(PvrdmaGuest *g, uint32_t handle, const char *name,
                         const char *value)
{
    g_autoptr(QDict) qp = qp_stats(g, handle);

    g_assert_cmpstr(qdict_get_str(qp, name), ==, value);
}

static void test_device(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_new();
    g_autoptr(QDict) stats = pvrdma_stats(g);

    g_assert_cmpstr(qdict_get_str(stats, "backend"), ==,
                    pvrdma_ibdev() ? "verbs" : "soft");
    g_assert_cmpstr(qdict_get_try_str(stats, "host-device"), ==,
                    pvrdma_ibdev());
    g_assert_cmpint(qdict_get_int(stats, "port"), ==, 1);
    g_assert_true(qlist_empty(qdict_get_qlist(stats, "qps")));
    g_assert_cmpint(qdict_haskey(qdict_get_qdict(stats, "objects"),
                                 "pinned-bytes"), ==, !!pvrdma_ibdev());
}

static void check_objects(PvrdmaGuest *g, uint64_t qps, uint64_t cqs,
                          uint64_t others)
{
    g_assert_cmpuint(used(g, "qp"), ==, qps);
    g_assert_cmpuint(used(g, "cq"), ==, cqs);
    g_assert_cmpuint(used(g, "uc"), ==, others);
    g_assert_cmpuint(used(g, "pd"), ==, others);
    g_assert_cmpuint(used(g, "mr"), ==, others);
    g_assert_cmpuint(used(g, "gid"), ==, others);
    g_assert_cmpuint(used(g, "extents"), ==, others);
}

/* One run needs no mapping of its own; whole pages */
static void check_memory(PvrdmaGuest *g, uint64_t mrs)
{
    if (pvrdma_ibdev()) {
        g_assert_cmpuint(used(g, "mappings"), ==, 0);
        g_assert_cmpuint(used(g, "pinned-bytes"), ==,
                         mrs * PAIR_MR_PAGES * PVRDMA_PAGE);
    }
}

static void test_objects(void)
{
    PvrdmaPair t = pair_new_user(PVRDMA_QPT_RC);

    check_objects(t.g, 2, 2, 1);
    check_memory(t.g, 1);
    g_assert_cmpuint(used(t.g, "srq"), ==, 0);
    g_assert_cmpuint(pvrdma_usage(t.g, "gid", "limit"), ==,
                     pvrdma_guest_caps(t.g).gid_tbl_len);
    g_assert_cmpuint(pvrdma_cmd_handle(t.g, PVRDMA_CMD_DESTROY_QP,
                                       t.qp[0].handle), ==, 0);
    check_objects(t.g, 1, 2, 1);
    pvrdma_reg_write(t.g, PVRDMA_REG_CTL, PVRDMA_CTL_RESET);
    check_objects(t.g, 0, 0, 0);
    check_memory(t.g, 0);
    pair_free(&t);
}

static void test_qp(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaTestQp ud = pvrdma_qp_new(t.g, t.pd, PVRDMA_QPT_UD, t.cq[0].handle,
                                    t.cq[0].handle);
    PvrdmaTestQp gsi = pvrdma_qp_new(t.g, t.pd, PVRDMA_QPT_GSI,
                                     t.cq[0].handle, t.cq[0].handle);

    check_qp_str(t.g, t.qp[0].handle, "type", "RC");
    check_qp_str(t.g, t.qp[0].handle, "state", "RTS");
    g_assert_cmpuint(qp_int(t.g, t.qp[0].handle, "qpn"), ==, t.qp[0].qpn);
    check_qp_str(t.g, ud.handle, "type", "UD");
    check_qp_str(t.g, ud.handle, "state", "RESET");
    pvrdma_qp_init(t.g, ud.handle, PVRDMA_QPT_UD);
    check_qp_str(t.g, ud.handle, "state", "INIT");
    check_qp_str(t.g, gsi.handle, "type", "GSI");
    g_assert_cmpuint(pvrdma_qp_to(t.g, t.qp[0].handle, PVRDMA_QPS_ERR), ==,
                     0);
    check_qp_str(t.g, t.qp[0].handle, "state", "ERR");
    pair_free(&t);
}

static void check_traffic(PvrdmaPair *t, int qp, uint64_t sends,
                          uint64_t receives, uint64_t outstanding)
{
    uint32_t handle = t->qp[qp].handle;

    g_assert_cmpuint(qp_int(t->g, handle, "sends"), ==, sends);
    g_assert_cmpuint(qp_int(t->g, handle, "receives"), ==, receives);
    g_assert_cmpuint(qp_int(t->g, handle, "outstanding-sends"), ==, 0);
    g_assert_cmpuint(qp_int(t->g, handle, "outstanding-receives"), ==,
                     outstanding);
}

static void test_traffic(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_SEND);
    uint64_t interrupts = pvrdma_counter(t.g, "interrupts");

    pair_recv(&t, 1, PAIR_RECV, 64, 1);
    pair_recv(&t, 1, PAIR_RECV, 64, 2);
    check_traffic(&t, 1, 0, 2, 2);
    pvrdma_uar_write(t.g, 0, PVRDMA_UAR_CQ,
                     t.cq[1].handle | PVRDMA_UAR_CQ_ARM);
    pair_send(&t, 0, &wr, 0, 64);
    pvrdma_cqe_wait(t.g, &t.cq[0]);
    pvrdma_cqe_wait(t.g, &t.cq[1]);
    check_traffic(&t, 0, 1, 0, 0);
    check_traffic(&t, 1, 0, 2, 1);
    g_assert_cmpuint(qp_int(t.g, t.qp[0].handle, "completions"), ==, 1);
    g_assert_cmpuint(qp_int(t.g, t.qp[0].handle, "errors"), ==, 0);
    g_assert_cmpuint(pvrdma_counter(t.g, "send-wqes"), ==, 1);
    g_assert_cmpuint(pvrdma_counter(t.g, "recv-wqes"), ==, 2);
    g_assert_cmpuint(pvrdma_counter(t.g, "completions"), ==, 2);
    g_assert_cmpuint(pvrdma_counter(t.g, "completion-errors"), ==, 0);
    g_assert_cmpuint(pvrdma_counter(t.g, "interrupts"), >, interrupts);
    pair_free(&t);
}

/* A send with a key that does not exist; what it leaves of the receives */
static void test_errors(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_SEND);
    PvrdmaWireSge sge = pair_sge(&t, 0, 64);

    sge.lkey ^= 1;
    pair_recv(&t, 0, PAIR_RECV, 64, 1);
    pvrdma_post_send(t.g, &t.qp[0], &wr, &sge);
    g_assert_cmpuint(pvrdma_cqe_wait(t.g, &t.cq[0]).status, !=, 0);
    g_assert_cmpuint(pvrdma_cqe_wait(t.g, &t.cq[0]).status, !=, 0);
    g_assert_cmpuint(pvrdma_counter(t.g, "completion-errors"), ==, 2);
    g_assert_cmpuint(qp_int(t.g, t.qp[0].handle, "errors"), ==, 2);
    g_assert_cmpuint(qp_int(t.g, t.qp[1].handle, "errors"), ==, 0);
    pair_free(&t);
}

static void test_commands(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_new();
    PvrdmaReq req = { .handle.handle = 1 };

    g_assert_cmpuint(pvrdma_counter(g, "commands"), ==, 0);
    pvrdma_guest_setup(g);
    pvrdma_pd_new(g, 0);
    g_assert_cmpuint(pvrdma_counter(g, "commands"), ==, 1);
    g_assert_cmpuint(pvrdma_counter(g, "command-errors"), ==, 0);
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_PD, &req, NULL), !=, 0);
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_COUNT, &req, NULL), !=, 0);
    g_assert_cmpuint(pvrdma_qp_to(g, 1, PVRDMA_QPS_ERR), !=, 0);
    g_assert_cmpuint(pvrdma_counter(g, "commands"), ==, 4);
    g_assert_cmpuint(pvrdma_counter(g, "command-errors"), ==, 3);
    /* a reset is the guest's, the counters are the host's */
    pvrdma_reg_write(g, PVRDMA_REG_CTL, PVRDMA_CTL_RESET);
    g_assert_cmpuint(pvrdma_counter(g, "commands"), ==, 4);
}

static void test_doorbells(void)
{
    PvrdmaPair t = pair_new_user(PVRDMA_QPT_RC);
    uint64_t before = pvrdma_counter(t.g, "doorbells");
    uint32_t ring = t.qp[0].handle | PVRDMA_UAR_QP_SEND;

    pvrdma_uar_write(t.g, 1, PVRDMA_UAR_QP, ring);
    g_assert_cmpuint(pvrdma_counter(t.g, "doorbells-ignored"), ==, 0);
    /* from the kernel's page, from nobody's, of no QP, at no doorbell */
    pvrdma_uar_write(t.g, 0, PVRDMA_UAR_QP, ring);
    pvrdma_uar_write(t.g, 2, PVRDMA_UAR_QP, ring);
    pvrdma_uar_write(t.g, 1, PVRDMA_UAR_QP, ring + 100);
    pvrdma_uar_write(t.g, 1, 64, ring);
    g_assert_cmpuint(pvrdma_counter(t.g, "doorbells-ignored"), ==, 4);
    g_assert_cmpuint(pvrdma_counter(t.g, "doorbells"), ==, before + 5);
    pair_free(&t);
}

static void test_events(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    uint64_t before = pvrdma_counter(t.g, "events");

    qtest_writel(t.g->qts, t.qp[0].mem.addr + PVRDMA_RING1_TAIL, UINT32_MAX);
    pvrdma_uar_write(t.g, 0, PVRDMA_UAR_QP,
                     t.qp[0].handle | PVRDMA_UAR_QP_SEND);
    g_assert_cmpuint(pvrdma_event_wait(t.g).type, ==, PVRDMA_EVENT_QP_FATAL);
    g_assert_cmpuint(pvrdma_counter(t.g, "events"), ==, before + 1);
    g_assert_cmpuint(pvrdma_counter(t.g, "events-dropped"), ==, 0);
    pair_free(&t);
}

void pvrdma_add_stats_tests(void)
{
    qtest_add_func("/pvrdma/stats/device", test_device);
    qtest_add_func("/pvrdma/stats/objects", test_objects);
    qtest_add_func("/pvrdma/stats/qp", test_qp);
    qtest_add_func("/pvrdma/stats/traffic", test_traffic);
    qtest_add_func("/pvrdma/stats/errors", test_errors);
    qtest_add_func("/pvrdma/stats/commands", test_commands);
    qtest_add_func("/pvrdma/stats/doorbells", test_doorbells);
    qtest_add_func("/pvrdma/stats/events", test_events);
}
