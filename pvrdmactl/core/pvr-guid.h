/* SPDX-License-Identifier: GPL-2.0-or-later */
/* EUI-64 identifiers of InfiniBand: node GUIDs and port GUIDs. */
#pragma once

#include <glib.h>

/*
 * The forms of sysfs and rdma(8) "7efe:90ff:fecb:743a", of ip(8) "7e:fe:90:ff:fe:cb:74:3a", and of ibstat(8)
 * "0x7efe90fffecb743a". FALSE: @text is no GUID.
 */
gboolean pvr_guid_parse(const char *text, guint64 *ret_guid);

/* "7efe:90ff:fecb:743a" */
char *pvr_guid_to_string(guint64 guid);
