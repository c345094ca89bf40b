/*
 * RoCE v2 in software: what the parts of the engine share
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_RDMA_ROCE_INT_H
#define HW_RDMA_ROCE_INT_H

#include "roce.h"
#include "roce_frame.h"

#define ROCE_NEVER UINT64_MAX
#define ROCE_PSN_MASK 0xffffffu
/* PSNs compare within half of their space */
#define ROCE_MAX_PSNS 0x7fffffu
#define ROCE_GRH_LEN 40u

/* Packets of a QP on their way and not acknowledged: enough for a LAN, less
 * than what receivers queue (1000 packets in Linux). */
#define ROCE_WINDOW 256u
/* A long message asks for an acknowledgement this often. */
#define ROCE_ACK_EVERY 64u
/* A READ is asked for in pieces of this many packets, for the same reason. */
#define ROCE_READ_CHUNK 128u
/* Packets of a QP before the next QP has its turn */
#define ROCE_QUANTUM 16u
/* Frames between QPs of this engine: few enough to stay in a CPU cache */
#define ROCE_LOCAL_FRAMES 8u
/* Answers a responder owes: those of new requests and of repeated ones */
#define ROCE_ANSWERS (2 * ROCE_MAX_RD_ATOMIC)

/* AETH syndromes */
#define ROCE_ACK_UNLIMITED 0x1fu   /* no end-to-end credits */
#define ROCE_RNR_NAK 0x20u         /* | timer */
#define ROCE_NAK_PSN 0x60u
#define ROCE_NAK_INVALID 0x61u
#define ROCE_NAK_ACCESS 0x62u
#define ROCE_NAK_OPERATION 0x63u

/* Work requests, as many bytes each as the queue's SGEs need. */
typedef struct RoceRing {
    uint8_t *mem;
    uint32_t stride;
    uint32_t size;                 /* a power of two */
    uint32_t limit;                /* entries that may be posted */
    uint32_t max_sge;
    uint32_t head;                 /* both run freely */
    uint32_t tail;
} RoceRing;

/* A send on its way.  PSNs are given when it first has its turn. */
typedef struct RoceSend {
    uint32_t first_psn;
    uint32_t num_psn;              /* 0: local operation */
    uint32_t length;
    uint32_t status;               /* it failed here: ROCE_WC_* */
    bool executed;                 /* local operation, done */
    RoceSendWr wr;                 /* with only the ring's number of SGEs */
} RoceSend;

/*
 * Requester.  Of the sends in the ring, [head, assigned) have PSNs and
 * [cur, tail) are to be sent; cur moves back when packets were lost.
 *
 *      una <= position(cur, cur_packet) <= high <= next
 *
 * una: oldest PSN not acknowledged, in the send at head; high: after the last
 * one that was ever sent; next: the first that is not assigned.
 */
typedef struct RoceRequester {
    RoceRing ring;
    uint32_t cur;
    uint32_t cur_packet;
    uint32_t assigned;
    uint32_t una_psn;
    uint32_t high_psn;
    uint32_t next_psn;
    uint32_t reads;                /* requests for READs and atomics out */
    uint32_t pending_reads;        /* such sends in [head, assigned) */
    uint32_t retries;              /* left */
    uint32_t rnr_retries;
    uint32_t window;               /* quarters of packets that may be out */
    uint8_t resends;               /* within one retry */
    bool probing;                  /* after a timeout: one packet at a time */
    bool went_back;                /* since the last progress */
    bool rnr_wait;
} RoceRequester;

/* What a responder has to send: (the rest of) a READ, or an atomic's result */
typedef struct RoceAnswer {
    uint64_t va;
    uint64_t orig;
    uint32_t rkey;
    uint32_t length;               /* of the whole READ */
    uint32_t done;
    uint32_t psn;                  /* of the next packet */
    uint32_t packets;              /* left */
    uint32_t msn;
    bool atomic;
    bool repeated;
} RoceAnswer;

typedef struct RoceAtomicResult {
    uint32_t psn;
    bool valid;
    uint64_t orig;
} RoceAtomicResult;

typedef enum RoceMessage {
    ROCE_MESSAGE_NONE,
    ROCE_MESSAGE_SEND,
    ROCE_MESSAGE_WRITE,
} RoceMessage;

typedef struct RoceResponder {
    RoceRing ring;                 /* unused with an SRQ */
    RoceRecvWr *taken;             /* from the SRQ: a copy */
    bool has_taken;
    uint32_t epsn;
    uint32_t msn;
    RoceMessage message;           /* under way */
    uint32_t received;             /* bytes of it */
    uint64_t write_va;
    uint32_t write_rkey;
    uint32_t write_len;
    RoceAnswer answer[ROCE_ANSWERS];
    uint32_t answer_head;
    uint32_t answers;
    uint32_t new_answers;          /* of them, not repeated */
    RoceAtomicResult atomic[ROCE_MAX_RD_ATOMIC];
    uint32_t atomic_next;
    bool ack_due;
    bool nak_due;
    bool nak_sent;                 /* for the present gap */
    bool dead;                     /* a fatal NAK is due or was sent */
    uint8_t nak_syndrome;
    uint32_t nak_psn;
    uint32_t fatal_event;          /* with the fatal NAK, or 0 */
} RoceResponder;

struct RoceQp {
    RoceEngine *engine;
    uint32_t qpn;
    uint8_t type;
    bool queued;
    bool established;
    uint64_t tag;
    void *cookie;
    void *pd;
    void *send_cq;
    void *recv_cq;
    RoceSrq *srq;
    RoceQpAttr attr;
    RoceRequester req;
    RoceResponder resp;
    uint64_t deadline;
    uint64_t heap_key;
    uint32_t heap_pos;             /* 0: not in the heap */
    RoceQp *next, *prev;           /* of the run queue */
};

struct RoceSrq {
    RoceEngine *engine;
    void *pd;
    void *cookie;
    RoceRing ring;
};

typedef struct RoceLocalFrame {
    uint32_t length;
    uint8_t bytes[ROCE_MAX_FRAME];
} RoceLocalFrame;

struct RoceEngine {
    const RoceOps *ops;
    void *opaque;
    uint64_t now;
    uint8_t mac[6];
    uint32_t mtu;
    bool wire_full;
    bool running;                  /* inside roce_run() */
    uint32_t num_gids;             /* entries 0 .. num_gids - 1 may be set */
    bool gid_set[ROCE_GIDS];
    uint8_t gid[ROCE_GIDS][16];
    RoceQp **qps;                  /* by index */
    uint16_t *generation;
    uint32_t max_qp;
    uint32_t last_qp;
    RoceQp *gsi;
    RoceQp run;                    /* head of the run queue */
    RoceQp **heap;                 /* 1 .. heap_len */
    uint32_t heap_len;
    RoceLocalFrame *local;
    uint32_t local_head;
    uint32_t local_tail;
    RoceStats stats;
    uint8_t frame[ROCE_MAX_FRAME];
};

/* A packet being built */
typedef struct RoceOut {
    RocePacket pkt;
    uint8_t *frame;
    bool local;
    bool direct;                   /* local, and no frame is built */
} RoceOut;

typedef enum RoceTurn {
    ROCE_TURN_SENT,
    ROCE_TURN_IDLE,                /* nothing to send, or it has to wait */
    ROCE_TURN_FULL,                /* no room on the wire */
} RoceTurn;

static inline int32_t roce_psn_diff(uint32_t a, uint32_t b)
{
    return (int32_t)((a - b) << 8) >> 8;
}

static inline uint32_t roce_psn_add(uint32_t psn, uint32_t n)
{
    return (psn + n) & ROCE_PSN_MASK;
}

/* Packets of a message: at least one */
static inline uint32_t roce_packets(uint32_t length, uint32_t mtu)
{
    return length ? (length - 1) / mtu + 1 : 1;
}

/* roce_ring.c */
bool roce_ring_init(RoceRing *r, uint32_t limit, uint32_t max_sge,
                    size_t header);
void roce_ring_clear(RoceRing *r);
static inline void *roce_ring_at(const RoceRing *r, uint32_t index)
{
    return r->mem + (size_t)(index & (r->size - 1)) * r->stride;
}
static inline uint32_t roce_ring_fill(const RoceRing *r)
{
    return r->tail - r->head;
}
static inline RoceSend *roce_send_at(const RoceQp *qp, uint32_t index)
{
    return roce_ring_at(&qp->req.ring, index);
}

/* roce_sge.c: false if an SGE does not allow it, or they are too short */
uint64_t roce_sge_length(const RoceSge *sge, uint32_t num_sge);
bool roce_sge_check(RoceQp *qp, const RoceSge *sge, uint32_t num_sge,
                    uint32_t access);
bool roce_sge_gather(RoceQp *qp, const RoceSge *sge, uint32_t num_sge,
                     uint64_t offset, uint8_t *buf, uint32_t len);
bool roce_sge_scatter(RoceQp *qp, const RoceSge *sge, uint32_t num_sge,
                      uint64_t offset, const uint8_t *buf, uint32_t len);
/* The same for a receive, whose memory is of the SRQ's PD if there is one */
bool roce_recv_scatter(RoceQp *qp, const RoceRecvWr *wr, uint64_t offset,
                       const uint8_t *buf, uint32_t len);

/* roce_timer.c */
bool roce_timers_init(RoceEngine *e);
void roce_timer_set(RoceQp *qp, uint64_t deadline);
void roce_timer_remove(RoceQp *qp);

/* roce_engine.c */
bool roce_qpn_take(RoceEngine *e, RoceQp *qp);
void roce_qpn_give(RoceEngine *e, RoceQp *qp);
void roce_queue(RoceQp *qp);
void roce_unqueue(RoceQp *qp);
/* Where a packet goes: fills addresses; false: the GID is gone. */
bool roce_out_open(RoceEngine *e, RoceOut *out, const RoceAv *av);
/* The same for the peer of an RC QP */
bool roce_out_open_rc(RoceQp *qp, RoceOut *out);
uint8_t *roce_out_payload(RoceOut *out);
/* False: the wire is full, and nothing happened. */
bool roce_out_send(RoceEngine *e, RoceOut *out);
/* Whether there is room; looked at before a packet is built. */
bool roce_out_room(RoceEngine *e, const RoceAv *av);

/* roce_qp.c */
bool roce_qp_can_receive(const RoceQp *qp);
bool roce_qp_can_send(const RoceQp *qp);
void roce_qp_enter_error(RoceQp *qp);
void roce_qp_event(RoceQp *qp, uint32_t event);
/* The oldest send is done; @status SUCCESS or not. */
void roce_complete_send(RoceQp *qp, uint32_t status);
void roce_flush_sends(RoceQp *qp);
/* The receive at the head, NULL without one; from an SRQ it is taken off. */
const RoceRecvWr *roce_recv_peek(RoceQp *qp);
/* The receive that roce_recv_peek() gave is done; @wc lacks what it knows. */
void roce_complete_recv(RoceQp *qp, RoceWc *wc);

/* roce_req.c, roce_ack.c: requester */
RoceTurn roce_req_send(RoceQp *qp);
void roce_req_response(RoceQp *qp, const RocePacket *pkt);
void roce_req_expire(RoceQp *qp);
void roce_req_reset(RoceQp *qp, uint32_t psn);
/* Completes what is done; a send with a status completes when it is oldest,
 * and takes the QP to ERR. */
void roce_req_retire(RoceQp *qp);
void roce_req_fail(RoceQp *qp, RoceSend *send, uint32_t status);
/* The PSN of the packet that is to be sent next */
uint32_t roce_req_position(const RoceQp *qp);
/* Back to the oldest PSN that is not acknowledged */
void roce_req_rewind(RoceQp *qp);
/* Packets were lost; @packets were acknowledged. */
void roce_req_narrow(RoceQp *qp);
void roce_req_widen(RoceQp *qp, uint32_t packets);
/* Starts the retry timer if anything is unacknowledged, or stops it. */
void roce_req_arm(RoceQp *qp);
bool roce_send_is_read(const RoceSend *send); /* READ or atomic */
bool roce_send_is_atomic(const RoceSend *send);

/* roce_resp.c, roce_answer.c: responder */
void roce_resp_request(RoceQp *qp, const RocePacket *pkt);
RoceTurn roce_resp_send(RoceQp *qp);
bool roce_resp_add_answer(RoceQp *qp, const RoceAnswer *answer);
void roce_resp_repeated(RoceQp *qp, const RocePacket *pkt);
void roce_resp_nak(RoceQp *qp, uint8_t syndrome);

/* roce_ud.c */
RoceTurn roce_ud_send(RoceQp *qp);
void roce_ud_receive(RoceQp *qp, const RocePacket *pkt);

#endif
