/*
 * QTest testcase for pvrdma: hot-plug and unplug
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "hw/pci/pci_regs.h"
#include "qobject/qdict.h"
#include "qobject/qlist.h"
#include "qobject/qstring.h"
#include "pvrdma-end.h"
#include "pvrdma-pair.h"
#include "pvrdma-tests.h"
#include "pvrdma-watch.h"

#define PLUG_SLOT 7

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

/* What the device of a pair does under load */

static void check_works(PvrdmaPair *t)
{
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_SEND);

    pair_recv(t, 1, PAIR_RECV, 2000, 1);
    pair_send(t, 0, &wr, 0, 2000);
    pair_sent(t, PVRDMA_WC_OP_SEND);
    g_assert_cmpuint(pair_status(t, 1), ==, PVRDMA_WC_SUCCESS);
}

static void load(PvrdmaPair *t)
{
    PvrdmaWireSendWr write = pair_send_wr(PVRDMA_WR_RDMA_WRITE);
    PvrdmaWireSendWr waits = pair_send_wr(PVRDMA_WR_SEND);

    write.wr.rdma.remote_addr = t->va + PAIR_RECV;
    write.wr.rdma.rkey = t->mr.rkey;
    for (int i = 0; i < 10; i++) {
        pair_send(t, 0, &write, 0, PAIR_RECV);
    }
    for (int i = 0; i < 2; i++) {
        pair_send(t, 1, &waits, 0, 64);
        pvrdma_uar_write(t->g, 0, PVRDMA_UAR_CQ,
                         PVRDMA_UAR_CQ_ARM | t->cq[i].handle);
    }
}

/* Either function may be the first one on the command line. */
static void test_cold_order(void)
{
    g_autofree char *mac = pvrdma_mac();
    g_autofree char *args = g_strdup_printf(
        "-machine q35 -nodefaults -m 128M -device pvrdma,id=rdma5,addr=5.1 "
        "-device vmxnet3,addr=5.0,multifunction=on,romfile=,mac=%s", mac);
    PvrdmaPair t = pair_on(pvrdma_guest_start(args), PVRDMA_QPT_RC, 0);

    check_works(&t);
    pair_free(&t);
}

/* A machine of which slots can be ejected; NULL: there is none */
static PvrdmaGuest *pc_machine(void)
{
    g_autofree char *first = end_device(PVRDMA_SLOT, end_mac_a, NULL);
    g_autofree char *args = g_strdup_printf(
        "-machine pc -nodefaults -m 128M %s", first);

    if (!qtest_has_machine("pc")) {
        g_test_skip("no pc machine");
        return NULL;
    }
    return pvrdma_guest_start(args);
}

static void plug_function_1(QTestState *qts)
{
    qtest_qmp_device_add(qts, "pvrdma", "rdma7", "{'addr': '7.1'}");
}

static void plug_function_0(QTestState *qts)
{
    g_autofree char *mac = pvrdma_mac();

    qtest_qmp_device_add(qts, "vmxnet3", "nic7", "{'addr': '7.0', "
                         "'multifunction': true, 'romfile': '', 'mac': %s}",
                         mac);
}

static void eject(QTestState *qts, const char *id, int functions)
{
    qtest_qmp_device_del_send(qts, id);
    qtest_outl(qts, 0xae10, 0);
    qtest_outl(qts, 0xae08, 1u << PLUG_SLOT);
    for (int i = 0; i < functions; i++) {
        qtest_qmp_eventwait(qts, "DEVICE_DELETED");
    }
}

static bool blocks_migration(QTestState *qts, const char *id)
{
    QDict *reply = qtest_qmp(qts, "{'execute': 'query-migrate'}");
    const QListEntry *e;
    bool found = false;

    QLIST_FOREACH_ENTRY(qdict_get_qlist(qdict_get_qdict(reply, "return"),
                                        "blocked-reasons"), e) {
        found |= !!strstr(qstring_get_str(qobject_to(QString,
                                                     qlist_entry_obj(e))),
                          id);
    }
    qobject_unref(reply);
    return found;
}

/* Function 0 last: the guest finds neither before. */
static void test_function_1_first(void)
{
    PvrdmaGuest *g = pc_machine();
    PvrdmaPair t;

    if (!g) {
        return;
    }
    plug_function_1(g->qts);
    g_assert_cmphex(g->pcibus->config_readw(g->pcibus,
                                            QPCI_DEVFN(PLUG_SLOT, 1),
                                            PCI_VENDOR_ID), ==, 0xffff);
    plug_function_0(g->qts);
    t = pair_on(pvrdma_guest_share(g, PLUG_SLOT), PVRDMA_QPT_RC, 0);
    check_works(&t);
    pair_free(&t);
    pvrdma_guest_free(g);
}

/* QEMU itself refuses a function that guests would not find any more. */
static void test_function_0_first(void)
{
    PvrdmaGuest *g = pc_machine();
    PvrdmaPair t;
    QDict *reply;

    if (!g) {
        return;
    }
    plug_function_0(g->qts);
    reply = qtest_qmp(g->qts, "{'execute': 'device_add', 'arguments': "
                      "{'driver': 'pvrdma', 'id': 'rdma7', 'addr': '7.1'}}");
    g_assert_true(qdict_haskey(reply, "error"));
    qobject_unref(reply);
    g_assert_false(blocks_migration(g->qts, "rdma7"));
    eject(g->qts, "nic7", 1);
    plug_function_1(g->qts);
    plug_function_0(g->qts);
    t = pair_on(pvrdma_guest_share(g, PLUG_SLOT), PVRDMA_QPT_RC, 0);
    check_works(&t);
    pair_free(&t);
    pvrdma_guest_free(g);
}

/* It goes with all that is under way, by either of its functions' names. */
static void test_unplug_busy(void)
{
    PvrdmaGuest *g = pc_machine();

    for (int i = 0; g && i < 4; i++) {
        PvrdmaPair t;
        const PvrdmaPages *mem[] = { &t.mr.mem, &t.cq[0].mem, &t.cq[1].mem,
                                     &t.qp[0].mem, &t.qp[1].mem };

        plug_function_1(g->qts);
        plug_function_0(g->qts);
        g_assert_true(blocks_migration(g->qts, "rdma7"));
        t = pair_on(pvrdma_guest_share(g, PLUG_SLOT), PVRDMA_QPT_RC, 0);
        check_works(&t);
        load(&t);
        if (i & 2) { /* the event ring is full */
            qtest_writel(g->qts, t.g->async_ring + PVRDMA_RING2_HEAD, 512);
            qtest_writel(g->qts, t.qp[1].mem.addr + PVRDMA_RING2_TAIL, 77);
            pvrdma_uar_write(t.g, 0, PVRDMA_UAR_QP,
                             PVRDMA_UAR_QP_RECV | t.qp[1].handle);
        }
        eject(g->qts, i & 1 ? "nic7" : "rdma7", 2);
        for (unsigned k = 0; k < ARRAY_SIZE(mem); k++) {
            watch_mark(g, mem[k]);
        }
        for (int k = 0; k < 10; k++) {
            qtest_clock_step(g->qts, 200 * 1000 * 1000);
        }
        for (unsigned k = 0; k < ARRAY_SIZE(mem); k++) {
            watch_marked(g, mem[k]);
        }
        g_assert_false(blocks_migration(g->qts, "rdma7"));
        pair_free(&t);
    }
    if (g) {
        pvrdma_guest_free(g);
    }
}

void pvrdma_add_hotplug_tests(void)
{
    qtest_add_func("/pvrdma/wire/hotplug", test_hotplug);
    qtest_add_func("/pvrdma/wire/unplug", test_unplug);
    qtest_add_func("/pvrdma/hotplug/cold-order", test_cold_order);
    qtest_add_func("/pvrdma/hotplug/function-1-first", test_function_1_first);
    qtest_add_func("/pvrdma/hotplug/function-0-first", test_function_0_first);
    qtest_add_func("/pvrdma/hotplug/unplug-busy", test_unplug_busy);
}
