/*
 * QTest testcase for pvrdma: RDMA in software on a network: between machines,
 * and with strange frames
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "pvrdma-peer.h"
#include "pvrdma-tests.h"

static void test_two_machines(void)
{
    End e[2];

    ends_two_machines(e, PVRDMA_QPT_RC);
    ends_exercise(e);
    ends_free(e);
}

static void test_two_machines_ud(void)
{
    End e[2];
    PvrdmaWireSendWr wr = { .opcode = PVRDMA_WR_SEND };
    PvrdmaWireCqe cqe;

    ends_two_machines(e, PVRDMA_QPT_UD);
    wr.wr.ud.remote_qpn = e[1].qp.qpn;
    wr.wr.ud.remote_qkey = 1u << 31;
    wr.wr.ud.av.port_pd = e[0].pd | 1 << 24;
    memcpy(wr.wr.ud.av.dgid, e[1].gid, 16);
    memcpy(wr.wr.ud.av.dmac, e[1].mac, 6);
    end_fill(&e[0], 0, 1024, 1);
    for (int i = 0; i < 10; i++) {
        end_recv(&e[1], HALF, 2000);
        end_send(&e[0], &wr, 0, 1024);
        end_expect(&e[0], PVRDMA_WC_OP_SEND);
        cqe = pvrdma_cqe_wait(e[1].g, &e[1].cq);
        g_assert_cmpuint(cqe.status, ==, PVRDMA_WC_SUCCESS);
        g_assert_cmpuint(cqe.byte_len, ==, 1064);
        g_assert_cmpuint(cqe.src_qp, ==, e[0].qp.qpn);
        ends_same(&e[0], 0, &e[1], HALF + 40, 1024);
    }
    /* longer than a packet may be */
    end_send(&e[0], &wr, 0, 1025);
    g_assert_cmpuint(pvrdma_cqe_wait(e[0].g, &e[0].cq).status, ==,
                     PVRDMA_WC_LOC_LEN_ERR);
    ends_free(e);
}

/* Each answers while the other one sends. */
static void test_hub(void)
{
    End e[2];

    ends_on_hub(e, "q35");
    ends_exercise(e);
    ends_free(e);
}

static void check_bad_packet(End *e, int fd, const RocePacket *pkt,
                             const char *name)
{
    uint8_t frame[ROCE_MAX_FRAME];
    uint32_t len = peer_build(pkt, frame);

    peer_dropped(e, fd, frame, len, name);
}

static void test_bad_frames(void)
{
    uint8_t frame[ROCE_MAX_FRAME + 4], tagged[ROCE_MAX_FRAME + 4];
    uint32_t len;
    int fd;
    End e = peer_new(&fd, PVRDMA_QPT_UD);
    RocePacket pkt = peer_datagram(&e);

    peer_arrives(&e, fd);
    peer_dropped(&e, fd, frame, peer_build(&pkt, frame), "rx-no-buffer");
    len = peer_build(&pkt, frame);
    frame[len - 1] ^= 1;
    peer_dropped(&e, fd, frame, len, "rx-bad-icrc");
    len = peer_build(&pkt, frame);
    frame[len - 20] ^= 0x80;
    peer_dropped(&e, fd, frame, len, "rx-bad-icrc");
    len = peer_build(&pkt, frame);
    peer_dropped(&e, fd, frame, len - 5, "rx-bad-frame");
    peer_dropped(&e, fd, frame, 70, "rx-bad-frame");
    memcpy(tagged, frame, 12);
    memcpy(tagged + 12, (uint8_t[4]) { 0x81, 0, 0, 5 }, 4);
    memcpy(tagged + 16, frame + 12, len - 12);
    peer_dropped(&e, fd, tagged, len + 4, "rx-bad-frame");
    pkt.dest_qpn ^= 0x1000;
    check_bad_packet(&e, fd, &pkt, "rx-no-qp");
    pkt = peer_datagram(&e);
    pkt.opcode = ROCE_OP_SEND_ONLY;
    check_bad_packet(&e, fd, &pkt, "rx-no-qp");
    pkt = peer_datagram(&e);
    pkt.pkey = 0x8123;
    check_bad_packet(&e, fd, &pkt, "rx-bad-key");
    pkt = peer_datagram(&e);
    pkt.qkey ^= 1;
    check_bad_packet(&e, fd, &pkt, "rx-bad-key");
    peer_arrives(&e, fd);
    pvrdma_guest_free(e.g);
    close(fd);
}

/* What is not ours goes on to the vmxnet3, whatever it is. */
static void test_other_frames(void)
{
    uint8_t frame[ROCE_MAX_FRAME];
    int fd;
    End e = peer_new(&fd, PVRDMA_QPT_UD);
    RocePacket pkt = peer_datagram(&e);
    uint64_t taken = pvrdma_counter(e.g, "rx-packets");
    uint32_t len;

    pkt.dgid[15] ^= 1; /* another host's */
    peer_put(fd, frame, peer_build(&pkt, frame));
    pkt = peer_datagram(&e);
    len = peer_build(&pkt, frame);
    frame[14 + 40 + 2] ^= 1; /* another port */
    peer_put(fd, frame, len);
    memset(frame, 0, sizeof(frame));
    peer_put(fd, frame, 60);
    peer_put(fd, frame, 1);
    peer_arrives(&e, fd);
    g_assert_cmpuint(pvrdma_counter(e.g, "rx-packets"), ==, taken + 1);
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
    End e = peer_new(&fd, PVRDMA_QPT_RC);

    end_send(&e, &wr, 0, 1500);
    for (int i = 0; i < 2; i++) {
        len = peer_get(fd, frame);
        g_assert_cmpint(roce_frame_parse(frame, len, &pkt), ==,
                        ROCE_PARSE_OK);
        g_assert_true(roce_frame_icrc_ok(&pkt));
        g_assert_cmpmem(pkt.smac, 6, end_mac_a, 6);
        g_assert_cmpmem(pkt.dmac, 6, end_mac_b, 6);
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
    g_assert_cmpuint(pvrdma_counter(e.g, "timeouts"), >, 0);
    pvrdma_guest_free(e.g);
    close(fd);
}

void pvrdma_add_wire_tests(void)
{
    qtest_add_func("/pvrdma/wire/two-machines", test_two_machines);
    qtest_add_func("/pvrdma/wire/two-machines-ud", test_two_machines_ud);
    qtest_add_func("/pvrdma/wire/hub", test_hub);
    qtest_add_func("/pvrdma/wire/bad-frames", test_bad_frames);
    qtest_add_func("/pvrdma/wire/other-frames", test_other_frames);
    qtest_add_func("/pvrdma/wire/frames-out", test_frames_out);
}
