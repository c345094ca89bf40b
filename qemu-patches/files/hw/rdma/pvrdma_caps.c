/*
 * pvrdma: capabilities, the host's clamped to what the guest ABI can say
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/host-utils.h"
#include "qemu/units.h"
#include "qapi/error.h"
#include "hw/pci/pci_ids.h"
#include "pvrdma.h"
#include "trace.h"

/* Minima without which the guest's own MAD service cannot start. */
#define MIN_QP_WR 512u
#define MIN_CQE 1024u
#define MIN_SGE 2u
#define MIN_QPS 2u             /* handle 0 is nobody's */
#define MIN_CQS 2u

#define MOST_QPS 4096u
#define MOST_CQS 4096u
#define MOST_MRS 65536u

/* Standard device flags that mean the same on this device. */
#define CAP_PORT_ACTIVE_EVENT (1u << 10)
#define CAP_RNR_NAK_GEN (1u << 12)

static uint32_t clamp_pow2(uint32_t host, uint32_t most)
{
    return host ? pow2floor(MIN(host, most)) : 0;
}

static void fill_limits(PvrdmaDevCaps *c, const PvrdmaHostCaps *h)
{
    c->max_mr_size = MIN(h->max_mr_size, 1 * GiB);
    c->max_qp = clamp_pow2(h->max_qp, MOST_QPS);
    c->max_qp_wr = clamp_pow2(h->max_qp_wr, 4096);
    c->max_sge = clamp_pow2(h->max_sge, 16);
    c->max_sge_rd = MIN(clamp_pow2(h->max_sge_rd, 16), c->max_sge);
    c->max_cq = clamp_pow2(h->max_cq, MOST_CQS);
    /* host queues also hold completions that the guest does not ask for */
    c->max_cqe = clamp_pow2(MAX(h->max_cqe, PVRDMA_CQ_HOST_EXTRA) -
                            PVRDMA_CQ_HOST_EXTRA, 65536);
    c->max_mr = MIN(h->max_mr, MOST_MRS);
    c->max_pd = MIN(h->max_pd, 4096);
    c->max_ah = MIN(h->max_ah, 65536);
    c->max_qp_rd_atom = MIN(h->max_qp_rd_atom, 16);
    c->max_res_rd_atom = c->max_qp_rd_atom;
    c->max_qp_init_rd_atom = MIN(h->max_qp_init_rd_atom, 16);
    c->max_srq = clamp_pow2(h->max_srq, 1024);
    c->max_srq_wr = clamp_pow2(h->max_srq_wr, 4096);
    c->max_srq_sge = clamp_pow2(h->max_srq_sge, 16);
    c->max_fast_reg_page_list_len = MIN(h->max_fast_reg_pages, 128);
}

static void fill_fixed(PvrdmaDevCaps *c, const PvrdmaHostCaps *h)
{
    c->fw_ver = h->fw_ver;
    c->hw_ver = h->hw_ver;
    c->vendor_id = PCI_VENDOR_ID_VMWARE;
    c->vendor_part_id = PCI_DEVICE_ID_VMWARE_PVRDMA;
    c->page_size_cap = 0xfffff000;
    c->device_cap_flags = CAP_PORT_ACTIVE_EVENT | CAP_RNR_NAK_GEN;
    c->max_uar = PVRDMA_MAX_UAR;
    c->gid_tbl_len = PVRDMA_GID_TABLE_LEN;
    c->max_pkeys = 1;
    c->local_ca_ack_delay = h->local_ca_ack_delay;
    c->phys_port_cnt = 1;
    c->mode = PVRDMA_MODE_ROCE;
    c->atomic_ops = h->atomic_ops & 3;
    c->bmme_flags = h->max_fast_reg_pages ? PVRDMA_BMME_ALL : 0;
    c->gid_types = PVRDMA_GID_TYPE_ROCE_V2;
}

/* A limit of the administrator's, which is the cap then */
static bool set_cap(PvrdmaDev *dev, const char *name, uint32_t *limit,
                    uint32_t least, uint32_t most, uint32_t *cap, Error **errp)
{
    *limit = *limit ?: *cap;
    *cap = *limit;
    return pvrdma_limit_check(dev, name, *limit, least, most, errp);
}

static bool set_mr_size(PvrdmaDev *dev, Error **errp)
{
    uint64_t *limit = &dev->limits.max_mr_size;
    uint64_t most = dev->caps.max_mr_size;

    *limit = *limit ?: most;
    dev->caps.max_mr_size = *limit;
    return pvrdma_limit_check(dev, "max-mr-size", *limit, PVRDMA_PAGE_SIZE,
                              most, errp);
}

static bool set_limits(PvrdmaDev *dev, Error **errp)
{
    const PvrdmaHostCaps *h = &dev->be->caps;
    PvrdmaLimits *limits = &dev->limits;
    PvrdmaDevCaps *c = &dev->caps;

    return set_cap(dev, "max-qp", &limits->max_qp, MIN_QPS,
                   MIN(h->max_qp, MOST_QPS), &c->max_qp, errp) &&
           set_cap(dev, "max-cq", &limits->max_cq, MIN_CQS,
                   MIN(h->max_cq, MOST_CQS), &c->max_cq, errp) &&
           set_cap(dev, "max-mr", &limits->max_mr, 1,
                   MIN(h->max_mr, MOST_MRS), &c->max_mr, errp) &&
           set_mr_size(dev, errp) && pvrdma_budget_init(dev, errp);
}

bool pvrdma_caps_init(PvrdmaDev *dev, Error **errp)
{
    PvrdmaDevCaps *c = &dev->caps;

    memset(c, 0, sizeof(*c));
    fill_limits(c, &dev->be->caps);
    fill_fixed(c, &dev->be->caps);
    if (c->max_qp_wr < MIN_QP_WR || c->max_cqe < MIN_CQE ||
        c->max_sge < MIN_SGE || c->max_qp < MIN_QPS || c->max_cq < MIN_CQS ||
        !c->max_mr || !c->max_pd) {
        error_setg(errp, "RDMA device '%s' is too small for a guest: it has "
                   "%u QPs of %u WRs and %u SGEs, %u CQs of %u entries; the "
                   "guest's driver needs 2 x %u x %u and 2 x %u",
                   dev->be->host_name, dev->be->caps.max_qp,
                   dev->be->caps.max_qp_wr, dev->be->caps.max_sge,
                   dev->be->caps.max_cq, dev->be->caps.max_cqe, MIN_QP_WR,
                   MIN_SGE, 2 * MIN_CQE);
        return false;
    }
    if (!set_limits(dev, errp)) {
        return false;
    }
    trace_pvrdma_caps(c->max_qp, c->max_cq, c->max_mr, c->max_mr_size);
    return true;
}

/* All u32 fields are neighbours, so they are converted as an array. */
void pvrdma_caps_to_wire(const PvrdmaDevCaps *caps, PvrdmaDevCaps *wire)
{
    uint32_t first = offsetof(PvrdmaDevCaps, ex_comp_mask);
    uint32_t last = offsetof(PvrdmaDevCaps, gid_tbl_len);

    *wire = *caps;
    wire->fw_ver = cpu_to_le64(caps->fw_ver);
    wire->max_mr_size = cpu_to_le64(caps->max_mr_size);
    wire->page_size_cap = cpu_to_le64(caps->page_size_cap);
    for (uint32_t at = first; at <= last; at += 4) {
        stl_le_p((uint8_t *)wire + at,
                 ldl_he_p((const uint8_t *)caps + at));
    }
    wire->max_pkeys = cpu_to_le16(caps->max_pkeys);
    wire->max_fast_reg_page_list_len =
        cpu_to_le32(caps->max_fast_reg_page_list_len);
}
