/*
 * pvrdma: which QP transitions are legal, with which attributes
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "pvrdma_abi.h"
#include "pvrdma_qp_state.h"

#define A(name) PVRDMA_QP_ATTR_##name
#define COMMON_RTS_OPT (A(CUR_STATE) | A(ACCESS_FLAGS) | A(ALT_PATH) | \
                        A(PATH_MIG_STATE) | A(MIN_RNR_TIMER))

typedef struct Transition {
    uint8_t from;
    uint8_t to;
    uint32_t required;
    uint32_t optional;
} Transition;

static const Transition rc_table[] = {
    { PVRDMA_QPS_RESET, PVRDMA_QPS_INIT,
      A(PKEY_INDEX) | A(PORT) | A(ACCESS_FLAGS), 0 },
    { PVRDMA_QPS_INIT, PVRDMA_QPS_INIT,
      0, A(PKEY_INDEX) | A(PORT) | A(ACCESS_FLAGS) },
    { PVRDMA_QPS_INIT, PVRDMA_QPS_RTR,
      A(AV) | A(PATH_MTU) | A(DEST_QPN) | A(RQ_PSN) | A(MAX_DEST_RD_ATOMIC) |
      A(MIN_RNR_TIMER),
      A(ALT_PATH) | A(ACCESS_FLAGS) | A(PKEY_INDEX) },
    { PVRDMA_QPS_RTR, PVRDMA_QPS_RTS,
      A(TIMEOUT) | A(RETRY_CNT) | A(RNR_RETRY) | A(SQ_PSN) |
      A(MAX_QP_RD_ATOMIC),
      COMMON_RTS_OPT },
    { PVRDMA_QPS_RTS, PVRDMA_QPS_RTS, 0, COMMON_RTS_OPT },
    { PVRDMA_QPS_RTS, PVRDMA_QPS_SQD, 0, A(EN_SQD_ASYNC_NOTIFY) },
    { PVRDMA_QPS_SQD, PVRDMA_QPS_RTS, 0, COMMON_RTS_OPT },
    { PVRDMA_QPS_SQD, PVRDMA_QPS_SQD, 0,
      A(PORT) | A(AV) | A(TIMEOUT) | A(RETRY_CNT) | A(RNR_RETRY) |
      A(MAX_QP_RD_ATOMIC) | A(MAX_DEST_RD_ATOMIC) | A(ALT_PATH) |
      A(ACCESS_FLAGS) | A(PKEY_INDEX) | A(MIN_RNR_TIMER) |
      A(PATH_MIG_STATE) },
};

#define UD_KEYS (A(PKEY_INDEX) | A(QKEY))
#define UD_RTS_OPT (A(CUR_STATE) | A(QKEY))

static const Transition ud_table[] = {
    { PVRDMA_QPS_RESET, PVRDMA_QPS_INIT, UD_KEYS | A(PORT), 0 },
    { PVRDMA_QPS_INIT, PVRDMA_QPS_INIT, 0, UD_KEYS | A(PORT) },
    { PVRDMA_QPS_INIT, PVRDMA_QPS_RTR, 0, UD_KEYS },
    { PVRDMA_QPS_RTR, PVRDMA_QPS_RTS, A(SQ_PSN), UD_RTS_OPT },
    { PVRDMA_QPS_RTS, PVRDMA_QPS_RTS, 0, UD_RTS_OPT },
    { PVRDMA_QPS_RTS, PVRDMA_QPS_SQD, 0, A(EN_SQD_ASYNC_NOTIFY) },
    { PVRDMA_QPS_SQD, PVRDMA_QPS_RTS, 0, UD_RTS_OPT },
    { PVRDMA_QPS_SQD, PVRDMA_QPS_SQD, 0, UD_KEYS },
    { PVRDMA_QPS_SQE, PVRDMA_QPS_RTS, 0, UD_RTS_OPT },
};

static const Transition gsi_table[] = {
    { PVRDMA_QPS_RESET, PVRDMA_QPS_INIT, UD_KEYS, A(PORT) },
    { PVRDMA_QPS_INIT, PVRDMA_QPS_INIT, 0, UD_KEYS },
    { PVRDMA_QPS_INIT, PVRDMA_QPS_RTR, 0, UD_KEYS },
    { PVRDMA_QPS_RTR, PVRDMA_QPS_RTS, A(SQ_PSN), UD_RTS_OPT },
    { PVRDMA_QPS_RTS, PVRDMA_QPS_RTS, 0, UD_RTS_OPT },
    { PVRDMA_QPS_RTS, PVRDMA_QPS_SQD, 0, A(EN_SQD_ASYNC_NOTIFY) },
    { PVRDMA_QPS_SQD, PVRDMA_QPS_RTS, 0, UD_RTS_OPT },
    { PVRDMA_QPS_SQD, PVRDMA_QPS_SQD, 0, UD_KEYS },
    { PVRDMA_QPS_SQE, PVRDMA_QPS_RTS, 0, UD_RTS_OPT },
};

static const Transition *find(const Transition *table, size_t n,
                              uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < n; i++) {
        if (table[i].from == from && table[i].to == to) {
            return &table[i];
        }
    }
    return NULL;
}

static const Transition *find_by_type(uint8_t type, uint32_t from, uint32_t to)
{
    switch (type) {
    case PVRDMA_QPT_RC:
        return find(rc_table, G_N_ELEMENTS(rc_table), from, to);
    case PVRDMA_QPT_UD:
        return find(ud_table, G_N_ELEMENTS(ud_table), from, to);
    case PVRDMA_QPT_GSI:
        return find(gsi_table, G_N_ELEMENTS(gsi_table), from, to);
    default:
        return NULL;
    }
}

bool pvrdma_qp_transition_ok(uint8_t type, uint32_t from, uint32_t to,
                             uint32_t mask)
{
    const Transition *t;

    mask &= ~A(STATE);
    if (from >= PVRDMA_QPS_COUNT || to >= PVRDMA_QPS_COUNT) {
        return false;
    }
    if (to == PVRDMA_QPS_RESET ||
        (to == PVRDMA_QPS_ERR && from != PVRDMA_QPS_RESET)) {
        return !(mask & ~A(CUR_STATE));
    }
    t = find_by_type(type, from, to);
    return t && (mask & t->required) == t->required &&
           !(mask & ~(t->required | t->optional));
}
