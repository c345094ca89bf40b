/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random traffic of which every byte and completion is checked: streams of
 * messages, each from one RC QP to another, and datagrams.
 */
#pragma once

#include "sim.h"

typedef struct Stream Stream;
typedef struct Buffers Buffers;

typedef struct StreamCounts {
    uint64_t done[16];             /* by ROCE_WR_* */
    uint64_t bytes;
} StreamCounts;

/* Receives of @qp, or of all QPs that use @srq. */
Buffers *buffers_new(SimQp *qp, SimSrq *srq);
void buffers_free(Buffers *b);
/* Some that are free; at times none, so that peers find nobody ready. */
void buffers_post(Buffers *b);

/* From one node to another, both with memory of their own. */
Stream *stream_new(SimQp *from, SimQp *to, uint32_t id, Buffers *buffers);
void stream_free(Stream *s);
/* Posts what there is room for, until @total messages are posted. */
void stream_post(Stream *s, uint64_t total);
/* Checks what has completed. */
void stream_poll(Stream *s);
/* Messages that were completed and checked */
uint64_t stream_done(const Stream *s);
/* Nothing is owed at either end. */
void stream_expect_quiet(Stream *s);
const StreamCounts *stream_counts(const Stream *s);

typedef struct Datagrams Datagrams;

/* One UD QP on each node of @sim. */
Datagrams *datagrams_new(Sim *sim);
void datagrams_free(Datagrams *d);
void datagrams_post(Datagrams *d, uint64_t total);
void datagrams_poll(Datagrams *d);
uint64_t datagrams_sent(const Datagrams *d);
uint64_t datagrams_received(const Datagrams *d);
