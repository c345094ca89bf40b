/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RDMA WRITE (with immediate), READ and the two atomics. */
#include "check.h"

#include <string.h>

#define FULL (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)
#define TARGET (2u << 20)
#define SLACK 256

static bool write_one(struct check *c, size_t len, unsigned seed)
{
    struct ibv_wc wc;

    wipe(c, TARGET, len + SLACK);
    fill(c, 5, len, seed);
    if (!sync_point(c, "wiped")) {
        return false;
    }
    if (c->active && (!post(c, IBV_WR_RDMA_WRITE, seed, 5, len, TARGET + 9) ||
                      !expect(c, seed, IBV_WC_RDMA_WRITE, &wc))) {
        return false;
    }
    if (!sync_point(c, "written")) {
        return false;
    }
    if (c->active) {
        return untouched(c, TARGET, len + SLACK);
    }
    return verify(c, TARGET + 9, len, seed) && untouched(c, TARGET, 9) &&
           untouched(c, TARGET + 9 + len, SLACK - 9) && expect_none(c);
}

static bool read_one(struct check *c, size_t len, unsigned seed)
{
    struct ibv_wc wc;

    if (c->active) {
        wipe(c, TARGET, len + SLACK);
    } else {
        fill(c, 5, len, seed);
    }
    if (!sync_point(c, "source filled")) {
        return false;
    }
    if (c->active && (!post(c, IBV_WR_RDMA_READ, seed, TARGET + 9, len, 5) ||
                      !expect(c, seed, IBV_WC_RDMA_READ, &wc) || !verify(c, TARGET + 9, len, seed) ||
                      !untouched(c, TARGET, 9) || !untouched(c, TARGET + 9 + len, SLACK - 9))) {
        return false;
    }
    return sync_point(c, "read") && expect_none(c);
}

static bool every_size(struct check *c, bool (*one)(struct check *, size_t, unsigned))
{
    size_t sizes[32], n = edge_sizes(c, sizes, 32);

    if (!qp_new(c, IBV_QPT_RC, FULL) || !qp_connect(c)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!one(c, sizes[i], i)) {
            return fail(c, "size %zu", sizes[i]);
        }
    }
    return true;
}

static bool test_write(struct check *c)
{
    return every_size(c, write_one);
}

static bool test_read(struct check *c)
{
    return every_size(c, read_one);
}

static bool write_imm_one(struct check *c, size_t len, unsigned seed)
{
    struct ibv_wc wc;

    wipe(c, TARGET, len + SLACK);
    fill(c, 5, len, seed);
    if ((!c->active && !post_recv(c, 500 + seed, 0, 0)) || !sync_point(c, "wiped")) {
        return false;
    }
    if (c->active) {
        return post(c, IBV_WR_RDMA_WRITE_WITH_IMM, seed, 5, len, TARGET) &&
               expect(c, seed, IBV_WC_RDMA_WRITE, &wc);
    }
    if (!expect(c, 500 + seed, IBV_WC_RECV_RDMA_WITH_IMM, &wc)) {
        return false;
    }
    if (!(wc.wc_flags & IBV_WC_WITH_IMM) || be32toh(wc.imm_data) != IMM || wc.byte_len != len) {
        return fail(c, "flags 0x%x, immediate 0x%x, byte_len %u", wc.wc_flags, be32toh(wc.imm_data), wc.byte_len);
    }
    return verify(c, TARGET, len, seed) && untouched(c, TARGET + len, SLACK);
}

static bool test_write_imm(struct check *c)
{
    return every_size(c, write_imm_one);
}

static bool atomic(struct check *c, enum ibv_wr_opcode op, uint64_t compare_add, uint64_t swap, uint64_t *old)
{
    struct ibv_sge sge = { (uintptr_t)c->buf + 64, 8, c->mr->lkey };
    struct ibv_send_wr *bad, wr = {
        .wr_id = 1, .sg_list = &sge, .num_sge = 1, .opcode = op, .send_flags = IBV_SEND_SIGNALED,
        .wr.atomic = { .remote_addr = c->peer.addr + TARGET + 8, .rkey = c->peer.rkey,
                       .compare_add = compare_add, .swap = swap },
    };
    struct ibv_wc wc;

    if (ibv_post_send(c->qp, &wr, &bad)) {
        return fail(c, "post atomic: %m");
    }
    if (!expect(c, 1, op == IBV_WR_ATOMIC_CMP_AND_SWP ? IBV_WC_COMP_SWAP : IBV_WC_FETCH_ADD, &wc)) {
        return false;
    }
    memcpy(old, c->buf + 64, 8);
    return true;
}

#define FIRST UINT64_C(0x1122334455667788)
#define SECOND UINT64_C(0xfedcba9876543210)

static bool compare_and_swap(struct check *c)
{
    uint64_t old;

    if (!atomic(c, IBV_WR_ATOMIC_CMP_AND_SWP, FIRST + 1, 1, &old)) {
        return false;
    }
    if (old != FIRST) {
        return fail(c, "a CAS that must not match returned 0x%llx", (unsigned long long)old);
    }
    if (!atomic(c, IBV_WR_ATOMIC_CMP_AND_SWP, FIRST, SECOND, &old)) {
        return false;
    }
    return old == FIRST || fail(c, "a CAS that must match returned 0x%llx", (unsigned long long)old);
}

static bool fetch_and_add(struct check *c)
{
    uint64_t old;

    if (!atomic(c, IBV_WR_ATOMIC_FETCH_AND_ADD, 5, 0, &old)) {
        return false;
    }
    if (old != FIRST) {
        return fail(c, "FAA returned 0x%llx", (unsigned long long)old);
    }
    /* wraps around, and shows that the first one took effect */
    if (!atomic(c, IBV_WR_ATOMIC_FETCH_AND_ADD, SECOND - FIRST - 5, 0, &old)) {
        return false;
    }
    return old == FIRST + 5 || fail(c, "the second FAA returned 0x%llx", (unsigned long long)old);
}

/* Both sequences turn FIRST at the passive side into SECOND. */
static bool atomic_test(struct check *c, bool (*active_side)(struct check *))
{
    uint64_t value = FIRST;

    wipe(c, TARGET, 64);
    memcpy(c->buf + TARGET + 8, &value, 8);
    if (!qp_new(c, IBV_QPT_RC, FULL) || !qp_connect(c) || (c->active && !active_side(c)) ||
        !sync_point(c, "atomics done")) {
        return false;
    }
    memcpy(&value, c->buf + TARGET + 8, 8);
    if (value != (c->active ? FIRST : SECOND)) {
        return fail(c, "the target holds 0x%llx", (unsigned long long)value);
    }
    return untouched(c, TARGET, 8) && untouched(c, TARGET + 16, 48);
}

static bool test_cas(struct check *c)
{
    return atomic_test(c, compare_and_swap);
}

static bool test_faa(struct check *c)
{
    return atomic_test(c, fetch_and_add);
}

const struct test rdma_tests[] = {
    { "write", test_write },
    { "write-imm", test_write_imm },
    { "read", test_read },
    { "cas", test_cas },
    { "faa", test_faa },
    { NULL, NULL },
};
