/*
 * pvrdma: the soft backend, inside
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * RoCE v2 in software: the engine (roce.h) with guest memory, a clock, and the
 * network of function 0 as its wire.  Everything runs under the BQL.
 *
 * The engine is only ever entered with nothing of it in hand: what it reports
 * from inside its functions (completions, events, frames to send) is kept here
 * and acted upon in pvrdma_soft_progress(), after it returned.  So neither the
 * guest's reactions nor the network's can reach the engine from within.
 *
 * One file per concern: pvrdma_soft.c (open and close, progress, memory),
 * _cq.c, _qp.c (with SRQs and posting), _wire.c (function 0, frames out),
 * _filter.c (frames in).
 */
#ifndef HW_RDMA_PVRDMA_SOFT_H
#define HW_RDMA_PVRDMA_SOFT_H

#include "qemu/notify.h"
#include "qemu/queue.h"
#include "net/net.h"
#include "hw/pci/pci_device.h"
#include "pvrdma_backend.h"
#include "roce.h"
#include "roce_frame.h"

#define PVRDMA_SOFT_TX_FRAMES 64u  /* a power of two */

typedef struct PvrdmaSoft PvrdmaSoft;
typedef struct PvrdmaSoftFilter PvrdmaSoftFilter;
struct VMXNET3State;

typedef struct PvrdmaSoftFrame {
    uint32_t length;
    uint8_t bytes[ROCE_MAX_FRAME];
} PvrdmaSoftFrame;

/*
 * Function 0 and its netdev.  @nic is kept only for as long as it tells us
 * about its state (@notifier), which includes its end; @filter sits on its
 * netdev and goes with it.
 */
typedef struct PvrdmaSoftWire {
    struct VMXNET3State *nic;
    Notifier notifier;
    PvrdmaSoftFilter *filter;
    bool up;                   /* activated by its driver, link is up */
    bool queued;               /* the netdev has a frame that it cannot take */
    bool refused;              /* the engine waits for room in @tx */
    uint32_t head;             /* of @tx; both run freely */
    uint32_t tail;
    PvrdmaSoftFrame *tx;
    uint64_t rx_gso;           /* coalesced frames, dropped */
    uint64_t rx_stopped;       /* dropped because the machine is stopped */
    uint64_t tx_dropped;       /* the wire is down */
} PvrdmaSoftWire;

/* Completions that the objects layer has not taken yet: a ring that grows; it
 * cannot hold more than what is posted. */
typedef struct PvrdmaSoftCq {
    void *cookie;
    RoceWc *wc;
    uint32_t size;             /* a power of two, or 0 */
    uint32_t head;             /* both run freely */
    uint32_t tail;
    bool ready;                /* linked in ready_cqs */
    QTAILQ_ENTRY(PvrdmaSoftCq) next;
} PvrdmaSoftCq;

typedef struct PvrdmaSoftQp {
    PvrdmaSoft *soft;
    RoceQp *roce;
    PvrdmaSoftCq *send_cq;
    PvrdmaSoftCq *recv_cq;
    void *cookie;
    bool is_rc;
    uint64_t tag;
    uint32_t events;           /* bits; linked in event_qps unless 0 */
    QTAILQ_ENTRY(PvrdmaSoftQp) next;
} PvrdmaSoftQp;

typedef struct PvrdmaSoftSrq {
    RoceSrq *roce;
    void *cookie;
    uint32_t taken;            /* linked in taken_srqs unless 0 */
    QTAILQ_ENTRY(PvrdmaSoftSrq) next;
} PvrdmaSoftSrq;

struct PvrdmaSoft {
    PvrdmaBackend parent;
    DeviceState *owner;
    RoceEngine *engine;
    PvrdmaSoftWire wire;
    QEMUBH *bh;
    QEMUTimer *timer;
    uint64_t deadline;         /* of the timer; UINT64_MAX: it is off */
    VMChangeStateEntry *run_state;
    unsigned refs;             /* close, and those in progress */
    bool closed;
    bool in_progress;
    bool work;                 /* the engine has something to do */
    QTAILQ_HEAD(, PvrdmaSoftCq) ready_cqs;
    QTAILQ_HEAD(, PvrdmaSoftQp) event_qps;
    QTAILQ_HEAD(, PvrdmaSoftSrq) taken_srqs;
};

static inline PvrdmaSoft *pvrdma_soft(PvrdmaBackend *be)
{
    return container_of(be, PvrdmaSoft, parent);
}

/* pvrdma_soft.c */
/* Runs the engine, delivers, sends: until there is nothing to do, or for a
 * while.  @soft may be closed afterwards, but it is not freed while in here. */
void pvrdma_soft_progress(PvrdmaSoft *soft);
/* The same soon, from the main loop. */
void pvrdma_soft_kick(PvrdmaSoft *soft);
uint64_t pvrdma_soft_now(void);

/* pvrdma_soft_cq.c */
int pvrdma_soft_cq_create(PvrdmaBackend *be, uint32_t entries, void *cookie,
                          void **ret_cq);
void pvrdma_soft_cq_destroy(PvrdmaBackend *be, void *cq);
int pvrdma_soft_cq_poll(PvrdmaBackend *be, void *cq, PvrdmaWc *wc, int n);
int pvrdma_soft_cq_arm(PvrdmaBackend *be, void *cq, bool solicited_only);
void pvrdma_soft_complete(void *opaque, void *cq, const RoceWc *wc);
/* Forgets the completions of the QP with @tag. */
void pvrdma_soft_cq_purge(PvrdmaSoftCq *cq, uint64_t tag);

/* pvrdma_soft_qp.c */
int pvrdma_soft_qp_create(PvrdmaBackend *be, const PvrdmaQpInit *init,
                          void *cookie, void **ret_qp, uint32_t *ret_qpn);
int pvrdma_soft_qp_modify(PvrdmaBackend *be, void *qp,
                          const PvrdmaQpAttr *attr, uint32_t mask);
int pvrdma_soft_qp_query(PvrdmaBackend *be, void *qp, PvrdmaQpAttr *ret);
void pvrdma_soft_qp_destroy(PvrdmaBackend *be, void *qp);
int pvrdma_soft_srq_create(PvrdmaBackend *be, void *pd, uint32_t max_wr,
                           uint32_t max_sge, void *cookie, void **ret_srq);
void pvrdma_soft_srq_destroy(PvrdmaBackend *be, void *srq);
void pvrdma_soft_qp_event(void *opaque, void *cookie, uint32_t event);
void pvrdma_soft_srq_taken(void *opaque, void *cookie, uint32_t left);

/* pvrdma_soft_post.c */
void pvrdma_soft_av(const PvrdmaAv *in, RoceAv *out);
unsigned pvrdma_soft_post_send(PvrdmaBackend *be, void *qp, PvrdmaSendWr *wr,
                               unsigned n);
unsigned pvrdma_soft_post_recv(PvrdmaBackend *be, void *qp,
                               const PvrdmaRecvWr *wr, unsigned n);
int pvrdma_soft_srq_post(PvrdmaBackend *be, void *srq, const PvrdmaRecvWr *wr);

/* pvrdma_soft_wire.c */
void pvrdma_soft_wire_init(PvrdmaSoft *soft);
void pvrdma_soft_wire_exit(PvrdmaSoft *soft);
bool pvrdma_soft_attach(PvrdmaBackend *be, PCIDevice *fn0, Error **errp);
int pvrdma_soft_query_port(PvrdmaBackend *be, PvrdmaPortInfo *ret);
bool pvrdma_soft_transmit(void *opaque, const uint8_t *frame, size_t len);
/* The present MAC of function 0 */
void pvrdma_soft_wire_mac(PvrdmaSoft *soft);
static inline bool pvrdma_soft_wire_pending(const PvrdmaSoftWire *wire)
{
    return wire->head != wire->tail && !wire->queued;
}
/* Sends what transmit() kept, as far as the netdev takes it. */
void pvrdma_soft_wire_flush(PvrdmaSoft *soft);

/* pvrdma_soft_filter.c */
bool pvrdma_soft_filter_add(PvrdmaSoft *soft, const char *netdev,
                            Error **errp);
void pvrdma_soft_filter_remove(PvrdmaSoft *soft);
/* The backend whose filter is on @netdev, or NULL */
PvrdmaSoft *pvrdma_soft_filter_find(NetClientState *netdev);

#endif
