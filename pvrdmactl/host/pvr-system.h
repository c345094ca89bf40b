/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "pvr-host.h"

/* The machine we run on. */
PvrHost *pvr_host_new_system(void);

/*
 * The same with every file below `root` ("" = pvr_host_new_system()). With a root, network devices
 * come from its sysfs, and operations on the running kernel fail with PVR_ERROR_UNSUPPORTED.
 */
PvrHost *pvr_host_new_system_at(const char *root);
