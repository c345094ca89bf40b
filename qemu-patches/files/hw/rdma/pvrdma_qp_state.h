/*
 * pvrdma: which QP transitions are legal, with which attributes
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * InfiniBand Architecture Specification, volume 1, section 10.3 (QP states)
 * and 11.2.5.2 (modify QP).  Plain C.
 */
#ifndef HW_RDMA_PVRDMA_QP_STATE_H
#define HW_RDMA_PVRDMA_QP_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a QP of @type may go from @from to @to with exactly the attributes
 * in @mask (PVRDMA_QP_ATTR_*; STATE itself is always allowed). */
bool pvrdma_qp_transition_ok(uint8_t type, uint32_t from, uint32_t to,
                             uint32_t mask);

#endif
