/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two nodes with a connected RC QP and one MR each. */
#pragma once

#include "sim.h"

#define PAIR_MEM (4u << 20)

typedef struct Pair {
    Sim *sim;
    SimQp *a, *b;
    SimMr *am, *bm;
} Pair;

Pair *pair_new(const SimWire *wire, const SimLink *link);
void pair_free(Pair *p);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Pair, pair_free)

/* A request by a, of @len bytes at @offset of its memory, to the same offset
 * of b's. */
RoceSendWr pair_wr(const Pair *p, uint32_t opcode, uint64_t wr_id,
                   uint64_t offset, uint32_t len);
void pair_post(Pair *p, uint32_t opcode, uint64_t wr_id, uint64_t offset,
               uint32_t len);
/* Both QPs are in RTS, and no completion or event is left. */
void pair_expect_quiet(Pair *p);
