/*
 * pvrdma: life cycle, the state machine behind the registers
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/error-report.h"
#include "qemu/log.h"
#include "qemu/main-loop.h"
#include "qemu/timer.h"
#include "block/aio.h"
#include "hw/qdev-core.h"
#include "system/system.h"
#include "pvrdma.h"
#include "trace.h"

void pvrdma_reset(PvrdmaDev *dev)
{
    trace_pvrdma_reset(dev->state);
    pvrdma_objects_destroy(dev);
    pvrdma_gids_clear(dev);
    pvrdma_dev_ring_clear(&dev->async_ring);
    pvrdma_dev_ring_clear(&dev->cq_ring);
    dev->state = PVRDMA_IDLE;
    dev->err = dev->icr = dev->irq_pending = 0;
    dev->imr = UINT32_MAX;
    dev->cmd_slot = dev->resp_slot = 0;
    dev->driver_version = 0;
    dev->backlog_len = 0;
    dev->notify_pending = false;
}

static bool dsr_valid(const PvrdmaDsr *dsr)
{
    return dsr->driver_version >= 17 &&
           dsr->cmd_slot_dma && !(dsr->cmd_slot_dma % PVRDMA_PAGE_SIZE) &&
           dsr->resp_slot_dma && !(dsr->resp_slot_dma % PVRDMA_PAGE_SIZE);
}

static void dsr_to_cpu(PvrdmaDsr *dsr)
{
    dsr->driver_version = le32_to_cpu(dsr->driver_version);
    dsr->cmd_slot_dma = le64_to_cpu(dsr->cmd_slot_dma);
    dsr->resp_slot_dma = le64_to_cpu(dsr->resp_slot_dma);
    dsr->async_ring_pages.num_pages =
        le32_to_cpu(dsr->async_ring_pages.num_pages);
    dsr->async_ring_pages.pdir_dma =
        le64_to_cpu(dsr->async_ring_pages.pdir_dma);
    dsr->cq_ring_pages.num_pages = le32_to_cpu(dsr->cq_ring_pages.num_pages);
    dsr->cq_ring_pages.pdir_dma = le64_to_cpu(dsr->cq_ring_pages.pdir_dma);
}

/* A configuration error of the host, told once however often guests probe. */
static bool pair_or_report(PvrdmaDev *dev)
{
    Error *err = NULL;

    if (pvrdma_pair(dev, &err)) {
        return true;
    }
    if (dev->pair_reported) {
        error_free(err);
        return false;
    }
    dev->pair_reported = true;
    error_reportf_err(err, "pvrdma: the guest's driver cannot start: ");
    return false;
}

static bool dsr_map(PvrdmaDev *dev, dma_addr_t addr)
{
    PCIDevice *pdev = PCI_DEVICE(dev);
    PvrdmaDevCaps wire;
    PvrdmaDsr dsr;

    if (!addr || addr % PVRDMA_PAGE_SIZE ||
        !pvrdma_dma_read(pdev, addr, &dsr, sizeof(dsr))) {
        return false;
    }
    dsr_to_cpu(&dsr);
    if (!dsr_valid(&dsr) || !pair_or_report(dev) ||
        !pvrdma_dev_ring_init(dev, &dev->async_ring, &dsr.async_ring_pages,
                              sizeof(PvrdmaWireEvent)) ||
        !pvrdma_dev_ring_init(dev, &dev->cq_ring, &dsr.cq_ring_pages,
                              sizeof(uint32_t))) {
        return false;
    }
    dev->driver_version = MIN(dsr.driver_version, PVRDMA_VERSION);
    dev->cmd_slot = dsr.cmd_slot_dma;
    dev->resp_slot = dsr.resp_slot_dma;
    pvrdma_caps_to_wire(&dev->caps, &wire);
    return pvrdma_dma_write(pdev, addr + offsetof(PvrdmaDsr, caps), &wire,
                            sizeof(wire));
}

/* A bad region leaves the caps zero, which makes the driver's probe fail. */
void pvrdma_dsr_written(PvrdmaDev *dev)
{
    dma_addr_t addr = (uint64_t)dev->dsr_high << 32 | dev->dsr_low;

    pvrdma_reset(dev);
    if (!dsr_map(dev, addr)) {
        qemu_log_mask(LOG_GUEST_ERROR, "pvrdma: bad shared region at 0x%"
                      PRIx64 "\n", (uint64_t)addr);
        pvrdma_reset(dev);
        return;
    }
    dev->state = PVRDMA_MAPPED;
    trace_pvrdma_dsr(addr, dev->driver_version);
}

uint32_t pvrdma_ctl(PvrdmaDev *dev, uint32_t value)
{
    switch (value) {
    case PVRDMA_CTL_ACTIVATE:
        if (dev->state == PVRDMA_IDLE) {
            return EINVAL;
        }
        dev->state = PVRDMA_ACTIVE;
        return 0;
    case PVRDMA_CTL_UNQUIESCE:
        return dev->state == PVRDMA_ACTIVE ? 0 : EINVAL;
    case PVRDMA_CTL_RESET:
        pvrdma_reset(dev);
        return 0;
    default:
        qemu_log_mask(LOG_GUEST_ERROR, "pvrdma: CTL value 0x%x\n", value);
        return EINVAL;
    }
}

static void host_port_event(void *opaque, uint32_t event)
{
    PvrdmaDev *dev = opaque;

    dev->be->ops->query_port(dev->be, &dev->port);
    trace_pvrdma_port(event, dev->port.state, dev->port.active_mtu);
    pvrdma_event(dev, event, 1);
}

static void host_fatal(void *opaque)
{
    PvrdmaDev *dev = opaque;

    warn_report("pvrdma: host device %s is gone", dev->be->host_name);
    pvrdma_event(dev, PVRDMA_EVENT_DEVICE_FATAL, 1);
}

static void host_enter(void *opaque)
{
    pvrdma_enter(opaque);
}

static void host_leave(void *opaque)
{
    pvrdma_leave(opaque);
}

static const PvrdmaBackendEvents backend_events = {
    .enter = host_enter,
    .leave = host_leave,
    .cq_ready = pvrdma_cq_host_ready,
    .cq_error = pvrdma_cq_host_error,
    .qp_event = pvrdma_qp_host_event,
    .srq_taken = pvrdma_srq_host_taken,
    .port_event = host_port_event,
    .fatal = host_fatal,
};

static bool query_port(PvrdmaDev *dev, Error **errp)
{
    int err = dev->be->ops->query_port(dev->be, &dev->port);

    if (err) {
        error_setg_errno(errp, -err, "cannot query RDMA device '%s' port %u",
                         dev->be->host_name, dev->be->port);
    }
    return !err;
}

static bool open_verbs(PvrdmaDev *dev, Error **errp)
{
    dev->be = pvrdma_verbs_open(dev->backend_dev, dev->backend_port ?: 1,
                                dev->iothread ? dev->ctx : NULL,
                                &backend_events, dev, errp);
    return dev->be && pvrdma_lock_port(dev, errp) &&
           (!dev->be->ops->needs_shared_ram || pvrdma_ram_check_shared(errp));
}

static bool open_soft(PvrdmaDev *dev, Error **errp)
{
    if (dev->backend_port || dev->backend_gid_idx >= 0 ||
        dev->limits.max_pinned || dev->limits.max_mappings) {
        error_setg(errp, "backend-port, backend-gid-idx, max-pinned and "
                   "max-mappings are about an RDMA device of the host; name "
                   "it with backend-dev=IBDEVICE, or leave them out for RDMA "
                   "in software");
        return false;
    }
    dev->be = pvrdma_soft_open(DEVICE(dev), &backend_events, &pvrdma_mem_ops,
                               dev, errp);
    return dev->be;
}

static bool open_backend(PvrdmaDev *dev, Error **errp)
{
    if (!(dev->has_lock ? open_verbs(dev, errp) : open_soft(dev, errp))) {
        return false;
    }
    pvrdma_fault_start(dev);
    return query_port(dev, errp);
}

/* A backend that needs it has the BQL for its lock: it is still there. */
void pvrdma_progress(PvrdmaDev *dev)
{
    if (!dev->has_lock && dev->be->ops->progress) {
        dev->be->ops->progress(dev->be);
    }
}

static void run_kicked(PvrdmaDev *dev)
{
    QSIMPLEQ_HEAD(, PvrdmaCq) cqs = QSIMPLEQ_HEAD_INITIALIZER(cqs);
    QSIMPLEQ_HEAD(, PvrdmaQp) qps = QSIMPLEQ_HEAD_INITIALIZER(qps);
    PvrdmaCq *cq;
    PvrdmaQp *qp;

    /* what is kicked again meanwhile has its turn in the next run */
    QSIMPLEQ_CONCAT(&cqs, &dev->kicked_cqs);
    QSIMPLEQ_CONCAT(&qps, &dev->kicked_qps);
    while ((cq = QSIMPLEQ_FIRST(&cqs))) {
        QSIMPLEQ_REMOVE_HEAD(&cqs, kick);
        cq->kicked = false;
        pvrdma_cq_kicked(cq);
    }
    while ((qp = QSIMPLEQ_FIRST(&qps))) {
        QSIMPLEQ_REMOVE_HEAD(&qps, kick);
        qp->kicked = false;
        pvrdma_sq_run(qp);
        pvrdma_rq_run(qp);
    }
    pvrdma_events_flush(dev);
}

/* Not a guarded bottom half: that touches the device afterwards, and progress
 * may be the end of it. */
static void work_bh(void *opaque)
{
    PvrdmaDev *dev = opaque;
    MemReentrancyGuard *guard = &DEVICE(dev)->mem_reentrancy_guard;

    if (dev->has_lock) {
        pvrdma_enter(dev);
        run_kicked(dev);
        pvrdma_leave(dev);
        return;
    }
    guard->engaged_in_io = true;
    run_kicked(dev);
    guard->engaged_in_io = false;
    pvrdma_progress(dev);
}

static void retry(void *opaque)
{
    PvrdmaDev *dev = opaque;
    uint32_t handle = 0;
    PvrdmaQp *qp;

    pvrdma_enter(dev);
    for (; (qp = pvrdma_table_next(&dev->qps, &handle)); handle++) {
        if (qp->sq.waiting) {
            pvrdma_qp_kick(qp);
        }
    }
    pvrdma_events_flush(dev);
    pvrdma_leave(dev);
}

/* Function 0 may come after this one on a command line, but it must come. */
static void machine_done(Notifier *notifier, void *data)
{
    PvrdmaDev *dev = container_of(notifier, PvrdmaDev, machine_done);
    Error *err = NULL;

    pvrdma_enter(dev);
    if (!dev->paired && !pvrdma_pair(dev, &err)) {
        error_reportf_err(err, "-device pvrdma: ");
        exit(1);
    }
    pvrdma_leave(dev);
}

/* With function 0 there, pairing is checked now; a hot-plugged function 1
 * comes first and is checked when the guest's driver starts. */
static bool pair_early(PvrdmaDev *dev, Error **errp)
{
    if (pvrdma_function0(dev)) {
        return pvrdma_pair(dev, errp);
    }
    if (!phase_check(PHASE_MACHINE_READY)) {
        dev->machine_done.notify = machine_done;
        qemu_add_machine_init_done_notifier(&dev->machine_done);
    }
    return true;
}

static bool start(PvrdmaDev *dev, Error **errp)
{
    if (!open_backend(dev, errp) || !pvrdma_caps_init(dev, errp)) {
        return false;
    }
    pvrdma_objects_init(dev);
    return pair_early(dev, errp);
}

bool pvrdma_life_init(PvrdmaDev *dev, Error **errp)
{
    bool ok;

    dev->imr = UINT32_MAX;
    QSIMPLEQ_INIT(&dev->kicked_cqs);
    QSIMPLEQ_INIT(&dev->kicked_qps);
    dev->work_bh = aio_bh_new(dev->ctx, work_bh, dev);
    dev->irq_bh = qemu_bh_new(pvrdma_irq_bh, dev);
    dev->retry_timer = timer_new_ms(QEMU_CLOCK_REALTIME, retry, dev);
    pvrdma_enter(dev);
    ok = start(dev, errp);
    pvrdma_leave(dev);
    return ok;
}

void pvrdma_life_exit(PvrdmaDev *dev)
{
    if (dev->machine_done.notify) {
        qemu_remove_machine_init_done_notifier(&dev->machine_done);
        dev->machine_done.notify = NULL;
    }
    pvrdma_enter(dev);
    if (dev->be) {
        pvrdma_reset(dev);
        pvrdma_objects_exit(dev);
        pvrdma_fault_stop(dev);
        dev->be->ops->close(dev->be);
        dev->be = NULL;
    }
    pvrdma_leave(dev);
    pvrdma_unlock_port(dev);
    g_clear_pointer(&dev->work_bh, qemu_bh_delete);
    g_clear_pointer(&dev->irq_bh, qemu_bh_delete);
    g_clear_pointer(&dev->retry_timer, timer_free);
}
