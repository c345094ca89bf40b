/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "pvrdma_abi.h"
#include "pvrdma_ring.h"

static void test_counts(void)
{
    g_assert_false(pvrdma_ring_count_valid(0));
    g_assert_true(pvrdma_ring_count_valid(1));
    g_assert_false(pvrdma_ring_count_valid(3));
    g_assert_true(pvrdma_ring_count_valid(4096));
    g_assert_false(pvrdma_ring_count_valid(UINT32_MAX));
    g_assert_false(pvrdma_ring_count_valid(1u << 31));
}

static void test_full_differs_from_empty(void)
{
    for (uint32_t n = 1; n <= 64; n *= 2) {
        for (uint32_t head = 0; head < 2 * n; head++) {
            uint32_t tail = head;

            for (uint32_t fill = 0; fill <= n; fill++) {
                g_assert_cmpuint(pvrdma_ring_fill(n, tail, head), ==, fill);
                tail = pvrdma_ring_next(n, tail);
            }
        }
    }
}

static void test_foreign_indices(void)
{
    g_assert_true(pvrdma_ring_index_valid(8, 15));
    g_assert_false(pvrdma_ring_index_valid(8, 16));
    g_assert_false(pvrdma_ring_index_valid(8, UINT32_MAX));
    /* a valid index can still claim more than the ring holds */
    g_assert_cmpuint(pvrdma_ring_fill(8, 0, 1), >, 8);
}

/* The guest's own increment, on the guest's own N, must meet our slots. */
static void guest_walk(uint32_t pages, uint32_t size)
{
    uint32_t n = (pages - 1) * (4096 / size), mask = 2 * n - 1;
    uint32_t ours = pvrdma_device_ring_slots(pages, size);
    uint32_t guest = 0, mine = 0;

    for (uint32_t i = 0; i < 5 * n; i++) {
        g_assert_cmpuint(guest, ==, mine);
        g_assert_cmpuint(guest & (n - 1), ==, pvrdma_ring_slot(ours, mine));
        guest = (guest + 1) & mask;
        mine = pvrdma_ring_next(ours, mine);
    }
}

static void test_device_rings(void)
{
    g_assert_cmpuint(pvrdma_device_ring_slots(4, 8), ==, 512);
    g_assert_cmpuint(pvrdma_device_ring_slots(4, 4), ==, 1024);
    for (uint32_t pages = 2; pages <= 64; pages++) {
        guest_walk(pages, 8);
        guest_walk(pages, 4);
    }
}

static void test_strides(void)
{
    static const struct { uint32_t sge, sq, rq; } rows[] = {
        { 1, 128, 32 }, { 2, 128, 64 }, { 3, 128, 64 }, { 4, 256, 128 },
        { 8, 256, 256 }, { 16, 512, 512 }, { 32, 1024, 1024 },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_assert_cmpuint(pvrdma_wqe_stride(sizeof(PvrdmaWireSendWr),
                                           rows[i].sge), ==, rows[i].sq);
        g_assert_cmpuint(pvrdma_wqe_stride(sizeof(PvrdmaWireRecvWr),
                                           rows[i].sge), ==, rows[i].rq);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/device/ring/counts", test_counts);
    g_test_add_func("/device/ring/fill", test_full_differs_from_empty);
    g_test_add_func("/device/ring/foreign", test_foreign_indices);
    g_test_add_func("/device/ring/device-rings", test_device_rings);
    g_test_add_func("/device/ring/strides", test_strides);
    return g_test_run();
}
