/*
 * QTest testcase for pvrdma: hot-plug and unplug
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "pvrdma-end.h"
#include "pvrdma-tests.h"

/* Function 0 comes last, and takes the slot with it when it goes. */
static void test_hotplug(void)
{
    QTestState *qts = qtest_init(
        "-machine q35 -nodefaults -netdev hubport,id=n0,hubid=0 "
        "-device pcie-root-port,id=rp,chassis=1");

    for (int i = 0; i < 3; i++) {
        qtest_qmp_device_add(qts, "pvrdma", "rdma", "{'bus': 'rp', "
                             "'addr': '0x0.1'}");
        qtest_qmp_device_add(qts, "vmxnet3", "nic", "{'bus': 'rp', "
                             "'addr': '0x0.0', 'multifunction': true, "
                             "'netdev': 'n0', 'romfile': ''}");
        qtest_qmp_device_del_send(qts, "nic");
        qtest_system_reset_nowait(qts);
        for (int n = 0; n < 2; n++) {
            qtest_qmp_eventwait(qts, "DEVICE_DELETED");
        }
        qtest_qmp_assert_success(qts, "{'execute': 'query-status'}");
        qtest_qmp_assert_success(qts, "{'execute': 'netdev_del', "
                                 "'arguments': {'id': 'n0'}}");
        qtest_qmp_assert_success(qts, "{'execute': 'netdev_add', "
                                 "'arguments': {'type': 'hubport', "
                                 "'id': 'n0', 'hubid': 0}}");
    }
    qtest_quit(qts);
}

/* The guest lets go of a slot while its device sends and receives. */
static void test_unplug(void)
{
    PvrdmaWireSendWr wr = { .opcode = PVRDMA_WR_RDMA_WRITE };
    PvrdmaWireSendWr waiting = { .opcode = PVRDMA_WR_SEND };
    End e[2];

    if (!qtest_has_machine("pc")) {
        g_test_skip("no pc machine");
        return;
    }
    ends_on_hub(e, "pc");
    end_send(&e[1], &waiting, 0, HALF);
    for (int i = 0; i < 8; i++) {
        wr.wr.rdma.remote_addr = e[1].va;
        wr.wr.rdma.rkey = e[1].mr.rkey;
        end_send(&e[0], &wr, HALF, HALF);
    }
    /* ACPI: bus 0, then the slot to eject */
    qtest_qmp_device_del_send(e[0].g->qts, "rdma6");
    qtest_outl(e[0].g->qts, 0xae10, 0);
    qtest_outl(e[0].g->qts, 0xae08, 1u << (PVRDMA_SLOT + 1));
    qtest_qmp_eventwait(e[0].g->qts, "DEVICE_DELETED");
    end_send(&e[0], &wr, 0, 8);
    for (int i = 0; i < 30; i++) {
        qtest_clock_step(e[0].g->qts, 500000000);
    }
    for (int i = 0; i < 9; i++) {
        g_assert_cmpuint(pvrdma_cqe_wait(e[0].g, &e[0].cq).opcode, ==,
                         PVRDMA_WC_OP_RDMA_WRITE);
    }
    g_assert_cmpuint(pvrdma_qp_query(e[0].g, e[0].qp.handle).qp_state, ==,
                     PVRDMA_QPS_ERR);
    ends_free(e);
}

void pvrdma_add_hotplug_tests(void)
{
    qtest_add_func("/pvrdma/wire/hotplug", test_hotplug);
    qtest_add_func("/pvrdma/wire/unplug", test_unplug);
}
