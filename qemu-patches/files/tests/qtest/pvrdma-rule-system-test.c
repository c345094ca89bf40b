/*
 * QTest testcase for pvrdma: what was wrong between the machine and the device
 * that QEMU had before, and must not be with this one; docs/security.md
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "pvrdma-pair.h"
#include "pvrdma-peer.h"
#include "pvrdma-tests.h"
#include "pvrdma-watch.h"

#define VGA_SLOT 0x10
#define SCREEN_WIDTH 640
#define SCREEN_HEIGHT 480
#define SCREEN_LINE 100
#define PLUG_SLOT (PVRDMA_SLOT + 2)
#define PLUGS 12
#define PLUGS_WARM_UP 4
#define PLUGS_LEAK_KIB 4096

/* B15: memory that is written without anybody's notice, or that is none */

static PvrdmaWireSge bus_sge(PvrdmaPair *t, uint64_t addr, uint32_t length)
{
    PvrdmaReq req = {
        .create_mr = {
            .pd_handle = t->pd,
            .access_flags = PVRDMA_ACCESS_LOCAL_WRITE,
            .flags = PVRDMA_MR_FLAG_DMA,
        },
    };
    PvrdmaResp resp;

    g_assert_cmpuint(pvrdma_cmd(t->g, PVRDMA_CMD_CREATE_MR, &req, &resp), ==,
                     0);
    return (PvrdmaWireSge) { addr, length, resp.create_mr.lkey };
}

/* As the source of a send, and as the destination of one */
static void check_no_ram(PvrdmaPair *t, uint64_t addr)
{
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_SEND);
    PvrdmaWireSge s;

    g_test_message("0x%" PRIx64, addr);
    pair_connect(t, PVRDMA_QPT_RC);
    s = bus_sge(t, addr, 64);
    pvrdma_post_send(t->g, &t->qp[0], &wr, &s);
    g_assert_cmpuint(pair_status(t, 0), ==, PVRDMA_WC_LOC_PROT_ERR);
    pair_connect(t, PVRDMA_QPT_RC);
    pvrdma_post_recv(t->g, &t->qp[1], &(PvrdmaWireRecvWr) { 1, 1 }, &s);
    pair_send(t, 0, &wr, 0, 64);
    g_assert_cmpuint(pair_status(t, 1), ==, PVRDMA_WC_LOC_PROT_ERR);
    g_assert_cmpuint(pair_status(t, 0), !=, PVRDMA_WC_SUCCESS);
}

static void test_only_ram(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    const uint64_t bad[] = {
        t.g->regs.addr, t.g->uar.addr, t.g->dev->msix_table_bar.addr,
        0xfee00000, 0xfec00000, 1ull << 32, 1ull << 46, UINT64_MAX - 63,
        128 * 1024 * 1024 - 32, /* the end of RAM */
    };

    /* were the data a command, RESET would be one of them */
    pair_fill(&t, 0, 64, 2);
    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
        check_no_ram(&t, bad[i]);
    }
    pair_free(&t);
}

/* 256 colours, so that the screen is another one than video memory */
static uint64_t screen_on(QTestState *qts, QPCIDevice *vga)
{
    const uint16_t vbe[][2] = {
        { 4, 0 }, { 1, SCREEN_WIDTH }, { 2, SCREEN_HEIGHT }, { 3, 8 },
        { 4, 0x41 },
    };
    QPCIBar bar;

    qpci_device_enable(vga);
    bar = qpci_iomap(vga, 0, NULL);
    for (unsigned i = 0; i < ARRAY_SIZE(vbe); i++) {
        qtest_outw(qts, 0x1ce, vbe[i][0]);
        qtest_outw(qts, 0x1cf, vbe[i][1]);
    }
    qtest_inb(qts, 0x3da);
    qtest_outb(qts, 0x3c0, 0x20);
    qtest_outb(qts, 0x3c8, 1);
    for (int i = 0; i < 3; i++) {
        qtest_outb(qts, 0x3c9, 63);
    }
    return bar.addr;
}

static void take_picture(QTestState *qts, const char *path, gchar **ret,
                         gsize *ret_size)
{
    qtest_qmp_assert_success(qts, "{'execute': 'screendump', 'arguments': "
                             "{'filename': %s}}", path);
    g_assert_true(g_file_get_contents(path, ret, ret_size, NULL));
}

/* An MR in video memory: what peers write to it has to appear. */
static void check_screen(PvrdmaPair *t, uint64_t video, const char *path)
{
    PvrdmaPages mem = pvrdma_pages(t->g, 1);
    PvrdmaReq req = pvrdma_req_mr(t->pd, &mem);
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_RDMA_WRITE);
    g_autofree gchar *before = NULL, *after = NULL;
    gsize size, size_after, changed = 0;
    PvrdmaResp resp;

    qtest_writeq(t->g->qts, qtest_readq(t->g->qts, mem.pdir), video +
                 SCREEN_LINE * SCREEN_WIDTH / PVRDMA_PAGE * PVRDMA_PAGE);
    g_assert_cmpuint(pvrdma_cmd(t->g, PVRDMA_CMD_CREATE_MR, &req, &resp), ==,
                     0);
    /* the first one draws it all, and does not ask what is dirty */
    take_picture(t->g->qts, path, &before, &size);
    g_clear_pointer(&before, g_free);
    take_picture(t->g->qts, path, &before, &size);
    qtest_memset(t->g->qts, t->mr.mem.addr, 1, SCREEN_WIDTH);
    wr.wr.rdma.remote_addr = req.create_mr.start;
    wr.wr.rdma.rkey = resp.create_mr.rkey;
    pair_send(t, 0, &wr, 0, SCREEN_WIDTH);
    pair_sent(t, PVRDMA_WC_OP_RDMA_WRITE);
    take_picture(t->g->qts, path, &after, &size_after);
    g_assert_cmpuint(size, ==, size_after);
    for (gsize i = 0; i < size; i++) {
        changed += before[i] != after[i];
    }
    g_assert_cmpuint(changed, ==, 3 * SCREEN_WIDTH);
}

static void test_dirty(void)
{
    g_autofree char *mac = pvrdma_mac();
    g_autofree char *machine = pvrdma_machine_args(mac);
    g_autofree char *args = g_strdup_printf(
        "%s -device pvrdma,id=rdma5,addr=%x.1 -device VGA,addr=%x,romfile=",
        machine, PVRDMA_SLOT, VGA_SLOT);
    g_autofree char *path = NULL;
    QPCIDevice *vga;
    PvrdmaPair t;

    if (!qtest_has_device("VGA")) {
        g_test_skip("no VGA");
        return;
    }
    g_assert_cmpint(close(g_file_open_tmp("pvrdma-XXXXXX", &path, NULL)), ==,
                    0);
    t = pair_on(pvrdma_guest_start(args), PVRDMA_QPT_RC, 0);
    vga = qpci_device_find(t.g->pcibus, QPCI_DEVFN(VGA_SLOT, 0));
    check_screen(&t, screen_on(t.g->qts, vga), path);
    unlink(path);
    g_free(vga);
    pair_free(&t);
}

/* B16: a machine that starts again, over a device that goes on */

/* The former guest's registers, as nobody left them */
static void touch_registers(PvrdmaPair *t)
{
    PvrdmaReq req = { .query_port.port_num = 1 };

    qtest_memwrite(t->g->qts, t->g->req, &req, sizeof(req));
    pvrdma_reg_write(t->g, PVRDMA_REG_REQUEST, 0);
    g_assert_cmpuint(pvrdma_reg_read(t->g, PVRDMA_REG_ERR), !=, 0);
    for (int i = 0; i < 2; i++) {
        pvrdma_uar_write(t->g, 0, PVRDMA_UAR_QP,
                         3u << 30 | t->qp[i].handle);
        pvrdma_uar_write(t->g, 0, PVRDMA_UAR_CQ,
                         7u << 29 | t->cq[i].handle);
    }
}

static void test_reboot(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    const PvrdmaPages former[] = {
        { .addr = t.g->dsr, .n = 1 }, { .addr = t.g->resp, .n = 1 },
        { .addr = t.g->async_ring, .n = PVRDMA_RING_PAGES },
        { .addr = t.g->cq_ring, .n = PVRDMA_RING_PAGES }, t.mr.mem,
        t.cq[0].mem, t.cq[1].mem, t.qp[0].mem, t.qp[1].mem,
    };

    pair_traffic(&t, 12);
    qtest_system_reset(t.g->qts);
    watch_empty(t.g);
    for (unsigned i = 0; i < ARRAY_SIZE(former); i++) {
        watch_mark(t.g, &former[i]);
    }
    pvrdma_guest_enable(t.g);
    touch_registers(&t);
    for (int i = 0; i < 20; i++) {
        qtest_clock_step(t.g->qts, 100 * 1000 * 1000);
    }
    for (unsigned i = 0; i < ARRAY_SIZE(former); i++) {
        watch_marked(t.g, &former[i]);
    }
    pvrdma_guest_setup(t.g);
    watch_alive(t.g);
    pair_free(&t);
}

/* B18: a device that goes with everything its guest had made */

static void plug(QTestState *qts)
{
    /* function 0 last */
    qtest_qmp_device_add(qts, "pvrdma", "rdma7", "{'addr': '7.1'}");
    qtest_qmp_device_add(qts, "vmxnet3", "nic7", "{'addr': '7.0', "
                         "'multifunction': true, 'romfile': ''}");
}

static void unplug(QTestState *qts)
{
    qtest_qmp_device_del_send(qts, "nic7");
    qtest_outl(qts, 0xae10, 0);
    qtest_outl(qts, 0xae08, 1u << PLUG_SLOT);
    for (int i = 0; i < 2; i++) {
        qtest_qmp_eventwait(qts, "DEVICE_DELETED");
    }
}

static void make_much(PvrdmaGuest *g, const PvrdmaPages *mem)
{
    uint32_t cq, pd;
    PvrdmaReq req;

    pvrdma_guest_setup(g);
    pd = pvrdma_pd_new(g, 0);
    cq = pvrdma_cq_new(g, 0, 64).handle;
    req = pvrdma_req_qp(pd, PVRDMA_QPT_RC, cq, cq, 4096, 16, mem);
    for (int i = 0; i < 8; i++) {
        g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_QP, &req, NULL), ==,
                         0);
    }
    req = pvrdma_req_srq(pd, 4096, 16, mem);
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_SRQ, &req, NULL), ==, 0);
    req = pvrdma_req_mr(pd, mem);
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_MR, &req, NULL), ==, 0);
}

static void test_unplug_leaks(void)
{
    g_autofree char *first = end_device(PVRDMA_SLOT, end_mac_a, NULL);
    g_autofree char *args = g_strdup_printf(
        "-machine pc -nodefaults -m 128M %s", first);
    g_autoptr(PvrdmaGuest) g = NULL;
    uint64_t kib = 0;
    unsigned fds = 0;
    PvrdmaPages mem;

    if (!qtest_has_machine("pc")) {
        g_test_skip("no pc machine");
        return;
    }
    watch_memory();
    g = pvrdma_guest_start(args);
    mem = pvrdma_pages(g, 1025);
    for (int i = 0; i < PLUGS; i++) {
        PvrdmaGuest *other;

        plug(g->qts);
        other = pvrdma_guest_share(g, PLUG_SLOT);
        make_much(other, &mem);
        unplug(g->qts);
        pvrdma_guest_free(other);
        if (i == PLUGS_WARM_UP) {
            kib = watch_kib(g->qts, "VmRSS");
            fds = watch_fds(g->qts);
        }
    }
    g_assert_cmpuint(watch_kib(g->qts, "VmRSS"), <, kib + PLUGS_LEAK_KIB);
    g_assert_cmpuint(watch_fds(g->qts), ==, fds);
}

/* B19: two devices of one process */
static void test_two_devices(void)
{
    PvrdmaWireSendWr wr = { .opcode = PVRDMA_WR_RDMA_WRITE };
    uint32_t handle;
    End e[2], back[2];

    ends_on_hub(e, "q35");
    /* what the numbers mean depends on the device */
    g_assert_cmpuint(e[0].cq.handle, ==, e[1].cq.handle);
    g_assert_cmpuint(e[0].qp.handle, ==, e[1].qp.handle);
    ends_exercise(e);
    back[0] = e[1];
    back[1] = e[0];
    ends_exercise(back);
    e[0] = back[1];
    e[1] = back[0];
    pvrdma_uar_write(e[1].g, 0, PVRDMA_UAR_CQ,
                     PVRDMA_UAR_CQ_ARM | e[1].cq.handle);
    wr.wr.rdma.remote_addr = e[1].va;
    wr.wr.rdma.rkey = e[1].mr.rkey;
    end_send(&e[0], &wr, 0, 100);
    end_expect(&e[0], PVRDMA_WC_OP_RDMA_WRITE);
    g_assert_false(pvrdma_notification_get(e[1].g, &handle));
    /* one starts over; the other has all that it had */
    pvrdma_reg_write(e[0].g, PVRDMA_REG_CTL, PVRDMA_CTL_RESET);
    g_assert_cmpuint(pvrdma_qp_query(e[1].g, e[1].qp.handle).qp_state, ==,
                     PVRDMA_QPS_RTS);
    e[0] = end_new(e[0].g, end_mac_a, PVRDMA_QPT_RC);
    e[1].qp = pvrdma_qp_new(e[1].g, e[1].pd, PVRDMA_QPT_RC, e[1].cq.handle,
                            e[1].cq.handle);
    ends_connect(e, PVRDMA_QPT_RC);
    ends_exercise(e);
    ends_free(e);
}

/* B20: address handles that are found by their destination alone */

static void check_frame(int fd, const PvrdmaWireAv *av, const uint8_t gid[16])
{
    uint8_t frame[ROCE_MAX_FRAME];
    uint32_t len = peer_get(fd, frame);
    RocePacket pkt;

    g_assert_cmpint(roce_frame_parse(frame, len, &pkt), ==, ROCE_PARSE_OK);
    g_assert_cmpmem(pkt.dgid, 16, av->dgid, 16);
    g_assert_cmpmem(pkt.sgid, 16, gid, 16);
    g_assert_cmpmem(pkt.dmac, 6, av->dmac, 6);
    g_assert_cmpuint(pkt.hop_limit, ==, av->hop_limit);
    g_assert_cmphex(pkt.traffic_class, ==, av->sl_tclass_flowlabel >> 20);
    g_assert_cmphex(pkt.flow_label, ==, av->sl_tclass_flowlabel & 0xfffff);
}

static void test_address_vectors(void)
{
    const uint8_t other[16] = { 0xfe, 0x80, [15] = 0x99 };
    PvrdmaWireSendWr wr = { .opcode = PVRDMA_WR_SEND };
    PvrdmaWireAv *av = &wr.wr.ud.av;
    int fd;
    End e = peer_new(&fd, PVRDMA_QPT_UD);

    pvrdma_bind(e.g, 1, other);
    wr.wr.ud.remote_qpn = PEER_QPN;
    av->port_pd = e.pd | 1 << 24;
    pvrdma_gid_of_mac(end_mac_b, av->dgid);
    for (int i = 0; i < 32; i++) {
        av->gid_index = i & 1;
        av->hop_limit = i & 2 ? 3 : 64;
        av->dmac[5] = i & 4 ? 0x55 : 0xb;
        av->sl_tclass_flowlabel = (i & 8 ? 0x20u << 20 : 0) |
                                  (i & 16 ? 0x54321 : 0x12345);
        end_send(&e, &wr, 0, 64);
        end_expect(&e, PVRDMA_WC_OP_SEND);
        check_frame(fd, av, i & 1 ? other : e.gid);
    }
    pvrdma_guest_free(e.g);
    close(fd);
}

void pvrdma_add_rule_system_tests(void)
{
    qtest_add_func("/pvrdma/rule/b15/only-ram", test_only_ram);
    qtest_add_func("/pvrdma/rule/b15/dirty", test_dirty);
    qtest_add_func("/pvrdma/rule/b16", test_reboot);
    qtest_add_func("/pvrdma/rule/b18", test_unplug_leaks);
    qtest_add_func("/pvrdma/rule/b19", test_two_devices);
    qtest_add_func("/pvrdma/rule/b20", test_address_vectors);
}
