/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which processes of the host use RDMA devices: those that hold a uverbs node open. */
#pragma once

#include "pvr-host.h"

/*
 * Name of the ibdevice -> char *, "process 1234 (ib_send_bw)". Those that nobody uses are not in it. Other users' processes are
 * seen by root only. Never NULL.
 */
GHashTable *pvr_users_scan(PvrHost *host);
