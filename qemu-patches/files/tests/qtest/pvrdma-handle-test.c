/*
 * QTest testcase for pvrdma: handles and keys of something else
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "pvrdma-pair.h"
#include "pvrdma-tests.h"
#include "pvrdma-watch.h"

/* The commands that take the handle of each kind, and nothing else */
static const struct {
    const char *kind;
    uint32_t cmds[2];
} takers[] = {
    { "uc", { PVRDMA_CMD_DESTROY_UC, PVRDMA_CMD_DESTROY_UC } },
    { "pd", { PVRDMA_CMD_DESTROY_PD, PVRDMA_CMD_DESTROY_PD } },
    { "mr", { PVRDMA_CMD_DESTROY_MR, PVRDMA_CMD_DESTROY_MR } },
    { "cq", { PVRDMA_CMD_DESTROY_CQ, PVRDMA_CMD_DESTROY_CQ } },
    { "qp", { PVRDMA_CMD_QUERY_QP, PVRDMA_CMD_DESTROY_QP } },
    { "srq", { PVRDMA_CMD_QUERY_SRQ, PVRDMA_CMD_DESTROY_SRQ } },
};

/* One more object of the kind; its handle */
static uint32_t make(PvrdmaGuest *g, unsigned kind)
{
    uint32_t pd = pvrdma_pd_new(g, 0), cq;

    switch (kind) {
    case 0:
        return pvrdma_uc_new(g, pvrdma_usage(g, "uc", "used") + 1);
    case 1:
        return pd;
    case 2:
        return pvrdma_mr_new(g, pd, 1).handle;
    case 3:
        return pvrdma_cq_new(g, 0, 16).handle;
    case 4:
        cq = pvrdma_cq_new(g, 0, 16).handle;
        return pvrdma_qp_new(g, pd, PVRDMA_QPT_UD, cq, cq).handle;
    default:
        return pvrdma_srq_new(g, pd, 4).handle;
    }
}

/* Alone of its kind with that number, it is taken for no other kind. */
static void check_kind(unsigned kind)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_ready();
    uint32_t handle = 0;

    while (handle < 8) {
        handle = make(g, kind);
    }
    g_test_message("%s %u", takers[kind].kind, handle);
    for (unsigned i = 0; i < ARRAY_SIZE(takers); i++) {
        uint64_t used = pvrdma_usage(g, takers[i].kind, "used");

        if (used >= handle) {
            continue; /* there is one of this kind, too */
        }
        for (int k = 0; k < 2; k++) {
            g_assert_cmpuint(
                pvrdma_cmd_handle(g, takers[i].cmds[k], handle), !=, 0);
        }
        g_assert_cmpuint(pvrdma_usage(g, takers[i].kind, "used"), ==, used);
    }
}

static void test_kinds(void)
{
    for (unsigned kind = 0; kind < ARRAY_SIZE(takers); kind++) {
        check_kind(kind);
    }
}

/* Destroyed, it is gone for each command, also when others came since. */
static void test_stale(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_ready();
    PvrdmaReq modify = { .modify_srq.attr_mask = PVRDMA_SRQ_ATTR_LIMIT };

    for (unsigned kind = 0; kind < ARRAY_SIZE(takers); kind++) {
        uint32_t destroy = takers[kind].cmds[1], old = make(g, kind);

        g_test_message("%s", takers[kind].kind);
        g_assert_cmpuint(pvrdma_cmd_handle(g, destroy, old), ==, 0);
        for (int i = 0; i < 3; i++) {
            g_assert_cmpuint(make(g, kind), !=, old);
            for (int k = 0; k < 2; k++) {
                g_assert_cmpuint(
                    pvrdma_cmd_handle(g, takers[kind].cmds[k], old), !=, 0);
            }
        }
        modify.modify_srq.srq_handle = old;
        g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_MODIFY_SRQ, &modify, NULL),
                         !=, 0);
    }
}

/* What a QP is made of has to be of one context, and of its own. */

typedef struct Context {
    uint32_t pd;
    uint32_t cq;
    uint32_t srq;
} Context;

static Context context(PvrdmaGuest *g, uint32_t uar)
{
    Context c;
    uint32_t uc = uar ? pvrdma_uc_new(g, uar) : 0;

    c.pd = pvrdma_pd_new(g, uc);
    c.cq = pvrdma_cq_new(g, uc, 16).handle;
    c.srq = pvrdma_srq_new(g, c.pd, 4).handle;
    return c;
}

static void test_contexts(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_ready();
    const Context c[] = { context(g, 0), context(g, 1), context(g, 2) };
    PvrdmaPages mem = pvrdma_pages(g, 3);
    const unsigned n = ARRAY_SIZE(c);

    for (unsigned i = 0; i < n * n * n * n; i++) {
        unsigned pd = i % n, scq = i / n % n, rcq = i / n / n % n,
                 srq = i / n / n / n;
        PvrdmaReq r = pvrdma_req_qp(c[pd].pd, PVRDMA_QPT_RC, c[scq].cq,
                                    c[rcq].cq, 16, 1, &mem);

        r.create_qp.is_srq = 1;
        r.create_qp.srq_handle = c[srq].srq;
        r.create_qp.max_recv_wr = r.create_qp.max_recv_sge = 0;
        g_test_message("%u %u %u %u", pd, scq, rcq, srq);
        g_assert_cmpint(!pvrdma_cmd(g, PVRDMA_CMD_CREATE_QP, &r, NULL), ==,
                        pd == scq && pd == rcq && pd == srq);
    }
}

/* Keys */

static void check_key(PvrdmaPair *t, uint32_t lkey, uint32_t rkey)
{
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_RDMA_WRITE);
    PvrdmaWireSge s = pair_sge(t, 0, 8);

    g_test_message("lkey 0x%x rkey 0x%x", lkey, rkey);
    pair_connect(t, PVRDMA_QPT_RC);
    s.lkey = lkey;
    wr.wr.rdma.remote_addr = t->va + PAIR_RECV;
    wr.wr.rdma.rkey = t->mr.rkey;
    pvrdma_post_send(t->g, &t->qp[0], &wr, &s);
    g_assert_cmpuint(pair_status(t, 0), ==, PVRDMA_WC_LOC_PROT_ERR);
    pair_connect(t, PVRDMA_QPT_RC);
    wr.wr.rdma.rkey = rkey;
    pair_send(t, 0, &wr, 0, 8);
    g_assert_cmpuint(pair_status(t, 0), ==, PVRDMA_WC_REM_ACCESS_ERR);
}

static PvrdmaTestMr mr_like(PvrdmaPair *t, uint32_t pd, uint32_t access)
{
    PvrdmaTestMr mr = t->mr;
    PvrdmaReq r = pvrdma_req_mr(pd, &t->mr.mem);
    PvrdmaResp resp;

    r.create_mr.access_flags = access;
    g_assert_cmpuint(pvrdma_cmd(t->g, PVRDMA_CMD_CREATE_MR, &r, &resp), ==, 0);
    mr.handle = resp.create_mr.mr_handle;
    mr.lkey = resp.create_mr.lkey;
    mr.rkey = resp.create_mr.rkey;
    return mr;
}

/* Of the same memory: destroyed, other generations, and another's PD */
static void test_keys(void)
{
    PvrdmaPair t = pair_new_user(PVRDMA_QPT_RC);
    PvrdmaTestMr mr = mr_like(&t, t.pd, PVRDMA_ACCESS_MASK);

    g_assert_cmpuint(pvrdma_cmd_handle(t.g, PVRDMA_CMD_DESTROY_MR, mr.handle),
                     ==, 0);
    check_key(&t, mr.lkey, mr.rkey);
    for (uint32_t bit = 1; bit < 256; bit <<= 1) {
        check_key(&t, t.mr.lkey ^ bit, t.mr.rkey ^ bit);
    }
    mr = mr_like(&t, pvrdma_pd_new(t.g, t.uc), PVRDMA_ACCESS_MASK);
    check_key(&t, mr.lkey, mr.rkey);
    mr = mr_like(&t, pvrdma_pd_new(t.g, pvrdma_uc_new(t.g, 2)),
                 PVRDMA_ACCESS_MASK);
    check_key(&t, mr.lkey, mr.rkey);
    mr = mr_like(&t, pvrdma_pd_new(t.g, 0), PVRDMA_ACCESS_MASK);
    check_key(&t, mr.lkey, mr.rkey);
    check_key(&t, 0, 0);
    check_key(&t, UINT32_MAX, UINT32_MAX);
    pair_free(&t);
}

/* Access that the MR does not give: local and remote, write, read, atomic */
static void check_access(PvrdmaPair *t, uint32_t access, uint32_t opcode,
                         bool local)
{
    PvrdmaTestMr mr = mr_like(t, t->pd, access);
    PvrdmaWireSendWr wr = pair_send_wr(opcode);
    PvrdmaWireSge s = pair_sge(t, 0, 8);

    g_test_message("access 0x%x opcode %u", access, opcode);
    pair_connect(t, PVRDMA_QPT_RC);
    wr.wr.rdma.remote_addr = t->va + PAIR_RECV;
    wr.wr.rdma.rkey = local ? t->mr.rkey : mr.rkey;
    if (opcode == PVRDMA_WR_ATOMIC_FETCH_AND_ADD) {
        wr.wr.atomic.rkey = wr.wr.rdma.rkey;
    }
    s.lkey = local ? mr.lkey : t->mr.lkey;
    pvrdma_post_send(t->g, &t->qp[0], &wr, &s);
    g_assert_cmpuint(pair_status(t, 0), ==, local ? PVRDMA_WC_LOC_PROT_ERR
                                                  : PVRDMA_WC_REM_ACCESS_ERR);
}

static void test_access(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    const uint32_t all = PVRDMA_ACCESS_MASK;

    check_access(&t, all & ~PVRDMA_ACCESS_REMOTE_WRITE, PVRDMA_WR_RDMA_WRITE,
                 false);
    check_access(&t, all & ~PVRDMA_ACCESS_REMOTE_READ, PVRDMA_WR_RDMA_READ,
                 false);
    check_access(&t, all & ~PVRDMA_ACCESS_REMOTE_ATOMIC,
                 PVRDMA_WR_ATOMIC_FETCH_AND_ADD, false);
    check_access(&t, all & ~PVRDMA_ACCESS_LOCAL_WRITE, PVRDMA_WR_RDMA_READ,
                 true);
    check_access(&t, 0, PVRDMA_WR_ATOMIC_FETCH_AND_ADD, true);
    pair_free(&t);
}

void pvrdma_add_handle_tests(void)
{
    qtest_add_func("/pvrdma/handle/kinds", test_kinds);
    qtest_add_func("/pvrdma/handle/stale", test_stale);
    qtest_add_func("/pvrdma/handle/contexts", test_contexts);
    qtest_add_func("/pvrdma/handle/keys", test_keys);
    qtest_add_func("/pvrdma/handle/access", test_access);
}
