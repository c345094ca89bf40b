/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the kernel's view of RDMA and network devices from sysfs under the
 * host's root. Kernel documentation: ABI/stable/sysfs-class-infiniband.
 *
 * Devices come and go while we read, empty GID slots answer with EINVAL or
 * ENODATA, and no attribute is trusted to be short or printable: what cannot be
 * read is left out or "UNKNOWN", never an error of the whole list.
 */
#pragma once

#include "pvr-host.h"

/* As pvr_host_list_ibdevs(), for the devices that the filter lets through; unsorted. */
GPtrArray *pvr_sysfs_list_ibdevs(PvrHost *host, const PvrIbdevFilter *filter, GError **error);

/* As pvr_host_get_netdev(). */
PvrNetdev *pvr_sysfs_get_netdev(PvrHost *host, const char *name, GError **error);

/* Content of one attribute without surrounding blanks; NULL if unreadable, empty or over 1 KiB. */
char *pvr_sysfs_read_attr(const char *path);
char *pvr_sysfs_read_in(const char *dir, const char *name);

/* Last component of what the link DIR/NAME points to; NULL when it is no link. */
char *pvr_sysfs_link_name(const char *dir, const char *name);
