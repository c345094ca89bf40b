/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which GIDs of a port may serve a device: an intent instead of an index, since indices, and
 * routable GIDs, come and go. Attach stores it; it is resolved against the port at each start.
 *
 * The text is words with ',' between, in any order, each kind at most once:
 *   v2                       the RoCE version; v1 is understood, but refused: the device speaks v2
 *   ipv6                     the family; ipv4 is understood, but refused: such a GID carries no MAC
 *   any, link-local, routable, or a GID (in metadata: "exact", the GID being an attribute of its own)
 */
#pragma once

#include "pvr-ibdev.h"

typedef enum {
    PVR_GID_FIXED, /* no policy: the GID that attach chose, at the index that it chose, if any */
    PVR_GID_ANY,
    PVR_GID_LINK_LOCAL,
    PVR_GID_ROUTABLE,
    PVR_GID_EXACT, /* the GID, at any index */
} PvrGidScope;

/*
 * @ret_gid: set when the text names one, which makes the scope EXACT. PVR_ERROR_USAGE for what is no
 * policy, PVR_ERROR_UNSUPPORTED for one that no GID can fulfil.
 */
gboolean pvr_gid_policy_parse(const char *text, PvrGidScope *ret_scope, PvrGid *ret_gid,
                              GError **error);

/* "v2,ipv6,routable"; NULL for FIXED. pvr_gid_policy_parse() reads it. */
char *pvr_gid_policy_to_string(PvrGidScope scope);

/*
 * 0 when the entry does not fit; else the higher the better: ANY prefers link-local, which the device
 * takes by itself. @gid: for FIXED and EXACT. @mac: which the entry has to carry; NULL: any.
 */
guint pvr_gid_policy_rate(PvrGidScope scope, const PvrGid *gid, const PvrMac *mac,
                          const PvrGidEntry *entry);
