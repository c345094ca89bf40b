/*
 * QTest testcase for pvrdma: each command with good, boundary and bad
 * arguments
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "pvrdma-guest.h"
#include "pvrdma-tests.h"

#define BAD_HANDLE 0x00fffff0u

/* With and without the handle's upper bits, which belong to nobody */
static void check_bad_handles(PvrdmaGuest *g, uint32_t cmd, uint32_t good)
{
    const uint32_t bad[] = {
        0, good + 1, good | 1u << 24, good | 1u << 31, BAD_HANDLE, UINT32_MAX,
    };

    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
        g_assert_cmpuint(pvrdma_cmd_handle(g, cmd, bad[i]), !=, 0);
    }
}

/* Destroys an object, once. */
static void check_destroy(PvrdmaGuest *g, uint32_t cmd, uint32_t handle)
{
    check_bad_handles(g, cmd, handle);
    g_assert_cmpuint(pvrdma_cmd_handle(g, cmd, handle), ==, 0);
    g_assert_cmpuint(pvrdma_cmd_handle(g, cmd, handle), !=, 0);
}

static void test_unknown(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_ready();
    const uint32_t cmds[] = {
        PVRDMA_CMD_RESIZE_CQ, PVRDMA_CMD_COUNT, PVRDMA_CMD_COUNT + 1, 255,
        0x80000000, UINT32_MAX,
    };

    for (unsigned i = 0; i < ARRAY_SIZE(cmds); i++) {
        PvrdmaReq req = { };

        g_assert_cmpuint(pvrdma_cmd(g, cmds[i], &req, NULL), !=, 0);
    }
    pvrdma_pd_new(g, 0);
}

static void test_query_port(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_ready();
    PvrdmaReq req = { .query_port.port_num = 1 };
    PvrdmaResp resp;
    PvrdmaWirePort *port = &resp.query_port.attrs;

    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_QUERY_PORT, &req, &resp), ==, 0);
    g_assert_cmpuint(port->state, >=, PVRDMA_PORT_DOWN);
    g_assert_cmpuint(port->state, <=, 5);
    g_assert_cmpuint(port->max_mtu, >=, 1);
    g_assert_cmpuint(port->max_mtu, <=, 5);
    g_assert_cmpuint(port->active_mtu, >=, 1);
    g_assert_cmpuint(port->active_mtu, <=, port->max_mtu);
    g_assert_cmpuint(port->gid_tbl_len, <=, pvrdma_guest_caps(g).gid_tbl_len);
    g_assert_cmpuint(port->gid_tbl_len, >, 0);
    g_assert_cmpuint(port->pkey_tbl_len, ==, 1);
    g_assert_cmpuint(port->max_msg_sz, >=, 4096);
    g_assert_cmpuint(port->active_speed, !=, 0);
    g_assert_cmpuint(port->active_width, !=, 0);
    for (int bad = 0; bad < 256; bad += bad ? 127 : 2) {
        req.query_port.port_num = bad;
        g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_QUERY_PORT, &req, NULL), !=,
                         0);
    }
}

static void test_query_pkey(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_ready();
    PvrdmaReq req = { .query_pkey.port_num = 1 };
    PvrdmaResp resp;

    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_QUERY_PKEY, &req, &resp), ==, 0);
    g_assert_cmphex(resp.query_pkey.pkey, ==, 0xffff);
    req.query_pkey.index = pvrdma_guest_caps(g).max_pkeys;
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_QUERY_PKEY, &req, NULL), !=, 0);
    req.query_pkey.index = 0;
    req.query_pkey.port_num = 0;
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_QUERY_PKEY, &req, NULL), !=, 0);
}

static void test_uc(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_ready();
    uint32_t max_uar = pvrdma_guest_caps(g).max_uar;
    const uint64_t bad[] = {
        0, g->uar.addr / PVRDMA_PAGE, g->uar.addr / PVRDMA_PAGE - 1,
        g->uar.addr / PVRDMA_PAGE + max_uar, UINT32_MAX, UINT64_MAX,
    };
    uint32_t uc = pvrdma_uc_new(g, max_uar - 1);
    PvrdmaReq req = pvrdma_req_uc(g, max_uar - 1);

    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_UC, &req, NULL), !=, 0);
    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
        req.create_uc.pfn = bad[i];
        g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_UC, &req, NULL), !=,
                         0);
    }
    check_destroy(g, PVRDMA_CMD_DESTROY_UC, uc);
    uc = pvrdma_uc_new(g, max_uar - 1);
    check_destroy(g, PVRDMA_CMD_DESTROY_UC, uc);
}

/* All pages in use, then all again: no handle and no page is lost. */
static void test_uc_exhaust(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_ready();
    uint32_t max_uar = pvrdma_guest_caps(g).max_uar;
    g_autofree uint32_t *uc = g_new0(uint32_t, max_uar);

    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 1; i < max_uar; i++) {
            uc[i] = pvrdma_uc_new(g, i);
        }
        for (uint32_t i = 1; i < max_uar; i++) {
            g_assert_cmpuint(
                pvrdma_cmd_handle(g, PVRDMA_CMD_DESTROY_UC, uc[i]), ==, 0);
        }
    }
}

/* A process died: whatever it had goes with its context. */
static void test_uc_reaps(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_ready();
    uint32_t uc = pvrdma_uc_new(g, 1), other = pvrdma_uc_new(g, 2);
    uint32_t pd = pvrdma_pd_new(g, uc), other_pd = pvrdma_pd_new(g, other);
    PvrdmaTestCq cq = pvrdma_cq_new(g, uc, 64);
    PvrdmaTestMr mr = pvrdma_mr_new(g, pd, 1);
    PvrdmaTestQp qp = pvrdma_qp_new(g, pd, PVRDMA_QPT_RC, cq.handle,
                                    cq.handle);

    g_assert_cmpuint(pvrdma_cmd_handle(g, PVRDMA_CMD_DESTROY_UC, uc), ==, 0);
    g_assert_cmpuint(pvrdma_cmd_handle(g, PVRDMA_CMD_DESTROY_QP, qp.handle),
                     !=, 0);
    g_assert_cmpuint(pvrdma_cmd_handle(g, PVRDMA_CMD_DESTROY_MR, mr.handle),
                     !=, 0);
    g_assert_cmpuint(pvrdma_cmd_handle(g, PVRDMA_CMD_DESTROY_CQ, cq.handle),
                     !=, 0);
    g_assert_cmpuint(pvrdma_cmd_handle(g, PVRDMA_CMD_DESTROY_PD, pd), !=, 0);
    g_assert_cmpuint(pvrdma_cmd_handle(g, PVRDMA_CMD_DESTROY_PD, other_pd),
                     ==, 0);
    g_assert_cmpuint(pvrdma_cmd_handle(g, PVRDMA_CMD_DESTROY_UC, other), ==,
                     0);
}

static void test_pd(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_ready();
    PvrdmaReq req = { .handle.handle = 1 };

    /* of a context that does not exist */
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_PD, &req, NULL), !=, 0);
    req.handle.handle = UINT32_MAX;
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_PD, &req, NULL), !=, 0);
    check_destroy(g, PVRDMA_CMD_DESTROY_PD, pvrdma_pd_new(g, 0));
    check_destroy(g, PVRDMA_CMD_DESTROY_PD,
                  pvrdma_pd_new(g, pvrdma_uc_new(g, 1)));
}

/* To the brim; what does not fit is refused, and a reset clears it all. */
static void test_pd_exhaust(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_ready();
    uint32_t max = pvrdma_guest_caps(g).max_pd;
    uint32_t n = 0;

    pvrdma_pd_new(g, 0);
    /* the request stays where it is, and is run again and again */
    while (n <= max) {
        pvrdma_reg_write(g, PVRDMA_REG_REQUEST, 0);
        if (pvrdma_reg_read(g, PVRDMA_REG_ERR)) {
            break;
        }
        n++;
    }
    g_assert_cmpuint(n, >, max / 2);
    g_assert_cmpuint(n, <, max);
    g_assert_cmpuint(pvrdma_cmd_handle(g, PVRDMA_CMD_DESTROY_PD, 1), ==, 0);
    pvrdma_pd_new(g, 0);
    pvrdma_guest_setup(g);
    pvrdma_pd_new(g, 0);
}

#define BAD_MR(field, value) \
    g_assert_cmpuint(PVRDMA_SPOIL(g, PVRDMA_CMD_CREATE_MR, &good, \
                                  create_mr.field, value), !=, 0)

static void test_mr_bad(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_ready();
    uint32_t pd = pvrdma_pd_new(g, 0);
    PvrdmaPages mem = pvrdma_pages(g, 3);
    PvrdmaReq good = pvrdma_req_mr(pd, &mem);

    BAD_MR(pd_handle, 0);
    BAD_MR(pd_handle, pd + 1);
    BAD_MR(length, 0);
    BAD_MR(length, good.create_mr.length + 1);
    BAD_MR(length, 2 * PVRDMA_PAGE);
    BAD_MR(length, UINT64_MAX);
    BAD_MR(length, pvrdma_guest_caps(g).max_mr_size + 1);
    BAD_MR(start, good.create_mr.start + 1);
    BAD_MR(start, UINT64_MAX - PVRDMA_PAGE + 1);
    BAD_MR(nchunks, 0);
    BAD_MR(nchunks, 2);
    BAD_MR(nchunks, 4);
    BAD_MR(nchunks, 262144);
    BAD_MR(nchunks, UINT32_MAX);
    BAD_MR(pdir_dma, 0);
    BAD_MR(pdir_dma, mem.pdir + 8);
    BAD_MR(pdir_dma, 0xfee00000);
    BAD_MR(pdir_dma, g->uar.addr);
    BAD_MR(flags, 3);
    BAD_MR(flags, 4);
    BAD_MR(flags, UINT32_MAX);
}

/* Directories that lie about what they hold */
static void test_mr_bad_pages(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_ready();
    uint32_t pd = pvrdma_pd_new(g, 0);
    PvrdmaPages mem = pvrdma_pages(g, 3);
    PvrdmaReq req = pvrdma_req_mr(pd, &mem);
    uint64_t table = qtest_readq(g->qts, mem.pdir);
    const uint64_t bad[] = {
        0, mem.addr + 1, mem.addr + 2048, g->regs.addr, 0xfee00000,
        1ull << 40, UINT64_MAX, UINT64_MAX & ~0xfffull,
    };

    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
        qtest_writeq(g->qts, table + 8, bad[i]);
        g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_MR, &req, NULL), !=,
                         0);
    }
    qtest_writeq(g->qts, table + 8, mem.addr + PVRDMA_PAGE);
    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
        /* a table may be any page of RAM */
        if (bad[i] % PVRDMA_PAGE || bad[i] != mem.addr) {
            qtest_writeq(g->qts, mem.pdir, bad[i]);
            g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_MR, &req, NULL),
                             !=, 0);
        }
    }
    qtest_writeq(g->qts, mem.pdir, table);
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_MR, &req, NULL), ==, 0);
}

static void test_mr(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_ready();
    uint32_t pd = pvrdma_pd_new(g, 0);
    PvrdmaTestMr mr = pvrdma_mr_new(g, pd, 600);
    PvrdmaPages mem = pvrdma_pages(g, 2);
    PvrdmaReq req = pvrdma_req_mr(pd, &mem);
    PvrdmaResp resp;

    g_assert_cmpuint(pvrdma_cmd_handle(g, PVRDMA_CMD_DESTROY_PD, pd), !=, 0);
    check_destroy(g, PVRDMA_CMD_DESTROY_MR, mr.handle);
    /* 4096 bytes that begin within a page; one byte; flags to be ignored */
    req.create_mr.start += 4095;
    req.create_mr.length = PVRDMA_PAGE;
    req.create_mr.access_flags |= 1 << 20;
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_MR, &req, &resp), ==, 0);
    check_destroy(g, PVRDMA_CMD_DESTROY_MR, resp.create_mr.mr_handle);
    req.create_mr.length = req.create_mr.nchunks = 1;
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_MR, &req, &resp), ==, 0);
    check_destroy(g, PVRDMA_CMD_DESTROY_MR, resp.create_mr.mr_handle);
    g_assert_cmpuint(pvrdma_cmd_handle(g, PVRDMA_CMD_DESTROY_PD, pd), ==, 0);
}

/* All of guest memory: for the kernel, never for a process */
static void test_mr_dma(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_ready();
    PvrdmaReq req = {
        .create_mr = {
            .pd_handle = pvrdma_pd_new(g, 0),
            .access_flags = PVRDMA_ACCESS_LOCAL_WRITE,
            .flags = PVRDMA_MR_FLAG_DMA,
        },
    };
    PvrdmaResp resp;

    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_MR, &req, &resp), ==, 0);
    g_assert_cmphex(resp.create_mr.lkey, !=, 0);
    g_assert_cmphex(resp.create_mr.lkey, !=, UINT32_MAX);
    check_destroy(g, PVRDMA_CMD_DESTROY_MR, resp.create_mr.mr_handle);
    req.create_mr.pd_handle = pvrdma_pd_new(g, pvrdma_uc_new(g, 1));
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_MR, &req, &resp), !=, 0);
}

#define BAD_CQ(field, value) \
    g_assert_cmpuint(PVRDMA_SPOIL(g, PVRDMA_CMD_CREATE_CQ, &good, \
                                  create_cq.field, value), !=, 0)

static void test_cq(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_ready();
    uint32_t max = pvrdma_guest_caps(g).max_cqe;
    PvrdmaPages mem = pvrdma_pages(g, 2);
    PvrdmaReq good = pvrdma_req_cq(0, 64, &mem);

    check_destroy(g, PVRDMA_CMD_DESTROY_CQ, pvrdma_cq_new(g, 0, 1).handle);
    check_destroy(g, PVRDMA_CMD_DESTROY_CQ, pvrdma_cq_new(g, 0, max).handle);
    BAD_CQ(cqe, 0);
    BAD_CQ(cqe, 63);
    BAD_CQ(cqe, 65);
    BAD_CQ(cqe, 128); /* more than the pages hold */
    BAD_CQ(cqe, max * 2);
    BAD_CQ(cqe, 1u << 31);
    BAD_CQ(cqe, UINT32_MAX);
    BAD_CQ(nchunks, 0);
    BAD_CQ(nchunks, 1);
    BAD_CQ(ctx_handle, 1);
    BAD_CQ(ctx_handle, UINT32_MAX);
    BAD_CQ(pdir_dma, 0);
    BAD_CQ(pdir_dma, mem.pdir + 1);
    BAD_CQ(pdir_dma, g->regs.addr);
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_CQ, &good, NULL), ==, 0);
}

static void test_bind(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_ready();
    uint32_t len = pvrdma_guest_caps(g).gid_tbl_len;
    PvrdmaReq req = {
        .create_bind = { .mtu = 1024, .vlan = 0xfff, .gid_type = 2 },
    };
    PvrdmaReq destroy = { };

    pvrdma_bind_gid(g, 0);
    pvrdma_bind_gid(g, len - 1);
    pvrdma_bind_gid(g, 0);
    /* a GID that a host port, if there is one, does not have */
    memset(req.create_bind.new_gid, 0xee, 16);
    g_assert_cmpint(!pvrdma_cmd(g, PVRDMA_CMD_CREATE_BIND, &req, NULL), ==,
                    !pvrdma_ibdev());
    req.create_bind.index = len;
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_BIND, &req, NULL), !=, 0);
    req.create_bind.index = UINT32_MAX;
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_BIND, &req, NULL), !=, 0);
    req.create_bind.index = 0;
    req.create_bind.gid_type = 1;
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_BIND, &req, NULL), !=, 0);
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_DESTROY_BIND, &destroy, NULL),
                     ==, 0);
    destroy.destroy_bind.index = len;
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_DESTROY_BIND, &destroy, NULL),
                     !=, 0);
    destroy.destroy_bind.index = UINT32_MAX;
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_DESTROY_BIND, &destroy, NULL),
                     !=, 0);
}

void pvrdma_add_cmd_tests(void)
{
    qtest_add_func("/pvrdma/cmd/unknown", test_unknown);
    qtest_add_func("/pvrdma/cmd/query-port", test_query_port);
    qtest_add_func("/pvrdma/cmd/query-pkey", test_query_pkey);
    qtest_add_func("/pvrdma/cmd/uc", test_uc);
    qtest_add_func("/pvrdma/cmd/uc-exhaust", test_uc_exhaust);
    qtest_add_func("/pvrdma/cmd/uc-reaps", test_uc_reaps);
    qtest_add_func("/pvrdma/cmd/pd", test_pd);
    qtest_add_func("/pvrdma/cmd/pd-exhaust", test_pd_exhaust);
    qtest_add_func("/pvrdma/cmd/mr", test_mr);
    qtest_add_func("/pvrdma/cmd/mr-bad", test_mr_bad);
    qtest_add_func("/pvrdma/cmd/mr-bad-pages", test_mr_bad_pages);
    qtest_add_func("/pvrdma/cmd/mr-dma", test_mr_dma);
    qtest_add_func("/pvrdma/cmd/cq", test_cq);
    qtest_add_func("/pvrdma/cmd/bind", test_bind);
}
