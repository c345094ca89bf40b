/*
 * QTest testcase for pvrdma: what drivers rely on, beyond single commands
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "hw/pci/pci_regs.h"
#include "pvrdma-pair.h"
#include "pvrdma-tests.h"
#include "pvrdma-watch.h"

/* Registers of the function itself */

static uint32_t bar_size(PvrdmaGuest *g, unsigned bar)
{
    uint8_t at = PCI_BASE_ADDRESS_0 + 4 * bar;
    uint32_t old = qpci_config_readl(g->dev, at), mask;

    qpci_config_writel(g->dev, at, UINT32_MAX);
    mask = qpci_config_readl(g->dev, at) & ~0xfu;
    qpci_config_writel(g->dev, at, old);
    return -mask;
}

/* The driver wants memory in BARs 0 and 1, and finds the third by number. */
static void test_identity(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_new();
    QPCIDevice *nic = qpci_device_find(g->pcibus, QPCI_DEVFN(g->slot, 0));

    g_assert_cmphex(qpci_config_readb(g->dev, PCI_REVISION_ID), ==, 1);
    g_assert_cmphex(qpci_config_readw(g->dev, PCI_SUBSYSTEM_VENDOR_ID), ==,
                    0x15ad);
    g_assert_cmphex(qpci_config_readw(g->dev, PCI_SUBSYSTEM_ID), ==, 0x0820);
    for (unsigned bar = 0; bar < 3; bar++) {
        g_assert_cmphex(qpci_config_readl(g->dev, PCI_BASE_ADDRESS_0 +
                                          4 * bar) & 0x7, ==, 0);
    }
    g_assert_cmphex(bar_size(g, 1), ==, PVRDMA_PAGE);
    g_assert_cmphex(g->dev->msix_table_bar.addr, !=, g->regs.addr);
    g_assert_nonnull(nic);
    g_assert_cmphex(qpci_config_readw(nic, PCI_DEVICE_ID), ==, 0x07b0);
    g_free(nic);
}

/* Masked, an interrupt waits; it comes once, when it may. */
static void test_interrupt_mask(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_RDMA_WRITE);

    wr.wr.rdma.remote_addr = t.va + PAIR_RECV;
    wr.wr.rdma.rkey = t.mr.rkey;
    pvrdma_reg_write(t.g, PVRDMA_REG_IMR, UINT32_MAX);
    pvrdma_uar_write(t.g, 0, PVRDMA_UAR_CQ,
                     PVRDMA_UAR_CQ_ARM | t.cq[0].handle);
    pair_send(&t, 0, &wr, 0, 8);
    pair_sent(&t, PVRDMA_WC_OP_RDMA_WRITE);
    g_assert_false(pvrdma_irq(t.g, PVRDMA_VEC_CQ));
    pvrdma_reg_write(t.g, PVRDMA_REG_IMR, ~(1u << PVRDMA_VEC_CQ));
    g_assert_true(pvrdma_irq(t.g, PVRDMA_VEC_CQ));
    g_assert_false(pvrdma_irq(t.g, PVRDMA_VEC_CQ));
    pair_free(&t);
}

/* A driver that was not ready for an event is told again with each command. */
static void test_reminder(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);

    qtest_writel(t.g->qts, t.qp[0].mem.addr + PVRDMA_RING1_TAIL, 77);
    pvrdma_uar_write(t.g, 0, PVRDMA_UAR_QP,
                     PVRDMA_UAR_QP_SEND | t.qp[0].handle);
    for (int i = 0; i < 3; i++) {
        g_assert_true(pvrdma_irq(t.g, PVRDMA_VEC_ASYNC));
        g_assert_false(pvrdma_irq(t.g, PVRDMA_VEC_ASYNC));
        watch_alive(t.g);
    }
    g_assert_true(pvrdma_irq(t.g, PVRDMA_VEC_ASYNC));
    pvrdma_event_expect(t.g, PVRDMA_EVENT_QP_FATAL, t.qp[0].handle);
    watch_alive(t.g);
    g_assert_false(pvrdma_irq(t.g, PVRDMA_VEC_ASYNC));
    pair_free(&t);
}

/* Older drivers: they take the number of a QP for its handle. */
static void check_version(uint32_t version, bool taken)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_new();
    PvrdmaPages mem = pvrdma_pages(g, 5);
    uint32_t cq;
    PvrdmaDsr dsr;
    PvrdmaReq req;
    PvrdmaResp resp;

    g_test_message("version %u", version);
    pvrdma_guest_fill_dsr(g, &dsr);
    dsr.driver_version = version;
    pvrdma_guest_write_dsr(g, &dsr);
    pvrdma_guest_map_dsr(g, g->dsr);
    g_assert_cmpint(pvrdma_guest_caps(g).gid_types == 2, ==, taken);
    if (!taken) {
        return;
    }
    pvrdma_reg_write(g, PVRDMA_REG_IMR, 0);
    pvrdma_reg_write(g, PVRDMA_REG_CTL, PVRDMA_CTL_ACTIVATE);
    cq = pvrdma_cq_new(g, 0, 16).handle;
    req = pvrdma_req_qp(pvrdma_pd_new(g, 0), PVRDMA_QPT_RC, cq, cq, 16, 16,
                        &mem);
    if (version >= PVRDMA_VERSION_QPHANDLE) {
        g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_QP, &req, &resp), ==,
                         0);
        g_assert_cmpuint(resp.create_qp.max_send_wr, ==, 16);
    } else if (!pvrdma_cmd(g, PVRDMA_CMD_CREATE_QP, &req, &resp)) {
        /* it is the handle, or there is none */
        g_assert_cmpuint(resp.create_qp_v1.max_send_wr, ==, 16);
        g_assert_cmpuint(pvrdma_cmd_handle(g, PVRDMA_CMD_DESTROY_QP,
                                           resp.create_qp_v1.qpn), ==, 0);
    }
}

static void test_versions(void)
{
    check_version(0, false);
    check_version(16, false);
    check_version(17, true);
    check_version(19, true);
    check_version(20, true);
    check_version(21, true); /* one that is newer than the device */
    check_version(UINT32_MAX, true);
}

/* Work requests */

static PvrdmaWireSendWr quiet_write(PvrdmaPair *t)
{
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_RDMA_WRITE);

    wr.send_flags = 0;
    wr.wr.rdma.remote_addr = t->va + PAIR_RECV;
    wr.wr.rdma.rkey = t->mr.rkey;
    return wr;
}

/* sq_sig_all: each send completes, whatever its flags are. */
static void test_signal_all(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaWireSendWr wr = quiet_write(&t);
    PvrdmaTestQp qp = pvrdma_qp_new(t.g, t.pd, PVRDMA_QPT_RC, t.cq[0].handle,
                                    t.cq[0].handle);
    PvrdmaReq req = pvrdma_req_qp(t.pd, PVRDMA_QPT_RC, t.cq[0].handle,
                                  t.cq[0].handle, qp.wrs, qp.sges, &qp.mem);
    PvrdmaResp resp;

    g_assert_cmpuint(pvrdma_cmd_handle(t.g, PVRDMA_CMD_DESTROY_QP, qp.handle),
                     ==, 0);
    req.create_qp.sq_sig_all = 1;
    g_assert_cmpuint(pvrdma_cmd(t.g, PVRDMA_CMD_CREATE_QP, &req, &resp), ==,
                     0);
    qp.handle = resp.create_qp.qp_handle;
    pvrdma_qp_connect(t.g, qp.handle, PVRDMA_QPT_RC, t.qp[1].qpn);
    pair_send(&t, 0, &wr, 0, 8);
    pvrdma_cqe_none(t.g, &t.cq[0]);
    g_assert_cmpuint(pvrdma_qp_to(t.g, t.qp[1].handle, PVRDMA_QPS_RESET), ==,
                     0);
    pvrdma_qp_connect(t.g, t.qp[1].handle, PVRDMA_QPT_RC,
                      resp.create_qp.qpn);
    t.qp[0] = qp;
    for (int i = 0; i < 3; i++) {
        pair_send(&t, 0, &wr, 0, 8);
        pair_sent(&t, PVRDMA_WC_OP_RDMA_WRITE);
    }
    pair_free(&t);
}

/* INLINE has no format, and checksums are no business of RC. */
static void test_flags(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaWireSendWr wr = quiet_write(&t);

    for (uint32_t bit = 1; bit; bit <<= 1) {
        pair_fill(&t, 0, 100, bit);
        wr.send_flags = PVRDMA_SEND_SIGNALED | bit;
        pair_send(&t, 0, &wr, 0, 100);
        pair_sent(&t, PVRDMA_WC_OP_RDMA_WRITE);
        pair_same(&t, 0, PAIR_RECV, 100);
    }
    pair_free(&t);
}

/* ARM outdoes ARM_SOL, in whichever order; failures are always told. */
static void test_arm(void)
{
    const uint32_t bells[][2] = {
        { PVRDMA_UAR_CQ_ARM_SOL, PVRDMA_UAR_CQ_ARM },
        { PVRDMA_UAR_CQ_ARM, PVRDMA_UAR_CQ_ARM_SOL },
        { PVRDMA_UAR_CQ_ARM | PVRDMA_UAR_CQ_ARM_SOL, PVRDMA_UAR_CQ_POLL },
    };
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaWireSendWr wr = quiet_write(&t);
    uint32_t handle = 0;

    wr.send_flags = PVRDMA_SEND_SIGNALED;
    for (unsigned i = 0; i < ARRAY_SIZE(bells); i++) {
        for (int k = 0; k < 2; k++) {
            pvrdma_uar_write(t.g, 0, PVRDMA_UAR_CQ,
                             bells[i][k] | t.cq[0].handle);
        }
        pair_send(&t, 0, &wr, 0, 8);
        pair_sent(&t, PVRDMA_WC_OP_RDMA_WRITE);
        g_assert_true(pvrdma_notification_get(t.g, &handle));
        g_assert_cmpuint(handle, ==, t.cq[0].handle);
    }
    pvrdma_uar_write(t.g, 0, PVRDMA_UAR_CQ,
                     PVRDMA_UAR_CQ_ARM_SOL | t.cq[0].handle);
    pair_send(&t, 0, &wr, 0, 8);
    pair_sent(&t, PVRDMA_WC_OP_RDMA_WRITE);
    g_assert_false(pvrdma_notification_get(t.g, &handle));
    wr.opcode = 99;
    pair_send(&t, 0, &wr, 0, 8);
    g_assert_cmpuint(pair_status(&t, 0), ==, PVRDMA_WC_LOC_QP_OP_ERR);
    g_assert_true(pvrdma_notification_get(t.g, &handle));
    pair_free(&t);
}

void pvrdma_add_abi_tests(void)
{
    qtest_add_func("/pvrdma/abi/identity", test_identity);
    qtest_add_func("/pvrdma/abi/interrupt-mask", test_interrupt_mask);
    qtest_add_func("/pvrdma/abi/reminder", test_reminder);
    qtest_add_func("/pvrdma/abi/versions", test_versions);
    qtest_add_func("/pvrdma/abi/signal-all", test_signal_all);
    qtest_add_func("/pvrdma/abi/flags", test_flags);
    qtest_add_func("/pvrdma/abi/arm", test_arm);
}
