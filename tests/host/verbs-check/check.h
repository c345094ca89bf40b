/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verbs-check: verifies, byte by byte, what two RDMA ports deliver to each
 * other.  The same program runs on both sides; both walk the same list of
 * tests in step, over a TCP connection that also carries QP numbers and keys.
 */
#ifndef VERBS_CHECK_H
#define VERBS_CHECK_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define BUF_SIZE (4u << 20)     /* one registered buffer per side */
#define DEPTH 64                /* work requests per queue */
#define GUARD 0xa5              /* what a buffer holds where nothing may write */

struct peer {
    uint32_t qpn, psn, rkey;
    uint64_t addr;
    union ibv_gid gid;
};

struct check {
    /* from the command line */
    const char *dev_name;
    int port, gid_index;
    int timeout;                /* local ACK timeout of RC: 4.096 us * 2^timeout */
    bool active;                /* the side that connected; it sends first */
    int sock;
    /* verbs objects that live as long as the program */
    struct ibv_context *ctx;
    struct ibv_pd *pd;
    struct ibv_comp_channel *channel;
    struct ibv_cq *cq;
    struct ibv_mr *mr;
    uint8_t *buf;
    struct ibv_port_attr port_attr;
    uint32_t mtu;               /* active MTU in bytes */
    union ibv_gid gid;
    /* of the current test */
    struct ibv_qp *qp;
    struct peer peer;
    bool early_verdict;         /* the other side's verdict came while this one was still testing */
    char error[256];            /* first failure of the test */
};

/* Records the reason (the first one wins) and returns false. */
bool fail(struct check *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* conn.c: everything returns false with the reason in c->error. */
bool conn_open(struct check *c);
void conn_close(struct check *c);
bool tcp_listen(struct check *c, const char *port);
bool tcp_connect(struct check *c, const char *host, const char *port);
/* Both sides arrive at the point that is called @what; fails if the other side gave up. */
bool sync_point(struct check *c, const char *what);
/* Exchanges the verdict on a test: true if both sides were content. */
bool sync_verdict(struct check *c, bool ok);
bool qp_new(struct check *c, enum ibv_qp_type type, int access);
bool qp_connect(struct check *c);
bool qp_to_init(struct check *c, int access);
bool qp_to_rtr(struct check *c);
bool qp_to_rts(struct check *c);
bool qp_to(struct check *c, enum ibv_qp_state state);
/* The QP is in @state, or gets there within a few seconds. */
bool qp_reaches(struct check *c, enum ibv_qp_state state);
void qp_free(struct check *c);

/* Seconds of a clock that only goes forward. */
double now(void);
#define WAIT_SECONDS 20

/* work.c: buffers and work requests; offsets are into c->buf. */
void fill(struct check *c, size_t off, size_t len, unsigned seed);
bool verify(struct check *c, size_t off, size_t len, unsigned seed);
/* Fills the whole buffer with GUARD. */
void wipe(struct check *c, size_t off, size_t len);
/* [off, off+len) still holds GUARD. */
bool untouched(struct check *c, size_t off, size_t len);
bool post_recv(struct check *c, uint64_t id, size_t off, size_t len);
/* One single-SGE work request, signaled; peer_off is used by the RDMA operations. */
bool post(struct check *c, enum ibv_wr_opcode op, uint64_t id, size_t off, size_t len, size_t peer_off);
bool post_flags(struct check *c, enum ibv_wr_opcode op, uint64_t id, size_t off, size_t len,
                size_t peer_off, unsigned flags);
/* The next completion, within a few seconds. */
bool poll_one(struct check *c, struct ibv_wc *wc);
/* The next completion must be a success of @id with @opcode. */
bool expect(struct check *c, uint64_t id, enum ibv_wc_opcode opcode, struct ibv_wc *wc);
/* The next completion must be @id with @status. */
bool expect_status(struct check *c, uint64_t id, enum ibv_wc_status status);
/* The same; @other is the more general status that Soft-RoCE reports in place of @status. */
bool expect_either(struct check *c, uint64_t id, enum ibv_wc_status status, enum ibv_wc_status other);
/* No completion is there. */
bool expect_none(struct check *c);

#define IMM 0x8badf00du

/* Sizes around every edge that matters for this MTU; returns how many. */
size_t edge_sizes(struct check *c, size_t sizes[], size_t max);

struct test {
    const char *name;
    bool (*run)(struct check *c);
};

extern const struct test message_tests[], rdma_tests[], completion_tests[], error_tests[], ud_tests[];

#endif
