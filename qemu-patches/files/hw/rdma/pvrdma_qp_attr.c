/*
 * pvrdma: QP attributes between guest and host form
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The driver copies every field whatever the mask says, and kernel callers
 * leave what they do not set uninitialised: a field counts only with its bit.
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "pvrdma.h"

#define PSN_MASK 0xffffffu
#define QPN_MASK 0xffffffu
#define AH_GRH 1u

static bool av_valid(PvrdmaDev *dev, const PvrdmaWireAh *wire)
{
    return wire->port_num == 1 && (wire->ah_flags & AH_GRH) &&
           pvrdma_gid_is_bound(dev, wire->sgid_index);
}

/* Whether all values that @mask names are within their ranges. */
static bool values_valid(PvrdmaDev *dev, const PvrdmaWireQpAttr *w,
                         uint32_t mask)
{
#define HAS(name) (mask & PVRDMA_QP_ATTR_##name)
    uint32_t mtu = le32_to_cpu(w->path_mtu);

    return !(HAS(PORT) && w->port_num != 1) &&
           !(HAS(PKEY_INDEX) &&
             le16_to_cpu(w->pkey_index) >= dev->caps.max_pkeys) &&
           !(HAS(AV) && !av_valid(dev, &w->ah_attr)) &&
           !(HAS(PATH_MTU) && (mtu < 1 || mtu > 5)) &&
           !(HAS(TIMEOUT) && w->timeout > 31) &&
           !(HAS(RETRY_CNT) && w->retry_cnt > 7) &&
           !(HAS(RNR_RETRY) && w->rnr_retry > 7) &&
           !(HAS(MIN_RNR_TIMER) && w->min_rnr_timer > 31) &&
           !(HAS(MAX_QP_RD_ATOMIC) &&
             w->max_rd_atomic > dev->caps.max_qp_init_rd_atom) &&
           !(HAS(MAX_DEST_RD_ATOMIC) &&
             w->max_dest_rd_atomic > dev->caps.max_qp_rd_atom) &&
           !(HAS(PATH_MIG_STATE) && w->path_mig_state) &&
           !(mask & (PVRDMA_QP_ATTR_ALT_PATH | PVRDMA_QP_ATTR_CAP));
#undef HAS
}

static void av_from_wire(const PvrdmaWireAh *wire, PvrdmaAv *av)
{
    memcpy(av->dgid, wire->dgid, sizeof(av->dgid));
    memcpy(av->dmac, wire->dmac, sizeof(av->dmac));
    av->flow_label = le32_to_cpu(wire->flow_label) & 0xfffff;
    av->sgid_index = wire->sgid_index;
    av->hop_limit = wire->hop_limit;
    av->traffic_class = wire->traffic_class;
    av->sl = wire->sl;
    av->static_rate = wire->static_rate;
}

bool pvrdma_qp_attr_merge(PvrdmaDev *dev, const PvrdmaWireQpAttr *wire,
                          uint32_t mask, PvrdmaQpAttr *attr)
{
    if (!values_valid(dev, wire, mask)) {
        return false;
    }
#define TAKE(bit, to, value) \
    if (mask & PVRDMA_QP_ATTR_##bit) { \
        attr->to = (value); \
    }
    TAKE(STATE, qp_state, le32_to_cpu(wire->qp_state));
    TAKE(CUR_STATE, cur_qp_state, le32_to_cpu(wire->cur_qp_state));
    TAKE(EN_SQD_ASYNC_NOTIFY, en_sqd_async_notify, wire->en_sqd_async_notify);
    TAKE(ACCESS_FLAGS, access_flags,
         le32_to_cpu(wire->qp_access_flags) & PVRDMA_ACCESS_MASK);
    TAKE(PKEY_INDEX, pkey_index, le16_to_cpu(wire->pkey_index));
    TAKE(QKEY, qkey, le32_to_cpu(wire->qkey));
    TAKE(PATH_MTU, path_mtu, le32_to_cpu(wire->path_mtu));
    TAKE(TIMEOUT, timeout, wire->timeout);
    TAKE(RETRY_CNT, retry_cnt, wire->retry_cnt);
    TAKE(RNR_RETRY, rnr_retry, wire->rnr_retry);
    TAKE(RQ_PSN, rq_psn, le32_to_cpu(wire->rq_psn) & PSN_MASK);
    TAKE(MAX_QP_RD_ATOMIC, max_rd_atomic, wire->max_rd_atomic);
    TAKE(MIN_RNR_TIMER, min_rnr_timer, wire->min_rnr_timer);
    TAKE(SQ_PSN, sq_psn, le32_to_cpu(wire->sq_psn) & PSN_MASK);
    TAKE(MAX_DEST_RD_ATOMIC, max_dest_rd_atomic, wire->max_dest_rd_atomic);
    TAKE(DEST_QPN, dest_qpn, le32_to_cpu(wire->dest_qp_num) & QPN_MASK);
#undef TAKE
    if (mask & PVRDMA_QP_ATTR_AV) {
        av_from_wire(&wire->ah_attr, &attr->av);
    }
    return true;
}

static void av_to_wire(const PvrdmaAv *av, PvrdmaWireAh *wire)
{
    memcpy(wire->dgid, av->dgid, sizeof(wire->dgid));
    memcpy(wire->dmac, av->dmac, sizeof(wire->dmac));
    wire->flow_label = cpu_to_le32(av->flow_label);
    wire->sgid_index = av->sgid_index;
    wire->hop_limit = av->hop_limit;
    wire->traffic_class = av->traffic_class;
    wire->sl = av->sl;
    wire->static_rate = av->static_rate;
    wire->ah_flags = AH_GRH;
    wire->port_num = 1;
}

void pvrdma_qp_attr_to_wire(const PvrdmaQpAttr *attr, PvrdmaWireQpAttr *wire)
{
    wire->qp_state = cpu_to_le32(attr->qp_state);
    wire->cur_qp_state = cpu_to_le32(attr->cur_qp_state);
    wire->path_mtu = cpu_to_le32(attr->path_mtu);
    wire->qkey = cpu_to_le32(attr->qkey);
    wire->rq_psn = cpu_to_le32(attr->rq_psn);
    wire->sq_psn = cpu_to_le32(attr->sq_psn);
    wire->dest_qp_num = cpu_to_le32(attr->dest_qpn);
    wire->qp_access_flags = cpu_to_le32(attr->access_flags);
    wire->pkey_index = cpu_to_le16(attr->pkey_index);
    wire->en_sqd_async_notify = attr->en_sqd_async_notify;
    wire->sq_draining = attr->sq_draining;
    wire->max_rd_atomic = attr->max_rd_atomic;
    wire->max_dest_rd_atomic = attr->max_dest_rd_atomic;
    wire->min_rnr_timer = attr->min_rnr_timer;
    wire->port_num = 1;
    wire->timeout = attr->timeout;
    wire->retry_cnt = attr->retry_cnt;
    wire->rnr_retry = attr->rnr_retry;
    av_to_wire(&attr->av, &wire->ah_attr);
}
