/*
 * Fuzzing of pvrdma: a guest with valid objects, and what an input does to it
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU's fuzzer (fuzz/pvrdma_fuzz.c) and the test that replays its corpus
 * (pvrdma-replay-test.c) have these in common.  The guest's RAM is a file that
 * is mapped here, too, so that a thread can rewrite it while the device reads.
 */
#ifndef TESTS_QTEST_PVRDMA_FUZZ_H
#define TESTS_QTEST_PVRDMA_FUZZ_H

#include "qemu/thread.h"
#include "pvrdma-guest.h"

#define FUZZ_CQS 3
#define FUZZ_MRS 4
#define FUZZ_QPS 7
#define FUZZ_REGIONS 64
#define FUZZ_MAX_INPUT 4096

typedef struct PvrdmaFuzz PvrdmaFuzz;

/* Where a fuzzer, which is one process with QEMU, differs from a test */
typedef struct PvrdmaFuzzOps {
    void (*settle)(QTestState *qts);       /* QEMU does what is due */
    void (*system_reset)(PvrdmaFuzz *f);
    void (*plug)(PvrdmaFuzz *f);           /* both functions, after an unplug */
} PvrdmaFuzzOps;

/* Part of guest memory that the device reads */
typedef struct FuzzRegion {
    uint64_t addr;
    uint32_t size;
} FuzzRegion;

/* A word of guest memory that changes while other operations run */
typedef struct FuzzRace {
    QemuThread thread;
    bool running;
    bool stop;
    uint32_t *word;
    uint32_t flip;
    uint32_t rounds;
} FuzzRace;

struct PvrdmaFuzz {
    const PvrdmaFuzzOps *ops;
    QTestState *qts;
    int ram_fd;
    int net_fd;                /* QEMU's end of the wire */
    int wire;                  /* ours */
    uint8_t *ram;

    /* new for every input */
    PvrdmaGuest base;          /* QTest, allocator and bus */
    QGuestAllocator alloc;
    PvrdmaGuest *g;
    bool gone;                 /* unplugged */
    uint32_t pd[2];            /* the kernel's, a process's */
    uint32_t uc;
    PvrdmaTestMr mr[FUZZ_MRS];
    PvrdmaTestCq cq[FUZZ_CQS];
    PvrdmaTestQp qp[FUZZ_QPS];
    PvrdmaTestSrq srq;
    uint32_t psn[FUZZ_QPS];    /* of the next frame to it */
    uint32_t seen_psn;         /* of the last frame from the device */
    uint32_t seen_qpn;
    FuzzRegion region[FUZZ_REGIONS];
    unsigned regions;
    FuzzRace race;
};

/* What is left of an input; beyond its end there are zeroes. */
typedef struct FuzzIn {
    const uint8_t *data;
    size_t len;
} FuzzIn;

/* Makes RAM and wire; the arguments of a machine that uses them, a new string */
char *pvrdma_fuzz_args(PvrdmaFuzz *f);
void pvrdma_fuzz_free(PvrdmaFuzz *f);
/* Runs one input, from and to a machine that was reset */
void pvrdma_fuzz_run(PvrdmaFuzz *f, const uint8_t *data, size_t len);

/* The parts, for one another */
uint64_t fuzz_take(FuzzIn *in, unsigned bytes);
void fuzz_settle(PvrdmaFuzz *f);
/* Guest, objects and regions; asserts that the device takes what is valid */
void fuzz_begin(PvrdmaFuzz *f);
void fuzz_end(PvrdmaFuzz *f);
/* The kernel's (0) or the process's (1) objects */
unsigned fuzz_owner(unsigned qp);
uint8_t fuzz_qp_type(unsigned qp);
uint64_t fuzz_mr_va(const PvrdmaFuzz *f, unsigned mr);
/* MODIFY_QP to @state as it should be; returns the attribute mask */
uint32_t fuzz_qp_attr(PvrdmaFuzz *f, unsigned qp, uint32_t state,
                      PvrdmaWireQpAttr *attr);
/* Root port: the slot loses its power, and what is in it */
void fuzz_unplug(PvrdmaFuzz *f);
void fuzz_bus_reset(PvrdmaFuzz *f);
/* An old value becomes a new one, in a way that is often still plausible. */
uint64_t fuzz_mutate(PvrdmaFuzz *f, uint8_t how, uint64_t old, uint32_t value);
/* The rest of @in: words of @buf to change: offset, how, value */
void fuzz_patch(PvrdmaFuzz *f, FuzzIn *in, void *buf, size_t size);
/* A command that would work, with patches; what it made takes effect here */
void fuzz_command(PvrdmaFuzz *f, FuzzIn *in);
void fuzz_frame(PvrdmaFuzz *f, FuzzIn *in);
void fuzz_raw_frame(PvrdmaFuzz *f, FuzzIn *in);
void fuzz_drain(PvrdmaFuzz *f, FuzzIn *in);
void fuzz_race(PvrdmaFuzz *f, FuzzIn *in);
void fuzz_race_end(PvrdmaFuzz *f);

#endif
