/*
 * QTest testcase for pvrdma: memory that changes while the device reads it
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The guest's memory is a file that the test maps, too, and a thread of the
 * test is what another processor of the guest would be.
 */
#include "qemu/osdep.h"
#include "qemu/atomic.h"
#include "pvrdma-pair.h"
#include "pvrdma-tests.h"
#include "pvrdma-watch.h"

#define RAM_SIZE (128u << 20)
#define COMMANDS 4000
#define NO_RAM 0xfee00000ull

typedef struct Race {
    PvrdmaGuest *g;
    char *path;
    uint8_t *ram;
    uint64_t *word;            /* what the other processor writes, in turn */
    uint64_t value[2];
    bool stop;
    GThread *thread;
} Race;

static gpointer other_processor(gpointer opaque)
{
    Race *r = opaque;

    for (unsigned i = 0; !qatomic_read(&r->stop); i++) {
        qatomic_set(r->word, r->value[i & 1]);
        for (unsigned n = 0; n < i % 64; n++) {
            barrier();
        }
    }
    return NULL;
}

static void race_start(Race *r, uint64_t addr, uint64_t a, uint64_t b)
{
    r->word = (uint64_t *)(r->ram + addr);
    r->value[0] = a;
    r->value[1] = b;
    r->stop = false;
    r->thread = g_thread_new("processor", other_processor, r);
}

static void race_stop(Race *r)
{
    qatomic_set(&r->stop, true);
    g_thread_join(r->thread);
}

static Race race_new(void)
{
    g_autofree char *mac = pvrdma_mac();
    g_autofree char *args = NULL;
    Race r = { };
    int fd = g_file_open_tmp("pvrdma-ram-XXXXXX", &r.path, NULL);

    g_assert_cmpint(ftruncate(fd, RAM_SIZE), ==, 0);
    r.ram = mmap(NULL, RAM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    g_assert_true(r.ram != MAP_FAILED);
    close(fd);
    args = g_strdup_printf(
        "-machine q35,memory-backend=ram -m 128M -nodefaults -object "
        "memory-backend-file,id=ram,size=128M,share=on,mem-path=%s "
        "-device vmxnet3,addr=%x.0,multifunction=on,romfile=,mac=%s "
        "-device pvrdma,id=rdma%u,addr=%x.1", r.path, PVRDMA_SLOT, mac,
        PVRDMA_SLOT, PVRDMA_SLOT);
    r.g = pvrdma_guest_start(args);
    return r;
}

static void race_free(Race *r)
{
    munmap(r->ram, RAM_SIZE);
    unlink(r->path);
    g_free(r->path);
}

/* The response is wholly that of @cmd. */
static void check_response(const PvrdmaResp *resp, uint32_t cmd)
{
    PvrdmaResp want = { .hdr.ack = PVRDMA_ACK + cmd };

    g_assert_cmphex(resp->hdr.ack, ==, want.hdr.ack);
    if (cmd == PVRDMA_CMD_QUERY_PKEY) {
        want.query_pkey.pkey = 0xffff;
        g_assert_cmpmem(resp, sizeof(*resp), &want, sizeof(want));
    } else {
        g_assert_cmpuint(resp->query_port.attrs.gid_tbl_len, ==, 128);
        g_assert_cmpuint(resp->query_port.attrs.max_vl_num, ==, 1);
    }
}

/* Whether the command was run; of those that it can have been, it is one. */
static bool run_command(PvrdmaGuest *g, uint32_t *ret_cmd)
{
    PvrdmaResp resp;

    pvrdma_reg_write(g, PVRDMA_REG_REQUEST, 0);
    if (pvrdma_reg_read(g, PVRDMA_REG_ERR)) {
        return false;
    }
    qtest_memread(g->qts, g->resp, &resp, sizeof(resp));
    *ret_cmd = resp.hdr.ack & ~PVRDMA_ACK;
    check_response(&resp, *ret_cmd);
    return true;
}

/* Opcode and port are one 64-bit word apart: the opcode alone changes. */
static void race_opcodes(Race *r, uint32_t a, uint32_t b)
{
    PvrdmaReq req = { .query_port = { .port_num = 1 } };
    uint32_t seen[2] = { }, cmd;

    qtest_memwrite(r->g->qts, r->g->req, &req, sizeof(req));
    race_start(r, r->g->req + offsetof(PvrdmaReqHdr, cmd), a, b);
    for (int i = 0; i < COMMANDS; i++) {
        if (run_command(r->g, &cmd)) {
            g_assert_true(cmd == a || cmd == b);
            seen[cmd == b]++;
        } else {
            g_assert_cmpuint(b, >=, PVRDMA_CMD_COUNT);
            seen[1]++;
        }
    }
    race_stop(r);
    g_test_message("%u and %u times", seen[0], seen[1]);
    g_assert_cmpuint(seen[0], >, 0);
    g_assert_cmpuint(seen[1], >, 0);
}

/* B1: an opcode that is checked, and read again */
static void test_command(void)
{
    Race r = race_new();

    pvrdma_guest_setup(r.g);
    race_opcodes(&r, PVRDMA_CMD_QUERY_PORT, PVRDMA_CMD_QUERY_PKEY);
    race_opcodes(&r, PVRDMA_CMD_QUERY_PORT, 0x7fffffff);
    race_opcodes(&r, PVRDMA_CMD_QUERY_PORT, UINT32_MAX);
    watch_alive(r.g);
    pvrdma_guest_free(r.g);
    race_free(&r);
}

/* A page list whose second page is RAM now and again */
static void test_page_list(void)
{
    Race r = race_new();
    PvrdmaReq req, gone = { .hdr.cmd = PVRDMA_CMD_DESTROY_MR };
    uint32_t seen[2] = { };
    PvrdmaPages mem;
    uint64_t table;

    pvrdma_guest_setup(r.g);
    mem = pvrdma_pages(r.g, 2);
    table = qtest_readq(r.g->qts, mem.pdir);
    req = pvrdma_req_mr(pvrdma_pd_new(r.g, 0), &mem);
    req.hdr.cmd = PVRDMA_CMD_CREATE_MR;
    race_start(&r, table + 8, mem.addr + PVRDMA_PAGE, NO_RAM);
    for (int i = 0; i < COMMANDS; i++) {
        bool made;

        qtest_memwrite(r.g->qts, r.g->req, &req, sizeof(req.create_mr));
        pvrdma_reg_write(r.g, PVRDMA_REG_REQUEST, 0);
        made = !pvrdma_reg_read(r.g, PVRDMA_REG_ERR);
        seen[made]++;
        if (made) {
            gone.handle.handle = qtest_readl(
                r.g->qts, r.g->resp + offsetof(PvrdmaResp,
                                               create_mr.mr_handle));
            qtest_memwrite(r.g->qts, r.g->req, &gone, sizeof(gone.handle));
            pvrdma_reg_write(r.g, PVRDMA_REG_REQUEST, 0);
            g_assert_cmpuint(pvrdma_reg_read(r.g, PVRDMA_REG_ERR), ==, 0);
        }
    }
    race_stop(&r);
    g_assert_cmpuint(seen[0], >, 0);
    g_assert_cmpuint(seen[1], >, 0);
    g_assert_cmpuint(pvrdma_usage(r.g, "mr", "used"), ==, 0);
    g_assert_cmpuint(pvrdma_usage(r.g, "extents", "used"), ==, 0);
    watch_alive(r.g);
    pvrdma_guest_free(r.g);
    race_free(&r);
}

/* A send whose number of SGEs, and with it its size, changes */
static void test_wqe(void)
{
    Race r = race_new();
    PvrdmaPair t = pair_on(r.g, PVRDMA_QPT_RC, 0);
    PvrdmaWireSendWr wr = pair_send_wr(PVRDMA_WR_RDMA_WRITE);
    uint32_t seen[2] = { };
    uint64_t status;

    wr.wr.rdma.remote_addr = t.va + PAIR_RECV;
    wr.wr.rdma.rkey = t.mr.rkey;
    for (int i = 0; i < 300; i++) {
        uint64_t at = t.qp[0].sq + t.qp[0].sq_stride *
                      (t.qp[0].sq_tail % t.qp[0].wrs);

        /* the next element, as it was left the last time round */
        race_start(&r, at + offsetof(PvrdmaWireSendWr, num_sge), 1,
                   UINT32_MAX);
        pair_send(&t, 0, &wr, 0, 8);
        status = pair_status(&t, 0);
        race_stop(&r);
        g_assert_true(status == PVRDMA_WC_SUCCESS ||
                      status == PVRDMA_WC_LOC_QP_OP_ERR);
        seen[status != PVRDMA_WC_SUCCESS]++;
        if (status != PVRDMA_WC_SUCCESS) {
            pair_connect(&t, PVRDMA_QPT_RC);
        }
    }
    g_assert_cmpuint(seen[0], >, 0);
    g_assert_cmpuint(seen[1], >, 0);
    watch_alive(t.g);
    pair_free(&t);
    race_free(&r);
}

void pvrdma_add_race_tests(void)
{
    qtest_add_func("/pvrdma/rule/b1", test_command);
    qtest_add_func("/pvrdma/race/page-list", test_page_list);
    qtest_add_func("/pvrdma/race/wqe", test_wqe);
}
