/*
 * pvrdma: the soft backend: completion queues
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the engine completes waits here until it has returned; then the
 * objects layer is told, armed or not, so that guests find their completions
 * without having to ask.
 */
#include "qemu/osdep.h"
#include "pvrdma_soft.h"

#define MIN_SIZE 64u
/* A larger ring does not stay when it is empty: many CQs could have had one. */
#define KEPT_SIZE 256u

int pvrdma_soft_cq_create(PvrdmaBackend *be, uint32_t entries, void *cookie,
                          void **ret_cq)
{
    PvrdmaSoftCq *cq = g_new0(PvrdmaSoftCq, 1);

    cq->cookie = cookie;
    *ret_cq = cq;
    return 0;
}

void pvrdma_soft_cq_destroy(PvrdmaBackend *be, void *opaque)
{
    PvrdmaSoft *soft = pvrdma_soft(be);
    PvrdmaSoftCq *cq = opaque;

    if (cq->ready) {
        QTAILQ_REMOVE(&soft->ready_cqs, cq, next);
    }
    g_free(cq->wc);
    g_free(cq);
}

static RoceWc *entry(const PvrdmaSoftCq *cq, uint32_t index)
{
    return &cq->wc[index & (cq->size - 1)];
}

static void grow(PvrdmaSoftCq *cq)
{
    uint32_t size = MAX(2 * cq->size, MIN_SIZE);
    RoceWc *wc = g_new(RoceWc, size);
    uint32_t n = cq->tail - cq->head;

    for (uint32_t i = 0; i < n; i++) {
        wc[i] = *entry(cq, cq->head + i);
    }
    g_free(cq->wc);
    cq->wc = wc;
    cq->size = size;
    cq->head = 0;
    cq->tail = n;
}

void pvrdma_soft_complete(void *opaque, void *to, const RoceWc *wc)
{
    PvrdmaSoft *soft = opaque;
    PvrdmaSoftCq *cq = to;

    if (cq->tail - cq->head == cq->size) {
        grow(cq);
    }
    *entry(cq, cq->tail++) = *wc;
    if (!cq->ready) {
        cq->ready = true;
        QTAILQ_INSERT_TAIL(&soft->ready_cqs, cq, next);
    }
}

void pvrdma_soft_cq_purge(PvrdmaSoftCq *cq, uint64_t tag)
{
    uint32_t to = cq->head;

    for (uint32_t from = cq->head; from != cq->tail; from++) {
        if (entry(cq, from)->qp_tag != tag) {
            *entry(cq, to++) = *entry(cq, from);
        }
    }
    cq->tail = to;
}

static void convert(const RoceWc *in, PvrdmaWc *out)
{
    *out = (PvrdmaWc) {
        .wr_id = in->wr_id,
        .qp_tag = in->qp_tag,
        .status = in->status,
        .from_srq = in->from_srq,
        .solicited = in->receive && in->solicited,
        .opcode = in->opcode,
    };
    if (in->status != ROCE_WC_SUCCESS) {
        return;
    }
    out->byte_len = in->byte_len;
    out->has_imm = in->has_imm;
    out->has_inv = in->has_inv;
    out->has_grh = in->has_grh;
    out->src_qp = in->src_qp;
    out->imm = in->has_imm ? in->imm : 0;
    out->invalidated_key = in->has_inv ? in->invalidated_key : 0;
    if (in->has_grh) {
        out->network = in->ipv4 ? PVRDMA_NETWORK_IPV4 : PVRDMA_NETWORK_IPV6;
    }
}

int pvrdma_soft_cq_poll(PvrdmaBackend *be, void *opaque, PvrdmaWc *wc, int n)
{
    PvrdmaSoftCq *cq = opaque;
    int done = 0;

    for (; done < n && cq->head != cq->tail; done++) {
        convert(entry(cq, cq->head++), &wc[done]);
    }
    if (cq->head == cq->tail && cq->size > KEPT_SIZE) {
        g_clear_pointer(&cq->wc, g_free);
        cq->size = 0;
    }
    return done;
}

/* Nothing to do: it fires for each completion. */
int pvrdma_soft_cq_arm(PvrdmaBackend *be, void *cq, bool solicited_only)
{
    return 0;
}
