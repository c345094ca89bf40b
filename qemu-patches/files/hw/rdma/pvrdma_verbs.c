/*
 * pvrdma: the verbs backend: operations table, open and close
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "block/aio.h"
#include "pvrdma_compat.h"
#include "pvrdma_verbs.h"
#include "trace.h"

/* Works from any partial state that open can leave. */
static void pvrdma_verbs_close(PvrdmaBackend *be)
{
    PvrdmaVerbs *vb = pvrdma_verbs(be);

    trace_pvrdma_verbs_close(be->host_name);
    pvrdma_verbs_events_stop(vb);
    pvrdma_verbs_ah_cleanup(vb);
    g_clear_pointer(&vb->qps, g_hash_table_unref);
    if (vb->ctx) {
        ibv_close_device(vb->ctx);
    }
    if (vb->discard_disabled) {
        ram_block_discard_disable(false);
    }
    g_free(be->host_name);
    if (vb->aio) {
        /* a handler may have begun there, and wait for the lock */
        aio_bh_schedule_oneshot(vb->aio, g_free, vb);
    } else {
        g_free(vb);
    }
}

static const PvrdmaBackendOps pvrdma_verbs_ops = {
    .name = "verbs",
    .has_gsi = false,
    .needs_shared_ram = true,
    .close = pvrdma_verbs_close,
    .query_port = pvrdma_verbs_query_port,
    .gid_find = pvrdma_verbs_gid_find,
    .gid_at = pvrdma_verbs_gid_at,
    .gid_bind = pvrdma_verbs_gid_bind,
    .gid_unbind = pvrdma_verbs_gid_unbind,
    .pd_create = pvrdma_verbs_pd_create,
    .pd_destroy = pvrdma_verbs_pd_destroy,
    .mr_create = pvrdma_verbs_mr_create,
    .mr_destroy = pvrdma_verbs_mr_destroy,
    .cq_create = pvrdma_verbs_cq_create,
    .cq_destroy = pvrdma_verbs_cq_destroy,
    .cq_poll = pvrdma_verbs_cq_poll,
    .cq_arm = pvrdma_verbs_cq_arm,
    .qp_create = pvrdma_verbs_qp_create,
    .qp_modify = pvrdma_verbs_qp_modify,
    .qp_query = pvrdma_verbs_qp_query,
    .qp_destroy = pvrdma_verbs_qp_destroy,
    .post_send = pvrdma_verbs_post_send,
    .post_recv = pvrdma_verbs_post_recv,
    .ah_get = pvrdma_verbs_ah_get,
    .ah_put = pvrdma_verbs_ah_put,
};

/* A registered page must stay where it is for as long as the NIC knows it. */
static bool pvrdma_verbs_pin_ram(PvrdmaVerbs *vb, Error **errp)
{
    int rc = ram_block_discard_disable(true);

    if (rc < 0) {
        error_setg(errp, "cannot keep guest memory in place for RDMA: %s; "
                   "remove virtio-mem devices", strerror(-rc));
        return false;
    }
    vb->discard_disabled = true;
    return true;
}

PvrdmaBackend *pvrdma_verbs_open(const char *dev, unsigned port,
                                 AioContext *ctx,
                                 const PvrdmaBackendEvents *events,
                                 void *opaque, Error **errp)
{
    PvrdmaVerbs *vb = g_new0(PvrdmaVerbs, 1);

    vb->parent.ops = &pvrdma_verbs_ops;
    vb->parent.events = events;
    vb->parent.opaque = opaque;
    vb->parent.port = port;
    vb->aio = ctx;
    QTAILQ_INIT(&vb->fire);
    vb->qps = g_hash_table_new(NULL, NULL);
    pvrdma_verbs_ah_init(vb);
    if (!pvrdma_verbs_dev_open(vb, dev, errp) ||
        !pvrdma_verbs_dev_caps(vb, errp) ||
        !pvrdma_verbs_dev_check_port(vb, errp) ||
        !pvrdma_verbs_pin_ram(vb, errp)) {
        pvrdma_verbs_close(&vb->parent);
        return NULL;
    }
    pvrdma_verbs_events_start(vb);
    trace_pvrdma_verbs_open(dev, vb->parent.host_name, port);
    return &vb->parent;
}
