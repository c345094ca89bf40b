/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "pvr-host.h"

/*
 * As pvr_host_list_pci(); @address (may be NULL) limits it to that function, and none is no error then either.
 * As in pvr-sysfs.h, what cannot be read is left out.
 */
GPtrArray *pvr_sysfs_list_pci(PvrHost *host, const char *address, GError **error);
