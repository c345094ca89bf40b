/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unsignaled requests, completion events, solicited events. */
#include "check.h"

#include <poll.h>

#define FULL (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)
#define TARGET (2u << 20)
#define EVENT_MS 15000
#define SILENCE_MS 1500

static bool test_unsignaled(struct check *c)
{
    struct ibv_wc wc;

    if (!qp_new(c, IBV_QPT_RC, FULL) || !qp_connect(c)) {
        return false;
    }
    for (unsigned i = 0; i < 16; i++) {
        fill(c, i * 1000, 1000, i);
        if (!c->active && !post_recv(c, i, TARGET + i * 1000, 1000)) {
            return false;
        }
    }
    if (!sync_point(c, "receives posted")) {
        return false;
    }
    for (unsigned i = 0; i < 16 && c->active; i++) {
        if (!post_flags(c, IBV_WR_SEND, i, i * 1000, 1000, 0, i == 15 ? IBV_SEND_SIGNALED : 0)) {
            return false;
        }
    }
    if (c->active) {
        return expect(c, 15, IBV_WC_SEND, &wc) && expect_none(c);
    }
    for (unsigned i = 0; i < 16; i++) {
        if (!expect(c, i, IBV_WC_RECV, &wc) || !verify(c, TARGET + i * 1000, 1000, i)) {
            return false;
        }
    }
    return true;
}

static bool event_within(struct check *c, int ms, bool wanted)
{
    struct pollfd pfd = { .fd = c->channel->fd, .events = POLLIN };
    struct ibv_cq *cq;
    void *context;
    int n = poll(&pfd, 1, ms);

    if (!wanted) {
        return n == 0 || fail(c, "a completion event that was not asked for");
    }
    if (n != 1 || ibv_get_cq_event(c->channel, &cq, &context)) {
        return fail(c, "no completion event within %d ms", ms);
    }
    ibv_ack_cq_events(cq, 1);
    return cq == c->cq || fail(c, "the event names another completion queue");
}

static bool arm(struct check *c, bool solicited_only)
{
    return !ibv_req_notify_cq(c->cq, solicited_only) || fail(c, "request notification: %m");
}

static bool test_event(struct check *c)
{
    struct ibv_wc wc;

    if (!qp_new(c, IBV_QPT_RC, FULL) || !qp_connect(c)) {
        return false;
    }
    for (unsigned i = 0; i < 10; i++) {
        if ((!c->active && !post_recv(c, i, TARGET, 3000)) || !arm(c, false) || !sync_point(c, "armed")) {
            return false;
        }
        fill(c, 0, 3000, i);
        if (c->active && !post(c, IBV_WR_SEND, i, 0, 3000, 0)) {
            return false;
        }
        if (!event_within(c, EVENT_MS, true) || !expect(c, i, c->active ? IBV_WC_SEND : IBV_WC_RECV, &wc) ||
            (!c->active && !verify(c, TARGET, 3000, i))) {
            return fail(c, "round %u", i);
        }
    }
    return true;
}

/* Armed for solicited completions only: the first message must not wake, the second must. */
static bool test_solicited(struct check *c)
{
    struct ibv_wc wc;

    if (!qp_new(c, IBV_QPT_RC, FULL) || !qp_connect(c)) {
        return false;
    }
    if (!c->active && (!post_recv(c, 0, TARGET, 100) || !post_recv(c, 1, TARGET, 100) || !arm(c, true))) {
        return false;
    }
    if (!sync_point(c, "armed") ||
        (c->active && (!post(c, IBV_WR_SEND, 0, 0, 100, 0) || !expect(c, 0, IBV_WC_SEND, &wc))) ||
        (!c->active && !event_within(c, SILENCE_MS, false)) || !sync_point(c, "silence")) {
        return false;
    }
    if (c->active) {
        return post_flags(c, IBV_WR_SEND, 1, 0, 100, 0, IBV_SEND_SIGNALED | IBV_SEND_SOLICITED) &&
               expect(c, 1, IBV_WC_SEND, &wc);
    }
    return event_within(c, EVENT_MS, true) && expect(c, 0, IBV_WC_RECV, &wc) && expect(c, 1, IBV_WC_RECV, &wc);
}

/* One side fences a READ before a SEND that reuses the buffer which the READ fills. */
static bool test_fence(struct check *c)
{
    struct ibv_wc wc;

    if (!qp_new(c, IBV_QPT_RC, FULL | IBV_ACCESS_REMOTE_READ) || !qp_connect(c)) {
        return false;
    }
    wipe(c, 0, 20000);
    if (!c->active) {
        fill(c, 100000, 20000, 77);
        if (!post_recv(c, 2, TARGET, 20000)) {
            return false;
        }
    }
    if (!sync_point(c, "ready")) {
        return false;
    }
    if (c->active) {
        return post(c, IBV_WR_RDMA_READ, 0, 0, 20000, 100000) &&
               post_flags(c, IBV_WR_SEND, 1, 0, 20000, 0, IBV_SEND_SIGNALED | IBV_SEND_FENCE) &&
               expect(c, 0, IBV_WC_RDMA_READ, &wc) && expect(c, 1, IBV_WC_SEND, &wc);
    }
    return expect(c, 2, IBV_WC_RECV, &wc) && verify(c, TARGET, 20000, 77);
}

const struct test completion_tests[] = {
    { "unsignaled", test_unsignaled },
    { "event", test_event },
    { "solicited-event", test_solicited },
    { "fence", test_fence },
    { NULL, NULL },
};
