/*
 * pvrdma: what the device tells the guest unasked: rings and interrupts
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/log.h"
#include "qemu/main-loop.h"
#include "qemu/timer.h"
#include "hw/pci/msix.h"
#include "pvrdma.h"
#include "trace.h"

#define RING_MAX_PAGES 64u
#define RETRY_MS 1

/*
 * The guest says where an interrupt is written to, and may name the registers
 * of this device, its configuration space or the slot's power control: that
 * would reset or unplug the device under whoever raised it.  So interrupts are
 * sent from a bottom half, with nothing in hand.
 */
void pvrdma_irq_raise(PvrdmaDev *dev, unsigned vector)
{
    dev->icr |= 1u << vector;
    dev->irq_pending |= 1u << vector;
    if (dev->irq_pending & ~dev->imr && !pvrdma_fault_delays_irq(dev)) {
        qemu_bh_schedule(dev->irq_bh);
    }
}

/* What one interrupt leads to may take back the others. */
static bool irq_take(PvrdmaDev *dev, unsigned vector)
{
    bool due;

    pvrdma_enter(dev);
    due = dev->irq_pending & ~dev->imr & (1u << vector);
    if (due) {
        dev->irq_pending &= ~(1u << vector);
    }
    pvrdma_leave(dev);
    return due;
}

static void irq_send(PvrdmaDev *dev, unsigned vector)
{
    PCIDevice *pdev = PCI_DEVICE(dev);
    MemReentrancyGuard *guard = &DEVICE(dev)->mem_reentrancy_guard;

    trace_pvrdma_irq(vector);
    if (msix_enabled(pdev)) {
        dev->stats.interrupts++;
        guard->engaged_in_io = true;
        msix_notify(pdev, vector);
        guard->engaged_in_io = false;
    }
}

/* The bottom half is not a guarded one: that touches the device afterwards. */
void pvrdma_irq_bh(void *opaque)
{
    PvrdmaDev *dev = opaque;

    object_ref(OBJECT(dev));
    for (unsigned i = 0; i < PVRDMA_NUM_VEC; i++) {
        if (irq_take(dev, i)) {
            irq_send(dev, i);
        }
    }
    object_unref(OBJECT(dev));
}

void pvrdma_irq_set_mask(PvrdmaDev *dev, uint32_t mask)
{
    dev->imr = mask;
    if (dev->irq_pending & ~mask) {
        qemu_bh_schedule(dev->irq_bh);
    }
}

bool pvrdma_dev_ring_init(PvrdmaDev *dev, PvrdmaDevRing *ring,
                          const PvrdmaRingPages *pages, uint32_t size)
{
    if (pages->num_pages < 2 || pages->num_pages > RING_MAX_PAGES ||
        !pvrdma_queue_mem_init(dev, &ring->mem, pages->pdir_dma,
                               pages->num_pages)) {
        return false;
    }
    ring->size = size;
    ring->slots = pvrdma_device_ring_slots(pages->num_pages, size);
    ring->tail = 0;
    return true;
}

void pvrdma_dev_ring_clear(PvrdmaDevRing *ring)
{
    pvrdma_queue_mem_clear(&ring->mem);
    ring->slots = ring->tail = 0;
}

static bool ring_load_head(PvrdmaDevRing *ring, uint32_t *ret)
{
    if (!ring->slots) {
        return false;
    }
    *ret = pvrdma_queue_load32(&ring->mem, PVRDMA_RING2_HEAD);
    if (!pvrdma_ring_index_valid(ring->slots, *ret) ||
        pvrdma_ring_fill(ring->slots, ring->tail, *ret) > ring->slots) {
        qemu_log_mask(LOG_GUEST_ERROR, "pvrdma: device ring index 0x%x, "
                      "ring given up\n", *ret);
        ring->slots = 0;
        return false;
    }
    return true;
}

static bool ring_is_empty(PvrdmaDevRing *ring)
{
    uint32_t head;

    return !ring_load_head(ring, &head) || head == ring->tail;
}

/* False when the ring is full or broken. */
static bool ring_push(PvrdmaDevRing *ring, const void *elem)
{
    uint32_t head;

    if (!ring_load_head(ring, &head) ||
        pvrdma_ring_fill(ring->slots, ring->tail, head) == ring->slots) {
        return false;
    }
    pvrdma_queue_write(&ring->mem, 1,
                       pvrdma_ring_slot(ring->slots, ring->tail) * ring->size,
                       elem, ring->size);
    ring->tail = pvrdma_ring_next(ring->slots, ring->tail);
    pvrdma_queue_store32(&ring->mem, PVRDMA_RING2_TAIL, ring->tail);
    return true;
}

/* Posts what did not fit earlier, in order; true when none is left. */
static bool backlog_flush(PvrdmaDev *dev)
{
    uint32_t done = 0;

    while (done < dev->backlog_len &&
           ring_push(&dev->async_ring, &dev->backlog[done])) {
        done++;
    }
    if (done) {
        dev->backlog_len -= done;
        memmove(dev->backlog, dev->backlog + done,
                dev->backlog_len * sizeof(dev->backlog[0]));
        pvrdma_irq_raise(dev, PVRDMA_VEC_ASYNC);
    }
    return !dev->backlog_len;
}

static void retry_soon(PvrdmaDev *dev)
{
    timer_mod(dev->retry_timer,
              qemu_clock_get_ms(QEMU_CLOCK_REALTIME) + RETRY_MS);
}

void pvrdma_event(PvrdmaDev *dev, uint32_t type, uint32_t info)
{
    PvrdmaWireEvent event = { cpu_to_le32(type), cpu_to_le32(info) };

    if (dev->state != PVRDMA_ACTIVE || !dev->async_ring.slots) {
        return;
    }
    trace_pvrdma_event(type, info);
    if (dev->backlog_len == PVRDMA_EVENT_BACKLOG) {
        qemu_log_mask(LOG_GUEST_ERROR, "pvrdma: guest takes no events, "
                      "dropping type %u\n", type);
        dev->stats.events_dropped++;
        return;
    }
    dev->stats.events++;
    dev->backlog[dev->backlog_len++] = event;
    if (!backlog_flush(dev)) {
        retry_soon(dev);
    }
}

static bool notify(PvrdmaDev *dev, PvrdmaCq *cq)
{
    uint32_t handle = cpu_to_le32(cq->handle);

    if (!ring_push(&dev->cq_ring, &handle)) {
        return false;
    }
    cq->notify_pending = false;
    trace_pvrdma_notify(cq->handle);
    pvrdma_irq_raise(dev, PVRDMA_VEC_CQ);
    return true;
}

void pvrdma_notify_cq(PvrdmaCq *cq)
{
    cq->armed = cq->armed_solicited = false;
    if (!notify(cq->dev, cq) && cq->dev->cq_ring.slots) {
        cq->notify_pending = cq->dev->notify_pending = true;
        retry_soon(cq->dev);
    }
}

static void notify_pending(PvrdmaDev *dev)
{
    uint32_t handle = 0;
    PvrdmaCq *cq;

    if (!dev->notify_pending) {
        return;
    }
    for (; (cq = pvrdma_table_next(&dev->cqs, &handle)); handle++) {
        if (cq->notify_pending && !notify(dev, cq)) {
            retry_soon(dev);
            return;
        }
    }
    dev->notify_pending = false;
}

/*
 * The guest ignores vector 1 until its RDMA device is registered and then
 * looks only when it fires again, so a ring that is not empty fires with each
 * command until the guest has taken what is in it.
 */
void pvrdma_events_flush(PvrdmaDev *dev)
{
    if (dev->state != PVRDMA_ACTIVE) {
        return;
    }
    if (dev->backlog_len && !backlog_flush(dev)) {
        retry_soon(dev);
    }
    notify_pending(dev);
}

void pvrdma_events_remind(PvrdmaDev *dev)
{
    if (dev->state == PVRDMA_ACTIVE && !ring_is_empty(&dev->async_ring)) {
        pvrdma_irq_raise(dev, PVRDMA_VEC_ASYNC);
    }
}
