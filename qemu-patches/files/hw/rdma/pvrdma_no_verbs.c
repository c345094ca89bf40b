/*
 * pvrdma: a build without libibverbs
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "pvrdma_backend.h"

PvrdmaBackend *pvrdma_verbs_open(const char *dev, unsigned port,
                                 AioContext *ctx,
                                 const PvrdmaBackendEvents *events,
                                 void *opaque, Error **errp)
{
    error_setg(errp, "this QEMU was built without libibverbs and cannot use "
               "RDMA devices; leave out backend-dev=%s for RDMA in software",
               dev);
    return NULL;
}
