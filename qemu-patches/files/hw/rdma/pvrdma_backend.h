/*
 * pvrdma: the backend, one table of operations
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The objects layer above decides everything that a guest can see (status
 * codes, events, order of flushes, limits).  A backend only moves data: it
 * knows host objects, never guest layouts.
 *
 * Threads: all operations and all callbacks run under the BQL.
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
    uint8_t type;              /* PVRDMA_QPT_RC or PVRDMA_QPT_UD */
    uint32_t max_send_wr;
    uint32_t max_recv_wr;
    uint32_t max_send_sge;
    uint32_t max_recv_sge;
    void *pd;                  /* backend objects */
    void *send_cq;
    void *recv_cq;
} PvrdmaQpInit;

typedef struct PvrdmaSge {
    uint64_t addr;             /* guest virtual address = iova of the MR */
    uint32_t length;           /* never 0 */
    void *mr;                  /* backend MR; bounds and access are checked */
} PvrdmaSge;

typedef struct PvrdmaSendWr {
    uint64_t wr_id;            /* opaque, comes back in the completion */
    uint32_t opcode;           /* PVRDMA_WR_*, one of 0..6 */
    bool fence;
    bool solicited;
    uint32_t imm;              /* big endian, as in guest memory */
    uint32_t rkey;
    uint64_t remote_addr;
    uint64_t compare_add;
    uint64_t swap;
    void *ah;                  /* UD: from ah_get() */
    uint32_t remote_qpn;       /* UD */
    uint32_t remote_qkey;      /* UD, resolved */
    uint32_t num_sge;
    PvrdmaSge sge[PVRDMA_MAX_SGE];
} PvrdmaSendWr;

typedef struct PvrdmaRecvWr {
    uint64_t wr_id;
    uint32_t num_sge;
    PvrdmaSge sge[PVRDMA_MAX_SGE];
} PvrdmaRecvWr;

typedef struct PvrdmaWc {
    uint64_t wr_id;
    uint32_t status;           /* PVRDMA_WC_* */
    uint32_t vendor_err;
    /* the rest only with status SUCCESS */
    uint32_t opcode;           /* receives: PVRDMA_WC_RECV, .._WITH_IMM */
    uint32_t byte_len;
    uint32_t imm;              /* big endian */
    uint32_t src_qp;
    bool has_imm;
    bool has_grh;
} PvrdmaWc;

/* What a backend tells the objects layer.  The cookie is the one given at
 * creation; no callback comes for an object after its destroy operation was
 * entered, and none from inside an operation (they come from fd handlers). */
typedef struct PvrdmaBackendEvents {
    void (*cq_ready)(void *opaque, void *cq_cookie); /* an armed CQ fired */
    void (*cq_error)(void *opaque, void *cq_cookie); /* overrun */
    /* event: PVRDMA_EVENT_QP_* / COMM_EST / SQ_DRAINED ... */
    void (*qp_event)(void *opaque, void *qp_cookie, uint32_t event);
    /* event: PVRDMA_EVENT_PORT_ACTIVE, _PORT_ERR, _GID_CHANGE ... */
    void (*port_event)(void *opaque, uint32_t event);
    void (*fatal)(void *opaque);                     /* device is gone */
} PvrdmaBackendEvents;

typedef struct PvrdmaBackendOps {
    const char *name;
    bool has_gsi;              /* can carry QP1 */
    bool needs_shared_ram;     /* maps guest RAM by its fd */

    void (*close)(PvrdmaBackend *be); /* all objects are gone before */

    int (*query_port)(PvrdmaBackend *be, PvrdmaPortInfo *ret);

    /*
     * Host GID table (the configured port).  gid_find: index of the entry
     * equal to @gid, RoCE v2 preferred, -ENOENT without one.  gid_at: the
     * entry at @index, -ENOENT if empty or out of range.
     */
    int (*gid_find)(PvrdmaBackend *be, const uint8_t gid[16]);
    int (*gid_at)(PvrdmaBackend *be, unsigned index, uint8_t ret_gid[16]);

    /* Guest GID table: slot @index means @gid from now on; @host_index is
     * from gid_find or the configured one.  Unbinding an unbound slot is
     * fine; an av with an unbound sgid_index fails with -EINVAL. */
    int (*gid_bind)(PvrdmaBackend *be, unsigned index, unsigned host_index,
                    const uint8_t gid[16]);
    void (*gid_unbind)(PvrdmaBackend *be, unsigned index);

    int (*pd_create)(PvrdmaBackend *be, void **ret_pd);
    void (*pd_destroy)(PvrdmaBackend *be, void *pd);

    /* MR over @extents, addressed by [iova, iova + length); @access are
     * verbs flags 0..3.  *ret_rkey is what peers use on the wire. */
    int (*mr_create)(PvrdmaBackend *be, void *pd, const PvrdmaExtents *extents,
                     uint64_t iova, uint64_t length, uint32_t access,
                     void **ret_mr, uint32_t *ret_rkey);
    void (*mr_destroy)(PvrdmaBackend *be, void *mr);

    /* @entries is what the host queue can hold at least; the objects layer
     * never lets more completions be outstanding. */
    int (*cq_create)(PvrdmaBackend *be, uint32_t entries, void *cookie,
                     void **ret_cq);
    void (*cq_destroy)(PvrdmaBackend *be, void *cq);
    /* up to @n completions, without blocking; number, or -errno */
    int (*cq_poll)(PvrdmaBackend *be, void *cq, PvrdmaWc *wc, int n);
    /* one cq_ready for the next (solicited or error) completion */
    int (*cq_arm)(PvrdmaBackend *be, void *cq, bool solicited_only);

    int (*qp_create)(PvrdmaBackend *be, const PvrdmaQpInit *init, void *cookie,
                     void **ret_qp, uint32_t *ret_qpn);
    int (*qp_modify)(PvrdmaBackend *be, void *qp, const PvrdmaQpAttr *attr,
                     uint32_t mask);
    int (*qp_query)(PvrdmaBackend *be, void *qp, PvrdmaQpAttr *ret);
    void (*qp_destroy)(PvrdmaBackend *be, void *qp);

    /* Every WR posted is answered by exactly one completion, in order per
     * queue, also in state ERR, unless the QP is reset or destroyed. */
    int (*post_send)(PvrdmaBackend *be, void *qp, const PvrdmaSendWr *wr);
    int (*post_recv)(PvrdmaBackend *be, void *qp, const PvrdmaRecvWr *wr);

    /* Address handles, cached by everything in @av and the PD; a handle got
     * stays valid until put.  -EAGAIN: too many in use, try later. */
    int (*ah_get)(PvrdmaBackend *be, void *pd, const PvrdmaAv *av,
                  void **ret_ah);
    void (*ah_put)(PvrdmaBackend *be, void *ah);
} PvrdmaBackendOps;

struct PvrdmaBackend {
    const PvrdmaBackendOps *ops;
    const PvrdmaBackendEvents *events;
    void *opaque;              /* for events */
    PvrdmaHostCaps caps;
    char *host_name;           /* ibdevice name, for messages */
    unsigned port;
};

/*
 * Opens the ibdevice @dev: its name (rxe0, mlx5_4), or the path of its uverbs
 * node, symlinks followed.  NULL and @errp set when it does not exist, cannot
 * be opened, has no such port or no Ethernet link layer.
 */
PvrdmaBackend *pvrdma_verbs_open(const char *dev, unsigned port,
                                 const PvrdmaBackendEvents *events,
                                 void *opaque, Error **errp);

#endif
