/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "pvrdma_abi.h"
#include "pvrdma_qp_state.h"

#define A(name) PVRDMA_QP_ATTR_##name
#define RTR_RC (A(STATE) | A(AV) | A(PATH_MTU) | A(DEST_QPN) | A(RQ_PSN) | \
                A(MAX_DEST_RD_ATOMIC) | A(MIN_RNR_TIMER))
#define RTS_RC (A(STATE) | A(TIMEOUT) | A(RETRY_CNT) | A(RNR_RETRY) | \
                A(SQ_PSN) | A(MAX_QP_RD_ATOMIC))

static void ok(uint8_t type, uint32_t from, uint32_t to, uint32_t mask)
{
    g_assert_true(pvrdma_qp_transition_ok(type, from, to, mask));
}

static void no(uint8_t type, uint32_t from, uint32_t to, uint32_t mask)
{
    g_assert_false(pvrdma_qp_transition_ok(type, from, to, mask));
}

static void test_rc(void)
{
    uint32_t init = A(STATE) | A(PKEY_INDEX) | A(PORT) | A(ACCESS_FLAGS);

    ok(PVRDMA_QPT_RC, PVRDMA_QPS_RESET, PVRDMA_QPS_INIT, init);
    no(PVRDMA_QPT_RC, PVRDMA_QPS_RESET, PVRDMA_QPS_INIT, init & ~A(PORT));
    no(PVRDMA_QPT_RC, PVRDMA_QPS_RESET, PVRDMA_QPS_INIT, init | A(QKEY));
    ok(PVRDMA_QPT_RC, PVRDMA_QPS_INIT, PVRDMA_QPS_RTR, RTR_RC);
    for (uint32_t bit = 1; bit <= A(DEST_QPN); bit <<= 1) {
        if (bit & RTR_RC && bit != A(STATE)) {
            no(PVRDMA_QPT_RC, PVRDMA_QPS_INIT, PVRDMA_QPS_RTR, RTR_RC & ~bit);
        }
    }
    ok(PVRDMA_QPT_RC, PVRDMA_QPS_RTR, PVRDMA_QPS_RTS, RTS_RC);
    no(PVRDMA_QPT_RC, PVRDMA_QPS_INIT, PVRDMA_QPS_RTS, RTS_RC);
    no(PVRDMA_QPT_RC, PVRDMA_QPS_RESET, PVRDMA_QPS_RTR, RTR_RC);
    ok(PVRDMA_QPT_RC, PVRDMA_QPS_RTS, PVRDMA_QPS_SQD, A(STATE));
    ok(PVRDMA_QPT_RC, PVRDMA_QPS_SQD, PVRDMA_QPS_SQD, A(STATE) | A(AV));
    no(PVRDMA_QPT_RC, PVRDMA_QPS_RTS, PVRDMA_QPS_RTS, A(STATE) | A(AV));
    no(PVRDMA_QPT_RC, PVRDMA_QPS_SQE, PVRDMA_QPS_RTS, A(STATE));
}

static void test_ud_and_gsi(void)
{
    uint32_t keys = A(STATE) | A(PKEY_INDEX) | A(QKEY);

    ok(PVRDMA_QPT_UD, PVRDMA_QPS_RESET, PVRDMA_QPS_INIT, keys | A(PORT));
    no(PVRDMA_QPT_UD, PVRDMA_QPS_RESET, PVRDMA_QPS_INIT, keys);
    ok(PVRDMA_QPT_GSI, PVRDMA_QPS_RESET, PVRDMA_QPS_INIT, keys);
    ok(PVRDMA_QPT_UD, PVRDMA_QPS_INIT, PVRDMA_QPS_RTR, A(STATE));
    ok(PVRDMA_QPT_UD, PVRDMA_QPS_RTR, PVRDMA_QPS_RTS, A(STATE) | A(SQ_PSN));
    no(PVRDMA_QPT_UD, PVRDMA_QPS_RTR, PVRDMA_QPS_RTS, A(STATE));
    ok(PVRDMA_QPT_UD, PVRDMA_QPS_SQE, PVRDMA_QPS_RTS,
       A(STATE) | A(CUR_STATE));
    no(PVRDMA_QPT_UD, PVRDMA_QPS_INIT, PVRDMA_QPS_RTR, A(STATE) | A(AV));
}

static void test_from_anywhere(void)
{
    static const uint8_t types[] = {
        PVRDMA_QPT_GSI, PVRDMA_QPT_RC, PVRDMA_QPT_UD,
    };

    for (size_t t = 0; t < G_N_ELEMENTS(types); t++) {
        for (uint32_t from = 0; from < PVRDMA_QPS_COUNT; from++) {
            ok(types[t], from, PVRDMA_QPS_RESET, A(STATE));
            no(types[t], from, PVRDMA_QPS_RESET, A(STATE) | A(QKEY));
            if (from != PVRDMA_QPS_RESET) {
                ok(types[t], from, PVRDMA_QPS_ERR, A(STATE));
                no(types[t], from, PVRDMA_QPS_ERR, A(STATE) | A(AV));
            }
        }
    }
    no(PVRDMA_QPT_RC, PVRDMA_QPS_RESET, PVRDMA_QPS_ERR, A(STATE));
}

static void test_nonsense(void)
{
    no(PVRDMA_QPT_RC, PVRDMA_QPS_COUNT, PVRDMA_QPS_RTS, A(STATE));
    no(PVRDMA_QPT_RC, PVRDMA_QPS_RTS, UINT32_MAX, A(STATE));
    no(0, PVRDMA_QPS_RESET, PVRDMA_QPS_INIT, A(STATE));
    no(3, PVRDMA_QPS_RTS, PVRDMA_QPS_RTS, 0);
    no(PVRDMA_QPT_RC, PVRDMA_QPS_RTS, PVRDMA_QPS_RTS, 1u << 30);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/device/qp-state/rc", test_rc);
    g_test_add_func("/device/qp-state/ud", test_ud_and_gsi);
    g_test_add_func("/device/qp-state/anywhere", test_from_anywhere);
    g_test_add_func("/device/qp-state/nonsense", test_nonsense);
    return g_test_run();
}
