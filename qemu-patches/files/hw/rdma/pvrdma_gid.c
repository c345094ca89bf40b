/*
 * pvrdma: the guest's GID table
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/log.h"
#include "pvrdma.h"
#include "trace.h"

static void unbind(PvrdmaDev *dev, uint32_t index)
{
    if (dev->gid_bound[index]) {
        dev->be->ops->gid_unbind(dev->be, index);
        dev->gid_bound[index] = false;
    }
}

void pvrdma_gids_clear(PvrdmaDev *dev)
{
    for (uint32_t i = 0; i < PVRDMA_GID_TABLE_LEN; i++) {
        unbind(dev, i);
    }
}

bool pvrdma_gid_is_bound(PvrdmaDev *dev, uint8_t index)
{
    return index < PVRDMA_GID_TABLE_LEN && dev->gid_bound[index];
}

/* Function 0's own GID is where realize said; others have to exist, too, if
 * the host has anything to say about it. */
static int host_index(PvrdmaDev *dev, const uint8_t *gid)
{
    if (!dev->be->ops->gid_find) {
        return 0;
    }
    if (!memcmp(gid, dev->pair_gid, sizeof(dev->pair_gid))) {
        return dev->host_gid_index;
    }
    return dev->be->ops->gid_find(dev->be, gid);
}

int pvrdma_cmd_create_bind(PvrdmaDev *dev, const PvrdmaReq *req,
                           PvrdmaResp *resp)
{
    const PvrdmaReqCreateBind *bind = &req->create_bind;
    uint32_t index = le32_to_cpu(bind->index);
    int host, err;

    if (index >= PVRDMA_GID_TABLE_LEN ||
        bind->gid_type != PVRDMA_GID_TYPE_ROCE_V2) {
        return -EINVAL;
    }
    host = host_index(dev, bind->new_gid);
    if (host < 0) {
        qemu_log_mask(LOG_GUEST_ERROR, "pvrdma: the host port has no GID that "
                      "the guest wants at %u\n", index);
        return host;
    }
    err = dev->be->ops->gid_bind(dev->be, index, host, bind->new_gid);
    if (err) {
        return err;
    }
    dev->gid_bound[index] = true;
    trace_pvrdma_gid_bind(index, host);
    return 0;
}

int pvrdma_cmd_destroy_bind(PvrdmaDev *dev, const PvrdmaReq *req,
                            PvrdmaResp *resp)
{
    uint32_t index = le32_to_cpu(req->destroy_bind.index);

    if (index >= PVRDMA_GID_TABLE_LEN) {
        return -EINVAL;
    }
    unbind(dev, index);
    return 0;
}
