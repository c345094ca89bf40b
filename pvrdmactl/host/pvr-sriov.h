/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * VF counts and driver binding through sysfs (Documentation/ABI/testing/sysfs-bus-pci). A host with a root has
 * files that do nothing: tests look at what was written.
 */
#pragma once

#include "pvr-host.h"

/* As pvr_host_set_num_vfs(), pvr_host_bind() and pvr_host_unbind(). */
gboolean pvr_sriov_set_num_vfs(PvrHost *host, const char *pf, guint number, GError **error);
gboolean pvr_sriov_bind(PvrHost *host, const char *pci, const char *driver, GError **error);
gboolean pvr_sriov_unbind(PvrHost *host, const char *pci, GError **error);

/* What errno means after writing @number to sriov_numvfs, or @pci to bind or unbind of @driver; for the tests. */
void pvr_sriov_set_num_error(int err, const char *pf, guint number, GError **error);
void pvr_sriov_set_bind_error(int err, gboolean bind, const char *pci, const char *driver,
                              GError **error);
