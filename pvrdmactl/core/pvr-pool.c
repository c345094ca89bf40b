/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-pool.h"

#include <string.h>

#include "pvr-store.h"
#include "pvr-users.h"

void
pvr_pool_member_free(PvrPoolMember *member)
{
    g_free(member->address);
    g_free(member->why);
    g_free(member->holder);
    g_free(member);
}

static void
index_pci(PvrPoolView *view, PvrPci *pci)
{
    g_hash_table_replace(view->by_address, pci->address, pci);
    if (pci->pf != NULL && pvr_pool_find_lease(pci, view) != NULL) {
        const guint count = GPOINTER_TO_UINT(g_hash_table_lookup(view->per_pf, pci->pf));

        g_hash_table_replace(view->per_pf, pci->pf, GUINT_TO_POINTER(count + 1));
    }
}

PvrPoolView *
pvr_pool_view_new(PvrHost *host, const GPtrArray *pcis, const GPtrArray *leases)
{
    PvrPoolView *view = g_new0(PvrPoolView, 1);

    view->pcis = pcis;
    view->by_address = g_hash_table_new(g_str_hash, g_str_equal);
    view->by_device = g_hash_table_new(g_str_hash, g_str_equal);
    view->by_ibdev = g_hash_table_new(g_str_hash, g_str_equal);
    view->per_pf = g_hash_table_new(g_str_hash, g_str_equal);
    view->users = pvr_users_scan(host);
    for (guint i = 0; i < leases->len; i++) {
        PvrLease *lease = g_ptr_array_index(leases, i);

        if (lease->device != NULL) {
            g_hash_table_replace(view->by_device, lease->device, lease);
        } else {
            g_hash_table_replace(view->by_ibdev, lease->ibdev, lease);
        }
    }
    for (guint i = 0; i < pcis->len; i++) {
        index_pci(view, g_ptr_array_index(pcis, i));
    }
    return view;
}

void
pvr_pool_view_free(PvrPoolView *view)
{
    g_hash_table_unref(view->by_address);
    g_hash_table_unref(view->by_device);
    g_hash_table_unref(view->by_ibdev);
    g_hash_table_unref(view->per_pf);
    g_hash_table_unref(view->users);
    g_free(view);
}

/* What a lease has recorded for good counts; a name only where nothing else was. */
const PvrLease *
pvr_pool_find_lease(const PvrPci *pci, const PvrPoolView *view)
{
    const PvrLease *lease = g_hash_table_lookup(view->by_device, pci->address);

    for (guint i = 0; lease == NULL && i < pci->ibdevs->len; i++) {
        lease = g_hash_table_lookup(view->by_ibdev, g_ptr_array_index(pci->ibdevs, i));
    }
    return lease;
}

static void
set_state(PvrPoolMember *member, PvrMemberState state, char *why)
{
    member->state = state;
    member->why = why;
}

/* The process that uses an ibdevice of @pci, or NULL. */
static const char *
find_user(const PvrPci *pci, const PvrPoolView *view)
{
    const char *user = NULL;

    for (guint i = 0; user == NULL && i < pci->ibdevs->len; i++) {
        user = g_hash_table_lookup(view->users, g_ptr_array_index(pci->ibdevs, i));
    }
    return user;
}

static gboolean
look_at_driver(PvrPoolMember *member, const PvrPci *pci)
{
    if (pci->driver == NULL) {
        set_state(member, PVR_MEMBER_UNFIT, g_strdup("has no driver bound to it"));
    } else if (strcmp(pci->driver, "vfio-pci") == 0) {
        set_state(member, PVR_MEMBER_ELSEWHERE,
                  g_strdup("is bound to vfio-pci: given away as a whole"));
    } else if (pci->netdev_elsewhere) {
        set_state(member, PVR_MEMBER_ELSEWHERE,
                  g_strdup("has its netdev in another network namespace"));
    } else if (pci->ibdevs->len == 0) {
        set_state(member, PVR_MEMBER_UNFIT, g_strdup("has no RDMA device"));
    }
    return member->state == PVR_MEMBER_FREE;
}

static void
look(PvrPoolMember *member, const PvrPoolView *view)
{
    const PvrPci *pci = member->pci;
    const PvrLease *lease = pvr_pool_find_lease(pci, view);
    const char *user;

    if (lease != NULL) {
        member->holder = g_strdup(lease->domain);
        set_state(member, PVR_MEMBER_LEASED, g_strdup_printf("is leased by '%s'", lease->domain));
        return;
    }
    if (pci->pf == NULL) {
        set_state(member, PVR_MEMBER_UNFIT, g_strdup("is no VF"));
        return;
    }
    if (!look_at_driver(member, pci)) {
        return;
    }
    user = find_user(pci, view);
    if (user != NULL) {
        set_state(member, PVR_MEMBER_IN_USE, g_strdup_printf("is in use by %s", user));
    }
}

PvrPoolMember *
pvr_pool_look(const char *address, const PvrPoolView *view)
{
    PvrPoolMember *member = g_new0(PvrPoolMember, 1);

    member->address = g_strdup(address);
    member->pci = g_hash_table_lookup(view->by_address, address);
    if (member->pci != NULL) {
        look(member, view);
    } else {
        set_state(member, PVR_MEMBER_GONE, g_strdup("is not there any more"));
    }
    return member;
}

static void
add_member(GPtrArray *members, const char *address, const PvrPoolView *view)
{
    for (guint i = 0; i < members->len; i++) {
        const PvrPoolMember *member = g_ptr_array_index(members, i);

        if (strcmp(member->address, address) == 0) {
            return;
        }
    }
    g_ptr_array_add(members, pvr_pool_look(address, view));
}

static gboolean
has_name(const GPtrArray *names, const char *name)
{
    for (guint i = 0; i < names->len; i++) {
        if (strcmp(g_ptr_array_index(names, i), name) == 0) {
            return TRUE;
        }
    }
    return FALSE;
}

/* A PF by its address, or by the name of a netdev or ibdevice of it. */
static const PvrPci *
find_pf(const char *name, const GPtrArray *pcis)
{
    for (guint i = 0; i < pcis->len; i++) {
        const PvrPci *pci = g_ptr_array_index(pcis, i);

        if (pci->pf == NULL && (strcmp(pci->address, name) == 0 || has_name(pci->netdevs, name) ||
                                has_name(pci->ibdevs, name))) {
            return pci;
        }
    }
    return NULL;
}

static void
add_vfs_of(GPtrArray *members, const char *name, const PvrPoolView *view)
{
    const PvrPci *pf = find_pf(name, view->pcis);

    if (pf == NULL) {
        add_member(members, name, view); /* gone, and to be named as such */
    }
    for (guint i = 0; pf != NULL && i < view->pcis->len; i++) {
        const PvrPci *pci = g_ptr_array_index(view->pcis, i);

        if (g_strcmp0(pci->pf, pf->address) == 0) {
            add_member(members, pci->address, view);
        }
    }
}

static gboolean
selects(const PvrConfMember *selector, const PvrPci *pci)
{
    gboolean fits = selector->netdev == NULL;

    if (pci->pf == NULL || (selector->driver != NULL &&
                            (pci->driver == NULL ||
                             !g_pattern_match_simple(selector->driver, pci->driver)))) {
        return FALSE;
    }
    for (guint i = 0; !fits && i < pci->netdevs->len; i++) {
        fits = g_pattern_match_simple(selector->netdev, g_ptr_array_index(pci->netdevs, i));
    }
    return fits;
}

GPtrArray *
pvr_pool_list(const PvrConfPool *pool, const PvrPoolView *view)
{
    GPtrArray *members = g_ptr_array_new_with_free_func((GDestroyNotify)pvr_pool_member_free);

    for (guint i = 0; i < pool->members->len; i++) {
        const PvrConfMember *declared = g_ptr_array_index(pool->members, i);

        if (declared->pci != NULL) {
            add_member(members, declared->pci, view);
        } else if (declared->pf != NULL) {
            add_vfs_of(members, declared->pf, view);
        }
        for (guint n = 0; declared->pci == NULL && declared->pf == NULL && n < view->pcis->len;
             n++) {
            const PvrPci *pci = g_ptr_array_index(view->pcis, n);

            if (selects(declared, pci)) {
                add_member(members, pci->address, view);
            }
        }
    }
    return members;
}

static char *
sticky_path(PvrHost *host, const char *uuid, guint id)
{
    g_autofree char *name = g_strdup_printf("%s-%u", uuid, id);

    return pvr_host_path(host, PVR_DIR_LIB, "pools", name, NULL);
}

char *
pvr_pool_recall(PvrHost *host, const char *uuid, guint id)
{
    g_autofree char *path = sticky_path(host, uuid, id);
    gsize len = 0;
    g_autofree char *text = pvr_store_read(path, 64, &len, NULL);

    return text != NULL ? pvr_pci_parse_address(g_strstrip(text)) : NULL;
}

gboolean
pvr_pool_remember(PvrHost *host, const char *uuid, guint id, const char *address, GError **error)
{
    g_autofree char *path = sticky_path(host, uuid, id);
    g_autofree char *line = g_strconcat(address, "\n", NULL);

    return pvr_store_write(path, line, strlen(line), error);
}

gboolean
pvr_pool_forget(PvrHost *host, const char *uuid, guint id, GError **error)
{
    g_autofree char *path = sticky_path(host, uuid, id);

    return pvr_store_remove(path, error);
}
