/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The IPv6 addresses of this network namespace, as /proc/net/if_inet6 lists them (net/ipv6/addrconf.c). */
#pragma once

#include "pvr-host.h"

typedef struct {
    PvrGid address; /* a GID is an IPv6 address */
    char netdev[16];
    gboolean tentative; /* duplicate address detection still runs */
    gboolean duplicate; /* it has found another host with that address */
} PvrInet6;

/* Of PvrInet6. NULL when it cannot be told: there is no such file, or it is malformed. */
GArray *pvr_inet6_list(PvrHost *host);

/* That address on that netdev; NULL when it has none. Borrowed. */
const PvrInet6 *pvr_inet6_find(const GArray *addresses, const char *netdev, const PvrGid *address);
