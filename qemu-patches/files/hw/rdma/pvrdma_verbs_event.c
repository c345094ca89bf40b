/*
 * pvrdma: the verbs backend: async events and the completion channel
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Every event is acknowledged as soon as it is read: destroying an object
 * waits for its events, and a callback may well destroy it.  Events are read
 * with the device's lock held, so that the object of one is still there.
 */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "block/aio.h"
#include "pvrdma_verbs.h"
#include "trace.h"

/* Events handled per turn of the main loop; the rest waits for the next. */
#define PVRDMA_VERBS_EVENT_BUDGET 64

static void pvrdma_verbs_watch_channel(PvrdmaVerbs *vb, IOHandler *readable)
{
    AioContext *ctx = vb->aio ?: iohandler_get_aio_context();

    aio_set_fd_handler(ctx, vb->channel->fd, readable, NULL, NULL, NULL, vb);
}

static void pvrdma_verbs_unwatch(PvrdmaVerbs *vb)
{
    qemu_set_fd_handler(vb->ctx->async_fd, NULL, NULL, NULL);
    pvrdma_verbs_watch_channel(vb, NULL);
}

/* The device is gone, or its files can be read no more: say so once. */
static void pvrdma_verbs_fatal(PvrdmaVerbs *vb)
{
    if (vb->dead) {
        return;
    }
    vb->dead = true;
    trace_pvrdma_verbs_fatal(vb->parent.host_name);
    pvrdma_verbs_unwatch(vb);
    vb->parent.events->fatal(vb->parent.opaque);
}

static void pvrdma_verbs_port_event(PvrdmaVerbs *vb, int port, uint32_t event)
{
    if (port == vb->parent.port) {
        vb->parent.events->port_event(vb->parent.opaque, event);
    }
}

static void pvrdma_verbs_qp_event(PvrdmaVerbs *vb, struct ibv_qp *ibv,
                                  uint32_t event, bool failed)
{
    PvrdmaVerbsQp *qp = ibv->qp_context;

    if (failed) {
        pvrdma_verbs_qp_failed(qp);
    }
    vb->parent.events->qp_event(vb->parent.opaque, qp->cookie, event);
}

static void pvrdma_verbs_async_event(PvrdmaVerbs *vb,
                                     const struct ibv_async_event *ev)
{
    int port = ev->element.port_num;
    struct ibv_qp *qp = ev->element.qp;

    switch (ev->event_type) {
    case IBV_EVENT_CQ_ERR:
        vb->parent.events->cq_error(
            vb->parent.opaque,
            ((PvrdmaVerbsCq *)ev->element.cq->cq_context)->cookie);
        break;
    case IBV_EVENT_QP_FATAL:
        pvrdma_verbs_qp_event(vb, qp, PVRDMA_EVENT_QP_FATAL, true);
        break;
    case IBV_EVENT_QP_REQ_ERR:
        pvrdma_verbs_qp_event(vb, qp, PVRDMA_EVENT_QP_REQ_ERR, true);
        break;
    case IBV_EVENT_QP_ACCESS_ERR:
        pvrdma_verbs_qp_event(vb, qp, PVRDMA_EVENT_QP_ACCESS_ERR, true);
        break;
    case IBV_EVENT_COMM_EST:
        pvrdma_verbs_qp_event(vb, qp, PVRDMA_EVENT_COMM_EST, false);
        break;
    case IBV_EVENT_SQ_DRAINED:
        pvrdma_verbs_qp_event(vb, qp, PVRDMA_EVENT_SQ_DRAINED, false);
        break;
    case IBV_EVENT_QP_LAST_WQE_REACHED:
        pvrdma_verbs_qp_event(vb, qp, PVRDMA_EVENT_QP_LAST_WQE_REACHED, false);
        break;
    case IBV_EVENT_PORT_ACTIVE:
        pvrdma_verbs_port_event(vb, port, PVRDMA_EVENT_PORT_ACTIVE);
        break;
    case IBV_EVENT_PORT_ERR:
        pvrdma_verbs_port_event(vb, port, PVRDMA_EVENT_PORT_ERR);
        break;
    case IBV_EVENT_LID_CHANGE:
        pvrdma_verbs_port_event(vb, port, PVRDMA_EVENT_LID_CHANGE);
        break;
    case IBV_EVENT_PKEY_CHANGE:
        pvrdma_verbs_port_event(vb, port, PVRDMA_EVENT_PKEY_CHANGE);
        break;
    case IBV_EVENT_SM_CHANGE:
        pvrdma_verbs_port_event(vb, port, PVRDMA_EVENT_SM_CHANGE);
        break;
    case IBV_EVENT_CLIENT_REREGISTER:
        pvrdma_verbs_port_event(vb, port, PVRDMA_EVENT_CLIENT_REREGISTER);
        break;
    case IBV_EVENT_GID_CHANGE:
        pvrdma_verbs_port_event(vb, port, PVRDMA_EVENT_GID_CHANGE);
        break;
    case IBV_EVENT_DEVICE_FATAL:
        pvrdma_verbs_fatal(vb);
        break;
    default: /* path migration, SRQ and WQ events: of nothing that we make */
        break;
    }
}

/*
 * Reading failed.  A node whose device was removed stays readable for ever
 * with an error, which would spin the main loop.
 */
static void pvrdma_verbs_read_failed(PvrdmaVerbs *vb, int err)
{
    if (err != EAGAIN && err != EWOULDBLOCK && err != EINTR) {
        pvrdma_verbs_fatal(vb);
    }
}

/*
 * libibverbs leaves errno alone when the node of a removed device ends (a
 * read of 0 bytes): EIO then, so that it is not taken for "nothing to read".
 */
static void pvrdma_verbs_async_readable(void *opaque)
{
    PvrdmaVerbs *vb = opaque;
    PvrdmaBackend *be = &vb->parent;
    struct ibv_async_event ev;

    be->events->enter(be->opaque);
    for (int i = 0; i < PVRDMA_VERBS_EVENT_BUDGET && !vb->dead; i++) {
        errno = EIO;
        if (ibv_get_async_event(vb->ctx, &ev) < 0) {
            pvrdma_verbs_read_failed(vb, errno);
            break;
        }
        trace_pvrdma_verbs_async_event(be->host_name, ev.event_type,
                                       ibv_event_type_str(ev.event_type));
        ibv_ack_async_event(&ev);
        pvrdma_verbs_async_event(vb, &ev);
    }
    be->events->leave(be->opaque);
}

static void pvrdma_verbs_channel_readable(void *opaque)
{
    PvrdmaVerbs *vb = opaque;
    PvrdmaBackend *be = &vb->parent;
    struct ibv_cq *ibv;
    void *cq;

    be->events->enter(be->opaque);
    for (int i = 0; i < PVRDMA_VERBS_EVENT_BUDGET && !vb->dead; i++) {
        errno = EIO;
        if (ibv_get_cq_event(vb->channel, &ibv, &cq) < 0) {
            pvrdma_verbs_read_failed(vb, errno);
            break;
        }
        ibv_ack_cq_events(ibv, 1);
        pvrdma_verbs_cq_fire(cq);
    }
    be->events->leave(be->opaque);
}

void pvrdma_verbs_events_start(PvrdmaVerbs *vb)
{
    qemu_set_fd_handler(vb->ctx->async_fd, pvrdma_verbs_async_readable, NULL,
                        vb);
    vb->bh = aio_bh_new(vb->aio ?: qemu_get_aio_context(), pvrdma_verbs_cq_bh,
                        vb);
    pvrdma_verbs_watch_channel(vb, pvrdma_verbs_channel_readable);
}

void pvrdma_verbs_events_stop(PvrdmaVerbs *vb)
{
    vb->dead = true;
    g_clear_pointer(&vb->bh, qemu_bh_delete);
    if (vb->channel) {
        pvrdma_verbs_unwatch(vb);
        ibv_destroy_comp_channel(vb->channel);
        vb->channel = NULL;
    }
}
