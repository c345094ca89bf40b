/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's announcements of devices (netlink, NETLINK_KOBJECT_UEVENT), without libudev. */
#pragma once

#include <glib.h>

typedef struct _PvrUevents PvrUevents;

/* Listens from the first wait on. */
PvrUevents *pvr_uevents_new(void);
void pvr_uevents_free(PvrUevents *uevents);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrUevents, pvr_uevents_free)

/*
 * As pvr_host_wait_event(). The first call returns at once: what happened before it was not heard, so the
 * caller has to look again. Where nobody may listen it only sleeps.
 */
void pvr_uevents_wait(PvrUevents *uevents, guint timeout_ms);
