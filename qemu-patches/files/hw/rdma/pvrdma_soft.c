/*
 * pvrdma: the soft backend: open and close, progress, memory
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "qemu/timer.h"
#include "qemu/units.h"
#include "hw/qdev-core.h"
#include "system/runstate.h"
#include "pvrdma_soft.h"
#include "trace.h"

#define MAX_QP 4096u
/* Packets of the engine in one go, and turns before others have theirs */
#define BUDGET 64u
#define TURNS 2

uint64_t pvrdma_soft_now(void)
{
    return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

/* Progress */

static void deliver_events(PvrdmaSoft *soft, PvrdmaSoftQp *qp)
{
    const PvrdmaBackend *be = &soft->parent;
    uint32_t events = qp->events;

    QTAILQ_REMOVE(&soft->event_qps, qp, next);
    qp->events = 0;
    while (events) {
        uint32_t event = ctz32(events);

        events &= events - 1;
        be->events->qp_event(be->opaque, qp->cookie, event);
    }
}

/* Completions first: an event may be about what came before it. */
static bool deliver_one(PvrdmaSoft *soft)
{
    const PvrdmaBackend *be = &soft->parent;
    PvrdmaSoftCq *cq = QTAILQ_FIRST(&soft->ready_cqs);
    PvrdmaSoftSrq *srq = QTAILQ_FIRST(&soft->taken_srqs);
    PvrdmaSoftQp *qp = QTAILQ_FIRST(&soft->event_qps);

    if (cq) {
        QTAILQ_REMOVE(&soft->ready_cqs, cq, next);
        cq->ready = false;
        be->events->cq_ready(be->opaque, cq->cookie);
    } else if (srq) {
        uint32_t n = srq->taken;

        QTAILQ_REMOVE(&soft->taken_srqs, srq, next);
        srq->taken = 0;
        be->events->srq_taken(be->opaque, srq->cookie, n);
    } else if (qp) {
        deliver_events(soft, qp);
    }
    return cq || srq || qp;
}

static void deliver(PvrdmaSoft *soft)
{
    while (deliver_one(soft)) {
        /* what one of them leads to comes after it */
    }
}

static void set_timer(PvrdmaSoft *soft)
{
    uint64_t deadline = roce_deadline(soft->engine);

    if (deadline == soft->deadline) {
        return;
    }
    soft->deadline = deadline;
    if (deadline == UINT64_MAX) {
        timer_del(soft->timer);
    } else {
        timer_mod_ns(soft->timer, MIN(deadline, INT64_MAX));
    }
}

static bool has_news(const PvrdmaSoft *soft)
{
    return soft->work || pvrdma_soft_wire_pending(&soft->wire) ||
           !QTAILQ_EMPTY(&soft->ready_cqs) ||
           !QTAILQ_EMPTY(&soft->event_qps) ||
           !QTAILQ_EMPTY(&soft->taken_srqs);
}

static void unref(PvrdmaSoft *soft)
{
    if (--soft->refs == 0) {
        g_free(soft->wire.tx);
        g_free(soft->parent.host_name);
        g_free(soft);
    }
}

/* What one thing leads to may be the next: an answer to a frame just sent, if
 * the peer is in this process. */
static void take_turns(PvrdmaSoft *soft)
{
    for (int turn = 0; turn < TURNS && !soft->closed && has_news(soft);
         turn++) {
        if (soft->work) {
            pvrdma_soft_wire_mac(soft);
            soft->work = roce_run(soft->engine, pvrdma_soft_now(), BUDGET);
        }
        deliver(soft);
        pvrdma_soft_wire_flush(soft);
    }
}

/*
 * The network may lead anywhere, even to the end of this device: it is held
 * meanwhile, its registers are closed, and nothing is expected to be there
 * afterwards.
 */
void pvrdma_soft_progress(PvrdmaSoft *soft)
{
    DeviceState *owner = soft->owner;
    bool engaged = owner->mem_reentrancy_guard.engaged_in_io;

    if (soft->in_progress || !runstate_is_running()) {
        return;
    }
    object_ref(OBJECT(owner));
    owner->mem_reentrancy_guard.engaged_in_io = true;
    soft->in_progress = true;
    soft->refs++;
    take_turns(soft);
    soft->in_progress = false;
    if (!soft->closed) {
        set_timer(soft);
        if (has_news(soft)) {
            qemu_bh_schedule(soft->bh);
        }
    }
    unref(soft);
    owner->mem_reentrancy_guard.engaged_in_io = engaged;
    object_unref(OBJECT(owner));
}

void pvrdma_soft_kick(PvrdmaSoft *soft)
{
    qemu_bh_schedule(soft->bh);
}

/* Guests that poll ring a doorbell each time: mostly there is nothing. */
static void backend_progress(PvrdmaBackend *be)
{
    PvrdmaSoft *soft = pvrdma_soft(be);

    if (has_news(soft)) {
        pvrdma_soft_progress(soft);
    }
}

static void bottom_half(void *opaque)
{
    pvrdma_soft_progress(opaque);
}

static void expired(void *opaque)
{
    PvrdmaSoft *soft = opaque;

    soft->deadline = UINT64_MAX;
    roce_expire(soft->engine, pvrdma_soft_now());
    pvrdma_soft_progress(soft);
}

static void run_state_changed(void *opaque, bool running, RunState state)
{
    PvrdmaSoft *soft = opaque;

    if (running) {
        qemu_bh_schedule(soft->bh);
    }
}

/* What the engine asks for */

static bool mem_check(void *opaque, void *pd, uint32_t key, uint64_t va,
                      uint64_t len, uint32_t access)
{
    const PvrdmaBackend *be = opaque;

    return be->mem->check(be->opaque, pd, key, va, len, access);
}

static bool mem_read(void *opaque, void *pd, uint32_t key, uint64_t va,
                     void *buf, uint32_t len, uint32_t access)
{
    const PvrdmaBackend *be = opaque;

    return be->mem->read(be->opaque, pd, key, va, buf, len, access);
}

static bool mem_write(void *opaque, void *pd, uint32_t key, uint64_t va,
                      const void *buf, uint32_t len, uint32_t access)
{
    const PvrdmaBackend *be = opaque;

    return be->mem->write(be->opaque, pd, key, va, buf, len, access);
}

static bool mem_atomic(void *opaque, void *pd, uint32_t key, uint64_t va,
                       bool is_add, uint64_t compare_add, uint64_t swap,
                       uint64_t *ret)
{
    const PvrdmaBackend *be = opaque;

    return be->mem->atomic(be->opaque, pd, key, va, is_add, compare_add, swap,
                           ret);
}

static bool fast_reg(void *opaque, void *pd, const RoceSendWr *wr)
{
    const PvrdmaBackend *be = opaque;
    const PvrdmaFastReg reg = {
        .iova = wr->u.fast_reg.iova,
        .length = wr->u.fast_reg.length,
        .pdir = wr->u.fast_reg.pages,
        .num_pages = wr->u.fast_reg.num_pages,
        .access = wr->u.fast_reg.access,
        .key = wr->u.fast_reg.key,
    };

    return be->mem->fast_reg(be->opaque, pd, &reg);
}

/* Peers may invalidate what the guest itself may: it lets them by having
 * registered it. */
static bool invalidate(void *opaque, void *pd, uint32_t key, bool remote)
{
    const PvrdmaBackend *be = opaque;

    return be->mem->invalidate(be->opaque, pd, key);
}

static void wake(void *opaque)
{
    PvrdmaSoft *soft = opaque;

    soft->work = true;
}

static const RoceOps roce_ops = {
    .mem_check = mem_check,
    .mem_read = mem_read,
    .mem_write = mem_write,
    .mem_atomic = mem_atomic,
    .fast_reg = fast_reg,
    .invalidate = invalidate,
    .transmit = pvrdma_soft_transmit,
    .complete = pvrdma_soft_complete,
    .qp_event = pvrdma_soft_qp_event,
    .srq_taken = pvrdma_soft_srq_taken,
    .wake = wake,
};

/* Small operations */

static int gid_bind(PvrdmaBackend *be, unsigned index, unsigned host_index,
                    const uint8_t gid[16])
{
    roce_gid_set(pvrdma_soft(be)->engine, index, gid);
    return 0;
}

static void gid_unbind(PvrdmaBackend *be, unsigned index)
{
    roce_gid_set(pvrdma_soft(be)->engine, index, NULL);
}

/* The engine passes it on to PvrdmaMemOps as it is. */
static int pd_create(PvrdmaBackend *be, void *cookie, void **ret_pd)
{
    *ret_pd = cookie;
    return 0;
}

static void pd_destroy(PvrdmaBackend *be, void *pd)
{
}

static bool get_stat(PvrdmaBackend *be, unsigned i, const char **ret_name,
                     uint64_t *ret)
{
    PvrdmaSoft *soft = pvrdma_soft(be);
    const RoceStats *s = roce_stats(soft->engine);
    const struct {
        const char *name;
        uint64_t value;
    } all[] = {
        { "tx-packets", s->tx_packets },
        { "tx-bytes", s->tx_bytes },
        { "tx-nak", s->tx_nak },
        { "tx-rnr-nak", s->tx_rnr_nak },
        { "tx-dropped", soft->wire.tx_dropped },
        { "rx-packets", s->rx_packets },
        { "rx-bytes", s->rx_bytes },
        { "rx-bad-frame", s->rx_bad_frame },
        { "rx-bad-icrc", s->rx_bad_icrc },
        { "rx-bad-key", s->rx_bad_key },
        { "rx-bad-source", s->rx_bad_source },
        { "rx-no-qp", s->rx_no_qp },
        { "rx-no-buffer", s->rx_no_buffer },
        { "rx-duplicate", s->rx_duplicate },
        { "rx-out-of-order", s->rx_out_of_order },
        { "rx-gso", soft->wire.rx_gso },
        { "rx-stopped", soft->wire.rx_stopped },
        { "retransmits", s->retransmits },
        { "timeouts", s->timeouts },
        { "local-errors", s->local_errors },
        { "remote-errors", s->remote_errors },
    };

    if (i >= ARRAY_SIZE(all)) {
        return false;
    }
    *ret_name = all[i].name;
    *ret = all[i].value;
    return true;
}

/* Open and close */

static void soft_close(PvrdmaBackend *be)
{
    PvrdmaSoft *soft = pvrdma_soft(be);
    const RoceStats *s = roce_stats(soft->engine);

    trace_pvrdma_soft_close(s->tx_packets, s->rx_packets, s->retransmits);
    soft->closed = true;
    pvrdma_soft_wire_exit(soft);
    qemu_del_vm_change_state_handler(soft->run_state);
    qemu_bh_delete(soft->bh);
    timer_free(soft->timer);
    roce_free(soft->engine);
    unref(soft);
}

static const PvrdmaBackendOps soft_ops = {
    .name = "soft",
    .has_gsi = true,
    .resolves_keys = true,
    .cq_grows = true,
    .close = soft_close,
    .attach = pvrdma_soft_attach,
    .progress = backend_progress,
    .stat = get_stat,
    .query_port = pvrdma_soft_query_port,
    .gid_bind = gid_bind,
    .gid_unbind = gid_unbind,
    .pd_create = pd_create,
    .pd_destroy = pd_destroy,
    .cq_create = pvrdma_soft_cq_create,
    .cq_destroy = pvrdma_soft_cq_destroy,
    .cq_poll = pvrdma_soft_cq_poll,
    .cq_arm = pvrdma_soft_cq_arm,
    .qp_create = pvrdma_soft_qp_create,
    .qp_modify = pvrdma_soft_qp_modify,
    .qp_query = pvrdma_soft_qp_query,
    .qp_destroy = pvrdma_soft_qp_destroy,
    .post_send = pvrdma_soft_post_send,
    .post_recv = pvrdma_soft_post_recv,
    .srq_create = pvrdma_soft_srq_create,
    .srq_destroy = pvrdma_soft_srq_destroy,
    .srq_post = pvrdma_soft_srq_post,
};

/* What the guest ABI can say, or more */
static const PvrdmaHostCaps soft_caps = {
    .fw_ver = 1ull << 32,
    .max_mr_size = 1 * GiB,
    .max_qp = MAX_QP,
    .max_qp_wr = 4096,
    .max_sge = 16,
    .max_sge_rd = 16,
    .max_cq = 4096,
    .max_cqe = UINT32_MAX,
    .max_mr = 65536,
    .max_pd = 4096,
    .max_ah = 65536,
    .max_qp_rd_atom = ROCE_MAX_RD_ATOMIC,
    .max_qp_init_rd_atom = ROCE_MAX_RD_ATOMIC,
    .max_srq = 1024,
    .max_srq_wr = 4096,
    .max_srq_sge = 16,
    .max_fast_reg_pages = 128,
    /* 56 bytes each; 16 GiB if no two pages are neighbours */
    .max_extents = 4 * MiB,
    .atomic_ops = 3,
};

PvrdmaBackend *pvrdma_soft_open(DeviceState *owner,
                                const PvrdmaBackendEvents *events,
                                const PvrdmaMemOps *mem, void *opaque,
                                Error **errp)
{
    PvrdmaSoft *soft = g_new0(PvrdmaSoft, 1);

    soft->engine = roce_new(&roce_ops, soft, MAX_QP);
    if (!soft->engine) {
        error_setg(errp, "no memory for RDMA in software");
        g_free(soft);
        return NULL;
    }
    soft->parent = (PvrdmaBackend) {
        .ops = &soft_ops,
        .events = events,
        .mem = mem,
        .opaque = opaque,
        .caps = soft_caps,
        .host_name = g_strdup("soft"),
        .port = 1,
    };
    soft->owner = owner;
    soft->refs = 1;
    soft->deadline = UINT64_MAX;
    QTAILQ_INIT(&soft->ready_cqs);
    QTAILQ_INIT(&soft->event_qps);
    QTAILQ_INIT(&soft->taken_srqs);
    soft->bh = qemu_bh_new(bottom_half, soft);
    soft->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, expired, soft);
    soft->run_state = qemu_add_vm_change_state_handler(run_state_changed,
                                                       soft);
    pvrdma_soft_wire_init(soft);
    return &soft->parent;
}
