/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The XML a domain had before and after each of our edits, so that detach can
 * give back the very former text.
 *
 * Kept in PVR_DIR_LIB/domains/UUID/HEX.xml: the XML of the domain with that
 * set of our devices (bit N: device N). All files of a domain belong to one
 * history without edits by others: whoever finds that the domain's XML is not
 * the recorded one of its present set must forget them all. A record that was
 * written before a crash prevented the edit itself is harmless: the domain
 * does not have that set, and pvr_undo_forget() comes before a new edit.
 * Files may hold passwords: the directory is for root only.
 */
#pragma once

#include "pvr-host.h"
#include "pvr-lock.h"
#include "pvr-metadata.h"

G_BEGIN_DECLS

/* Whoever edits domains holds it; PVR_ERROR_BUSY or PVR_ERROR_PRIVILEGE. */
PvrLock *pvr_undo_lock(PvrHost *host, GError **error);

/* The set of devices of a domain. */
guint32 pvr_undo_set(const PvrDomainMeta *meta);

/*
 * The recorded XML for that set; NULL without error if there is none or it
 * is not usable: undo then does without.
 */
char *pvr_undo_load(PvrHost *host, const char *uuid, guint32 set);

/* On success the record is on the medium. */
gboolean pvr_undo_save(PvrHost *host, const char *uuid, guint32 set, const char *xml,
                       GError **error);

/* Forgets the records of all sets that have a device of @devices (G_MAXUINT32: and of the empty set). */
gboolean pvr_undo_forget(PvrHost *host, const char *uuid, guint32 devices, GError **error);

G_END_DECLS
