/*
 * QTest testcase for pvrdma: datagrams and QP 1
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "pvrdma-pair.h"
#include "pvrdma-tests.h"

static void check_datagram(PvrdmaPair *t, const uint8_t *gid, uint8_t network)
{
    PvrdmaWireSendWr wr = pair_ud_wr(t, t->qp[1].qpn);
    PvrdmaWireCqe cqe;

    wr.opcode = PVRDMA_WR_SEND_WITH_IMM;
    wr.ex = 0x99887766;
    memcpy(wr.wr.ud.av.dgid, gid, 16);
    wr.wr.ud.av.gid_index = network == PVRDMA_NETWORK_IPV4 ? 1 : 0;
    pair_fill(t, 0, 300, 1);
    pair_recv(t, 1, PAIR_RECV, 340, 7);
    pair_send(t, 0, &wr, 0, 300);
    pair_sent(t, PVRDMA_WC_OP_SEND);
    cqe = pvrdma_cqe_wait(t->g, &t->cq[1]);
    check_cqe(&cqe, &t->qp[1], 7, PVRDMA_WC_OP_RECV);
    g_assert_cmpuint(cqe.byte_len, ==, 340);
    g_assert_cmpuint(cqe.src_qp, ==, t->qp[0].qpn);
    g_assert_cmphex(cqe.wc_flags, ==, PVRDMA_WC_FLAG_GRH |
                    PVRDMA_WC_FLAG_IMM | PVRDMA_WC_FLAG_NETWORK);
    g_assert_cmpuint(cqe.network_hdr_type, ==, network);
    g_assert_cmphex(cqe.imm_data, ==, 0x99887766);
    g_assert_cmpuint(cqe.port_num, ==, 1);
    pair_same(t, 0, PAIR_RECV + 40, 300);
}

static void test_ud_headers(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_UD);
    PvrdmaReq req = {
        .create_bind = {
            .mtu = 1024, .vlan = 0xfff, .index = 1, .gid_type = 2,
            .new_gid = { [10] = 0xff, [11] = 0xff, 192, 0, 2, 1 },
        },
    };
    uint8_t own[16], header[40];

    g_assert_cmpuint(pvrdma_cmd(t.g, PVRDMA_CMD_CREATE_BIND, &req, NULL), ==,
                     0);
    pvrdma_own_gid(own);
    check_datagram(&t, own, PVRDMA_NETWORK_IPV6);
    qtest_memread(t.g->qts, t.mr.mem.addr + PAIR_RECV, header, 40);
    g_assert_cmphex(header[0] >> 4, ==, 6);
    g_assert_cmpmem(header + 8, 16, own, 16);
    g_assert_cmpmem(header + 24, 16, own, 16);
    check_datagram(&t, req.create_bind.new_gid, PVRDMA_NETWORK_IPV4);
    qtest_memread(t.g->qts, t.mr.mem.addr + PAIR_RECV, header, 40);
    g_assert_cmphex(header[20], ==, 0x45);
    g_assert_cmpmem(header + 32, 4, req.create_bind.new_gid + 12, 4);
    pair_free(&t);
}

/* A failed send: SQE, the rest is flushed, and back to RTS */
static void test_ud_sqe(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_UD);
    PvrdmaWireSendWr wr = pair_ud_wr(&t, t.qp[1].qpn);
    PvrdmaWireSge bad = pair_sge(&t, 0, 64);

    for (int round = 0; round < 4; round++) {
        /* one that the engine finds, and one that never gets there */
        bad.lkey = round % 2 ? t.mr.lkey : t.mr.lkey ^ 0x100;
        wr.wr.ud.av.gid_index = round % 2 ? 77 : 0;
        pvrdma_post_send(t.g, &t.qp[0], &wr, &bad);
        wr.wr.ud.av.gid_index = 0;
        pair_send(&t, 0, &wr, 0, 64);
        g_assert_cmpuint(pair_status(&t, 0), ==, round % 2
                         ? PVRDMA_WC_LOC_QP_OP_ERR : PVRDMA_WC_LOC_PROT_ERR);
        g_assert_cmpuint(pair_status(&t, 0), ==, PVRDMA_WC_WR_FLUSH_ERR);
        g_assert_cmpuint(pvrdma_qp_query(t.g, t.qp[0].handle).qp_state, ==,
                         PVRDMA_QPS_SQE);
        pair_recv(&t, 0, PAIR_RECV, 200, 1);
        g_assert_cmpuint(pvrdma_qp_to(t.g, t.qp[0].handle, PVRDMA_QPS_RTS), ==,
                         0);
        pair_recv(&t, 1, PAIR_RECV, 200, round);
        pair_send(&t, 0, &wr, 0, 64);
        pair_sent(&t, PVRDMA_WC_OP_SEND);
        g_assert_cmpuint(pair_status(&t, 1), ==, PVRDMA_WC_SUCCESS);
    }
    pair_free(&t);
}

/* The kernel's QP 1 sends to itself, as an agent of the guest does. */
static void test_gsi(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_UD);
    PvrdmaWireQpAttr attr = { .qp_state = PVRDMA_QPS_INIT,
                              .qkey = 0x80010000 };
    PvrdmaWireSendWr wr = pair_ud_wr(&t, 1);
    PvrdmaWireCqe cqe;

    t.qp[0] = pvrdma_qp_new(t.g, t.pd, PVRDMA_QPT_GSI, t.cq[0].handle,
                            t.cq[0].handle);
    g_assert_cmpuint(t.qp[0].qpn, ==, 1);
    g_assert_cmpuint(pvrdma_qp_modify(t.g, t.qp[0].handle,
                                      PVRDMA_QP_ATTR_STATE |
                                      PVRDMA_QP_ATTR_PKEY_INDEX |
                                      PVRDMA_QP_ATTR_QKEY, &attr), ==, 0);
    g_assert_cmpuint(pvrdma_qp_to(t.g, t.qp[0].handle, PVRDMA_QPS_RTR), ==, 0);
    attr.qp_state = PVRDMA_QPS_RTS;
    g_assert_cmpuint(pvrdma_qp_modify(t.g, t.qp[0].handle,
                                      PVRDMA_QP_ATTR_STATE |
                                      PVRDMA_QP_ATTR_SQ_PSN, &attr), ==, 0);
    wr.wr.ud.remote_qkey = 0x80010000;
    pair_fill(&t, 0, 256, 9);
    pair_recv(&t, 0, PAIR_RECV, 296, 5);
    pair_send(&t, 0, &wr, 0, 256);
    for (int i = 0; i < 2; i++) {
        cqe = pvrdma_cqe_wait(t.g, &t.cq[0]);
        g_assert_cmpuint(cqe.status, ==, PVRDMA_WC_SUCCESS);
        if (cqe.opcode == PVRDMA_WC_OP_RECV) {
            g_assert_cmpuint(cqe.byte_len, ==, 296);
            g_assert_cmpuint(cqe.src_qp, ==, 1);
        }
    }
    pair_same(&t, 0, PAIR_RECV + 40, 256);
    pair_free(&t);
}

void pvrdma_add_ud_tests(void)
{
    qtest_add_func("/pvrdma/soft/ud-headers", test_ud_headers);
    qtest_add_func("/pvrdma/soft/ud-sqe", test_ud_sqe);
    qtest_add_func("/pvrdma/soft/gsi", test_gsi);
}
