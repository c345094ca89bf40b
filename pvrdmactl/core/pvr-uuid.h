/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/*
 * The form that we use as a key and in file names: 36 characters, lower case. Accepts what libvirt
 * does not print but takes: upper case. NULL with PVR_ERROR_USAGE for anything else.
 */
char *pvr_uuid_canonical(const char *text, GError **error);
