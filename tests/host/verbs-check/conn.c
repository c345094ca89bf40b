/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The TCP connection, the device, and the life of a QP. */
#include "check.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MESSAGE_LEN 64
#define VERDICT "@verdict "

bool fail(struct check *c, const char *fmt, ...)
{
    va_list ap;

    if (!c->error[0]) {
        va_start(ap, fmt);
        vsnprintf(c->error, sizeof(c->error), fmt, ap);
        va_end(ap);
    }
    return false;
}

static void set_socket_options(int sock)
{
    struct timeval limit = { .tv_sec = 90 };
    int one = 1;

    setsockopt(sock, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
}

static struct addrinfo *resolve(struct check *c, const char *host, const char *port)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = host ? 0 : AI_PASSIVE };
    struct addrinfo *list = NULL;
    int rc = getaddrinfo(host, port, &hints, &list);

    if (rc) {
        fail(c, "%s port %s: %s", host ? host : "any address", port, gai_strerror(rc));
    }
    return list;
}

bool tcp_listen(struct check *c, const char *port)
{
    struct addrinfo hints = { .ai_family = AF_INET6, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE };
    struct addrinfo *a = NULL;
    struct timeval limit = { .tv_sec = 90 };
    int one = 1, zero = 0, lsock = -1;

    if (!getaddrinfo(NULL, port, &hints, &a)) {
        lsock = socket(a->ai_family, a->ai_socktype, 0);
        setsockopt(lsock, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
        setsockopt(lsock, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
        setsockopt(lsock, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
        if (!bind(lsock, a->ai_addr, a->ai_addrlen) && !listen(lsock, 1)) {
            c->sock = accept(lsock, NULL, NULL);
        }
        freeaddrinfo(a);
    }
    if (lsock >= 0) {
        close(lsock);
    }
    if (c->sock < 0) {
        return fail(c, "no connection on TCP port %s: %m", port);
    }
    set_socket_options(c->sock);
    return true;
}

static int connect_once(const struct addrinfo *a)
{
    int sock = socket(a->ai_family, a->ai_socktype, 0);

    if (sock >= 0 && connect(sock, a->ai_addr, a->ai_addrlen)) {
        close(sock);
        sock = -1;
    }
    return sock;
}

/* The other side may still be starting: tries for half a minute. */
bool tcp_connect(struct check *c, const char *host, const char *port)
{
    struct addrinfo *list = resolve(c, host, port);

    if (!list) {
        return false;
    }
    for (int i = 0; i < 300 && c->sock < 0; i++) {
        c->sock = connect_once(list);
        if (c->sock < 0) {
            usleep(100000);
        }
    }
    freeaddrinfo(list);
    if (c->sock < 0) {
        return fail(c, "cannot connect to %s port %s: %m", host, port);
    }
    set_socket_options(c->sock);
    return true;
}

/*
 * All messages have one length, so that a side which failed in the middle of a
 * test and already sent its verdict cannot confuse the other one's framing.
 */
static bool swap(struct check *c, const char out[MESSAGE_LEN], char in[MESSAGE_LEN])
{
    if (send(c->sock, out, MESSAGE_LEN, MSG_NOSIGNAL) != MESSAGE_LEN ||
        recv(c->sock, in, MESSAGE_LEN, MSG_WAITALL) != MESSAGE_LEN) {
        return fail(c, "the TCP connection to the other side broke: %m");
    }
    if (!strncmp(in, VERDICT, strlen(VERDICT))) {
        c->early_verdict = true;
        return fail(c, "the other side gave up");
    }
    return true;
}

bool sync_point(struct check *c, const char *what)
{
    char out[MESSAGE_LEN] = "", in[MESSAGE_LEN] = "";

    snprintf(out, sizeof(out), "%s", what);
    if (!swap(c, out, in)) {
        return false;
    }
    in[MESSAGE_LEN - 1] = 0;
    return !strcmp(in, out) || fail(c, "the other side is at '%s', this one at '%s'", in, out);
}

static bool exchange(struct check *c)
{
    struct peer mine = {
        .qpn = c->qp->qp_num, .psn = c->qp->qp_num * 7 & 0xffffff, .rkey = c->mr->rkey,
        .addr = (uintptr_t)c->buf, .gid = c->gid,
    };
    char out[MESSAGE_LEN] = "P", in[MESSAGE_LEN];

    memcpy(out + 1, &mine, sizeof(mine));
    if (!swap(c, out, in)) {
        return false;
    }
    memcpy(&c->peer, in + 1, sizeof(c->peer));
    return in[0] == 'P' || fail(c, "the other side is at '%.40s', this one connects", in);
}

bool sync_verdict(struct check *c, bool ok)
{
    char out[MESSAGE_LEN] = "", in[MESSAGE_LEN] = "";
    bool early = c->early_verdict;

    c->early_verdict = false;
    snprintf(out, sizeof(out), VERDICT "%s", ok ? "ok" : "failed");
    if (send(c->sock, out, sizeof(out), MSG_NOSIGNAL) != MESSAGE_LEN) {
        return fail(c, "the TCP connection to the other side broke: %m");
    }
    while (!early && strncmp(in, VERDICT, strlen(VERDICT))) {
        if (recv(c->sock, in, sizeof(in), MSG_WAITALL) != MESSAGE_LEN) {
            return fail(c, "the other side is gone: %m");
        }
    }
    return ok && (!strcmp(in, VERDICT "ok") || fail(c, "failed on the other side"));
}

static bool open_device(struct check *c)
{
    struct ibv_device **list = ibv_get_device_list(NULL);

    for (int i = 0; list && list[i] && !c->ctx; i++) {
        if (!c->dev_name || !strcmp(c->dev_name, ibv_get_device_name(list[i]))) {
            c->ctx = ibv_open_device(list[i]);
        }
    }
    if (list) {
        ibv_free_device_list(list);
    }
    return c->ctx || fail(c, "cannot open RDMA device '%s': %m", c->dev_name ? c->dev_name : "any");
}

static bool query_port(struct check *c)
{
    if (ibv_query_port(c->ctx, c->port, &c->port_attr) ||
        ibv_query_gid(c->ctx, c->port, c->gid_index, &c->gid)) {
        return fail(c, "cannot query port %d, GID index %d: %m", c->port, c->gid_index);
    }
    c->mtu = 128u << c->port_attr.active_mtu;
    return c->port_attr.state == IBV_PORT_ACTIVE ||
           fail(c, "port %d is %s", c->port, ibv_port_state_str(c->port_attr.state));
}

bool conn_open(struct check *c)
{
    int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
                 IBV_ACCESS_REMOTE_ATOMIC;

    if (!open_device(c) || !query_port(c)) {
        return false;
    }
    c->buf = mmap(NULL, BUF_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (c->buf == MAP_FAILED) {
        return fail(c, "no memory for the buffer: %m");
    }
    c->pd = ibv_alloc_pd(c->ctx);
    c->channel = ibv_create_comp_channel(c->ctx);
    c->cq = c->channel ? ibv_create_cq(c->ctx, 4 * DEPTH, NULL, c->channel, 0) : NULL;
    c->mr = c->pd ? ibv_reg_mr(c->pd, c->buf, BUF_SIZE, access) : NULL;
    return (c->pd && c->cq && c->mr) || fail(c, "cannot create %s: %m",
           !c->pd ? "a protection domain" : !c->cq ? "a completion queue" : "a memory region");
}

void conn_close(struct check *c)
{
    if (c->mr) {
        ibv_dereg_mr(c->mr);
    }
    if (c->cq) {
        ibv_destroy_cq(c->cq);
    }
    if (c->channel) {
        ibv_destroy_comp_channel(c->channel);
    }
    if (c->pd) {
        ibv_dealloc_pd(c->pd);
    }
    if (c->ctx) {
        ibv_close_device(c->ctx);
    }
    if (c->sock >= 0) {
        close(c->sock);
    }
}

bool qp_to_init(struct check *c, int access)
{
    struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = c->port };
    int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;

    if (c->qp->qp_type == IBV_QPT_UD) {
        attr.qkey = 0x11111111;
        mask |= IBV_QP_QKEY;
    } else {
        attr.qp_access_flags = access;
        mask |= IBV_QP_ACCESS_FLAGS;
    }
    return !ibv_modify_qp(c->qp, &attr, mask) || fail(c, "RESET -> INIT: %m");
}

bool qp_new(struct check *c, enum ibv_qp_type type, int access)
{
    struct ibv_qp_init_attr attr = {
        .send_cq = c->cq, .recv_cq = c->cq, .qp_type = type,
        .cap = { .max_send_wr = DEPTH, .max_recv_wr = DEPTH, .max_send_sge = 3, .max_recv_sge = 3 },
    };

    c->qp = ibv_create_qp(c->pd, &attr);
    if (!c->qp) {
        return fail(c, "cannot create a QP: %m");
    }
    return qp_to_init(c, access);
}

static struct ibv_ah_attr peer_ah(struct check *c)
{
    return (struct ibv_ah_attr) {
        .is_global = 1, .port_num = c->port,
        .grh = { .dgid = c->peer.gid, .sgid_index = c->gid_index, .hop_limit = 64 },
    };
}

bool qp_to_rtr(struct check *c)
{
    struct ibv_qp_attr attr = {
        .qp_state = IBV_QPS_RTR, .path_mtu = c->port_attr.active_mtu, .dest_qp_num = c->peer.qpn,
        .rq_psn = c->peer.psn, .max_dest_rd_atomic = 1, .min_rnr_timer = 12, .ah_attr = peer_ah(c),
    };
    int mask = IBV_QP_STATE;

    if (c->qp->qp_type != IBV_QPT_UD) {
        mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
    }
    return !ibv_modify_qp(c->qp, &attr, mask) || fail(c, "INIT -> RTR: %m");
}

bool qp_to_rts(struct check *c)
{
    struct ibv_qp_attr attr = {
        .qp_state = IBV_QPS_RTS, .sq_psn = c->qp->qp_num * 7 & 0xffffff, .timeout = c->timeout,
        .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1,
    };
    int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

    if (c->qp->qp_type != IBV_QPT_UD) {
        mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
    }
    return !ibv_modify_qp(c->qp, &attr, mask) || fail(c, "RTR -> RTS: %m");
}

bool qp_connect(struct check *c)
{
    return exchange(c) && qp_to_rtr(c) && qp_to_rts(c) && sync_point(c, "connected");
}

bool qp_to(struct check *c, enum ibv_qp_state state)
{
    struct ibv_qp_attr attr = { .qp_state = state };

    return !ibv_modify_qp(c->qp, &attr, IBV_QP_STATE) || fail(c, "QP to state %d: %m", state);
}

static enum ibv_qp_state qp_state(struct check *c)
{
    struct ibv_qp_attr attr = { 0 };
    struct ibv_qp_init_attr init;

    if (ibv_query_qp(c->qp, &attr, IBV_QP_STATE, &init)) {
        return IBV_QPS_UNKNOWN;
    }
    return attr.qp_state;
}

bool qp_reaches(struct check *c, enum ibv_qp_state state)
{
    double limit = now() + WAIT_SECONDS;
    enum ibv_qp_state found;

    while ((found = qp_state(c)) != state) {
        if (now() > limit) {
            return fail(c, "the QP is in state %d, not %d, after %d s", found, state, WAIT_SECONDS);
        }
    }
    return true;
}

void qp_free(struct check *c)
{
    struct ibv_wc wc;

    if (c->qp) {
        ibv_destroy_qp(c->qp);
        c->qp = NULL;
    }
    while (ibv_poll_cq(c->cq, 1, &wc) > 0) {
        /* what a failed test left behind must not confuse the next one */
    }
}
