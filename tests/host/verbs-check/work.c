/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Buffers, work requests and completions. */
#include "check.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

/* Differs from byte to byte, page to page and seed to seed. */
static uint8_t pattern(size_t i, unsigned seed)
{
    return (uint8_t)(i * 31 + (i >> 8) * 17 + (i >> 12) * 101 + seed * 59 + 7);
}

void fill(struct check *c, size_t off, size_t len, unsigned seed)
{
    for (size_t i = 0; i < len; i++) {
        c->buf[off + i] = pattern(i, seed);
    }
}

bool verify(struct check *c, size_t off, size_t len, unsigned seed)
{
    for (size_t i = 0; i < len; i++) {
        if (c->buf[off + i] != pattern(i, seed)) {
            return fail(c, "byte %zu of %zu is %02x, not %02x", i, len, c->buf[off + i], pattern(i, seed));
        }
    }
    return true;
}

void wipe(struct check *c, size_t off, size_t len)
{
    memset(c->buf + off, GUARD, len);
}

bool untouched(struct check *c, size_t off, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (c->buf[off + i] != GUARD) {
            return fail(c, "a byte at offset %zu was written that does not belong to the message", off + i);
        }
    }
    return true;
}

bool post_recv(struct check *c, uint64_t id, size_t off, size_t len)
{
    struct ibv_sge sge = { (uintptr_t)c->buf + off, (uint32_t)len, c->mr->lkey };
    struct ibv_recv_wr wr = { .wr_id = id, .sg_list = &sge, .num_sge = len ? 1 : 0 }, *bad;

    return !ibv_post_recv(c->qp, &wr, &bad) || fail(c, "post receive %llu: %m", (unsigned long long)id);
}

bool post_flags(struct check *c, enum ibv_wr_opcode op, uint64_t id, size_t off, size_t len,
                size_t peer_off, unsigned flags)
{
    struct ibv_sge sge = { (uintptr_t)c->buf + off, (uint32_t)len, c->mr->lkey };
    struct ibv_send_wr *bad, wr = {
        .wr_id = id, .sg_list = &sge, .num_sge = len ? 1 : 0, .opcode = op,
        .send_flags = flags, .imm_data = htobe32(IMM),
    };

    if (op != IBV_WR_SEND && op != IBV_WR_SEND_WITH_IMM) {
        wr.wr.rdma.remote_addr = c->peer.addr + peer_off;
        wr.wr.rdma.rkey = c->peer.rkey;
    }
    return !ibv_post_send(c->qp, &wr, &bad) || fail(c, "post send %llu: %m", (unsigned long long)id);
}

bool post(struct check *c, enum ibv_wr_opcode op, uint64_t id, size_t off, size_t len, size_t peer_off)
{
    return post_flags(c, op, id, off, len, peer_off, IBV_SEND_SIGNALED);
}

double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

bool poll_one(struct check *c, struct ibv_wc *wc)
{
    double limit = now() + WAIT_SECONDS;
    int n;

    while ((n = ibv_poll_cq(c->cq, 1, wc)) == 0) {
        if (now() > limit) {
            return fail(c, "no completion within %d s", WAIT_SECONDS);
        }
    }
    return n == 1 || fail(c, "poll CQ: %d", n);
}

bool expect(struct check *c, uint64_t id, enum ibv_wc_opcode opcode, struct ibv_wc *wc)
{
    if (!poll_one(c, wc)) {
        return false;
    }
    if (wc->status != IBV_WC_SUCCESS) {
        return fail(c, "completion of %llu: %s, wanted a success of %llu", (unsigned long long)wc->wr_id,
                    ibv_wc_status_str(wc->status), (unsigned long long)id);
    }
    if (wc->wr_id != id || wc->opcode != opcode || wc->qp_num != c->qp->qp_num) {
        return fail(c, "completion of %llu, opcode %d, QP %u; wanted %llu, %d, %u", (unsigned long long)wc->wr_id,
                    wc->opcode, wc->qp_num, (unsigned long long)id, opcode, c->qp->qp_num);
    }
    return true;
}

bool expect_either(struct check *c, uint64_t id, enum ibv_wc_status status, enum ibv_wc_status other)
{
    struct ibv_wc wc;

    if (!poll_one(c, &wc)) {
        return false;
    }
    return (wc.wr_id == id && (wc.status == status || wc.status == other)) ||
           fail(c, "completion of %llu: %s; wanted %llu: %s", (unsigned long long)wc.wr_id,
                ibv_wc_status_str(wc.status), (unsigned long long)id, ibv_wc_status_str(status));
}

bool expect_status(struct check *c, uint64_t id, enum ibv_wc_status status)
{
    return expect_either(c, id, status, status);
}

bool expect_none(struct check *c)
{
    struct ibv_wc wc;

    return ibv_poll_cq(c->cq, 1, &wc) == 0 ||
           fail(c, "an unexpected completion of %llu: %s", (unsigned long long)wc.wr_id,
                ibv_wc_status_str(wc.status));
}

size_t edge_sizes(struct check *c, size_t sizes[], size_t max)
{
    const size_t list[] = {
        0, 1, 2, 3, 64, c->mtu - 1, c->mtu, c->mtu + 1, 2 * c->mtu - 3, 2 * c->mtu + 5,
        4095, 4096, 4097, 65536 + 13, 1u << 20,
    };
    size_t n = sizeof(list) / sizeof(list[0]);

    n = n < max ? n : max;
    memcpy(sizes, list, n * sizeof(list[0]));
    return n;
}
