/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where netdevs and ibdevices are: on which function, in which bond, on which other. */
#pragma once

#include "pvr-host.h"
#include "pvr-pci.h"

/* Address of the function behind the class entry DIR/NAME; NULL when it is on none. */
char *pvr_place_function(PvrHost *host, PvrDir dir, const char *name);

/* The bond, bridge or the like that the netdev is a part of; NULL when of none. */
char *pvr_place_master(PvrHost *host, const char *netdev);

/* The netdev of the first port of a hardware ibdevice on @pci; NULL when it has none in this network namespace. */
char *pvr_place_netdev(PvrHost *host, const PvrIbdev *ibdev, const PvrPci *pci);

/* TRUE when the ibdevice, of which the ports need not be known, is an rxe link on the netdev or has a port on it. */
gboolean pvr_place_is_on(PvrHost *host, const PvrIbdev *bare, const char *netdev);
