/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changing a persistent domain so that it can be undone exactly: the order of
 * records (core/pvr-undo.h) and definitions.
 *
 * Attach: forget what is stale -> record before -> record after -> define ->
 * record what libvirt made of it. Detach: define -> forget. A crash between
 * any two of these leaves a domain that either has the device or not, with
 * its metadata, and records that are right or not used.
 */
#pragma once

#include "pvr-virt.h"
#include "pvr-host.h"

G_BEGIN_DECLS

/*
 * Defines @after, which is @before plus device @id; both with passwords.
 * Fails without a change if the domain is not @before any more.
 */
gboolean pvr_edit_attach(PvrVirt *virt, PvrHost *host, const char *uuid, const char *before,
                         const char *after, guint id, GError **error);

/* What detach would make of the domain. */
typedef struct {
    char *xml;
    char *note;     /* about something that stays; NULL if nothing does. Detaching may set it */
    gboolean exact; /* xml is the very text from before attach */
    gboolean known; /* nobody but us has changed the domain since */
} PvrEditDetach;

void pvr_edit_detach_free(PvrEditDetach *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrEditDetach, pvr_edit_detach_free)

/* Changes nothing. @current: the XML of the domain with passwords. */
PvrEditDetach *pvr_edit_plan_detach(PvrHost *host, const char *uuid, const char *current, guint id,
                                    GError **error);
gboolean pvr_edit_detach(PvrVirt *virt, PvrHost *host, const char *uuid, const char *current,
                         PvrEditDetach *plan, guint id, GError **error);

G_END_DECLS
