/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must fail, fails with the right status and leaves the rest alone. */
#include "check.h"

#define FULL (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)
#define TARGET (2u << 20)

/*
 * A completion in error may be seen before its QP has changed state: Soft-RoCE
 * writes the one first, from another CPU.
 */
static bool in_error(struct check *c)
{
    return qp_reaches(c, IBV_QPS_ERR);
}

static bool to_error(struct check *c)
{
    return expect_none(c) && qp_to(c, IBV_QPS_ERR) && in_error(c);
}

/* Receives that wait are flushed by the move to ERR, in their order. */
static bool test_flush(struct check *c)
{
    if (!qp_new(c, IBV_QPT_RC, FULL) || !qp_connect(c)) {
        return false;
    }
    for (unsigned i = 0; i < 8; i++) {
        if (!post_recv(c, i, TARGET, 100)) {
            return false;
        }
    }
    if (!to_error(c)) {
        return false;
    }
    for (unsigned i = 0; i < 8; i++) {
        if (!expect_status(c, i, IBV_WC_WR_FLUSH_ERR)) {
            return fail(c, "receive %u", i);
        }
    }
    return expect_none(c);
}

/* What is posted to a QP in ERR is flushed at once. */
static bool test_flush_late_send(struct check *c)
{
    return qp_new(c, IBV_QPT_RC, FULL) && qp_connect(c) && to_error(c) &&
           post(c, IBV_WR_SEND, 20, 0, 100, 0) && expect_status(c, 20, IBV_WC_WR_FLUSH_ERR) && expect_none(c);
}

static bool test_flush_late_recv(struct check *c)
{
    return qp_new(c, IBV_QPT_RC, FULL) && qp_connect(c) && to_error(c) &&
           post_recv(c, 21, TARGET, 100) && expect_status(c, 21, IBV_WC_WR_FLUSH_ERR) && expect_none(c);
}

/* The active side's request fails with @status; what follows it is flushed. */
static bool bad_request(struct check *c, enum ibv_wr_opcode op, enum ibv_wc_status status)
{
    return post(c, op, 1, 0, 256, TARGET) && expect_status(c, 1, status) && in_error(c) &&
           post(c, IBV_WR_SEND, 2, 0, 10, 0) && expect_status(c, 2, IBV_WC_WR_FLUSH_ERR);
}

static bool remote_access(struct check *c, enum ibv_wr_opcode op, int passive_access, uint32_t rkey_xor)
{
    wipe(c, TARGET, 4096);
    if (!qp_new(c, IBV_QPT_RC, c->active ? FULL : passive_access) || !qp_connect(c)) {
        return false;
    }
    c->peer.rkey ^= rkey_xor;
    if ((c->active && !bad_request(c, op, IBV_WC_REM_ACCESS_ERR)) || !sync_point(c, "refused")) {
        return false;
    }
    return untouched(c, TARGET, 4096);
}

static bool test_bad_rkey(struct check *c)
{
    return remote_access(c, IBV_WR_RDMA_WRITE, FULL, 0x5a00);
}

/* 256 bytes at an offset of 4 MiB - 128: half of it outside of the region. */
static bool test_out_of_range(struct check *c)
{
    if (!qp_new(c, IBV_QPT_RC, FULL) || !qp_connect(c)) {
        return false;
    }
    wipe(c, BUF_SIZE - 4096, 4096);
    if (!sync_point(c, "wiped")) {
        return false;
    }
    if (c->active && (!post(c, IBV_WR_RDMA_WRITE, 1, 0, 256, BUF_SIZE - 128) ||
                      !expect_status(c, 1, IBV_WC_REM_ACCESS_ERR) || !in_error(c))) {
        return false;
    }
    return sync_point(c, "refused") && untouched(c, BUF_SIZE - 4096, 4096);
}

/* A key that does not exist on this side: found out before anything is sent. */
static bool test_bad_lkey(struct check *c)
{
    struct ibv_sge sge = { (uintptr_t)c->buf, 64, c->mr->lkey ^ 0x5a00 };
    struct ibv_send_wr *bad, wr = { .wr_id = 3, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
                                    .send_flags = IBV_SEND_SIGNALED };

    if (!qp_new(c, IBV_QPT_RC, FULL) || !qp_connect(c) ||
        (!c->active && !post_recv(c, 9, TARGET, 100)) || !sync_point(c, "ready")) {
        return false;
    }
    if (!c->active) {
        return sync_point(c, "refused") && expect_none(c);
    }
    if (ibv_post_send(c->qp, &wr, &bad)) {
        return fail(c, "post send: %m");
    }
    return expect_either(c, 3, IBV_WC_LOC_PROT_ERR, IBV_WC_LOC_QP_OP_ERR) && in_error(c) &&
           sync_point(c, "refused");
}

/* No receive is ever posted and the sender may not retry. */
static bool test_rnr(struct check *c)
{
    struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS, .sq_psn = 0, .timeout = 18, .retry_cnt = 7,
                                .rnr_retry = 1, .max_rd_atomic = 1 };
    int mask = IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
               IBV_QP_MAX_QP_RD_ATOMIC;

    if (!qp_new(c, IBV_QPT_RC, FULL) || !qp_connect(c)) {
        return false;
    }
    if (c->active) {
        /* RNR retry count 7 means for ever: connect once more, with 1 */
        attr.sq_psn = c->qp->qp_num * 7 & 0xffffff;
        if (!qp_to(c, IBV_QPS_RESET) || !qp_to_init(c, FULL) || !qp_to_rtr(c)) {
            return false;
        }
        if (ibv_modify_qp(c->qp, &attr, mask)) {
            return fail(c, "RTR -> RTS with rnr_retry 1: %m");
        }
        if (!post(c, IBV_WR_SEND, 5, 0, 100, 0) || !expect_status(c, 5, IBV_WC_RNR_RETRY_EXC_ERR) || !in_error(c)) {
            return false;
        }
    }
    return sync_point(c, "refused") && expect_none(c);
}

/* The peer's QP is gone: retries run out. */
static bool test_retry(struct check *c)
{
    struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 2, .rnr_retry = 7,
                                .max_rd_atomic = 1 };
    int mask = IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
               IBV_QP_MAX_QP_RD_ATOMIC;

    if (!qp_new(c, IBV_QPT_RC, FULL) || !qp_connect(c)) {
        return false;
    }
    if (!c->active) {
        return qp_to(c, IBV_QPS_RESET) && sync_point(c, "reset") && sync_point(c, "refused");
    }
    attr.sq_psn = c->qp->qp_num * 7 & 0xffffff;
    if (!sync_point(c, "reset") || !qp_to(c, IBV_QPS_RESET) || !qp_to_init(c, FULL) || !qp_to_rtr(c)) {
        return false;
    }
    if (ibv_modify_qp(c->qp, &attr, mask)) {
        return fail(c, "RTR -> RTS with retry_cnt 2: %m");
    }
    return post(c, IBV_WR_SEND, 5, 0, 100, 0) && expect_status(c, 5, IBV_WC_RETRY_EXC_ERR) && in_error(c) &&
           sync_point(c, "refused");
}

/* A message that is longer than the receive that waits for it. */
static bool test_too_long(struct check *c)
{
    wipe(c, TARGET, 8192);
    if (!qp_new(c, IBV_QPT_RC, FULL) || !qp_connect(c) ||
        (!c->active && !post_recv(c, 1, TARGET, 100)) || !sync_point(c, "receive posted")) {
        return false;
    }
    if (c->active) {
        return post(c, IBV_WR_SEND, 1, 0, 3000, 0) &&
               expect_either(c, 1, IBV_WC_REM_INV_REQ_ERR, IBV_WC_REM_OP_ERR) && in_error(c);
    }
    return expect_either(c, 1, IBV_WC_LOC_LEN_ERR, IBV_WC_LOC_QP_OP_ERR) && in_error(c) && untouched(c, TARGET + 100, 8092);
}

const struct test error_tests[] = {
    { "flush", test_flush },
    { "flush-late-send", test_flush_late_send },
    { "flush-late-recv", test_flush_late_recv },
    { "bad-rkey", test_bad_rkey },
    { "out-of-range", test_out_of_range },
    { "bad-lkey", test_bad_lkey },
    { "too-long", test_too_long },
    { "rnr-retry", test_rnr },
    { "retry-exceeded", test_retry },
    { NULL, NULL },
};
