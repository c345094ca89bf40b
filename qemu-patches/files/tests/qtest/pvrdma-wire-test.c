/*
 * QTest testcase for pvrdma: RDMA in software on a network: between machines,
 * with strange frames, and while the network changes
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/sockets.h"
#include "qobject/qdict.h"
#include "hw/pci/pci_regs.h"
#include "hw/rdma/roce_frame.h"
#include "pvrdma-guest.h"
#include "pvrdma-tests.h"

#define MR_PAGES 64
#define HALF (MR_PAGES / 2 * PVRDMA_PAGE)
#define PEER_QPN 0x777

/* One end of a connection: a device with an MR, a CQ and a QP */
typedef struct End {
    PvrdmaGuest *g;
    uint8_t mac[6];
    uint8_t gid[16];
    uint32_t pd;
    PvrdmaTestMr mr;
    uint64_t va;
    PvrdmaTestCq cq;
    PvrdmaTestQp qp;
} End;

static const uint8_t mac_a[6] = { 0x52, 0x54, 0, 0, 0, 0xa };
static const uint8_t mac_b[6] = { 0x52, 0x54, 0, 0, 0, 0xb };

static char *device_args(unsigned slot, const uint8_t mac[6],
                         const char *netdev)
{
    return g_strdup_printf(
        "-device vmxnet3,id=nic%u,addr=%x.0,multifunction=on,romfile=,"
        "mac=%02x:%02x:%02x:%02x:%02x:%02x%s%s -device pvrdma,id=rdma%u,"
        "addr=%x.1", slot, slot, mac[0], mac[1], mac[2], mac[3], mac[4],
        mac[5], netdev ? ",netdev=" : "", netdev ?: "", slot, slot);
}

static PvrdmaGuest *machine_on(int fd, const uint8_t mac[6])
{
    g_autofree char *device = device_args(PVRDMA_SLOT, mac, "n0");
    g_autofree char *args = g_strdup_printf(
        "-machine q35 -nodefaults -m 128M -netdev socket,id=n0,fd=%d %s", fd,
        device);

    return pvrdma_guest_start(args);
}

static End end_new(PvrdmaGuest *g, const uint8_t mac[6], uint8_t type)
{
    End e = { .g = g };

    memcpy(e.mac, mac, sizeof(e.mac));
    pvrdma_gid_of_mac(mac, e.gid);
    pvrdma_nic_up(g, 1500);
    pvrdma_guest_setup(g);
    pvrdma_bind(g, 0, e.gid);
    e.pd = pvrdma_pd_new(g, 0);
    e.mr = pvrdma_mr_new(g, e.pd, MR_PAGES);
    e.va = pvrdma_req_mr(e.pd, &e.mr.mem).create_mr.start;
    e.cq = pvrdma_cq_new(g, 0, 64);
    e.qp = pvrdma_qp_new(g, e.pd, type, e.cq.handle, e.cq.handle);
    return e;
}

static void end_connect(End *e, uint8_t type, uint32_t qpn,
                        const uint8_t gid[16], const uint8_t mac[6])
{
    PvrdmaWireAh av = { .ah_flags = 1, .port_num = 1, .hop_limit = 64 };

    memcpy(av.dgid, gid, sizeof(av.dgid));
    memcpy(av.dmac, mac, sizeof(av.dmac));
    pvrdma_qp_connect_to(e->g, e->qp.handle, type, qpn, &av);
}

static void connect_ends(End e[2], uint8_t type)
{
    for (int i = 0; i < 2; i++) {
        end_connect(&e[i], type, e[!i].qp.qpn, e[!i].gid, e[!i].mac);
    }
}

static void end_send(End *e, PvrdmaWireSendWr *wr, uint32_t off,
                     uint32_t length)
{
    PvrdmaWireSge s = {
        .addr = e->va + off, .length = length, .lkey = e->mr.lkey,
    };

    wr->num_sge = 1;
    wr->send_flags = PVRDMA_SEND_SIGNALED;
    pvrdma_post_send(e->g, &e->qp, wr, &s);
}

static void end_recv(End *e, uint32_t off, uint32_t length)
{
    PvrdmaWireRecvWr wr = { .num_sge = 1 };
    PvrdmaWireSge s = {
        .addr = e->va + off, .length = length, .lkey = e->mr.lkey,
    };

    pvrdma_post_recv(e->g, &e->qp, &wr, &s);
}

static void expect_success(End *e, uint32_t opcode)
{
    PvrdmaWireCqe cqe = pvrdma_cqe_wait(e->g, &e->cq);

    g_assert_cmpuint(cqe.status, ==, PVRDMA_WC_SUCCESS);
    g_assert_cmpuint(cqe.opcode, ==, opcode);
}

static void fill(End *e, uint32_t off, uint32_t length, uint8_t seed)
{
    g_autofree uint8_t *data = g_malloc(length);

    for (uint32_t i = 0; i < length; i++) {
        data[i] = seed + i * 13 + i / 256;
    }
    qtest_memwrite(e->g->qts, e->mr.mem.addr + off, data, length);
}

static void check_same(End *a, uint32_t a_off, End *b, uint32_t b_off,
                       uint32_t length)
{
    g_autofree uint8_t *x = g_malloc(length), *y = g_malloc(length);

    qtest_memread(a->g->qts, a->mr.mem.addr + a_off, x, length);
    qtest_memread(b->g->qts, b->mr.mem.addr + b_off, y, length);
    g_assert_cmpmem(x, length, y, length);
}

/* Sends, writes, reads and atomics from e[0] to e[1] */
static void exercise(End e[2])
{
    const uint32_t sizes[] = { 1, 1024, 1025, 100000, HALF - 8 };
    PvrdmaWireSendWr wr = { };

    for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
        fill(&e[0], 0, sizes[i], i);
        wr = (PvrdmaWireSendWr) { .opcode = PVRDMA_WR_SEND };
        end_recv(&e[1], HALF, HALF);
        end_send(&e[0], &wr, 0, sizes[i]);
        expect_success(&e[1], PVRDMA_WC_OP_RECV);
        expect_success(&e[0], PVRDMA_WC_OP_SEND);
        check_same(&e[0], 0, &e[1], HALF, sizes[i]);

        fill(&e[0], 0, sizes[i], i + 100);
        wr.opcode = PVRDMA_WR_RDMA_WRITE;
        wr.wr.rdma.remote_addr = e[1].va + 3;
        wr.wr.rdma.rkey = e[1].mr.rkey;
        end_send(&e[0], &wr, 0, sizes[i]);
        expect_success(&e[0], PVRDMA_WC_OP_RDMA_WRITE);
        check_same(&e[0], 0, &e[1], 3, sizes[i]);

        wr.opcode = PVRDMA_WR_RDMA_READ;
        end_send(&e[0], &wr, HALF, sizes[i]);
        expect_success(&e[0], PVRDMA_WC_OP_RDMA_READ);
        check_same(&e[0], 0, &e[0], HALF, sizes[i]);
    }
    wr = (PvrdmaWireSendWr) { .opcode = PVRDMA_WR_ATOMIC_FETCH_AND_ADD };
    wr.wr.atomic.remote_addr = e[1].va;
    wr.wr.atomic.rkey = e[1].mr.rkey;
    wr.wr.atomic.compare_add = 5;
    qtest_writeq(e[1].g->qts, e[1].mr.mem.addr, 100);
    end_send(&e[0], &wr, 0, 8);
    expect_success(&e[0], PVRDMA_WC_OP_FETCH_ADD);
    g_assert_cmpuint(qtest_readq(e[0].g->qts, e[0].mr.mem.addr), ==, 100);
    g_assert_cmpuint(qtest_readq(e[1].g->qts, e[1].mr.mem.addr), ==, 105);
}

static void socket_pair(int fd[2])
{
    g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), ==, 0);
}

static void two_machines(End e[2], uint8_t type)
{
    int fd[2];

    socket_pair(fd);
    e[0] = end_new(machine_on(fd[0], mac_a), mac_a, type);
    e[1] = end_new(machine_on(fd[1], mac_b), mac_b, type);
    close(fd[0]);
    close(fd[1]);
    connect_ends(e, type);
}

static void ends_free(End e[2])
{
    pvrdma_guest_free(e[1].g);
    pvrdma_guest_free(e[0].g);
}

static void test_two_machines(void)
{
    End e[2];

    two_machines(e, PVRDMA_QPT_RC);
    exercise(e);
    ends_free(e);
}

static void test_two_machines_ud(void)
{
    End e[2];
    PvrdmaWireSendWr wr = { .opcode = PVRDMA_WR_SEND };
    PvrdmaWireCqe cqe;

    two_machines(e, PVRDMA_QPT_UD);
    wr.wr.ud.remote_qpn = e[1].qp.qpn;
    wr.wr.ud.remote_qkey = 1u << 31;
    wr.wr.ud.av.port_pd = e[0].pd | 1 << 24;
    memcpy(wr.wr.ud.av.dgid, e[1].gid, 16);
    memcpy(wr.wr.ud.av.dmac, e[1].mac, 6);
    fill(&e[0], 0, 1024, 1);
    for (int i = 0; i < 10; i++) {
        end_recv(&e[1], HALF, 2000);
        end_send(&e[0], &wr, 0, 1024);
        expect_success(&e[0], PVRDMA_WC_OP_SEND);
        cqe = pvrdma_cqe_wait(e[1].g, &e[1].cq);
        g_assert_cmpuint(cqe.status, ==, PVRDMA_WC_SUCCESS);
        g_assert_cmpuint(cqe.byte_len, ==, 1064);
        g_assert_cmpuint(cqe.src_qp, ==, e[0].qp.qpn);
        check_same(&e[0], 0, &e[1], HALF + 40, 1024);
    }
    /* longer than a packet may be */
    end_send(&e[0], &wr, 0, 1025);
    g_assert_cmpuint(pvrdma_cqe_wait(e[0].g, &e[0].cq).status, ==,
                     PVRDMA_WC_LOC_LEN_ERR);
    ends_free(e);
}

/* Both ends in one machine, on a hub */
static void hub_machine(End e[2], const char *machine)
{
    g_autofree char *first = device_args(PVRDMA_SLOT, mac_a, "n0");
    g_autofree char *second = device_args(PVRDMA_SLOT + 1, mac_b, "n1");
    g_autofree char *args = g_strdup_printf(
        "-machine %s -nodefaults -m 128M -netdev hubport,id=n0,hubid=0 "
        "-netdev hubport,id=n1,hubid=0 %s %s", machine, first, second);
    PvrdmaGuest *g = pvrdma_guest_start(args);

    e[0] = end_new(g, mac_a, PVRDMA_QPT_RC);
    e[1] = end_new(pvrdma_guest_share(g, PVRDMA_SLOT + 1), mac_b,
                   PVRDMA_QPT_RC);
    connect_ends(e, PVRDMA_QPT_RC);
}

/* Each answers while the other one sends. */
static void test_hub(void)
{
    End e[2];

    hub_machine(e, "q35");
    exercise(e);
    ends_free(e);
}

/* Frames by hand: the test is the peer */

static void put_frame(int fd, const uint8_t *frame, uint32_t len)
{
    uint32_t be = cpu_to_be32(len);

    g_assert_cmpint(send(fd, &be, sizeof(be), 0), ==, sizeof(be));
    g_assert_cmpint(send(fd, frame, len, 0), ==, len);
}

static void get_bytes(int fd, void *buf, size_t len)
{
    g_assert_cmpint(recv(fd, buf, len, MSG_WAITALL), ==, len);
}

static uint32_t get_frame(int fd, uint8_t *frame)
{
    uint32_t len;

    get_bytes(fd, &len, sizeof(len));
    len = be32_to_cpu(len);
    g_assert_cmpuint(len, <=, ROCE_MAX_FRAME);
    get_bytes(fd, frame, len);
    return len;
}

/* A datagram of 64 bytes for the QP of @e, from mac_b */
static RocePacket datagram(const End *e)
{
    RocePacket pkt = {
        .opcode = ROCE_OP_UD_SEND_ONLY,
        .hop_limit = 64,
        .pkey = ROCE_DEFAULT_PKEY,
        .dest_qpn = e->qp.qpn,
        .qkey = 0x11111111,
        .src_qpn = PEER_QPN,
        .payload_len = 64,
    };

    pvrdma_gid_of_mac(mac_b, pkt.sgid);
    memcpy(pkt.dgid, e->gid, sizeof(pkt.dgid));
    memcpy(pkt.smac, mac_b, sizeof(pkt.smac));
    memcpy(pkt.dmac, e->mac, sizeof(pkt.dmac));
    return pkt;
}

static uint32_t build(const RocePacket *pkt, uint8_t *frame)
{
    memset(roce_frame_open(frame, pkt), 0x5a, pkt->payload_len);
    return roce_frame_seal(frame, pkt, true);
}

static uint64_t counter(const End *e, const char *name)
{
    g_autofree char *path = g_strdup_printf("/machine/peripheral/rdma%u",
                                            e->g->slot);
    QDict *reply = qtest_qmp(e->g->qts, "{'execute': 'qom-get', 'arguments':"
                             "{'path': %s, 'property': 'x-stats'}}", path);
    uint64_t value = qdict_get_int(qdict_get_qdict(reply, "return"), name);

    qobject_unref(reply);
    return value;
}

/* A frame that is taken, counted as @name, and leads to nothing */
static void check_dropped(End *e, int fd, const uint8_t *frame, uint32_t len,
                          const char *name)
{
    uint64_t before = counter(e, name);

    put_frame(fd, frame, len);
    for (int i = 0; i < 1000 && counter(e, name) == before; i++) {
        g_usleep(1000);
    }
    g_assert_cmpuint(counter(e, name), ==, before + 1);
}

static void check_arrives(End *e, int fd)
{
    RocePacket pkt = datagram(e);
    uint8_t frame[ROCE_MAX_FRAME];
    PvrdmaWireCqe cqe;

    end_recv(e, HALF, 200);
    put_frame(fd, frame, build(&pkt, frame));
    cqe = pvrdma_cqe_wait(e->g, &e->cq);
    g_assert_cmpuint(cqe.status, ==, PVRDMA_WC_SUCCESS);
    g_assert_cmpuint(cqe.byte_len, ==, 104);
    g_assert_cmphex(cqe.src_qp, ==, PEER_QPN);
}

static End peer_of_test(int *ret_fd, uint8_t type)
{
    int fd[2];
    End e;

    socket_pair(fd);
    e = end_new(machine_on(fd[0], mac_a), mac_a, type);
    close(fd[0]);
    *ret_fd = fd[1];
    end_connect(&e, type, PEER_QPN, (uint8_t[16]) { 0xfe, 0x80, [15] = 9 },
                mac_b);
    return e;
}

static void check_bad_packet(End *e, int fd, const RocePacket *pkt,
                             const char *name)
{
    uint8_t frame[ROCE_MAX_FRAME];
    uint32_t len = build(pkt, frame);

    check_dropped(e, fd, frame, len, name);
}

static void test_bad_frames(void)
{
    uint8_t frame[ROCE_MAX_FRAME + 4], tagged[ROCE_MAX_FRAME + 4];
    uint32_t len;
    int fd;
    End e = peer_of_test(&fd, PVRDMA_QPT_UD);
    RocePacket pkt = datagram(&e);

    check_arrives(&e, fd);
    check_dropped(&e, fd, frame, build(&pkt, frame), "rx-no-buffer");
    len = build(&pkt, frame);
    frame[len - 1] ^= 1;
    check_dropped(&e, fd, frame, len, "rx-bad-icrc");
    len = build(&pkt, frame);
    frame[len - 20] ^= 0x80;
    check_dropped(&e, fd, frame, len, "rx-bad-icrc");
    len = build(&pkt, frame);
    check_dropped(&e, fd, frame, len - 5, "rx-bad-frame");
    check_dropped(&e, fd, frame, 70, "rx-bad-frame");
    memcpy(tagged, frame, 12);
    memcpy(tagged + 12, (uint8_t[4]) { 0x81, 0, 0, 5 }, 4);
    memcpy(tagged + 16, frame + 12, len - 12);
    check_dropped(&e, fd, tagged, len + 4, "rx-bad-frame");
    pkt.dest_qpn ^= 0x1000;
    check_bad_packet(&e, fd, &pkt, "rx-no-qp");
    pkt = datagram(&e);
    pkt.opcode = ROCE_OP_SEND_ONLY;
    check_bad_packet(&e, fd, &pkt, "rx-no-qp");
    pkt = datagram(&e);
    pkt.pkey = 0x8123;
    check_bad_packet(&e, fd, &pkt, "rx-bad-key");
    pkt = datagram(&e);
    pkt.qkey ^= 1;
    check_bad_packet(&e, fd, &pkt, "rx-bad-key");
    check_arrives(&e, fd);
    pvrdma_guest_free(e.g);
    close(fd);
}

/* What is not ours goes on to the vmxnet3, whatever it is. */
static void test_other_frames(void)
{
    uint8_t frame[ROCE_MAX_FRAME];
    int fd;
    End e = peer_of_test(&fd, PVRDMA_QPT_UD);
    RocePacket pkt = datagram(&e);
    uint64_t taken = counter(&e, "rx-packets");
    uint32_t len;

    pkt.dgid[15] ^= 1; /* another host's */
    put_frame(fd, frame, build(&pkt, frame));
    pkt = datagram(&e);
    len = build(&pkt, frame);
    frame[14 + 40 + 2] ^= 1; /* another port */
    put_frame(fd, frame, len);
    memset(frame, 0, sizeof(frame));
    put_frame(fd, frame, 60);
    put_frame(fd, frame, 1);
    check_arrives(&e, fd);
    g_assert_cmpuint(counter(&e, "rx-packets"), ==, taken + 1);
    pvrdma_guest_free(e.g);
    close(fd);
}

/* What leaves is a frame of function 0, right down to the ICRC. */
static void test_frames_out(void)
{
    uint8_t frame[ROCE_MAX_FRAME];
    PvrdmaWireSendWr wr = { .opcode = PVRDMA_WR_SEND };
    RocePacket pkt;
    uint32_t len;
    int fd;
    End e = peer_of_test(&fd, PVRDMA_QPT_RC);

    end_send(&e, &wr, 0, 1500);
    for (int i = 0; i < 2; i++) {
        len = get_frame(fd, frame);
        g_assert_cmpint(roce_frame_parse(frame, len, &pkt), ==,
                        ROCE_PARSE_OK);
        g_assert_true(roce_frame_icrc_ok(&pkt));
        g_assert_cmpmem(pkt.smac, 6, mac_a, 6);
        g_assert_cmpmem(pkt.dmac, 6, mac_b, 6);
        g_assert_cmpmem(pkt.sgid, 16, e.gid, 16);
        g_assert_cmphex(pkt.dest_qpn, ==, PEER_QPN);
        g_assert_cmpuint(pkt.psn, ==, 7 + i);
        g_assert_cmpuint(pkt.payload_len, ==, i ? 476 : 1024);
    }
    /* nobody answers: it is sent again, and at last given up */
    for (int i = 0; i < 30; i++) {
        qtest_clock_step(e.g->qts, 500000000);
    }
    g_assert_cmpuint(pvrdma_cqe_wait(e.g, &e.cq).status, ==,
                     PVRDMA_WC_RETRY_EXC_ERR);
    g_assert_cmpuint(counter(&e, "timeouts"), >, 0);
    pvrdma_guest_free(e.g);
    close(fd);
}

/* The network changes */

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
    End e = peer_of_test(&fd, PVRDMA_QPT_UD);
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
        check_arrives(&e, fd);
    }
    /* another MTU, as the guest's driver sets it */
    pvrdma_nic_down(e.g);
    expect_port(e.g, false);
    pvrdma_nic_up(e.g, 9000);
    expect_port(e.g, true);
    g_assert_cmpuint(query_port(e.g).active_mtu, ==, 5);
    g_assert_false(pvrdma_event_get(e.g, &event));
    check_arrives(&e, fd);
    pvrdma_guest_free(e.g);
    close(fd);
}

/* The netdev goes: the port is down, what is sent is lost. */
static void test_netdev_del(void)
{
    PvrdmaWireSendWr wr = { .opcode = PVRDMA_WR_SEND };
    int fd;
    End e = peer_of_test(&fd, PVRDMA_QPT_RC);

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
    End e = peer_of_test(&fd, PVRDMA_QPT_UD);

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
                get_frame(fd, frame);
                sent++;
            }
            expect_success(&e, PVRDMA_WC_OP_SEND);
        }
    }
    while (sent < 60 * 16) {
        get_frame(fd, frame);
        sent++;
    }
    g_assert_cmpuint(counter(&e, "tx-packets"), ==, sent);
    pvrdma_guest_free(e.g);
    close(fd);
}

/* The machine stops and goes on; frames that come meanwhile are lost. */
static void test_stop(void)
{
    uint8_t frame[ROCE_MAX_FRAME];
    int fd;
    End e = peer_of_test(&fd, PVRDMA_QPT_UD);
    RocePacket pkt = datagram(&e);

    end_recv(&e, HALF, 200);
    qtest_qmp_assert_success(e.g->qts, "{'execute': 'stop'}");
    check_dropped(&e, fd, frame, build(&pkt, frame), "rx-stopped");
    qtest_qmp_assert_success(e.g->qts, "{'execute': 'cont'}");
    put_frame(fd, frame, build(&pkt, frame));
    expect_success(&e, PVRDMA_WC_OP_RECV);
    pvrdma_guest_free(e.g);
    close(fd);
}

/* Reset while frames come and go */
static void test_reset(void)
{
    PvrdmaWireSendWr wr = { .opcode = PVRDMA_WR_RDMA_WRITE };
    End e[2];

    two_machines(e, PVRDMA_QPT_RC);
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
    g_autofree char *device = device_args(PVRDMA_SLOT, mac_a, "n0");
    g_autofree char *args = g_strdup_printf(
        "-machine q35 -nodefaults -m 128M -netdev hubport,id=n0,hubid=0 "
        "-netdev hubport,id=n1,hubid=0 %s "
        "-device vmxnet3,addr=%x.0,romfile=,netdev=n1", device,
        PVRDMA_SLOT + 1);
    PvrdmaWireSendWr wr = { .opcode = PVRDMA_WR_SEND };
    End e = end_new(pvrdma_guest_start(args), mac_a, PVRDMA_QPT_RC);
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

/* Hot-plug */

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
    hub_machine(e, "pc");
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

void pvrdma_add_wire_tests(void)
{
    qtest_add_func("/pvrdma/wire/two-machines", test_two_machines);
    qtest_add_func("/pvrdma/wire/two-machines-ud", test_two_machines_ud);
    qtest_add_func("/pvrdma/wire/hub", test_hub);
    qtest_add_func("/pvrdma/wire/bad-frames", test_bad_frames);
    qtest_add_func("/pvrdma/wire/other-frames", test_other_frames);
    qtest_add_func("/pvrdma/wire/frames-out", test_frames_out);
    qtest_add_func("/pvrdma/wire/link", test_link);
    qtest_add_func("/pvrdma/wire/netdev-del", test_netdev_del);
    qtest_add_func("/pvrdma/wire/backpressure", test_backpressure);
    qtest_add_func("/pvrdma/wire/stop", test_stop);
    qtest_add_func("/pvrdma/wire/reset", test_reset);
    qtest_add_func("/pvrdma/wire/reset-from-below", test_reset_from_below);
    qtest_add_func("/pvrdma/wire/hotplug", test_hotplug);
    qtest_add_func("/pvrdma/wire/unplug", test_unplug);
}
