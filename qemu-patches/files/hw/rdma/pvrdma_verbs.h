/*
 * pvrdma: the verbs backend, inside
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One host object of libibverbs for each object of the guest.  Operations and
 * events run under the device's lock, in whatever thread.  No file descriptor
 * is ever read blocking.
 *
 * One file per concern: pvrdma_verbs.c (operations table, open and close),
 * _dev.c (finding a device, capabilities, port), _event.c (async events and
 * the completion channel), _gid.c, _ah.c, _mr.c (with PDs), _cq.c, _qp.c and
 * _post.c.
 */
#ifndef HW_RDMA_PVRDMA_VERBS_H
#define HW_RDMA_PVRDMA_VERBS_H

#include <infiniband/verbs.h>

#include "qemu/queue.h"
#include "qemu/main-loop.h"
#include "pvrdma_backend.h"
#include "pvrdma_dma.h"

#define PVRDMA_VERBS_GUEST_GIDS 256

typedef struct PvrdmaVerbsGid {
    bool bound;
    unsigned host_index;
} PvrdmaVerbsGid;

typedef struct PvrdmaVerbs {
    PvrdmaBackend parent;
    struct ibv_context *ctx;
    struct ibv_comp_channel *channel;
    AioContext *aio;           /* of completions; NULL: the main loop */
    QEMUBH *bh;                /* for @fire */
    QTAILQ_HEAD(, PvrdmaVerbsCq) fire;
    bool discard_disabled;
    bool dead;                 /* fatal() was reported, or closed */
    PvrdmaVerbsGid gids[PVRDMA_VERBS_GUEST_GIDS];
    GHashTable *qps;           /* host QP number -> PvrdmaVerbsQp */
    GHashTable *ahs;           /* set of PvrdmaVerbsAh, by their key */
    QTAILQ_HEAD(, PvrdmaVerbsAh) idle_ahs; /* oldest first */
    int64_t ah_not_before;     /* see _ah.c */
    union {                    /* the chain that is being posted */
        struct ibv_send_wr send[PVRDMA_BATCH];
        struct ibv_recv_wr recv[PVRDMA_BATCH];
    };
    struct ibv_sge sge[PVRDMA_BATCH][PVRDMA_MAX_SGE];
} PvrdmaVerbs;

typedef struct PvrdmaVerbsPd {
    struct ibv_pd *ibv;
} PvrdmaVerbsPd;

typedef struct PvrdmaVerbsMr {
    struct ibv_mr *ibv;
    PvrdmaWindow window;       /* the guest's pages */
} PvrdmaVerbsMr;

/*
 * A CQ.  Completions come from the host queue, after those in @stash: what
 * was taken out while the completions of a dying QP were purged.  An armed CQ
 * whose stash fills up is fired from a bottom half, as the host has nothing
 * more to report about these.
 */
typedef struct PvrdmaVerbsCq {
    PvrdmaVerbs *vb;
    struct ibv_cq *ibv;
    void *cookie;
    GArray *stash;             /* of struct ibv_wc */
    guint stash_head;
    bool armed;
    bool firing;               /* on vb->fire */
    QTAILQ_ENTRY(PvrdmaVerbsCq) next;
} PvrdmaVerbsCq;

/*
 * A QP.  @state is what the guest asked for, or ERR as soon as a completion
 * or an event says so.
 *
 * RESET, INIT, RTR: no sends; from INIT on: receives
 * RTS, SQD, SQE: both
 * ERR: both; each post is followed by another transition to ERR, because
 * some providers (rxe) look at receives posted in ERR only then, and these
 * must be flushed.
 */
typedef struct PvrdmaVerbsQp {
    PvrdmaVerbs *vb;
    struct ibv_qp *ibv;
    PvrdmaVerbsCq *send_cq;
    PvrdmaVerbsCq *recv_cq;
    void *cookie;
    uint32_t state;            /* PVRDMA_QPS_* */
    PvrdmaAv av;               /* as the guest gave it */
} PvrdmaVerbsQp;

/* What distinguishes two AHs; all of it, and zeroed before it is filled. */
typedef struct PvrdmaVerbsAhKey {
    PvrdmaVerbsPd *pd;
    uint32_t host_index;
    uint32_t flow_label;
    uint8_t dgid[16];
    uint8_t dmac[6];
    uint8_t hop_limit;
    uint8_t traffic_class;
    uint8_t sl;
    uint8_t static_rate;
} PvrdmaVerbsAhKey;

typedef struct PvrdmaVerbsAh {
    PvrdmaVerbsAhKey key;
    struct ibv_ah *ibv;        /* NULL: its PD is gone */
    uint32_t users;
    QTAILQ_ENTRY(PvrdmaVerbsAh) idle; /* linked while users is 0 */
} PvrdmaVerbsAh;

static inline PvrdmaVerbs *pvrdma_verbs(PvrdmaBackend *be)
{
    return container_of(be, PvrdmaVerbs, parent);
}

/*
 * Result of a libibverbs function: 0, an errno, -1 and errno; some providers
 * (rxe) also return negative errnos.
 */
static inline int pvrdma_verbs_rc(int rc)
{
    if (rc == -1) {
        return -(errno ? errno : EIO);
    }
    return rc > 0 ? -rc : rc;
}

/* After a libibverbs function returned NULL. */
static inline int pvrdma_verbs_errno(void)
{
    return -(errno ? errno : EIO);
}

/* pvrdma_verbs_dev.c */

/*
 * Opens the ibdevice that @dev names (its name or the path of its uverbs
 * node) with all of its file descriptors non-blocking.
 */
bool pvrdma_verbs_dev_open(PvrdmaVerbs *vb, const char *dev, Error **errp);
bool pvrdma_verbs_dev_caps(PvrdmaVerbs *vb, Error **errp);
bool pvrdma_verbs_dev_check_port(PvrdmaVerbs *vb, Error **errp);
int pvrdma_verbs_query_port(PvrdmaBackend *be, PvrdmaPortInfo *ret);

/* pvrdma_verbs_event.c */
void pvrdma_verbs_events_start(PvrdmaVerbs *vb);
void pvrdma_verbs_events_stop(PvrdmaVerbs *vb);

/* pvrdma_verbs_gid.c */
int pvrdma_verbs_gid_find(PvrdmaBackend *be, const uint8_t gid[16]);
int pvrdma_verbs_gid_at(PvrdmaBackend *be, unsigned index, uint8_t gid[16]);
int pvrdma_verbs_gid_bind(PvrdmaBackend *be, unsigned index,
                          unsigned host_index, const uint8_t gid[16]);
void pvrdma_verbs_gid_unbind(PvrdmaBackend *be, unsigned index);
/* Host index of the guest's slot @index, -EINVAL if nothing is bound there */
int pvrdma_verbs_gid_host_index(PvrdmaVerbs *vb, unsigned index);

/* pvrdma_verbs_ah.c */
void pvrdma_verbs_ah_init(PvrdmaVerbs *vb);
void pvrdma_verbs_ah_cleanup(PvrdmaVerbs *vb);
int pvrdma_verbs_ah_get(PvrdmaBackend *be, void *pd, const PvrdmaAv *av,
                        void **ret_ah);
void pvrdma_verbs_ah_put(PvrdmaBackend *be, void *ah);
/* Host handles of @pd go away now; holders keep theirs, as a dead one. */
void pvrdma_verbs_ah_drop_pd(PvrdmaVerbs *vb, PvrdmaVerbsPd *pd);
/* Unused handles that come from this entry of the host GID table go. */
void pvrdma_verbs_ah_drop_gid(PvrdmaVerbs *vb, unsigned host_index);
/* -EINVAL if the source GID is not bound */
int pvrdma_verbs_ah_attr(PvrdmaVerbs *vb, const PvrdmaAv *av,
                         struct ibv_ah_attr *ret);

/* pvrdma_verbs_mr.c */
int pvrdma_verbs_pd_create(PvrdmaBackend *be, void *cookie, void **ret_pd);
void pvrdma_verbs_pd_destroy(PvrdmaBackend *be, void *pd);
int pvrdma_verbs_mr_create(PvrdmaBackend *be, void *pd,
                           const PvrdmaExtents *extents, uint64_t iova,
                           uint64_t length, uint32_t access, void **ret_mr,
                           uint32_t *ret_rkey);
void pvrdma_verbs_mr_destroy(PvrdmaBackend *be, void *mr);

/* pvrdma_verbs_cq.c */
int pvrdma_verbs_cq_create(PvrdmaBackend *be, uint32_t entries, void *cookie,
                           void **ret_cq);
void pvrdma_verbs_cq_destroy(PvrdmaBackend *be, void *cq);
int pvrdma_verbs_cq_poll(PvrdmaBackend *be, void *cq, PvrdmaWc *wc, int n);
int pvrdma_verbs_cq_arm(PvrdmaBackend *be, void *cq, bool solicited_only);
/*
 * No completion of the host QP @qpn, which is in RESET or gone, comes out any
 * more.
 */
void pvrdma_verbs_cq_purge(PvrdmaVerbsCq *cq, uint32_t qpn);
/* The host says that an armed CQ has a completion. */
void pvrdma_verbs_cq_fire(PvrdmaVerbsCq *cq);
/* Bottom half: fires those on vb->fire. */
void pvrdma_verbs_cq_bh(void *vb);

/* pvrdma_verbs_qp.c */
int pvrdma_verbs_qp_create(PvrdmaBackend *be, const PvrdmaQpInit *init,
                           void *cookie, void **ret_qp, uint32_t *ret_qpn);
int pvrdma_verbs_qp_modify(PvrdmaBackend *be, void *qp,
                           const PvrdmaQpAttr *attr, uint32_t mask);
int pvrdma_verbs_qp_query(PvrdmaBackend *be, void *qp, PvrdmaQpAttr *ret);
void pvrdma_verbs_qp_destroy(PvrdmaBackend *be, void *qp);
/* A completion or an event says that the host moved the QP to ERR. */
void pvrdma_verbs_qp_failed(PvrdmaVerbsQp *qp);
/* Has what was posted in ERR flushed */
void pvrdma_verbs_qp_flush(PvrdmaVerbsQp *qp);

/* pvrdma_verbs_post.c */
unsigned pvrdma_verbs_post_send(PvrdmaBackend *be, void *qp,
                                PvrdmaSendWr *wr, unsigned n);
unsigned pvrdma_verbs_post_recv(PvrdmaBackend *be, void *qp,
                                const PvrdmaRecvWr *wr, unsigned n);

#endif
