/*
 * QTest testcase for pvrdma: a guest's driver: what the device tells unasked
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "pvrdma-guest.h"

#define WAIT_TRIES 10000       /* of a millisecond */

/*
 * As the driver does it, with a count that is no power of two in arithmetic
 * that wants one.
 */
static bool ring_get(PvrdmaGuest *g, uint64_t ring, uint32_t *head, void *elem,
                     uint32_t size)
{
    uint32_t n = (PVRDMA_RING_PAGES - 1) * PVRDMA_PAGE / size;
    uint32_t tail = qtest_readl(g->qts, ring + PVRDMA_RING2_TAIL);

    if (tail == *head) {
        return false;
    }
    g_assert_cmphex(tail & ~(2 * n - 1), ==, 0);
    qtest_memread(g->qts, ring + PVRDMA_PAGE + (*head & (n - 1)) * size, elem,
                  size);
    *head = (*head + 1) & (2 * n - 1);
    qtest_writel(g->qts, ring + PVRDMA_RING2_HEAD, *head);
    return true;
}

bool pvrdma_event_get(PvrdmaGuest *g, PvrdmaWireEvent *ret)
{
    return ring_get(g, g->async_ring, &g->async_head, ret, sizeof(*ret));
}

bool pvrdma_notification_get(PvrdmaGuest *g, uint32_t *ret)
{
    return ring_get(g, g->cq_ring, &g->cq_head, ret, sizeof(*ret));
}

PvrdmaWireEvent pvrdma_event_wait(PvrdmaGuest *g)
{
    PvrdmaWireEvent event;

    for (int i = 0; i < WAIT_TRIES; i++) {
        if (pvrdma_event_get(g, &event)) {
            return event;
        }
        g_usleep(1000);
    }
    g_error("no async event within ten seconds");
}

void pvrdma_event_expect(PvrdmaGuest *g, uint32_t type, uint32_t info)
{
    PvrdmaWireEvent event = pvrdma_event_wait(g);

    g_assert_cmpuint(event.type, ==, type);
    g_assert_cmpuint(event.info, ==, info);
}

void pvrdma_event_none(PvrdmaGuest *g)
{
    PvrdmaWireEvent event;

    g_assert_false(pvrdma_event_get(g, &event));
}
