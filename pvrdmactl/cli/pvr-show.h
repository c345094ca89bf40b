/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How devices, ports and GIDs look, for the commands that show them. */
#pragma once

#include "pvr-cmd.h"

/* MAC in a GID; NULL when it carries none. */
char *pvr_show_gid_mac(const PvrGidEntry *entry);

/* The members of one GID, into the open object: index, gid, type, netdev, mac */
void pvr_show_gid_json(JsonBuilder *builder, const PvrGidEntry *entry);

/* "gids": [{index, gid, type, netdev, mac}] */
void pvr_show_gids_json(JsonBuilder *builder, const PvrPort *port);

/* The members of one port, into the open object: port, state, phys_state, link_layer, netdev, gids */
void pvr_show_port_json(JsonBuilder *builder, const PvrPort *port);

/* The members of one device without its ports: name, driver, node_guid, uverbs, parent */
void pvr_show_ibdev_json(JsonBuilder *builder, const PvrIbdev *ibdev);
