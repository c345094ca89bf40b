/*
 * pvrdma: the device lock
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "pvrdma.h"

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
