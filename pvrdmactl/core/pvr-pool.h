/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pools: which VFs are in one, which of these are free and why the others are not, and which is the best. */
#pragma once

#include "pvr-conf.h"
#include "pvr-lease.h"
#include "pvr-pci.h"

G_BEGIN_DECLS

typedef enum {
    PVR_MEMBER_FREE,
    PVR_MEMBER_LEASED,    /* a domain holds it */
    PVR_MEMBER_GONE,      /* no such function any more */
    PVR_MEMBER_IN_USE,    /* a process of the host has its uverbs node open */
    PVR_MEMBER_ELSEWHERE, /* its netdev is in another network namespace, or the VF was given away as a whole */
    PVR_MEMBER_UNFIT,     /* no VF, or one without an RDMA device */
} PvrMemberState;

typedef struct {
    char *address;     /* as declared; of a PF that is not there: its name */
    const PvrPci *pci; /* NULL: gone. Borrowed */
    PvrMemberState state;
    char *why;         /* "is leased by 'vm1'"; NULL when free */
    char *holder;      /* name of the domain, when leased */
} PvrPoolMember;

void pvr_pool_member_free(PvrPoolMember *member);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrPoolMember, pvr_pool_member_free)

/* What is known when members are looked at, with indexes. Takes neither list, both must outlive it. */
typedef struct {
    const GPtrArray *pcis;  /* of PvrPci */
    GHashTable *by_address; /* -> PvrPci */
    GHashTable *by_device;  /* key of pvr_device_lock() -> PvrLease that holds it */
    GHashTable *by_ibdev;   /* -> PvrLease that holds it, of those that name no device */
    GHashTable *per_pf;     /* address of a PF -> number of its VFs that are leased */
    GHashTable *users;      /* of pvr_users_scan() */
} PvrPoolView;

PvrPoolView *pvr_pool_view_new(PvrHost *host, const GPtrArray *pcis, const GPtrArray *leases);
void pvr_pool_view_free(PvrPoolView *view);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrPoolView, pvr_pool_view_free)

/* Of PvrPoolMember, each function once, in the order of declaration. Empty when the host has none of them. */
GPtrArray *pvr_pool_list(const PvrConfPool *pool, const PvrPoolView *view);

/* One function, in a pool or not. */
PvrPoolMember *pvr_pool_look(const char *address, const PvrPoolView *view);

/* The lease that holds the function, or NULL. Borrowed. */
const PvrLease *pvr_pool_find_lease(const PvrPci *pci, const PvrPoolView *view);

/* What the policies ask for. */
typedef struct {
    const char *last;   /* the address that the domain had last time, or NULL */
    guint64 numa_nodes; /* bits: the nodes of the guest's memory; 0: not said */
} PvrPoolWish;

/*
 * The best of the free ones, owned by @members. When there is none: PVR_ERROR_NOT_FOUND (the pool is empty, or nothing of it is
 * there) or PVR_ERROR_BUSY, and the first line says what is with the members.
 */
const PvrPoolMember *pvr_pool_choose(const PvrConfPool *pool, const GPtrArray *members,
                                     const PvrPoolWish *wish, const PvrPoolView *view,
                                     GError **error);

/* The address that the device of the domain had at its last start, or NULL; what is noted survives a reboot. */
char *pvr_pool_recall(PvrHost *host, const char *uuid, guint id);
gboolean pvr_pool_remember(PvrHost *host, const char *uuid, guint id, const char *address,
                           GError **error);
gboolean pvr_pool_forget(PvrHost *host, const char *uuid, guint id, GError **error);

G_END_DECLS
