/*
 * pvrdma: the backend, one table of operations
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The objects layer above decides everything that a guest can see (status
 * codes, events, order of flushes, limits).  A backend only moves data: it
 * knows host objects, never guest layouts.
 *
 * Threads: operations come, and callbacks expect to come, between the enter
 * and leave of PvrdmaBackendEvents, which a backend calls in its own handlers.
 * Under the BQL, too, come all operations but polling, arming and posting,
 * address handles, and qp_modify and qp_query.
 * Failures: operations return 0 or a negative errno and leave nothing behind;
 * destroy operations cannot fail.  Functions that talk to the user (open) set
 * an Error that also says what to do (in the message: QMP carries no hints).
 * Values are in host byte order, except GIDs, MACs and immediates, which are
 * byte strings in network order.  Enumerations are those of the verbs
 * specification (QP states, MTUs 1..5, access flags, wc statuses), which
 * PVRDMA shares.
 */
#ifndef HW_RDMA_PVRDMA_BACKEND_H
#define HW_RDMA_PVRDMA_BACKEND_H

#include "qapi/error.h"
#include "pvrdma_abi.h"

#define PVRDMA_MAX_SGE 32
#define PVRDMA_BATCH 32u       /* WRs posted at once, at most */

typedef struct PvrdmaBackend PvrdmaBackend;
typedef struct PvrdmaExtents PvrdmaExtents; /* pvrdma_dma.h */

/* What the host device can do; the device clamps and rounds it (caps). */
typedef struct PvrdmaHostCaps {
    uint64_t fw_ver;
    uint64_t max_mr_size;
    uint32_t hw_ver;
    uint32_t device_cap_flags;
    uint32_t max_qp;
    uint32_t max_qp_wr;
    uint32_t max_sge;
    uint32_t max_sge_rd;
    uint32_t max_cq;
    uint32_t max_cqe;
    uint32_t max_mr;
    uint32_t max_pd;
    uint32_t max_ah;
    uint32_t max_qp_rd_atom;
    uint32_t max_qp_init_rd_atom;
    uint32_t max_srq;          /* 0: none, and no srq operations */
    uint32_t max_srq_wr;
    uint32_t max_srq_sge;
    uint32_t max_fast_reg_pages; /* 0: no fast registration */
    uint32_t max_extents;      /* of all MRs together; resolves_keys only */
    uint8_t atomic_ops;        /* bit 0 CAS, bit 1 FAA */
    uint8_t local_ca_ack_delay;
} PvrdmaHostCaps;

typedef struct PvrdmaPortInfo {
    uint32_t state;            /* 1 DOWN .. 4 ACTIVE */
    uint32_t phys_state;
    uint32_t max_mtu;
    uint32_t active_mtu;
    uint32_t max_msg_sz;
    uint32_t gid_tbl_len;      /* of the host; the guest's is the caps' */
    uint8_t active_width;
    uint8_t active_speed;
} PvrdmaPortInfo;

/* Address of a peer: of an RC QP, or of one UD send. */
typedef struct PvrdmaAv {
    uint8_t dgid[16];
    uint8_t dmac[6];
    uint8_t sgid_index;        /* slot in the guest's GID table, bound */
    uint8_t hop_limit;
    uint8_t traffic_class;
    uint8_t sl;
    uint8_t static_rate;
    uint32_t flow_label;
} PvrdmaAv;

/* Attributes of a QP; only those whose bit is set in the mask are valid.
 * Mask bits: PVRDMA_QP_ATTR_* (equal to the verbs ones). */
typedef struct PvrdmaQpAttr {
    uint32_t qp_state;
    uint32_t cur_qp_state;
    uint32_t path_mtu;
    uint32_t qkey;
    uint32_t rq_psn;
    uint32_t sq_psn;
    uint32_t dest_qpn;
    uint32_t access_flags;
    uint16_t pkey_index;
    uint8_t en_sqd_async_notify;
    uint8_t sq_draining;
    uint8_t max_rd_atomic;
    uint8_t max_dest_rd_atomic;
    uint8_t min_rnr_timer;
    uint8_t timeout;
    uint8_t retry_cnt;
    uint8_t rnr_retry;
    PvrdmaAv av;
} PvrdmaQpAttr;

typedef struct PvrdmaQpInit {
    uint8_t type;              /* PVRDMA_QPT_RC, _UD; _GSI if it can */
    uint32_t max_send_wr;
    uint32_t max_recv_wr;      /* 0 with an SRQ */
    uint32_t max_send_sge;
    uint32_t max_recv_sge;
    void *pd;                  /* backend objects */
    void *send_cq;
    void *recv_cq;
    void *srq;                 /* or NULL */
    uint64_t tag;              /* comes back in completions from the SRQ */
} PvrdmaQpInit;

typedef struct PvrdmaSge {
    uint64_t addr;             /* guest virtual address = iova of the MR */
    uint32_t length;           /* never 0 */
    union {
        void *mr;              /* backend MR; bounds and access are checked */
        uint32_t key;          /* resolves_keys: the guest's, unchecked */
    };
} PvrdmaSge;

/* A fast registration: the MR of @key gets these pages, and this key. */
typedef struct PvrdmaFastReg {
    uint64_t iova;
    uint64_t length;
    uint64_t pdir;             /* for PvrdmaMemOps.fast_reg */
    uint32_t num_pages;
    uint32_t access;
    uint32_t key;
} PvrdmaFastReg;

typedef struct PvrdmaSendWr {
    uint64_t wr_id;            /* opaque, comes back in the completion */
    uint32_t opcode;           /* PVRDMA_WR_*, one of 0..6; and of 8, 10,
                                * 11 with max_fast_reg_pages */
    bool fence;
    bool solicited;
    bool signaled;             /* the guest waits for its completion */
    uint32_t imm;              /* big endian, as in guest memory */
    uint32_t rkey;
    uint64_t remote_addr;
    uint64_t compare_add;
    uint64_t swap;
    uint32_t invalidate_key;   /* SEND_WITH_INV, LOCAL_INV */
    PvrdmaFastReg fast_reg;
    void *ah;                  /* UD: from ah_get() */
    PvrdmaAv av;               /* UD: without ah_get() */
    uint32_t remote_qpn;       /* UD */
    uint32_t remote_qkey;      /* UD, resolved */
    uint32_t num_sge;          /* PVRDMA_MAX_SGE at most */
    PvrdmaSge *sge;
} PvrdmaSendWr;

typedef struct PvrdmaRecvWr {
    uint64_t wr_id;
    uint32_t num_sge;
    PvrdmaSge *sge;
} PvrdmaRecvWr;

typedef struct PvrdmaWc {
    uint64_t wr_id;
    uint64_t qp_tag;           /* only with from_srq */
    uint32_t status;           /* PVRDMA_WC_* */
    uint32_t vendor_err;
    bool from_srq;             /* wr_id is that of an srq_post() */
    bool solicited;            /* a receive that may count as such */
    /* the rest only with status SUCCESS */
    uint32_t opcode;           /* receives: PVRDMA_WC_RECV, .._WITH_IMM */
    uint32_t byte_len;
    uint32_t imm;              /* big endian */
    uint32_t invalidated_key;
    uint32_t src_qp;
    bool has_imm;
    bool has_inv;
    bool has_grh;
    uint8_t network;           /* PVRDMA_NETWORK_*, 0: the host doesn't say */
} PvrdmaWc;

/* What a backend tells the objects layer.  The cookie is the one given at
 * creation; no callback comes for an object after its destroy operation was
 * entered, and none from inside an operation (they come from fd handlers). */
typedef struct PvrdmaBackendEvents {
    void (*enter)(void *opaque);
    void (*leave)(void *opaque);
    void (*cq_ready)(void *opaque, void *cq_cookie); /* an armed CQ fired */
    void (*cq_error)(void *opaque, void *cq_cookie); /* overrun */
    /* event: PVRDMA_EVENT_QP_* / COMM_EST / SQ_DRAINED ... */
    void (*qp_event)(void *opaque, void *qp_cookie, uint32_t event);
    /* QPs have taken @n more receives from an SRQ */
    void (*srq_taken)(void *opaque, void *srq_cookie, uint32_t n);
    /* event: PVRDMA_EVENT_PORT_ACTIVE, _PORT_ERR, _GID_CHANGE ... */
    void (*port_event)(void *opaque, uint32_t event);
    void (*fatal)(void *opaque);                     /* device is gone */
} PvrdmaBackendEvents;

/*
 * What the objects layer offers a backend that resolves keys: access to guest
 * memory by (PD, key, virtual address).  @pd is the cookie of its creation,
 * @access PVRDMA_ACCESS_*, 0 for local reads.  An access is done as a whole or
 * refused (false), and then nothing moved.  May be called at any time, also
 * from inside operations.
 */
typedef struct PvrdmaMemOps {
    bool (*check)(void *opaque, void *pd, uint32_t key, uint64_t va,
                  uint64_t len, uint32_t access);
    bool (*read)(void *opaque, void *pd, uint32_t key, uint64_t va, void *buf,
                 uint32_t len, uint32_t access);
    bool (*write)(void *opaque, void *pd, uint32_t key, uint64_t va,
                  const void *buf, uint32_t len, uint32_t access);
    /* of eight aligned bytes; *ret is what was there before */
    bool (*atomic)(void *opaque, void *pd, uint32_t key, uint64_t va,
                   bool is_add, uint64_t compare_add, uint64_t swap,
                   uint64_t *ret);
    bool (*fast_reg)(void *opaque, void *pd, const PvrdmaFastReg *reg);
    bool (*invalidate)(void *opaque, void *pd, uint32_t key);
} PvrdmaMemOps;

typedef struct PvrdmaBackendOps {
    const char *name;
    bool has_gsi;              /* can carry QP1 */
    bool needs_shared_ram;     /* maps guest RAM by its fd */
    /* keys, remote ones too, are the guest's; no mr operations */
    bool resolves_keys;
    bool cq_grows;             /* a CQ takes any number of completions */

    void (*close)(PvrdmaBackend *be); /* all objects are gone before */

    /* Packets go through the NIC @fn0 from now on; may be called again, with
     * the same or another one.  NULL: they do not. */
    bool (*attach)(PvrdmaBackend *be, PCIDevice *fn0, Error **errp);

    /*
     * Does what operations have left to do, and tells what came of it.  To be
     * called after operations, with nothing in hand: anything may be gone
     * afterwards, the device included.  NULL: operations leave nothing.
     */
    void (*progress)(PvrdmaBackend *be);

    /* Statistic number @i; false: there are no more.  Or NULL. */
    bool (*stat)(PvrdmaBackend *be, unsigned i, const char **ret_name,
                 uint64_t *ret);

    int (*query_port)(PvrdmaBackend *be, PvrdmaPortInfo *ret);

    /*
     * Host GID table (the configured port); NULL without one: the guest may
     * have any GID.  gid_find: index of the entry
     * equal to @gid, RoCE v2 preferred, -ENOENT without one.  gid_at: the
     * entry at @index, -ENOENT if empty or out of range.
     */
    int (*gid_find)(PvrdmaBackend *be, const uint8_t gid[16]);
    int (*gid_at)(PvrdmaBackend *be, unsigned index, uint8_t ret_gid[16]);

    /* Guest GID table: slot @index, bound or not, means @gid from now on, or
     * after a failure what it meant before; @host_index is
     * from gid_find or the configured one.  Unbinding an unbound slot is
     * fine; an av with an unbound sgid_index fails with -EINVAL. */
    int (*gid_bind)(PvrdmaBackend *be, unsigned index, unsigned host_index,
                    const uint8_t gid[16]);
    void (*gid_unbind)(PvrdmaBackend *be, unsigned index);

    int (*pd_create)(PvrdmaBackend *be, void *cookie, void **ret_pd);
    void (*pd_destroy)(PvrdmaBackend *be, void *pd);

    /* MR over @extents, addressed by [iova, iova + length); @access are
     * verbs flags 0..3.  *ret_rkey is what peers use on the wire. */
    int (*mr_create)(PvrdmaBackend *be, void *pd, const PvrdmaExtents *extents,
                     uint64_t iova, uint64_t length, uint32_t access,
                     void **ret_mr, uint32_t *ret_rkey);
    void (*mr_destroy)(PvrdmaBackend *be, void *mr);

    /* @entries is what the host queue can hold at least; the objects layer
     * never lets more completions be outstanding (unless cq_grows). */
    int (*cq_create)(PvrdmaBackend *be, uint32_t entries, void *cookie,
                     void **ret_cq);
    void (*cq_destroy)(PvrdmaBackend *be, void *cq);
    /* up to @n completions, without blocking; number, or -errno */
    int (*cq_poll)(PvrdmaBackend *be, void *cq, PvrdmaWc *wc, int n);
    /* one cq_ready for the next (solicited or error) completion; a backend
     * may call it without having been asked, too */
    int (*cq_arm)(PvrdmaBackend *be, void *cq, bool solicited_only);

    int (*qp_create)(PvrdmaBackend *be, const PvrdmaQpInit *init, void *cookie,
                     void **ret_qp, uint32_t *ret_qpn);
    int (*qp_modify)(PvrdmaBackend *be, void *qp, const PvrdmaQpAttr *attr,
                     uint32_t mask);
    int (*qp_query)(PvrdmaBackend *be, void *qp, PvrdmaQpAttr *ret);
    void (*qp_destroy)(PvrdmaBackend *be, void *qp);

    /*
     * Up to PVRDMA_BATCH WRs.  The number of those taken, from the first; the
     * one after these was refused.  Every WR taken is answered by exactly one
     * completion, in order per queue, also in state ERR, unless the QP is reset
     * or destroyed.  Only a send that is not signaled and succeeds may be
     * answered by that of a later one.  The backend makes more of them
     * signaled, and says so in @wr: the last one at least, of those that it
     * hands on.
     */
    unsigned (*post_send)(PvrdmaBackend *be, void *qp, PvrdmaSendWr *wr,
                          unsigned n);
    unsigned (*post_recv)(PvrdmaBackend *be, void *qp, const PvrdmaRecvWr *wr,
                          unsigned n);

    /* Receives for several QPs; each comes back as the completion of one */
    int (*srq_create)(PvrdmaBackend *be, void *pd, uint32_t max_wr,
                      uint32_t max_sge, void *cookie, void **ret_srq);
    void (*srq_destroy)(PvrdmaBackend *be, void *srq);
    int (*srq_post)(PvrdmaBackend *be, void *srq, const PvrdmaRecvWr *wr);

    /* NULL: av is passed by value.  Address handles, cached by everything in
     * @av and the PD; a handle got stays valid until put.  -EAGAIN: too many
     * in use, try later. */
    int (*ah_get)(PvrdmaBackend *be, void *pd, const PvrdmaAv *av,
                  void **ret_ah);
    void (*ah_put)(PvrdmaBackend *be, void *ah);
} PvrdmaBackendOps;

struct PvrdmaBackend {
    const PvrdmaBackendOps *ops;
    const PvrdmaBackendEvents *events;
    const PvrdmaMemOps *mem;
    void *opaque;              /* for events and mem */
    PvrdmaHostCaps caps;
    char *host_name;           /* of the ibdevice, for messages */
    unsigned port;
};

/*
 * Opens the ibdevice @dev: its name (rxe0, mlx5_4), or the path of its uverbs
 * node, symlinks followed.  Its completions are handled in @ctx, which the
 * caller keeps, as it keeps @opaque for what of them has begun when the backend
 * is closed; NULL is the main loop.  NULL and @errp set when it does not exist,
 * cannot be opened, has no such port or no Ethernet link layer.
 */
PvrdmaBackend *pvrdma_verbs_open(const char *dev, unsigned port,
                                 AioContext *ctx,
                                 const PvrdmaBackendEvents *events,
                                 void *opaque, Error **errp);

/* RoCE v2 in software, for the device @owner, which keys its memory. */
PvrdmaBackend *pvrdma_soft_open(DeviceState *owner,
                                const PvrdmaBackendEvents *events,
                                const PvrdmaMemOps *mem, void *opaque,
                                Error **errp);

#endif
