/*
 * pvrdma: the verbs backend: address handles
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * PVRDMA carries an address vector in each UD send, verbs wants an address
 * handle, and making one costs system calls: so they are kept, found again by
 * everything that they depend on, and the longest unused goes first.
 */
#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "qemu/xxhash.h"
#include "pvrdma_verbs.h"
#include "trace.h"

/* Host handles of one device, used and unused */
#define PVRDMA_VERBS_MAX_AHS 1024

/*
 * Making a handle may resolve the peer's MAC address, which blocks for up to
 * seconds when the peer does not exist.  After a slow one the next has to wait
 * this many times as long, so that a guest cannot keep the main loop from
 * anything else.
 */
#define PVRDMA_VERBS_AH_REST 4
#define PVRDMA_VERBS_AH_SLOW_NS (100 * SCALE_MS)

static guint pvrdma_verbs_ah_hash(gconstpointer p)
{
    const PvrdmaVerbsAhKey *key = p;
    uint64_t gid[2];

    memcpy(gid, key->dgid, sizeof(gid));
    return qemu_xxhash6(gid[0], gid[1], key->host_index,
                        (uintptr_t)key->pd >> 4);
}

static gboolean pvrdma_verbs_ah_equal(gconstpointer a, gconstpointer b)
{
    const PvrdmaVerbsAhKey *x = a, *y = b;

    return x->pd == y->pd && x->host_index == y->host_index &&
           x->flow_label == y->flow_label &&
           memcmp(x->dgid, y->dgid, sizeof(x->dgid)) == 0 &&
           memcmp(x->dmac, y->dmac, sizeof(x->dmac)) == 0 &&
           x->hop_limit == y->hop_limit &&
           x->traffic_class == y->traffic_class && x->sl == y->sl &&
           x->static_rate == y->static_rate;
}

void pvrdma_verbs_ah_init(PvrdmaVerbs *vb)
{
    vb->ahs = g_hash_table_new(pvrdma_verbs_ah_hash, pvrdma_verbs_ah_equal);
    QTAILQ_INIT(&vb->idle_ahs);
}

/* Takes the host's handle away; the cache forgets it, a holder need not. */
static void pvrdma_verbs_ah_kill(PvrdmaVerbs *vb, PvrdmaVerbsAh *ah)
{
    g_hash_table_remove(vb->ahs, &ah->key);
    ibv_destroy_ah(ah->ibv);
    ah->ibv = NULL;
    if (ah->users == 0) {
        QTAILQ_REMOVE(&vb->idle_ahs, ah, idle);
        g_free(ah);
    }
}

static void pvrdma_verbs_ah_drop(PvrdmaVerbs *vb,
                                 bool (*match)(PvrdmaVerbsAh *, void *),
                                 void *arg)
{
    g_autoptr(GList) all = g_hash_table_get_values(vb->ahs);

    for (GList *l = all; l; l = l->next) {
        if (match(l->data, arg)) {
            pvrdma_verbs_ah_kill(vb, l->data);
        }
    }
}

static bool pvrdma_verbs_ah_any(PvrdmaVerbsAh *ah, void *arg)
{
    return true;
}

static bool pvrdma_verbs_ah_of_pd(PvrdmaVerbsAh *ah, void *pd)
{
    return ah->key.pd == pd;
}

static bool pvrdma_verbs_ah_idle_of_gid(PvrdmaVerbsAh *ah, void *host_index)
{
    return ah->users == 0 &&
           ah->key.host_index == GPOINTER_TO_UINT(host_index);
}

void pvrdma_verbs_ah_cleanup(PvrdmaVerbs *vb)
{
    if (vb->ahs) {
        pvrdma_verbs_ah_drop(vb, pvrdma_verbs_ah_any, NULL);
        g_clear_pointer(&vb->ahs, g_hash_table_unref);
    }
}

void pvrdma_verbs_ah_drop_pd(PvrdmaVerbs *vb, PvrdmaVerbsPd *pd)
{
    pvrdma_verbs_ah_drop(vb, pvrdma_verbs_ah_of_pd, pd);
}

void pvrdma_verbs_ah_drop_gid(PvrdmaVerbs *vb, unsigned host_index)
{
    pvrdma_verbs_ah_drop(vb, pvrdma_verbs_ah_idle_of_gid,
                         GUINT_TO_POINTER(host_index));
}

int pvrdma_verbs_ah_attr(PvrdmaVerbs *vb, const PvrdmaAv *av,
                         struct ibv_ah_attr *ret)
{
    int host_index = pvrdma_verbs_gid_host_index(vb, av->sgid_index);

    if (host_index < 0) {
        return host_index;
    }
    *ret = (struct ibv_ah_attr) {
        .is_global = 1,
        .port_num = vb->parent.port,
        .sl = av->sl,
        .static_rate = av->static_rate,
        .grh = {
            .sgid_index = host_index,
            .flow_label = av->flow_label & 0xfffff,
            .hop_limit = av->hop_limit,
            .traffic_class = av->traffic_class,
        },
    };
    memcpy(ret->grh.dgid.raw, av->dgid, 16);
    return 0;
}

static int pvrdma_verbs_ah_key(PvrdmaVerbs *vb, PvrdmaVerbsPd *pd,
                               const PvrdmaAv *av, PvrdmaVerbsAhKey *ret)
{
    int host_index = pvrdma_verbs_gid_host_index(vb, av->sgid_index);

    if (host_index < 0) {
        return host_index;
    }
    *ret = (PvrdmaVerbsAhKey) {
        .pd = pd,
        .host_index = host_index,
        .flow_label = av->flow_label,
        .hop_limit = av->hop_limit,
        .traffic_class = av->traffic_class,
        .sl = av->sl,
        .static_rate = av->static_rate,
    };
    memcpy(ret->dgid, av->dgid, sizeof(ret->dgid));
    memcpy(ret->dmac, av->dmac, sizeof(ret->dmac));
    return 0;
}

/* Room for one more, at the cost of the longest unused */
static bool pvrdma_verbs_ah_make_room(PvrdmaVerbs *vb)
{
    uint32_t limit = MIN(PVRDMA_VERBS_MAX_AHS, MAX(vb->parent.caps.max_ah, 1));

    if (g_hash_table_size(vb->ahs) < limit) {
        return true;
    }
    if (QTAILQ_EMPTY(&vb->idle_ahs)) {
        return false;
    }
    pvrdma_verbs_ah_kill(vb, QTAILQ_FIRST(&vb->idle_ahs));
    return true;
}

static struct ibv_ah *pvrdma_verbs_ah_new_host(PvrdmaVerbs *vb,
                                               PvrdmaVerbsPd *pd,
                                               struct ibv_ah_attr *attr)
{
    int64_t start = get_clock(), took;
    struct ibv_ah *ah;

    errno = 0;
    ah = ibv_create_ah(pd->ibv, attr);
    took = get_clock() - start;
    if (took > PVRDMA_VERBS_AH_SLOW_NS) {
        int err = errno;

        vb->ah_not_before = start + took * (1 + PVRDMA_VERBS_AH_REST);
        trace_pvrdma_verbs_ah_slow(vb->parent.host_name, took / SCALE_MS);
        errno = err;
    }
    return ah;
}

static int pvrdma_verbs_ah_new(PvrdmaVerbs *vb, const PvrdmaVerbsAhKey *key,
                               const PvrdmaAv *av, PvrdmaVerbsAh **ret)
{
    struct ibv_ah_attr attr;
    struct ibv_ah *ibv;
    int rc = pvrdma_verbs_ah_attr(vb, av, &attr);

    if (rc < 0) {
        return rc;
    }
    if (get_clock() < vb->ah_not_before || !pvrdma_verbs_ah_make_room(vb)) {
        return -EAGAIN;
    }
    ibv = pvrdma_verbs_ah_new_host(vb, key->pd, &attr);
    if (!ibv) {
        rc = pvrdma_verbs_errno();
        trace_pvrdma_verbs_ah_failed(vb->parent.host_name, rc);
        /* -EAGAIN would be tried again for ever */
        return rc == -EAGAIN ? -EIO : rc;
    }
    *ret = g_new0(PvrdmaVerbsAh, 1);
    (*ret)->key = *key;
    (*ret)->ibv = ibv;
    (*ret)->users = 1;
    g_hash_table_add(vb->ahs, *ret);
    return 0;
}

int pvrdma_verbs_ah_get(PvrdmaBackend *be, void *pd, const PvrdmaAv *av,
                        void **ret_ah)
{
    PvrdmaVerbs *vb = pvrdma_verbs(be);
    PvrdmaVerbsAhKey key;
    PvrdmaVerbsAh *ah;
    int rc = pvrdma_verbs_ah_key(vb, pd, av, &key);

    if (rc < 0) {
        return rc;
    }
    ah = g_hash_table_lookup(vb->ahs, &key);
    if (!ah) {
        rc = pvrdma_verbs_ah_new(vb, &key, av, &ah);
        if (rc < 0) {
            return rc;
        }
    } else if (ah->users++ == 0) {
        QTAILQ_REMOVE(&vb->idle_ahs, ah, idle);
    }
    *ret_ah = ah;
    return 0;
}

void pvrdma_verbs_ah_put(PvrdmaBackend *be, void *opaque)
{
    PvrdmaVerbs *vb = pvrdma_verbs(be);
    PvrdmaVerbsAh *ah = opaque;

    if (--ah->users > 0) {
        return;
    }
    if (ah->ibv) {
        QTAILQ_INSERT_TAIL(&vb->idle_ahs, ah, idle);
    } else {
        g_free(ah);
    }
}
