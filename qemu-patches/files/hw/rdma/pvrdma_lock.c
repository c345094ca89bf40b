/*
 * pvrdma: one port of an ibdevice serves one pvrdma device
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Two devices on one port would fight over its GIDs.  The lock is a flock()
 * on the port's directory in sysfs: it needs no file of our own, sees devices
 * of other QEMU processes, also in other mount namespaces, and is gone with
 * the process.
 */
#include "qemu/osdep.h"
#include <sys/file.h>
#include "qapi/error.h"
#include "pvrdma.h"

bool pvrdma_lock_port(PvrdmaDev *dev, Error **errp)
{
    g_autofree char *path =
        g_strdup_printf("/sys/class/infiniband/%s/ports/%u",
                        dev->be->host_name, dev->be->port);

    dev->lock_fd = qemu_open(path, O_RDONLY | O_DIRECTORY, errp);
    if (dev->lock_fd < 0) {
        return false;
    }
    if (flock(dev->lock_fd, LOCK_EX | LOCK_NB) == 0) {
        return true;
    }
    if (errno == EWOULDBLOCK) {
        error_setg(errp, "RDMA device '%s' port %u is in use by another pvrdma "
                   "device; give each its own (pvrdmactl list shows who holds "
                   "which)", dev->be->host_name, dev->be->port);
    } else {
        error_setg_errno(errp, errno, "cannot lock RDMA device '%s' port %u",
                         dev->be->host_name, dev->be->port);
    }
    pvrdma_unlock_port(dev);
    return false;
}

void pvrdma_unlock_port(PvrdmaDev *dev)
{
    if (dev->lock_fd >= 0) {
        qemu_close(dev->lock_fd);
        dev->lock_fd = -1;
    }
}
