/*
 * pvrdma: the device and its objects
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Threads.  A device on the soft backend runs under the BQL, because its frames
 * go through QEMU's network.  One on an RDMA device of the host runs under a
 * lock of its own, whoever comes: registers, PCI and QMP with the BQL held;
 * doorbells, host events and bottom halves with or without it.  Each of these
 * entry points is between pvrdma_enter() and pvrdma_leave(), which take that
 * lock or see that the BQL is held; all else expects it.
 *
 * The BQL comes before the device's lock: with only the latter nothing may be
 * called that takes the BQL, or ends up in another device.  So guest memory is
 * RAM or an error, interrupts are sent from a bottom half of the main loop
 * with the lock given back, and timers of the main loop are only armed.
 * Objects are created and destroyed with the BQL held.  QEMU 10.2 rings
 * doorbells without it; with an iothread host completions and the work bottom
 * half come without it, too.
 *
 * Guest memory is read once into private copies; handles and indices from the
 * guest are looked up, never trusted.
 */
#ifndef HW_RDMA_PVRDMA_H
#define HW_RDMA_PVRDMA_H

#include "hw/pci/pci_device.h"
#include "qemu/queue.h"
#include "qemu/thread.h"
#include "qom/object.h"
#include "system/iothread.h"
#include "pvrdma_abi.h"
#include "pvrdma_backend.h"
#include "pvrdma_dma.h"
#include "pvrdma_fault.h"
#include "pvrdma_ring.h"
#include "pvrdma_stats.h"
#include "pvrdma_table.h"

#define TYPE_PVRDMA "pvrdma"
OBJECT_DECLARE_TYPE(PvrdmaDev, PvrdmaDevClass, PVRDMA)

#define PVRDMA_MAX_UAR 256u    /* power of two; UAR BAR of 1 MiB */
#define PVRDMA_GID_TABLE_LEN 128u
/* entries that a host CQ has beyond the guest's: unsignaled sends use them */
#define PVRDMA_CQ_HOST_EXTRA 1024u

/*
 * Life cycle of the device; which register writes each state takes:
 *
 * IDLE    DSRLOW, DSRHIGH (-> MAPPED when the region is good), CTL.RESET
 * MAPPED  the same, CTL.ACTIVATE (-> ACTIVE)
 * ACTIVE  the same, CTL.ACTIVATE, CTL.UNQUIESCE, REQUEST, doorbells
 *
 * DSRHIGH, CTL.RESET, a PCI reset and clearing bus master first return to
 * IDLE, which destroys every object.
 */
typedef enum PvrdmaState {
    PVRDMA_IDLE,
    PVRDMA_MAPPED,
    PVRDMA_ACTIVE,
} PvrdmaState;

typedef struct PvrdmaUc {
    uint32_t handle;           /* never 0; a NULL PvrdmaUc is the kernel's */
    uint32_t uar;
} PvrdmaUc;

typedef struct PvrdmaPd {
    uint32_t handle;
    uint32_t refs;             /* MRs, QPs and SRQs */
    PvrdmaUc *uc;
    void *be;
} PvrdmaPd;

typedef enum PvrdmaMrKind {
    PVRDMA_MR_USER,
    PVRDMA_MR_DMA,
    PVRDMA_MR_FAST,            /* no pages before a FAST_REG_MR */
} PvrdmaMrKind;

typedef struct PvrdmaMr {
    uint32_t handle;
    PvrdmaMrKind kind;
    PvrdmaPd *pd;
    uint64_t start;
    uint64_t length;
    uint32_t access;
    uint32_t lkey;             /* handle << 8 | generation */
    uint32_t max_pages;        /* of a fast-registration MR */
    PvrdmaExtents *extents;    /* NULL: none, or invalidated */
    void *be;
} PvrdmaMr;

typedef struct PvrdmaQueuePage {
    uint8_t *host;
    MemoryRegion *mr;          /* referenced */
    hwaddr mr_offset;
} PvrdmaQueuePage;

/* Memory of a queue: page 0 is the ring state, elements from page 1. */
typedef struct PvrdmaQueueMem {
    PvrdmaQueuePage *pages;
    uint32_t npages;
} PvrdmaQueueMem;

typedef struct PvrdmaCq PvrdmaCq;
typedef struct PvrdmaQp PvrdmaQp;
typedef struct PvrdmaSrq PvrdmaSrq;

struct PvrdmaCq {
    PvrdmaDev *dev;
    uint32_t handle;
    uint32_t refs;             /* work queues of QPs */
    PvrdmaUc *uc;
    PvrdmaQueueMem mem;
    uint32_t cqe;
    uint32_t tail;             /* ours, only published */
    uint32_t unpublished;      /* entries up to tail that it does not cover */
    uint32_t room;             /* entries that fit, as of the last look */
    void *be;
    uint64_t bytes;            /* taken from the budget */
    uint32_t host_entries;
    uint32_t credits;          /* host entries not promised to a WR */
    bool host_armed;
    bool armed;
    bool armed_solicited;
    bool notify;               /* one of the unpublished is waited for */
    bool notify_pending;       /* notification ring was full */
    bool starved;              /* a QP waits for credits */
    bool kicked;               /* on dev->kicked_cqs */
    bool error;
    QSIMPLEQ_ENTRY(PvrdmaCq) kick;
};

/* A WR given to the host: what its completion has to say to the guest. */
typedef struct PvrdmaWrCtx {
    uint64_t wr_id;
    void *ah;
    uint32_t opcode;           /* of the completion */
    bool signaled;
} PvrdmaWrCtx;

/* WQEs in guest memory: of a send, receive or shared receive queue */
typedef struct PvrdmaWqRing {
    PvrdmaQueueMem *mem;       /* of the object that the queue is in */
    uint32_t count;            /* elements, a power of two */
    uint32_t max_sge;
    uint32_t stride;
    uint32_t wqe_len;          /* bytes worth reading, <= stride */
    uint32_t first_page;
    uint32_t index_off;        /* of the producer index in page 0 */
    uint32_t cons;             /* ours, only published */
} PvrdmaWqRing;

typedef struct PvrdmaWq {
    PvrdmaCq *cq;
    PvrdmaWqRing ring;
    uint64_t bytes;            /* taken from the budget */
    PvrdmaWrCtx *ctx;          /* @count entries, a ring: oldest first */
    uint32_t ctx_head;
    uint32_t outstanding;
    bool waiting;              /* stopped for want of something */
    uint32_t failed_status;    /* of a WR that never reached the host, or 0 */
    PvrdmaWrCtx failed;        /* it completes when all before it have */
} PvrdmaWq;

struct PvrdmaQp {
    PvrdmaDev *dev;
    uint32_t handle;
    uint32_t qpn;
    uint32_t generation;       /* tells completions before a reset apart */
    uint8_t type;
    bool sq_sig_all;
    bool drain_notify;
    bool kicked;               /* on dev->kicked_qps */
    uint32_t state;
    PvrdmaPd *pd;
    PvrdmaQueueMem mem;
    PvrdmaWq sq;
    PvrdmaWq rq;               /* with an SRQ it has only its CQ */
    PvrdmaSrq *srq;
    PvrdmaQpAttr attr;         /* as set by the guest so far */
    void *be;                  /* NULL: a GSI QP that the backend can't carry */
    PvrdmaQpStats stats;
    QSIMPLEQ_ENTRY(PvrdmaQp) kick;
};

/*
 * Receives of an SRQ have no context: the backend keeps the guest's wr_id.
 * When @error is set, the ring is not looked at any more.
 */
struct PvrdmaSrq {
    PvrdmaDev *dev;
    uint32_t handle;
    uint32_t refs;             /* QPs */
    PvrdmaPd *pd;
    PvrdmaQueueMem mem;
    PvrdmaWqRing ring;
    uint64_t bytes;            /* taken from the budget */
    uint32_t posted;           /* with the backend */
    uint32_t limit;            /* 0: no event */
    bool error;
    void *be;
};

/* WRs on their way to the backend: those of one queue, with nothing else done
 * in between */
typedef struct PvrdmaBatch {
    uint32_t n;
    union {
        PvrdmaSendWr send[PVRDMA_BATCH];
        PvrdmaRecvWr recv[PVRDMA_BATCH];
    };
    PvrdmaSge sge[PVRDMA_BATCH][PVRDMA_MAX_SGE];
} PvrdmaBatch;

/* A ring that the device fills: async events, CQ notifications. */
typedef struct PvrdmaDevRing {
    PvrdmaQueueMem mem;
    uint32_t slots;
    uint32_t size;             /* bytes of an element */
    uint32_t tail;
} PvrdmaDevRing;

#define PVRDMA_EVENT_BACKLOG 256

/* What the administrator lets a guest have.  0: not given, until realize fills
 * in what is usual.  The last two are about backends that map its memory. */
typedef struct PvrdmaLimits {
    uint32_t max_qp;
    uint32_t max_cq;
    uint32_t max_mr;
    uint64_t max_mr_size;      /* bytes, as the rest */
    uint64_t max_queue_memory;
    uint64_t max_pinned;
    uint32_t max_mappings;
} PvrdmaLimits;

struct PvrdmaDevClass {
    PCIDeviceClass parent_class;
    DeviceRealize parent_dc_realize;
};

struct PvrdmaDev {
    PCIDevice parent_obj;

    /* properties */
    char *backend_dev;
    uint8_t backend_port;      /* 0: not given */
    int32_t backend_gid_idx;   /* -1: by function 0's MAC */
    IOThread *iothread;        /* or NULL: the main loop */
    PvrdmaLimits limits;

    MemoryRegion msix_bar;
    MemoryRegion regs_bar;
    MemoryRegion uar_bar;

    QemuMutex lock;
    bool has_lock;             /* else the BQL is the lock; see above */
    AioContext *ctx;           /* of the data path */
    PvrdmaState state;
    bool bus_master;
    uint32_t dsr_low;
    uint32_t dsr_high;
    uint32_t err;
    uint32_t icr;
    uint32_t imr;
    uint32_t irq_pending;
    uint32_t mac[2];           /* registers that no driver reads */

    /* copies of what the guest put into the DSR */
    uint32_t driver_version;
    dma_addr_t cmd_slot;
    dma_addr_t resp_slot;

    PvrdmaDevRing async_ring;
    PvrdmaDevRing cq_ring;
    PvrdmaWireEvent backlog[PVRDMA_EVENT_BACKLOG];
    uint32_t backlog_len;

    PvrdmaDevCaps caps;        /* host order */
    PvrdmaBackend *be;
    PvrdmaPortInfo port;       /* as of the last query or event */
    int lock_fd;               /* held while the backend is open */
    Error *migration_blocker;
    Notifier machine_done;
    bool pair_reported;
    bool notify_pending;       /* of some CQ */

    bool paired;
    unsigned host_gid_index;   /* of function 0's GID */
    uint8_t pair_gid[16];

    PvrdmaTable ucs;
    PvrdmaTable pds;
    PvrdmaTable mrs;
    PvrdmaTable cqs;
    PvrdmaTable qps;
    PvrdmaTable srqs;
    PvrdmaUc *uar_owner[PVRDMA_MAX_UAR];
    bool gid_bound[PVRDMA_GID_TABLE_LEN];
    PvrdmaQp *gsi;
    uint8_t mr_generation;
    uint32_t qp_generation;
    uint32_t extents;          /* of all MRs, as the next two */
    uint32_t mappings;
    uint64_t pinned;           /* bytes */
    uint32_t max_extents;
    uint64_t queue_bytes;      /* of all queues */
    PvrdmaStats stats;
    PvrdmaFault *fault;        /* NULL: none was ever asked for */

    QEMUBH *work_bh;
    QEMUBH *irq_bh;
    QEMUTimer *retry_timer;
    QSIMPLEQ_HEAD(, PvrdmaCq) kicked_cqs;
    QSIMPLEQ_HEAD(, PvrdmaQp) kicked_qps;
    PvrdmaBatch batch;
};

/* pvrdma_thread.c: the lock of all that follows, and the thread of the data
 * path; exit is safe without init, and before it the backend has to be gone */
bool pvrdma_thread_init(PvrdmaDev *dev, Error **errp);
void pvrdma_thread_exit(PvrdmaDev *dev);
void pvrdma_enter(PvrdmaDev *dev);
void pvrdma_leave(PvrdmaDev *dev);

/* pvrdma_caps.c: what the guest may use, from what the host can do */
bool pvrdma_caps_init(PvrdmaDev *dev, Error **errp);
void pvrdma_caps_to_wire(const PvrdmaDevCaps *caps, PvrdmaDevCaps *wire);

/* pvrdma_pair.c: function 0 and the host GID that belongs to its MAC */
bool pvrdma_pair(PvrdmaDev *dev, Error **errp);
PCIDevice *pvrdma_function0(PvrdmaDev *dev);

/* pvrdma_lock.c: one ibdevice port, one pvrdma device */
bool pvrdma_lock_port(PvrdmaDev *dev, Error **errp);
void pvrdma_unlock_port(PvrdmaDev *dev);

/* pvrdma_objects.c: tables and forced teardown */
void pvrdma_objects_init(PvrdmaDev *dev);
void pvrdma_objects_exit(PvrdmaDev *dev);
void pvrdma_objects_destroy(PvrdmaDev *dev);
void pvrdma_uc_reap(PvrdmaDev *dev, PvrdmaUc *uc);
bool pvrdma_uc_find(PvrdmaDev *dev, uint32_t handle, PvrdmaUc **ret);

/* pvrdma_queue.c: memory of queues.  False if any of it is not plain RAM. */
bool pvrdma_queue_mem_init(PvrdmaDev *dev, PvrdmaQueueMem *mem,
                           dma_addr_t pdir, uint32_t npages);
void pvrdma_queue_mem_clear(PvrdmaQueueMem *mem);
/* A ring index at @off of page 0 */
uint32_t pvrdma_queue_load32(const PvrdmaQueueMem *mem, uint32_t off);
void pvrdma_queue_store32(PvrdmaQueueMem *mem, uint32_t off, uint32_t value);
/* The element at byte @at of the ring that begins with @page; none crosses a
 * page.  The guest may change it at any time. */
const void *pvrdma_queue_at(const PvrdmaQueueMem *mem, uint32_t page,
                            uint32_t at);
void pvrdma_queue_write(PvrdmaQueueMem *mem, uint32_t page, uint32_t at,
                        const void *elem, uint32_t len);

/* pvrdma_cmd.c: runs the command in the slot; 0 or an errno for ERR */
uint32_t pvrdma_cmd_run(PvrdmaDev *dev);
bool pvrdma_cmd_exists(const char *name, const char **ret_name);

/* Command handlers: 0 or -errno.  _objects.c, _mr.c, _gid.c, _cq.c, ... */
typedef int PvrdmaCmdFn(PvrdmaDev *dev, const PvrdmaReq *req,
                        PvrdmaResp *resp);
PvrdmaCmdFn pvrdma_cmd_query_port, pvrdma_cmd_query_pkey,
            pvrdma_cmd_create_uc, pvrdma_cmd_destroy_uc,
            pvrdma_cmd_create_pd, pvrdma_cmd_destroy_pd,
            pvrdma_cmd_create_mr, pvrdma_cmd_destroy_mr,
            pvrdma_cmd_create_cq, pvrdma_cmd_destroy_cq,
            pvrdma_cmd_create_qp, pvrdma_cmd_modify_qp,
            pvrdma_cmd_query_qp, pvrdma_cmd_destroy_qp,
            pvrdma_cmd_create_srq, pvrdma_cmd_modify_srq,
            pvrdma_cmd_query_srq, pvrdma_cmd_destroy_srq,
            pvrdma_cmd_create_bind, pvrdma_cmd_destroy_bind;

/* pvrdma_budget.c */
bool pvrdma_budget_init(PvrdmaDev *dev, Error **errp);
/* Sets @errp with the property's @name and the range, if it is not in it. */
bool pvrdma_limit_check(PvrdmaDev *dev, const char *name, uint64_t value,
                        uint64_t least, uint64_t most, Error **errp);
/* False, and nothing taken: this MR would be too much. */
bool pvrdma_budget_take(PvrdmaDev *dev, const PvrdmaExtents *extents);
void pvrdma_budget_give(PvrdmaDev *dev, const PvrdmaExtents *extents);
/* The same for queues, and what they may cost: WRs, entries of a host CQ, and
 * the list of their pages in the guest */
bool pvrdma_budget_take_queue(PvrdmaDev *dev, uint64_t bytes);
void pvrdma_budget_give_queue(PvrdmaDev *dev, uint64_t bytes);
uint64_t pvrdma_budget_wrs(uint32_t count, uint32_t max_sge);
uint64_t pvrdma_budget_cqes(uint32_t count);
uint64_t pvrdma_budget_pages(uint32_t count);

/* pvrdma_fault.c; stop comes before the backend's close */
void pvrdma_fault_class_init(ObjectClass *klass);
void pvrdma_fault_free(PvrdmaDev *dev);
void pvrdma_fault_start(PvrdmaDev *dev);
void pvrdma_fault_stop(PvrdmaDev *dev);
/* 0, or the errno that the command is to fail with */
int pvrdma_fault_command(PvrdmaDev *dev, const char *name);
/* Whether the interrupt comes later, without the caller's doing */
bool pvrdma_fault_delays_irq(PvrdmaDev *dev);
void pvrdma_fault_qp_ready(PvrdmaQp *qp);

/* pvrdma_mr.c */
void pvrdma_mr_destroy(PvrdmaDev *dev, PvrdmaMr *mr);
/* The MR that covers an SGE of @pd with @access; NULL without one. */
PvrdmaMr *pvrdma_mr_for_sge(PvrdmaDev *dev, PvrdmaPd *pd, uint32_t lkey,
                            uint64_t addr, uint32_t length, uint32_t access);
bool pvrdma_mr_fast_reg(PvrdmaDev *dev, PvrdmaPd *pd,
                        const PvrdmaFastReg *reg);
bool pvrdma_mr_invalidate(PvrdmaDev *dev, PvrdmaPd *pd, uint32_t key);

/* pvrdma_mem.c: guest memory by key, for backends that resolve keys */
extern const PvrdmaMemOps pvrdma_mem_ops;

/* pvrdma_gid.c */
void pvrdma_gids_clear(PvrdmaDev *dev);
bool pvrdma_gid_is_bound(PvrdmaDev *dev, uint8_t index);

/* pvrdma_cq.c */
void pvrdma_cq_destroy(PvrdmaDev *dev, PvrdmaCq *cq);
void pvrdma_cq_doorbell(PvrdmaCq *cq, uint32_t value);
/* Adds an entry, which the guest sees after pvrdma_cq_publish(); sets the CQ in
 * error when there is no room. */
void pvrdma_cq_push(PvrdmaCq *cq, const PvrdmaWireCqe *cqe, bool solicited);
/* Ends a series of pushes. */
void pvrdma_cq_publish(PvrdmaCq *cq);
/* Moves up to @budget host completions to the guest. */
void pvrdma_cq_drain(PvrdmaCq *cq, uint32_t budget);
/* Drains soon, from the bottom half, with the host CQ armed. */
void pvrdma_cq_kick(PvrdmaCq *cq);
void pvrdma_cq_kicked(PvrdmaCq *cq);
/* To be called when credits came back. */
void pvrdma_cq_run_starved(PvrdmaCq *cq);
void pvrdma_cq_host_ready(void *opaque, void *cookie);
void pvrdma_cq_host_error(void *opaque, void *cookie);

/* pvrdma_qp.c */
void pvrdma_qp_destroy(PvrdmaDev *dev, PvrdmaQp *qp);
void pvrdma_qp_doorbell(PvrdmaQp *qp, uint32_t value);
/* Puts the QP into ERR (RC) or, for a failed UD send, SQE; no event. */
void pvrdma_qp_fail(PvrdmaQp *qp, bool send);
/* A broken ring: QP_FATAL to the guest, then ERR. */
void pvrdma_qp_fatal(PvrdmaQp *qp);
void pvrdma_qp_host_event(void *opaque, void *cookie, uint32_t event);
void pvrdma_qp_kick(PvrdmaQp *qp);
PvrdmaUc *pvrdma_qp_uc(const PvrdmaQp *qp);

/* pvrdma_qp_attr.c: takes what @mask names; false if a value is illegal */
bool pvrdma_qp_attr_merge(PvrdmaDev *dev, const PvrdmaWireQpAttr *wire,
                          uint32_t mask, PvrdmaQpAttr *attr);
void pvrdma_qp_attr_to_wire(const PvrdmaQpAttr *attr, PvrdmaWireQpAttr *wire);

/* pvrdma_wq.c: what send and receive queues have in common */

/* @mem need not be there before the first fetch. */
void pvrdma_wq_ring_init(PvrdmaWqRing *ring, PvrdmaQueueMem *mem,
                         uint32_t count, uint32_t max_sge, uint32_t header);
uint32_t pvrdma_wq_ring_pages(const PvrdmaWqRing *ring);
/* Elements that the guest has in the ring; false: its index is nonsense. */
bool pvrdma_wq_avail(const PvrdmaWqRing *ring, uint32_t *ret);
/* Copies the first @len bytes of the @i-th of them. */
void pvrdma_wq_read(const PvrdmaWqRing *ring, uint32_t i, void *wqe,
                    uint32_t len);
void pvrdma_wq_consume(PvrdmaWqRing *ring, uint32_t n);
/* For the statistics: @n WQEs of @wq were consumed. */
void pvrdma_wq_count(PvrdmaQp *qp, const PvrdmaWq *wq, uint32_t n);

/* The ring of @wq is set up; it has @npages of its object's memory. */
bool pvrdma_wq_init(PvrdmaWq *wq, PvrdmaCq *cq, uint32_t npages);
void pvrdma_wq_clear(PvrdmaDev *dev, PvrdmaWq *wq);
/* Forgets outstanding WRs and starts over at index 0. */
void pvrdma_wq_reset(PvrdmaDev *dev, PvrdmaWq *wq);
/* Takes a context for a WR about to be posted, or NULL when it has to wait */
bool pvrdma_wq_may_post(PvrdmaWq *wq, uint32_t credits_kept);
PvrdmaWrCtx *pvrdma_wq_begin(PvrdmaQp *qp, PvrdmaWq *wq, uint64_t *ret_id);
/* Takes the context of the latest begin back. */
void pvrdma_wq_cancel(PvrdmaDev *dev, PvrdmaWq *wq, PvrdmaWrCtx *ret);
/* The completion of a WR that did not reach the host, once it is its turn. */
void pvrdma_wq_set_failed(PvrdmaWq *wq, const PvrdmaWrCtx *ctx,
                          uint32_t status);
bool pvrdma_wq_flush_failed(PvrdmaQp *qp, PvrdmaWq *wq, bool *ret_failed);
/* Completes elements of the guest's ring with WR_FLUSH_ERR; false: more. */
bool pvrdma_wq_flush(PvrdmaQp *qp, PvrdmaWq *wq, uint32_t budget);
/* Translates SGEs; 0 or a PVRDMA_WC_* status. */
uint32_t pvrdma_wq_sges(PvrdmaDev *dev, PvrdmaPd *pd, const PvrdmaWireSge *wire,
                        uint32_t num_sge, uint32_t access, PvrdmaSge *ret,
                        uint32_t *ret_num, uint64_t *ret_len);
void pvrdma_wq_complete(PvrdmaDev *dev, PvrdmaCq *cq, const PvrdmaWc *wc);

/* pvrdma_sq.c, pvrdma_rq.c: work until the ring is empty or it has to wait */
void pvrdma_sq_run(PvrdmaQp *qp);
void pvrdma_rq_run(PvrdmaQp *qp);

/* pvrdma_srq.c */
void pvrdma_srq_destroy(PvrdmaDev *dev, PvrdmaSrq *srq);
void pvrdma_srq_doorbell(PvrdmaSrq *srq, uint32_t value);
void pvrdma_srq_host_taken(void *opaque, void *cookie, uint32_t n);

/* pvrdma_event.c: device rings and interrupts */
bool pvrdma_dev_ring_init(PvrdmaDev *dev, PvrdmaDevRing *ring,
                          const PvrdmaRingPages *pages, uint32_t size);
void pvrdma_dev_ring_clear(PvrdmaDevRing *ring);
void pvrdma_event(PvrdmaDev *dev, uint32_t type, uint32_t info);
void pvrdma_events_flush(PvrdmaDev *dev);
void pvrdma_events_remind(PvrdmaDev *dev);
void pvrdma_notify_cq(PvrdmaCq *cq);
void pvrdma_irq_raise(PvrdmaDev *dev, unsigned vector);
void pvrdma_irq_bh(void *opaque);
void pvrdma_irq_set_mask(PvrdmaDev *dev, uint32_t mask);

/* pvrdma_life.c: the state machine behind the registers */
/* After operations of the backend, with nothing in hand and no lock held. */
void pvrdma_progress(PvrdmaDev *dev);
void pvrdma_reset(PvrdmaDev *dev);
void pvrdma_dsr_written(PvrdmaDev *dev);
uint32_t pvrdma_ctl(PvrdmaDev *dev, uint32_t value);
bool pvrdma_life_init(PvrdmaDev *dev, Error **errp);
void pvrdma_life_exit(PvrdmaDev *dev);

#endif
