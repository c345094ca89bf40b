/*
 * QTest testcase for pvrdma: a guest's driver: function 0
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * As much of a vmxnet3 driver as makes the vmxnet3 active, and its link the
 * port's.  It has no receive buffers, so what gets through to it is dropped, or
 * one, wherever a hostile guest wants it.
 */
#include "qemu/osdep.h"
#include "hw/net/vmxnet3.h"
#include "pvrdma-guest.h"

#define RING_SIZE 32
#define RX_RING 2048           /* of a page whose begin the others share */

static void fill_queues(PvrdmaGuest *g, uint64_t at)
{
    uint64_t rings = guest_alloc(g->alloc, PVRDMA_PAGE);
    struct Vmxnet3_TxQueueDesc tx = {
        .conf = {
            .txRingBasePA = rings,
            .compRingBasePA = rings,
            .txRingSize = RING_SIZE,
            .compRingSize = RING_SIZE,
        },
    };
    struct Vmxnet3_RxQueueDesc rx = {
        .conf = {
            .rxRingBasePA = { rings + RX_RING, rings + RX_RING },
            .compRingBasePA = rings,
            .rxRingSize = { RING_SIZE, RING_SIZE },
            .compRingSize = RING_SIZE,
        },
    };

    struct Vmxnet3_RxDesc desc = {
        .addr = g->nic_buffer, .len = 4, .gen = VMXNET3_INIT_GEN,
    };

    qtest_memset(g->qts, rings, 0, PVRDMA_PAGE);
    if (g->nic_buffer) {
        qtest_memwrite(g->qts, rings + RX_RING, &desc, sizeof(desc));
    }
    qtest_memwrite(g->qts, at, &tx, sizeof(tx));
    qtest_memwrite(g->qts, at + sizeof(tx), &rx, sizeof(rx));
}

static uint64_t shared_region(PvrdmaGuest *g, uint32_t mtu)
{
    uint64_t at = guest_alloc(g->alloc, 2 * PVRDMA_PAGE);
    struct Vmxnet3_DriverShared shared = {
        .magic = VMXNET3_REV1_MAGIC,
        .devRead.misc = {
            .queueDescPA = at + PVRDMA_PAGE,
            .queueDescLen = sizeof(struct Vmxnet3_TxQueueDesc) +
                            sizeof(struct Vmxnet3_RxQueueDesc),
            .mtu = mtu,
            .maxNumRxSG = 1,
            .numTxQueues = 1,
            .numRxQueues = 1,
        },
        .devRead.intrConf.numIntrs = 1,
        .devRead.rxFilterConf.rxMode = VMXNET3_RXM_PROMISC,
    };

    fill_queues(g, at + PVRDMA_PAGE);
    qtest_memwrite(g->qts, at, &shared, sizeof(shared));
    return at;
}

void pvrdma_nic_up(PvrdmaGuest *g, uint32_t mtu)
{
    uint64_t at = shared_region(g, mtu);

    if (!g->nic) {
        g->nic = qpci_device_find(g->pcibus, QPCI_DEVFN(g->slot, 0));
        g_assert_nonnull(g->nic);
        qpci_device_enable(g->nic);
        g->nic_bar = qpci_iomap(g->nic, 1, NULL);
    }
    qpci_io_writel(g->nic, g->nic_bar, VMXNET3_REG_DSAL, at);
    qpci_io_writel(g->nic, g->nic_bar, VMXNET3_REG_DSAH, at >> 32);
    qpci_io_writel(g->nic, g->nic_bar, VMXNET3_REG_CMD,
                   VMXNET3_CMD_ACTIVATE_DEV);
}

void pvrdma_nic_down(PvrdmaGuest *g)
{
    qpci_io_writel(g->nic, g->nic_bar, VMXNET3_REG_CMD,
                   VMXNET3_CMD_QUIESCE_DEV);
}
