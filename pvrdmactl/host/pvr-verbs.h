/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "pvr-host.h"

/* As pvr_host_query_verbs(). */
gboolean pvr_verbs_query(const char *ibdev, PvrVerbsInfo *ret_info, GError **error);
