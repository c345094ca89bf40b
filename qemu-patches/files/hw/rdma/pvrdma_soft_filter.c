/*
 * pvrdma: the soft backend: frames on their way to function 0
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A net filter on the netdev of the vmxnet3 takes the RoCE frames for the
 * guest's GIDs before the vmxnet3 sees them.  The netdev owns its filters'
 * end: when it goes, so does the filter.
 */
#include "qemu/osdep.h"
#include "qemu/iov.h"
#include "net/filter.h"
#include "qom/object_interfaces.h"
#include "standard-headers/linux/virtio_net.h"
#include "system/runstate.h"
#include "pvrdma_compat.h"
#include "pvrdma_soft.h"
#include "trace.h"

#define TYPE_PVRDMA_FILTER "filter-pvrdma"
OBJECT_DECLARE_SIMPLE_TYPE(PvrdmaSoftFilter, PVRDMA_FILTER)

struct PvrdmaSoftFilter {
    NetFilterState parent_obj;

    PvrdmaSoft *soft;
};

/* A frame that the engine must not have, but nobody else either */
static bool is_ours(PvrdmaSoft *soft, const uint8_t *frame, size_t len)
{
    RocePacket pkt;

    return roce_frame_parse(frame, len, &pkt) != ROCE_PARSE_NOT_ROCE &&
           roce_gid_is_ours(soft->engine, pkt.dgid);
}

static bool count_drop(PvrdmaSoft *soft, const uint8_t *frame, size_t len,
                       uint64_t *counter)
{
    if (!is_ours(soft, frame, len)) {
        return false;
    }
    (*counter)++;
    trace_pvrdma_soft_drop(len);
    return true;
}

/* Whether the frame is taken, good or bad. */
static bool take(PvrdmaSoft *soft, const uint8_t *frame, size_t len, bool gso)
{
    /* coalesced: its packets are not what was sent */
    if (gso) {
        return count_drop(soft, frame, len, &soft->wire.rx_gso);
    }
    /* memory must not change then */
    if (!runstate_is_running()) {
        return count_drop(soft, frame, len, &soft->wire.rx_stopped);
    }
    if (!roce_input(soft->engine, pvrdma_soft_now(), frame, len)) {
        return false;
    }
    trace_pvrdma_soft_rx(len);
    return true;
}

static bool has_gso(const uint8_t *header, size_t len)
{
    struct virtio_net_hdr hdr;

    if (len < sizeof(hdr)) {
        return false;
    }
    memcpy(&hdr, header, sizeof(hdr));
    return hdr.gso_type != VIRTIO_NET_HDR_GSO_NONE;
}

static ssize_t receive_iov(NetFilterState *nf, NetClientState *sender,
                           unsigned flags, const struct iovec *iov, int iovcnt,
                           NetPacketSent *sent_cb)
{
    PvrdmaSoft *soft = PVRDMA_FILTER(nf)->soft;
    size_t size = iov_size(iov, iovcnt);
    size_t header = flags & QEMU_NET_PACKET_FLAG_RAW
                    ? 0 : qemu_get_vnet_hdr_len(nf->netdev);
    g_autofree uint8_t *copy = NULL;
    const uint8_t *data = iov[0].iov_base;

    if (!soft->wire.up || size <= header) {
        return 0;
    }
    if (iovcnt > 1) {
        copy = g_malloc(size);
        iov_to_buf(iov, iovcnt, 0, copy, size);
        data = copy;
    }
    if (!take(soft, data + header, size - header, has_gso(data, header))) {
        return 0;
    }
    /* the filter itself may be gone after this */
    pvrdma_soft_progress(soft);
    return size;
}

PvrdmaSoft *pvrdma_soft_filter_find(NetClientState *netdev)
{
    NetFilterState *nf;

    QTAILQ_FOREACH(nf, &netdev->filters, next) {
        if (object_dynamic_cast(OBJECT(nf), TYPE_PVRDMA_FILTER)) {
            return PVRDMA_FILTER(nf)->soft;
        }
    }
    return NULL;
}

bool pvrdma_soft_filter_add(PvrdmaSoft *soft, const char *netdev,
                            Error **errp)
{
    Object *obj = object_new(TYPE_PVRDMA_FILTER);

    PVRDMA_FILTER(obj)->soft = soft;
    object_property_add_child(OBJECT(soft->owner), "wire", obj);
    object_unref(obj);
    if (!object_property_set_str(obj, "netdev", netdev, errp) ||
        !object_property_set_str(obj, "queue", "tx", errp) ||
        !user_creatable_complete(USER_CREATABLE(obj), errp)) {
        object_unparent(obj);
        return false;
    }
    soft->wire.filter = PVRDMA_FILTER(obj);
    return true;
}

void pvrdma_soft_filter_remove(PvrdmaSoft *soft)
{
    if (soft->wire.filter) {
        object_unparent(OBJECT(soft->wire.filter));
    }
}

/* The end, whoever brought it about */
static void cleanup(NetFilterState *nf)
{
    PvrdmaSoftFilter *filter = PVRDMA_FILTER(nf);

    if (filter->soft && filter->soft->wire.filter == filter) {
        filter->soft->wire.filter = NULL;
    }
}

static void filter_class_init(ObjectClass *klass, PvrdmaClassData *data)
{
    NetFilterClass *nfc = NETFILTER_CLASS(klass);

    nfc->cleanup = cleanup;
    nfc->receive_iov = receive_iov;
}

static const TypeInfo filter_info = {
    .name = TYPE_PVRDMA_FILTER,
    .parent = TYPE_NETFILTER,
    .instance_size = sizeof(PvrdmaSoftFilter),
    .class_init = filter_class_init,
};

static void filter_register_types(void)
{
    type_register_static(&filter_info);
}

type_init(filter_register_types)
