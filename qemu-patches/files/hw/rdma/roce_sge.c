/*
 * RoCE v2 in software: lists of memory
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "roce_int.h"

uint64_t roce_sge_length(const RoceSge *sge, uint32_t num_sge)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < num_sge; i++) {
        sum += sge[i].length;
    }
    return sum;
}

bool roce_sge_check(RoceQp *qp, const RoceSge *sge, uint32_t num_sge,
                    uint32_t access)
{
    RoceEngine *e = qp->engine;

    for (uint32_t i = 0; i < num_sge; i++) {
        if (sge[i].length &&
            !e->ops->mem_check(e->opaque, qp->pd, sge[i].key, sge[i].addr,
                               sge[i].length, access)) {
            return false;
        }
    }
    return true;
}

/* The SGE in which @offset lies, and the offset within it */
static const RoceSge *seek(const RoceSge *sge, const RoceSge *end,
                           uint64_t *offset)
{
    while (sge < end && *offset >= sge->length) {
        *offset -= sge->length;
        sge++;
    }
    return sge;
}

static uint32_t part(const RoceSge *sge, uint64_t offset, uint32_t len)
{
    uint64_t left = sge->length - offset;

    return left < len ? left : len;
}

bool roce_sge_gather(RoceQp *qp, const RoceSge *sge, uint32_t num_sge,
                     uint64_t offset, uint8_t *buf, uint32_t len)
{
    const RoceSge *end = sge + num_sge;
    RoceEngine *e = qp->engine;

    for (sge = seek(sge, end, &offset); len; sge++, offset = 0) {
        uint32_t n;

        if (sge == end) {
            return false;
        }
        n = part(sge, offset, len);
        if (n && !e->ops->mem_read(e->opaque, qp->pd, sge->key,
                                   sge->addr + offset, buf, n, 0)) {
            return false;
        }
        buf += n;
        len -= n;
    }
    return true;
}

static bool scatter(RoceEngine *e, void *pd, const RoceSge *sge,
                    uint32_t num_sge, uint64_t offset, const uint8_t *buf,
                    uint32_t len)
{
    const RoceSge *end = sge + num_sge;

    for (sge = seek(sge, end, &offset); len; sge++, offset = 0) {
        uint32_t n;

        if (sge == end) {
            return false;
        }
        n = part(sge, offset, len);
        if (n && !e->ops->mem_write(e->opaque, pd, sge->key,
                                    sge->addr + offset, buf, n,
                                    ROCE_ACCESS_LOCAL_WRITE)) {
            return false;
        }
        buf += n;
        len -= n;
    }
    return true;
}

bool roce_sge_scatter(RoceQp *qp, const RoceSge *sge, uint32_t num_sge,
                      uint64_t offset, const uint8_t *buf, uint32_t len)
{
    return scatter(qp->engine, qp->pd, sge, num_sge, offset, buf, len);
}

bool roce_recv_scatter(RoceQp *qp, const RoceRecvWr *wr, uint64_t offset,
                       const uint8_t *buf, uint32_t len)
{
    return scatter(qp->engine, qp->srq ? qp->srq->pd : qp->pd, wr->sge,
                   wr->num_sge, offset, buf, len);
}
