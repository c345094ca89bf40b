/*
 * QTest testcase for pvrdma: each field of each command at its limits
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "pvrdma-pair.h"
#include "pvrdma-tests.h"
#include "pvrdma-watch.h"

#define MAX_PAGES 262144u      /* of a directory */
#define NO_RAM 0xfee00000ull

/* Values of one field that the device refuses, and that it takes */
#define FIELD(g, cmd, good, field, works, ...) \
    check_field(g, cmd, good, offsetof(PvrdmaReq, field), \
                sizeof((good)->field), works, (const uint64_t[]) \
                { __VA_ARGS__ }, \
                sizeof((const uint64_t[]) { __VA_ARGS__ }) / sizeof(uint64_t))
#define BAD(cmd, good, field, ...) FIELD(g, cmd, good, field, false, \
                                         __VA_ARGS__)
#define GOOD(cmd, good, field, ...) FIELD(g, cmd, good, field, true, \
                                          __VA_ARGS__)

static void check_field(PvrdmaGuest *g, uint32_t cmd, const PvrdmaReq *good,
                        size_t off, size_t size, bool works,
                        const uint64_t *value, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        g_assert_cmpint(!pvrdma_cmd_spoilt(g, cmd, good, off, size, value[i]),
                        ==, works);
    }
}

/* A handle that is none: nothing, the next one, and with bits above it */
#define BAD_HANDLES(cmd, good, field, h) \
    BAD(cmd, good, field, 0, (h) + 1, (h) | 1u << 16, (h) | 1u << 24, \
        (h) | 1u << 31, 0x00ffffff, 1u << 31, UINT32_MAX)

/*
 * As many pages as a directory can list, on three pages of the guest's: all
 * tables are one, and all pages, too.
 */
static PvrdmaPages many_pages(PvrdmaGuest *g)
{
    PvrdmaPages mem = pvrdma_pages(g, 512);
    uint64_t table = qtest_readq(g->qts, mem.pdir);

    for (uint32_t i = 0; i < 512; i++) {
        qtest_writeq(g->qts, mem.pdir + 8 * i, table);
        qtest_writeq(g->qts, table + 8 * i, mem.addr);
    }
    mem.n = MAX_PAGES;
    return mem;
}

/* Addresses that are not those of a page of RAM */
static unsigned bad_addresses(PvrdmaGuest *g, uint64_t page, uint64_t *ret)
{
    const uint64_t bad[] = {
        0, page + 1, page + 8, page + 2048, page + 4095, g->regs.addr,
        g->uar.addr, g->dev->msix_table_bar.addr, NO_RAM, 0xfec00000,
        128ull << 20, 1ull << 32, 1ull << 44, (1ull << 44) + page,
        1ull << 52 | page, 1ull << 63 | page, UINT64_MAX,
        UINT64_MAX & ~0xfffull,
    };

    memcpy(ret, bad, sizeof(bad));
    return ARRAY_SIZE(bad);
}

/* Writes each of them to @at, and @good at last. */
static void check_word(PvrdmaGuest *g, uint32_t cmd, PvrdmaReq *req,
                       uint64_t at)
{
    uint64_t good = qtest_readq(g->qts, at), bad[32];
    unsigned n = bad_addresses(g, good, bad);

    for (unsigned i = 0; i < n; i++) {
        g_test_message("word at 0x%" PRIx64 ": 0x%" PRIx64, at, bad[i]);
        qtest_writeq(g->qts, at, bad[i]);
        g_assert_cmpuint(pvrdma_cmd(g, cmd, req, NULL), !=, 0);
    }
    qtest_writeq(g->qts, at, good);
}

/* The directory's own address, its tables, and first and last of the pages */
static void check_directory(PvrdmaGuest *g, uint32_t cmd, PvrdmaReq *req,
                            uint64_t *pdir_field, uint32_t pages)
{
    uint64_t pdir = *pdir_field, bad[32];
    unsigned n = bad_addresses(g, pdir, bad);
    uint64_t last = qtest_readq(g->qts, pdir + (pages - 1) / 512 * 8);

    for (unsigned i = 0; i < n; i++) {
        g_test_message("directory at 0x%" PRIx64, bad[i]);
        *pdir_field = bad[i];
        g_assert_cmpuint(pvrdma_cmd(g, cmd, req, NULL), !=, 0);
    }
    *pdir_field = pdir;
    check_word(g, cmd, req, pdir);
    check_word(g, cmd, req, pdir + (pages - 1) / 512 * 8);
    check_word(g, cmd, req, qtest_readq(g->qts, pdir));
    check_word(g, cmd, req, last + (pages - 1) % 512 * 8);
    g_assert_cmpuint(pvrdma_cmd(g, cmd, req, NULL), ==, 0);
}

static void test_directories(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_ready();
    PvrdmaPages mem = pvrdma_pages(g, 1025);
    uint32_t pd = pvrdma_pd_new(g, 0);
    uint32_t cq = pvrdma_cq_new(g, 0, 16).handle;
    PvrdmaReq mr = pvrdma_req_mr(pd, &mem);
    PvrdmaReq new_cq = pvrdma_req_cq(0, 65536, &mem);
    PvrdmaReq qp = pvrdma_req_qp(pd, PVRDMA_QPT_RC, cq, cq, 4096, 16, &mem);
    PvrdmaReq srq = pvrdma_req_srq(pd, 4096, 16, &mem);

    check_directory(g, PVRDMA_CMD_CREATE_MR, &mr, &mr.create_mr.pdir_dma,
                    1025);
    check_directory(g, PVRDMA_CMD_CREATE_CQ, &new_cq,
                    &new_cq.create_cq.pdir_dma, 1025);
    check_directory(g, PVRDMA_CMD_CREATE_QP, &qp, &qp.create_qp.pdir_dma,
                    1025);
    check_directory(g, PVRDMA_CMD_CREATE_SRQ, &srq, &srq.create_srq.pdir_dma,
                    513);
    watch_alive(g);
}

/* Entries that no page needs may be anything. */
static void test_rest_of_directory(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_ready();
    PvrdmaPages mem = pvrdma_pages(g, 2);
    PvrdmaReq req = pvrdma_req_mr(pvrdma_pd_new(g, 0), &mem);
    uint64_t table = qtest_readq(g->qts, mem.pdir);

    qtest_writeq(g->qts, mem.pdir + 8, UINT64_MAX);
    qtest_writeq(g->qts, table + 16, NO_RAM);
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_CREATE_MR, &req, NULL), ==, 0);
}

static void test_mr(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_ready();
    uint64_t max = pvrdma_guest_caps(g).max_mr_size;
    uint32_t pd = pvrdma_pd_new(g, 0);
    PvrdmaPages mem = many_pages(g);
    PvrdmaReq r = pvrdma_req_mr(pd, &mem);
    const uint32_t cmd = PVRDMA_CMD_CREATE_MR;

    r.create_mr.length = max;
    GOOD(cmd, &r, create_mr.nchunks, max / PVRDMA_PAGE);
    BAD(cmd, &r, create_mr.nchunks, 0, 1, MAX_PAGES - 1, MAX_PAGES + 1,
        2 * MAX_PAGES, 1u << 31, UINT32_MAX);
    BAD(cmd, &r, create_mr.length, 0, 1, max - PVRDMA_PAGE, max + 1,
        max + PVRDMA_PAGE, 2 * max, 1ull << 63, UINT64_MAX);
    BAD(cmd, &r, create_mr.start, r.create_mr.start + 1, UINT64_MAX,
        UINT64_MAX - max + 1, UINT64_MAX - max + 2);
    GOOD(cmd, &r, create_mr.start, 0, UINT64_MAX - max + 1 - PVRDMA_PAGE);
    BAD_HANDLES(cmd, &r, create_mr.pd_handle, pd);
    r.create_mr.length = PVRDMA_PAGE;
    r.create_mr.nchunks = 1;
    BAD(cmd, &r, create_mr.flags, 3, 4, 8, 1u << 31, UINT32_MAX);
    GOOD(cmd, &r, create_mr.access_flags, 0, 1, 0x1f, 1u << 20, UINT32_MAX);
    r.create_mr.flags = PVRDMA_MR_FLAG_FRMR;
    GOOD(cmd, &r, create_mr.nchunks, 1, 127, 128);
    BAD(cmd, &r, create_mr.nchunks, 0, 129, MAX_PAGES, UINT32_MAX);
    watch_alive(g);
}

static void test_cq(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_ready();
    uint32_t max = pvrdma_guest_caps(g).max_cqe, uc = pvrdma_uc_new(g, 1);
    PvrdmaPages mem = many_pages(g);
    PvrdmaReq r = pvrdma_req_cq(0, 64, &mem);
    const uint32_t cmd = PVRDMA_CMD_CREATE_CQ;

    GOOD(cmd, &r, create_cq.cqe, 1, 2, 64, max / 2, max);
    BAD(cmd, &r, create_cq.cqe, 0, 3, max - 1, max + 1, 2 * max, 1u << 30,
        1u << 31, (1u << 31) + 1, UINT32_MAX);
    GOOD(cmd, &r, create_cq.nchunks, 2, 3, MAX_PAGES, UINT32_MAX);
    BAD(cmd, &r, create_cq.nchunks, 0, 1);
    GOOD(cmd, &r, create_cq.ctx_handle, 0, uc);
    BAD(cmd, &r, create_cq.ctx_handle, uc + 1, uc | 1u << 8, uc | 1u << 31,
        UINT32_MAX);
    GOOD(cmd, &r, create_cq.reserved, UINT32_MAX);
}

static void check_qp_sizes(PvrdmaGuest *g, const PvrdmaReq *r)
{
    PvrdmaDevCaps c = pvrdma_guest_caps(g);
    const uint32_t cmd = PVRDMA_CMD_CREATE_QP;

    GOOD(cmd, r, create_qp.max_send_wr, 1, 2, c.max_qp_wr);
    GOOD(cmd, r, create_qp.max_recv_wr, 1, 2, c.max_qp_wr);
    BAD(cmd, r, create_qp.max_send_wr, 0, 3, c.max_qp_wr - 1,
        c.max_qp_wr + 1, 2 * c.max_qp_wr, 1u << 16, 1u << 31, UINT32_MAX);
    BAD(cmd, r, create_qp.max_recv_wr, 0, 3, c.max_qp_wr - 1,
        c.max_qp_wr + 1, 2 * c.max_qp_wr, 1u << 16, 1u << 31, UINT32_MAX);
    GOOD(cmd, r, create_qp.max_send_sge, 0, 1, 3, c.max_sge);
    GOOD(cmd, r, create_qp.max_recv_sge, 0, 1, 3, c.max_sge);
    BAD(cmd, r, create_qp.max_send_sge, c.max_sge + 1, 251, 252, 1u << 28,
        1u << 31, UINT32_MAX);
    BAD(cmd, r, create_qp.max_recv_sge, c.max_sge + 1, 255, 256, 1u << 28,
        1u << 31, UINT32_MAX);
}

static void test_qp(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_ready();
    uint32_t pd = pvrdma_pd_new(g, 0), cq = pvrdma_cq_new(g, 0, 16).handle;
    PvrdmaPages mem = many_pages(g);
    PvrdmaReq r = pvrdma_req_qp(pd, PVRDMA_QPT_RC, cq, cq, 16, 1, &mem);
    const uint32_t cmd = PVRDMA_CMD_CREATE_QP;

    r.create_qp.total_chunks = UINT16_MAX;
    r.create_qp.send_chunks = UINT16_MAX / 2;
    check_qp_sizes(g, &r);
    /* 16 x 128 and 16 x 32 bytes: a page each, and the header */
    GOOD(cmd, &r, create_qp.send_chunks, 1, 2, UINT16_MAX - 2);
    BAD(cmd, &r, create_qp.send_chunks, 0, UINT16_MAX - 1, UINT16_MAX);
    r.create_qp.send_chunks = 1;
    GOOD(cmd, &r, create_qp.total_chunks, 3, 4, UINT16_MAX);
    BAD(cmd, &r, create_qp.total_chunks, 0, 1, 2);
    BAD_HANDLES(cmd, &r, create_qp.pd_handle, pd);
    BAD_HANDLES(cmd, &r, create_qp.send_cq_handle, cq);
    BAD_HANDLES(cmd, &r, create_qp.recv_cq_handle, cq);
    GOOD(cmd, &r, create_qp.srq_handle, 0, 1, UINT32_MAX);
    BAD(cmd, &r, create_qp.is_srq, 1, 2, 255);
    GOOD(cmd, &r, create_qp.qp_type, PVRDMA_QPT_GSI, PVRDMA_QPT_RC,
         PVRDMA_QPT_UD);
    BAD(cmd, &r, create_qp.qp_type, 0, PVRDMA_QPT_GSI /* the second */, 3, 5,
        6, 7, 8, 9, 10, 255);
    /* what the driver leaves as it is */
    GOOD(cmd, &r, create_qp.max_inline_data, UINT32_MAX);
    GOOD(cmd, &r, create_qp.lkey, UINT32_MAX);
    GOOD(cmd, &r, create_qp.access_flags, 0, UINT32_MAX);
    GOOD(cmd, &r, create_qp.max_atomic_arg, UINT16_MAX);
    GOOD(cmd, &r, create_qp.sq_sig_all, 1, 255);
}

static void test_srq(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_ready();
    PvrdmaDevCaps c = pvrdma_guest_caps(g);
    uint32_t pd = pvrdma_pd_new(g, 0);
    PvrdmaPages mem = many_pages(g);
    PvrdmaReq r = pvrdma_req_srq(pd, 64, 2, &mem), modify = { };
    const uint32_t cmd = PVRDMA_CMD_CREATE_SRQ;

    GOOD(cmd, &r, create_srq.attrs.max_wr, 1, 2, c.max_srq_wr);
    BAD(cmd, &r, create_srq.attrs.max_wr, 0, 3, c.max_srq_wr - 1,
        c.max_srq_wr + 1, 2 * c.max_srq_wr, 1u << 31, UINT32_MAX);
    GOOD(cmd, &r, create_srq.attrs.max_sge, 0, 1, 3, c.max_srq_sge);
    BAD(cmd, &r, create_srq.attrs.max_sge, c.max_srq_sge + 1, 1u << 28,
        UINT32_MAX);
    GOOD(cmd, &r, create_srq.attrs.srq_limit, 0, 1, 64);
    BAD(cmd, &r, create_srq.attrs.srq_limit, 65, UINT32_MAX);
    GOOD(cmd, &r, create_srq.nchunks, 2, 3, UINT32_MAX);
    BAD(cmd, &r, create_srq.nchunks, 0, 1);
    BAD(cmd, &r, create_srq.srq_type, 1, 2, 255);
    BAD_HANDLES(cmd, &r, create_srq.pd_handle, pd);
    modify.modify_srq.srq_handle = pvrdma_srq_new(g, pd, 64).handle;
    modify.modify_srq.attr_mask = PVRDMA_SRQ_ATTR_LIMIT;
    GOOD(PVRDMA_CMD_MODIFY_SRQ, &modify, modify_srq.attrs.srq_limit, 0, 1, 64);
    BAD(PVRDMA_CMD_MODIFY_SRQ, &modify, modify_srq.attrs.srq_limit, 65,
        UINT32_MAX);
    BAD(PVRDMA_CMD_MODIFY_SRQ, &modify, modify_srq.attr_mask, 0, 1, 3, 4,
        UINT32_MAX);
    GOOD(PVRDMA_CMD_MODIFY_SRQ, &modify, modify_srq.attrs.max_wr, UINT32_MAX);
}

static void test_small_commands(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_ready();
    uint32_t len = pvrdma_guest_caps(g).gid_tbl_len;
    uint32_t uc = pvrdma_uc_new(g, 1);
    PvrdmaReq pd = { }, unbind = { };
    PvrdmaReq bind = {
        .create_bind = { .mtu = 1024, .vlan = 0xfff, .gid_type = 2 },
    };

    pvrdma_own_gid(bind.create_bind.new_gid);
    GOOD(PVRDMA_CMD_CREATE_PD, &pd, handle.handle, 0, uc);
    BAD(PVRDMA_CMD_CREATE_PD, &pd, handle.handle, uc + 1, uc | 1u << 16,
        uc | 1u << 31, UINT32_MAX);
    GOOD(PVRDMA_CMD_CREATE_BIND, &bind, create_bind.index, 0, 1, len - 1);
    BAD(PVRDMA_CMD_CREATE_BIND, &bind, create_bind.index, len, 256, 1u << 31,
        UINT32_MAX);
    BAD(PVRDMA_CMD_CREATE_BIND, &bind, create_bind.gid_type, 0, 1, 3, 4, 255);
    GOOD(PVRDMA_CMD_CREATE_BIND, &bind, create_bind.mtu, 0, UINT32_MAX);
    GOOD(PVRDMA_CMD_CREATE_BIND, &bind, create_bind.vlan, 0, UINT32_MAX);
    GOOD(PVRDMA_CMD_DESTROY_BIND, &unbind, destroy_bind.index, 0, 1, len - 1);
    BAD(PVRDMA_CMD_DESTROY_BIND, &unbind, destroy_bind.index, len, 256,
        1u << 31, UINT32_MAX);
    g_assert_cmpuint(pvrdma_usage(g, "gid", "used"), ==, 0);
}

/* Attributes, in RTR (which takes the most) and in RTS */

typedef struct Attribute {
    uint32_t bit;
    size_t off;
    size_t size;
    uint64_t good[2];
    uint64_t bad[4];           /* 0 ends them, but for the first */
} Attribute;

#define ATTR(bit, field) PVRDMA_QP_ATTR_##bit, \
    offsetof(PvrdmaWireQpAttr, field), sizeof(((PvrdmaWireQpAttr *)0)->field)

static const Attribute to_rtr[] = {
    /* more than the port has at the moment is refused, too */
    { ATTR(PATH_MTU, path_mtu), { 1, 3 }, { 0, 6, 1024, UINT32_MAX } },
    { ATTR(MAX_DEST_RD_ATOMIC, max_dest_rd_atomic), { 0, 16 }, { 17, 255 } },
    { ATTR(MIN_RNR_TIMER, min_rnr_timer), { 0, 31 }, { 32, 255 } },
    { ATTR(AV, ah_attr.sgid_index), { 0, 0 }, { 1, 127, 128, 255 } },
    { ATTR(AV, ah_attr.port_num), { 1, 1 }, { 0, 2, 255 } },
    { ATTR(AV, ah_attr.ah_flags), { 1, 0xff }, { 0, 2, 0xfe } },
    { ATTR(DEST_QPN, dest_qp_num), { 0, UINT32_MAX } },
    { ATTR(RQ_PSN, rq_psn), { 0, UINT32_MAX } },
};

static const Attribute to_rts[] = {
    { ATTR(TIMEOUT, timeout), { 0, 31 }, { 32, 255 } },
    { ATTR(RETRY_CNT, retry_cnt), { 0, 7 }, { 8, 255 } },
    { ATTR(RNR_RETRY, rnr_retry), { 0, 7 }, { 8, 255 } },
    { ATTR(MAX_QP_RD_ATOMIC, max_rd_atomic), { 0, 16 }, { 17, 255 } },
    { ATTR(SQ_PSN, sq_psn), { 0, UINT32_MAX } },
};

static const PvrdmaWireQpAttr good_attr = {
    .path_mtu = 3,
    .port_num = 1,
    .ah_attr = { .ah_flags = 1, .port_num = 1, .dgid = { 0xfe, 0x80 } },
};

#define INIT_MASK (PVRDMA_QP_ATTR_STATE | PVRDMA_QP_ATTR_PORT | \
                   PVRDMA_QP_ATTR_PKEY_INDEX | PVRDMA_QP_ATTR_ACCESS_FLAGS)

static uint32_t modify_with(PvrdmaGuest *g, uint32_t qp, uint32_t state,
                            uint32_t mask, const Attribute *a, uint64_t value)
{
    PvrdmaWireQpAttr attr = good_attr;

    attr.qp_state = state;
    if (a) {
        memcpy((char *)&attr + a->off, &value, a->size);
        g_test_message("attribute at %zu: 0x%" PRIx64, a->off, value);
    }
    return pvrdma_qp_modify(g, qp, mask, &attr);
}

static uint32_t all_bits(const Attribute *a, unsigned n)
{
    uint32_t mask = PVRDMA_QP_ATTR_STATE;

    for (unsigned i = 0; i < n; i++) {
        mask |= a[i].bit;
    }
    return mask;
}

/* To INIT, or on to RTR */
static void bring_to(PvrdmaGuest *g, uint32_t qp, uint32_t state)
{
    pvrdma_qp_to(g, qp, PVRDMA_QPS_RESET);
    g_assert_cmpuint(modify_with(g, qp, PVRDMA_QPS_INIT, INIT_MASK, NULL, 0),
                     ==, 0);
    if (state == PVRDMA_QPS_RTR) {
        g_assert_cmpuint(
            modify_with(g, qp, state, all_bits(to_rtr, ARRAY_SIZE(to_rtr)),
                        NULL, 0), ==, 0);
    }
}

static void check_attributes(PvrdmaGuest *g, uint32_t qp, uint32_t from,
                             uint32_t to, const Attribute *a, unsigned n)
{
    uint32_t mask = all_bits(a, n);

    for (unsigned i = 0; i < n; i++) {
        bring_to(g, qp, from);
        for (int k = 0; k < 4 && (!k || a[i].bad[k]) &&
                        (a[i].bad[0] || a[i].bad[1]); k++) {
            g_assert_cmpuint(modify_with(g, qp, to, mask, &a[i], a[i].bad[k]),
                             !=, 0);
            g_assert_cmpuint(pvrdma_qp_query(g, qp).qp_state, ==, from);
        }
        for (int k = 0; k < 2; k++) {
            bring_to(g, qp, from);
            g_assert_cmpuint(modify_with(g, qp, to, mask, &a[i],
                                         a[i].good[k]), ==, 0);
        }
        /* none of them may be missing */
        bring_to(g, qp, from);
        g_assert_cmpuint(modify_with(g, qp, to, mask & ~a[i].bit, NULL, 0),
                         !=, 0);
    }
}

/* What the mask does not name is garbage, and changes nothing. */
static void check_garbage(PvrdmaGuest *g, uint32_t qp)
{
    PvrdmaWireQpAttr attr;

    memset(&attr, 0xff, sizeof(attr));
    pvrdma_qp_to(g, qp, PVRDMA_QPS_RESET);
    attr.qp_state = PVRDMA_QPS_INIT;
    attr.port_num = 1;
    attr.pkey_index = 0;
    g_assert_cmpuint(pvrdma_qp_modify(g, qp, INIT_MASK, &attr), ==, 0);
    attr = pvrdma_qp_query(g, qp);
    g_assert_cmpuint(attr.path_mtu, ==, 0);
    g_assert_cmpuint(attr.dest_qp_num, ==, 0);
    g_assert_cmpuint(attr.ah_attr.hop_limit, ==, 0);
    g_assert_cmphex(attr.qp_access_flags & ~PVRDMA_ACCESS_MASK, ==, 0);
}

static void test_modify_qp(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    PvrdmaGuest *g = t.g;
    uint32_t qp = t.qp[0].handle;
    const uint32_t bad[] = { 0, t.qp[1].handle + 1, qp | 1u << 16,
                             qp | 1u << 24, qp | 1u << 31, UINT32_MAX };

    check_attributes(g, qp, PVRDMA_QPS_INIT, PVRDMA_QPS_RTR, to_rtr,
                     ARRAY_SIZE(to_rtr));
    check_attributes(g, qp, PVRDMA_QPS_RTR, PVRDMA_QPS_RTS, to_rts,
                     ARRAY_SIZE(to_rts));
    check_garbage(g, qp);
    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
        g_assert_cmpuint(modify_with(g, bad[i], PVRDMA_QPS_ERR,
                                     PVRDMA_QP_ATTR_STATE, NULL, 0), !=, 0);
    }
    pair_free(&t);
}

void pvrdma_add_args_tests(void)
{
    qtest_add_func("/pvrdma/args/directories", test_directories);
    qtest_add_func("/pvrdma/args/rest-of-directory", test_rest_of_directory);
    qtest_add_func("/pvrdma/args/mr", test_mr);
    qtest_add_func("/pvrdma/args/cq", test_cq);
    qtest_add_func("/pvrdma/args/qp", test_qp);
    qtest_add_func("/pvrdma/args/srq", test_srq);
    qtest_add_func("/pvrdma/args/small-commands", test_small_commands);
    qtest_add_func("/pvrdma/args/modify-qp", test_modify_qp);
}
