/*
 * Fuzzing of pvrdma: machine, guest and valid objects
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include <sys/mman.h>
#include "hw/pci/pci_regs.h"
#include "pvrdma-fuzz.h"

#define RAM_SIZE (4u << 20)
#define RAM_BEGIN (1u << 20)   /* below it, firmware and legacy devices */
#define PORT_SLOT 5
#define BUS 1
#define MR_PAGES 8
#define FAST_MR 2
#define DMA_MR 3
#define PEER_QPN 0x777

/* Behind a root port, as only its slot can be unplugged by the guest */
static char *machine_args(const PvrdmaFuzz *f)
{
    g_autofree char *mac = pvrdma_mac();

    return g_strdup_printf(
        "-machine q35,memory-backend=ram -m %uM -nodefaults -nic none "
        "-object memory-backend-file,id=ram,size=%u,share=on,"
        "mem-path=/proc/self/fd/%d "
        "-global ICH9-LPC.acpi-pci-hotplug-with-bridge-support=off "
        "-netdev dgram,id=n0,local.type=fd,local.str=%d "
        "-device pcie-root-port,id=rp,chassis=1,addr=%x "
        "-device vmxnet3,id=nic,bus=rp,addr=0.0,multifunction=on,romfile=,"
        "netdev=n0,mac=%s -device pvrdma,id=rdma,bus=rp,addr=0.1",
        RAM_SIZE >> 20, RAM_SIZE, f->ram_fd, f->net_fd, PORT_SLOT, mac);
}

char *pvrdma_fuzz_args(PvrdmaFuzz *f)
{
    int fd[2];

    f->ram_fd = memfd_create("guest", 0);
    g_assert_cmpint(f->ram_fd, >=, 0);
    g_assert_cmpint(ftruncate(f->ram_fd, RAM_SIZE), ==, 0);
    f->ram = mmap(NULL, RAM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
                  f->ram_fd, 0);
    g_assert_true(f->ram != MAP_FAILED);
    g_assert_cmpint(socketpair(AF_UNIX, SOCK_DGRAM, 0, fd), ==, 0);
    f->net_fd = fd[0];
    f->wire = fd[1];
    return machine_args(f);
}

void pvrdma_fuzz_free(PvrdmaFuzz *f)
{
    munmap(f->ram, RAM_SIZE);
    close(f->ram_fd);
    close(f->net_fd);
    close(f->wire);
}

void fuzz_settle(PvrdmaFuzz *f)
{
    f->ops->settle(f->qts);
}

static QPCIDevice port_device(PvrdmaFuzz *f)
{
    return (QPCIDevice) {
        .bus = f->base.pcibus, .devfn = QPCI_DEVFN(PORT_SLOT, 0),
    };
}

static void port_setup(PvrdmaFuzz *f)
{
    QPCIDevice port = port_device(f);

    qpci_device_enable(&port);
    qpci_config_writeb(&port, PCI_SECONDARY_BUS, BUS);
    qpci_config_writeb(&port, PCI_SUBORDINATE_BUS, BUS);
    qpci_config_writew(&port, PCI_MEMORY_BASE, 0xe000);
    qpci_config_writew(&port, PCI_MEMORY_LIMIT, 0xeff0);
}

void fuzz_bus_reset(PvrdmaFuzz *f)
{
    QPCIDevice port = port_device(f);
    uint16_t ctl = qpci_config_readw(&port, PCI_BRIDGE_CONTROL);

    qpci_config_writew(&port, PCI_BRIDGE_CONTROL,
                       ctl | PCI_BRIDGE_CTL_BUS_RESET);
    qpci_config_writew(&port, PCI_BRIDGE_CONTROL,
                       ctl & ~PCI_BRIDGE_CTL_BUS_RESET);
}

void fuzz_unplug(PvrdmaFuzz *f)
{
    QPCIDevice port = port_device(f);
    uint8_t at = qpci_find_capability(&port, PCI_CAP_ID_EXP, 0);

    qpci_config_writew(&port, at + PCI_EXP_SLTCTL,
                       PCI_EXP_SLTCTL_PCC | PCI_EXP_SLTCTL_PWR_IND_OFF);
    fuzz_settle(f);
    f->gone = true;
}

static void add_region(PvrdmaFuzz *f, uint64_t addr, uint32_t size)
{
    g_assert_cmpuint(f->regions, <, FUZZ_REGIONS);
    f->region[f->regions++] = (FuzzRegion) { addr, size };
}

/* The object's memory, its directory, and the one table behind that */
static void add_pages(PvrdmaFuzz *f, const PvrdmaPages *p)
{
    uint64_t table;

    memcpy(&table, f->ram + p->pdir, sizeof(table));
    add_region(f, p->addr, p->n * PVRDMA_PAGE);
    add_region(f, p->pdir, PVRDMA_PAGE);
    add_region(f, table, PVRDMA_PAGE);
}

static void add_regions(PvrdmaFuzz *f)
{
    f->regions = 0;
    add_region(f, f->g->req, sizeof(PvrdmaReq));
    add_region(f, f->g->dsr, sizeof(PvrdmaDsr));
    add_region(f, f->g->resp, sizeof(PvrdmaResp));
    add_region(f, f->g->async_ring, PVRDMA_RING_PAGES * PVRDMA_PAGE);
    add_region(f, f->g->cq_ring, PVRDMA_RING_PAGES * PVRDMA_PAGE);
    for (unsigned i = 0; i < FUZZ_CQS; i++) {
        add_pages(f, &f->cq[i].mem);
    }
    for (unsigned i = 0; i < FUZZ_QPS; i++) {
        add_pages(f, &f->qp[i].mem);
    }
    for (unsigned i = 0; i < FAST_MR; i++) {
        add_pages(f, &f->mr[i].mem);
    }
    add_pages(f, &f->srq.mem);
    add_pages(f, &f->mr[FAST_MR].mem);
}

/* 0 and 1 are connected with each other, as are 2 and 3, which are a process's;
 * 4 UD, 5 has an SRQ and a peer on the wire, 6 GSI */
unsigned fuzz_owner(unsigned qp)
{
    return qp == 2 || qp == 3;
}

uint8_t fuzz_qp_type(unsigned qp)
{
    return qp == 4 ? PVRDMA_QPT_UD : qp == 6 ? PVRDMA_QPT_GSI : PVRDMA_QPT_RC;
}

uint64_t fuzz_mr_va(const PvrdmaFuzz *f, unsigned mr)
{
    return mr == DMA_MR ? f->mr[0].mem.addr
                        : 0x7f0000000000 + f->mr[mr].mem.addr;
}

static PvrdmaTestMr special_mr(PvrdmaFuzz *f, uint32_t flags)
{
    PvrdmaTestMr mr = { .mem = pvrdma_pages(f->g, MR_PAGES) };
    PvrdmaReq req = {
        .create_mr = {
            .pd_handle = f->pd[0],
            .flags = flags,
            .access_flags = PVRDMA_ACCESS_LOCAL_WRITE,
            .nchunks = flags & PVRDMA_MR_FLAG_FRMR ? MR_PAGES : 0,
        },
    };
    PvrdmaResp resp;

    g_assert_cmpuint(pvrdma_cmd(f->g, PVRDMA_CMD_CREATE_MR, &req, &resp), ==,
                     0);
    mr.handle = resp.create_mr.mr_handle;
    mr.lkey = resp.create_mr.lkey;
    mr.rkey = resp.create_mr.rkey;
    return mr;
}

static void make_memory(PvrdmaFuzz *f)
{
    f->pd[0] = pvrdma_pd_new(f->g, 0);
    f->pd[1] = pvrdma_pd_new(f->g, f->uc);
    for (unsigned i = 0; i < FAST_MR; i++) {
        f->mr[i] = pvrdma_mr_new(f->g, f->pd[i], MR_PAGES);
    }
    f->mr[FAST_MR] = special_mr(f, PVRDMA_MR_FLAG_FRMR);
    f->mr[DMA_MR] = special_mr(f, PVRDMA_MR_FLAG_DMA);
}

static void make_queues(PvrdmaFuzz *f)
{
    /* the last one overflows soon */
    for (unsigned i = 0; i < FUZZ_CQS; i++) {
        f->cq[i] = pvrdma_cq_new(f->g, i == 1 ? f->uc : 0, i == 2 ? 4 : 64);
        f->cq[i].uar = i == 1;
    }
    f->srq = pvrdma_srq_new(f->g, f->pd[0], 16);
    for (unsigned i = 0; i < FUZZ_QPS; i++) {
        unsigned owner = fuzz_owner(i);
        uint32_t cq = f->cq[i == 4 ? 2 : owner].handle;

        f->qp[i] = i == 5
            ? pvrdma_qp_new_srq(f->g, f->pd[0], PVRDMA_QPT_RC, cq, cq,
                                f->srq.handle)
            : pvrdma_qp_new(f->g, f->pd[owner], fuzz_qp_type(i), cq, cq);
        f->qp[i].uar = owner;
        f->psn[i] = 7;
    }
}

static void path_to(const PvrdmaFuzz *f, unsigned qp, PvrdmaWireAh *av)
{
    static const uint8_t peer_mac[6] = { 0x52, 0x54, 0, 0, 0, 0xb };

    *av = (PvrdmaWireAh) { .ah_flags = 1, .port_num = 1, .hop_limit = 64 };
    if (qp == 5) {
        pvrdma_gid_of_mac(peer_mac, av->dgid);
        memcpy(av->dmac, peer_mac, sizeof(peer_mac));
    } else {
        pvrdma_own_gid(av->dgid);
    }
}

static uint32_t init_attr(uint8_t type, PvrdmaWireQpAttr *attr)
{
    attr->port_num = 1;
    attr->qkey = 0x11111111;
    attr->qp_access_flags = PVRDMA_ACCESS_MASK;
    return PVRDMA_QP_ATTR_STATE | PVRDMA_QP_ATTR_PORT |
           PVRDMA_QP_ATTR_PKEY_INDEX |
           (type == PVRDMA_QPT_RC ? PVRDMA_QP_ATTR_ACCESS_FLAGS
                                  : PVRDMA_QP_ATTR_QKEY);
}

static uint32_t rtr_attr(PvrdmaFuzz *f, unsigned qp, PvrdmaWireQpAttr *attr)
{
    attr->path_mtu = 1;
    attr->dest_qp_num = qp < 4 ? f->qp[qp ^ 1].qpn : PEER_QPN;
    attr->rq_psn = 7;
    attr->max_dest_rd_atomic = 4;
    attr->min_rnr_timer = 12;
    path_to(f, qp, &attr->ah_attr);
    return PVRDMA_QP_ATTR_STATE |
           (fuzz_qp_type(qp) != PVRDMA_QPT_RC ? 0 :
            PVRDMA_QP_ATTR_AV | PVRDMA_QP_ATTR_PATH_MTU |
            PVRDMA_QP_ATTR_DEST_QPN | PVRDMA_QP_ATTR_RQ_PSN |
            PVRDMA_QP_ATTR_MAX_DEST_RD_ATOMIC | PVRDMA_QP_ATTR_MIN_RNR_TIMER);
}

static uint32_t rts_attr(uint8_t type, PvrdmaWireQpAttr *attr)
{
    attr->sq_psn = 7;
    attr->timeout = 14;
    attr->retry_cnt = 2;
    attr->rnr_retry = 2;
    attr->max_rd_atomic = 4;
    return PVRDMA_QP_ATTR_STATE | PVRDMA_QP_ATTR_SQ_PSN |
           (type != PVRDMA_QPT_RC ? 0 :
            PVRDMA_QP_ATTR_TIMEOUT | PVRDMA_QP_ATTR_RETRY_CNT |
            PVRDMA_QP_ATTR_RNR_RETRY | PVRDMA_QP_ATTR_MAX_QP_RD_ATOMIC);
}

uint32_t fuzz_qp_attr(PvrdmaFuzz *f, unsigned qp, uint32_t state,
                      PvrdmaWireQpAttr *attr)
{
    uint8_t type = fuzz_qp_type(qp);

    *attr = (PvrdmaWireQpAttr) { .qp_state = state };
    switch (state) {
    case PVRDMA_QPS_INIT:
        return init_attr(type, attr);
    case PVRDMA_QPS_RTR:
        return rtr_attr(f, qp, attr);
    case PVRDMA_QPS_RTS:
        return rts_attr(type, attr);
    default:
        return PVRDMA_QP_ATTR_STATE;
    }
}

static void connect_queues(PvrdmaFuzz *f)
{
    PvrdmaWireQpAttr attr;

    for (unsigned i = 0; i < FUZZ_QPS; i++) {
        for (uint32_t s = PVRDMA_QPS_INIT; s <= PVRDMA_QPS_RTS; s++) {
            uint32_t mask = fuzz_qp_attr(f, i, s, &attr);

            g_assert_cmpuint(pvrdma_qp_modify(f->g, f->qp[i].handle, mask,
                                              &attr), ==, 0);
        }
    }
}

void fuzz_begin(PvrdmaFuzz *f)
{
    memset(f->ram + RAM_BEGIN, 0, RAM_SIZE - RAM_BEGIN);
    alloc_init(&f->alloc, ALLOC_NO_FLAGS, RAM_BEGIN, RAM_SIZE, PVRDMA_PAGE);
    f->base = (PvrdmaGuest) {
        .qts = f->qts,
        .alloc = &f->alloc,
        .pcibus = qpci_new_pc(f->qts, &f->alloc),
        .settle = f->ops->settle,
    };
    port_setup(f);
    f->g = pvrdma_guest_share(&f->base, BUS << 5);
    pvrdma_nic_up(f->g, 1500);
    pvrdma_guest_setup(f->g);
    pvrdma_bind_gid(f->g, 0);
    f->uc = pvrdma_uc_new(f->g, 1);
    make_memory(f);
    make_queues(f);
    connect_queues(f);
    add_regions(f);
}

void fuzz_end(PvrdmaFuzz *f)
{
    if (f->gone) {
        f->ops->plug(f);
        f->gone = false;
    }
    f->ops->system_reset(f);
    fuzz_settle(f);
    pvrdma_guest_free(f->g);
    qpci_free_pc(f->base.pcibus);
    alloc_destroy(&f->alloc);
}
