/*
 * QTest testcase for pvrdma: the test as the peer, with frames by hand
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/sockets.h"
#include "pvrdma-peer.h"

void peer_put(int fd, const uint8_t *frame, uint32_t len)
{
    uint32_t be = cpu_to_be32(len);

    g_assert_cmpint(send(fd, &be, sizeof(be), 0), ==, sizeof(be));
    g_assert_cmpint(send(fd, frame, len, 0), ==, len);
}

static void get_bytes(int fd, void *buf, size_t len)
{
    g_assert_cmpint(recv(fd, buf, len, MSG_WAITALL), ==, len);
}

uint32_t peer_get(int fd, uint8_t *frame)
{
    uint32_t len;

    get_bytes(fd, &len, sizeof(len));
    len = be32_to_cpu(len);
    g_assert_cmpuint(len, <=, ROCE_MAX_FRAME);
    get_bytes(fd, frame, len);
    return len;
}

/* A datagram of 64 bytes for the QP of @e, from end_mac_b */
RocePacket peer_datagram(const End *e)
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

    pvrdma_gid_of_mac(end_mac_b, pkt.sgid);
    memcpy(pkt.dgid, e->gid, sizeof(pkt.dgid));
    memcpy(pkt.smac, end_mac_b, sizeof(pkt.smac));
    memcpy(pkt.dmac, e->mac, sizeof(pkt.dmac));
    return pkt;
}

uint32_t peer_build(const RocePacket *pkt, uint8_t *frame)
{
    memset(roce_frame_open(frame, pkt), 0x5a, pkt->payload_len);
    return roce_frame_seal(frame, pkt, true);
}

void peer_arrives(End *e, int fd)
{
    RocePacket pkt = peer_datagram(e);
    uint8_t frame[ROCE_MAX_FRAME];
    PvrdmaWireCqe cqe;

    end_recv(e, HALF, 200);
    peer_put(fd, frame, peer_build(&pkt, frame));
    cqe = pvrdma_cqe_wait(e->g, &e->cq);
    g_assert_cmpuint(cqe.status, ==, PVRDMA_WC_SUCCESS);
    g_assert_cmpuint(cqe.byte_len, ==, 104);
    g_assert_cmphex(cqe.src_qp, ==, PEER_QPN);
}

End peer_new(int *ret_fd, uint8_t type)
{
    int fd[2];
    End e;

    end_socket_pair(fd);
    e = end_new(end_machine(fd[0], end_mac_a), end_mac_a, type);
    close(fd[0]);
    *ret_fd = fd[1];
    end_connect(&e, type, PEER_QPN, (uint8_t[16]) { 0xfe, 0x80, [15] = 9 },
                end_mac_b);
    return e;
}

void peer_dropped(End *e, int fd, const uint8_t *frame, uint32_t len,
                  const char *name)
{
    uint64_t before = pvrdma_counter(e->g, name);

    peer_put(fd, frame, len);
    for (int i = 0; i < 1000 && pvrdma_counter(e->g, name) == before; i++) {
        g_usleep(1000);
    }
    g_assert_cmpuint(pvrdma_counter(e->g, name), ==, before + 1);
}
