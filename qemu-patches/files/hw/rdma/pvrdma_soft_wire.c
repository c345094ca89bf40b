/*
 * pvrdma: the soft backend: function 0 and its netdev
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Frames leave as if the vmxnet3 had sent them, with its MAC.  The port is up
 * while the vmxnet3 is in use by its driver and its link is up.  Without a
 * netdev there is only the loopback between this device's own GIDs.
 */
#include "qemu/osdep.h"
#include "qemu/host-utils.h"
#include "qapi/error.h"
#include "hw/net/vmxnet3_defs.h"
#include "standard-headers/linux/virtio_net.h"
#include "pvrdma_soft.h"
#include "trace.h"

#define DEFAULT_MTU 1500u
#define PHYS_DISABLED 3
#define PHYS_LINK_UP 5
#define MTU_4096 5
#define WIDTH_1X 1
#define SPEED_10G 4            /* QDR: what the vmxnet3 claims to have */

static NetClientState *client(const PvrdmaSoftWire *wire)
{
    return qemu_get_queue(wire->nic->nic);
}

static bool is_up(const PvrdmaSoftWire *wire)
{
    return wire->nic && wire->nic->device_active && !client(wire)->link_down;
}

/* Before its driver has activated it, a vmxnet3 has no MTU. */
static uint32_t mtu_of(const PvrdmaSoftWire *wire)
{
    bool known = wire->nic && wire->nic->device_active;

    return roce_mtu_of_nic(known ? wire->nic->mtu : DEFAULT_MTU);
}

static void drop_frames(PvrdmaSoft *soft)
{
    PvrdmaSoftWire *wire = &soft->wire;

    wire->tx_dropped += wire->tail - wire->head;
    wire->head = wire->tail;
    wire->queued = false;
    if (wire->refused) {
        wire->refused = false;
        roce_wire_ready(soft->engine);
    }
}

/* Takes the state of function 0; true if the port went up or down. */
static bool update(PvrdmaSoft *soft)
{
    PvrdmaSoftWire *wire = &soft->wire;
    bool up = is_up(wire);
    uint32_t mtu = mtu_of(wire);

    roce_set_mtu(soft->engine, mtu);
    if (up == wire->up) {
        return false;
    }
    wire->up = up;
    trace_pvrdma_soft_wire(up, mtu);
    if (!up) {
        drop_frames(soft);
    }
    return true;
}

/* Lets go of function 0, whose netdev must not tell about our frames later. */
static void detach(PvrdmaSoft *soft)
{
    PvrdmaSoftWire *wire = &soft->wire;

    if (wire->nic) {
        qemu_purge_queued_packets(client(wire));
        notifier_remove(&wire->notifier);
        wire->nic = NULL;
    }
    pvrdma_soft_filter_remove(soft);
}

/* Function 0 was activated or deactivated, its link changed, or it goes. */
static void nic_changed(Notifier *notifier, void *data)
{
    PvrdmaSoft *soft = container_of(notifier, PvrdmaSoft, wire.notifier);
    PvrdmaBackend *be = &soft->parent;

    if (!DEVICE(soft->wire.nic)->realized) {
        detach(soft);
    }
    if (update(soft)) {
        be->events->port_event(be->opaque, soft->wire.up
                               ? PVRDMA_EVENT_PORT_ACTIVE
                               : PVRDMA_EVENT_PORT_ERR);
    }
    pvrdma_soft_kick(soft);
}

static bool add_filter(PvrdmaSoft *soft, Error **errp)
{
    ERRP_GUARD();
    const PvrdmaSoftWire *wire = &soft->wire;
    NetClientState *peer = client(wire)->peer;

    if (!peer || wire->nic->nic->peer_deleted || wire->filter) {
        return true;
    }
    if (!pvrdma_soft_filter_add(soft, peer->name, errp)) {
        error_prepend(errp, "RDMA in software cannot use function 0's netdev "
                      "'%s': ", peer->name);
        return false;
    }
    return true;
}

bool pvrdma_soft_attach(PvrdmaBackend *be, PCIDevice *fn0, Error **errp)
{
    PvrdmaSoft *soft = pvrdma_soft(be);
    PvrdmaSoftWire *wire = &soft->wire;
    VMXNET3State *nic = VMXNET3(fn0);

    if (wire->nic != nic) {
        detach(soft);
        wire->nic = nic;
        notifier_list_add(&nic->state_notifiers, &wire->notifier);
    }
    if (!add_filter(soft, errp)) {
        detach(soft);
        update(soft);
        return false;
    }
    update(soft);
    return true;
}

void pvrdma_soft_wire_init(PvrdmaSoft *soft)
{
    soft->wire.notifier.notify = nic_changed;
    soft->wire.tx = g_new(PvrdmaSoftFrame, PVRDMA_SOFT_TX_FRAMES);
    update(soft);
}

void pvrdma_soft_wire_exit(PvrdmaSoft *soft)
{
    detach(soft);
    soft->wire.up = false;
    drop_frames(soft);
}

int pvrdma_soft_query_port(PvrdmaBackend *be, PvrdmaPortInfo *ret)
{
    const PvrdmaSoftWire *wire = &pvrdma_soft(be)->wire;

    *ret = (PvrdmaPortInfo) {
        .state = wire->up ? PVRDMA_PORT_ACTIVE : PVRDMA_PORT_DOWN,
        .phys_state = wire->up ? PHYS_LINK_UP : PHYS_DISABLED,
        .max_mtu = MTU_4096,
        .active_mtu = ctz32(mtu_of(wire)) - 7, /* 256 is 1 */
        .max_msg_sz = ROCE_MAX_MSG,
        .active_width = WIDTH_1X,
        .active_speed = SPEED_10G,
    };
    return 0;
}

/* The guest may change it at any time. */
void pvrdma_soft_wire_mac(PvrdmaSoft *soft)
{
    if (soft->wire.nic) {
        roce_set_mac(soft->engine, soft->wire.nic->conf.macaddr.a);
    }
}

/* Keeps the frame; it is sent when the engine has returned. */
bool pvrdma_soft_transmit(void *opaque, const uint8_t *frame, size_t len)
{
    PvrdmaSoft *soft = opaque;
    PvrdmaSoftWire *wire = &soft->wire;
    PvrdmaSoftFrame *to = &wire->tx[wire->tail % PVRDMA_SOFT_TX_FRAMES];

    if (!wire->up || !client(wire)->peer) {
        wire->tx_dropped++;
        return true;
    }
    if (wire->tail - wire->head == PVRDMA_SOFT_TX_FRAMES) {
        wire->refused = true;
        return false;
    }
    memcpy(to->bytes, frame, len);
    to->length = len;
    wire->tail++;
    return true;
}

static void sent(NetClientState *nc, ssize_t ret)
{
    PvrdmaSoft *soft = nc->peer ? pvrdma_soft_filter_find(nc->peer) : NULL;

    if (soft) {
        soft->wire.queued = false;
        pvrdma_soft_kick(soft);
    }
}

/* With an empty header in front, if the netdev wants one */
static void send_frame(PvrdmaSoftWire *wire, PvrdmaSoftFrame *frame)
{
    NetClientState *nc = client(wire);
    struct virtio_net_hdr_v1_hash none = { };
    size_t header = nc->peer ? qemu_get_vnet_hdr_len(nc->peer) : 0;
    struct iovec iov[] = {
        { .iov_base = &none, .iov_len = MIN(header, sizeof(none)) },
        { .iov_base = frame->bytes, .iov_len = frame->length },
    };
    int skip = header ? 0 : 1;

    wire->queued = true;
    if (qemu_sendv_packet_async(nc, iov + skip, 2 - skip, sent)) {
        wire->queued = false;
    }
}

void pvrdma_soft_wire_flush(PvrdmaSoft *soft)
{
    PvrdmaSoftWire *wire = &soft->wire;

    while (pvrdma_soft_wire_pending(wire)) {
        PvrdmaSoftFrame *frame =
            &wire->tx[wire->head++ % PVRDMA_SOFT_TX_FRAMES];

        send_frame(wire, frame);
        trace_pvrdma_soft_tx(frame->length, wire->queued);
    }
    if (wire->refused && !soft->closed &&
        wire->tail - wire->head < PVRDMA_SOFT_TX_FRAMES) {
        wire->refused = false;
        roce_wire_ready(soft->engine);
    }
}
