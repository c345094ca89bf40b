/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What prepare and doctor need to know of a domain XML besides our metadata: read only, tolerant of
 * all that is not ours.
 */
#pragma once

#include <glib.h>

#include "pvr-gid.h"
#include "pvr-metadata.h"

typedef struct {
    guint domain, bus, slot, function;
} PvrPciAddr;

/* An <interface>; strings are NULL when not in the XML. */
typedef struct {
    char *alias;
    char *type; /* as in "network" */
    char *model;
    char *mac;
    gboolean has_addr, multifunction;
    PvrPciAddr addr;
} PvrNicView;

/* Function 1 is a <rng> for libvirt; the override of its alias makes it a pvrdma. */
typedef struct {
    char *alias;
    char *path;
    gboolean has_addr;
    PvrPciAddr addr;
    char *driver;      /* from <qemu:override>, or NULL */
    char *backend_dev; /* same */
    int gid_index;     /* backend-gid-idx, same; -1: not there, or no number */
} PvrRngView;

typedef struct {
    char *uuid, *name; /* never NULL; uuid in lower case */
    char *emulator;    /* NULL: libvirt's default */
    gboolean memory_shared;
    gboolean hugepages; /* some of the memory */
    guint64 memory_kib; /* 0 when not given */
    char *nodeset;      /* the host's NUMA nodes of the memory, as in "0-1"; NULL when not given */
    GPtrArray *nics;    /* of PvrNicView */
    GPtrArray *rngs;    /* of PvrRngView */
} PvrDomainView;

void pvr_domain_view_free(PvrDomainView *view);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrDomainView, pvr_domain_view_free)

/* PVR_ERROR_CORRUPT: no XML, no domain, or no valid name and UUID. */
PvrDomainView *pvr_domain_view_parse(const char *xml, gsize len, GError **error);

/* Function 1 of @device, by alias; NULL when the domain has none. Owned by @view. */
const PvrRngView *pvr_domain_view_function1(const PvrDomainView *view, const PvrMetaDevice *device);

/* The interface at function 0 of that slot, or NULL. Owned by @view. */
const PvrNicView *pvr_domain_view_function0(const PvrDomainView *view, const PvrRngView *rng);
