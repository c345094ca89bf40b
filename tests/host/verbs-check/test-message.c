/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SEND and SEND with immediate on a reliable connection. */
#include "check.h"

#include <string.h>

#define FULL (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)
#define TARGET (2u << 20)       /* where messages arrive */
#define SLACK 256               /* checked for stray writes after each message */

/* One message of @len bytes each way would hide which side is wrong: one way, then the roles change. */
static bool one_message(struct check *c, bool sender, size_t len, unsigned seed, enum ibv_wr_opcode op)
{
    struct ibv_wc wc;

    if (!sender) {
        wipe(c, TARGET, len + SLACK);
        if (!post_recv(c, seed, TARGET + 1, len + SLACK - 1)) {
            return false;
        }
    }
    if (!sync_point(c, "receive posted")) {
        return false;
    }
    if (sender) {
        fill(c, 3, len, seed);
        return post(c, op, seed, 3, len, 0) && expect(c, seed, IBV_WC_SEND, &wc);
    }
    if (!expect(c, seed, IBV_WC_RECV, &wc)) {
        return false;
    }
    if (wc.byte_len != len) {
        return fail(c, "byte_len is %u, not %zu", wc.byte_len, len);
    }
    if (!!(wc.wc_flags & IBV_WC_WITH_IMM) != (op == IBV_WR_SEND_WITH_IMM)) {
        return fail(c, "wc_flags are 0x%x for opcode %d", wc.wc_flags, op);
    }
    if (op == IBV_WR_SEND_WITH_IMM && be32toh(wc.imm_data) != IMM) {
        return fail(c, "immediate data is 0x%x, not 0x%x", be32toh(wc.imm_data), IMM);
    }
    return verify(c, TARGET + 1, len, seed) && untouched(c, TARGET, 1) &&
           untouched(c, TARGET + 1 + len, SLACK - 1);
}

static bool all_sizes(struct check *c, enum ibv_wr_opcode op)
{
    size_t sizes[32], n = edge_sizes(c, sizes, 32);

    if (!qp_new(c, IBV_QPT_RC, FULL) || !qp_connect(c)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!one_message(c, c->active, sizes[i], i, op) || !one_message(c, !c->active, sizes[i], 100 + i, op)) {
            return fail(c, "size %zu", sizes[i]);
        }
    }
    return true;
}

static bool test_send(struct check *c)
{
    return all_sizes(c, IBV_WR_SEND);
}

static bool test_send_imm(struct check *c)
{
    return all_sizes(c, IBV_WR_SEND_WITH_IMM);
}

#define PIECE 1500u             /* scattered pieces of this size, 4000 bytes apart */

static void pieces(struct check *c, struct ibv_sge sge[3], size_t base)
{
    for (int i = 0; i < 3; i++) {
        sge[i] = (struct ibv_sge) { (uintptr_t)c->buf + base + i * 4000, PIECE, c->mr->lkey };
    }
}

/* Gathers three pieces on one side, scatters them on the other. */
static bool test_sge(struct check *c)
{
    struct ibv_sge sge[3];
    struct ibv_recv_wr rwr = { .wr_id = 7, .sg_list = sge, .num_sge = 3 }, *rbad;
    struct ibv_send_wr swr = { .wr_id = 8, .sg_list = sge, .num_sge = 3, .opcode = IBV_WR_SEND,
                               .send_flags = IBV_SEND_SIGNALED }, *sbad;
    struct ibv_wc wc;

    if (!qp_new(c, IBV_QPT_RC, FULL) || !qp_connect(c)) {
        return false;
    }
    pieces(c, sge, c->active ? 0 : TARGET);
    wipe(c, TARGET, 16000);
    if (!c->active && ibv_post_recv(c->qp, &rwr, &rbad)) {
        return fail(c, "post receive with 3 SGEs: %m");
    }
    for (int i = 0; i < 3; i++) {
        fill(c, i * 4000, PIECE, 40 + i);
    }
    if (!sync_point(c, "receive posted")) {
        return false;
    }
    if (c->active) {
        return (!ibv_post_send(c->qp, &swr, &sbad) || fail(c, "post send with 3 SGEs: %m")) &&
               expect(c, 8, IBV_WC_SEND, &wc);
    }
    if (!expect(c, 7, IBV_WC_RECV, &wc)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        if (!verify(c, TARGET + i * 4000, PIECE, 40 + i) || !untouched(c, TARGET + i * 4000 + PIECE, 2500)) {
            return fail(c, "piece %d", i);
        }
    }
    return true;
}

/* A full queue of messages of different sizes arrives complete and in order. */
static bool test_pipeline(struct check *c)
{
    struct ibv_wc wc;

    if (!qp_new(c, IBV_QPT_RC, FULL) || !qp_connect(c)) {
        return false;
    }
    for (unsigned i = 0; i < DEPTH && !c->active; i++) {
        if (!post_recv(c, i, TARGET + i * 8192, 8192)) {
            return false;
        }
    }
    if (!sync_point(c, "receives posted")) {
        return false;
    }
    for (unsigned i = 0; i < DEPTH && c->active; i++) {
        fill(c, i * 8192, i * 120, i);
        if (!post(c, IBV_WR_SEND, i, i * 8192, i * 120, 0)) {
            return false;
        }
    }
    for (unsigned i = 0; i < DEPTH; i++) {
        if (!expect(c, i, c->active ? IBV_WC_SEND : IBV_WC_RECV, &wc)) {
            return false;
        }
        if (!c->active && (wc.byte_len != i * 120 || !verify(c, TARGET + i * 8192, i * 120, i))) {
            return fail(c, "message %u has %u bytes", i, wc.byte_len);
        }
    }
    return expect_none(c);
}

/* RESET and a second connection of the same QP. */
static bool test_reuse(struct check *c)
{
    if (!qp_new(c, IBV_QPT_RC, FULL) || !qp_connect(c) ||
        !one_message(c, c->active, 5000, 1, IBV_WR_SEND) || !sync_point(c, "before RESET")) {
        return false;
    }
    if (!qp_to(c, IBV_QPS_RESET) || !qp_to_init(c, FULL) || !qp_connect(c)) {
        return false;
    }
    return one_message(c, c->active, 5000, 2, IBV_WR_SEND) && one_message(c, !c->active, 10, 3, IBV_WR_SEND);
}

const struct test message_tests[] = {
    { "send", test_send },
    { "send-imm", test_send_imm },
    { "send-sge", test_sge },
    { "send-pipeline", test_pipeline },
    { "qp-reuse", test_reuse },
    { NULL, NULL },
};
