/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "pvr-ibdev.h"

/* As pvr_host_get_netdev(), from the kernel, in the network namespace of the caller. */
PvrNetdev *pvr_rtnl_get_netdev(const char *name, GError **error);
