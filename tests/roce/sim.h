/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Engines on a network that does not exist, in a time that does not pass: the
 * same seed always gives the same run.  Node n has the MAC 02:00:00:00:00:n+1
 * and the GIDs of 10.0.0.n+1 (index 0) and 2001:db8::n+1 (index 1).
 */
#pragma once

#include <glib.h>

#include "roce.h"

#define SIM_US G_GUINT64_CONSTANT(1000)
#define SIM_MS (1000 * SIM_US)
#define SIM_SEC (1000 * SIM_MS)

typedef struct Sim Sim;
typedef struct SimNode SimNode;

/* What becomes of frames; the first four of 1000 each. */
typedef struct SimWire {
    unsigned loss;
    unsigned duplicate;
    unsigned corrupt;
    unsigned late;
    uint64_t delay;                /* ns */
    uint64_t lateness;             /* of late ones and duplicates, at most */
    unsigned room;                 /* frames of a node on the wire; 0: any */
} SimWire;

typedef struct SimMr {
    void *pd;
    uint32_t key;
    uint64_t va;
    uint64_t length;
    uint32_t access;
    bool valid;
    bool may_invalidate;           /* by peers */
    uint8_t *host;
} SimMr;

typedef struct SimCq {
    GArray *wcs;                   /* RoceWc */
    unsigned taken;
} SimCq;

typedef struct SimEvent {
    void *cookie;
    uint32_t event;
} SimEvent;

typedef struct SimQp {
    SimNode *node;
    RoceQp *qp;
    uint32_t qpn;
    SimCq send_cq;
    SimCq recv_cq;
} SimQp;

typedef struct SimSrq {
    RoceSrq *srq;
    unsigned taken;                /* calls of srq_taken */
    uint32_t left;                 /* in the last of them */
} SimSrq;

struct SimNode {
    Sim *sim;
    unsigned index;
    RoceEngine *engine;
    uint8_t mac[6];
    uint8_t gid[2][16];
    GPtrArray *mrs;
    GPtrArray *qps;
    GPtrArray *srqs;
    GArray *events;                /* SimEvent */
    bool runnable;
    bool blocked;
    unsigned on_wire;
    unsigned atomics;              /* carried out */
    unsigned refused;              /* frames not taken */
};

struct Sim {
    uint64_t now;
    uint64_t random;
    SimWire wire;
    SimNode *nodes;
    unsigned num_nodes;
    GPtrArray *heap;               /* frames on the wire */
    uint64_t sent;
    uint32_t hash;                 /* of all frames and their times */
    /* False: lost.  It may change the frame; the ICRC is its business. */
    bool (*filter)(void *opaque, unsigned from, uint8_t *frame, size_t len);
    void *filter_opaque;
};

typedef struct SimQpSpec {
    uint8_t type;
    void *pd;
    uint32_t max_send_wr;
    uint32_t max_recv_wr;
    uint32_t max_sge;
    SimSrq *srq;
} SimQpSpec;

typedef struct SimLink {
    bool ipv6;
    uint32_t mtu;
    uint32_t psn;                  /* first one of both directions */
    uint32_t access;
    uint8_t rd_atomic;             /* most, of both ends and ways */
    uint8_t min_rnr_timer;
    uint8_t timeout;
    uint8_t retry_cnt;
    uint8_t rnr_retry;
} SimLink;

extern const SimWire sim_good_wire;
extern const SimQpSpec sim_rc;
extern const SimQpSpec sim_ud;
extern const SimLink sim_link;

#define SIM_ALL_ACCESS (ROCE_ACCESS_LOCAL_WRITE | ROCE_ACCESS_REMOTE_WRITE | \
                        ROCE_ACCESS_REMOTE_READ | ROCE_ACCESS_REMOTE_ATOMIC)
#define SIM_PD ((void *)0x9d)
#define SIM_OTHER_PD ((void *)0x9e)

Sim *sim_new(unsigned nodes, uint64_t seed, const SimWire *wire);
/* With all QPs, SRQs and MRs that are left. */
void sim_free(Sim *sim);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Sim, sim_free)

/* 0 .. below - 1 */
uint32_t sim_random(Sim *sim, uint32_t below);
bool sim_chance(Sim *sim, unsigned of_1000);

/* The next thing that happens, and the time when.  False: nothing will. */
bool sim_step(Sim *sim);
/* Until nothing will, which must be within an hour. */
void sim_settle(Sim *sim);
void sim_run_for(Sim *sim, uint64_t ns);
/* A frame from nowhere; what roce_input() says. */
bool sim_inject(SimNode *node, const uint8_t *frame, size_t len);

SimMr *sim_mr_new(SimNode *node, void *pd, size_t length, uint32_t access);
RoceSge sim_sge(const SimMr *mr, uint64_t offset, uint32_t length);
void sim_fill(uint8_t *buf, size_t len, uint32_t seed);
bool sim_filled(const uint8_t *buf, size_t len, uint32_t seed);

SimSrq *sim_srq_new(SimNode *node, void *pd, uint32_t max_wr, uint32_t max_sge);

SimQp *sim_qp_new(SimNode *node, const SimQpSpec *spec);
void sim_qp_free(SimQp *qp);
void sim_qp_modify(SimQp *qp, const RoceQpAttr *attr, uint32_t mask);
uint32_t sim_qp_state(const SimQp *qp);
void sim_qp_set_state(SimQp *qp, uint32_t state);
RoceAv sim_av(const SimNode *to, bool ipv6);
/* From RESET to RTS, towards @peer's number and node. */
void sim_rc_connect(SimQp *qp, const SimQp *peer, const SimLink *link);
/* Both ends */
void sim_rc_pair(SimQp *a, SimQp *b, const SimLink *link);
void sim_ud_start(SimQp *qp, uint32_t qkey);

void sim_post_send(SimQp *qp, const RoceSendWr *wr);
void sim_post_recv(SimQp *qp, uint64_t wr_id, const SimMr *mr, uint64_t offset,
                   uint32_t length);
bool sim_cq_take(SimCq *cq, RoceWc *ret);
/* The next one there must have this status, opcode and wr_id. */
RoceWc sim_cq_expect(SimCq *cq, uint64_t wr_id, uint32_t status,
                     uint32_t opcode);
void sim_cq_expect_none(SimCq *cq);
/* How often @event came for @qp. */
unsigned sim_events(const SimQp *qp, uint32_t event);
