/*
 * QTest testcase for pvrdma: memory regions of scattered pages
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Pages are named by hand here, far above what the allocator gives away.
 */
#include "qemu/osdep.h"
#include "qemu/units.h"
#include "pvrdma-pair.h"
#include "pvrdma-tests.h"

#define HUGE_SIZE (2 * MiB)
#define HUGE_PAGES (HUGE_SIZE / PVRDMA_PAGE)
#define HIGH_RAM (96 * MiB)
#define DIMM_ADDR (4ull * GiB)
#define CHUNK 20000            /* five or six pages; half of PAIR_RECV at most */
#define FIRST_BYTE 1000        /* of an MR, in its first page */

/* An MR of these pages; they start at the same offset as its address */
typedef struct OddMr {
    PvrdmaPair *t;
    uint64_t start;
    uint64_t length;
    uint32_t n;
    uint64_t *page;
    uint32_t handle;
    uint32_t lkey;
    uint32_t rkey;
} OddMr;

/* What the guest is told about it */
static uint32_t odd_mr(PvrdmaPair *t, uint64_t *page, uint32_t n, OddMr *ret)
{
    PvrdmaReq req = {
        .create_mr = {
            .start = 0x7e0000000000 + FIRST_BYTE,
            .length = (uint64_t)n * PVRDMA_PAGE - FIRST_BYTE,
            .pdir_dma = pvrdma_pdir(t->g, page, n),
            .pd_handle = t->pd,
            .access_flags = PVRDMA_ACCESS_MASK,
            .nchunks = n,
        },
    };
    PvrdmaResp resp;
    uint32_t err = pvrdma_cmd(t->g, PVRDMA_CMD_CREATE_MR, &req, &resp);

    if (!err) {
        *ret = (OddMr) {
            .t = t,
            .start = req.create_mr.start,
            .length = req.create_mr.length,
            .n = n,
            .page = page,
            .handle = resp.create_mr.mr_handle,
            .lkey = resp.create_mr.lkey,
            .rkey = resp.create_mr.rkey,
        };
    }
    return err;
}

/* The bytes of the MR at @off, page by page */
static void odd_mr_peek(OddMr *mr, uint64_t off, uint8_t *data, uint32_t len)
{
    for (off += FIRST_BYTE; len;) {
        uint32_t in = off % PVRDMA_PAGE, n = MIN(len, PVRDMA_PAGE - in);

        qtest_memread(mr->t->g->qts, mr->page[off / PVRDMA_PAGE] + in, data, n);
        data += n;
        off += n;
        len -= n;
    }
}

static void rdma_write_to(OddMr *mr, uint64_t off, uint8_t seed)
{
    PvrdmaPair *t = mr->t;
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_RDMA_WRITE);
    PvrdmaWireCqe cqe;

    wr.wr.rdma.remote_addr = mr->start + off;
    wr.wr.rdma.rkey = mr->rkey;
    pair_fill(t, 0, CHUNK, seed);
    pair_send(t, 0, &wr, 0, CHUNK);
    cqe = pvrdma_cqe_wait(t->g, &t->cq[0]);
    check_cqe(&cqe, &t->qp[0], PAIR_WR_ID, PVRDMA_WC_OP_RDMA_WRITE);
}

static void send_from(OddMr *mr, uint64_t off)
{
    PvrdmaPair *t = mr->t;
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_SEND);
    PvrdmaWireSge sge = {
        .addr = mr->start + off, .length = CHUNK, .lkey = mr->lkey,
    };
    PvrdmaWireCqe cqe;

    pair_recv(t, 1, PAIR_RECV, CHUNK, 1);
    pvrdma_post_send(t->g, &t->qp[0], &wr, &sge);
    cqe = pvrdma_cqe_wait(t->g, &t->cq[1]);
    check_cqe(&cqe, &t->qp[1], 1, PVRDMA_WC_OP_RECV);
    pvrdma_cqe_wait(t->g, &t->cq[0]);
}

/* A peer writes to it, the guest's memory has it, and it can be sent. */
static void check_chunk(OddMr *mr, uint64_t off, uint8_t seed)
{
    g_autofree uint8_t *sent = g_malloc(CHUNK), *there = g_malloc(CHUNK);

    rdma_write_to(mr, off, seed);
    qtest_memread(mr->t->g->qts, mr->t->mr.mem.addr, sent, CHUNK);
    odd_mr_peek(mr, off, there, CHUNK);
    g_assert_cmpmem(sent, CHUNK, there, CHUNK);
    qtest_memset(mr->t->g->qts, mr->t->mr.mem.addr + PAIR_RECV, 0, CHUNK);
    send_from(mr, off);
    pair_same(mr->t, 0, PAIR_RECV, CHUNK);
}

static void odd_mr_free(OddMr *mr)
{
    g_assert_cmpuint(pvrdma_cmd_handle(mr->t->g, PVRDMA_CMD_DESTROY_MR,
                                       mr->handle), ==, 0);
}

/* Of the whole MR; it must work, and leave nothing behind. */
static void check_mr(PvrdmaPair *t, uint64_t *page, uint32_t n)
{
    OddMr mr;

    g_assert_cmpuint(odd_mr(t, page, n, &mr), ==, 0);
    for (uint64_t off = 0; off + CHUNK < mr.length; off += CHUNK) {
        check_chunk(&mr, off, off / CHUNK);
    }
    check_chunk(&mr, mr.length - CHUNK, 0x55);
    odd_mr_free(&mr);
}

/*
 * Devices of the host see huge pages only as a whole.  The guest is told, and
 * goes on.
 */
static void check_scattered(PvrdmaPair *t, uint64_t *page, uint32_t n)
{
    OddMr mr;

    if (pvrdma_huge() && pvrdma_ibdev()) {
        g_assert_cmpuint(odd_mr(t, page, n, &mr), ==, EINVAL);
        g_assert_cmpuint(odd_mr(t, page, 1, &mr), ==, 0);
        odd_mr_free(&mr);
    } else {
        check_mr(t, page, n);
    }
}

/* @n pages from @addr on, @step bytes apart, and where to go on */
static uint64_t *add_pages(uint64_t *page, uint64_t addr, uint32_t n,
                           int64_t step)
{
    for (uint32_t i = 0; i < n; i++) {
        *page++ = addr + i * step;
    }
    return page;
}

static void test_contiguous(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    uint64_t page[40];

    /* across the border of a huge page, and not beginning at one */
    add_pages(page, HIGH_RAM + HUGE_SIZE - 17 * PVRDMA_PAGE, 40, PVRDMA_PAGE);
    check_mr(&t, page, 40);
    pair_free(&t);
}

static void test_scattered(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    uint64_t page[40], *next;

    add_pages(page, HIGH_RAM, 40, 3 * PVRDMA_PAGE);
    check_scattered(&t, page, 40);
    add_pages(page, HIGH_RAM + HUGE_SIZE, 40, -PVRDMA_PAGE);
    check_scattered(&t, page, 40);
    /* at the right place in their huge pages, but there is one between */
    next = add_pages(page, HIGH_RAM, 10, PVRDMA_PAGE);
    add_pages(next, HIGH_RAM + 11 * PVRDMA_PAGE, 30, PVRDMA_PAGE);
    check_scattered(&t, page, 40);
    /* from two huge pages, each only in part */
    next = add_pages(page, HIGH_RAM, 20, PVRDMA_PAGE);
    add_pages(next, HIGH_RAM + 2 * HUGE_SIZE + 20 * PVRDMA_PAGE, 20,
              PVRDMA_PAGE);
    check_scattered(&t, page, 40);
    /* up to the end of one, on in the middle of another, and the reverse */
    next = add_pages(page, HIGH_RAM + HUGE_SIZE - 20 * PVRDMA_PAGE, 20,
                     PVRDMA_PAGE);
    add_pages(next, HIGH_RAM + 2 * HUGE_SIZE + PVRDMA_PAGE, 20, PVRDMA_PAGE);
    check_scattered(&t, page, 40);
    next = add_pages(page, HIGH_RAM, 20, PVRDMA_PAGE);
    add_pages(next, HIGH_RAM + 2 * HUGE_SIZE, 20, PVRDMA_PAGE);
    check_scattered(&t, page, 40);
    pair_free(&t);
}

/* What a process has that uses huge pages in the guest: in any order */
static void test_huge_pages(void)
{
    PvrdmaPair t = pair_new(PVRDMA_QPT_RC);
    g_autofree uint64_t *page = g_new(uint64_t, 4 * HUGE_PAGES);
    uint64_t *next = page;

    next = add_pages(next, HIGH_RAM + 8 * HUGE_SIZE - 9 * PVRDMA_PAGE, 9,
                     PVRDMA_PAGE);
    next = add_pages(next, HIGH_RAM + 2 * HUGE_SIZE, HUGE_PAGES, PVRDMA_PAGE);
    next = add_pages(next, HIGH_RAM, HUGE_PAGES, PVRDMA_PAGE);
    next = add_pages(next, HIGH_RAM + 5 * HUGE_SIZE, 7, PVRDMA_PAGE);
    check_mr(&t, page, next - page);
    /* the same ones twice, and no part of one */
    next = add_pages(page, HIGH_RAM + HUGE_SIZE, HUGE_PAGES, PVRDMA_PAGE);
    next = add_pages(next, HIGH_RAM + HUGE_SIZE, 3, PVRDMA_PAGE);
    check_mr(&t, page, next - page);
    pair_free(&t);
}

/* RAM as it may be, and a DIMM of ordinary pages */
static void test_two_blocks(void)
{
    g_autofree char *mac = pvrdma_mac();
    g_autofree char *machine = pvrdma_machine_args(mac);
    g_autofree char *args = g_strdup_printf(
        "%s -m slots=1,maxmem=1G "
        "-object memory-backend-memfd,id=more,size=128M,share=on "
        "-device pc-dimm,memdev=more,addr=0x%llx "
        "-device pvrdma,id=rdma,addr=%x.1,backend-dev=%s", machine, DIMM_ADDR,
        PVRDMA_SLOT, pvrdma_ibdev() ?: "");
    PvrdmaPair t = pair_on(pvrdma_guest_start(args), PVRDMA_QPT_RC, 0);
    uint64_t page[50], *next;

    next = add_pages(page, HIGH_RAM + HUGE_SIZE - 10 * PVRDMA_PAGE, 10,
                     PVRDMA_PAGE);
    add_pages(next, DIMM_ADDR + PVRDMA_PAGE, 20, 2 * PVRDMA_PAGE);
    check_mr(&t, page, 30);
    /* ordinary pages first, then the beginning of a huge one */
    next = add_pages(page, DIMM_ADDR + PVRDMA_PAGE, 20, 2 * PVRDMA_PAGE);
    add_pages(next, HIGH_RAM, 30, PVRDMA_PAGE);
    check_mr(&t, page, 50);
    pair_free(&t);
}

/*
 * How long CREATE_MR takes, with -m perf only.  What the host's ibv_reg_mr()
 * takes of it is said by a trace event.
 */
#define BENCH_MIB 1280
#define BENCH_RAM (128 * MiB)
#define BENCH_TRIES 5

typedef struct Bench {
    PvrdmaGuest *g;
    uint32_t pd;
    char *log;
} Bench;

/* Of the last MR, microseconds */
static int64_t bench_registered(Bench *b)
{
    const char *last = NULL, *at;
    g_autofree char *text = NULL;

    g_assert_true(g_file_get_contents(b->log, &text, NULL, NULL));
    for (at = text; (at = strstr(at, "registered in ")); at++) {
        last = at + strlen("registered in ");
    }
    return last ? g_ascii_strtoll(last, NULL, 10) : 0;
}

static int64_t bench_cmd(Bench *b, uint32_t cmd, PvrdmaReq *req,
                         PvrdmaResp *resp)
{
    int64_t start = g_get_monotonic_time();

    g_assert_cmpuint(pvrdma_cmd(b->g, cmd, req, resp), ==, 0);
    return g_get_monotonic_time() - start;
}

/* What is the test's in it: the way of a command to the device and back */
static int64_t bench_overhead(Bench *b)
{
    PvrdmaReq req = { .query_port.port_num = 1 };
    int64_t best = INT64_MAX;

    for (int i = 0; i < BENCH_TRIES; i++) {
        best = MIN(best, bench_cmd(b, PVRDMA_CMD_QUERY_PORT, &req, NULL));
    }
    return best;
}

static void bench_run(Bench *b, const char *what, uint64_t *page, uint32_t n)
{
    PvrdmaReq req = {
        .create_mr = {
            .start = 0x7e0000000000,
            .length = (uint64_t)n * PVRDMA_PAGE,
            .pdir_dma = pvrdma_pdir(b->g, page, n),
            .pd_handle = b->pd,
            .access_flags = PVRDMA_ACCESS_MASK,
            .nchunks = n,
        },
    };
    int64_t overhead = bench_overhead(b), best = INT64_MAX, registered = 0;
    PvrdmaResp resp;

    for (int i = 0; i < BENCH_TRIES; i++) {
        int64_t us = bench_cmd(b, PVRDMA_CMD_CREATE_MR, &req, &resp);
        int64_t host = bench_registered(b);

        if (us - host < best) {
            best = us - host;
            registered = host;
        }
        pvrdma_cmd_handle(b->g, PVRDMA_CMD_DESTROY_MR,
                          resp.create_mr.mr_handle);
    }
    g_test_message("bench: %u MiB, %s: %.2f ms, and in ibv_reg_mr %.2f ms",
                   n / 256, what, MAX(0, best - overhead) / 1e3,
                   registered / 1e3);
}

/* All of them once, in pieces of @piece pages that are not neighbours */
static uint64_t *bench_pages(uint32_t n, uint32_t piece)
{
    uint64_t *page = g_new(uint64_t, n), *next = page;
    uint32_t pieces = n / piece;

    for (uint32_t i = 0; i < pieces; i++) {
        uint32_t k = pieces - 1 - i; /* reversed, and each a run of its own */

        next = add_pages(next, BENCH_RAM + (uint64_t)k * piece * PVRDMA_PAGE,
                         piece, PVRDMA_PAGE);
    }
    return page;
}

static void test_registration_time(void)
{
    const uint32_t gib = GiB / PVRDMA_PAGE;
    /* of a device of the host, each is a mapping, and they are limited */
    const uint32_t scattered = pvrdma_ibdev() ? 28000 : gib;
    g_autofree char *mac = pvrdma_mac(), *ram = pvrdma_ram_args(BENCH_MIB);
    g_autofree char *log = NULL, *args = NULL;
    g_autofree uint64_t *one = bench_pages(gib, gib);
    g_autofree uint64_t *huge = bench_pages(gib, HUGE_PAGES);
    g_autofree uint64_t *small = bench_pages(scattered, 1);
    int fd = g_file_open_tmp("pvrdma-XXXXXX", &log, NULL);
    Bench b = { .log = log };

    close(fd);
    args = g_strdup_printf(
        "%s -nodefaults -device vmxnet3,addr=%x.0,multifunction=on,romfile=,"
        "mac=%s -device pvrdma,id=rdma,addr=%x.1,backend-dev=%s "
        "-trace pvrdma_verbs_mr_create -D %s", ram, PVRDMA_SLOT, mac,
        PVRDMA_SLOT, pvrdma_ibdev() ?: "", log);
    b.g = pvrdma_guest_start(args);
    pvrdma_guest_setup(b.g);
    b.pd = pvrdma_pd_new(b.g, 0);
    bench_run(&b, "one run", one, gib);
    bench_run(&b, "runs of 2 MiB", huge, gib);
    if (!pvrdma_huge() || !pvrdma_ibdev()) {
        bench_run(&b, "runs of 4 KiB", small, scattered);
    }
    pvrdma_guest_free(b.g);
    unlink(log);
}

void pvrdma_add_mr_tests(void)
{
    if (g_test_perf()) {
        qtest_add_func("/pvrdma/mr/registration-time", test_registration_time);
        return;
    }
    qtest_add_func("/pvrdma/mr/contiguous", test_contiguous);
    qtest_add_func("/pvrdma/mr/scattered", test_scattered);
    qtest_add_func("/pvrdma/mr/huge-pages", test_huge_pages);
    qtest_add_func("/pvrdma/mr/two-blocks", test_two_blocks);
}
