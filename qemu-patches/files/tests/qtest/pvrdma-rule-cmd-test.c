/*
 * QTest testcase for pvrdma: what was wrong with the commands of the device
 * that QEMU had before, and must not be with this one; docs/security.md
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "hw/pci/pci_regs.h"
#include "qobject/qdict.h"
#include "pvrdma-pair.h"
#include "pvrdma-tests.h"
#include "pvrdma-watch.h"

#define OLD_VERSION 18         /* page frame numbers have 32 bits */

/* B11: structures of the host written over those of the guest */

static const PvrdmaWireAh full_av = {
    .dgid = { 0xfe, 0x80, [15] = 0x77 },
    .flow_label = 0x12345,
    .sgid_index = 5,
    .hop_limit = 0x41,
    .traffic_class = 0x42,
    .sl = 3,
    .static_rate = 7,
    .ah_flags = 1,
    .port_num = 1,
    .dmac = { 2, 4, 6, 8, 10, 12 },
};

static PvrdmaWireQpAttr full_attr(uint32_t state)
{
    return (PvrdmaWireQpAttr) {
        .qp_state = state,
        .cur_qp_state = state,
        .path_mtu = 2,
        .rq_psn = 0x112233,
        .sq_psn = 0x445566,
        .dest_qp_num = 0x778899,
        .qp_access_flags = 0xf,
        .max_rd_atomic = 9,
        .max_dest_rd_atomic = 11,
        .min_rnr_timer = 21,
        .port_num = 1,
        .timeout = 19,
        .retry_cnt = 6,
        .rnr_retry = 5,
        .ah_attr = full_av,
    };
}

static void modify(PvrdmaGuest *g, uint32_t qp, uint32_t state, uint32_t mask)
{
    PvrdmaWireQpAttr attr = full_attr(state);

    g_assert_cmpuint(
        pvrdma_qp_modify(g, qp, mask | PVRDMA_QP_ATTR_STATE, &attr), ==, 0);
}

/* Every byte of the attributes, those that nobody set included */
static void check_query_qp(PvrdmaGuest *g)
{
    uint32_t pd = pvrdma_pd_new(g, 0), cq = pvrdma_cq_new(g, 0, 64).handle;
    PvrdmaTestQp qp = pvrdma_qp_new(g, pd, PVRDMA_QPT_RC, cq, cq);
    PvrdmaReq req = { .handle.handle = qp.handle };
    PvrdmaWireQpAttr want = full_attr(PVRDMA_QPS_RTS);
    PvrdmaResp resp;

    pvrdma_bind_gid(g, full_av.sgid_index);
    modify(g, qp.handle, PVRDMA_QPS_INIT, PVRDMA_QP_ATTR_PKEY_INDEX |
           PVRDMA_QP_ATTR_PORT | PVRDMA_QP_ATTR_ACCESS_FLAGS);
    modify(g, qp.handle, PVRDMA_QPS_RTR, PVRDMA_QP_ATTR_AV |
           PVRDMA_QP_ATTR_PATH_MTU | PVRDMA_QP_ATTR_DEST_QPN |
           PVRDMA_QP_ATTR_RQ_PSN | PVRDMA_QP_ATTR_MAX_DEST_RD_ATOMIC |
           PVRDMA_QP_ATTR_MIN_RNR_TIMER);
    modify(g, qp.handle, PVRDMA_QPS_RTS, PVRDMA_QP_ATTR_TIMEOUT |
           PVRDMA_QP_ATTR_RETRY_CNT | PVRDMA_QP_ATTR_RNR_RETRY |
           PVRDMA_QP_ATTR_SQ_PSN | PVRDMA_QP_ATTR_MAX_QP_RD_ATOMIC);
    want.cap = (PvrdmaWireQpCap) { 16, 16, 4, 4 };
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_QUERY_QP, &req, &resp), ==, 0);
    g_assert_cmpmem(&resp.query_qp.attrs, sizeof(want), &want, sizeof(want));
}

static void check_zero(const void *data, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        g_test_message("byte %zu", i);
        g_assert_cmpuint(((const uint8_t *)data)[i], ==, 0);
    }
}

static void check_query_port(PvrdmaGuest *g)
{
    PvrdmaReq req = { .query_port.port_num = 1 };
    const size_t port = offsetof(PvrdmaResp, query_port.attrs);
    PvrdmaResp resp;

    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_QUERY_PORT, &req, &resp), ==, 0);
    check_zero(&resp, port + offsetof(PvrdmaWirePort, bad_pkey_cntr),
               port + offsetof(PvrdmaWirePort, pkey_tbl_len));
    check_zero(&resp, port + offsetof(PvrdmaWirePort, lid),
               port + offsetof(PvrdmaWirePort, max_vl_num));
    check_zero(&resp, port + offsetof(PvrdmaWirePort, reserved),
               sizeof(resp));
    g_assert_cmpuint(resp.query_port.attrs.max_vl_num, ==, 1);
}

static void check_query_srq(PvrdmaGuest *g)
{
    PvrdmaTestSrq srq = pvrdma_srq_new(g, pvrdma_pd_new(g, 0), 32);
    PvrdmaReq req = { .handle.handle = srq.handle };
    const PvrdmaWireSrqAttr want = { .max_wr = 32, .max_sge = 2 };
    PvrdmaResp resp;

    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_QUERY_SRQ, &req, &resp), ==, 0);
    g_assert_cmpmem(&resp.query_srq.attrs, sizeof(want), &want, sizeof(want));
    check_zero(&resp, sizeof(resp.query_srq), sizeof(resp));
}

static void test_wire_structures(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_ready();
    PvrdmaPages slot = { .addr = g->resp, .n = 1 };
    uint8_t rest[PVRDMA_PAGE - PVRDMA_RESP_SIZE];

    watch_mark(g, &slot);
    check_query_port(g);
    check_query_qp(g);
    check_query_srq(g);
    /* and nothing is written behind the slot's 176 bytes */
    qtest_memread(g->qts, g->resp + PVRDMA_RESP_SIZE, rest, sizeof(rest));
    qtest_memset(g->qts, g->resp, rest[0], PVRDMA_RESP_SIZE);
    watch_marked(g, &slot);
}

/* B12: parents that go before their children */

static void send_one(PvrdmaPair *t)
{
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_RDMA_WRITE);

    wr.wr.rdma.remote_addr = t->va + PAIR_RECV;
    wr.wr.rdma.rkey = t->mr.rkey;
    pair_send(t, 0, &wr, 0, 100);
    pair_sent(t, PVRDMA_WC_OP_RDMA_WRITE);
}

static uint32_t destroy(PvrdmaPair *t, uint32_t cmd, uint32_t handle)
{
    return pvrdma_cmd_handle(t->g, cmd, handle);
}

static void test_parents(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaTestSrq srq = pvrdma_srq_new(t.g, t.pd, 8);
    PvrdmaTestQp child = pvrdma_qp_new_srq(t.g, t.pd, PVRDMA_QPT_RC,
                                           t.cq[0].handle, t.cq[0].handle,
                                           srq.handle);

    g_assert_cmpuint(destroy(&t, PVRDMA_CMD_DESTROY_PD, t.pd), !=, 0);
    g_assert_cmpuint(destroy(&t, PVRDMA_CMD_DESTROY_SRQ, srq.handle), !=, 0);
    for (int i = 0; i < 2; i++) {
        g_assert_cmpuint(destroy(&t, PVRDMA_CMD_DESTROY_CQ, t.cq[i].handle),
                         !=, 0);
    }
    send_one(&t); /* refused, and all of it still there */
    g_assert_cmpuint(destroy(&t, PVRDMA_CMD_DESTROY_QP, child.handle), ==, 0);
    g_assert_cmpuint(destroy(&t, PVRDMA_CMD_DESTROY_SRQ, srq.handle), ==, 0);
    g_assert_cmpuint(destroy(&t, PVRDMA_CMD_DESTROY_CQ, t.cq[0].handle), !=,
                     0);
    for (int i = 0; i < 2; i++) {
        g_assert_cmpuint(destroy(&t, PVRDMA_CMD_DESTROY_QP, t.qp[i].handle),
                         ==, 0);
        g_assert_cmpuint(destroy(&t, PVRDMA_CMD_DESTROY_CQ, t.cq[i].handle),
                         ==, 0);
    }
    g_assert_cmpuint(destroy(&t, PVRDMA_CMD_DESTROY_PD, t.pd), !=, 0);
    g_assert_cmpuint(destroy(&t, PVRDMA_CMD_DESTROY_MR, t.mr.handle), ==, 0);
    g_assert_cmpuint(destroy(&t, PVRDMA_CMD_DESTROY_PD, t.pd), ==, 0);
    pair_free(&t);
}

/* B13: MRs at address 0, and those that begin and end within pages */

/* Pages that do not follow each other: one run each */
static PvrdmaPages scattered(PvrdmaGuest *g, uint32_t n)
{
    PvrdmaPages mem = pvrdma_pages(g, n);
    uint64_t table = qtest_readq(g->qts, mem.pdir);

    for (uint32_t i = 0; i < n; i++) {
        qtest_writeq(g->qts, table + 8 * i,
                     mem.addr + (uint64_t)(n - 1 - i) * PVRDMA_PAGE);
    }
    return mem;
}

static void check_mr_comes_and_goes(PvrdmaPair *t, uint64_t start,
                                    uint64_t length, uint32_t n)
{
    PvrdmaPages mem = scattered(t->g, n);
    PvrdmaReq req = pvrdma_req_mr(t->pd, &mem);
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_RDMA_WRITE);
    PvrdmaResp resp;

    req.create_mr.start = start;
    req.create_mr.length = length;
    g_assert_cmpuint(pvrdma_cmd(t->g, PVRDMA_CMD_CREATE_MR, &req, &resp), ==,
                     0);
    qtest_writeq(t->g->qts, t->mr.mem.addr, 0x1122334455667788);
    wr.wr.rdma.remote_addr = start;
    wr.wr.rdma.rkey = resp.create_mr.rkey;
    pair_send(t, 0, &wr, 0, 1);
    pair_sent(t, PVRDMA_WC_OP_RDMA_WRITE);
    g_assert_cmphex(qtest_readb(t->g->qts, mem.addr + (n - 1) * PVRDMA_PAGE +
                                start % PVRDMA_PAGE), ==, 0x88);
    g_assert_cmpuint(destroy(t, PVRDMA_CMD_DESTROY_MR,
                             resp.create_mr.mr_handle), ==, 0);
    /* its key went with it */
    pair_send(t, 0, &wr, 0, 1);
    g_assert_cmpuint(pair_status(t, 0), ==, PVRDMA_WC_REM_ACCESS_ERR);
    pair_connect(t, PVRDMA_QPT_RC);
}

static void check_mr_leaks(PvrdmaGuest *g, uint32_t pd)
{
    const uint32_t pages = 512, times = 9000; /* over all of the budget */
    PvrdmaPages mem = scattered(g, pages);
    PvrdmaReq req = pvrdma_req_mr(pd, &mem), gone = { };
    PvrdmaResp resp;

    req.create_mr.start = 0;
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_MR, &req, &resp), ==, 0);
    gone.hdr.cmd = PVRDMA_CMD_DESTROY_MR;
    gone.handle.handle = resp.create_mr.mr_handle;
    for (uint32_t i = 0; i < times; i++) {
        qtest_memwrite(g->qts, g->req, &gone, sizeof(gone.handle));
        pvrdma_reg_write(g, PVRDMA_REG_REQUEST, 0);
        qtest_memwrite(g->qts, g->req, &req, sizeof(req.create_mr));
        pvrdma_reg_write(g, PVRDMA_REG_REQUEST, 0);
        g_assert_cmpuint(pvrdma_reg_read(g, PVRDMA_REG_ERR), ==, 0);
        gone.handle.handle =
            qtest_readl(g->qts, g->resp +
                        offsetof(PvrdmaResp, create_mr.mr_handle));
    }
}

static void test_mr_start(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);

    check_mr_comes_and_goes(&t, 0, PVRDMA_PAGE, 1);
    check_mr_comes_and_goes(&t, 0, 3 * PVRDMA_PAGE, 3);
    check_mr_comes_and_goes(&t, 4095, 2, 2);
    check_mr_comes_and_goes(&t, 0x7000000001ff, PVRDMA_PAGE, 2);
    check_mr_leaks(t.g, t.pd);
    pair_free(&t);
}

/* B17: saved, or migrated, without what the device knows */

static void check_blocked(const char *text)
{
    g_test_message("%s", text);
    g_assert_nonnull(strstr(text, "rdma5"));
    g_assert_nonnull(strstr(text, "detach"));
}

static void qmp_blocked(QTestState *qts, QDict *reply)
{
    check_blocked(qdict_get_str(qdict_get_qdict(reply, "error"), "desc"));
    qobject_unref(reply);
}

static void test_migration(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_ready();
    g_autofree char *text = NULL;

    qmp_blocked(g->qts, qtest_qmp(g->qts, "{'execute': 'migrate', 'arguments':"
                                  "{'uri': 'exec:cat >/dev/null'}}"));
    text = qtest_hmp(g->qts, "savevm one");
    check_blocked(text);
    watch_alive(g);
}

/* B21: registers that the guest may not write */

static void check_registers(PvrdmaGuest *g)
{
    const uint32_t read_only[] = { PVRDMA_REG_VERSION, PVRDMA_REG_ERR };
    const uint32_t write_only[] = { PVRDMA_REG_DSRLOW, PVRDMA_REG_DSRHIGH,
                                    PVRDMA_REG_CTL, PVRDMA_REG_REQUEST };

    for (unsigned i = 0; i < ARRAY_SIZE(read_only); i++) {
        uint32_t was = pvrdma_reg_read(g, read_only[i]);

        for (uint32_t bit = 1; bit; bit <<= 1) {
            pvrdma_reg_write(g, read_only[i], bit);
            g_assert_cmphex(pvrdma_reg_read(g, read_only[i]), ==, was);
        }
    }
    for (unsigned i = 0; i < ARRAY_SIZE(write_only); i++) {
        g_assert_cmphex(pvrdma_reg_read(g, write_only[i]), ==, 0);
    }
    pvrdma_reg_write(g, PVRDMA_REG_ICR, UINT32_MAX);
    pvrdma_reg_read(g, PVRDMA_REG_ICR);
    g_assert_cmphex(pvrdma_reg_read(g, PVRDMA_REG_ICR), ==, 0);
    for (uint64_t at = 0x28; at < PVRDMA_PAGE; at += 4) {
        pvrdma_reg_write(g, at, UINT32_MAX);
        g_assert_cmphex(pvrdma_reg_read(g, at), ==, 0);
    }
}

static void test_register_access(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_new();
    PvrdmaDsr dsr;

    check_registers(g);
    pvrdma_guest_fill_dsr(g, &dsr);
    pvrdma_guest_write_dsr(g, &dsr);
    pvrdma_guest_map_dsr(g, g->dsr);
    check_registers(g);
    pvrdma_guest_setup(g);
    check_registers(g);
    watch_alive(g);
    /* a failure is seen until the next command, whatever is written */
    g_assert_cmpuint(pvrdma_cmd(g, 255, &(PvrdmaReq) { }, NULL), !=, 0);
    pvrdma_reg_write(g, PVRDMA_REG_ERR, 0);
    g_assert_cmpuint(pvrdma_reg_read(g, PVRDMA_REG_ERR), !=, 0);
    watch_alive(g);
}

/* B23: contexts by page frame number */

static uint32_t bar2_size(PvrdmaGuest *g)
{
    uint32_t bar = qpci_config_readl(g->dev, PCI_BASE_ADDRESS_2);
    uint32_t mask;

    qpci_config_writel(g->dev, PCI_BASE_ADDRESS_2, UINT32_MAX);
    mask = qpci_config_readl(g->dev, PCI_BASE_ADDRESS_2) & ~0xfu;
    qpci_config_writel(g->dev, PCI_BASE_ADDRESS_2, bar);
    return -mask;
}

static uint32_t uc_err(PvrdmaGuest *g, uint64_t pfn)
{
    PvrdmaReq req = { .create_uc.pfn = pfn };

    return pvrdma_cmd(g, PVRDMA_CMD_CREATE_UC, &req, NULL);
}

static void test_page_frames(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_ready();
    uint64_t first = g->uar.addr / PVRDMA_PAGE;
    uint32_t max_uar = pvrdma_guest_caps(g).max_uar;
    const uint64_t bad[] = {
        0, 1, first - 1, first, first + max_uar, first + 1 + (1ull << 32),
        first + 1 + (1ull << 52), UINT32_MAX, UINT64_MAX,
    };
    PvrdmaDsr dsr;

    g_assert_cmpuint(bar2_size(g), ==, max_uar * PVRDMA_PAGE);
    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
        g_test_message("0x%" PRIx64, bad[i]);
        g_assert_cmpuint(uc_err(g, bad[i]), !=, 0);
    }
    g_assert_cmpuint(uc_err(g, first + 1), ==, 0);
    g_assert_cmpuint(uc_err(g, first + 1), !=, 0); /* taken */
    g_assert_cmpuint(uc_err(g, first + max_uar - 1), ==, 0);
    /* a driver that knows 32 bits, with garbage in the rest */
    pvrdma_guest_fill_dsr(g, &dsr);
    dsr.driver_version = OLD_VERSION;
    pvrdma_guest_write_dsr(g, &dsr);
    pvrdma_guest_map_dsr(g, g->dsr);
    pvrdma_reg_write(g, PVRDMA_REG_IMR, 0);
    pvrdma_reg_write(g, PVRDMA_REG_CTL, PVRDMA_CTL_ACTIVATE);
    g_assert_cmpuint(uc_err(g, (first + 1) | 0xdeadbeefull << 32), ==, 0);
    g_assert_cmpuint(uc_err(g, (first + max_uar) | 0xdeadbeefull << 32), !=,
                     0);
}

static bool works(PvrdmaGuest *g, uint32_t cmd, PvrdmaReq *req)
{
    return !pvrdma_cmd(g, cmd, req, NULL);
}

/* B25: ports and P_Keys that are not there */
static void test_port_and_pkey(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_ready();
    uint32_t max_pkeys = pvrdma_guest_caps(g).max_pkeys;

    for (unsigned port = 0; port < 256; port++) {
        PvrdmaReq req = { .query_port = { .port_num = port } };

        g_assert_cmpint(works(g, PVRDMA_CMD_QUERY_PORT, &req), ==, port == 1);
        req = (PvrdmaReq) { .query_pkey = { .port_num = port } };
        g_assert_cmpint(works(g, PVRDMA_CMD_QUERY_PKEY, &req), ==, port == 1);
        req = (PvrdmaReq) { .query_pkey = { .port_num = 1, .index = port } };
        g_assert_cmpint(works(g, PVRDMA_CMD_QUERY_PKEY, &req), ==,
                        port < max_pkeys);
    }
}

void pvrdma_add_rule_cmd_tests(void)
{
    qtest_add_func("/pvrdma/rule/b11", test_wire_structures);
    qtest_add_func("/pvrdma/rule/b12", test_parents);
    qtest_add_func("/pvrdma/rule/b13", test_mr_start);
    qtest_add_func("/pvrdma/rule/b17", test_migration);
    qtest_add_func("/pvrdma/rule/b21", test_register_access);
    qtest_add_func("/pvrdma/rule/b23", test_page_frames);
    qtest_add_func("/pvrdma/rule/b25", test_port_and_pkey);
}
