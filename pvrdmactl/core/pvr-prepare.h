/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the libvirt hook does at each stage of a domain's life, over the host port. Each function
 * takes the domain XML that libvirt gives the hook, may be repeated, and needs no other to have run
 * before it:
 *
 *   stage      lease before            lease after
 *   prepare    none, or left over      prepared (or none, and nothing changed)
 *   started    prepared, or none       running
 *   reconnect  running, or none        running
 *   release    any, or none            none
 *
 * A domain without our metadata is left alone by all of them. A soft device has nothing to claim: it
 * has no lease, and prepare only verifies it.
 */
#pragma once

#include "pvr-journal.h"

/* Tests give their own. */
typedef struct {
    guint lock_ms;   /* how long to wait for each lock */
    guint settle_ms; /* how long a link just made may take until its port is ACTIVE */
    PvrCheckpoint checkpoint; /* may be NULL */
    gpointer user_data;
} PvrPrepareOptions;

extern const PvrPrepareOptions pvr_prepare_defaults;

/*
 * Verifies the domain, claims an ibdevice port for each of its devices but soft ones, makes missing rxe
 * links and the nodes' names, and leaves one lease per port. On failure nothing is left of it.
 * PVR_ERROR_BUSY: another domain holds the port, or this one is running.
 */
gboolean pvr_prepare(PvrHost *host, const char *xml, gsize len, const PvrPrepareOptions *options,
                     GError **error);

/*
 * For `started` and `reconnect`: raises QEMU's RLIMIT_MEMLOCK, puts back what is missing, notes the
 * process in the leases. Does as much as it can, and reports the first failure.
 */
gboolean pvr_assert_running(PvrHost *host, const char *xml, gsize len,
                            const PvrPrepareOptions *options, GError **error);

/*
 * Takes back all that was made for the domain, with or without our metadata in @xml (it may have
 * been removed meanwhile). Does as much as it can, and reports the first failure.
 */
gboolean pvr_release(PvrHost *host, const char *xml, gsize len, const PvrPrepareOptions *options,
                     GError **error);

/*
 * The same by hand, for a domain whose release did not come. PVR_ERROR_BUSY when it is running, or a hook is at work
 * for it; PVR_ERROR_NOTHING when it holds nothing.
 */
gboolean pvr_release_by_hand(PvrHost *host, const char *name, const char *uuid,
                             const PvrPrepareOptions *options, GError **error);

/* TRUE when there is any lease on this host. Cheap. */
gboolean pvr_release_may_have_work(PvrHost *host);
