/*
 * pvrdma: ring index arithmetic, as all guest code does it
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A ring of N slots (a power of two) has indices 0 .. 2N-1, so that a full
 * ring differs from an empty one.  Plain C.
 */
#ifndef HW_RDMA_PVRDMA_RING_H
#define HW_RDMA_PVRDMA_RING_H

#include <stdbool.h>
#include <stdint.h>

static inline bool pvrdma_ring_count_valid(uint32_t n)
{
    return n && !(n & (n - 1)) && n <= 1u << 30;
}

static inline bool pvrdma_ring_index_valid(uint32_t n, uint32_t index)
{
    return !(index & ~(2 * n - 1));
}

static inline uint32_t pvrdma_ring_slot(uint32_t n, uint32_t index)
{
    return index & (n - 1);
}

static inline uint32_t pvrdma_ring_next(uint32_t n, uint32_t index)
{
    return (index + 1) & (2 * n - 1);
}

/* Elements between two valid indices; above @n: the other side lies. */
static inline uint32_t pvrdma_ring_fill(uint32_t n, uint32_t tail,
                                        uint32_t head)
{
    return (tail - head) & (2 * n - 1);
}

/*
 * Slots of a device ring (async events, CQ notifications) of @pages pages
 * with the header page, @size bytes an element.
 *
 * The guest takes N = (pages - 1) * 4096 / size, no power of two, and feeds it
 * to the rules above: its index then runs through 0 .. 2P-1 where P is N's
 * lowest set bit (3 * 512 gives 512, 3 * 1024 gives 1024), in slots 0 .. P-1
 * of the first data page.  Such a ring therefore is one of P slots.
 */
static inline uint32_t pvrdma_device_ring_slots(uint32_t pages, uint32_t size)
{
    uint32_t n = (pages - 1) * (4096 / size);

    return n & -n;
}

/* Bytes from one WQE to the next: a power of two. */
static inline uint32_t pvrdma_wqe_stride(uint32_t header, uint32_t max_sge)
{
    uint32_t need = header + 16 * max_sge, stride = 1;

    while (stride < need) {
        stride <<= 1;
    }
    return stride;
}

#endif
