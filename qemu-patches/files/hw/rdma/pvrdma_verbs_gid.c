/*
 * pvrdma: the verbs backend: GID tables
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The host's table is the kernel's and is asked each time: it changes with
 * the addresses of the netdev.  The guest's table only says which host entry
 * a slot stands for.
 */
#include "qemu/osdep.h"
#include "pvrdma_verbs.h"
#include "trace.h"

/*
 * Entries in use of all ports.  The kernel takes the table's size in bytes as
 * 16 bits.
 */
#define PVRDMA_VERBS_MAX_HOST_GIDS (UINT16_MAX / sizeof(struct ibv_gid_entry))

/* All entries of the port in use, NULL and errno on failure */
static struct ibv_gid_entry *pvrdma_verbs_gid_table(PvrdmaVerbs *vb,
                                                    ssize_t *ret_n)
{
    g_autofree struct ibv_gid_entry *table =
        g_new0(struct ibv_gid_entry, PVRDMA_VERBS_MAX_HOST_GIDS);
    ssize_t n;

    n = ibv_query_gid_table(vb->ctx, table, PVRDMA_VERBS_MAX_HOST_GIDS, 0);
    if (n < 0) {
        trace_pvrdma_verbs_gid_table_failed(vb->parent.host_name, n);
        errno = -n;
        return NULL;
    }
    *ret_n = n;
    return g_steal_pointer(&table);
}

int pvrdma_verbs_gid_find(PvrdmaBackend *be, const uint8_t gid[16])
{
    g_autofree struct ibv_gid_entry *table = NULL;
    int found = -ENOENT;
    ssize_t n = 0;

    table = pvrdma_verbs_gid_table(pvrdma_verbs(be), &n);
    if (!table) {
        return pvrdma_verbs_errno();
    }
    for (ssize_t i = 0; i < n; i++) {
        if (table[i].port_num != be->port ||
            memcmp(table[i].gid.raw, gid, 16) != 0) {
            continue;
        }
        if (table[i].gid_type == IBV_GID_TYPE_ROCE_V2) {
            return table[i].gid_index;
        }
        found = found < 0 ? table[i].gid_index : found;
    }
    return found;
}

int pvrdma_verbs_gid_at(PvrdmaBackend *be, unsigned index, uint8_t gid[16])
{
    static const uint8_t zero[16];
    struct ibv_gid_entry entry = { 0 };
    int rc;

    rc = pvrdma_verbs_rc(ibv_query_gid_ex(pvrdma_verbs(be)->ctx, be->port,
                                          index, &entry, 0));
    if (rc == -ENODATA || rc == -EINVAL) {
        return -ENOENT;
    }
    if (rc < 0) {
        return rc;
    }
    if (memcmp(entry.gid.raw, zero, 16) == 0) {
        return -ENOENT;
    }
    memcpy(gid, entry.gid.raw, 16);
    return 0;
}

int pvrdma_verbs_gid_bind(PvrdmaBackend *be, unsigned index,
                          unsigned host_index, const uint8_t gid[16])
{
    PvrdmaVerbs *vb = pvrdma_verbs(be);

    /* the kernel keeps indices of address handles in 8 bits */
    if (index >= ARRAY_SIZE(vb->gids) || host_index > UINT8_MAX) {
        return -EINVAL;
    }
    pvrdma_verbs_gid_unbind(be, index);
    vb->gids[index] = (PvrdmaVerbsGid) {
        .bound = true,
        .host_index = host_index,
    };
    trace_pvrdma_verbs_gid_bind(be->host_name, index, host_index);
    return 0;
}

void pvrdma_verbs_gid_unbind(PvrdmaBackend *be, unsigned index)
{
    PvrdmaVerbs *vb = pvrdma_verbs(be);

    if (index < ARRAY_SIZE(vb->gids) && vb->gids[index].bound) {
        vb->gids[index].bound = false;
        pvrdma_verbs_ah_drop_gid(vb, vb->gids[index].host_index);
    }
}

int pvrdma_verbs_gid_host_index(PvrdmaVerbs *vb, unsigned index)
{
    if (index >= ARRAY_SIZE(vb->gids) || !vb->gids[index].bound) {
        return -EINVAL;
    }
    return vb->gids[index].host_index;
}
