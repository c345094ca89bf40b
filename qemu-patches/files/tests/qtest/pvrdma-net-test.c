/*
 * QTest testcase for pvrdma: RDMA in software while its network changes
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "hw/pci/pci_regs.h"
#include "pvrdma-peer.h"
#include "pvrdma-tests.h"

static PvrdmaWirePort query_port(PvrdmaGuest *g)
{
    PvrdmaReq req = { .query_port.port_num = 1 };
    PvrdmaResp resp;

    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_QUERY_PORT, &req, &resp), ==, 0);
    return resp.query_port.attrs;
}

static void expect_port(PvrdmaGuest *g, bool up)
{
    PvrdmaWireEvent event = pvrdma_event_wait(g);
    PvrdmaWirePort port = query_port(g);

    g_assert_cmpuint(event.type, ==, up ? PVRDMA_EVENT_PORT_ACTIVE
                                        : PVRDMA_EVENT_PORT_ERR);
    g_assert_cmpuint(event.info, ==, 1);
    g_assert_cmpuint(port.state, ==, up ? PVRDMA_PORT_ACTIVE
                                        : PVRDMA_PORT_DOWN);
    g_assert_cmpuint(port.phys_state, ==, up ? 5 : 3);
}

static void test_link(void)
{
    int fd;
    End e = peer_new(&fd, PVRDMA_QPT_UD);
    PvrdmaWireEvent event;

    g_assert_false(pvrdma_event_get(e.g, &event));
    g_assert_cmpuint(query_port(e.g).state, ==, PVRDMA_PORT_ACTIVE);
    g_assert_cmpuint(query_port(e.g).active_mtu, ==, 3);
    for (int i = 0; i < 2; i++) {
        const char *name = i ? "n0" : "nic5";

        qtest_qmp_assert_success(
            e.g->qts, "{'execute': 'set_link', 'arguments': "
            "{'name': %s, 'up': false}}", name);
        expect_port(e.g, false);
        qtest_qmp_assert_success(
            e.g->qts, "{'execute': 'set_link', 'arguments': "
            "{'name': %s, 'up': true}}", name);
        expect_port(e.g, true);
        peer_arrives(&e, fd);
    }
    /* another MTU, as the guest's driver sets it */
    pvrdma_nic_down(e.g);
    expect_port(e.g, false);
    pvrdma_nic_up(e.g, 9000);
    expect_port(e.g, true);
    g_assert_cmpuint(query_port(e.g).active_mtu, ==, 5);
    g_assert_false(pvrdma_event_get(e.g, &event));
    peer_arrives(&e, fd);
    pvrdma_guest_free(e.g);
    close(fd);
}

/* The netdev goes: the port is down, what is sent is lost. */
static void test_netdev_del(void)
{
    PvrdmaWireSendWr wr = { .opcode = PVRDMA_WR_SEND };
    int fd;
    End e = peer_new(&fd, PVRDMA_QPT_RC);

    end_send(&e, &wr, 0, 20000);
    qtest_qmp_assert_success(e.g->qts, "{'execute': 'netdev_del', "
                             "'arguments': {'id': 'n0'}}");
    expect_port(e.g, false);
    for (int i = 0; i < 30; i++) {
        qtest_clock_step(e.g->qts, 500000000);
    }
    g_assert_cmpuint(pvrdma_cqe_wait(e.g, &e.cq).status, ==,
                     PVRDMA_WC_RETRY_EXC_ERR);
    /* and the driver may start over */
    pvrdma_guest_setup(e.g);
    g_assert_cmpuint(query_port(e.g).state, ==, PVRDMA_PORT_DOWN);
    pvrdma_guest_free(e.g);
    close(fd);
}

/* A peer that takes nothing: sends wait, and go on when it does. */
static void test_backpressure(void)
{
    PvrdmaWireSendWr wr = { .opcode = PVRDMA_WR_SEND };
    uint8_t frame[ROCE_MAX_FRAME];
    uint32_t sent = 0;
    int fd;
    End e = peer_new(&fd, PVRDMA_QPT_UD);

    wr.wr.ud.remote_qpn = PEER_QPN;
    wr.wr.ud.av.port_pd = e.pd | 1 << 24;
    wr.wr.ud.av.dgid[0] = 0xfe;
    wr.wr.ud.av.dgid[1] = 0x80;
    for (int i = 0; i < 60; i++) {
        for (int n = 0; n < 16; n++) {
            end_send(&e, &wr, 0, 1024);
        }
        for (int n = 0; n < 16; n++) {
            /* those that do not fit complete only when they have left */
            while (qtest_readl(e.g->qts, e.cq.mem.addr + PVRDMA_RING2_TAIL) ==
                   e.cq.head) {
                peer_get(fd, frame);
                sent++;
            }
            end_expect(&e, PVRDMA_WC_OP_SEND);
        }
    }
    while (sent < 60 * 16) {
        peer_get(fd, frame);
        sent++;
    }
    g_assert_cmpuint(pvrdma_counter(e.g, "tx-packets"), ==, sent);
    pvrdma_guest_free(e.g);
    close(fd);
}

/* The machine stops and goes on; frames that come meanwhile are lost. */
static void test_stop(void)
{
    uint8_t frame[ROCE_MAX_FRAME];
    int fd;
    End e = peer_new(&fd, PVRDMA_QPT_UD);
    RocePacket pkt = peer_datagram(&e);

    end_recv(&e, HALF, 200);
    qtest_qmp_assert_success(e.g->qts, "{'execute': 'stop'}");
    peer_dropped(&e, fd, frame, peer_build(&pkt, frame), "rx-stopped");
    qtest_qmp_assert_success(e.g->qts, "{'execute': 'cont'}");
    peer_put(fd, frame, peer_build(&pkt, frame));
    end_expect(&e, PVRDMA_WC_OP_RECV);
    pvrdma_guest_free(e.g);
    close(fd);
}

/* Reset while frames come and go */
static void test_reset(void)
{
    PvrdmaWireSendWr wr = { .opcode = PVRDMA_WR_RDMA_WRITE };
    End e[2];

    ends_two_machines(e, PVRDMA_QPT_RC);
    wr.wr.rdma.remote_addr = e[1].va;
    wr.wr.rdma.rkey = e[1].mr.rkey;
    for (int i = 0; i < 8; i++) {
        end_send(&e[0], &wr, 0, HALF);
    }
    pvrdma_reg_write(e[1].g, PVRDMA_REG_CTL, PVRDMA_CTL_RESET);
    qtest_system_reset(e[0].g->qts);
    for (int i = 0; i < 2; i++) {
        pvrdma_guest_enable(e[i].g);
        pvrdma_guest_setup(e[i].g);
        pvrdma_pd_new(e[i].g, 0);
    }
    ends_free(e);
}

/*
 * A neighbour whose receive buffer is this device's command register, in
 * configuration space: the first frame that leaves clears bus master, which
 * resets the device that is sending it.
 */
static void test_reset_from_below(void)
{
    const uint64_t ecam = 0xb0000000; /* where firmware puts it */
    g_autofree char *device = end_device(PVRDMA_SLOT, end_mac_a, "n0");
    g_autofree char *args = g_strdup_printf(
        "-machine q35 -nodefaults -m 128M -netdev hubport,id=n0,hubid=0 "
        "-netdev hubport,id=n1,hubid=0 %s "
        "-device vmxnet3,addr=%x.0,romfile=,netdev=n1", device,
        PVRDMA_SLOT + 1);
    PvrdmaWireSendWr wr = { .opcode = PVRDMA_WR_SEND };
    End e = end_new(pvrdma_guest_start(args), end_mac_a, PVRDMA_QPT_RC);
    PvrdmaGuest neighbour = *e.g;

    end_connect(&e, PVRDMA_QPT_RC, PEER_QPN, (uint8_t[16]) { 0xfe, 0x80 },
                (uint8_t[6]) { 0 });
    e.g->pcibus->config_writel(e.g->pcibus, 0, 0x64, 0);
    e.g->pcibus->config_writel(e.g->pcibus, 0, 0x60, ecam | 1);
    neighbour.slot = PVRDMA_SLOT + 1;
    neighbour.nic = NULL;
    neighbour.nic_buffer = ecam + (e.g->dev->devfn << 12) + PCI_COMMAND;
    pvrdma_nic_up(&neighbour, 1500);
    end_send(&e, &wr, 0, HALF);
    g_assert_cmphex(qpci_config_readw(e.g->dev, PCI_COMMAND), ==, 0);
    pvrdma_guest_enable(e.g);
    pvrdma_reg_write(e.g, PVRDMA_REG_REQUEST, 0);
    g_assert_cmpuint(pvrdma_reg_read(e.g, PVRDMA_REG_ERR), !=, 0);
    pvrdma_guest_setup(e.g);
    pvrdma_pd_new(e.g, 0);
    g_free(neighbour.nic);
    pvrdma_guest_free(e.g);
}

void pvrdma_add_net_tests(void)
{
    qtest_add_func("/pvrdma/wire/link", test_link);
    qtest_add_func("/pvrdma/wire/netdev-del", test_netdev_del);
    qtest_add_func("/pvrdma/wire/backpressure", test_backpressure);
    qtest_add_func("/pvrdma/wire/stop", test_stop);
    qtest_add_func("/pvrdma/wire/reset", test_reset);
    qtest_add_func("/pvrdma/wire/reset-from-below", test_reset_from_below);
}
