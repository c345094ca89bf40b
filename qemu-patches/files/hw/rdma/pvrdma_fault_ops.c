/*
 * pvrdma: faults on demand: in front of the backend's operations
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Those that cannot fail, such as destroying, are the backend's own.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "pvrdma.h"

static PvrdmaFault *fault_of(PvrdmaBackend *be)
{
    PvrdmaDev *dev = be->opaque;

    return dev->fault;
}

static int take(PvrdmaBackend *be, const char *name)
{
    return -pvrdma_fault_take(fault_of(be), PVRDMA_FAULT_BACKEND, name);
}

/* Operations that return 0 (or a number) or -errno: name, parameters,
 * arguments */
#define OPS(X) \
    X(gid_find, (PvrdmaBackend *be, const uint8_t gid[16]), (be, gid)) \
    X(gid_at, (PvrdmaBackend *be, unsigned index, uint8_t ret_gid[16]), \
      (be, index, ret_gid)) \
    X(gid_bind, (PvrdmaBackend *be, unsigned index, unsigned host_index, \
                 const uint8_t gid[16]), (be, index, host_index, gid)) \
    X(pd_create, (PvrdmaBackend *be, void *cookie, void **ret_pd), \
      (be, cookie, ret_pd)) \
    X(mr_create, (PvrdmaBackend *be, void *pd, const PvrdmaExtents *extents, \
                  uint64_t iova, uint64_t length, uint32_t access, \
                  void **ret_mr, uint32_t *ret_rkey), \
      (be, pd, extents, iova, length, access, ret_mr, ret_rkey)) \
    X(cq_create, (PvrdmaBackend *be, uint32_t entries, void *cookie, \
                  void **ret_cq), (be, entries, cookie, ret_cq)) \
    X(cq_poll, (PvrdmaBackend *be, void *cq, PvrdmaWc *wc, int n), \
      (be, cq, wc, n)) \
    X(cq_arm, (PvrdmaBackend *be, void *cq, bool solicited_only), \
      (be, cq, solicited_only)) \
    X(qp_create, (PvrdmaBackend *be, const PvrdmaQpInit *init, void *cookie, \
                  void **ret_qp, uint32_t *ret_qpn), \
      (be, init, cookie, ret_qp, ret_qpn)) \
    X(qp_modify, (PvrdmaBackend *be, void *qp, const PvrdmaQpAttr *attr, \
                  uint32_t mask), (be, qp, attr, mask)) \
    X(qp_query, (PvrdmaBackend *be, void *qp, PvrdmaQpAttr *ret), \
      (be, qp, ret)) \
    X(srq_create, (PvrdmaBackend *be, void *pd, uint32_t max_wr, \
                   uint32_t max_sge, void *cookie, void **ret_srq), \
      (be, pd, max_wr, max_sge, cookie, ret_srq)) \
    X(srq_post, (PvrdmaBackend *be, void *srq, const PvrdmaRecvWr *wr), \
      (be, srq, wr)) \
    X(ah_get, (PvrdmaBackend *be, void *pd, const PvrdmaAv *av, \
               void **ret_ah), (be, pd, av, ret_ah))

#define DEFINE_OP(name, params, args) \
    static int faulty_ ## name params \
    { \
        int err = take(be, #name); \
        return err ?: fault_of(be)->real->name args; \
    }
OPS(DEFINE_OP)

/* A port that is down by x-fault-port is so for whoever asks. */
static int faulty_query_port(PvrdmaBackend *be, PvrdmaPortInfo *ret)
{
    PvrdmaFault *f = fault_of(be);
    int err = take(be, "query_port");

    if (!err) {
        err = f->real->query_port(be, ret);
    }
    if (!err && f->port_down) {
        ret->state = PVRDMA_PORT_DOWN;
        ret->phys_state = 3; /* disabled */
    }
    return err;
}

static bool faulty_attach(PvrdmaBackend *be, PCIDevice *fn0, Error **errp)
{
    int err = fn0 ? take(be, "attach") : 0;

    if (err) {
        error_setg_errno(errp, -err, "cannot attach to function 0");
        return false;
    }
    return fault_of(be)->real->attach(be, fn0, errp);
}

/* Each WR of a batch counts as one; those before the one that fails go. */
static unsigned take_each(PvrdmaBackend *be, const char *name, unsigned n)
{
    unsigned good = 0;

    while (good < n && !take(be, name)) {
        good++;
    }
    return good;
}

static unsigned faulty_post_send(PvrdmaBackend *be, void *qp,
                                 PvrdmaSendWr *wr, unsigned n)
{
    n = take_each(be, "post_send", n);
    return n ? fault_of(be)->real->post_send(be, qp, wr, n) : 0;
}

static unsigned faulty_post_recv(PvrdmaBackend *be, void *qp,
                                 const PvrdmaRecvWr *wr, unsigned n)
{
    n = take_each(be, "post_recv", n);
    return n ? fault_of(be)->real->post_recv(be, qp, wr, n) : 0;
}

#define NAME_OF(name, params, args) #name,
static const char *const names[] = {
    OPS(NAME_OF) "query_port", "attach", "post_send", "post_recv"
};

bool pvrdma_fault_op_exists(const char *name, const char **ret_name)
{
    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        if (!strcmp(names[i], name)) {
            *ret_name = names[i];
            return true;
        }
    }
    return false;
}

#define REPLACE(name, params, args) \
    if (f->ops.name) { \
        f->ops.name = faulty_ ## name; \
    }

static void replace_all(PvrdmaFault *f)
{
    OPS(REPLACE)
    REPLACE(query_port, , )
    REPLACE(attach, , )
    REPLACE(post_send, , )
    REPLACE(post_recv, , )
}

void pvrdma_fault_remove(PvrdmaFault *f, PvrdmaBackend *be)
{
    if (f->real) {
        be->ops = f->real;
        f->real = NULL;
    }
}

void pvrdma_fault_interpose(PvrdmaFault *f, PvrdmaBackend *be)
{
    const GArray *rules = f->rules[PVRDMA_FAULT_BACKEND];

    pvrdma_fault_remove(f, be);
    if ((!rules || !rules->len) && !f->port_down) {
        return;
    }
    f->real = be->ops;
    f->ops = *be->ops;
    replace_all(f);
    be->ops = &f->ops;
}
