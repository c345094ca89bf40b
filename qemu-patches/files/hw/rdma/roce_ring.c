/*
 * RoCE v2 in software: rings of work requests, shared receive queues
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "roce_int.h"

bool roce_ring_init(RoceRing *r, uint32_t limit, uint32_t max_sge,
                    size_t header)
{
    size_t stride = header + max_sge * sizeof(RoceSge);

    r->size = 1;
    while (r->size < limit) {
        r->size *= 2;
    }
    r->stride = (stride + 15) & ~(size_t)15;
    r->limit = limit;
    r->max_sge = max_sge;
    r->head = r->tail = 0;
    r->mem = calloc(r->size, r->stride);
    return r->mem;
}

void roce_ring_clear(RoceRing *r)
{
    free(r->mem);
    r->mem = NULL;
}

RoceSrq *roce_srq_new(RoceEngine *e, uint32_t max_wr, uint32_t max_sge,
                      void *pd, void *cookie)
{
    RoceSrq *srq;

    if (!max_wr || max_wr > 65536 || max_sge > ROCE_MAX_SGE) {
        return NULL;
    }
    srq = calloc(1, sizeof(*srq));
    if (!srq || !roce_ring_init(&srq->ring, max_wr, max_sge,
                                offsetof(RoceRecvWr, sge))) {
        free(srq);
        return NULL;
    }
    srq->engine = e;
    srq->pd = pd;
    srq->cookie = cookie;
    return srq;
}

void roce_srq_free(RoceSrq *srq)
{
    roce_ring_clear(&srq->ring);
    free(srq);
}

int roce_srq_post(RoceSrq *srq, const RoceRecvWr *wr)
{
    if (wr->num_sge > srq->ring.max_sge) {
        return -EINVAL;
    }
    if (roce_ring_fill(&srq->ring) == srq->ring.limit) {
        return -ENOMEM;
    }
    memcpy(roce_ring_at(&srq->ring, srq->ring.tail++), wr,
           offsetof(RoceRecvWr, sge) + wr->num_sge * sizeof(RoceSge));
    return 0;
}

uint32_t roce_srq_posted(const RoceSrq *srq)
{
    return roce_ring_fill(&srq->ring);
}
