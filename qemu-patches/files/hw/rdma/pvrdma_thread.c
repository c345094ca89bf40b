/*
 * pvrdma: the device lock, and the thread that the data path runs in
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * With an iothread, host completions and the work bottom half run in it, under
 * the device's lock and never the BQL.  One of them may have begun, and wait
 * for the lock, while the device is torn down: it then finds nothing to do, and
 * the device stays in memory until the thread has come by.
 */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "block/aio.h"
#include "qapi/error.h"
#include "pvrdma.h"

bool pvrdma_thread_init(PvrdmaDev *dev, Error **errp)
{
    dev->has_lock = dev->backend_dev && *dev->backend_dev;
    if (dev->iothread && !dev->has_lock) {
        error_setg(errp, "iothread is for an RDMA device of the host, named by "
                   "backend-dev=IBDEVICE; RDMA in software runs in the main "
                   "loop, leave iothread out");
        return false;
    }
    dev->ctx = dev->iothread ? iothread_get_aio_context(dev->iothread)
                             : qemu_get_aio_context();
    return true;
}

static void left_main(void *opaque)
{
    object_unref(OBJECT(opaque));
}

/* The last reference must not go here: it takes the BQL to free a device. */
static void left_thread(void *opaque)
{
    aio_bh_schedule_oneshot(qemu_get_aio_context(), left_main, opaque);
}

void pvrdma_thread_exit(PvrdmaDev *dev)
{
    if (dev->iothread && dev->ctx) {
        object_ref(OBJECT(dev));
        aio_bh_schedule_oneshot(dev->ctx, left_thread, dev);
    }
    dev->ctx = NULL;
}

void pvrdma_enter(PvrdmaDev *dev)
{
    if (dev->has_lock) {
        qemu_mutex_lock(&dev->lock);
    } else {
        assert(bql_locked());
    }
}

void pvrdma_leave(PvrdmaDev *dev)
{
    if (dev->has_lock) {
        qemu_mutex_unlock(&dev->lock);
    }
}
