/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <sys/types.h>

/* As pvr_host_set_memlock(). */
gboolean pvr_limit_set_memlock(pid_t pid, guint64 bytes_or_max, GError **error);
