/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "pvr-error.h"
#include "pvr-pool.h"

#define MAX_NAMED 4 /* members, or domains, that a message names */

/* The lower the better. */
static guint
rate(PvrConfPolicy policy, const PvrPoolMember *member, const PvrPoolWish *wish,
     const PvrPoolView *view)
{
    const int node = member->pci->numa_node;

    switch (policy) {
    case PVR_POLICY_STICKY:
        return g_strcmp0(wish->last, member->address) != 0;
    case PVR_POLICY_NUMA:
        if (wish->numa_nodes == 0) {
            return 0;
        }
        return node < 0 || node > 63 ? 1 : (wish->numa_nodes >> node & 1) != 0 ? 0 : 2;
    case PVR_POLICY_SPREAD:
        return GPOINTER_TO_UINT(g_hash_table_lookup(view->per_pf, member->pci->pf));
    case PVR_POLICY_LAST:
        break;
    }
    g_return_val_if_reached(0);
}

static gboolean
is_better(const PvrPoolMember *a, const PvrPoolMember *b, const PvrConfPool *pool,
          const PvrPoolWish *wish, const PvrPoolView *view)
{
    for (guint i = 0; i < pool->policies; i++) {
        const guint x = rate(pool->policy[i], a, wish, view);
        const guint y = rate(pool->policy[i], b, wish, view);

        if (x != y) {
            return x < y;
        }
    }
    return FALSE;
}

static guint
count_state(const GPtrArray *members, PvrMemberState state)
{
    guint count = 0;

    for (guint i = 0; i < members->len; i++) {
        count += ((const PvrPoolMember *)g_ptr_array_index(members, i))->state == state;
    }
    return count;
}

static char *
name_holders(const GPtrArray *members)
{
    GString *text = g_string_new(NULL);
    guint named = 0;

    for (guint i = 0; i < members->len; i++) {
        const PvrPoolMember *member = g_ptr_array_index(members, i);

        if (member->holder == NULL) {
            continue;
        }
        if (named++ < MAX_NAMED) {
            g_string_append_printf(text, "%s'%s'", named > 1 ? ", " : "", member->holder);
        }
    }
    if (named > MAX_NAMED) {
        g_string_append_printf(text, " and %u more", named - MAX_NAMED);
    }
    return g_string_free(text, FALSE);
}

/* "0000:3b:00.2 is in use by ...; 0000:3b:00.3 ..."; those that are not leased first. */
static char *
name_members(const GPtrArray *members)
{
    GString *text = g_string_new(NULL);
    guint named = 0;

    for (guint i = 0; i < 2 * members->len; i++) {
        const PvrPoolMember *member = g_ptr_array_index(members, i % members->len);
        const gboolean leased = member->state == PVR_MEMBER_LEASED;

        if (leased == (i >= members->len) && named++ < MAX_NAMED) {
            g_string_append_printf(text, "%s%s %s", named > 1 ? "; " : "", member->address,
                                   member->why);
        }
    }
    if (named > MAX_NAMED) {
        g_string_append_printf(text, "; and %u more", named - MAX_NAMED);
    }
    return g_string_free(text, FALSE);
}

static void
fail(const PvrConfPool *pool, const GPtrArray *members, GError **error)
{
    const guint leased = count_state(members, PVR_MEMBER_LEASED);
    const guint gone = count_state(members, PVR_MEMBER_GONE);
    g_autofree char *holders = name_holders(members);
    g_autofree char *list = members->len > 0 ? name_members(members) : NULL;

    if (members->len == 0) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND,
                    "the pool '%s' is empty: no VF of this host fits its members\n"
                    "'pvrdmactl vf list' shows the VFs; the pool is declared at %s",
                    pool->name, pool->where);
    } else if (leased == members->len) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY,
                    "all members of the pool '%s' are leased (%u, by %s)\n"
                    "shut one of these domains down, or add members at %s",
                    pool->name, leased, holders, pool->where);
    } else {
        g_set_error(error, PVR_ERROR,
                    gone == members->len ? PVR_ERROR_NOT_FOUND : PVR_ERROR_BUSY,
                    "the pool '%s' has no free member: %s\n"
                    "'pvrdmactl vf list' shows the VFs; the pool is declared at %s",
                    pool->name, list, pool->where);
    }
}

const PvrPoolMember *
pvr_pool_choose(const PvrConfPool *pool, const GPtrArray *members, const PvrPoolWish *wish,
                const PvrPoolView *view, GError **error)
{
    const PvrPoolMember *best = NULL;

    for (guint i = 0; i < members->len; i++) {
        const PvrPoolMember *member = g_ptr_array_index(members, i);

        if (member->state == PVR_MEMBER_FREE &&
            (best == NULL || is_better(member, best, pool, wish, view))) {
            best = member;
        }
    }
    if (best == NULL) {
        fail(pool, members, error);
    }
    return best;
}
