/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between sim.c and sim-verbs.c */
#pragma once

#include "sim.h"

void sim_verbs_init(SimNode *node);
void sim_verbs_clear(SimNode *node);

/* RoceOps */
bool sim_mem_check(void *opaque, void *pd, uint32_t key, uint64_t va,
                   uint64_t len, uint32_t access);
bool sim_mem_read(void *opaque, void *pd, uint32_t key, uint64_t va,
                  void *buf, uint32_t len, uint32_t access);
bool sim_mem_write(void *opaque, void *pd, uint32_t key, uint64_t va,
                   const void *buf, uint32_t len, uint32_t access);
bool sim_mem_atomic(void *opaque, void *pd, uint32_t key, uint64_t va,
                    bool is_add, uint64_t compare_add, uint64_t swap,
                    uint64_t *ret);
bool sim_fast_reg(void *opaque, void *pd, const RoceSendWr *wr);
bool sim_invalidate(void *opaque, void *pd, uint32_t key, bool remote);
void sim_complete(void *opaque, void *cq, const RoceWc *wc);
void sim_qp_event(void *opaque, void *cookie, uint32_t event);
void sim_srq_taken(void *opaque, void *cookie, uint32_t left);
