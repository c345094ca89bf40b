/*
 * pvrdma: the verbs backend: protection domains and memory regions
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * An MR is the guest's pages as one range of host addresses, registered at the
 * guest's own virtual address: SGEs and remote addresses then need no
 * translation at all.
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "pvrdma_verbs.h"
#include "trace.h"

int pvrdma_verbs_pd_create(PvrdmaBackend *be, void *cookie, void **ret_pd)
{
    g_autofree PvrdmaVerbsPd *pd = g_new0(PvrdmaVerbsPd, 1);

    errno = 0;
    pd->ibv = ibv_alloc_pd(pvrdma_verbs(be)->ctx);
    if (!pd->ibv) {
        return pvrdma_verbs_errno();
    }
    *ret_pd = g_steal_pointer(&pd);
    return 0;
}

void pvrdma_verbs_pd_destroy(PvrdmaBackend *be, void *opaque)
{
    PvrdmaVerbsPd *pd = opaque;
    int rc;

    pvrdma_verbs_ah_drop_pd(pvrdma_verbs(be), pd);
    rc = pvrdma_verbs_rc(ibv_dealloc_pd(pd->ibv));
    if (rc < 0) {
        trace_pvrdma_verbs_destroy_failed(be->host_name, "PD", rc);
    }
    g_free(pd);
}

static int pvrdma_verbs_access(uint32_t access)
{
    int flags = 0;

    flags |= access & PVRDMA_ACCESS_LOCAL_WRITE ? IBV_ACCESS_LOCAL_WRITE : 0;
    flags |= access & PVRDMA_ACCESS_REMOTE_WRITE ? IBV_ACCESS_REMOTE_WRITE : 0;
    flags |= access & PVRDMA_ACCESS_REMOTE_READ ? IBV_ACCESS_REMOTE_READ : 0;
    flags |= access & PVRDMA_ACCESS_REMOTE_ATOMIC
             ? IBV_ACCESS_REMOTE_ATOMIC : 0;
    return flags;
}

/* What the administrator can change, not the guest's mistake: one line each. */
static int pvrdma_verbs_mr_refused(PvrdmaBackend *be, uint64_t length, int rc)
{
    trace_pvrdma_verbs_mr_failed(be->host_name, length, rc);
    if (rc == -ENOMEM) {
        warn_report_once("pvrdma: RDMA device '%s' cannot pin %" PRIu64
                         " bytes of guest memory: raise the locked memory "
                         "limit of this QEMU (RLIMIT_MEMLOCK)",
                         be->host_name, length);
    }
    return rc;
}

static int pvrdma_verbs_mr_unmappable(PvrdmaBackend *be, uint64_t length,
                                      int rc)
{
    trace_pvrdma_verbs_mr_failed(be->host_name, length, rc);
    if (rc == -EINVAL) {
        warn_report_once("pvrdma: an application in the guest registers memory "
                         "that is not on huge pages in the guest, which "
                         "RDMA device '%s' cannot reach on huge pages of the "
                         "host: have it use huge pages, too, or give the guest "
                         "<source type='memfd'/> without <hugepages/>",
                         be->host_name);
    }
    return rc;
}

static int pvrdma_verbs_mr_register(PvrdmaVerbsMr *mr, PvrdmaVerbsPd *pd,
                                    uint64_t iova, uint64_t length,
                                    uint32_t access)
{
    uint64_t offset = iova & (PVRDMA_PAGE_SIZE - 1);

    errno = 0;
    mr->ibv = ibv_reg_mr_iova(pd->ibv, mr->window.data + offset, length, iova,
                              pvrdma_verbs_access(access));
    return mr->ibv ? 0 : pvrdma_verbs_errno();
}

int pvrdma_verbs_mr_create(PvrdmaBackend *be, void *pd,
                           const PvrdmaExtents *extents, uint64_t iova,
                           uint64_t length, uint32_t access, void **ret_mr,
                           uint32_t *ret_rkey)
{
    g_autofree PvrdmaVerbsMr *mr = g_new0(PvrdmaVerbsMr, 1);
    int64_t start = g_get_monotonic_time(), mapped;
    int rc;

    rc = pvrdma_window_map(&mr->window, extents);
    if (rc < 0) {
        return pvrdma_verbs_mr_unmappable(be, length, rc);
    }
    mapped = g_get_monotonic_time();
    rc = pvrdma_verbs_mr_register(mr, pd, iova, length, access);
    if (rc < 0) {
        pvrdma_window_unmap(&mr->window);
        return pvrdma_verbs_mr_refused(be, length, rc);
    }
    trace_pvrdma_verbs_mr_create(be->host_name, length,
                                 pvrdma_window_mappings(extents),
                                 mapped - start,
                                 g_get_monotonic_time() - mapped);
    *ret_rkey = mr->ibv->rkey;
    *ret_mr = g_steal_pointer(&mr);
    return 0;
}

void pvrdma_verbs_mr_destroy(PvrdmaBackend *be, void *opaque)
{
    PvrdmaVerbsMr *mr = opaque;
    int rc = pvrdma_verbs_rc(ibv_dereg_mr(mr->ibv));

    if (rc < 0) {
        /* still registered: the window must stay, whoever points at it */
        trace_pvrdma_verbs_destroy_failed(be->host_name, "MR", rc);
    } else {
        pvrdma_window_unmap(&mr->window);
    }
    g_free(mr);
}
