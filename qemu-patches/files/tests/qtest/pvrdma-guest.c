/*
 * QTest testcase for pvrdma: a guest's driver: machine, registers, commands
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "hw/pci/pci_regs.h"
#include "qobject/qdict.h"
#include "pvrdma-guest.h"

#define MSIX_WORD 0x50564d41u
#define SOFT_MAC "52:54:00:12:34:56"

const char *pvrdma_ibdev(void)
{
    const char *name = getenv("PVRDMA_TEST_IBDEV");

    return name && name[0] ? name : NULL;
}

bool pvrdma_iothread(void)
{
    return pvrdma_ibdev() && getenv("PVRDMA_TEST_IOTHREAD");
}

static bool gid_read(const char *ibdev, unsigned index, uint8_t gid[16])
{
    g_autofree char *path = g_strdup_printf(
        "/sys/class/infiniband/%s/ports/1/gids/%u", ibdev, index);
    g_autofree char *text = NULL;
    unsigned word[8];

    if (!g_file_get_contents(path, &text, NULL, NULL) ||
        sscanf(text, "%4x:%4x:%4x:%4x:%4x:%4x:%4x:%4x", &word[0], &word[1],
               &word[2], &word[3], &word[4], &word[5], &word[6],
               &word[7]) != 8) {
        return false;
    }
    for (int i = 0; i < 8; i++) {
        gid[2 * i] = word[i] >> 8;
        gid[2 * i + 1] = word[i];
    }
    return true;
}

static bool gid_has_mac(const uint8_t gid[16])
{
    return gid[0] == 0xfe && gid[1] == 0x80 && gid[11] == 0xff &&
           gid[12] == 0xfe;
}

static bool ibdev_gid(const char *ibdev, uint8_t gid[16], unsigned *ret_index)
{
    for (unsigned i = 0; i < 256; i++) {
        if (gid_read(ibdev, i, gid) && gid_has_mac(gid)) {
            *ret_index = i;
            return true;
        }
    }
    return false;
}

char *pvrdma_ibdev_mac(const char *ibdev, unsigned *ret_index)
{
    uint8_t gid[16];

    g_assert_true(ibdev_gid(ibdev, gid, ret_index));
    return g_strdup_printf("%02x:%02x:%02x:%02x:%02x:%02x", gid[8] ^ 2,
                           gid[9], gid[10], gid[13], gid[14], gid[15]);
}

char *pvrdma_mac(void)
{
    unsigned index;

    return pvrdma_ibdev() ? pvrdma_ibdev_mac(pvrdma_ibdev(), &index)
                          : g_strdup(SOFT_MAC);
}

const char *pvrdma_huge(void)
{
    const char *where = getenv("PVRDMA_TEST_HUGE");

    return where && where[0] ? where : NULL;
}

char *pvrdma_ram_args(unsigned mib)
{
    const char *huge = pvrdma_huge();
    g_autofree char *ram = NULL;

    if (huge && !g_str_equal(huge, "memfd")) {
        ram = g_strdup_printf("memory-backend-file,mem-path=%s", huge);
    } else if (huge) {
        ram = g_strdup("memory-backend-memfd,hugetlb=on,hugetlbsize=2M");
    } else if (pvrdma_ibdev()) {
        ram = g_strdup("memory-backend-memfd");
    } else {
        return g_strdup_printf("-machine q35 -m %uM", mib);
    }
    return g_strdup_printf("-machine q35,memory-backend=ram -m %uM "
                           "-object %s,id=ram,size=%uM,share=on", mib, ram,
                           mib);
}

char *pvrdma_machine_args(const char *mac)
{
    g_autofree char *ram = pvrdma_ram_args(128);

    return g_strdup_printf(
        "%s -nodefaults -nic none "
        "-device vmxnet3,addr=%x.0,multifunction=on,romfile=,mac=%s",
        ram, PVRDMA_SLOT, mac);
}

void pvrdma_irq_target(PvrdmaGuest *g, unsigned vector, uint64_t addr,
                       uint32_t data)
{
    uint64_t at = g->dev->msix_table_off + vector * PCI_MSIX_ENTRY_SIZE;
    QPCIBar bar = g->dev->msix_table_bar;

    qpci_io_writel(g->dev, bar, at + PCI_MSIX_ENTRY_LOWER_ADDR, addr);
    qpci_io_writel(g->dev, bar, at + PCI_MSIX_ENTRY_UPPER_ADDR, addr >> 32);
    qpci_io_writel(g->dev, bar, at + PCI_MSIX_ENTRY_DATA, data);
    qpci_io_writel(g->dev, bar, at + PCI_MSIX_ENTRY_VECTOR_CTRL, 0);
}

static void setup_msix(PvrdmaGuest *g)
{
    qtest_memset(g->qts, g->msix, 0, PVRDMA_PAGE);
    qpci_msix_enable(g->dev);
    g_assert_cmpint(qpci_msix_table_size(g->dev), ==, PVRDMA_NUM_VEC);
    for (unsigned i = 0; i < PVRDMA_NUM_VEC; i++) {
        pvrdma_irq_target(g, i, g->msix + 4 * i, MSIX_WORD);
    }
}

/* Where they were before a reset: the hole below 4 GiB is small. */
static void map_bars(PvrdmaGuest *g)
{
    const uint64_t free = g->pcibus->mmio_alloc_ptr;

    if (!g->bars) {
        g->bars = free;
    }
    g->pcibus->mmio_alloc_ptr = g->bars;
    g->regs = qpci_iomap(g->dev, 1, NULL);
    g->uar = qpci_iomap(g->dev, 2, NULL);
    setup_msix(g);
    g->pcibus->mmio_alloc_ptr = MAX(g->pcibus->mmio_alloc_ptr, free);
}

void pvrdma_guest_enable(PvrdmaGuest *g)
{
    qpci_device_enable(g->dev);
    map_bars(g);
}

PvrdmaGuest *pvrdma_guest_new(void)
{
    g_autofree char *mac = pvrdma_mac();
    g_autofree char *machine = pvrdma_machine_args(mac);
    g_autofree char *args = g_strdup_printf(
        "%s %s -device pvrdma,id=rdma%u,addr=%x.1,backend-dev=%s%s", machine,
        pvrdma_iothread() ? "-object iothread,id=io" : "", PVRDMA_SLOT,
        PVRDMA_SLOT, pvrdma_ibdev() ?: "",
        pvrdma_iothread() ? ",iothread=io" : "");

    return pvrdma_guest_start(args);
}

/* The first pages of the machine's memory, in any of its lives */
static void alloc_slots(PvrdmaGuest *g)
{
    g->msix = guest_alloc(g->alloc, PVRDMA_PAGE);
    g->dsr = guest_alloc(g->alloc, PVRDMA_PAGE);
    g->req = guest_alloc(g->alloc, PVRDMA_PAGE);
    g->resp = guest_alloc(g->alloc, PVRDMA_PAGE);
}

void pvrdma_guest_forget(PvrdmaGuest *g)
{
    alloc_destroy(g->alloc);
    pc_alloc_init(g->alloc, g->qts, ALLOC_NO_FLAGS);
    alloc_slots(g);
}

PvrdmaGuest *pvrdma_guest_ready(void)
{
    PvrdmaGuest *g = pvrdma_guest_new();

    pvrdma_guest_setup(g);
    return g;
}

static void find_device(PvrdmaGuest *g, unsigned slot)
{
    g->slot = slot;
    g->dev = qpci_device_find(g->pcibus, QPCI_DEVFN(slot, 1));
    g_assert_nonnull(g->dev);
    alloc_slots(g);
    pvrdma_guest_enable(g);
}

PvrdmaGuest *pvrdma_guest_start(const char *args)
{
    PvrdmaGuest *g = g_new0(PvrdmaGuest, 1);

    g->qts = qtest_init(args);
    g->alloc = g_new0(QGuestAllocator, 1);
    pc_alloc_init(g->alloc, g->qts, ALLOC_NO_FLAGS);
    g->pcibus = qpci_new_pc(g->qts, g->alloc);
    find_device(g, PVRDMA_SLOT);
    return g;
}

PvrdmaGuest *pvrdma_guest_share(PvrdmaGuest *g, unsigned slot)
{
    PvrdmaGuest *other = g_new0(PvrdmaGuest, 1);

    other->qts = g->qts;
    other->alloc = g->alloc;
    other->pcibus = g->pcibus;
    other->settle = g->settle;
    other->shares = true;
    find_device(other, slot);
    return other;
}

void pvrdma_guest_free(PvrdmaGuest *g)
{
    qpci_iounmap(g->dev, g->regs);
    qpci_iounmap(g->dev, g->uar);
    g_free(g->dev);
    g_free(g->nic);
    if (!g->shares) {
        qpci_free_pc(g->pcibus);
        alloc_destroy(g->alloc);
        g_free(g->alloc);
        qtest_quit(g->qts);
    }
    g_free(g);
}

uint32_t pvrdma_reg_read(PvrdmaGuest *g, uint32_t reg)
{
    return qpci_io_readl(g->dev, g->regs, reg);
}

void pvrdma_reg_write(PvrdmaGuest *g, uint32_t reg, uint32_t value)
{
    qpci_io_writel(g->dev, g->regs, reg, value);
}

void pvrdma_uar_write(PvrdmaGuest *g, uint32_t page, uint32_t off,
                      uint32_t value)
{
    qpci_io_writel(g->dev, g->uar, page * PVRDMA_PAGE + off, value);
}

uint64_t pvrdma_pdir(PvrdmaGuest *g, const uint64_t *page, uint32_t n)
{
    uint32_t tables = DIV_ROUND_UP(n, 512);
    g_autofree uint64_t *dir = g_new0(uint64_t, 512);
    uint64_t pdir = guest_alloc(g->alloc, PVRDMA_PAGE);
    uint64_t table = guest_alloc(g->alloc, tables * PVRDMA_PAGE);

    for (uint32_t i = 0; i < tables; i++) {
        dir[i] = table + i * PVRDMA_PAGE;
    }
    qtest_memwrite(g->qts, pdir, dir, PVRDMA_PAGE);
    qtest_memset(g->qts, table, 0, tables * PVRDMA_PAGE);
    qtest_bufwrite(g->qts, table, page, n * sizeof(*page));
    return pdir;
}

PvrdmaPages pvrdma_pages(PvrdmaGuest *g, uint32_t n)
{
    g_autofree uint64_t *page = g_new(uint64_t, n);
    PvrdmaPages p = {
        .n = n,
        .addr = guest_alloc(g->alloc, (size_t)n * PVRDMA_PAGE),
    };

    qtest_memset(g->qts, p.addr, 0, (size_t)n * PVRDMA_PAGE);
    for (uint32_t i = 0; i < n; i++) {
        page[i] = p.addr + (uint64_t)i * PVRDMA_PAGE;
    }
    p.pdir = pvrdma_pdir(g, page, n);
    return p;
}

/* Interrupts come from the main loop, soon after what caused them. */
bool pvrdma_irq(PvrdmaGuest *g, unsigned vector)
{
    for (int i = 0; i < 20; i++) {
        if (qtest_readl(g->qts, g->msix + 4 * vector) == MSIX_WORD) {
            qtest_writel(g->qts, g->msix + 4 * vector, 0);
            return true;
        }
        if (g->settle) {
            g->settle(g->qts);
        }
    }
    return false;
}

void pvrdma_guest_fill_dsr(PvrdmaGuest *g, PvrdmaDsr *dsr)
{
    PvrdmaPages async = pvrdma_pages(g, PVRDMA_RING_PAGES);
    PvrdmaPages cq = pvrdma_pages(g, PVRDMA_RING_PAGES);

    g->async_ring = async.addr;
    g->cq_ring = cq.addr;
    g->async_head = g->cq_head = 0;
    *dsr = (PvrdmaDsr) {
        .driver_version = PVRDMA_VERSION,
        .gos_info = 0x46,
        .cmd_slot_dma = g->req,
        .resp_slot_dma = g->resp,
        .async_ring_pages = { PVRDMA_RING_PAGES, 0, async.pdir },
        .cq_ring_pages = { PVRDMA_RING_PAGES, 0, cq.pdir },
        .uar_pfn = g->uar.addr / PVRDMA_PAGE,
    };
}

void pvrdma_guest_write_dsr(PvrdmaGuest *g, const PvrdmaDsr *dsr)
{
    qtest_memwrite(g->qts, g->dsr, dsr, sizeof(*dsr));
}

void pvrdma_guest_map_dsr(PvrdmaGuest *g, uint64_t addr)
{
    pvrdma_reg_write(g, PVRDMA_REG_DSRLOW, addr);
    pvrdma_reg_write(g, PVRDMA_REG_DSRHIGH, addr >> 32);
}

PvrdmaDevCaps pvrdma_guest_caps(PvrdmaGuest *g)
{
    PvrdmaDsr dsr;

    qtest_memread(g->qts, g->dsr, &dsr, sizeof(dsr));
    return dsr.caps;
}

void pvrdma_guest_setup(PvrdmaGuest *g)
{
    PvrdmaDsr dsr;

    g_assert_cmpuint(pvrdma_reg_read(g, PVRDMA_REG_VERSION), ==,
                     PVRDMA_VERSION);
    pvrdma_guest_fill_dsr(g, &dsr);
    pvrdma_guest_write_dsr(g, &dsr);
    pvrdma_guest_map_dsr(g, g->dsr);
    g_assert_cmpuint(pvrdma_guest_caps(g).gid_types, ==,
                     PVRDMA_GID_TYPE_ROCE_V2);
    pvrdma_reg_write(g, PVRDMA_REG_IMR, 0);
    pvrdma_reg_write(g, PVRDMA_REG_CTL, PVRDMA_CTL_ACTIVATE);
    g_assert_cmpuint(pvrdma_reg_read(g, PVRDMA_REG_ERR), ==, 0);
}

static bool cmd_is_awaited(uint32_t cmd)
{
    switch (cmd) {
    case PVRDMA_CMD_QUERY_PORT:
    case PVRDMA_CMD_QUERY_PKEY:
    case PVRDMA_CMD_CREATE_UC:
    case PVRDMA_CMD_CREATE_PD:
    case PVRDMA_CMD_CREATE_MR:
    case PVRDMA_CMD_CREATE_CQ:
    case PVRDMA_CMD_CREATE_QP:
    case PVRDMA_CMD_MODIFY_QP:
    case PVRDMA_CMD_QUERY_QP:
    case PVRDMA_CMD_CREATE_SRQ:
    case PVRDMA_CMD_QUERY_SRQ:
        return true;
    default:
        return false;
    }
}

uint32_t pvrdma_cmd(PvrdmaGuest *g, uint32_t cmd, PvrdmaReq *req,
                    PvrdmaResp *resp)
{
    PvrdmaResp dummy;
    uint32_t err;

    req->hdr.response = 0x1122334455667788;
    req->hdr.cmd = cmd;
    qtest_memwrite(g->qts, g->req, req, sizeof(*req));
    qtest_memset(g->qts, g->resp, 0xa5, sizeof(*resp));
    qtest_writel(g->qts, g->msix + 4 * PVRDMA_VEC_CMD, 0);
    pvrdma_reg_write(g, PVRDMA_REG_REQUEST, 0);
    err = pvrdma_reg_read(g, PVRDMA_REG_ERR);
    /* exactly the commands that are awaited, and worked, raise vector 0 */
    g_assert_cmpint(pvrdma_irq(g, PVRDMA_VEC_CMD), ==,
                    !err && cmd_is_awaited(cmd));
    if (err) {
        return err;
    }
    resp = resp ? resp : &dummy;
    qtest_memread(g->qts, g->resp, resp, sizeof(*resp));
    g_assert_cmphex(resp->hdr.ack, ==, PVRDMA_ACK + cmd);
    g_assert_cmphex(resp->hdr.response, ==, req->hdr.response);
    return 0;
}

uint32_t pvrdma_cmd_handle(PvrdmaGuest *g, uint32_t cmd, uint32_t handle)
{
    PvrdmaReq req = { .handle.handle = handle };

    return pvrdma_cmd(g, cmd, &req, NULL);
}

uint32_t pvrdma_cmd_spoilt(PvrdmaGuest *g, uint32_t cmd, const PvrdmaReq *good,
                           size_t off, size_t size, uint64_t value)
{
    PvrdmaReq req = *good;

    memcpy((char *)&req + off, &value, size);
    g_test_message("command %u offset %zu value 0x%" PRIx64, cmd, off, value);
    return pvrdma_cmd(g, cmd, &req, NULL);
}
