/*
 * QTest testcase for pvrdma: faults on demand, and what becomes of them
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "pvrdma-pair.h"
#include "pvrdma-tests.h"

static void arm(PvrdmaGuest *g, const char *property, const char *value)
{
    g_autofree char *error = pvrdma_set(g, property, value);

    g_assert_cmpstr(error, ==, NULL);
}

static void check_refused(PvrdmaGuest *g, const char *property,
                          const char *value, const char *part)
{
    g_autofree char *error = pvrdma_set(g, property, value);

    g_test_message("%s=%s: %s", property, value, error);
    g_assert_nonnull(error);
    g_assert_nonnull(strstr(error, part));
}

static void check_value(PvrdmaGuest *g, const char *property,
                        const char *value)
{
    g_autofree char *now = pvrdma_get(g, property);

    g_assert_cmpstr(now, ==, value);
}

static void check_bad_rules(PvrdmaGuest *g, const char *property,
                            const char *good)
{
    const char *const bad[][2] = {
        { "@0", "@0" }, { "@", "@" }, { "@-1", "@-1" }, { "@1x", "@1x" },
        { "@0%", "@0%" }, { "@101%", "@101%" }, { "@1%%", "@1%%" },
        { ":", "errno" }, { ":0", "errno" }, { ":4096", "errno" },
        { ":EFOO", "EFOO" }, { ":-5", "errno" }, { ";", "''" },
    };

    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
        g_autofree char *rule = g_strconcat(good, bad[i][0], NULL);

        check_refused(g, property, rule, bad[i][1]);
    }
    check_refused(g, property, "no_such", "no_such");
    check_refused(g, property, "any;any;any;any;any;any;any;any;any;any;any;"
                  "any;any;any;any;any;any", "16");
}

static void test_grammar(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_new();

    check_value(g, "x-fault-command", "");
    check_bad_rules(g, "x-fault-command", "CREATE_PD");
    check_bad_rules(g, "x-fault-backend", "pd_create");
    check_refused(g, "x-fault-command", "pd_create", "pd_create");
    check_refused(g, "x-fault-backend", "pd_destroy", "pd_destroy");
    check_refused(g, "x-fault-qp", "x", "'x'");
    check_refused(g, "x-fault-qp", "5", "no QP 5");
    check_refused(g, "x-fault-cq", "5", "no CQ 5");
    check_refused(g, "x-fault-port", "-1", "'-1'");
    check_refused(g, "x-fault-irq-delay", "", "''");
    check_refused(g, "x-fault-seed", "4294967296", "4294967296");
    /* what was refused changed nothing; numbers and names are the same */
    arm(g, "x-fault-command", "CREATE_PD@3:ENOMEM;any@7%:5;CREATE_MR");
    check_refused(g, "x-fault-command", "CREATE_PD;x", "'x'");
    check_value(g, "x-fault-command",
                "CREATE_PD@3:12;any@7%:5;CREATE_MR@1:5");
    arm(g, "x-fault-command", "");
    check_value(g, "x-fault-command", "");
}

/* Objects for each of the commands */
typedef struct Bench {
    PvrdmaGuest *g;
    uint32_t pd;
    uint32_t cq;
    uint32_t qp;
    PvrdmaPages mem;
} Bench;

static Bench bench_new(void)
{
    Bench b = { .g = pvrdma_guest_new() };
    uint32_t cq;

    pvrdma_guest_setup(b.g);
    b.pd = pvrdma_pd_new(b.g, 0);
    b.cq = cq = pvrdma_cq_new(b.g, 0, 64).handle;
    b.qp = pvrdma_qp_new(b.g, b.pd, PVRDMA_QPT_UD, cq, cq).handle;
    b.mem = pvrdma_pages(b.g, 16);
    return b;
}

static PvrdmaReq bench_req(Bench *b, uint32_t cmd)
{
    PvrdmaPages mr = b->mem;

    switch (cmd) {
    case PVRDMA_CMD_QUERY_PORT:
        return (PvrdmaReq) { .query_port.port_num = 1 };
    case PVRDMA_CMD_CREATE_CQ:
        return pvrdma_req_cq(0, 64, &b->mem);
    case PVRDMA_CMD_CREATE_MR:
        return pvrdma_req_mr(b->pd, &mr);
    case PVRDMA_CMD_CREATE_QP:
        return pvrdma_req_qp(b->pd, PVRDMA_QPT_RC, b->cq, b->cq, 16, 1,
                             &b->mem);
    case PVRDMA_CMD_CREATE_SRQ:
        return pvrdma_req_srq(b->pd, 16, 1, &b->mem);
    case PVRDMA_CMD_QUERY_QP:
        return (PvrdmaReq) { .handle.handle = b->qp };
    default:
        return (PvrdmaReq) { };
    }
}

static uint32_t bench_run(Bench *b, uint32_t cmd)
{
    PvrdmaReq req = bench_req(b, cmd);

    if (cmd == PVRDMA_CMD_MODIFY_QP) {
        return pvrdma_qp_to(b->g, b->qp, PVRDMA_QPS_RESET);
    }
    if (cmd == PVRDMA_CMD_CREATE_BIND) {
        req.create_bind.mtu = 1024;
        req.create_bind.gid_type = 2;
        pvrdma_own_gid(req.create_bind.new_gid);
    }
    return pvrdma_cmd(b->g, cmd, &req, NULL);
}

/* What the guest has; without the QPs' counters */
static QObject *objects(PvrdmaGuest *g)
{
    g_autoptr(QDict) stats = pvrdma_stats(g);

    return qobject_ref(qdict_get(stats, "objects"));
}

/* The command fails as it should, leaves nothing, and works the next time. */
static void check_fails(Bench *b, const char *property, const char *name,
                        uint32_t cmd, uint32_t err)
{
    g_autofree char *rule = g_strdup_printf("%s:%u", name, err);
    QObject *before = objects(b->g), *after;

    g_test_message("%s=%s", property, rule);
    arm(b->g, property, rule);
    g_assert_cmpuint(bench_run(b, cmd), ==, err);
    check_value(b->g, property, "");
    after = objects(b->g);
    g_assert_true(qobject_is_equal(before, after));
    qobject_unref(before);
    qobject_unref(after);
    g_assert_cmpuint(bench_run(b, cmd), ==, 0);
}

static const struct {
    uint32_t cmd;
    const char *name;
    const char *op;
    enum { BOTH, SOFT, IBDEV } on;
} commands[] = {
    { PVRDMA_CMD_QUERY_PORT, "QUERY_PORT", "query_port", BOTH },
    { PVRDMA_CMD_CREATE_PD, "CREATE_PD", "pd_create", BOTH },
    { PVRDMA_CMD_CREATE_MR, "CREATE_MR", "mr_create", IBDEV },
    { PVRDMA_CMD_CREATE_CQ, "CREATE_CQ", "cq_create", BOTH },
    { PVRDMA_CMD_CREATE_QP, "CREATE_QP", "qp_create", BOTH },
    { PVRDMA_CMD_MODIFY_QP, "MODIFY_QP", "qp_modify", BOTH },
    { PVRDMA_CMD_CREATE_SRQ, "CREATE_SRQ", "srq_create", SOFT },
    { PVRDMA_CMD_CREATE_BIND, "CREATE_BIND", "gid_bind", BOTH },
};

static void test_backend(void)
{
    Bench b = bench_new();

    for (unsigned i = 0; i < ARRAY_SIZE(commands); i++) {
        if (commands[i].on != (pvrdma_ibdev() ? SOFT : IBDEV)) {
            check_fails(&b, "x-fault-backend", commands[i].op,
                        commands[i].cmd, ENOMEM);
            check_fails(&b, "x-fault-backend", commands[i].op,
                        commands[i].cmd, EIO);
        }
    }
    pvrdma_guest_free(b.g);
}

static void test_command(void)
{
    Bench b = bench_new();

    for (unsigned i = 0; i < ARRAY_SIZE(commands); i++) {
        if (commands[i].on != SOFT || !pvrdma_ibdev()) {
            check_fails(&b, "x-fault-command", commands[i].name,
                        commands[i].cmd, EBUSY);
            check_fails(&b, "x-fault-command", "any", commands[i].cmd, 77);
        }
    }
    pvrdma_guest_free(b.g);
}

/* A reset while something is broken leaves nothing either. */
static void test_teardown(void)
{
    Bench b = bench_new();

    arm(b.g, "x-fault-backend", "any@100%:EIO");
    g_assert_cmpuint(bench_run(&b, PVRDMA_CMD_CREATE_PD), ==, EIO);
    g_assert_cmpuint(pvrdma_cmd_handle(b.g, PVRDMA_CMD_DESTROY_QP, b.qp), ==,
                     0);
    pvrdma_reg_write(b.g, PVRDMA_REG_CTL, PVRDMA_CTL_RESET);
    g_assert_cmpuint(pvrdma_usage(b.g, "pd", "used"), ==, 0);
    g_assert_cmpuint(pvrdma_usage(b.g, "cq", "used"), ==, 0);
    g_assert_cmpuint(pvrdma_usage(b.g, "queue-bytes", "used"), ==, 0);
    arm(b.g, "x-fault-backend", "");
    pvrdma_guest_setup(b.g);
    pvrdma_pd_new(b.g, 0);
    pvrdma_guest_free(b.g);
}

static void test_nth(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_new();
    PvrdmaReq req = { };

    pvrdma_guest_setup(g);
    arm(g, "x-fault-command", "CREATE_PD@3:ENOSPC");
    pvrdma_pd_new(g, 0);
    pvrdma_cq_new(g, 0, 64);
    pvrdma_pd_new(g, 0);
    check_value(g, "x-fault-command", "CREATE_PD@1:28");
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_PD, &req, NULL), ==,
                     ENOSPC);
    pvrdma_pd_new(g, 0);
}

/* Which of 64 commands fail, as bits */
static uint64_t failures(PvrdmaGuest *g, const char *seed)
{
    uint64_t bits = 0;

    arm(g, "x-fault-seed", seed);
    for (int i = 0; i < 64; i++) {
        PvrdmaReq req = { .query_port.port_num = 1 };

        bits |= (uint64_t)!!pvrdma_cmd(g, PVRDMA_CMD_QUERY_PORT, &req, NULL)
                << i;
    }
    return bits;
}

static void test_seed(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_new();
    uint64_t one, other;

    pvrdma_guest_setup(g);
    arm(g, "x-fault-command", "QUERY_PORT@30%");
    one = failures(g, "1");
    other = failures(g, "2");
    g_assert_cmphex(one, !=, 0);
    g_assert_cmphex(one, !=, UINT64_MAX);
    g_assert_cmphex(one, !=, other);
    g_assert_cmphex(failures(g, "1"), ==, one);
    check_value(g, "x-fault-seed", "1");
}

/* The WR that was not posted fails, the rest is flushed. */
static void test_post_send(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_RDMA_WRITE);

    wr.wr.rdma.remote_addr = t.va + PAIR_RECV;
    wr.wr.rdma.rkey = t.mr.rkey;
    arm(t.g, "x-fault-backend", "post_send@2");
    pair_send(&t, 0, &wr, 0, 64);
    g_assert_cmpuint(pair_status(&t, 0), ==, PVRDMA_WC_SUCCESS);
    pair_send(&t, 0, &wr, 0, 64);
    g_assert_cmpuint(pair_status(&t, 0), ==, PVRDMA_WC_LOC_QP_OP_ERR);
    pair_send(&t, 0, &wr, 0, 64);
    g_assert_cmpuint(pair_status(&t, 0), ==, PVRDMA_WC_WR_FLUSH_ERR);
    g_assert_cmpuint(pvrdma_qp_query(t.g, t.qp[0].handle).qp_state, ==,
                     PVRDMA_QPS_ERR);
    pair_free(&t);
}

static void test_post_recv(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);

    arm(t.g, "x-fault-backend", "post_recv@2:ENOMEM");
    pair_recv(&t, 1, PAIR_RECV, 64, 1);
    pair_recv(&t, 1, PAIR_RECV, 64, 2);
    g_assert_cmpuint(pair_status(&t, 1), ==, PVRDMA_WC_WR_FLUSH_ERR);
    g_assert_cmpuint(pair_status(&t, 1), ==, PVRDMA_WC_LOC_QP_OP_ERR);
    pair_free(&t);
}

/* A CQ that cannot be polled or armed is in error, and its QPs with it. */
static void check_cq_breaks(const char *rule)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);

    arm(t.g, "x-fault-backend", rule);
    pvrdma_uar_write(t.g, 0, PVRDMA_UAR_CQ, t.cq[0].handle |
                     PVRDMA_UAR_CQ_ARM | PVRDMA_UAR_CQ_POLL);
    pvrdma_event_expect(t.g, PVRDMA_EVENT_CQ_ERR, t.cq[0].handle);
    g_assert_cmpuint(pvrdma_qp_query(t.g, t.qp[0].handle).qp_state, ==,
                     PVRDMA_QPS_ERR);
    g_assert_cmpuint(pvrdma_qp_query(t.g, t.qp[1].handle).qp_state, ==,
                     PVRDMA_QPS_RTS);
    pair_free(&t);
}

static void test_cq_poll(void)
{
    check_cq_breaks("cq_poll");
}

static void test_cq_arm(void)
{
    check_cq_breaks("cq_arm");
}

static void test_srq_post(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_new();
    PvrdmaWireRecvWr wr = { .wr_id = 1 };
    PvrdmaTestSrq srq;

    pvrdma_guest_setup(g);
    srq = pvrdma_srq_new(g, pvrdma_pd_new(g, 0), 16);
    arm(g, "x-fault-backend", "srq_post:ENOMEM");
    pvrdma_post_srq(g, &srq, &wr, NULL);
    pvrdma_event_expect(g, PVRDMA_EVENT_SRQ_ERR, srq.handle);
}

/* No address handle: that send fails, and the QP can go on after it. */
static void test_ah_get(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_UD);
    PvrdmaWireSendWr wr = pair_ud_wr(&t, t.qp[1].qpn);

    arm(t.g, "x-fault-backend", "ah_get:ENOMEM");
    pair_send(&t, 0, &wr, 0, 64);
    g_assert_cmpuint(pair_status(&t, 0), ==, PVRDMA_WC_LOC_QP_OP_ERR);
    g_assert_cmpuint(pvrdma_qp_query(t.g, t.qp[0].handle).qp_state, ==,
                     PVRDMA_QPS_SQE);
    pair_free(&t);
}

static void test_qp(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    g_autofree char *handle = g_strdup_printf("%u", t.qp[1].handle);

    pair_recv(&t, 1, PAIR_RECV, 64, 1);
    arm(t.g, "x-fault-qp", handle);
    pvrdma_event_expect(t.g, PVRDMA_EVENT_QP_FATAL, t.qp[1].handle);
    g_assert_cmpuint(pair_status(&t, 1), ==, PVRDMA_WC_WR_FLUSH_ERR);
    arm(t.g, "x-fault-qp", "@2");
    for (int i = 0; i < 2; i++) {
        pvrdma_event_none(t.g);
        g_assert_cmpuint(pvrdma_qp_to(t.g, t.qp[0].handle, PVRDMA_QPS_SQD),
                         ==, 0);
        g_assert_cmpuint(pvrdma_qp_to(t.g, t.qp[0].handle, PVRDMA_QPS_RTS),
                         ==, 0);
    }
    pvrdma_event_expect(t.g, PVRDMA_EVENT_QP_FATAL, t.qp[0].handle);
    check_value(t.g, "x-fault-qp", "");
    pair_free(&t);
}

static void test_cq(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    g_autofree char *handle = g_strdup_printf("%u", t.cq[1].handle);

    arm(t.g, "x-fault-cq", handle);
    pvrdma_event_expect(t.g, PVRDMA_EVENT_CQ_ERR, t.cq[1].handle);
    g_assert_cmpuint(pvrdma_qp_query(t.g, t.qp[1].handle).qp_state, ==,
                     PVRDMA_QPS_ERR);
    pair_free(&t);
}

static uint32_t port_state(PvrdmaGuest *g)
{
    PvrdmaReq req = { .query_port.port_num = 1 };
    PvrdmaResp resp;

    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_QUERY_PORT, &req, &resp), ==, 0);
    return resp.query_port.attrs.state;
}

static void test_port(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_new();
    uint32_t before;

    pvrdma_guest_setup(g);
    before = port_state(g);
    arm(g, "x-fault-port", "100000");
    pvrdma_event_expect(g, PVRDMA_EVENT_PORT_ERR, 1);
    g_assert_cmpuint(port_state(g), ==, PVRDMA_PORT_DOWN);
    check_value(g, "x-fault-port", "down");
    arm(g, "x-fault-port", "1");
    pvrdma_event_expect(g, PVRDMA_EVENT_PORT_ACTIVE, 1);
    g_assert_cmpuint(port_state(g), ==, before);
    check_value(g, "x-fault-port", "");
    pvrdma_event_none(g);
}

/* The ring of events and what waits behind it fill up; the rest is lost. */
static void test_events_dropped(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_new();
    uint64_t events = 0;

    pvrdma_guest_setup(g);
    while (!pvrdma_counter(g, "events-dropped")) {
        arm(g, "x-fault-port", "100000");
        arm(g, "x-fault-port", "0");
        g_assert_cmpuint(events++, <, 10000);
    }
    g_assert_cmpuint(pvrdma_counter(g, "events"), ==, 512 + 256);
}

static void test_irq_delay(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    g_autofree char *handle = g_strdup_printf("%u", t.qp[1].handle);
    bool fired = false;

    while (pvrdma_irq(t.g, PVRDMA_VEC_ASYNC)) {
        /* of the set-up */
    }
    arm(t.g, "x-fault-irq-delay", "3000");
    arm(t.g, "x-fault-qp", handle);
    pvrdma_event_expect(t.g, PVRDMA_EVENT_QP_FATAL, t.qp[1].handle);
    g_assert_false(pvrdma_irq(t.g, PVRDMA_VEC_ASYNC));
    for (int i = 0; i < 300 && !fired; i++) {
        g_usleep(100000);
        fired = pvrdma_irq(t.g, PVRDMA_VEC_ASYNC);
    }
    g_assert_true(fired);
    pair_free(&t);
}

void pvrdma_add_fault_tests(void)
{
    qtest_add_func("/pvrdma/fault/grammar", test_grammar);
    qtest_add_func("/pvrdma/fault/backend", test_backend);
    qtest_add_func("/pvrdma/fault/command", test_command);
    qtest_add_func("/pvrdma/fault/teardown", test_teardown);
    qtest_add_func("/pvrdma/fault/nth", test_nth);
    qtest_add_func("/pvrdma/fault/seed", test_seed);
    qtest_add_func("/pvrdma/fault/post-send", test_post_send);
    qtest_add_func("/pvrdma/fault/post-recv", test_post_recv);
    qtest_add_func("/pvrdma/fault/cq-poll", test_cq_poll);
    qtest_add_func("/pvrdma/fault/cq-arm", test_cq_arm);
    qtest_add_func("/pvrdma/fault/qp", test_qp);
    qtest_add_func("/pvrdma/fault/cq", test_cq);
    qtest_add_func("/pvrdma/fault/port", test_port);
    qtest_add_func("/pvrdma/fault/events-dropped", test_events_dropped);
    qtest_add_func("/pvrdma/fault/irq-delay", test_irq_delay);
    if (pvrdma_ibdev()) {
        qtest_add_func("/pvrdma/fault/ah-get", test_ah_get);
    } else {
        qtest_add_func("/pvrdma/fault/srq-post", test_srq_post);
    }
}
