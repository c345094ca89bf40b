/*
 * RoCE v2 in software: the engine
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reliable connections and datagrams as the InfiniBand Architecture
 * Specification, volume 1, chapters 9 and 10, and annex A17 (RoCE v2) say.
 * Plain C: it knows neither QEMU nor guests.  Its owner gives it frames, work
 * requests and the time, and offers memory, a wire and a place for
 * completions (RoceOps).
 *
 * One thread at a time.  No function blocks.  The engine calls RoceOps from
 * inside most functions; these must not call back into the engine.  A QP's
 * state is plain data: the only pointers in it are its rings and the owner's.
 *
 * Values are in host byte order, except GIDs, MACs and immediates, which are
 * byte strings in network order.  Enumerations and flags have the numbers of
 * the verbs, which PVRDMA shares.  Times are nanoseconds of any monotonic
 * clock.
 */
#ifndef HW_RDMA_ROCE_H
#define HW_RDMA_ROCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROCE_MAX_SGE 32
#define ROCE_GIDS 256
#define ROCE_MAX_RD_ATOMIC 16      /* each way */
#define ROCE_MAX_MSG (1u << 31)
#define ROCE_GSI_QKEY 0x80010000u

typedef struct RoceEngine RoceEngine;
typedef struct RoceQp RoceQp;
typedef struct RoceSrq RoceSrq;

enum {
    ROCE_QPT_GSI = 1,
    ROCE_QPT_RC = 2,
    ROCE_QPT_UD = 4,
};

enum {
    ROCE_QPS_RESET,
    ROCE_QPS_INIT,
    ROCE_QPS_RTR,
    ROCE_QPS_RTS,
    ROCE_QPS_SQD,
    ROCE_QPS_SQE,                  /* UD and GSI only */
    ROCE_QPS_ERR,
};

enum {
    ROCE_WR_RDMA_WRITE = 0,
    ROCE_WR_RDMA_WRITE_WITH_IMM = 1,
    ROCE_WR_SEND = 2,
    ROCE_WR_SEND_WITH_IMM = 3,
    ROCE_WR_RDMA_READ = 4,
    ROCE_WR_ATOMIC_CMP_AND_SWP = 5,
    ROCE_WR_ATOMIC_FETCH_AND_ADD = 6,
    ROCE_WR_SEND_WITH_INV = 8,
    ROCE_WR_LOCAL_INV = 10,
    ROCE_WR_FAST_REG_MR = 11,
};

enum {
    ROCE_WC_SUCCESS = 0,
    ROCE_WC_LOC_LEN_ERR = 1,
    ROCE_WC_LOC_QP_OP_ERR = 2,
    ROCE_WC_LOC_PROT_ERR = 4,
    ROCE_WC_WR_FLUSH_ERR = 5,
    ROCE_WC_MW_BIND_ERR = 6,       /* LOCAL_INV, FAST_REG_MR: no such MR */
    ROCE_WC_BAD_RESP_ERR = 7,
    ROCE_WC_LOC_ACCESS_ERR = 8,
    ROCE_WC_REM_INV_REQ_ERR = 9,
    ROCE_WC_REM_ACCESS_ERR = 10,
    ROCE_WC_REM_OP_ERR = 11,
    ROCE_WC_RETRY_EXC_ERR = 12,
    ROCE_WC_RNR_RETRY_EXC_ERR = 13,
};

enum {                             /* RoceWc.opcode: 0..8 of sends */
    ROCE_WC_SEND = 0,
    ROCE_WC_RDMA_WRITE = 1,
    ROCE_WC_RDMA_READ = 2,
    ROCE_WC_COMP_SWAP = 3,
    ROCE_WC_FETCH_ADD = 4,
    ROCE_WC_LOCAL_INV = 7,
    ROCE_WC_FAST_REG_MR = 8,
    ROCE_WC_RECV = 128,
    ROCE_WC_RECV_RDMA_WITH_IMM = 129,
};

enum {                             /* MRs and QPs */
    ROCE_ACCESS_LOCAL_WRITE = 1,
    ROCE_ACCESS_REMOTE_WRITE = 2,
    ROCE_ACCESS_REMOTE_READ = 4,
    ROCE_ACCESS_REMOTE_ATOMIC = 8,
};

enum {
    ROCE_EVENT_QP_FATAL = 1,
    ROCE_EVENT_QP_REQ_ERR = 2,
    ROCE_EVENT_QP_ACCESS_ERR = 3,
    ROCE_EVENT_COMM_EST = 4,
    ROCE_EVENT_QP_LAST_WQE = 16,
};

typedef struct RoceSge {
    uint64_t addr;
    uint32_t length;
    uint32_t key;
} RoceSge;

/* Where a peer is: of an RC QP, or of one UD send. */
typedef struct RoceAv {
    uint8_t dgid[16];
    uint8_t dmac[6];
    uint8_t sgid_index;
    uint8_t hop_limit;             /* 0 means 64 */
    uint8_t traffic_class;
    uint32_t flow_label;
} RoceAv;

typedef struct RoceSendWr {
    uint64_t wr_id;
    uint32_t opcode;               /* ROCE_WR_* */
    uint32_t imm;                  /* as on the wire */
    bool fence;
    bool solicited;
    uint8_t num_sge;
    union {
        struct {                   /* RDMA and atomics */
            uint64_t remote_addr;
            uint64_t compare_add;
            uint64_t swap;
            uint32_t rkey;
        } rdma;
        struct {                   /* UD and GSI */
            uint32_t qpn;
            uint32_t qkey;
            RoceAv av;
        } ud;
        uint32_t invalidate_key;   /* SEND_WITH_INV, LOCAL_INV */
        struct {                   /* handed to RoceOps.fast_reg as it is */
            uint64_t iova;
            uint64_t length;
            uint64_t pages;        /* the owner's */
            uint32_t num_pages;
            uint32_t access;
            uint32_t key;
        } fast_reg;
    } u;
    RoceSge sge[ROCE_MAX_SGE];
} RoceSendWr;

typedef struct RoceRecvWr {
    uint64_t wr_id;
    uint8_t num_sge;
    RoceSge sge[ROCE_MAX_SGE];
} RoceRecvWr;

typedef struct RoceWc {
    uint64_t wr_id;
    uint64_t qp_tag;
    uint32_t status;               /* ROCE_WC_* */
    uint32_t opcode;
    uint32_t byte_len;             /* UD receives: with the 40 bytes of GRH */
    uint32_t imm;                  /* as on the wire; only with has_imm */
    uint32_t invalidated_key;      /* only with has_inv */
    uint32_t src_qp;               /* UD and GSI receives */
    bool receive;
    bool from_srq;                 /* wr_id is that of a roce_srq_post() */
    bool has_imm;
    bool has_inv;
    bool has_grh;
    bool ipv4;                     /* what is in the GRH's place */
    bool solicited;
} RoceWc;

/*
 * What the owner offers.  Memory is addressed by (pd, key, virtual address);
 * an access is either done as a whole or refused, and then nothing moved.
 */
typedef struct RoceOps {
    /* Whether [va, va + len) of @key is of @pd and allows all of @access
     * (ROCE_ACCESS_*; 0 means local read). */
    bool (*mem_check)(void *opaque, void *pd, uint32_t key, uint64_t va,
                      uint64_t len, uint32_t access);
    bool (*mem_read)(void *opaque, void *pd, uint32_t key, uint64_t va,
                     void *buf, uint32_t len, uint32_t access);
    bool (*mem_write)(void *opaque, void *pd, uint32_t key, uint64_t va,
                      const void *buf, uint32_t len, uint32_t access);
    /* The eight aligned bytes at @va, in the byte order of this machine:
     * compare and swap, or fetch and add; *ret is what was there before. */
    bool (*mem_atomic)(void *opaque, void *pd, uint32_t key, uint64_t va,
                       bool is_add, uint64_t compare_add, uint64_t swap,
                       uint64_t *ret);
    /* Fast registration and invalidation, in the order of the send queue.
     * @remote: asked for by a peer. */
    bool (*fast_reg)(void *opaque, void *pd, const RoceSendWr *wr);
    bool (*invalidate)(void *opaque, void *pd, uint32_t key, bool remote);

    /* An Ethernet frame.  False: not taken, the wire is full; the engine
     * stops until roce_wire_ready(). */
    bool (*transmit)(void *opaque, const uint8_t *frame, size_t len);

    /* One completion for @cq, as given to roce_qp_new(). */
    void (*complete)(void *opaque, void *cq, const RoceWc *wc);
    /* ROCE_EVENT_*; @cookie is the QP's */
    void (*qp_event)(void *opaque, void *cookie, uint32_t event);
    /* a receive was taken from an SRQ: @left remain */
    void (*srq_taken)(void *opaque, void *cookie, uint32_t left);
    /* There is work for roce_run(), also from inside roce_post_send(). */
    void (*wake)(void *opaque);
} RoceOps;

typedef struct RoceQpInit {
    uint8_t type;                  /* ROCE_QPT_* */
    uint32_t max_send_wr;          /* 1..65536 */
    uint32_t max_recv_wr;          /* 0 with an SRQ */
    uint32_t max_send_sge;         /* 0..ROCE_MAX_SGE */
    uint32_t max_recv_sge;
    uint64_t tag;                  /* comes back in completions */
    void *cookie;                  /* comes back in events */
    void *pd;
    void *send_cq;
    void *recv_cq;
    RoceSrq *srq;                  /* or NULL */
} RoceQpInit;

/* Mask bits of roce_qp_modify(): those of the verbs. */
enum {
    ROCE_QP_STATE = 1 << 0,
    ROCE_QP_ACCESS_FLAGS = 1 << 3,
    ROCE_QP_QKEY = 1 << 6,
    ROCE_QP_AV = 1 << 7,
    ROCE_QP_PATH_MTU = 1 << 8,
    ROCE_QP_TIMEOUT = 1 << 9,
    ROCE_QP_RETRY_CNT = 1 << 10,
    ROCE_QP_RNR_RETRY = 1 << 11,
    ROCE_QP_RQ_PSN = 1 << 12,
    ROCE_QP_MAX_QP_RD_ATOMIC = 1 << 13,
    ROCE_QP_MIN_RNR_TIMER = 1 << 15,
    ROCE_QP_SQ_PSN = 1 << 16,
    ROCE_QP_MAX_DEST_RD_ATOMIC = 1 << 17,
    ROCE_QP_DEST_QPN = 1 << 20,
};

typedef struct RoceQpAttr {
    uint32_t state;
    uint32_t path_mtu;             /* bytes: 256..4096, a power of two */
    uint32_t qkey;
    uint32_t rq_psn;
    uint32_t sq_psn;
    uint32_t dest_qpn;
    uint32_t access_flags;
    uint8_t max_rd_atomic;
    uint8_t max_dest_rd_atomic;
    uint8_t min_rnr_timer;
    uint8_t timeout;               /* 4.096 us x 2^n, 0: none */
    uint8_t retry_cnt;
    uint8_t rnr_retry;             /* 7: without end */
    bool sq_draining;              /* query only */
    RoceAv av;
} RoceQpAttr;

typedef struct RoceStats {
    uint64_t tx_packets, tx_bytes;
    uint64_t rx_packets, rx_bytes;
    uint64_t rx_bad_frame;         /* truncated, fragmented, wrong lengths */
    uint64_t rx_bad_icrc;
    uint64_t rx_no_qp;             /* no such QP, or in no state to receive */
    uint64_t rx_bad_source;
    uint64_t rx_bad_key;           /* P_Key, Q_Key */
    uint64_t rx_no_buffer;         /* UD without a receive posted */
    uint64_t rx_duplicate;
    uint64_t rx_out_of_order;
    uint64_t tx_nak, tx_rnr_nak;
    uint64_t retransmits;          /* times a QP went back */
    uint64_t timeouts;
    uint64_t local_errors;
    uint64_t remote_errors;
} RoceStats;

/* @max_qp: 1..4096.  NULL without memory. */
RoceEngine *roce_new(const RoceOps *ops, void *opaque, uint32_t max_qp);
/* All QPs and SRQs are gone before. */
void roce_free(RoceEngine *e);

void roce_set_mac(RoceEngine *e, const uint8_t mac[6]);
/* Largest payload of a packet: 256..4096, a power of two; that of UD sends,
 * and the most that a path MTU may be. */
void roce_set_mtu(RoceEngine *e, uint32_t mtu);
/* The greatest payload MTU for a NIC whose MTU is @nic_mtu bytes. */
uint32_t roce_mtu_of_nic(uint32_t nic_mtu);
/* @gid NULL: the entry is empty. */
void roce_gid_set(RoceEngine *e, uint8_t index, const uint8_t *gid);
bool roce_gid_is_ours(const RoceEngine *e, const uint8_t gid[16]);

/* In state RESET.  NULL: no memory, no QPN left, a second GSI QP. */
RoceQp *roce_qp_new(RoceEngine *e, const RoceQpInit *init, uint32_t *ret_qpn);
/* No completion of it comes afterwards. */
void roce_qp_free(RoceQp *qp);
/*
 * Transitions are the owner's to check.  To ERR: everything posted completes
 * with WR_FLUSH_ERR before this returns.  To RESET: it is forgotten.
 * -EINVAL: a value out of range, an empty sgid_index; nothing changed.
 */
int roce_qp_modify(RoceQp *qp, const RoceQpAttr *attr, uint32_t mask);
void roce_qp_query(const RoceQp *qp, RoceQpAttr *ret);
/* Nothing is posted; in SQD: nothing is under way. */
bool roce_qp_is_idle(const RoceQp *qp);

/* Every WR posted is answered by exactly one completion, in order per queue,
 * also in state ERR.  -ENOMEM: the queue is full.  -EINVAL: too many SGEs, an
 * opcode the QP type does not have. */
int roce_post_send(RoceQp *qp, const RoceSendWr *wr);
int roce_post_recv(RoceQp *qp, const RoceRecvWr *wr);

RoceSrq *roce_srq_new(RoceEngine *e, uint32_t max_wr, uint32_t max_sge,
                      void *pd, void *cookie);
/* No QP uses it any more. */
void roce_srq_free(RoceSrq *srq);
int roce_srq_post(RoceSrq *srq, const RoceRecvWr *wr);
uint32_t roce_srq_posted(const RoceSrq *srq);

/* An Ethernet frame from the wire.  False: it is not RoCE for one of our
 * GIDs, and should go where it would have gone; true: taken, good or bad. */
bool roce_input(RoceEngine *e, uint64_t now, const uint8_t *frame, size_t len);
/* Sends up to @budget packets and delivers local ones, with turns for all
 * QPs.  True: there is more to do (not while the wire is full). */
bool roce_run(RoceEngine *e, uint64_t now, uint32_t budget);
void roce_wire_ready(RoceEngine *e);
/* Retries and expiries due at @now. */
void roce_expire(RoceEngine *e, uint64_t now);
/* When roce_expire() wants to be called next; UINT64_MAX: not at all. */
uint64_t roce_deadline(const RoceEngine *e);

const RoceStats *roce_stats(const RoceEngine *e);

#endif
