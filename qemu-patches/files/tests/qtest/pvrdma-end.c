/*
 * QTest testcase for pvrdma: two devices with a connection between them
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "pvrdma-end.h"

const uint8_t end_mac_a[6] = { 0x52, 0x54, 0, 0, 0, 0xa };
const uint8_t end_mac_b[6] = { 0x52, 0x54, 0, 0, 0, 0xb };

char *end_device(unsigned slot, const uint8_t mac[6], const char *netdev)
{
    return g_strdup_printf(
        "-device vmxnet3,id=nic%u,addr=%x.0,multifunction=on,romfile=,"
        "mac=%02x:%02x:%02x:%02x:%02x:%02x%s%s -device pvrdma,id=rdma%u,"
        "addr=%x.1", slot, slot, mac[0], mac[1], mac[2], mac[3], mac[4],
        mac[5], netdev ? ",netdev=" : "", netdev ?: "", slot, slot);
}

PvrdmaGuest *end_machine(int fd, const uint8_t mac[6])
{
    g_autofree char *device = end_device(PVRDMA_SLOT, mac, "n0");
    g_autofree char *ram = pvrdma_ram_args(128);
    g_autofree char *args = g_strdup_printf(
        "%s -nodefaults -netdev socket,id=n0,fd=%d %s", ram, fd, device);

    return pvrdma_guest_start(args);
}

End end_new(PvrdmaGuest *g, const uint8_t mac[6], uint8_t type)
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

void end_connect(End *e, uint8_t type, uint32_t qpn, const uint8_t gid[16],
                 const uint8_t mac[6])
{
    PvrdmaWireAh av = { .ah_flags = 1, .port_num = 1, .hop_limit = 64 };

    memcpy(av.dgid, gid, sizeof(av.dgid));
    memcpy(av.dmac, mac, sizeof(av.dmac));
    pvrdma_qp_connect_to(e->g, e->qp.handle, type, qpn, &av);
}

void ends_connect(End e[2], uint8_t type)
{
    for (int i = 0; i < 2; i++) {
        end_connect(&e[i], type, e[!i].qp.qpn, e[!i].gid, e[!i].mac);
    }
}

void end_send(End *e, PvrdmaWireSendWr *wr, uint32_t off, uint32_t length)
{
    PvrdmaWireSge s = {
        .addr = e->va + off, .length = length, .lkey = e->mr.lkey,
    };

    wr->num_sge = 1;
    wr->send_flags = PVRDMA_SEND_SIGNALED;
    pvrdma_post_send(e->g, &e->qp, wr, &s);
}

void end_recv(End *e, uint32_t off, uint32_t length)
{
    PvrdmaWireRecvWr wr = { .num_sge = 1 };
    PvrdmaWireSge s = {
        .addr = e->va + off, .length = length, .lkey = e->mr.lkey,
    };

    pvrdma_post_recv(e->g, &e->qp, &wr, &s);
}

void end_expect(End *e, uint32_t opcode)
{
    PvrdmaWireCqe cqe = pvrdma_cqe_wait(e->g, &e->cq);

    g_assert_cmpuint(cqe.status, ==, PVRDMA_WC_SUCCESS);
    g_assert_cmpuint(cqe.opcode, ==, opcode);
}

void end_fill(End *e, uint32_t off, uint32_t length, uint8_t seed)
{
    g_autofree uint8_t *data = g_malloc(length);

    for (uint32_t i = 0; i < length; i++) {
        data[i] = seed + i * 13 + i / 256;
    }
    qtest_memwrite(e->g->qts, e->mr.mem.addr + off, data, length);
}

void ends_same(End *a, uint32_t a_off, End *b, uint32_t b_off,
               uint32_t length)
{
    g_autofree uint8_t *x = g_malloc(length), *y = g_malloc(length);

    qtest_memread(a->g->qts, a->mr.mem.addr + a_off, x, length);
    qtest_memread(b->g->qts, b->mr.mem.addr + b_off, y, length);
    g_assert_cmpmem(x, length, y, length);
}

void ends_exercise(End e[2])
{
    const uint32_t sizes[] = { 1, 1024, 1025, 100000, HALF - 8 };
    PvrdmaWireSendWr wr = { };

    for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
        end_fill(&e[0], 0, sizes[i], i);
        wr = (PvrdmaWireSendWr) { .opcode = PVRDMA_WR_SEND };
        end_recv(&e[1], HALF, HALF);
        end_send(&e[0], &wr, 0, sizes[i]);
        end_expect(&e[1], PVRDMA_WC_OP_RECV);
        end_expect(&e[0], PVRDMA_WC_OP_SEND);
        ends_same(&e[0], 0, &e[1], HALF, sizes[i]);

        end_fill(&e[0], 0, sizes[i], i + 100);
        wr.opcode = PVRDMA_WR_RDMA_WRITE;
        wr.wr.rdma.remote_addr = e[1].va + 3;
        wr.wr.rdma.rkey = e[1].mr.rkey;
        end_send(&e[0], &wr, 0, sizes[i]);
        end_expect(&e[0], PVRDMA_WC_OP_RDMA_WRITE);
        ends_same(&e[0], 0, &e[1], 3, sizes[i]);

        wr.opcode = PVRDMA_WR_RDMA_READ;
        end_send(&e[0], &wr, HALF, sizes[i]);
        end_expect(&e[0], PVRDMA_WC_OP_RDMA_READ);
        ends_same(&e[0], 0, &e[0], HALF, sizes[i]);
    }
    wr = (PvrdmaWireSendWr) { .opcode = PVRDMA_WR_ATOMIC_FETCH_AND_ADD };
    wr.wr.atomic.remote_addr = e[1].va;
    wr.wr.atomic.rkey = e[1].mr.rkey;
    wr.wr.atomic.compare_add = 5;
    qtest_writeq(e[1].g->qts, e[1].mr.mem.addr, 100);
    end_send(&e[0], &wr, 0, 8);
    end_expect(&e[0], PVRDMA_WC_OP_FETCH_ADD);
    g_assert_cmpuint(qtest_readq(e[0].g->qts, e[0].mr.mem.addr), ==, 100);
    g_assert_cmpuint(qtest_readq(e[1].g->qts, e[1].mr.mem.addr), ==, 105);
}

void end_socket_pair(int fd[2])
{
    g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), ==, 0);
}

void ends_two_machines(End e[2], uint8_t type)
{
    int fd[2];

    end_socket_pair(fd);
    e[0] = end_new(end_machine(fd[0], end_mac_a), end_mac_a, type);
    e[1] = end_new(end_machine(fd[1], end_mac_b), end_mac_b, type);
    close(fd[0]);
    close(fd[1]);
    ends_connect(e, type);
}

void ends_free(End e[2])
{
    pvrdma_guest_free(e[1].g);
    pvrdma_guest_free(e[0].g);
}
void ends_on_hub(End e[2], const char *machine)
{
    g_autofree char *first = end_device(PVRDMA_SLOT, end_mac_a, "n0");
    g_autofree char *second = end_device(PVRDMA_SLOT + 1, end_mac_b, "n1");
    g_autofree char *args = g_strdup_printf(
        "-machine %s -nodefaults -m 128M -netdev hubport,id=n0,hubid=0 "
        "-netdev hubport,id=n1,hubid=0 %s %s", machine, first, second);
    PvrdmaGuest *g = pvrdma_guest_start(args);

    e[0] = end_new(g, end_mac_a, PVRDMA_QPT_RC);
    e[1] = end_new(pvrdma_guest_share(g, PVRDMA_SLOT + 1), end_mac_b,
                   PVRDMA_QPT_RC);
    ends_connect(e, PVRDMA_QPT_RC);
}
