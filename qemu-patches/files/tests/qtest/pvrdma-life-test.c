/*
 * QTest testcase for pvrdma: registers, life cycle, doorbells
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "hw/pci/pci_regs.h"
#include "pvrdma-guest.h"
#include "pvrdma-tests.h"

static bool is_power_of_2(uint32_t n)
{
    return n && !(n & (n - 1));
}

static void test_registers(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_new();

    g_assert_cmpuint(pvrdma_reg_read(g, PVRDMA_REG_VERSION), ==, 20);
    pvrdma_reg_write(g, PVRDMA_REG_VERSION, 17);
    g_assert_cmpuint(pvrdma_reg_read(g, PVRDMA_REG_VERSION), ==, 20);
    pvrdma_reg_write(g, PVRDMA_REG_ERR, 77);
    g_assert_cmpuint(pvrdma_reg_read(g, PVRDMA_REG_ERR), ==, 0);
    pvrdma_reg_write(g, PVRDMA_REG_IMR, 0xffffffff);
    g_assert_cmphex(pvrdma_reg_read(g, PVRDMA_REG_IMR), ==, 0xffffffff);
    g_assert_cmpuint(pvrdma_reg_read(g, PVRDMA_REG_DSRLOW), ==, 0);
    g_assert_cmpuint(pvrdma_reg_read(g, PVRDMA_REG_CTL), ==, 0);
    g_assert_cmpuint(pvrdma_reg_read(g, PVRDMA_REG_REQUEST), ==, 0);
    for (uint32_t reg = 0x28; reg < PVRDMA_PAGE; reg += 4) {
        pvrdma_reg_write(g, reg, 0xffffffff);
        g_assert_cmpuint(pvrdma_reg_read(g, reg), ==, 0);
    }
    /* other widths reach nothing */
    qpci_io_writeb(g->dev, g->regs, PVRDMA_REG_CTL, 0);
    qpci_io_writew(g->dev, g->regs, PVRDMA_REG_REQUEST, 0);
    qpci_io_readb(g->dev, g->regs, PVRDMA_REG_VERSION + 1);
}

static void test_pci(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_new();

    g_assert_cmphex(qpci_config_readw(g->dev, PCI_VENDOR_ID), ==, 0x15ad);
    g_assert_cmphex(qpci_config_readw(g->dev, PCI_DEVICE_ID), ==, 0x0820);
    g_assert_cmphex(qpci_config_readw(g->dev, PCI_CLASS_DEVICE), ==, 0x0280);
}

/* The limits within which the driver and its library work */
static void check_caps(const PvrdmaDevCaps *c)
{
    g_assert_cmpuint(c->mode, ==, 0);
    g_assert_cmpuint(c->gid_types, ==, 2);
    g_assert_cmpuint(c->phys_port_cnt, ==, 1);
    g_assert_cmpuint(c->max_qp, >=, 2);
    g_assert_cmpuint(c->max_qp, <, 65536);
    g_assert_true(is_power_of_2(c->max_qp_wr) && c->max_qp_wr >= 512);
    g_assert_true(is_power_of_2(c->max_sge) && c->max_sge >= 2);
    g_assert_cmpuint(c->max_sge, <=, 251);
    g_assert_true(is_power_of_2(c->max_cqe) && c->max_cqe >= 1024);
    g_assert_cmpuint(c->max_cq, >, 0);
    g_assert_cmpuint(c->max_pd, >, 0);
    g_assert_cmpuint(c->max_ah, >, 0);
    g_assert_true(is_power_of_2(c->max_uar) && c->max_uar >= 2);
    g_assert_cmpuint(c->gid_tbl_len, <=, 256);
    g_assert_cmpuint(c->max_pkeys, >=, 1);
    g_assert_cmphex(c->max_mr_size, <=, 1 << 30);
    g_assert_cmphex(c->page_size_cap & 4096, ==, 4096);
    g_assert_cmphex(c->device_cap_flags & (1 << 15), ==, 0);
    g_assert_true(c->bmme_flags == 0 || c->bmme_flags == 7);
    g_assert_cmpuint(c->max_fast_reg_page_list_len, <=, 128);
    g_assert_true(c->max_srq == 0 || is_power_of_2(c->max_srq_wr));
}

static void test_handshake(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_new();
    PvrdmaReq req = { };
    PvrdmaDevCaps caps;

    /* neither before the region is known nor before ACTIVATE */
    pvrdma_reg_write(g, PVRDMA_REG_CTL, PVRDMA_CTL_ACTIVATE);
    g_assert_cmpuint(pvrdma_reg_read(g, PVRDMA_REG_ERR), !=, 0);
    pvrdma_reg_write(g, PVRDMA_REG_REQUEST, 0);
    g_assert_cmpuint(pvrdma_reg_read(g, PVRDMA_REG_ERR), !=, 0);
    pvrdma_guest_setup(g);
    caps = pvrdma_guest_caps(g);
    check_caps(&caps);
    pvrdma_reg_write(g, PVRDMA_REG_CTL, PVRDMA_CTL_UNQUIESCE);
    g_assert_cmpuint(pvrdma_reg_read(g, PVRDMA_REG_ERR), ==, 0);
    pvrdma_reg_write(g, PVRDMA_REG_CTL, 3);
    g_assert_cmpuint(pvrdma_reg_read(g, PVRDMA_REG_ERR), !=, 0);
    req.query_port.port_num = 1;
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_QUERY_PORT, &req, NULL), ==, 0);
}

/* A region that the device must not take: it leaves the caps alone. */
static void check_bad_dsr(PvrdmaGuest *g, const PvrdmaDsr *dsr, uint64_t addr)
{
    pvrdma_guest_write_dsr(g, dsr);
    pvrdma_guest_map_dsr(g, addr);
    g_assert_cmpuint(pvrdma_guest_caps(g).gid_types, ==, 0);
    pvrdma_reg_write(g, PVRDMA_REG_CTL, PVRDMA_CTL_ACTIVATE);
    g_assert_cmpuint(pvrdma_reg_read(g, PVRDMA_REG_ERR), !=, 0);
}

static void test_bad_dsr(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_new();
    const uint64_t no_ram = 0xfee00000;
    PvrdmaDsr good, dsr;

    pvrdma_guest_fill_dsr(g, &good);
    check_bad_dsr(g, &good, 0);
    check_bad_dsr(g, &good, g->dsr + 4);
    check_bad_dsr(g, &good, no_ram);
    check_bad_dsr(g, &good, UINT64_MAX & ~0xfffull);
#define BAD(field, value) \
    do { \
        dsr = good; \
        dsr.field = (value); \
        check_bad_dsr(g, &dsr, g->dsr); \
    } while (0)
    BAD(driver_version, 0);
    BAD(driver_version, 16);
    BAD(cmd_slot_dma, 0);
    BAD(cmd_slot_dma, g->req + 8);
    BAD(resp_slot_dma, 0);
    BAD(resp_slot_dma, g->resp + 1);
    BAD(async_ring_pages.num_pages, 0);
    BAD(async_ring_pages.num_pages, 1);
    BAD(async_ring_pages.num_pages, UINT32_MAX);
    BAD(async_ring_pages.num_pages, 513);
    BAD(async_ring_pages.pdir_dma, 0);
    BAD(async_ring_pages.pdir_dma, no_ram);
    BAD(cq_ring_pages.num_pages, 0);
    BAD(cq_ring_pages.num_pages, UINT32_MAX);
    BAD(cq_ring_pages.pdir_dma, good.cq_ring_pages.pdir_dma + 8);
#undef BAD
    /* and the device still works */
    pvrdma_guest_setup(g);
}

/* A slot that is no RAM: found when used, by an error, not by a crash */
static void test_slot_without_ram(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_new();
    PvrdmaDsr dsr;

    pvrdma_guest_fill_dsr(g, &dsr);
    dsr.cmd_slot_dma = g->regs.addr;
    pvrdma_guest_write_dsr(g, &dsr);
    pvrdma_guest_map_dsr(g, g->dsr);
    pvrdma_reg_write(g, PVRDMA_REG_CTL, PVRDMA_CTL_ACTIVATE);
    pvrdma_reg_write(g, PVRDMA_REG_REQUEST, 0);
    g_assert_cmpuint(pvrdma_reg_read(g, PVRDMA_REG_ERR), !=, 0);
    dsr.cmd_slot_dma = g->req;
    dsr.resp_slot_dma = g->regs.addr;
    pvrdma_guest_write_dsr(g, &dsr);
    pvrdma_guest_map_dsr(g, g->dsr);
    pvrdma_reg_write(g, PVRDMA_REG_CTL, PVRDMA_CTL_ACTIVATE);
    pvrdma_reg_write(g, PVRDMA_REG_REQUEST, 0);
    g_assert_cmpuint(pvrdma_reg_read(g, PVRDMA_REG_ERR), !=, 0);
}

/* One of everything, with handles that must be gone after a reset */
static void make_objects(PvrdmaGuest *g)
{
    uint32_t pd = pvrdma_pd_new(g, 0);
    PvrdmaTestCq cq = pvrdma_cq_new(g, 0, 64);
    PvrdmaTestQp qp = pvrdma_qp_new(g, pd, PVRDMA_QPT_RC, cq.handle,
                                    cq.handle);

    pvrdma_uc_new(g, 1);
    pvrdma_mr_new(g, pd, 3);
    pvrdma_bind_gid(g, 0);
    pvrdma_qp_connect(g, qp.handle, PVRDMA_QPT_RC, qp.qpn);
}

/* Nothing of what make_objects() made answers any more. */
static void check_no_objects(PvrdmaGuest *g)
{
    g_assert_cmpuint(pvrdma_cmd_handle(g, PVRDMA_CMD_DESTROY_QP, 1), !=, 0);
    g_assert_cmpuint(pvrdma_cmd_handle(g, PVRDMA_CMD_DESTROY_CQ, 1), !=, 0);
    g_assert_cmpuint(pvrdma_cmd_handle(g, PVRDMA_CMD_DESTROY_MR, 1), !=, 0);
    g_assert_cmpuint(pvrdma_cmd_handle(g, PVRDMA_CMD_DESTROY_PD, 1), !=, 0);
    g_assert_cmpuint(pvrdma_cmd_handle(g, PVRDMA_CMD_DESTROY_UC, 1), !=, 0);
}

static void test_reset(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_new();

    pvrdma_reg_write(g, PVRDMA_REG_CTL, PVRDMA_CTL_RESET);
    for (int i = 0; i < 20; i++) {
        pvrdma_guest_setup(g);
        check_no_objects(g);
        make_objects(g);
        pvrdma_reg_write(g, PVRDMA_REG_CTL, PVRDMA_CTL_RESET);
        pvrdma_reg_write(g, PVRDMA_REG_REQUEST, 0);
        g_assert_cmpuint(pvrdma_reg_read(g, PVRDMA_REG_ERR), !=, 0);
    }
}

/* A kernel that crashed: its successor writes DSRHIGH and no RESET. */
static void test_dsr_again(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_new();

    pvrdma_guest_setup(g);
    make_objects(g);
    pvrdma_guest_setup(g);
    check_no_objects(g);
    make_objects(g);
}

static void test_bus_master(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_new();
    uint16_t cmd;

    pvrdma_guest_setup(g);
    make_objects(g);
    cmd = qpci_config_readw(g->dev, PCI_COMMAND);
    qpci_config_writew(g->dev, PCI_COMMAND, cmd & ~PCI_COMMAND_MASTER);
    pvrdma_reg_write(g, PVRDMA_REG_REQUEST, 0);
    g_assert_cmpuint(pvrdma_reg_read(g, PVRDMA_REG_ERR), !=, 0);
    pvrdma_guest_map_dsr(g, g->dsr);
    pvrdma_reg_write(g, PVRDMA_REG_CTL, PVRDMA_CTL_ACTIVATE);
    g_assert_cmpuint(pvrdma_reg_read(g, PVRDMA_REG_ERR), !=, 0);
    qpci_config_writew(g->dev, PCI_COMMAND, cmd);
    pvrdma_guest_setup(g);
    check_no_objects(g);
}

static void test_system_reset(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_new();

    for (int i = 0; i < 3; i++) {
        pvrdma_guest_setup(g);
        make_objects(g);
        qtest_system_reset(g->qts);
        pvrdma_guest_enable(g);
        pvrdma_reg_write(g, PVRDMA_REG_REQUEST, 0);
        g_assert_cmpuint(pvrdma_reg_read(g, PVRDMA_REG_ERR), !=, 0);
    }
}

static void test_doorbells(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_new();
    const uint32_t pages[] = { 0, 1, 2, 255 };
    uint32_t max_uar;

    pvrdma_uar_write(g, 0, PVRDMA_UAR_QP, 0xffffffff);
    pvrdma_guest_setup(g);
    max_uar = pvrdma_guest_caps(g).max_uar;
    for (unsigned i = 0; i < ARRAY_SIZE(pages); i++) {
        uint32_t page = pages[i] % max_uar;

        for (uint32_t off = 0; off < 16; off += 4) {
            pvrdma_uar_write(g, page, off, 0xffffffff);
            pvrdma_uar_write(g, page, off, PVRDMA_UAR_QP_SEND);
            pvrdma_uar_write(g, page, off, 0xe0000000 | 1);
        }
        pvrdma_uar_write(g, page, PVRDMA_PAGE - 4, 0xffffffff);
        g_assert_cmpuint(qpci_io_readl(g->dev, g->uar, page * PVRDMA_PAGE), ==,
                         0);
        qpci_io_writeb(g->dev, g->uar, page * PVRDMA_PAGE + 1, 0xff);
        qpci_io_writeq(g->dev, g->uar, page * PVRDMA_PAGE, UINT64_MAX);
    }
    pvrdma_pd_new(g, 0);
}

/* A CQ of one process, rung from the page of another: nothing happens. */
static void test_doorbell_owner(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_new();
    uint32_t uc1, uc2, handle;
    PvrdmaTestQp qp;
    PvrdmaTestCq cq;

    pvrdma_guest_setup(g);
    uc1 = pvrdma_uc_new(g, 1);
    uc2 = pvrdma_uc_new(g, 2);
    g_assert_cmpuint(uc1, !=, uc2);
    cq = pvrdma_cq_new(g, uc1, 64);
    qp = pvrdma_qp_new(g, pvrdma_pd_new(g, uc1), PVRDMA_QPT_UD, cq.handle,
                       cq.handle);
    pvrdma_bind_gid(g, 0);
    pvrdma_qp_connect(g, qp.handle, PVRDMA_QPT_UD, 0);
    pvrdma_uar_write(g, 2, PVRDMA_UAR_CQ, PVRDMA_UAR_CQ_ARM | cq.handle);
    pvrdma_uar_write(g, 0, PVRDMA_UAR_CQ, PVRDMA_UAR_CQ_ARM | cq.handle);
    g_assert_cmpuint(pvrdma_qp_to(g, qp.handle, PVRDMA_QPS_ERR), ==, 0);
    /* a receive that is flushed at once, if anybody looks at it */
    qtest_writel(g->qts, qp.mem.addr + PVRDMA_RING2_TAIL, 1);
    pvrdma_uar_write(g, 2, PVRDMA_UAR_QP, PVRDMA_UAR_QP_RECV | qp.handle);
    pvrdma_uar_write(g, 0, PVRDMA_UAR_QP, PVRDMA_UAR_QP_RECV | qp.handle);
    g_usleep(50000);
    g_assert_cmpuint(qtest_readl(g->qts, cq.mem.addr + PVRDMA_RING2_TAIL), ==,
                     0);
    pvrdma_uar_write(g, 1, PVRDMA_UAR_QP, PVRDMA_UAR_QP_RECV | qp.handle);
    for (int i = 0; i < 1000 && !qtest_readl(g->qts, cq.mem.addr +
                                             PVRDMA_RING2_TAIL); i++) {
        g_usleep(1000);
    }
    g_assert_cmpuint(qtest_readl(g->qts, cq.mem.addr + PVRDMA_RING2_TAIL), ==,
                     1);
    g_assert_false(pvrdma_notification_get(g, &handle));
}

void pvrdma_add_life_tests(void)
{
    qtest_add_func("/pvrdma/life/pci", test_pci);
    qtest_add_func("/pvrdma/life/registers", test_registers);
    qtest_add_func("/pvrdma/life/handshake", test_handshake);
    qtest_add_func("/pvrdma/life/bad-dsr", test_bad_dsr);
    qtest_add_func("/pvrdma/life/slot-without-ram", test_slot_without_ram);
    qtest_add_func("/pvrdma/life/reset", test_reset);
    qtest_add_func("/pvrdma/life/dsr-again", test_dsr_again);
    qtest_add_func("/pvrdma/life/bus-master", test_bus_master);
    qtest_add_func("/pvrdma/life/system-reset", test_system_reset);
    qtest_add_func("/pvrdma/life/doorbells", test_doorbells);
    qtest_add_func("/pvrdma/life/doorbell-owner", test_doorbell_owner);
}
