/*
 * RoCE v2 in software: one deadline per QP, in a heap
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Deadlines move with every acknowledgement, nearly always to later.  So a
 * QP stays where it is in the heap until its key is due, and only then takes
 * the place of its present deadline: moving one costs nothing.
 */
#include <stdlib.h>
#include "roce_int.h"

bool roce_timers_init(RoceEngine *e)
{
    e->heap = calloc(e->max_qp + 1, sizeof(*e->heap));
    return e->heap;
}

static void put(RoceEngine *e, uint32_t pos, RoceQp *qp)
{
    e->heap[pos] = qp;
    qp->heap_pos = pos;
}

static void sift_up(RoceEngine *e, uint32_t pos)
{
    RoceQp *qp = e->heap[pos];

    while (pos > 1 && e->heap[pos / 2]->heap_key > qp->heap_key) {
        put(e, pos, e->heap[pos / 2]);
        pos /= 2;
    }
    put(e, pos, qp);
}

static void sift_down(RoceEngine *e, uint32_t pos)
{
    RoceQp *qp = e->heap[pos];
    uint32_t child;

    while ((child = 2 * pos) <= e->heap_len) {
        if (child < e->heap_len &&
            e->heap[child + 1]->heap_key < e->heap[child]->heap_key) {
            child++;
        }
        if (e->heap[child]->heap_key >= qp->heap_key) {
            break;
        }
        put(e, pos, e->heap[child]);
        pos = child;
    }
    put(e, pos, qp);
}

void roce_timer_set(RoceQp *qp, uint64_t deadline)
{
    RoceEngine *e = qp->engine;

    qp->deadline = deadline;
    if (deadline == ROCE_NEVER) {
        return;
    }
    if (!qp->heap_pos) {
        qp->heap_key = deadline;
        put(e, ++e->heap_len, qp);
        sift_up(e, e->heap_len);
    } else if (deadline < qp->heap_key) {
        qp->heap_key = deadline;
        sift_up(e, qp->heap_pos);
    }
}

void roce_timer_remove(RoceQp *qp)
{
    RoceEngine *e = qp->engine;
    uint32_t pos = qp->heap_pos;
    RoceQp *last;

    qp->deadline = ROCE_NEVER;
    if (!pos) {
        return;
    }
    last = e->heap[e->heap_len--];
    qp->heap_pos = 0;
    if (last != qp) {
        put(e, pos, last);
        sift_up(e, pos);
        sift_down(e, last->heap_pos);
    }
}

uint64_t roce_deadline(const RoceEngine *e)
{
    return e->heap_len ? e->heap[1]->heap_key : ROCE_NEVER;
}

void roce_expire(RoceEngine *e, uint64_t now)
{
    e->now = now;
    while (e->heap_len && e->heap[1]->heap_key <= now) {
        RoceQp *qp = e->heap[1];

        if (qp->deadline == ROCE_NEVER) {
            roce_timer_remove(qp);
        } else if (qp->deadline > now) {
            qp->heap_key = qp->deadline;
            sift_down(e, 1);
        } else {
            roce_timer_remove(qp);
            roce_req_expire(qp);
        }
    }
}
